// The routes of the HTTP API.
//
// A route translates: bytes to a request, a result to bytes. Who may run what and when is decided
// by callers::Admission and the engine; what is answered has been recorded before.
#pragma once

#include "base/json.h"
#include "base/result.h"
#include "http/router.h"
#include "server/service.h"

namespace belljar::server {

// All routes. The service must outlive the router.
Result<http::Router> MakeRouter(Service& service);

// A handler that answers with the JSON that `make` returns, or with its error.
using Make = Result<json::value> (*)(Service&, http::Exchange&);
http::Handler Answering(Service& service, Make make);

// One file per family of routes adds them.
Result<> AddRunRoutes(http::Router& router, Service& service);
Result<> AddSessionRoutes(http::Router& router, Service& service);
Result<> AddCheckpointRoutes(http::Router& router, Service& service);
Result<> AddFileRoutes(http::Router& router, Service& service);
Result<> AddAuditRoutes(http::Router& router, Service& service);
Result<> AddJudgementRoutes(http::Router& router, Service& service);
Result<> AddReplayRoutes(http::Router& router, Service& service);
Result<> AddSkillRoutes(http::Router& router, Service& service);
Result<> AddArtefactRoutes(http::Router& router, Service& service);
Result<> AddSystemRoutes(http::Router& router, Service& service);

}  // namespace belljar::server
