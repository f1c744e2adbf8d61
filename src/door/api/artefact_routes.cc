// Artefacts over HTTP. They belong to the operator: ordinary callers see only those that the
// daemon's policy gives without a question; listing all, adding and removing needs the scope admin.
#include <fmt/format.h>

#include "door/api/answers.h"
#include "door/api/routes.h"
#include "run/artefacts.h"
#include "run/assessment.h"

namespace belljar::door::api {
namespace {

using resource::artefact::Info;

constexpr std::uint64_t kMaxUpload = 64ULL << 30;

Result<json::value> ListArtefacts(service::Service& service, http::server::Exchange& exchange) {
  const auto store = BJ_TRY(service.engine.artefacts().Store());
  const auto terms = BJ_TRY(service.engine.assessment().PolicyFor(request::Request()));
  const bool all = exchange.principal().scopes.contains("admin");
  json::array listed;
  for (const Info& info : BJ_TRY(store.List())) {
    const bool open = request::IsArtefactOpen(terms->artefacts, {info.name, info.content.digest});
    if (!all && !open) continue;
    json::object told = resource::artefact::ToJson(info);
    told["allowed"] = open;
    listed.push_back(std::move(told));
  }
  return json::value{{"artefacts", std::move(listed)}};
}

Result<resource::artefact::Store::Existing> ExistingOf(const http::server::Request& request) {
  using Existing = resource::artefact::Store::Existing;
  auto existing = Existing::kRefuse;
  for (const auto& [key, value] : request.query) {
    if (key != "replace" || (value != "true" && value != "false")) {
      return Error(Kind::kInvalid, "the only setting is \"replace\", true or false");
    }
    if (value == "true") existing = Existing::kReplace;
  }
  return existing;
}

Result<json::value> PutArtefact(service::Service& service, http::server::Exchange& exchange) {
  const std::string name = exchange.request().params.at("name");
  BJ_TRY(request::ValidateArtefactName(name));
  const auto existing = BJ_TRY(ExistingOf(exchange.request()));
  auto store = BJ_TRY(service.engine.artefacts().Store());
  const auto read = [&](std::span<char> piece) { return exchange.ReadBody(piece); };
  const Info added = BJ_TRY(store.AddBytes(name, read, existing));
  return json::value(resource::artefact::ToJson(added));
}

Result<json::value> DeleteArtefact(service::Service& service, http::server::Exchange& exchange) {
  const std::string name = exchange.request().params.at("name");
  auto store = BJ_TRY(service.engine.artefacts().Store());
  const auto rest = BJ_TRY(store.Remove(name));
  return json::value{{"name", name}, {"content", resource::artefact::RestName(rest)}};
}

}  // namespace

Result<> AddArtefactRoutes(http::server::Router& router, service::Service& service) {
  const std::string one = "/v1/artefacts/{name}";
  BJ_TRY(router.Add("GET", "/v1/artefacts", {"run", Answering(service, ListArtefacts)}));
  BJ_TRY(router.Add("PUT", one,
                    http::server::Lasting({"admin", Answering(service, PutArtefact), kMaxUpload,
                                           http::server::BodyKind::kPieces})));
  BJ_TRY(router.Add("DELETE", one, {"admin", Answering(service, DeleteArtefact)}));
  return {};
}

}  // namespace belljar::door::api
