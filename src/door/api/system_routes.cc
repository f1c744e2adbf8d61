// What is asked of the daemon itself: health, metrics, events, and what it can be asked.
#include "http/media.h"
#include "server/answers.h"
#include "server/openapi.h"
#include "server/routes.h"

namespace belljar::server {
namespace {

http::StreamKind KindFor(const http::Request& request) {
  return http::StreamWanted(request.headers).value_or(http::StreamKind::kSse);
}

void StreamEvents(Service& service, http::Exchange exchange) {
  const http::StreamKind kind = KindFor(exchange.request());
  // The tokens outlive the listeners; the service does not.
  const auto may = [&tokens = service.tokens](const http::Request& request) -> Result<> {
    const callers::Caller caller = BJ_TRY(CallerOf(tokens, request));
    if (caller.scopes.Has(callers::Scope::kRun)) return {};
    return Error(Kind::kDenied, "the scope \"run\" is needed here");
  };
  service.listeners.Add(std::move(exchange), kind, may);
}

void Health(Service& service, http::Exchange exchange) {
  if (service.live.stopping()) return exchange.Answer(JsonAnswer({{"status", "stopping"}}, 503));
  exchange.Answer(JsonAnswer({{"status", "ok"}}));
}

void Scrape(Service& service, http::Exchange exchange) {
  exchange.Answer({200, "text/plain; version=0.0.4", service.metrics.Text(), {}});
}

void Describe(Service&, http::Exchange exchange) {
  exchange.Answer({200, "application/json", std::string(OpenApi()), {}});
}

http::Route On(std::string scope, Service& service, void (*handle)(Service&, http::Exchange),
               http::RunsOn where) {
  http::Route route;
  route.scope = std::move(scope);
  route.runs_on = where;
  route.handler = [&service, handle](http::Exchange exchange) {
    handle(service, std::move(exchange));
  };
  return route;
}

}  // namespace

Result<> AddSystemRoutes(http::Router& router, Service& service) {
  using http::RunsOn;
  const std::string everybody(http::kPublic);
  BJ_TRY(router.Add("GET", "/healthz", On(everybody, service, Health, RunsOn::kLoop)));
  BJ_TRY(router.Add("GET", "/openapi.json", On(everybody, service, Describe, RunsOn::kWorker)));
  BJ_TRY(router.Add("GET", "/metrics", On("admin", service, Scrape, RunsOn::kWorker)));
  BJ_TRY(router.Add("GET", "/v1/events", On("run", service, StreamEvents, RunsOn::kWorker)));
  return {};
}

}  // namespace belljar::server
