#include "run/pipeline.h"

#include "judgement/analysis/finding.h"
#include "request/request_fallback.h"
#include "run/guard.h"
#include "run/run_cell.h"
#include "run/side_effects.h"
#include "run/tools.h"
#include "run/verdict.h"

namespace belljar::run {

using judgement::policy::Action;

namespace {

// Releases what a run holds, on every exit path: first its calls, then its cell.
struct Release {
  Run& run;
  ~Release() {
    run.tools.reset();
    run.cell.reset();
  }
};

bool IsPythonCode(const request::Request& request) {
  return request.lang == request::Lang::kPython && request.command.empty();
}

Outcome OutcomeOf(const judgement::approval::Question& question) {
  switch (question.state) {
    case judgement::approval::State::kDenied:
    case judgement::approval::State::kExpired:
    case judgement::approval::State::kTampered:
      return Outcome::kDenied;
    case judgement::approval::State::kCancelled:
      return Outcome::kCancelled;
    default:
      return Outcome::kNeedsApproval;
  }
}

json::object ApprovalJson(const judgement::approval::Question& question) {
  json::object all = judgement::approval::ToJson(question);
  json::object told;
  for (const char* const key : {"id", "state", "digest", "expires", "answer"}) {
    if (const json::value* value = all.if_contains(key)) told[key] = *value;
  }
  return told;
}

// Makes vaults read-only for a run that only reads, and removes network access from a replay.
void Narrow(Run& run) {
  if (run.kind != RunKind::kRequested) run.request.allow_hosts.clear();
  if (run.decision.runs_at != judgement::analysis::Level::kReads) return;
  for (request::Vault& vault : run.request.vaults) vault.mode = request::VaultMode::kReadOnly;
}

}  // namespace

Pipeline::Pipeline(Machinery& machinery)
    : machinery_(machinery), compiler_(machinery.images, [this](Run& run) { return Go(run); }) {}

Result<RunResult> Pipeline::Go(Run& run) {
  const Release release{run};
  BJ_TRY(Validate(run));
  BJ_TRY(Assess(run));                   // findings, decision, approval
  if (run.stopped()) return Close(run);  // refused, denied, needs approval
  BJ_TRY(Place(run));                    // a cell of the pool, or the session's own
  BJ_TRY(Provide(run));                  // files, vaults, artefacts, network, tools
  BJ_TRY(Supervise(run));                // the guest runs, limits are watched
  BJ_TRY(Judge(run));                    // outcome, usage, side effects
  BJ_TRY(Clean(run));                    // redaction, formats
  BJ_TRY(Settle(run));                   // vaults, what was expected
  return Close(run);                     // recorded, then answered
}

Result<> Pipeline::Validate(Run& run) {
  BJ_TRY(request::CheckRunnable(run.request));
  run.as_asked = AskedFor::Of(run.request);
  Lift(machinery_.off, run.request.limits);
  run.cell = run.session == nullptr ? MakeFreshCell(machinery_, compiler_)
                                    : MakeSessionCell(machinery_, *run.session);
  BJ_TRY(run.cell->Check(run));
  if (run.stopped()) return {};
  if (run.kind == RunKind::kRequested) {
    run.policy = BJ_TRY(machinery_.assessment.PolicyFor(run.request));
    BuildAhead(run);
  }
  return {};
}

// Only for a process with a single request. The redactor is made in parallel with the analysis;
// code that needs it waits for it.
void Pipeline::BuildAhead(Run& run) {
  if (!machinery_.options.build_ahead || run.session != nullptr) return;
  run.held_by = machinery_.cells->Hold(run.request, run.policy.get());
  if (run.held_by->refusal) return;
  run.redactor_made = std::async(std::launch::async, [this, policy = run.policy] {
    static_cast<void>(machinery_.assessment.RedactorFor(*policy));
  });
  run.begun =
      machinery_.cells->BuildAhead(run.request, *run.held_by, ListenersFor(run.policy.get()));
}

Result<> Pipeline::Assess(Run& run) {
  if (!run.stopped() && run.policy) BJ_TRY(Decide(run));
  if (run.stopped()) return {};
  Narrow(run);
  const auto refusal = BJ_TRY(run.cell->WhyNotHeld(run));
  if (!refusal) return {};
  auto refused =
      RefusedResult(run.request, *refusal, machinery_.cells->Layers(run.cell->backend()));
  // Findings quote the code, so they are redacted like everything else that leaves.
  refused.findings = FindingsJson(run.decision);
  Cleaner(run.redactor).CleanRest(refused);
  run.Stop(std::move(refused));
  return {};
}

// The analysis comes first, because the redactor may still be under construction.
Result<> Pipeline::Decide(Run& run) {
  const judgement::policy::Policy& terms = *run.policy;
  Assessment& assessment = machinery_.assessment;
  if (!machinery_.off.judgement) {
    run.decision = assessment.Decide(run.request, terms);
    run.told_decision = DecisionJson(run.decision);
  }
  if (!machinery_.off.redaction) {
    run.redactor = BJ_TRY(assessment.RedactorFor(terms).While("redactor"));
  }
  if (IsPythonCode(run.request) && terms.python.guard && !machinery_.off.guard) {
    run.guard = assessment.GuardFor(terms);
    if (!run.request.allow_hosts.empty()) run.guard = LiftNetwork(*run.guard);
  }
  if (run.decision.action < Action::kReview) return {};
  if (run.decision.action == Action::kReview) return AskPerson(run);
  const auto& reasons = run.decision.reasons;
  StopDecided(run, Outcome::kRefused, reasons.empty() ? "" : reasons.front());
  return {};
}

Result<> Pipeline::AskPerson(Run& run) {
  const auto verdict = BJ_TRY(machinery_.asking.Ask(run));
  if (verdict.question) run.told_decision["approval"] = ApprovalJson(*verdict.question);
  if (verdict.granted) {
    run.told_decision["level"] = judgement::analysis::LevelName(run.decision.runs_at);
    if (run.guard) run.guard = LiftWhatWasGranted(*run.guard, run.decision);
    return {};
  }
  const auto& reasons = run.decision.reasons;
  std::string reason = reasons.empty() ? "" : reasons.front();
  const Outcome outcome = verdict.question ? OutcomeOf(*verdict.question) : Outcome::kNeedsApproval;
  if (outcome != Outcome::kNeedsApproval) reason = judgement::approval::WhyOf(*verdict.question);
  StopDecided(run, outcome, std::move(reason));
  return {};
}

void Pipeline::StopDecided(Run& run, Outcome outcome, std::string reason) {
  auto stopped = RefusedResult(run.request, std::move(reason), machinery_.cells->Layers());
  stopped.outcome = outcome;
  stopped.findings = FindingsJson(run.decision);
  stopped.decision = run.told_decision;
  Cleaner(run.redactor).CleanRest(stopped);
  run.Stop(std::move(stopped));
}

Result<> Pipeline::Place(Run& run) { return run.cell->Enter(run); }

Result<> Pipeline::Provide(Run& run) {
  BJ_TRY(run.cell->Furnish(run));
  auto seat = BJ_TRY(run.cell->Seat());
  BJ_TRY(machinery_.tools.Give(run, std::move(seat)));
  machinery_.recorder.BuildRecordDuringRun(run);
  return {};
}

Result<> Pipeline::Supervise(Run& run) {
  run.seen.emplace(BJ_TRY(run.cell->Supervise(run).While("run")));
  run.seen->used_before = run.used_before;
  return {};
}

Result<> Pipeline::Judge(Run& run) {
  run.result = BJ_TRY(run::Judge(run.request, *run.seen, run.before, run.cell->workspace()));
  run.result->usage.network_requests += run.cell->EndNetwork();
  return {};
}

Result<> Pipeline::Clean(Run& run) {
  run.result->layers = machinery_.cells->Layers(run.cell->backend());
  run.result->findings = FindingsJson(run.decision);
  run.result->decision = std::move(run.told_decision);
  run.seen->cleaner.CleanRest(*run.result);
  return {};
}

Result<> Pipeline::Settle(Run& run) {
  run.cell->Settle(run);
  if (run.request.writes) NoteUnexpected(*run.request.writes, *run.result);
  return {};
}

Result<RunResult> Pipeline::Close(Run& run) {
  BJ_TRY(machinery_.recorder.Record(run));
  run.cell->Leave(run);
  if (!run.has_effects() || run.is_fallback) return std::move(*run.result);
  if (!run.policy) run.policy = BJ_TRY(machinery_.assessment.PolicyFor(run.request));
  run.recovery = RecoveryOf(*run.policy, run.requester.origin.caller, run.result->outcome);
  BJ_TRY(machinery_.recovery.TellPeople(run));
  if (!run.recovery.fallback || !run.request.fallback) return std::move(*run.result);
  return FallBack(run, std::move(*run.result));
}

// Runs the caller's fallback request through the same pipeline, once. Its result is the answer if
// it succeeded; otherwise the first result is more informative.
Result<RunResult> Pipeline::FallBack(Run& first_run, RunResult first) {
  request::Request request = BJ_TRY(request::FallbackOf(AsAsked(first_run)));
  Run simpler(std::move(request), first_run.requester);
  simpler.is_fallback = true;
  json::object done = {{"action", "fallback"}, {"instead_of", Recovery::InsteadOf(first)}};
  auto second = Go(simpler);
  if (second) {
    done["outcome"] = OutcomeName(second->outcome);
  } else {
    done["outcome"] = "failed";
    done["reason"] = second.error().message();
  }
  BJ_TRY(machinery_.recorder.NoteRecovery(first_run.requester.origin, done));
  const bool replaces = second && second->outcome == Outcome::kOk;
  if (replaces) {
    second->recovery = std::move(first.recovery);
    first = *std::move(second);
    first_run.told.reset();  // it is the JSON of the first result
  }
  first.recovery.push_back(std::move(done));
  return first;
}

Result<RunResult> Pipeline::Refuse(Run& run, std::string reason) {
  const auto backend = run.request.backend.value_or(request::BackendKind::kNative);
  run.Stop(RefusedResult(run.request, std::move(reason), machinery_.cells->Layers(backend)));
  BJ_TRY(machinery_.recorder.Record(run));
  return std::move(*run.result);
}

}  // namespace belljar::run
