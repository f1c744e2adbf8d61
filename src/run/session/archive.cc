#include "run/session/archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <set>

#include "foundation/base/sys.h"
#include "foundation/tree/open.h"
#include "run/audit_entry.h"

namespace belljar::run {
namespace {

using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr std::chrono::seconds kSweepInterval{1};
constexpr std::size_t kMostUnwritten = 10'000;
constexpr std::size_t kMostStrays = 100'000;
constexpr std::string_view kOrphaned = "the daemon that held it ended without saying so";

std::int64_t ToMs(system_clock::time_point time) {
  return std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count();
}

std::string MsText(std::int64_t ms) { return record::TimeText(ms); }

SessionRow RowOf(const SessionInfo& info) {
  SessionRow row;
  row.id = info.id;
  row.caller = info.caller;
  row.name = info.name;
  row.lang = request::LangName(info.lang);
  row.image = info.image;
  row.backend = request::BackendName(info.backend);
  row.created_ms = ToMs(info.created);
  row.last_used_ms = ToMs(info.last_used);
  row.runs = static_cast<std::int64_t>(info.runs);
  row.wall_ms = info.wall_used.count();
  row.cpu_ms = info.cpu_used.count();
  return row;
}

Result<Fd> OpenRoot(const std::string& state_dir) {
  const std::string path = state_dir + "/workspaces";
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return SysError("mkdir", path, errno);
  return belljar::Open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

record::Entry EntryFor(const SessionInfo& info, json::object detail) {
  Origin origin;
  origin.caller = info.caller;
  origin.session_id = info.id;
  origin.correlation_id = info.correlation_id;
  origin.traceparent = info.traceparent;
  return EntryFrom(record::Event::kSession, origin, std::move(detail));
}

}  // namespace

SessionArchive::SessionArchive(ArchiveOptions options, record::Log& log, Fd root,
                               storage::Database& database, std::unique_ptr<Register> rows)
    : options_(std::move(options)),
      log_(log),
      root_(std::move(root)),
      database_(database),
      rows_(std::move(rows)),
      start_wall_ms_(ToMs(options_.wall())),
      start_steady_(options_.steady()),
      keep_s_(options_.keep.count()) {}

Result<std::unique_ptr<SessionArchive>> SessionArchive::Open(ArchiveOptions options,
                                                             record::Log& log,
                                                             storage::Database& database) {
  Fd root = BJ_TRY(OpenRoot(options.state_dir));
  auto rows = BJ_TRY(Register::Open(database));
  std::unique_ptr<SessionArchive> archive(
      new SessionArchive(std::move(options), log, std::move(root), database, std::move(rows)));
  BJ_TRY(archive->AdoptOrphans());
  BJ_TRY(archive->RemoveStrays());
  SessionArchive* const self = archive.get();
  archive->sweeper_ = std::jthread([self](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      {
        std::unique_lock lock(self->mutex_);
        self->wake_.wait_for(lock, stop, kSweepInterval, [] { return false; });
      }
      self->Sweep();
    }
  });
  return archive;
}

// Fills in a row whose daemon was killed. Its number of runs and last use come from the log; its
// usage is lost.
SessionRow SessionArchive::Orphan(SessionRow row) {
  row.ended_ms = ToMs(options_.wall());
  row.reason = kOrphaned;
  row.wall_ms = row.cpu_ms = std::nullopt;
  record::Filter filter;
  filter.session_id = row.id;
  filter.event = record::Event::kRun;
  filter.limit = record::kMaxFound;
  if (const auto runs = log_.Find(filter); runs && !runs->empty()) {
    row.runs = static_cast<std::int64_t>(runs->size());
    row.last_used_ms = runs->front().time_ms;
  }
  const auto tree = OpenMirror(root_, row.id);
  if (!tree) {
    row.trouble = tree.error().message();
    return row;
  }
  const Listing listing = run::List(*tree);
  row.kept_files = static_cast<std::int64_t>(listing.files.size());
  for (const auto& [path, state] : listing.files) {
    row.kept_bytes += static_cast<std::int64_t>(state.size);
  }
  return row;
}

Result<> SessionArchive::AdoptOrphans() {
  for (;;) {
    std::vector<SessionRow> rows = BJ_TRY(rows_->Living());
    if (rows.empty()) return {};
    for (SessionRow& row : rows) {
      row = Orphan(std::move(row));
      SessionInfo info;
      info.caller = row.caller;
      info.id = row.id;
      BJ_TRY(log_.Append(EntryFor(info, {{"state", "ended"}, {"reason", row.reason}})));
      ++orphans_;
    }
    const auto mark = [&]() -> Result<> {
      for (const SessionRow& row : rows) BJ_TRY(rows_->End(row));
      return {};
    };
    BJ_TRY(database_.Transaction(mark));
  }
}

// Removes directories without a row, left by a daemon killed between creating the two.
Result<> SessionArchive::RemoveStrays() {
  std::set<std::string> known;
  for (std::string after;;) {
    auto ids = BJ_TRY(rows_->Ids(after));
    if (ids.empty()) break;
    after = ids.back();
    known.insert(std::make_move_iterator(ids.begin()), std::make_move_iterator(ids.end()));
  }
  const Fd root = BJ_TRY(tree::OpenDirectory(root_, "", O_RDONLY));
  const tree::Names found = BJ_TRY(tree::NamesOf(root, kMostStrays, "the kept sessions"));
  for (const std::string& name : found.names) {
    if (!known.contains(name)) BJ_TRY(RemoveMirror(root_, name));
  }
  return {};
}

Result<> SessionArchive::Began(std::span<const SessionInfo> infos) {
  const auto enter = [&]() -> Result<> {
    for (const SessionInfo& info : infos) BJ_TRY(rows_->Begin(RowOf(info)));
    return {};
  };
  BJ_TRY(database_.Transaction(enter));
  std::vector<record::Entry> entries;
  for (const SessionInfo& info : infos) {
    entries.push_back(EntryFor(info, {{"state", "began"},
                                      {"lang", request::LangName(info.lang)},
                                      {"image", info.image},
                                      {"backend", request::BackendName(info.backend)}}));
  }
  if (const auto noted = log_.AppendAll(entries); !noted) {
    // If this fails too, the next start reports them as orphans.
    for (const SessionInfo& info : infos) static_cast<void>(rows_->Forget(info.id));
    return noted.error();
  }
  const std::lock_guard lock(mutex_);
  for (const SessionInfo& info : infos) {
    living_[info.id] = {std::make_shared<Mirror>(root_, info.id, MirrorBounds()), {}};
  }
  return {};
}

Result<> SessionArchive::Turns(const SessionInfo& info, Turning what) {
  record::Entry entry = EntryFor(info, {});
  switch (what) {
    case Turning::kPaused:
      entry.event = record::Event::kCheckpoint;
      entry.detail = {{"paused", true}};
      break;
    case Turning::kResumed:
      entry.event = record::Event::kRollback;
      entry.detail = {{"resumed", true}};
      break;
    case Turning::kDropped:
      entry.detail = {{"state", "ended"}, {"reason", "its caller ended it, paused"}};
      break;
  }
  BJ_TRY(log_.Append(entry));
  return {};
}

std::shared_ptr<Mirror> SessionArchive::MirrorOf(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto found = living_.find(id);
  return found == living_.end() ? nullptr : found->second.mirror;
}

void SessionArchive::Report(const std::string& id, const Error& error) const {
  if (options_.on_trouble) options_.on_trouble(id, error);
}

void SessionArchive::Used(const std::string& id, const Fd& workspace, const Listing* seen) {
  const auto mirror = MirrorOf(id);
  if (!mirror) return;
  const auto updated =
      seen != nullptr ? mirror->Update(workspace, *seen) : mirror->Update(workspace);
  std::string trouble = updated ? "" : updated.error().message();
  if (updated && updated->left_out > 0) {
    trouble = fmt::format("{} files were left out: links, or more than is kept", updated->left_out);
  }
  bool is_news = false;
  {
    const std::lock_guard lock(mutex_);
    const auto found = living_.find(id);
    if (found == living_.end()) return;
    is_news = found->second.trouble != trouble;
    found->second.trouble = std::move(trouble);
  }
  if (is_news && !updated) Report(id, updated.error());
}

void SessionArchive::Ended(const SessionInfo& info, const Fd& workspace) {
  if (!info.ended_by_caller) Used(info.id, workspace, nullptr);
  Living last;
  {
    const std::lock_guard lock(mutex_);
    const auto found = living_.find(info.id);
    if (found == living_.end()) return;
    last = std::move(found->second);
    living_.erase(found);
  }
  const auto noted =
      log_.Append(EntryFor(info, {{"state", "ended"}, {"reason", info.ended_because}}));
  if (!noted) Report(info.id, noted.error());
  SessionRow row = RowOf(info);
  row.ended_ms = ToMs(options_.wall());
  row.reason = info.ended_because;
  row.trouble = last.trouble;
  if (info.ended_by_caller) {
    if (const auto removed = last.mirror->Remove(); !removed) Report(info.id, removed.error());
  } else if (const auto kept = last.mirror->Update(workspace)) {
    row.kept_files = static_cast<std::int64_t>(kept->files);
    row.kept_bytes = static_cast<std::int64_t>(kept->bytes);
  }
  WriteDown({row, info.ended_by_caller ? Fate::kForgotten : Fate::kKept});
  if (!info.ended_by_caller && !gathering_) MakeRoom(info.caller);
  if (options_.on_end) options_.on_end(info);
}

Result<> SessionArchive::Write(const Ending& ending) {
  return ending.fate == Fate::kForgotten ? rows_->Forget(ending.row.id) : rows_->End(ending.row);
}

void SessionArchive::WriteDown(const Ending& ending) {
  if (!gathering_) {
    const auto written = Write(ending);
    if (written) return;
    Report(ending.row.id, written.error());
  }
  const std::lock_guard lock(mutex_);
  if (unwritten_.size() < kMostUnwritten) unwritten_.push_back(ending);
}

// Writes all waiting ends in one transaction, so that the disk is waited for once.
void SessionArchive::WriteWaiting() {
  std::vector<Ending> waiting;
  {
    const std::lock_guard lock(mutex_);
    waiting.swap(unwritten_);
  }
  if (waiting.empty()) return;
  const auto written = database_.Transaction([&]() -> Result<> {
    for (const Ending& ending : waiting) BJ_TRY(Write(ending));
    return {};
  });
  if (written) return;
  const std::lock_guard lock(mutex_);
  unwritten_.insert(unwritten_.end(), waiting.begin(), waiting.end());
}

// Enforces the caller's quota: the oldest sessions lose their files first. The rows of the newest
// thousand stay.
void SessionArchive::MakeRoom(const std::string& caller) {
  const auto rows = rows_->ListEnded(caller);
  if (!rows) return;
  std::uint64_t bytes = 0;
  for (SessionRow row : *rows) {
    bytes += static_cast<std::uint64_t>(row.kept_bytes);
    if (bytes <= options_.bytes_of_one || row.kept_bytes == 0) continue;
    bytes -= static_cast<std::uint64_t>(row.kept_bytes);
    if (const auto removed = RemoveMirror(root_, row.id); !removed) continue;
    row.kept_bytes = row.kept_files = 0;
    row.trouble = fmt::format("its files were removed early: of ended sessions {} bytes are kept",
                              options_.bytes_of_one);
    WriteDown({row, Fate::kKept});
  }
  if (rows->size() < Register::kMostListed) return;
  const auto surplus = rows_->ListEnded(caller, Register::kMostListed);
  if (!surplus) return;
  for (const SessionRow& row : *surplus) Drop(row);
}

void SessionArchive::Drop(const SessionRow& row) {
  if (RemoveMirror(root_, row.id)) static_cast<void>(rows_->Forget(row.id));
}

std::int64_t SessionArchive::TrustedNowMs() const {
  const auto passed = options_.steady() - start_steady_;
  return start_wall_ms_ + std::chrono::duration_cast<milliseconds>(passed).count();
}

void SessionArchive::Sweep() {
  WriteWaiting();
  const auto due = rows_->EndedBefore(TrustedNowMs() - keep_s_ * 1000);
  if (!due) return;  // tried again in a second
  for (const SessionRow& row : *due) Drop(row);
}

Result<SessionRow> SessionArchive::Find(const std::string& caller, const std::string& handle) {
  auto row = BJ_TRY(rows_->FindEnded(caller, handle));
  if (!row) row = BJ_TRY(rows_->FindEndedNamed(caller, handle));
  if (row) return *std::move(row);
  return Error(Kind::kNotFound, fmt::format("there is no session \"{}\"", handle));
}

json::object SessionArchive::ToJson(const SessionRow& row) const {
  json::object workspace = {{"files", row.kept_files},
                            {"bytes", row.kept_bytes},
                            {"kept_until", MsText(row.ended_ms.value_or(0) + keep_s_ * 1000)}};
  if (!row.trouble.empty()) workspace["incomplete"] = row.trouble;
  json::object object = {{"id", row.id},
                         {"lang", row.lang},
                         {"image", row.image},
                         {"state", "ended"},
                         {"reason", row.reason},
                         {"created", MsText(row.created_ms)},
                         {"last_used", MsText(row.last_used_ms)},
                         {"ended", MsText(row.ended_ms.value_or(0))},
                         {"runs", row.runs},
                         {"workspace", std::move(workspace)}};
  if (!row.name.empty()) object["name"] = row.name;
  if (!row.backend.empty()) object["backend"] = row.backend;  // empty in rows of older versions
  if (row.wall_ms && row.cpu_ms) {
    object["usage"] = {{"wall_ms", *row.wall_ms}, {"cpu_ms", *row.cpu_ms}};
  }
  return object;
}

Result<json::object> SessionArchive::Show(const std::string& caller, const std::string& handle) {
  return ToJson(BJ_TRY(Find(caller, handle)));
}

Result<json::array> SessionArchive::List(const std::string& caller) {
  json::array all;
  for (const SessionRow& row : BJ_TRY(rows_->ListEnded(caller))) all.push_back(ToJson(row));
  return all;
}

Result<> SessionArchive::WithFiles(const std::string& caller, const std::string& handle,
                                   const std::function<Result<>(const Fd&)>& use) {
  const SessionRow row = BJ_TRY(Find(caller, handle));
  const Fd tree = BJ_TRY(OpenMirror(root_, row.id));
  return use(tree);
}

Result<> SessionArchive::Forget(const std::string& caller, const std::string& id) {
  const SessionRow row = BJ_TRY(Find(caller, id));
  if (row.id != id) {
    return Error(
        Kind::kNotFound,
        fmt::format("session \"{}\" has ended: what is kept of it is removed by its id, {}", id,
                    row.id));
  }
  BJ_TRY(RemoveMirror(root_, row.id));
  return rows_->Forget(row.id);
}

}  // namespace belljar::run
