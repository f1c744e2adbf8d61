// Skills over HTTP. A caller has access to its own skills only.
//
// The list has for each skill the fields that a list of tools needs: name, description and the two
// schemas. A run is answered like any other: complete or streamed.
#include <fmt/format.h>

#include <charconv>

#include "door/api/answers.h"
#include "door/api/routes.h"
#include "door/api/running.h"
#include "foundation/base/quote.h"
#include "run/skill_json.h"

namespace belljar::door::api {
namespace {

using resource::skill::Handle;
using resource::skill::Skill;

Result<Handle> HandleIn(const http::server::Exchange& exchange) {
  return resource::skill::ParseHandle(exchange.request().params.at("name"));
}

Result<json::value> ListSkills(service::Service& service, http::server::Exchange& exchange) {
  return json::value(BJ_TRY(run::ListSkills(service.skills.registry(), exchange.principal().name)));
}

Result<json::value> ShowSkill(service::Service& service, http::server::Exchange& exchange) {
  const Handle handle = BJ_TRY(HandleIn(exchange));
  return json::value(
      BJ_TRY(run::ShowSkill(service.skills.registry(), exchange.principal().name, handle)));
}

Result<json::value> ListSkillRuns(service::Service& service, http::server::Exchange& exchange) {
  const Handle handle = BJ_TRY(HandleIn(exchange));
  std::size_t limit = 100;
  for (const auto& [key, value] : exchange.request().query) {
    const char* const end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, limit);
    if (key != "limit" || read.ec != std::errc() || read.ptr != end || limit < 1) {
      return Invalid("the only filter is \"limit\", a number from 1 to {}",
                     resource::skill::Registry::kMostListed);
    }
  }
  return json::value(BJ_TRY(
      run::SkillHistory(service.skills.registry(), exchange.principal().name, handle, limit)));
}

Result<run::StoredSkill> Store(service::Service& service, const http::server::Exchange& exchange) {
  const auto definition =
      BJ_TRY(resource::skill::ParseDefinition(exchange.request().body, service.live.limits()));
  // Analysis takes time too, so it needs admission.
  const service::callers::Caller caller = BJ_TRY(service::CallerOf(service, exchange.request()));
  const auto ticket = BJ_TRY(service.admission.Admit(caller, 0));
  return service.skills.Add(caller.name, definition);
}

// A skill that the policy blocks is answered as an error that includes the findings.
void PostSkill(service::Service& service, http::server::Exchange exchange) {
  const auto stored = Store(service, exchange);
  if (!stored) return exchange.Answer(ForCaller(stored.error()));
  exchange.Answer(JsonAnswer(run::StoredJson(*stored), stored->added ? 200 : 403));
}

Result<json::value> EnableSkill(service::Service& service, http::server::Exchange& exchange) {
  const Handle handle = BJ_TRY(HandleIn(exchange));
  const auto changed = BJ_TRY(service.skills.Enable(exchange.principal().name, handle));
  return json::value(run::ChangedJson(changed));
}

Result<json::value> DisableSkill(service::Service& service, http::server::Exchange& exchange) {
  const Handle handle = BJ_TRY(HandleIn(exchange));
  const json::object body = BJ_TRY(ParseStrictBody(exchange.request().body));
  std::string why;
  for (const auto& [key, value] : body) {
    if (std::string_view(key) != "why" || !value.is_string()) {
      return Error(Kind::kInvalid, "the body may have \"why\", a text, and nothing else");
    }
    why.assign(value.get_string().data(), value.get_string().size());
  }
  const auto changed = BJ_TRY(service.skills.Disable(exchange.principal().name, handle, why));
  return json::value(run::ChangedJson(changed));
}

Result<json::value> RemoveSkill(service::Service& service, http::server::Exchange& exchange) {
  const Handle handle = BJ_TRY(HandleIn(exchange));
  if (handle.version) {
    return Error(Kind::kInvalid, "a skill is removed with all its versions: leave out the version");
  }
  const auto versions = BJ_TRY(service.skills.Remove(exchange.principal().name, handle.name));
  return json::value{{"name", handle.name}, {"versions", versions}};
}

struct RequestedSkill {
  Skill skill;
  request::Request request;
};

Result<RequestedSkill> WantedRun(service::Service& service,
                                 const http::server::Exchange& exchange) {
  const Handle handle = BJ_TRY(HandleIn(exchange));
  RequestedSkill wanted;
  wanted.skill = BJ_TRY(service.skills.registry().Find(exchange.principal().name, handle));
  wanted.request = BJ_TRY(run::ParseSkillRun(wanted.skill, exchange.request().body));
  return wanted;
}

void PostSkillRun(service::Service& service, http::server::Exchange exchange) {
  const auto wanted = WantedRun(service, exchange);
  if (!wanted) return exchange.Answer(ForCaller(wanted.error()));
  Running running(service, std::move(exchange), wanted->request);
  running.Run(wanted->request.limits.memory_bytes,
              [&](run::Run& run) { return service.skills.Run(wanted->skill, run); });
}

}  // namespace

Result<> AddSkillRoutes(http::server::Router& router, service::Service& service) {
  const auto with = [&service](void (*handle)(service::Service&, http::server::Exchange)) {
    return [&service, handle](http::server::Exchange exchange) {
      handle(service, std::move(exchange));
    };
  };
  BJ_TRY(router.Add("GET", "/v1/skills", {"run", Answering(service, ListSkills)}));
  BJ_TRY(router.Add("POST", "/v1/skills",
                    http::server::Lasting({"run", with(PostSkill), kMaxRunBody})));
  BJ_TRY(router.Add("GET", "/v1/skills/{name}", {"run", Answering(service, ShowSkill)}));
  BJ_TRY(router.Add("DELETE", "/v1/skills/{name}", {"run", Answering(service, RemoveSkill)}));
  BJ_TRY(router.Add("POST", "/v1/skills/{name}/enable",
                    {"run", Answering(service, EnableSkill), kMaxSmallBody}));
  BJ_TRY(router.Add("POST", "/v1/skills/{name}/disable",
                    {"run", Answering(service, DisableSkill), kMaxSmallBody}));
  BJ_TRY(router.Add("GET", "/v1/skills/{name}/runs", {"run", Answering(service, ListSkillRuns)}));
  BJ_TRY(router.Add("POST", "/v1/skills/{name}/runs",
                    http::server::Lasting({"run", with(PostSkillRun), kMaxRunBody})));
  return {};
}

}  // namespace belljar::door::api
