// The way of a request in a session: engine/run.cc, with a cell that was there before and stays.
#include "engine/artefacts.h"
#include "engine/engine.h"
#include "engine/judge.h"
#include "engine/judgement.h"
#include "engine/live_session.h"
#include "engine/network.h"
#include "engine/tools.h"
#include "engine/unenforced.h"
#include "engine/walls.h"
#include "result/side_effects.h"
#include "result/workspace.h"
#include "tree/replace.h"

namespace belljar::engine {
namespace {

// Unlike those of a fresh cell, the files of a run may find others in their place.
Result<> PutFilesOver(const Fd& workspace, const std::vector<policy::InputFile>& files) {
  if (files.empty()) return {};
  const std::uint32_t owner = WorkspaceOwner(workspace);
  for (const policy::InputFile& file : files) {
    BJ_TRY(
        tree::WriteFileBeneath(workspace, {file.path, owner, 0644}, file.bytes).While("workspace"));
  }
  return {};
}

// Until it goes, the run's id stands for the session's network.
struct NetworkTurn {
  Network* const network;  // null: it has none
  ~NetworkTurn() {
    if (network != nullptr) network->EndRun();
  }
};

// What a session has done cannot be done again in a simpler way: it goes back, or goes on.
Result<> RefuseFallback(const policy::Request& request) {
  if (!request.fallback) return {};
  return Error(Kind::kInvalid,
               "\"fallback\" belongs to runs in a cell of their own, not to sessions");
}

// A session has no end at which its writes could be judged.
Result<> RefuseVaults(const policy::Request& request) {
  if (request.vaults.empty()) return {};
  return Error(Kind::kInvalid, "\"vaults\" belong to runs in a cell of their own, not to sessions");
}

}  // namespace

Result<std::unique_ptr<LiveSession>> Engine::OpenSession(policy::Request& asked) {
  BJ_TRY(policy::ValidateToRun(asked));
  BJ_TRY(RefuseVaults(asked));
  auto refused = BJ_TRY(artefacts().Resolve(asked));
  if (refused) return Error(Kind::kDenied, *std::move(refused));
  policy::Request shape = asked;
  LiftForTests(shape.limits);
  BJ_TRY(JudgeWishes(shape));
  const auto terms = BJ_TRY(judgement().PolicyFor(shape));
  Wanted wanted{DoorsFor(terms.get()), {}};
  refused = CannotBeHeld(shape, terms.get());
  if (!refused) refused = BJ_TRY(artefacts().Give(shape, wanted.artefacts));
  if (refused) return Error(Kind::kDenied, *std::move(refused));
  asked.backend = shape.backend;
  session::PreparedCell prepared = BJ_TRY(Place(shape, std::move(wanted)));
  BJ_TRY(PutFilesOver(prepared.cell->workspace(), shape.files));
  auto network = BJ_TRY(OpenNetwork(shape, *terms, *prepared.cell));
  if (network) network->KeepToPolicy(judgement());
  return WithSeat(LiveSession::Begin(std::move(prepared), shape, cgroups(), std::move(network)));
}

// A session's own wishes cannot wait for a person: each of its runs would have to.
Result<> Engine::JudgeWishes(const policy::Request& shape) {
  const auto terms = BJ_TRY(judgement().PolicyFor(shape));
  const auto decision = judgement().Decide(shape, *terms);
  if (decision.action < policy::Action::kReview) return {};
  return Error(Kind::kDenied, decision.reasons.front() + ": not for a session");
}

Result<std::unique_ptr<LiveSession>> Engine::ResumeSession(policy::Request shape,
                                                           const SavedMemory& memory,
                                                           guest::RestoreAs as,
                                                           const Prepare& prepare) {
  const auto terms = BJ_TRY(judgement().PolicyFor(shape));
  shape.backend = memory.backend;
  if (auto refusal = CannotBeHeld(shape, terms.get())) {
    return Error(Kind::kDenied, *std::move(refusal));
  }
  session::PreparedCell prepared =
      BJ_TRY(memory.container ? PlaceSaved(shape, *memory.container, prepare)
                              : PlaceCopy(shape, memory.copy_of));
  if (!memory.container) BJ_TRY(prepare(prepared.cell->written()));
  auto network = BJ_TRY(OpenNetwork(shape, *terms, *prepared.cell));
  if (network) network->KeepToPolicy(judgement());
  return WithSeat(
      LiveSession::Resume(std::move(prepared), shape, cgroups(), memory, as, std::move(network)));
}

Result<std::unique_ptr<LiveSession>> Engine::WithSeat(Result<std::unique_ptr<LiveSession>> live) {
  if (!live) return live;
  auto seat = BJ_TRY(tools().SeatFor((*live)->cell()));
  (*live)->TakeSeat(std::move(seat));
  return live;
}

void Engine::End(LiveSession&& session) {
  session.Kill();
  Settle(std::move(session).Release());
}

Result<result::RunResult> Engine::RunIn(LiveSession& live, policy::Request request,
                                        const RunHooks& hooks) {
  BJ_TRY(policy::ValidateToRun(request));
  BJ_TRY(RefuseVaults(request));
  BJ_TRY(RefuseFallback(request));
  LiftForTests(request.limits);
  StandBack();
  request.session = hooks.origin.session_id;  // whose files count when imports are looked up
  Judged judged = BJ_TRY(JudgeFirst(request, hooks));
  // The policy may be another one than that by which the session got its walls.
  auto weak = RefuseWeakWalls(live.backend(), judged.policy.get(), Walls());
  if (weak && !judged.stopped) {
    judged.stopped = RefusedResult(request, *std::move(weak), Layers(live.backend()));
  }
  if (judged.stopped) {
    BJ_TRY(Record(judged, request, *judged.stopped));
    return *std::move(judged.stopped);
  }
  const Fd& workspace = live.workspace();
  BJ_TRY(PutFilesOver(workspace, request.files));
  const result::Listing before = result::List(workspace, live.size_when_empty());
  const WorkspaceUse used = BJ_TRY(MeasureWorkspace(workspace));
  if (live.network()) live.network()->BeginRun(hooks.origin, request.correlation_id);
  const NetworkTurn turn{live.network().get()};
  BJ_TRY(GiveTools(live.seat(), request, judged));
  DraftMeanwhile(request, judged);
  Observed seen = BJ_TRY(live.Run(request, judged.hooks).While("run"));
  seen.used_before = used.used_bytes;
  seen.size_when_empty = live.size_when_empty();
  result::RunResult result = BJ_TRY(Judge(request, seen, before, workspace));
  live.KeepLeft(std::move(seen.left));
  if (live.network()) result.usage.network_requests += live.network()->CallsOfRun();
  result.layers = Layers(live.backend());
  result.findings = FindingsJson(judged.decision);
  result.decision = std::move(judged.told);
  seen.cleaner.CleanRest(result);
  if (request.writes) result::NoteUnexpected(*request.writes, result);
  BJ_TRY(Record(judged, request, result));
  const auto recovery = BJ_TRY(RecoveryOf(request, hooks.origin.caller, result.outcome));
  BJ_TRY(TellPeople(recovery, request, hooks, result));
  return result;
}

}  // namespace belljar::engine
