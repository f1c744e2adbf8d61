// Sessions: every living session of this process, each with its owner.
//
// A caller sees and touches its own sessions only; another's are not found, as if they were not
// there. In a session one run goes on at a time, and others wait their turn in order, a bounded
// number of them. A session ends by being ended, by its program's exit, by a run that had to be
// killed, by a budget that is used up, or by lying idle for too long; a watchdog looks every
// second. What has ended is remembered for a while, with the reason, so that nobody has to guess
// where a session went.
//
// Checkpoints (sessions_checkpoints.cc) take a turn as runs do: interpreter and workspace are saved
// together, and whatever is restored starts in a cell of its own. A run that had to be killed is
// followed by the newest checkpoint, if there is one.
//
// Thread-safe. The engine, the trees and the witness must outlive this.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "engine/engine.h"
#include "engine/live_session.h"
#include "engine/session_witness.h"
#include "snapshot/store.h"

namespace belljar::engine {

// What a caller asks for when it makes a session.
struct SessionWish {
  std::string name;       // optional; another handle, unique among the caller's sessions
  policy::Request shape;  // language, image, limits, environment, first files
  std::chrono::milliseconds idle{15 * 60 * 1000};        // time to live between runs
  std::optional<std::chrono::milliseconds> wall_budget;  // of all runs together
  std::optional<std::chrono::milliseconds> cpu_budget;
  std::shared_ptr<void> holds;              // let go of when the session has gone
  std::string correlation_id, traceparent;  // the caller's own marks
};

enum class SessionState { kIdle, kRunning, kPaused, kEnded };
std::string_view SessionStateName(SessionState state);

struct SessionInfo {
  std::string id;
  std::string name;
  std::string caller;
  policy::Lang lang = policy::Lang::kPython;
  std::string image;
  policy::BackendKind backend = policy::BackendKind::kNative;
  std::string level;  // as it was asked for; empty: the policy's
  SessionState state = SessionState::kIdle;
  std::string ended_because;  // one sentence, once it has ended
  bool ended_by_caller = false;
  std::chrono::system_clock::time_point created;
  std::chrono::system_clock::time_point last_used;
  std::uint64_t runs = 0;
  std::chrono::milliseconds wall_used{0};
  std::chrono::milliseconds cpu_used{0};
  std::string correlation_id, traceparent;  // of the request that made it, or ended it
};

// A point that a session can go back to, and that others can start from.
struct CheckpointInfo {
  std::string id;
  std::chrono::system_clock::time_point created;
  std::uint64_t runs = 0;          // the session's, by then
  std::uint64_t memory_bytes = 0;  // of the interpreter
  std::uint64_t file_bytes = 0;    // of the workspace
  std::size_t files = 0;
};

struct SessionBounds {
  std::size_t sessions = 5'000;    // living, of all callers
  std::size_t waiting_runs = 16;   // per session
  std::size_t remembered = 1'000;  // ended ones
  std::size_t checkpoints = 32;    // per session
  std::size_t branches = 100;      // of one fork
};

class Paused;
struct PausedSession;

class Sessions {
 public:
  // `witness` may be null.
  Sessions(Engine& engine, snapshot::Store& trees, const SessionBounds& bounds,
           SessionWitness* witness);
  ~Sessions();  // ends all

  Result<SessionInfo> Create(const std::string& caller, SessionWish wish);
  std::vector<SessionInfo> List(const std::string& caller);
  Result<SessionInfo> Show(const std::string& caller, const std::string& handle);

  // What a session was made with.
  Result<policy::Request> Shape(const std::string& caller, const std::string& handle);

  // Waits for its turn, then runs. A caller that goes away while it waits is not run at all.
  Result<result::RunResult> Run(const std::string& caller, const std::string& handle,
                                engine::Run& run);
  // Interrupts the run that is going on. None is an error.
  Result<> Interrupt(const std::string& caller, const std::string& handle);
  // Takes its network away, while a run goes on or not.
  Result<> RevokeNetwork(const std::string& caller, const std::string& handle);
  // The same for tools or databases.
  Result<> RevokeCalls(const std::string& caller, const std::string& handle, Called what);
  // `by` has the marks of the request that wants it, if it has any: its end is told with them.
  Result<> End(const std::string& caller, const std::string& handle, const Origin& by = {});

  Result<CheckpointInfo> Checkpoint(const std::string& caller, const std::string& handle);
  // Oldest first.
  Result<std::vector<CheckpointInfo>> Checkpoints(const std::string& caller,
                                                  const std::string& handle);
  Result<> DropCheckpoint(const std::string& caller, const std::string& handle,
                          const std::string& checkpoint);
  // An error has changed nothing.
  Result<SessionInfo> Rollback(const std::string& caller, const std::string& handle,
                               const std::string& checkpoint);
  // One new session for each of `holds` (SessionWish::holds), all or none.
  Result<std::vector<SessionInfo>> Fork(const std::string& caller, const std::string& handle,
                                        const std::vector<std::shared_ptr<void>>& holds);

  // Puts a session aside, on disk: it takes no memory any more, and is still there when this
  // process is not. It has the same id when it goes on. An error has changed nothing.
  Result<SessionInfo> Pause(const std::string& caller, const std::string& handle);
  // `admit` says whether the caller may have such a session now: what it returns is
  // SessionWish::holds.
  using Admit = std::function<Result<std::shared_ptr<void>>(const policy::Request& shape)>;
  Result<SessionInfo> Resume(const std::string& caller, const std::string& handle,
                             const Admit& admit);

  // Lets `use` work on the workspace; the session cannot go away meanwhile.
  Result<> WithWorkspace(const std::string& caller, const std::string& handle,
                         const std::function<Result<>(const Fd&)>& use);

  std::size_t living();
  // What was paused and cannot be used any more: sentences for who runs this.
  const std::vector<std::string>& Troubles() const;

 private:
  struct Entry;
  struct Kept;
  class Turn;
  class Quiet;
  class Claim;
  using KeptPtr = std::shared_ptr<const Kept>;
  using EntryPtr = std::shared_ptr<Entry>;

  Result<EntryPtr> NewEntry(const std::string& caller, const SessionWish& wish,
                            std::unique_ptr<LiveSession> live);
  Result<> Publish(std::span<const EntryPtr> fresh);
  Result<> Register(std::span<const EntryPtr> fresh);
  // An error of what was done to a session, or, if that has ended meanwhile, that it has.
  Error UnlessEnded(const Entry& entry, Error error);
  Result<EntryPtr> Find(const std::string& caller, const std::string& handle);
  Result<> TakeTurn(Entry& entry, const Requester& requester);
  void EndTurn(Entry& entry);
  Result<result::RunResult> RunNow(Entry& entry, engine::Run& run);
  std::uint64_t HeldBySaved(const Entry& entry);
  std::shared_ptr<LiveSession> Owned(std::unique_ptr<LiveSession> live);
  Result<KeptPtr> Save(Entry& entry);
  PausedSession RecordOf(const Entry& entry, const Kept& kept);
  bool PutAside(Entry& entry);
  Result<> EndPaused(const PausedSession& session);
  Result<> Witness(const SessionInfo& info, Turning what);
  Result<EntryPtr> ResumePaused(const PausedSession& record, const SessionWish& wish);
  bool HasLostNetwork(Entry& entry);
  Result<> CopyRevocations(Entry& from, Entry& to);
  Result<> KeepLost(Entry& entry);
  Result<std::unique_ptr<LiveSession>> Resume(Entry& entry, const Kept& kept,
                                              snapshot::Memory& files_seen, guest::RestoreAs as);
  Result<> Replace(Entry& entry, const Kept& kept);
  Result<EntryPtr> Branch(Entry& entry, const Kept& kept, std::shared_ptr<void> holds);
  Result<std::vector<EntryPtr>> Branches(Entry& entry, const Kept& kept,
                                         const std::vector<std::shared_ptr<void>>& holds);
  Result<KeptPtr> FindCheckpoint(Entry& entry, const std::string& id);
  std::optional<std::string> RestoreNewest(Entry& entry, const Result<result::RunResult>& result);
  std::optional<std::string> RollBackByPolicy(Entry& entry, const engine::Run& run,
                                              Result<result::RunResult>& result);
  Result<> CheckRoom(std::size_t more);
  void Account(Entry& entry, const result::RunResult& result);
  bool Detach(Entry& entry, const std::string& because);
  void Close(const EntryPtr& entry, const std::string& because);
  void CloseAll(const std::vector<EntryPtr>& all, const std::string& because);
  void TearDown(const Entry& entry);
  using Seen = std::optional<result::Listing>;  // of the workspace, where somebody has just looked
  void NotifyObserver(const Entry& entry, const LiveSession& live, const Seen& seen = {});
  static std::optional<std::string> WhyRunEnds(const Entry& entry,
                                               const Result<result::RunResult>& result);
  static std::optional<std::string> WhyIdleEnds(const Entry& entry);
  void Watch(const std::stop_token& stop);
  void EndIdle();

  Engine& engine_;
  snapshot::Store& trees_;
  SessionBounds bounds_;
  SessionWitness* const witness_;
  const std::unique_ptr<Paused> paused_;
  std::mutex mutex_;
  std::condition_variable changed_;          // a turn has ended
  std::condition_variable_any watch_;        // only ever woken by the end
  std::map<std::string, EntryPtr> entries_;  // by id, living
  std::list<SessionInfo> ended_;             // newest first
  std::set<std::string> resuming_;           // ids of paused ones
  std::jthread watchdog_;
};

}  // namespace belljar::engine
