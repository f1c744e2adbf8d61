// Recovery: what the policy has done about a run that did not end well.
#include <fmt/format.h>

#include <algorithm>

#include "engine/asking.h"
#include "engine/assessment.h"
#include "engine/engine.h"
#include "policy/request_fallback.h"

namespace belljar::engine {
namespace {

json::object InsteadOf(const result::RunResult& first) {
  json::object told = {{"outcome", result::OutcomeName(first.outcome)}};
  if (!first.reason.empty()) told["reason"] = first.reason;
  if (first.error) told["error"] = first.error->type;
  return told;
}

}  // namespace

Result<policy::RecoveryTerms> Engine::RecoveryOf(const policy::Request& request,
                                                 const std::string& caller,
                                                 result::Outcome outcome) {
  const auto terms = BJ_TRY(assessment().PolicyFor(request));
  const policy::RecoveryTerms& recovery = policy::RecoveryFor(*terms, caller);
  const bool wanted =
      std::ranges::find(recovery.on, result::OutcomeName(outcome)) != recovery.on.end();
  return wanted ? recovery : policy::RecoveryTerms{};
}

Result<> Engine::NoteRecovery(const Origin& origin, const json::object& done) {
  if (Log() == nullptr) return {};
  audit::Entry entry;
  entry.event = audit::Event::kRecovered;
  entry.caller = origin.caller;
  entry.run_id = origin.run_id;
  entry.session_id = origin.session_id;
  entry.correlation_id = origin.correlation_id;
  entry.traceparent = origin.traceparent;
  entry.detail = done;
  const auto appended = Log()->Append(entry).While("record");
  if (!appended) return Error(Kind::kUnavailable, appended.error().message());
  return {};
}

// A person gets to see it. That nobody could be told does not take the answer from the caller.
Result<> Engine::Review(const policy::Request& request, const RunHooks& hooks,
                        result::RunResult& result) {
  const auto terms = BJ_TRY(assessment().PolicyFor(request));
  const auto question = asking().Review(request, *terms, hooks.origin, result);
  json::object done = {{"action", "review"}};
  if (!question) {
    done["outcome"] = "failed";
    done["reason"] = question.error().message();
  } else if (!*question) {
    done["outcome"] = "unavailable";  // nobody can be asked
  } else {
    done["outcome"] = "asked";
    done["approval"] = (*question)->id;
  }
  BJ_TRY(NoteRecovery(hooks.origin, done));
  result.recovery.push_back(std::move(done));
  return {};
}

// Whom the policy names is told. Addresses may hold secrets: only how many there are is said.
Result<> Engine::AlertOf(const policy::RecoveryTerms& recovery, const policy::Request& request,
                         const RunHooks& hooks, result::RunResult& result) {
  Alert alert{recovery.alert, hooks.origin, InsteadOf(result)};
  alert.says["event"] = "run";
  alert.says["id"] = hooks.origin.run_id;
  alert.says["session"] = hooks.origin.session_id;
  alert.says["caller"] = hooks.origin.caller;
  alert.says["correlation_id"] = request.correlation_id;
  json::object done = {{"action", "alert"}, {"places", recovery.alert.size()}};
  done["outcome"] = OnAlert() ? OnAlert()(alert) : "unavailable";
  BJ_TRY(NoteRecovery(hooks.origin, done));
  result.recovery.push_back(std::move(done));
  return {};
}

Result<> Engine::TellPeople(const policy::RecoveryTerms& recovery, const policy::Request& request,
                            const RunHooks& hooks, result::RunResult& result) {
  if (!recovery.alert.empty()) BJ_TRY(AlertOf(recovery, request, hooks, result));
  if (recovery.review) BJ_TRY(Review(request, hooks, result));
  return {};
}

// The caller's own simpler request, judged as any other, once. Its result is the answer if it
// ended well; otherwise the first one says more.
Result<result::RunResult> Engine::FallBack(const policy::Request& request, const RunHooks& hooks,
                                           result::RunResult first) {
  const policy::Request simpler = BJ_TRY(policy::FallbackOf(request));
  json::object done = {{"action", "fallback"}, {"instead_of", InsteadOf(first)}};
  auto second = RunOnce(simpler, hooks);
  if (second) {
    done["outcome"] = result::OutcomeName(second->outcome);
  } else {
    done["outcome"] = "failed";
    done["reason"] = second.error().message();
  }
  BJ_TRY(NoteRecovery(hooks.origin, done));
  result::RunResult& answer = second && second->outcome == result::Outcome::kOk ? *second : first;
  if (&answer != &first) answer.recovery = std::move(first.recovery);
  answer.recovery.push_back(std::move(done));
  return std::move(answer);
}

Result<result::RunResult> Engine::Run(const policy::Request& request, const RunHooks& hooks) {
  result::RunResult result = BJ_TRY(RunOnce(request, hooks));
  if (hooks.aside) return result;  // a replay, say: it only looks
  const auto recovery = BJ_TRY(RecoveryOf(request, hooks.origin.caller, result.outcome));
  BJ_TRY(TellPeople(recovery, request, hooks, result));
  if (!recovery.fallback || !request.fallback) return result;
  return FallBack(request, hooks, std::move(result));
}

}  // namespace belljar::engine
