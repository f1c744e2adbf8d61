// Replays over HTTP: runs a recorded request again and reports the differences.
//
// A caller replays its own runs; with the scope admin, any run. That scope is also needed where the
// policy has changed since, or where the run sees directories of the daemon's machine: a replay
// must not reopen access that has been closed.
#include <fmt/format.h>

#include "door/api/answers.h"
#include "door/api/routes.h"
#include "foundation/base/random_id.h"
#include "run/assessment.h"
#include "run/replay.h"
#include "service/log_lines.h"

namespace belljar::door::api {
namespace {

bool IsAdmin(const http::server::Exchange& exchange) {
  return exchange.principal().scopes.contains("admin");
}

// {"env":{NAME:VALUE}}: values that were not kept in the log.
Result<run::Wanted> WantedIn(const http::server::Exchange& exchange) {
  run::Wanted wanted;
  wanted.which = exchange.request().params.at("id");
  if (!IsAdmin(exchange)) wanted.caller = exchange.principal().name;
  const json::object body = BJ_TRY(ParseStrictBody(exchange.request().body));
  for (const auto& [key, value] : body) {
    if (key != "env" || !value.is_object()) {
      return Error(Kind::kInvalid,
                   "a replay takes \"env\", an object of strings, and nothing else");
    }
    for (const auto& [name, text] : value.get_object()) {
      if (!text.is_string()) return Error(Kind::kInvalid, "\"env\" must be an object of strings");
      wanted.env.emplace(name, text.get_string());
    }
  }
  return wanted;
}

Result<> AllowReplay(const http::server::Exchange& exchange, const run::Recorded& recorded) {
  if (IsAdmin(exchange)) return {};
  if (!recorded.request.vaults.empty()) {
    return Error(Kind::kDenied,
                 fmt::format("run {} saw vaults, directories of the daemon's machine: the scope "
                             "\"admin\" is needed to replay it",
                             recorded.run_id));
  }
  if (!recorded.former_policy) return {};
  return Error(Kind::kDenied,
               fmt::format("run {} was judged by {} as it is no longer: the scope \"admin\" is "
                           "needed to replay it",
                           recorded.run_id, recorded.policy->name));
}

Result<json::value> PostReplay(service::Service& service, http::server::Exchange& exchange) {
  const auto wanted = BJ_TRY(WantedIn(exchange));
  const auto recorded = BJ_TRY(run::ReadRecorded(service.log, wanted, service.engine.assessment()));
  BJ_TRY(AllowReplay(exchange, recorded));
  const service::callers::Caller caller = BJ_TRY(service::CallerOf(service, exchange.request()));
  const request::Request& request = recorded.request;
  const auto ticket = BJ_TRY(service.admission.Admit(
      caller,
      request.limits.memory_bytes + (request.vaults.empty() ? 0 : request::kMaxVaultBytes)));
  run::Requester requester;
  requester.origin.caller = exchange.principal().name;
  requester.origin.run_id = BJ_TRY(RandomId("r-"));
  service::TraceContext marks = service::TraceContextOf(exchange.request().headers);
  requester.origin.correlation_id = std::move(marks.correlation_id);
  requester.origin.traceparent = std::move(marks.traceparent);
  exchange.Mark(std::string(service::kRunMark), requester.origin.run_id);
  requester.caller_share = ticket.runs_of_caller();
  const int client_gone = BJ_TRY(exchange.client_gone());
  requester.cancel = {client_gone, service.live.cut(), -1};
  const auto replayed = BJ_TRY(service.engine.Replay(recorded, std::move(requester)));
  return json::value(run::ToJson(replayed));
}

}  // namespace

Result<> AddReplayRoutes(http::server::Router& router, service::Service& service) {
  return router.Add("POST", "/v1/runs/{id}/replay",
                    http::server::Lasting({"run", Answering(service, PostReplay), kMaxSmallBody}));
}

}  // namespace belljar::door::api
