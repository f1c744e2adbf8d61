#include "server/service.h"

#include "engine/audit_entry.h"
#include "server/answers.h"

namespace belljar::server {
namespace {

constexpr std::string_view kBearer = "Bearer ";

http::Principal PrincipalOf(const callers::Caller& caller) {
  http::Principal principal;
  principal.name = caller.name;
  for (const callers::Scope scope : callers::kAllScopes) {
    if (caller.scopes.Has(scope)) principal.scopes.emplace(callers::ScopeName(scope));
  }
  return principal;
}

}  // namespace

Result<callers::Caller> CallerOf(callers::TokenStore& tokens, const http::Request& request) {
  const auto header = request.headers.Find("authorization");
  // A scheme's name has no case (RFC 9110, 11.1).
  if (header && http::EqualIgnoringCase(header->substr(0, kBearer.size()), kBearer)) {
    auto caller = BJ_TRY(tokens.Find(header->substr(kBearer.size())));
    if (!caller) return Error(Kind::kDenied, "the token is not known");
    return *std::move(caller);
  }
  if (!header && request.peer.uid) {
    auto caller = BJ_TRY(tokens.FindUid(*request.peer.uid));
    if (caller) return *std::move(caller);
  }
  return Error(Kind::kDenied, "send a token: \"Authorization: Bearer …\" (belljar token add NAME)");
}

Result<http::Principal> Authenticate(Service& service, const http::Request& request) {
  return PrincipalOf(BJ_TRY(CallerOf(service, request)));
}

std::string SessionIdIn(Service& service, const http::Exchange& exchange) {
  const std::string& handle = exchange.request().params.at("id");
  const auto info = service.sessions.table().Show(exchange.principal().name, handle);
  return info ? info->id : handle;
}

std::string IdOfSessionNamed(Service& service, const std::string& caller,
                             const std::string& handle) {
  if (const auto info = service.sessions.table().Show(caller, handle)) return info->id;
  const auto kept = service.archive.List(caller);
  if (!kept) return handle;
  for (const json::value& session : *kept) {
    const auto* const name = session.get_object().if_contains("name");
    if (name == nullptr || name->as_string() != handle) continue;
    return std::string(session.at("id").as_string());
  }
  return handle;
}

Result<> Note(Service& service, const http::Exchange& exchange, audit::Event event,
              json::object detail) {
  Marks marks = MarksIn(exchange.request().headers);
  engine::Origin origin;
  origin.caller = exchange.principal().name;
  origin.session_id = SessionIdIn(service, exchange);
  origin.correlation_id = std::move(marks.correlation_id);
  origin.traceparent = std::move(marks.traceparent);
  BJ_TRY(service.log.Append(engine::EntryFrom(event, origin, std::move(detail))));
  return {};
}

http::Handler Answering(Service& service, Make make) {
  return [&service, make](http::Exchange exchange) {
    auto made = make(service, exchange);
    if (made) {
      exchange.Answer(JsonAnswer(*made));
    } else {
      exchange.Answer(ForCaller(made.error()));
    }
  };
}

Result<http::Router> MakeRouter(Service& service) {
  http::Router router;
  BJ_TRY(AddRunRoutes(router, service));
  BJ_TRY(AddSessionRoutes(router, service));
  BJ_TRY(AddCheckpointRoutes(router, service));
  BJ_TRY(AddFileRoutes(router, service));
  BJ_TRY(AddAuditRoutes(router, service));
  BJ_TRY(AddJudgementRoutes(router, service));
  BJ_TRY(AddReplayRoutes(router, service));
  BJ_TRY(AddSkillRoutes(router, service));
  BJ_TRY(AddArtefactRoutes(router, service));
  BJ_TRY(AddSystemRoutes(router, service));
  return router;
}

}  // namespace belljar::server
