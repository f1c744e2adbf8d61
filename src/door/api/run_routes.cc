// Runs over HTTP: one request and one answer, either complete or streamed.
#include <fmt/format.h>

#include "door/api/answers.h"
#include "door/api/history.h"
#include "door/api/routes.h"
#include "door/api/running.h"
#include "door/api/session_wish.h"

namespace belljar::door::api {
namespace {

// A daemon may have access to more files than its caller, so only callers with the scope admin may
// name directories.
Result<> AllowVaults(const http::server::Exchange& exchange, const request::Request& request) {
  if (request.vaults.empty() || exchange.principal().scopes.contains("admin")) return {};
  return Error(Kind::kDenied,
               "\"vaults\" are directories of the daemon's machine: the scope \"admin\" is needed "
               "for them");
}

void PostRun(service::Service& service, http::server::Exchange exchange) {
  auto request = request::ParseRequest(exchange.request().body, service.live.limits());
  if (!request) return exchange.Answer(request.error());
  const std::string session = request->session;
  if (!session.empty()) return RunInSession(service, std::move(exchange), session);
  if (auto allowed = AllowVaults(exchange, *request); !allowed) {
    return exchange.Answer(allowed.error());
  }
  // Copies of vaults lie in memory, too.
  const std::uint64_t memory_bytes =
      request->limits.memory_bytes + (request->vaults.empty() ? 0 : request::kMaxVaultBytes);
  Running running(service, std::move(exchange), *std::move(request));
  running.Run(memory_bytes, [&](run::Run& run) { return service.engine.Go(run); });
}

Result<json::value> ListRuns(service::Service& service, http::server::Exchange& exchange) {
  const std::string& caller = exchange.principal().name;
  const auto id_of = [&](const std::string& handle) {
    return service::IdOfSessionNamed(service, caller, handle);
  };
  return FindRuns(service.log, caller, exchange.request().query, id_of);
}

Result<json::value> ShowRun(service::Service& service, http::server::Exchange& exchange) {
  return OneRun(service.log, exchange.principal().name, exchange.request().params.at("id"));
}

// The caller whose runs may be revoked: the caller itself; nullopt (all) with the scope "admin".
std::optional<std::string> OwnerOf(const http::server::Exchange& exchange) {
  const http::server::Principal& who = exchange.principal();
  return who.scopes.contains("admin") ? std::nullopt : std::optional(who.name);
}

Result<json::value> RevokeNetwork(service::Service& service, http::server::Exchange& exchange) {
  const std::string& id = exchange.request().params.at("id");
  BJ_TRY(service.engine.networks().Revoke(id, OwnerOf(exchange)));
  return json::value{{"id", id}, {"network", "revoked"}};
}

Result<json::value> RevokeTools(service::Service& service, http::server::Exchange& exchange) {
  const std::string& id = exchange.request().params.at("id");
  BJ_TRY(service.engine.tools().Revoke(id, OwnerOf(exchange), run::Called::kTools));
  return json::value{{"id", id}, {"tools", "revoked"}};
}

Result<json::value> RevokeDatabases(service::Service& service, http::server::Exchange& exchange) {
  const std::string& id = exchange.request().params.at("id");
  BJ_TRY(service.engine.tools().Revoke(id, OwnerOf(exchange), run::Called::kDatabases));
  return json::value{{"id", id}, {"databases", "revoked"}};
}

}  // namespace

Result<> AddRunRoutes(http::server::Router& router, service::Service& service) {
  BJ_TRY(router.Add("POST", "/v1/runs",
                    http::server::Lasting({"run",
                                           [&service](http::server::Exchange exchange) {
                                             PostRun(service, std::move(exchange));
                                           },
                                           kMaxRunBody})));
  BJ_TRY(router.Add("GET", "/v1/runs", {"run", Answering(service, ListRuns)}));
  BJ_TRY(router.Add("GET", "/v1/runs/{id}", {"run", Answering(service, ShowRun)}));
  BJ_TRY(router.Add("DELETE", "/v1/runs/{id}/network", {"run", Answering(service, RevokeNetwork)}));
  BJ_TRY(router.Add("DELETE", "/v1/runs/{id}/tools", {"run", Answering(service, RevokeTools)}));
  BJ_TRY(router.Add("DELETE", "/v1/runs/{id}/databases",
                    {"run", Answering(service, RevokeDatabases)}));
  return {};
}

}  // namespace belljar::door::api
