#include "server/service.h"

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

Result<callers::Caller> CallerOf(Service& service, const http::Request& request) {
  const auto header = request.headers.Find("authorization");
  if (header && header->starts_with(kBearer)) {
    auto caller = BJ_TRY(service.tokens.Find(header->substr(kBearer.size())));
    if (!caller) return Error(Kind::kDenied, "the token is not known");
    return *std::move(caller);
  }
  if (!header && request.peer.uid) {
    auto caller = BJ_TRY(service.tokens.FindUid(*request.peer.uid));
    if (caller) return *std::move(caller);
  }
  return Error(Kind::kDenied, "send a token: \"Authorization: Bearer …\" (belljar token add NAME)");
}

Result<http::Principal> Authenticate(Service& service, const http::Request& request) {
  return PrincipalOf(BJ_TRY(CallerOf(service, request)));
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
  BJ_TRY(AddSystemRoutes(router, service));
  return router;
}

}  // namespace belljar::server
