#include "server/routes.h"

#include "server/answers.h"

namespace belljar::server {

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
