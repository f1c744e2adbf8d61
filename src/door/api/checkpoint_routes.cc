// Checkpoints of sessions over HTTP: create, list, delete, roll back, fork; pause and resume.
#include <fmt/format.h>

#include "door/api/answers.h"
#include "door/api/routes.h"
#include "run/session/session_json.h"

namespace belljar::door::api {
namespace {

const std::string& SessionIn(const http::server::Exchange& exchange) {
  return exchange.request().params.at("id");
}

// Returns the value of `key`, the only key that the body may have.
Result<json::value> TakeOnly(std::string_view body, std::string_view key) {
  const json::object object = BJ_TRY(ParseStrictBody(body));
  for (const auto& member : object) {
    if (member.key() == key) continue;
    return Error(Kind::kInvalid, fmt::format("unknown key \"{}\": only \"{}\" is taken here",
                                             std::string_view(member.key()), key));
  }
  const json::value* const value = object.if_contains(key);
  if (value == nullptr) return Error(Kind::kInvalid, fmt::format("\"{}\" is missing", key));
  return *value;
}

Result<> TakeNothing(std::string_view body) {
  const json::object object = BJ_TRY(ParseStrictBody(body));
  if (object.empty()) return {};
  return Error(Kind::kInvalid, fmt::format("unknown key \"{}\": nothing is taken here",
                                           std::string_view(object.begin()->key())));
}

Result<json::value> Save(service::Service& service, http::server::Exchange& exchange) {
  BJ_TRY(TakeNothing(exchange.request().body));
  const auto info =
      BJ_TRY(service.sessions.checkpoints().Make(exchange.principal().name, SessionIn(exchange)));
  BJ_TRY(service::Note(service, exchange, record::Event::kCheckpoint, ToJson(info)));
  return json::value(ToJson(info));
}

Result<json::value> ListCheckpoints(service::Service& service, http::server::Exchange& exchange) {
  json::array checkpoints;
  for (const auto& info : BJ_TRY(
           service.sessions.checkpoints().List(exchange.principal().name, SessionIn(exchange)))) {
    checkpoints.push_back(ToJson(info));
  }
  return json::value{{"checkpoints", std::move(checkpoints)}};
}

Result<json::value> Drop(service::Service& service, http::server::Exchange& exchange) {
  const std::string& checkpoint = exchange.request().params.at("checkpoint");
  BJ_TRY(service.sessions.checkpoints().Drop(exchange.principal().name, SessionIn(exchange),
                                             checkpoint));
  json::object dropped = {{"id", checkpoint}, {"deleted", true}};
  BJ_TRY(service::Note(service, exchange, record::Event::kCheckpoint, dropped));
  return json::value(std::move(dropped));
}

Result<json::value> Rollback(service::Service& service, http::server::Exchange& exchange) {
  const json::value wanted = BJ_TRY(TakeOnly(exchange.request().body, "checkpoint"));
  if (!wanted.is_string()) return Error(Kind::kInvalid, "\"checkpoint\" must be a text");
  const std::string checkpoint(wanted.get_string());
  const auto info = BJ_TRY(service.sessions.checkpoints().Rollback(
      exchange.principal().name, SessionIn(exchange), checkpoint));
  BJ_TRY(service::Note(service, exchange, record::Event::kRollback, {{"checkpoint", checkpoint}}));
  return json::value(ToJson(info));
}

// Admits the new sessions: each counts as one that its caller has created.
Result<std::vector<std::shared_ptr<void>>> AdmitBranches(service::Service& service,
                                                         http::server::Exchange& exchange,
                                                         std::uint64_t count) {
  const service::callers::Caller who = BJ_TRY(service::CallerOf(service, exchange.request()));
  const request::Request shape = BJ_TRY(service.sessions.Shape(who.name, SessionIn(exchange)));
  std::vector<std::shared_ptr<void>> holds;
  for (std::uint64_t i = 0; i < count; ++i) {
    holds.push_back(std::make_shared<service::callers::Admission::Ticket>(
        BJ_TRY(service.admission.AdmitSession(who, shape.limits.memory_bytes))));
  }
  return holds;
}

Result<json::value> Fork(service::Service& service, http::server::Exchange& exchange) {
  const json::value wanted = BJ_TRY(TakeOnly(exchange.request().body, "count"));
  constexpr std::int64_t kMost = 100;
  if (!wanted.is_int64() || wanted.get_int64() < 1 || wanted.get_int64() > kMost) {
    return Error(Kind::kInvalid, fmt::format("\"count\" must be a number from 1 to {}", kMost));
  }
  const auto holds =
      BJ_TRY(AdmitBranches(service, exchange, static_cast<std::uint64_t>(wanted.get_int64())));
  const std::string& caller = exchange.principal().name;
  json::array sessions;
  json::array ids;
  for (const auto& info :
       BJ_TRY(service.sessions.checkpoints().Fork(caller, SessionIn(exchange), holds))) {
    sessions.push_back(ToJson(info));
    ids.emplace_back(info.id);
  }
  BJ_TRY(service::Note(service, exchange, record::Event::kFork, {{"sessions", std::move(ids)}}));
  return json::value{{"sessions", std::move(sessions)}};
}

Result<json::value> Pause(service::Service& service, http::server::Exchange& exchange) {
  const auto info =
      BJ_TRY(service.sessions.pauses().Pause(exchange.principal().name, SessionIn(exchange)));
  return json::value(ToJson(info));
}

// A resumed session and its memory count against the caller's quotas again.
Result<json::value> Resume(service::Service& service, http::server::Exchange& exchange) {
  const service::callers::Caller who = BJ_TRY(service::CallerOf(service, exchange.request()));
  const auto admit = [&](const request::Request& shape) -> Result<std::shared_ptr<void>> {
    std::shared_ptr<void> ticket = std::make_shared<service::callers::Admission::Ticket>(
        BJ_TRY(service.admission.AdmitSession(who, shape.limits.memory_bytes)));
    return ticket;
  };
  const auto info = BJ_TRY(service.sessions.pauses().Resume(who.name, SessionIn(exchange), admit));
  return json::value(ToJson(info));
}

}  // namespace

Result<> AddCheckpointRoutes(http::server::Router& router, service::Service& service) {
  const std::string one = "/v1/sessions/{id}";
  const std::string all = one + "/checkpoints";
  BJ_TRY(router.Add("POST", all,
                    http::server::Lasting({"sessions", Answering(service, Save), kMaxSmallBody})));
  BJ_TRY(router.Add("GET", all, {"sessions", Answering(service, ListCheckpoints)}));
  BJ_TRY(router.Add("DELETE", all + "/{checkpoint}", {"sessions", Answering(service, Drop)}));
  BJ_TRY(
      router.Add("POST", one + "/rollback",
                 http::server::Lasting({"sessions", Answering(service, Rollback), kMaxSmallBody})));
  BJ_TRY(router.Add("POST", one + "/pause",
                    http::server::Lasting({"sessions", Answering(service, Pause), kMaxSmallBody})));
  BJ_TRY(
      router.Add("POST", one + "/resume",
                 http::server::Lasting({"sessions", Answering(service, Resume), kMaxSmallBody})));
  BJ_TRY(router.Add("POST", one + "/fork",
                    http::server::Lasting({"sessions", Answering(service, Fork), kMaxSmallBody})));
  return {};
}

}  // namespace belljar::door::api
