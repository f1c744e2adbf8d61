#include "run/recovery.h"

#include <algorithm>

namespace belljar::run {

judgement::policy::RecoveryTerms RecoveryOf(const judgement::policy::Policy& terms,
                                            const std::string& caller, Outcome outcome) {
  const judgement::policy::RecoveryTerms& recovery = judgement::policy::RecoveryFor(terms, caller);
  const bool wanted = std::ranges::find(recovery.on, OutcomeName(outcome)) != recovery.on.end();
  return wanted ? recovery : judgement::policy::RecoveryTerms{};
}

json::object Recovery::InsteadOf(const RunResult& first) {
  json::object told = {{"outcome", OutcomeName(first.outcome)}};
  if (!first.reason.empty()) told["reason"] = first.reason;
  if (first.error) told["error"] = first.error->type;
  return told;
}

// A failure to notify does not fail the run; it is noted in the result.
Result<> Recovery::ShowToPerson(Run& run) {
  const auto question = asking_.Review(run);
  json::object done = {{"action", "review"}};
  if (!question) {
    done["outcome"] = "failed";
    done["reason"] = question.error().message();
  } else if (!*question) {
    done["outcome"] = "unavailable";  // approvals are unavailable
  } else {
    done["outcome"] = "asked";
    done["approval"] = (*question)->id;
  }
  BJ_TRY(recorder_.NoteRecovery(run.requester.origin, done));
  run.result->recovery.push_back(std::move(done));
  return {};
}

// Webhook addresses may contain secrets, so only their number is stated.
Result<> Recovery::RaiseAlert(Run& run) {
  const Origin& origin = run.requester.origin;
  Alert alert{run.recovery.alert, origin, InsteadOf(*run.result)};
  alert.says["event"] = "run";
  alert.says["id"] = origin.run_id;
  alert.says["session"] = origin.session_id;
  alert.says["caller"] = origin.caller;
  alert.says["correlation_id"] = run.request.correlation_id;
  json::object done = {{"action", "alert"}, {"places", run.recovery.alert.size()}};
  done["outcome"] = on_alert_ ? on_alert_(alert) : "unavailable";
  BJ_TRY(recorder_.NoteRecovery(origin, done));
  run.result->recovery.push_back(std::move(done));
  return {};
}

Result<> Recovery::TellPeople(Run& run) {
  if (!run.recovery.alert.empty()) BJ_TRY(RaiseAlert(run));
  if (run.recovery.review) BJ_TRY(ShowToPerson(run));
  return {};
}

}  // namespace belljar::run
