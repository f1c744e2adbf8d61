// The routes of the HTTP API.
//
// A route only translates: bytes to a request, a result to bytes. service::callers::Admission and
// the engine decide who may run what and when; results have been recorded before they are answered.
#pragma once

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "foundation/http/server/router.h"
#include "service/service.h"

namespace belljar::door::api {

// Creates all routes. The service must outlive the router.
Result<http::server::Router> MakeRouter(service::Service& service);

// A handler that answers with the JSON that `make` returns, or with its error.
using Make = Result<json::value> (*)(service::Service&, http::server::Exchange&);
http::server::Handler Answering(service::Service& service, Make make);

// Each function adds one family of routes, and has a file of its own.
Result<> AddRunRoutes(http::server::Router& router, service::Service& service);
Result<> AddSessionRoutes(http::server::Router& router, service::Service& service);
Result<> AddCheckpointRoutes(http::server::Router& router, service::Service& service);
Result<> AddFileRoutes(http::server::Router& router, service::Service& service);
Result<> AddAuditRoutes(http::server::Router& router, service::Service& service);
Result<> AddJudgementRoutes(http::server::Router& router, service::Service& service);
Result<> AddReplayRoutes(http::server::Router& router, service::Service& service);
Result<> AddSkillRoutes(http::server::Router& router, service::Service& service);
Result<> AddArtefactRoutes(http::server::Router& router, service::Service& service);
Result<> AddSystemRoutes(http::server::Router& router, service::Service& service);

}  // namespace belljar::door::api
