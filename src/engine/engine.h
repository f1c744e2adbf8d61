// Engine: one request in, one result out. Everything a front door needs.
//
// Owns the machinery of one process: images, control groups, the backend and, when asked for, the
// warm pool. Thread-safe; each Run() uses the calling thread until the run has ended.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "approval/approvals.h"
#include "audit/log.h"
#include "base/result.h"
#include "engine/options.h"
#include "guest/wire.h"
#include "image/store.h"
#include "isolate/native/native_backend.h"
#include "monitor/awake.h"
#include "monitor/cgroup.h"
#include "monitor/watch.h"
#include "policy/policy.h"
#include "policy/request.h"
#include "redact/redactor.h"
#include "result/run_result.h"
#include "session/pool.h"

namespace belljar::broker {
class ToolSeat;
}

namespace belljar::engine {

// A run that no caller has asked for as it is: the replay of another one, or a question of our own
// to an interpreter. It has no effects outside of its cell, and who starts it records it.
struct Aside {
  std::shared_ptr<const policy::Policy> policy;  // null: our own, which nobody judges
};

// The code of a request as an interpreter of its image has compiled it. It takes the place of that
// text in that image and of nothing else.
struct CompiledText {
  std::string text;
  std::string image;
  std::string bytes;
};

class ToolTurn;

// What programs call by the socket of tools.
enum class Called { kTools, kDatabases };

// What has been taken away from all runs of a session. Set once, by any thread.
struct RevokedCalls {
  std::atomic<bool> tools{false};
  std::atomic<bool> databases{false};
};

// What a front door wants to hear of while a run goes on.
struct RunHooks {
  std::function<void(result::Stream, std::string_view)> on_output;
  monitor::CancelledBy cancel = monitor::kNeverCancelled;
  std::chrono::milliseconds answer_within{0};  // how long a person's answer is waited for
  std::function<void(const approval::Question&)> on_question;
  // Lends the run's place to others, while it waits for a person, until what it returns is gone.
  std::function<std::shared_ptr<void>()> release_slot;
  std::shared_ptr<const redact::Redactor> redactor;  // of what leaves; the engine's own choice
  std::shared_ptr<const guest::Guard> guard;         // in the interpreter; likewise
  std::map<std::string, std::string> env;            // besides the request's own; likewise
  monitor::Awake* awake = nullptr;  // where a statement is worth it; null: it is not
  std::uint32_t caller_share = 1;   // runs that share one caller's part of the CPUs, with this one
  Origin origin;
  std::optional<Aside> aside;
  std::shared_ptr<const CompiledText> compiled;  // of the request's code; null: there is none
  std::shared_ptr<ToolTurn> tools;               // what the run may call; the engine's own choice
  std::function<void()> on_started;              // called once while it runs; likewise
  std::shared_ptr<const RevokedCalls> revoked;   // shared with its session; null: it has none
};

class Artefacts;
class Asking;
class Tools;
enum class AskInterpreter;
struct Checked;
class Assessment;
class LiveSession;
class SavedContainer;
class Network;
struct Observed;
struct Recorded;
struct Replayed;
struct ReplayNote;
struct SavedMemory;
struct SwitchedOff;

class Engine {
 public:
  // `on_progress` hears of images that are built, now, and brought to a backend, later.
  static Result<std::unique_ptr<Engine>> Create(const Options& options,
                                                const image::OnProgress& on_progress);
  ~Engine();

  Result<result::RunResult> Run(const policy::Request& request, const RunHooks& hooks);
  // The result of a request that is not to run, recorded.
  Result<result::RunResult> Refuse(const policy::Request& request, std::string reason,
                                   const Origin& origin);

  // A cell that lives from run to run; what `asked` says, now with its artefacts' digests, holds.
  Result<std::unique_ptr<LiveSession>> OpenSession(policy::Request& asked);
  // The same with what an earlier one was, in a cell of its own. `prepare` makes the workspace what
  // it was then.
  using Prepare = std::function<Result<>(const Fd& workspace)>;
  Result<std::unique_ptr<LiveSession>> ResumeSession(policy::Request shape,
                                                     const SavedMemory& memory, guest::RestoreAs as,
                                                     const Prepare& prepare);
  // Whether the policy lets a session have what it asks for.
  Result<> JudgeWishes(const policy::Request& shape);
  // The same stages as Run, in a session. One run at a time in each.
  Result<result::RunResult> RunIn(LiveSession& live, policy::Request request,
                                  const RunHooks& hooks);

  // Judges a request and asks the interpreter whether it is a program at all (check.h).
  Result<Checked> Check(const policy::Request& request, AskInterpreter ask);
  // What compiles the code of a request: the build of its image, and all of ours that has a say.
  // Empty where nothing that is compiled can be kept.
  std::string CompilerOf(const policy::Request& request) const;

  // Runs a recorded request again, with a seed, and compares (replay.h).
  Result<Replayed> Replay(const Recorded& recorded, RunHooks hooks);
  // What is to be done about a run of that caller that ended so: nothing, as a rule.
  Result<policy::RecoveryTerms> RecoveryOf(const policy::Request& request,
                                           const std::string& caller, result::Outcome outcome);
  Result<> NoteRecovery(const Origin& origin, const json::object& done);

  // Takes the network of a run away while it goes on: of that caller's, or of anybody's.
  Result<> RevokeNetwork(const std::string& run_id, const std::optional<std::string>& caller);

  // For who has one request to run: its cell is built while it is judged, as those of a pool are
  // before there is any request. It hears nothing before Run(), and nothing at all of what is not
  // to run.
  void Begin(const policy::Request& request);

  // Something begins in a session: cells that nobody waits for are built a little later.
  void StandBack();
  // Builds `count` cells for requests like this one ahead of time.
  Result<> Warm(const policy::Request& request, std::size_t count);

  // Judges what a request would be given, and runs nothing.
  Assessment& assessment();
  Asking& asking();
  Artefacts& artefacts();
  // Takes the tools of a run away while it goes on: of that caller's, or of anybody's.
  Result<> RevokeTools(const std::string& run_id, const std::optional<std::string>& caller);
  Result<> RevokeDatabases(const std::string& run_id, const std::optional<std::string>& caller);
  // Likewise of the run that goes on in a session; later ones know by their hooks.
  Result<> RevokeOfSession(const Origin& session, Called what);
  // What requests are judged by from now on. Calls that it does not allow are given up.
  void SetTerms(Terms terms);

  const monitor::CgroupSupport& cgroups() const;
  const std::string& StateDir() const;
  json::object Layers(policy::BackendKind backend = policy::BackendKind::kNative) const;
  // Makes a backend ready; the error says what it lacks.
  Result<> Require(policy::BackendKind backend);
  // Tries all that its walls may be told; the error says what they do not do.
  Result<> Examine(policy::BackendKind backend);

  // Ends a session's cell, and takes it apart later if there is a pool.
  void End(LiveSession&& session);
  // While held, the pool leaves the machine to whoever takes many of its cells.
  std::unique_ptr<session::WarmPool::Quiet> QuietPool();

 private:
  struct Parts;
  explicit Engine(std::unique_ptr<Parts> parts);

  // One request through all stages; Run adds what the policy has done if it does not end well.
  Result<result::RunResult> RunOnce(policy::Request request, const RunHooks& hooks);
  Result<> Review(const policy::Request& request, const RunHooks& hooks, result::RunResult& result);
  Result<> AlertOf(const policy::RecoveryTerms& recovery, const policy::Request& request,
                   const RunHooks& hooks, result::RunResult& result);
  Result<> TellPeople(const policy::RecoveryTerms& recovery, const policy::Request& request,
                      const RunHooks& hooks, result::RunResult& result);
  Result<result::RunResult> FallBack(const policy::Request& request, const RunHooks& hooks,
                                     result::RunResult first);
  audit::Log* Log() const;
  const std::function<std::string(const Alert&)>& OnAlert() const;
  // Analyse, decide and ask: the result of a request that is not to run, or nothing. What was
  // decided is in `decision`.
  struct Judged;
  Result<Judged> JudgeFirst(const policy::Request& request, const RunHooks& hooks);
  const std::set<std::string>& AllowedUnenforced() const;
  isolate::Backends& Walls() const;
  // Chooses the backend of a request. The sentence that refuses it, if this machine cannot hold it.
  std::optional<std::string> CannotBeHeld(policy::Request& request,
                                          const policy::Policy* terms) const;
  void LiftForTests(policy::Limits& limits) const;
  const SwitchedOff& Off() const;
  isolate::CellSpec SpecFor(const policy::Request& request) const;
  // Ways out that cells of runs under these terms have.
  static std::set<isolate::Door> DoorsFor(const policy::Policy* terms);
  // A cell for a request, or for a session of that shape, with its artefacts.
  struct Wanted;
  Result<session::PreparedCell> Place(const policy::Request& request, Wanted wanted);
  Result<session::PreparedCell> PlaceSaved(const policy::Request& request,
                                           const SavedContainer& saved, const Prepare& fill);
  Result<session::PreparedCell> PlaceCopy(const policy::Request& request,
                                          const std::shared_ptr<isolate::CellTemplate>& of);
  void Settle(session::PreparedCell used);
  using NetworkPtr = std::shared_ptr<Network>;  // null for a request without hosts
  Result<NetworkPtr> ConnectRun(const policy::Request& request, Judged& judged,
                                const isolate::Cell& cell);
  Result<NetworkPtr> OpenNetwork(const policy::Request& request, const policy::Policy& terms,
                                 const isolate::Cell& cell);
  Tools& tools();
  Result<Observed> ExecuteJudged(const policy::Request& request, session::PreparedCell& prepared,
                                 Judged& judged);
  Result<result::RunResult> RunPlaced(const policy::Request& request, const RunHooks& hooks,
                                      session::PreparedCell& prepared, Judged& judged);
  // Adds a turn at the desk to the run's hooks, where it has any.
  Result<std::unique_ptr<LiveSession>> WithSeat(Result<std::unique_ptr<LiveSession>> live);
  Result<> GiveTools(std::shared_ptr<broker::ToolSeat> seat, const policy::Request& request,
                     Judged& judged);
  // What a record says of the request, made while the run goes on if that takes little.
  Result<json::object> Draft(const Judged& judged, const policy::Request& request) const;
  void BuildRecordDuringRun(const policy::Request& request, Judged& judged) const;
  Result<> Record(Judged& judged, const policy::Request& request, result::RunResult& result) const;
  Result<> NoteReplay(const Recorded& recorded, const Origin& origin,
                      const policy::Request& request, const ReplayNote& note,
                      result::RunResult& result);
  // Which build of an image cells are made of: a short text.
  std::string ImageBuild(const std::string& image) const;
  void CompileGuestOnce(const std::string& image);

  std::unique_ptr<Parts> parts_;
};

// Where state lives, as an absolute path: where it was said (--state), else $BELLJAR_STATE,
// /var/lib/belljar for root, $XDG_STATE_HOME/belljar for others.
Result<std::string> StateDirOr(const std::string& said);
// The uid that files put into a workspace must belong to.
std::uint32_t WorkspaceOwner(const Fd& workspace);

}  // namespace belljar::engine
