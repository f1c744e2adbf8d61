// SessionArchive: the register rows and workspace files that outlive a session.
//
// Sessions are entered in the register before their creators get them, and their workspaces are
// mirrored to STATE/workspaces (mirror.h). When a session ends without a request by its caller
// (idle timeout, kill, exit of its program, shutdown of the daemon), its row and files can be shown
// and read for a configured time and are then removed. When a caller ends its own session, living
// or not, row and files are removed at once.
//
// Open() finds sessions left by a daemon that was killed, and marks them as ended for that reason.
//
// Each caller has a quota for ended sessions: a number of bytes, and a thousand sessions. Beyond
// it, the caller's oldest sessions are removed first. A failed copy of the workspace, for lack of
// space perhaps, does not affect runs; it is tried again after the next run, and the session's
// description says what is missing. An end that cannot be written to the database is retried every
// second.
//
// Time: setting the clock never expires a session early. Expiry uses the wall clock time at the
// daemon's start plus the steady clock's time since then.
//
// Thread-safe. Log and database must outlive it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/json.h"
#include "record/log.h"
#include "run/session/info.h"
#include "run/session/mirror.h"
#include "run/session/register.h"

namespace belljar::run {

struct ArchiveOptions {
  std::string state_dir;
  std::chrono::seconds keep{24 * 3600};     // retention of ended sessions and workspaces
  std::uint64_t bytes_of_one = 1ULL << 30;  // quota of ended sessions, per caller
  std::function<void(const std::string& id, const Error&)> on_trouble;
  std::function<void(const SessionInfo&)> on_end;
  std::function<std::chrono::system_clock::time_point()> wall = std::chrono::system_clock::now;
  std::function<std::chrono::steady_clock::time_point()> steady = std::chrono::steady_clock::now;
};

// Changes of a session's state, other than its end.
enum class Turning {
  kPaused,
  kResumed,
  kDropped,  // removed while it was paused
};

class SessionArchive {
 public:
  static Result<std::unique_ptr<SessionArchive>> Open(ArchiveOptions options, record::Log& log,
                                                      storage::Database& database);

  // Called before new sessions, created together, are given to the caller. On an error none is
  // registered.
  Result<> Began(std::span<const SessionInfo> infos);
  // Called before the change takes place; an error prevents it.
  Result<> Turns(const SessionInfo& info, Turning what);
  // Called after a run, before its answer, and after a caller has changed files. `seen`: the
  // listing of the workspace if known; may be null. The caller must not hold a lock.
  void Used(const std::string& id, const Fd& workspace, const Listing* seen);
  // Called once per session, when its processes have been killed and its workspace still exists.
  void Ended(const SessionInfo& info, const Fd& workspace);

  // The number of sessions found at Open() that a previous daemon left without an end.
  std::size_t orphans() const { return orphans_; }
  void SetKeep(std::chrono::seconds keep) { keep_s_ = keep.count(); }

  // Ended sessions of a caller; kNotFound where there is none. For reading, a name stands for the
  // latest session with that name. Forget() takes an id only, because a repeated call by name would
  // remove an older session as well.
  Result<json::object> Show(const std::string& caller, const std::string& handle);
  Result<json::array> List(const std::string& caller);
  Result<> WithFiles(const std::string& caller, const std::string& handle,
                     const std::function<Result<>(const Fd&)>& use);
  // Removes row and files now.
  Result<> Forget(const std::string& caller, const std::string& id);

  // Batches the ends of all sessions at shutdown: rows are written by the next Sweep().
  void Gather() { gathering_ = true; }
  // One round of the periodic work, run every second: removes expired sessions and retries failed
  // writes.
  void Sweep();

 private:
  enum class Fate { kKept, kForgotten };
  struct Ending {
    SessionRow row;
    Fate fate;
  };

  SessionArchive(ArchiveOptions options, record::Log& log, Fd root, storage::Database& database,
                 std::unique_ptr<Register> rows);
  Result<> AdoptOrphans();
  SessionRow Orphan(SessionRow row);
  Result<> RemoveStrays();
  Result<SessionRow> Find(const std::string& caller, const std::string& handle);
  json::object ToJson(const SessionRow& row) const;
  Result<> Write(const Ending& ending);
  void WriteDown(const Ending& ending);
  void WriteWaiting();
  void MakeRoom(const std::string& caller);
  void Drop(const SessionRow& row);
  std::int64_t TrustedNowMs() const;
  std::shared_ptr<Mirror> MirrorOf(const std::string& id);
  void Report(const std::string& id, const Error& error) const;

  const ArchiveOptions options_;
  record::Log& log_;
  const Fd root_;
  storage::Database& database_;
  const std::unique_ptr<Register> rows_;
  const std::int64_t start_wall_ms_;
  const std::chrono::steady_clock::time_point start_steady_;
  std::size_t orphans_ = 0;
  std::atomic<std::int64_t> keep_s_;
  std::atomic<bool> gathering_{false};

  std::mutex mutex_;
  struct Living {
    std::shared_ptr<Mirror> mirror;  // shared: a run may be copying while its session ends
    std::string trouble;
  };
  std::map<std::string, Living> living_;
  std::vector<Ending> unwritten_;
  std::condition_variable_any wake_;
  std::jthread sweeper_;  // last: it uses all of the above
};

}  // namespace belljar::run
