// Replays over HTTP: a recorded run again, and what differs.
//
// A caller replays its own runs; with the scope admin, those of all. What was judged by another
// policy than today's, and what sees directories of the daemon's machine, needs that scope, too: a
// replay must not open what has been closed since.
#include <fmt/format.h>

#include "base/random_id.h"
#include "engine/assessment.h"
#include "engine/replay.h"
#include "server/answers.h"
#include "server/lines.h"
#include "server/routes.h"

namespace belljar::server {
namespace {

bool IsAdmin(const http::Exchange& exchange) {
  return exchange.principal().scopes.contains("admin");
}

// {"env":{NAME:VALUE}}: values that were not kept.
Result<engine::Wanted> WantedIn(const http::Exchange& exchange) {
  engine::Wanted wanted;
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

Result<> AllowReplay(const http::Exchange& exchange, const engine::Recorded& recorded) {
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

Result<json::value> PostReplay(Service& service, http::Exchange& exchange) {
  const auto wanted = BJ_TRY(WantedIn(exchange));
  const auto recorded =
      BJ_TRY(engine::ReadRecorded(service.log, wanted, service.engine.assessment()));
  BJ_TRY(AllowReplay(exchange, recorded));
  const callers::Caller caller = BJ_TRY(CallerOf(service, exchange.request()));
  const policy::Request& request = recorded.request;
  const auto ticket = BJ_TRY(service.admission.Admit(
      caller, request.limits.memory_bytes + (request.vaults.empty() ? 0 : policy::kMaxVaultBytes)));
  engine::Requester requester;
  requester.origin.caller = exchange.principal().name;
  requester.origin.run_id = BJ_TRY(RandomId("r-"));
  Marks marks = MarksIn(exchange.request().headers);
  requester.origin.correlation_id = std::move(marks.correlation_id);
  requester.origin.traceparent = std::move(marks.traceparent);
  exchange.Mark(std::string(kRunMark), requester.origin.run_id);
  requester.caller_share = ticket.runs_of_caller();
  const int client_gone = BJ_TRY(exchange.client_gone());
  requester.cancel = {client_gone, service.live.cut(), -1};
  const auto replayed = BJ_TRY(service.engine.Replay(recorded, std::move(requester)));
  return json::value(engine::ToJson(replayed));
}

}  // namespace

Result<> AddReplayRoutes(http::Router& router, Service& service) {
  return router.Add("POST", "/v1/runs/{id}/replay",
                    http::Lasting({"run", Answering(service, PostReplay), kMaxSmallBody}));
}

}  // namespace belljar::server
