#include "service/service.h"

#include "run/audit_entry.h"
namespace belljar::service {
namespace {

constexpr std::string_view kBearer = "Bearer ";

http::server::Principal PrincipalOf(const callers::Caller& caller) {
  http::server::Principal principal;
  principal.name = caller.name;
  for (const callers::Scope scope : callers::kAllScopes) {
    if (caller.scopes.Has(scope)) principal.scopes.emplace(callers::ScopeName(scope));
  }
  return principal;
}

}  // namespace

Result<callers::Caller> CallerOf(callers::TokenStore& tokens,
                                 const http::server::Request& request) {
  const auto header = request.headers.Find("authorization");
  // The scheme's name is case-insensitive (RFC 9110, 11.1).
  if (header && http::server::EqualIgnoringCase(header->substr(0, kBearer.size()), kBearer)) {
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

Result<http::server::Principal> Authenticate(Service& service,
                                             const http::server::Request& request) {
  return PrincipalOf(BJ_TRY(CallerOf(service, request)));
}

std::string SessionIdIn(Service& service, const http::server::Exchange& exchange) {
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

Result<> Note(Service& service, const http::server::Exchange& exchange, record::Event event,
              json::object detail) {
  TraceContext marks = TraceContextOf(exchange.request().headers);
  run::Origin origin;
  origin.caller = exchange.principal().name;
  origin.session_id = SessionIdIn(service, exchange);
  origin.correlation_id = std::move(marks.correlation_id);
  origin.traceparent = std::move(marks.traceparent);
  BJ_TRY(service.log.Append(run::EntryFrom(event, origin, std::move(detail))));
  return {};
}

run::SkillWatch WatchSkills(Events& events, log::Journal& journal) {
  using run::Origin;
  const auto line = [](const resource::skill::Skill& skill, const Origin& origin,
                       std::string_view event, json::object more) {
    log::Line told;
    told.level = log::Level::kWarning;
    told.from = log::Detail::kMinimal;
    told.event = event;
    told.id = origin.run_id;
    told.correlation_id = origin.correlation_id;
    told.traceparent = origin.traceparent;
    told.caller = skill.caller;
    told.more = std::move(more);
    told.more["skill"] = resource::skill::HandleText(skill);
    return told;
  };
  run::SkillWatch watch;
  watch.on_disabled = [&events, &journal, line](const resource::skill::Skill& skill,
                                                const Origin& origin) {
    journal.Write(line(skill, origin, "skill_disabled", {{"why", skill.why}}));
    json::object told = {{"name", skill.definition.name},
                         {"version", skill.version},
                         {"state", resource::skill::StateName(skill.state)},
                         {"why", skill.why}};
    events.Publish(skill.caller, "skill",
                   WithTraceContext(std::move(told), origin.correlation_id, origin.traceparent));
  };
  watch.on_trouble = [&journal, line](const resource::skill::Skill& skill, const Origin& origin,
                                      const Error& error) {
    journal.Write(line(skill, origin, "skill_run_not_noted", {{"message", error.message()}}));
  };
  return watch;
}

}  // namespace belljar::service
