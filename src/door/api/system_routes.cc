// Routes about the daemon itself: health, metrics, events, and the OpenAPI description.
#include "door/api/answers.h"
#include "door/api/openapi.h"
#include "door/api/routes.h"
#include "foundation/http/server/media.h"

namespace belljar::door::api {
namespace {

http::server::StreamKind KindFor(const http::server::Request& request) {
  return http::server::StreamWanted(request.headers).value_or(http::server::StreamKind::kSse);
}

void StreamEvents(service::Service& service, http::server::Exchange exchange) {
  const http::server::StreamKind kind = KindFor(exchange.request());
  // Capture only the tokens: they outlive the listeners, but the service does not.
  const auto may = [&tokens = service.tokens](const http::server::Request& request) -> Result<> {
    const service::callers::Caller caller = BJ_TRY(service::CallerOf(tokens, request));
    if (caller.scopes.Has(service::callers::Scope::kRun)) return {};
    return Error(Kind::kDenied, "the scope \"run\" is needed here");
  };
  service.listeners.Add(std::move(exchange), kind, may);
}

void Health(service::Service& service, http::server::Exchange exchange) {
  if (service.live.stopping()) return exchange.Answer(JsonAnswer({{"status", "stopping"}}, 503));
  exchange.Answer(JsonAnswer({{"status", "ok"}}));
}

void Scrape(service::Service& service, http::server::Exchange exchange) {
  exchange.Answer({200, "text/plain; version=0.0.4", service.metrics.Text(), {}});
}

void Describe(service::Service&, http::server::Exchange exchange) {
  exchange.Answer({200, "application/json", std::string(OpenApi()), {}});
}

http::server::Route On(std::string scope, service::Service& service,
                       void (*handle)(service::Service&, http::server::Exchange),
                       http::server::RunsOn where) {
  http::server::Route route;
  route.scope = std::move(scope);
  route.runs_on = where;
  route.handler = [&service, handle](http::server::Exchange exchange) {
    handle(service, std::move(exchange));
  };
  return route;
}

}  // namespace

Result<> AddSystemRoutes(http::server::Router& router, service::Service& service) {
  using http::server::RunsOn;
  const std::string everybody(http::server::kPublic);
  BJ_TRY(router.Add("GET", "/healthz", On(everybody, service, Health, RunsOn::kLoop)));
  BJ_TRY(router.Add("GET", "/openapi.json", On(everybody, service, Describe, RunsOn::kWorker)));
  BJ_TRY(router.Add("GET", "/metrics", On("admin", service, Scrape, RunsOn::kWorker)));
  BJ_TRY(router.Add("GET", "/v1/events", On("run", service, StreamEvents, RunsOn::kWorker)));
  return {};
}

}  // namespace belljar::door::api
