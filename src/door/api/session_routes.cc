// Sessions over HTTP: create, list, show, run, interrupt, end.
#include "door/api/answers.h"
#include "door/api/routes.h"
#include "door/api/running.h"
#include "door/api/session_wish.h"
#include "run/session/session_json.h"

namespace belljar::door::api {
namespace {

const std::string& Id(const http::server::Exchange& exchange) {
  return exchange.request().params.at("id");
}

Result<json::value> Create(service::Service& service, http::server::Exchange& exchange) {
  run::SessionWish wish = BJ_TRY(
      ParseSessionWish(exchange.request().body, service.live.limits(), service.session_idle));
  const std::string& caller = exchange.principal().name;
  const service::callers::Caller who = BJ_TRY(service::CallerOf(service, exchange.request()));
  wish.holds = std::make_shared<service::callers::Admission::Ticket>(
      BJ_TRY(service.admission.AdmitSession(who, wish.shape.limits.memory_bytes)));
  service::TraceContext marks = service::TraceContextOf(exchange.request().headers);
  wish.correlation_id = std::move(marks.correlation_id);
  wish.traceparent = std::move(marks.traceparent);
  const run::SessionInfo info = BJ_TRY(service.sessions.Create(caller, wish));
  service.events.Publish(
      caller, "session",
      service::WithTraceContext(ToJson(info), info.correlation_id, info.traceparent));
  return json::value(ToJson(info));
}

Result<json::value> List(service::Service& service, http::server::Exchange& exchange) {
  json::array sessions;
  std::set<std::string> listed;  // a paused session may also be in the archive
  for (const auto& info : service.sessions.table().List(exchange.principal().name)) {
    listed.insert(info.id);
    sessions.push_back(ToJson(info));
  }
  for (json::value& ended : BJ_TRY(service.archive.List(exchange.principal().name))) {
    if (listed.contains(std::string(ended.at("id").as_string()))) continue;
    sessions.push_back(std::move(ended));
  }
  return json::value{{"sessions", std::move(sessions)}};
}

// A session that has ended is shown from the archive, which knows more about it.
Result<json::value> Show(service::Service& service, http::server::Exchange& exchange) {
  const std::string& caller = exchange.principal().name;
  const auto info = service.sessions.table().Show(caller, Id(exchange));
  if (info && info->state != run::SessionState::kEnded) return json::value(ToJson(*info));
  auto kept = service.archive.Show(caller, Id(exchange));
  if (kept) return json::value(*std::move(kept));
  if (info) return json::value(ToJson(*info));
  return kept.error();
}

Result<json::value> End(service::Service& service, http::server::Exchange& exchange) {
  const std::string& caller = exchange.principal().name;
  const auto info = service.sessions.table().Show(caller, Id(exchange));
  if (info && info->state != run::SessionState::kEnded) {
    service::TraceContext marks = service::TraceContextOf(exchange.request().headers);
    run::Origin by;
    by.correlation_id = std::move(marks.correlation_id);
    by.traceparent = std::move(marks.traceparent);
    BJ_TRY(service.sessions.End(caller, Id(exchange), by));
    return json::value{{"id", info->id}, {"state", "ended"}};
  }
  BJ_TRY(service.archive.Forget(caller, Id(exchange)));
  return json::value{{"id", Id(exchange)}, {"state", "ended"}, {"forgotten", true}};
}

Result<json::value> Interrupt(service::Service& service, http::server::Exchange& exchange) {
  BJ_TRY(service.sessions.Interrupt(exchange.principal().name, Id(exchange)));
  BJ_TRY(service::Note(service, exchange, record::Event::kInterrupt, {}));
  return json::value{{"id", service::SessionIdIn(service, exchange)}, {"interrupted", true}};
}

Result<json::value> RevokeSessionNetwork(service::Service& service,
                                         http::server::Exchange& exchange) {
  BJ_TRY(service.sessions.revocations().RevokeNetwork(exchange.principal().name, Id(exchange)));
  return json::value{{"id", Id(exchange)}, {"network", "revoked"}};
}

Result<json::value> RevokeSessionTools(service::Service& service,
                                       http::server::Exchange& exchange) {
  BJ_TRY(service.sessions.revocations().RevokeCalls(exchange.principal().name, Id(exchange),
                                                    run::Called::kTools));
  return json::value{{"id", Id(exchange)}, {"tools", "revoked"}};
}

Result<json::value> RevokeSessionDatabases(service::Service& service,
                                           http::server::Exchange& exchange) {
  BJ_TRY(service.sessions.revocations().RevokeCalls(exchange.principal().name, Id(exchange),
                                                    run::Called::kDatabases));
  return json::value{{"id", Id(exchange)}, {"databases", "revoked"}};
}

}  // namespace

Result<> AddSessionRoutes(http::server::Router& router, service::Service& service) {
  const std::string all = "/v1/sessions";
  const std::string one = all + "/{id}";
  BJ_TRY(router.Add("POST", all,
                    http::server::Lasting({"sessions", Answering(service, Create), kMaxRunBody})));
  BJ_TRY(router.Add("GET", all, {"sessions", Answering(service, List)}));
  BJ_TRY(router.Add("GET", one, {"sessions", Answering(service, Show)}));
  BJ_TRY(router.Add("DELETE", one, {"sessions", Answering(service, End)}));
  BJ_TRY(router.Add("DELETE", one + "/network",
                    {"sessions", Answering(service, RevokeSessionNetwork)}));
  BJ_TRY(
      router.Add("DELETE", one + "/tools", {"sessions", Answering(service, RevokeSessionTools)}));
  BJ_TRY(router.Add("DELETE", one + "/databases",
                    {"sessions", Answering(service, RevokeSessionDatabases)}));
  BJ_TRY(router.Add("POST", one + "/interrupt",
                    {"sessions", Answering(service, Interrupt), kMaxSmallBody}));
  BJ_TRY(router.Add("POST", one + "/runs",
                    http::server::Lasting({"sessions",
                                           [&service](http::server::Exchange exchange) {
                                             const std::string id = Id(exchange);
                                             RunInSession(service, std::move(exchange), id);
                                           },
                                           kMaxRunBody})));
  return {};
}

}  // namespace belljar::door::api
