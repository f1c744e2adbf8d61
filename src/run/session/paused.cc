#include "run/session/paused.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "foundation/base/sys.h"
#include "request/request_json.h"

namespace belljar::run {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::system_clock;

constexpr char kRecord[] = "/session.json";
constexpr char kContainer[] = "/container";
constexpr char kFiles[] = "/files";
constexpr std::string_view kHalf = ".half";
constexpr std::string_view kGone = ".gone";
constexpr std::size_t kMaxRecordBytes = 80 << 20;  // a request with its first files

std::int64_t Millis(system_clock::time_point time) {
  return std::chrono::duration_cast<milliseconds>(time.time_since_epoch()).count();
}

system_clock::time_point Time(const json::value& millis) {
  return system_clock::time_point(milliseconds(millis.to_number<std::int64_t>()));
}

json::value Budget(const std::optional<milliseconds>& budget) {
  return budget ? json::value(budget->count()) : json::value(nullptr);
}

std::optional<milliseconds> ReadBudget(const json::value& budget) {
  if (budget.is_null()) return std::nullopt;
  return milliseconds(budget.to_number<std::int64_t>());
}

std::string Text(const json::value& value) { return std::string(value.as_string()); }

// Parses a record that Belljar wrote itself, in a directory that others cannot write to, so values
// are not validated.
PausedSession FromJson(const json::object& object, request::Request shape) {
  PausedSession session;
  session.wish.name = session.info.name = Text(object.at("name"));
  session.wish.shape = std::move(shape);
  session.wish.idle = milliseconds(object.at("idle_ms").to_number<std::int64_t>());
  session.wish.wall_budget = ReadBudget(object.at("wall_budget_ms"));
  session.wish.cpu_budget = ReadBudget(object.at("cpu_budget_ms"));
  session.info.id = Text(object.at("id"));
  session.info.caller = Text(object.at("caller"));
  session.info.lang = session.wish.shape.lang;
  session.info.image = session.wish.shape.image;
  session.info.backend = request::BackendKind::kGvisor;  // only gVisor sessions can be paused
  session.info.level = session.wish.shape.level;
  session.info.state = SessionState::kPaused;
  session.info.created = Time(object.at("created_ms"));
  session.info.last_used = Time(object.at("last_used_ms"));
  session.info.runs = object.at("runs").to_number<std::uint64_t>();
  session.info.wall_used = milliseconds(object.at("wall_ms").to_number<std::int64_t>());
  session.info.cpu_used = milliseconds(object.at("cpu_ms").to_number<std::int64_t>());
  session.network_revoked = object.at("network_revoked").as_bool();
  session.runs = object.at("interpreter_runs").to_number<std::uint64_t>();
  session.uid = object.at("uid").to_number<std::uint32_t>();
  session.tree = Text(object.at("tree"));
  session.bytes = object.at("bytes").to_number<std::uint64_t>();
  return session;
}

Result<> Sync(const std::string& path) {
  const Fd dir = BJ_TRY(Open(path, O_RDONLY | O_DIRECTORY));
  BJ_TRY(Check("syncfs", path, [&] { return ::syncfs(dir.get()); }));
  return {};
}

Result<> MakeDir(const std::string& path) {
  std::error_code failed;
  fs::create_directories(path, failed);
  if (failed) return SysError("mkdir", path, failed.value());
  return {};
}

Result<> Rename(const std::string& from, const std::string& to) {
  BJ_TRY(Check("rename", to, [&] { return ::rename(from.c_str(), to.c_str()); }));
  return {};
}

void RemoveAll(const std::string& path) {
  std::error_code ignored;
  fs::remove_all(path, ignored);
}

Result<> Write(const std::string& half, const PausedSession& session, snapshot::Store& trees,
               const std::string& tree) {
  BJ_TRY(MakeDir(half + kFiles));
  const Fd files = BJ_TRY(Open(half + kFiles, O_RDONLY | O_DIRECTORY));
  BJ_TRY(trees.Export(tree, files));
  const Fd record = BJ_TRY(Open(half + kRecord, O_WRONLY | O_CREAT | O_EXCL, 0600));
  return WriteAll(record, json::serialize(ToJson(session)), "a paused session");
}

// Completes a session's directory and renames it without ".half", which makes it valid.
Result<> Finish(const std::string& half, const std::string& place, const SavedMemory& memory) {
  BJ_TRY(memory.container->MoveTo(half + kContainer));
  BJ_TRY(Sync(half));
  BJ_TRY(Rename(half, place));
  return Sync(place);
}

}  // namespace

json::object ToJson(const PausedSession& session) {
  const SessionInfo& info = session.info;
  const SessionWish& wish = session.wish;
  json::object shape = request::ToJson(wish.shape);
  shape["code"] = "";
  return {{"id", info.id},
          {"name", info.name},
          {"caller", info.caller},
          {"created_ms", Millis(info.created)},
          {"last_used_ms", Millis(info.last_used)},
          {"runs", info.runs},
          {"wall_ms", info.wall_used.count()},
          {"cpu_ms", info.cpu_used.count()},
          {"idle_ms", wish.idle.count()},
          {"wall_budget_ms", Budget(wish.wall_budget)},
          {"cpu_budget_ms", Budget(wish.cpu_budget)},
          {"shape", std::move(shape)},
          {"network_revoked", session.network_revoked},
          {"interpreter_runs", session.runs},
          {"uid", session.uid},
          {"tree", session.tree},
          {"bytes", session.bytes}};
}

Result<PausedSession> ReadPaused(std::string_view text) {
  const json::value value = BJ_TRY(ParseJson(text));
  try {
    const json::object& object = value.as_object();
    auto shape = BJ_TRY(request::ParseRequest(json::serialize(object.at("shape")), {}));
    return FromJson(object, std::move(shape));
  } catch (const std::exception& error) {
    return Error(Kind::kInvalid, fmt::format("a paused session cannot be read: {}", error.what()));
  }
}

Paused::Paused(const std::string& state_dir, const PausedBounds& bounds)
    : place_(state_dir + "/paused"), bounds_(bounds) {
  Load();
}

void Paused::Load() {
  std::error_code failed;
  std::vector<std::string> half;
  for (const auto& dir : fs::directory_iterator(place_, failed)) {
    const std::string path = dir.path();
    if (path.ends_with(kHalf) || path.ends_with(kGone)) {
      half.push_back(path);
      continue;
    }
    LoadOne(path);
  }
  if (failed && failed != std::errc::no_such_file_or_directory) {
    troubles_.push_back(
        fmt::format("the paused sessions in {} cannot be listed ({}): make it "
                    "readable, and start Belljar again",
                    place_, failed.message()));
  }
  for (const std::string& path : half) RemoveAll(path);
}

// A directory that cannot be used is left in place, so that the operator may repair it.
void Paused::LoadOne(const std::string& path) {
  const auto text = ReadFile(path + kRecord, kMaxRecordBytes);
  auto session = text ? ReadPaused(*text) : Result<PausedSession>(text.error());
  if (session && PlaceOf(session->info.id) != path) {
    session = Error(Kind::kInvalid, "it is of another session");
  }
  if (session) {
    sessions_.emplace(session->info.id, *session);
    return;
  }
  troubles_.push_back(
      fmt::format("{}{} is no paused session that can be resumed ({}): put the file "
                  "back as it was and start Belljar again, or remove {}",
                  path, kRecord, session.error().message(), path));
}

Result<> Paused::CheckRoom(const std::string& caller, std::uint64_t bytes) const {
  std::size_t count = 0;
  for (const auto& [id, session] : sessions_) {
    if (session.info.caller != caller) continue;
    ++count;
    bytes += session.bytes;
  }
  if (count < bounds_.sessions && bytes <= bounds_.bytes) return {};
  return Error(Kind::kExhausted,
               fmt::format("{} may have {} paused sessions, of {} MiB together: delete one first",
                           caller, bounds_.sessions, bounds_.bytes >> 20));
}

Result<> Paused::Keep(const PausedSession& session, const SavedMemory& memory,
                      snapshot::Store& trees, const std::string& tree) {
  const std::string place = PlaceOf(session.info.id);
  const std::string half = place + std::string(kHalf);
  const std::lock_guard one_at_a_time(keeping_);
  {
    const std::lock_guard lock(mutex_);
    BJ_TRY(CheckRoom(session.info.caller, session.bytes));
  }
  BJ_TRY(MakeDir(place_));
  auto done = Write(half, session, trees, tree);
  if (done) done = Finish(half, place, memory);
  if (!done) {
    RemoveAll(half);
    RemoveAll(place);
    return done;
  }
  const std::lock_guard lock(mutex_);
  sessions_[session.info.id] = session;
  return {};
}

std::optional<PausedSession> Paused::Find(const std::string& caller,
                                          const std::string& handle) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, session] : sessions_) {
    if (session.info.caller != caller) continue;
    if (id == handle || (!handle.empty() && session.info.name == handle)) return session;
  }
  return std::nullopt;
}

std::vector<SessionInfo> Paused::List(const std::string& caller) const {
  const std::lock_guard lock(mutex_);
  std::vector<SessionInfo> infos;
  for (const auto& [id, session] : sessions_) {
    if (session.info.caller == caller) infos.push_back(session.info);
  }
  return infos;
}

Result<SavedMemory> Paused::Memory(const PausedSession& session) const {
  SavedMemory memory;
  memory.backend = request::BackendKind::kGvisor;
  memory.runs = session.runs;
  auto container = std::make_shared<SavedContainer>(PlaceOf(session.info.id) + kContainer,
                                                    SavedContainer::Fate::kStays);
  container->Keep({BJ_TRY(container->Open()), session.uid, session.tree});
  memory.bytes = container->bytes();
  memory.container = std::move(container);
  return memory;
}

Result<std::string> Paused::Files(const PausedSession& session, snapshot::Store& trees) const {
  const Fd dir = BJ_TRY(Open(PlaceOf(session.info.id) + kFiles, O_RDONLY | O_DIRECTORY));
  return trees.Import(dir);
}

// Renames the directory before deleting it, so that a partial deletion never looks like a session.
void Paused::Remove(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    sessions_.erase(id);
  }
  const std::string gone = PlaceOf(id) + std::string(kGone);
  if (Rename(PlaceOf(id), gone)) RemoveAll(gone);
}

}  // namespace belljar::run
