// Judgement over HTTP: checks of requests, and approval questions.
//
// A caller sees and cancels its own questions. Callers with the scope "approve" see all questions
// and answer them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "door/api/answers.h"
#include "door/api/routes.h"
#include "foundation/base/text.h"
#include "judgement/approval/approvals.h"
#include "run/asking.h"
#include "run/assessment.h"
#include "run/check.h"

namespace belljar::door::api {
namespace {

using judgement::approval::Viewer;

// ?quick: do not ask the interpreter.
Result<run::AskInterpreter> AskIn(const http::server::Exchange& exchange) {
  for (const auto& [key, value] : exchange.request().query) {
    if (key == "quick" && (value.empty() || value == "true")) return run::AskInterpreter::kNever;
    return Error(Kind::kInvalid, "a check takes \"?quick\", and nothing else beside its body");
  }
  return run::AskInterpreter::kAlways;
}

Result<json::value> PostCheck(service::Service& service, http::server::Exchange& exchange) {
  const auto request =
      BJ_TRY(request::ParseRequest(exchange.request().body, service.live.limits()));
  // Analysis takes time too, so it needs admission.
  const service::callers::Caller caller = BJ_TRY(service::CallerOf(service, exchange.request()));
  const auto ask = BJ_TRY(AskIn(exchange));
  const bool in_a_cell = ask != run::AskInterpreter::kNever;
  const auto ticket =
      BJ_TRY(service.admission.Admit(caller, in_a_cell ? request::Limits().memory_bytes : 0));
  const auto checked = BJ_TRY(service.engine.Check(request, ask));
  return json::value(run::CheckJson(request, checked));
}

bool MayApprove(const http::server::Exchange& exchange) {
  const auto& scopes = exchange.principal().scopes;
  return scopes.contains("approve") || scopes.contains("admin");
}

Viewer ViewerOf(const http::server::Exchange& exchange) {
  return MayApprove(exchange) ? Viewer::Everything() : Viewer::Owner(exchange.principal().name);
}

judgement::approval::Approvals& Questions(service::Service& service) { return service.approvals; }

Result<json::value> ListQuestions(service::Service& service, http::server::Exchange& exchange) {
  judgement::approval::Filter filter;
  for (const auto& [key, value] : exchange.request().query) {
    if (key == "state") {
      filter.state = judgement::approval::ParseState(value);
      if (!filter.state) {
        return Error(Kind::kInvalid,
                     fmt::format("there is no state \"{}\"; there are waiting, approved, denied, "
                                 "expired, cancelled and used",
                                 value.substr(0, 64)));
      }
    } else if (key == "after") {
      filter.after = value;
    } else {
      return Error(Kind::kInvalid,
                   fmt::format("unknown filter \"{}\"; known: state, after", key.substr(0, 64)));
    }
  }
  static_cast<void>(BJ_TRY(Questions(service).Expire()));
  json::array questions;
  for (const auto& question : BJ_TRY(Questions(service).List(filter, ViewerOf(exchange)))) {
    questions.push_back(judgement::approval::ToJson(question));
  }
  return json::value{{"approvals", std::move(questions)}};
}

Result<json::value> ShowQuestion(service::Service& service, http::server::Exchange& exchange) {
  const std::string& id = exchange.request().params.at("id");
  const auto question = BJ_TRY(Questions(service).Show(id, ViewerOf(exchange)));
  return json::value(judgement::approval::ToJson(question));
}

Result<std::string> TextIn(const json::object& body, std::string_view key) {
  const json::value* const value = body.if_contains(key);
  if (value == nullptr) return std::string();
  if (!value->is_string()) {
    return Error(Kind::kInvalid, fmt::format("\"{}\" must be a text", key));
  }
  return std::string(value->get_string().c_str(), value->get_string().size());
}

Result<json::object> AnswerBody(const http::server::Exchange& exchange,
                                std::initializer_list<std::string_view> known) {
  json::object body = BJ_TRY(ParseStrictBody(exchange.request().body));
  for (const auto& [key, value] : body) {
    if (std::ranges::find(known, std::string_view(key)) != known.end()) continue;
    return Error(Kind::kInvalid,
                 fmt::format("unknown key \"{}\"; known: {}", std::string_view(key).substr(0, 64),
                             fmt::join(known, ", ")));
  }
  return body;
}

// The caller's answer. Whether requesters may approve their own requests is stated in the policy
// that the request was judged by.
Result<judgement::approval::Approval> ApprovalIn(service::Service& service,
                                                 const http::server::Exchange& exchange) {
  const json::object body = BJ_TRY(AnswerBody(exchange, {"digest", "grant", "for", "note"}));
  judgement::approval::Approval approval;
  const auto question =
      BJ_TRY(Questions(service).Show(exchange.request().params.at("id"), Viewer::Everything()));
  approval.approver = {exchange.principal().name, run::Asking::OwnOf(question)};
  approval.digest = BJ_TRY(TextIn(body, "digest"));
  approval.note = BJ_TRY(TextIn(body, "note"));
  const std::string grant = BJ_TRY(TextIn(body, "grant"));
  if (!grant.empty()) {
    const auto kind = judgement::approval::ParseGrant(grant);
    if (!kind) return Error(Kind::kInvalid, "\"grant\" is once, session or digest");
    approval.grant.kind = *kind;
  }
  const std::string lasts = BJ_TRY(TextIn(body, "for"));
  if (!lasts.empty()) approval.grant.lasts = BJ_TRY(request::ParseDuration(lasts).While("\"for\""));
  return approval;
}

// The question as JSON, with the trace context of the request in question, not of the one that
// answers.
json::value Told(service::Service& service, const judgement::approval::Question& question) {
  json::object told = judgement::approval::ToJson(question);
  service.events.Publish(
      question.caller, "approval",
      service::WithTraceContext(
          {{"id", question.id}, {"state", judgement::approval::StateName(question.state)}},
          question.correlation_id, ""));
  return told;
}

Result<json::value> ApproveQuestion(service::Service& service, http::server::Exchange& exchange) {
  const auto approval = BJ_TRY(ApprovalIn(service, exchange));
  const std::string& id = exchange.request().params.at("id");
  return Told(service, BJ_TRY(service.engine.asking().Approve(id, approval)));
}

Result<json::value> DenyQuestion(service::Service& service, http::server::Exchange& exchange) {
  const json::object body = BJ_TRY(AnswerBody(exchange, {"note"}));
  const std::string note = BJ_TRY(TextIn(body, "note"));
  const std::string& id = exchange.request().params.at("id");
  const auto& by = exchange.principal().name;
  return Told(service, BJ_TRY(service.engine.asking().Deny(id, by, note)));
}

Result<json::value> RevokeQuestion(service::Service& service, http::server::Exchange& exchange) {
  const json::object body = BJ_TRY(AnswerBody(exchange, {"note"}));
  const std::string note = BJ_TRY(TextIn(body, "note"));
  const std::string& id = exchange.request().params.at("id");
  const auto& by = exchange.principal().name;
  return Told(service, BJ_TRY(service.engine.asking().Revoke(id, by, note)));
}

Result<json::value> CancelQuestion(service::Service& service, http::server::Exchange& exchange) {
  const json::object body = BJ_TRY(AnswerBody(exchange, {"note"}));
  const std::string note = BJ_TRY(TextIn(body, "note"));
  const std::string& id = exchange.request().params.at("id");
  return Told(service, BJ_TRY(Questions(service).Cancel(id, exchange.principal().name, note)));
}

}  // namespace

Result<> AddJudgementRoutes(http::server::Router& router, service::Service& service) {
  BJ_TRY(router.Add("POST", "/v1/check",
                    http::server::Lasting({"run", Answering(service, PostCheck), kMaxRunBody})));
  BJ_TRY(router.Add("GET", "/v1/approvals", {"run|approve", Answering(service, ListQuestions)}));
  BJ_TRY(
      router.Add("GET", "/v1/approvals/{id}", {"run|approve", Answering(service, ShowQuestion)}));
  BJ_TRY(router.Add("POST", "/v1/approvals/{id}/approve",
                    {"approve", Answering(service, ApproveQuestion), kMaxSmallBody}));
  BJ_TRY(router.Add("POST", "/v1/approvals/{id}/deny",
                    {"approve", Answering(service, DenyQuestion), kMaxSmallBody}));
  BJ_TRY(router.Add("POST", "/v1/approvals/{id}/revoke",
                    {"approve", Answering(service, RevokeQuestion), kMaxSmallBody}));
  BJ_TRY(router.Add("POST", "/v1/approvals/{id}/cancel",
                    {"run", Answering(service, CancelQuestion), kMaxSmallBody}));
  return {};
}

}  // namespace belljar::door::api
