#include "door/api/routes.h"

#include "door/api/answers.h"

namespace belljar::door::api {

http::server::Handler Answering(service::Service& service, Make make) {
  return [&service, make](http::server::Exchange exchange) {
    auto made = make(service, exchange);
    if (made) {
      exchange.Answer(JsonAnswer(*made));
    } else {
      exchange.Answer(ForCaller(made.error()));
    }
  };
}

Result<http::server::Router> MakeRouter(service::Service& service) {
  http::server::Router router;
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

}  // namespace belljar::door::api
