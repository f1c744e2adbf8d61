#include "record/verify.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <thread>

#include "foundation/base/sys.h"
#include "record/files.h"
#include "record/log.h"

namespace belljar::record {
namespace {

constexpr int kAttempts = 6;
constexpr auto kBetweenAttempts = std::chrono::milliseconds(200);
constexpr auto kDatabaseMayLag = std::chrono::seconds(3);

// Whether a process has the log open for writing.
bool IsBeingWritten(const std::string& dir) {
  const auto opened = Open(dir, O_RDONLY | O_DIRECTORY);
  if (!opened) return false;
  if (::flock(opened->get(), LOCK_SH | LOCK_NB) == 0) return false;
  return errno == EWOULDBLOCK;
}

void CheckKey(const std::string& dir, const LogView& view, std::optional<Finding>& first) {
  const auto line = ReadLine(dir + "/key");
  // A user who may read the log need not have access to the private key.
  if (!line && line.error().sys() == EACCES) return;
  const auto key = line ? SigningKey::Parse(*line) : Result<SigningKey>(line.error());
  if (!key) return Note(first, {{}, "key: " + key.error().message()});
  if (key->verifier() != view.key) {
    Note(first, {{}, "key and key.pub do not belong together"});
  }
}

// Our own checkpoint has exactly one signature line and nothing else after it.
void CheckNote(const LogView& view, std::optional<Finding>& first) {
  if (std::count(view.note.begin(), view.note.end(), '\n') != 5) {
    Note(first, {{}, "checkpoint: it has lines that the log did not write"});
  }
}

// Checks a tile that the checkpoint does not need. An interrupted or just completed fold leaves
// such tiles; their content must be part of the log or of the records that come next.
void CheckSpareTile(const std::string& dir, const TileName& name, const LogView& view,
                    const Moment& moment, std::optional<Finding>& first) {
  const unsigned shift = name.level <= 0 ? 0 : 8 * static_cast<unsigned>(name.level);
  const std::uint64_t row = view.checkpoint.size >> shift;
  const std::uint64_t begin = name.number * kTileWidth;
  const bool within = begin + name.width <= row;
  if (!within) {
    if (view.pending.empty() && !moment.in_use) {
      Note(first, {view.size(), TilePath(name) + " is not of a log of this size"});
    }
    return;
  }
  const TileReader reader(dir);
  const auto width = static_cast<std::size_t>(std::min<std::uint64_t>(row - begin, kTileWidth));
  const auto spare = ReadFile(dir + "/" + TilePath(name), kTileWidth * (kMaxEntryBytes + 2));
  const auto whole = reader.Read({name.level, name.number, width});
  const bool whole_hashes =
      spare && (name.level == TileName::kEntries || spare->size() == name.width * sizeof(Hash));
  if (whole_hashes && whole && whole->bytes.starts_with(*spare) && !spare->empty()) return;
  Note(first, {begin << shift, TilePath(name) + " is not a part of the tile that replaced it"});
}

void CheckNames(const std::string& dir, const LogView& view, const Moment& moment,
                std::optional<Finding>& first) {
  const std::vector<TileName> tiles = TilesOf(view.checkpoint.size);
  const std::set<TileName> needed(tiles.begin(), tiles.end());
  const std::set<std::string> plain = {"checkpoint", "key", "key.pub", "pending-a", "pending-b"};
  std::error_code error;
  for (auto it = std::filesystem::recursive_directory_iterator(dir, error);
       !error && it != std::filesystem::recursive_directory_iterator(); it.increment(error)) {
    if (it->is_directory(error)) continue;
    const std::string path = it->path().native().substr(dir.size() + 1);
    const auto name = ParseTilePath(path);
    if (plain.contains(path) || (name && needed.contains(*name))) continue;
    if (name) {
      CheckSpareTile(dir, *name, view, moment, first);
    } else if (!path.ends_with(kUnfinished) || (view.pending.empty() && !moment.in_use)) {
      Note(first, {{}, path + " is not a file of the log"});
    }
  }
  if (error) Note(first, {{}, fmt::format("{} cannot be read: {}", dir, error.message())});
}

void CheckCopy(SearchCopy& copy, std::optional<Finding>& first) {
  const auto said = copy.CheckStructure();
  if (!said) return Note(first, {{}, "the database cannot be checked: " + said.error().message()});
  if (!said->empty()) Note(first, {{}, "the database is damaged: " + *said});
}

// Waits until the database has caught up with the log, or the time for that has passed.
Result<Moment> CatchMoment(const std::string& dir, SearchCopy& copy) {
  Moment moment;
  moment.in_use = IsBeingWritten(dir);
  const auto now = moment.in_use ? ReadLog(dir) : Result<LogView>(Error(Kind::kNotFound, ""));
  moment.required = now ? now->size() : 0;
  const auto until = std::chrono::steady_clock::now() + kDatabaseMayLag;
  while (true) {
    moment.extent = BJ_TRY(copy.Extent());
    if (moment.extent >= moment.required || std::chrono::steady_clock::now() > until) return moment;
    std::this_thread::sleep_for(kBetweenAttempts / 10);
  }
}

VerifyReport VerifyOnce(const std::string& dir, const std::string& database,
                        const std::string& log) {
  VerifyReport report;
  // The database is read first: every row it has then must be in the log, which is read after it.
  auto copy = SearchCopy::OpenToRead(database, log);
  auto moment = copy ? CatchMoment(dir, **copy) : Result<Moment>(copy.error());
  const auto view = ReadLog(dir);
  if (!view) {
    report.first_bad = {0, "no record is proven: " + view.error().message()};
    return report;
  }
  report.log = view->key.name();
  report.records = view->size();
  report.signed_records = view->checkpoint.size;
  std::optional<Finding>& first = report.first_bad;
  if (moment && !moment->in_use) moment->required = view->indexed();
  const Moment known = moment ? *moment : Moment{};
  first = WalkRecords(dir, *view, moment ? copy->get() : nullptr, known, report.notes);
  for (const std::string& problem : view->problems) Note(first, {view->size(), problem});
  if (!moment) Note(first, {{}, "the database cannot be read: " + moment.error().message()});
  CheckKey(dir, *view, first);
  CheckNote(*view, first);
  CheckNames(dir, *view, known, first);
  if (moment) CheckCopy(**copy, first);
  return report;
}

}  // namespace

void Note(std::optional<Finding>& first, Finding next) {
  if (!first || (next.index && (!first->index || *next.index < *first->index))) {
    first = std::move(next);
  }
}

Result<VerifyReport> Verify(const std::string& state_dir, const std::string& database) {
  const std::string dir = state_dir + "/audit";
  if (::access(dir.c_str(), R_OK | X_OK) != 0) {
    return SysError("there is no audit log that can be read: open", dir, errno);
  }
  for (int attempt = 1;; ++attempt) {
    const auto line = ReadLine(dir + "/key.pub");
    const auto key = line ? VerifierKey::Parse(*line) : Result<VerifierKey>(line.error());
    VerifyReport report = VerifyOnce(dir, DatabaseOf(state_dir, database), key ? key->name() : "");
    // An apparent problem in a log that is in use may be a moment between two steps of the writer:
    // check again.
    if (!report.first_bad || attempt == kAttempts || !IsBeingWritten(dir)) return report;
    std::this_thread::sleep_for(kBetweenAttempts);
  }
}

}  // namespace belljar::record
