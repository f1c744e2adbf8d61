// SessionArchive: what is left of a session when it has ended, whatever ended it.
//
// Sessions are entered in the register before they are given out, and their workspaces are mirrored
// to STATE/workspaces (keep/mirror.h). When one ends without its caller having asked for it (idle,
// killed, its program's exit, the end of the daemon) its row and its files stay for a stated time,
// to be shown and read, and are then removed. A caller that ends its session, living or not, has
// done with it: all goes at once.
//
// Opening finds the sessions of a daemon that was killed: they are marked as ended, by that.
//
// What one caller leaves behind is bounded, to some bytes and a thousand sessions: beyond them its
// own oldest go first. A copy that fails, for want of room perhaps, harms no run; it is tried again
// at the next, and what is shown of the session says what is missing. An end that cannot be written
// down is tried again every second.
//
// Time: a session is never forgotten early because a clock was set. What decides is the time at the
// start of the daemon and the time that has passed since, by a clock that nobody sets.
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
  std::chrono::seconds keep{24 * 3600};     // ended sessions and their workspaces
  std::uint64_t bytes_of_one = 1ULL << 30;  // of ended sessions, for each caller
  std::function<void(const std::string& id, const Error&)> on_trouble;
  std::function<void(const SessionInfo&)> on_end;
  std::function<std::chrono::system_clock::time_point()> wall = std::chrono::system_clock::now;
  std::function<std::chrono::steady_clock::time_point()> steady = std::chrono::steady_clock::now;
};

// What can become of a session besides its end.
enum class Turning {
  kPaused,
  kResumed,
  kDropped,  // removed while it was paused
};

class SessionArchive {
 public:
  static Result<std::unique_ptr<SessionArchive>> Open(ArchiveOptions options, record::Log& log,
                                                      storage::Database& database);

  // Before sessions that came into being together are given out. An error takes all back.
  Result<> Began(std::span<const SessionInfo> infos);
  // Before it is done. An error prevents it.
  Result<> Turns(const SessionInfo& info, Turning what);
  // After a run and before its answer, and after a caller has changed the files. `seen`: what is in
  // the workspace, where that is known; may be null. No lock of the caller's is held.
  void Used(const std::string& id, const Fd& workspace, const Listing* seen);
  // Once for each session; its processes have been killed, its workspace is still there.
  void Ended(const SessionInfo& info, const Fd& workspace);

  // Sessions that were found to have ended with a daemon before this one.
  std::size_t orphans() const { return orphans_; }
  void SetKeep(std::chrono::seconds keep) { keep_s_ = keep.count(); }

  // Ended sessions of a caller, as they are shown; kNotFound where there is none. A name stands for
  // the latest that was given it, but only to look: what is kept is forgotten by its id, since a
  // call that is sent twice would else remove an older one as well.
  Result<json::object> Show(const std::string& caller, const std::string& handle);
  Result<json::array> List(const std::string& caller);
  Result<> WithFiles(const std::string& caller, const std::string& handle,
                     const std::function<Result<>(const Fd&)>& use);
  // Removes row and files now.
  Result<> Forget(const std::string& caller, const std::string& id);

  // For the end of all sessions at once: what is to be written down waits for the next Sweep().
  void Gather() { gathering_ = true; }
  // One round of what is done every second: forgets what is due, writes down what could not be.
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
