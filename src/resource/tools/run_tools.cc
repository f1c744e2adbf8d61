#include "resource/tools/run_tools.h"

#include <fmt/format.h>

#include <thread>

#include "foundation/base/json_scan.h"
#include "resource/redact_json.h"

namespace belljar::resource::tools {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kListPatience{20};
constexpr std::size_t kMaxListBytes = 4U << 20;
// A call beyond the limits is answered with a delay, which slows down a program that keeps trying.
constexpr std::chrono::milliseconds kLateAnswer{50};
constexpr std::int64_t kParseError = -32700, kInvalidRequest = -32600, kInvalidParams = -32602;
constexpr std::int64_t kNotDone = 1;

std::string ErrorText(const json::value& id, std::int64_t code, std::string_view message,
                      std::string_view kind) {
  return json::serialize(
      json::object{{"jsonrpc", "2.0"},
                   {"id", id},
                   {"error", {{"code", code}, {"message", message}, {"data", {{"kind", kind}}}}}});
}

bool IsId(const json::value& id) {
  return id.is_int64() || id.is_uint64() || (id.is_string() && id.get_string().size() <= 256);
}

bool IsRequest(const json::object& object) {
  const json::value* const version = object.if_contains("jsonrpc");
  const json::value* const id = object.if_contains("id");
  const json::value* const method = object.if_contains("method");
  const json::value* const params = object.if_contains("params");
  return version != nullptr && *version == json::value("2.0") && id != nullptr && IsId(*id) &&
         method != nullptr && method->is_string() && (params == nullptr || params->is_object());
}

// The error for a number that would lose digits. The place is shown as the guest wrote it, without
// the enclosing "params.arguments.".
std::string TooLarge(std::string_view place) {
  for (const std::string_view ours : {"params.", "arguments."}) {
    if (place.starts_with(ours)) place.remove_prefix(ours.size());
  }
  return fmt::format(
      "the number of \"{}\" is beyond 64 bits, or too large, and would be changed on the way: "
      "give it as a text",
      place.substr(0, 256));
}

Result<std::string> NameIn(const json::object& params, std::string_view key) {
  const json::value* const value = params.if_contains(key);
  if (value == nullptr || !value->is_string() || value->get_string().size() > 256) {
    return Error(Kind::kInvalid, fmt::format("\"{}\" must be a name", key));
  }
  return std::string(value->get_string());
}

json::object ToolJson(const mcp::Tool& tool, judgement::policy::ToolVerdict verdict) {
  json::object told{{"name", tool.name},
                    {"description", tool.description},
                    {"inputSchema", tool.input_schema},
                    {"asks", verdict == judgement::policy::ToolVerdict::kAsk}};
  if (tool.output_schema) told["outputSchema"] = *tool.output_schema;
  return told;
}

json::object ResultJson(mcp::CallResult result) {
  json::object told{{"content", std::move(result.content)}, {"isError", result.is_error}};
  if (result.structured) told["structuredContent"] = *std::move(result.structured);
  return told;
}

}  // namespace

ToolRun::ToolRun(McpServers& servers, judgement::policy::ToolServers terms, ToolHooks hooks,
                 std::shared_ptr<ToolCounts> counts)
    : servers_(servers),
      terms_(std::move(terms)),
      hooks_(std::move(hooks)),
      counts_(std::move(counts)) {}

void ToolRun::Stop() {
  calls_.Stop();
  if (databases_) databases_->calls().Stop();
}

void ToolRun::RevokeTools() { calls_.Revoke(); }

void ToolRun::RevokeDatabases() {
  if (databases_) databases_->calls().Revoke();
}

void ToolRun::Recheck() {
  calls_.Recheck();
  if (databases_) databases_->Recheck();
}

void ToolRun::OpenDatabases(database::DatabaseWorkers& workers, judgement::policy::Databases terms,
                            database::DatabaseHooks hooks) {
  databases_ = std::make_unique<database::DatabaseRun>(
      workers, std::move(terms),
      database::DatabaseRun::Shared{std::move(hooks), hooks_.redactor, counts_}, clock_);
}

std::uint64_t ToolRun::calls() const { return made_ + (databases_ ? databases_->made() : 0); }

std::string ToolRun::Answer(std::string_view line) {
  const auto parsed = ParseJson(line, kMaxJsonDepth, Numbers::kAny);
  const json::object* const request = parsed ? parsed->if_object() : nullptr;
  const auto refuse = [this](const json::value& id, std::int64_t code, std::string_view why) {
    if (!counts_->CountOther()) std::this_thread::sleep_for(kLateAnswer);
    return ErrorText(id, code, why, "invalid");
  };
  if (request == nullptr) return refuse(nullptr, kParseError, "a line must be one object of JSON");
  if (!IsRequest(*request)) {
    return refuse(nullptr, kInvalidRequest, "that is no request of JSON-RPC 2.0");
  }
  const json::value& id = request->at("id");
  if (const auto place = PlaceOfUnheldNumber(line)) {
    return refuse(id, kInvalidParams, TooLarge(*place));
  }
  static const json::object kNone;
  const json::value* const params = request->if_contains("params");
  auto result =
      Serve(std::string(request->at("method").get_string()), params ? params->get_object() : kNone);
  if (result) {
    return json::serialize(
        json::object{{"jsonrpc", "2.0"}, {"id", id}, {"result", *std::move(result)}});
  }
  const Error& error = result.error();
  if (error.kind() == Kind::kExhausted) std::this_thread::sleep_for(kLateAnswer);
  const std::int64_t code = error.kind() == Kind::kInvalid ? kInvalidParams : kNotDone;
  return ErrorText(id, code, error.message(), KindName(error.kind()));
}

Result<json::object> ToolRun::Serve(const std::string& method, const json::object& params) {
  if (method == "tools/call") return Call(params);
  if (method.starts_with("databases/") && databases_) return databases_->Serve(method, params);
  BJ_TRY(counts_->CountOther());
  if (method == "tools/list") return List(params);
  if (method == "servers/list") return ListServers();
  if (method == "databases/list") return json::object{{"databases", json::array()}};
  if (method.starts_with("databases/"))
    return Error(Kind::kDenied, "the policy lists no databases");
  return Error(Kind::kInvalid,
               "there are servers/list, tools/list, tools/call, databases/list, "
               "databases/describe, databases/query and databases/write, and no other method");
}

Result<const judgement::policy::ToolServer*> ToolRun::TermsOf(const std::string& server) const {
  const auto found = terms_.find(server);
  if (found != terms_.end()) return &found->second;
  return Error(Kind::kDenied, "the policy lists no such server");
}

Result<json::object> ToolRun::ListServers() const {
  json::array names;
  for (const auto& [name, terms] : terms_) names.emplace_back(name);
  return json::object{{"servers", std::move(names)}};
}

Result<json::object> ToolRun::List(const json::object& params) {
  const std::string name = BJ_TRY(NameIn(params, "server"));
  const judgement::policy::ToolServer* const terms = BJ_TRY(TermsOf(name));
  const RunCalls::Call under_way(calls_, [&] { return hooks_.terms_now(name) != nullptr; });
  if (under_way.revoked() || !under_way.still_allowed()) return TakenAway();
  // The server may have to be started first.
  const auto longest = std::max<std::chrono::milliseconds>(kListPatience, terms->timeout);
  const mcp::Patience patience{Clock::now() + longest, under_way.stop()};
  const auto server = BJ_TRY(servers_.For(name, *terms));
  const auto tools = BJ_TRY(server->Tools(patience).While(name));
  json::array listed;
  std::size_t bytes = 0;
  for (const mcp::Tool& tool : *tools) {
    const auto verdict = judgement::policy::JudgeTool(*terms, tool.name);
    if (verdict == judgement::policy::ToolVerdict::kDeny) continue;
    json::value told = ToolJson(tool, verdict);
    RedactJson(hooks_.redactor.get(), told);
    bytes += json::serialize(told).size();
    if (bytes > kMaxListBytes)
      return Error(Kind::kExhausted, name + " describes its tools at too great length");
    listed.push_back(std::move(told));
  }
  return json::object{{"tools", std::move(listed)}};
}

// Counts the call, and returns its terms or the reason for a refusal.
Result<const judgement::policy::ToolServer*> ToolRun::Admit(const ToolCall& call) {
  const auto terms = TermsOf(call.server);
  if (!terms) {
    BJ_TRY(counts_->CountOther());
    return terms.error();
  }
  BJ_TRY(counts_->Count(call.server, (*terms)->max_calls, (*terms)->calls_per_minute));
  return *terms;
}

Result<json::object> ToolRun::Call(const json::object& params) {
  ToolCall call;
  call.server = BJ_TRY(NameIn(params, "server"));
  call.tool = BJ_TRY(NameIn(params, "tool"));
  if (!mcp::IsToolName(call.tool)) return Error(Kind::kInvalid, "that is no name of a tool");
  if (const json::value* arguments = params.if_contains("arguments")) {
    if (!arguments->is_object()) return Error(Kind::kInvalid, "\"arguments\" must be an object");
    call.arguments = arguments->get_object();
  }
  const auto terms = Admit(call);
  if (!terms && !told_refusals_.Take()) return terms.error();
  ToolRecord record{call, "", json::serialize(call.arguments).size()};
  const auto begun = Clock::now();
  auto result = terms ? CallCounted(call, **terms, record) : Result<json::object>(terms.error());
  record.took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  if (!result) record.outcome = KindName(result.error().kind());
  const auto recorded = hooks_.record(record);
  if (!recorded)
    return Error(Kind::kUnavailable, "the call cannot be recorded: " + recorded.error().message());
  return result;
}

Result<json::object> ToolRun::CallCounted(const ToolCall& call,
                                          const judgement::policy::ToolServer& terms,
                                          ToolRecord& record) {
  using judgement::policy::ToolVerdict;
  if (record.argument_bytes > terms.argument_bytes) {
    return Error(Kind::kInvalid, fmt::format("the arguments take {} bytes; the policy allows {}",
                                             record.argument_bytes, terms.argument_bytes));
  }
  const auto verdict = JudgeByBoth(call, terms);
  // A call that no person has approved is cancelled if the current policy requires approval.
  const bool asks = verdict && *verdict == ToolVerdict::kAsk;
  const RunCalls::Call under_way(calls_, [&] {
    const auto now = JudgeNow(call);
    return now && (asks || *now != ToolVerdict::kAsk);
  });
  auto result = [&]() -> Result<json::object> {
    const auto found = BJ_TRY(verdict);
    BJ_TRY(Authorise(call, found, under_way, record));
    return Forward(call, terms, under_way, record);
  }();
  if (!result) return under_way.Why(result.error());
  return result;
}

// Checks the tool's name and the arguments.
Result<judgement::policy::ToolVerdict> ToolRun::Judge(
    const ToolCall& call, const judgement::policy::ToolServer& terms) const {
  const auto verdict = judgement::policy::JudgeTool(terms, call.tool);
  if (verdict == judgement::policy::ToolVerdict::kDeny &&
      !hooks_.left_out.Has(Control::kToolNames)) {
    return Error(Kind::kDenied,
                 fmt::format("the policy does not allow this tool of {}", call.server));
  }
  auto refused = judgement::policy::RefuseArguments(terms, call.tool, call.arguments);
  if (refused && !hooks_.left_out.Has(Control::kToolArguments)) {
    return Error(Kind::kDenied, *std::move(refused));
  }
  return verdict;
}

Result<judgement::policy::ToolVerdict> ToolRun::JudgeNow(const ToolCall& call) const {
  const auto terms = hooks_.terms_now(call.server);
  const auto verdict =
      terms ? Judge(call, *terms) : Result<judgement::policy::ToolVerdict>(TakenAway());
  if (!verdict) return TakenAway();
  return verdict;
}

// Checks the call against the run's original policy and the current one, and returns the stricter
// verdict.
Result<judgement::policy::ToolVerdict> ToolRun::JudgeByBoth(
    const ToolCall& call, const judgement::policy::ToolServer& terms) const {
  const auto verdict = BJ_TRY(Judge(call, terms));
  const auto now = BJ_TRY(JudgeNow(call));
  return now == judgement::policy::ToolVerdict::kAsk ? now : verdict;
}

Result<> ToolRun::Authorise(const ToolCall& call, judgement::policy::ToolVerdict verdict,
                            const RunCalls::Call& under_way, ToolRecord& record) {
  if (!under_way.still_allowed()) return TakenAway();
  const bool asks = verdict == judgement::policy::ToolVerdict::kAsk;
  if (asks && !hooks_.left_out.Has(Control::kToolQuestion)) {
    BJ_TRY(AskPerson(call, under_way, record));
  }
  if (under_way.stopped()) return RunIsOver();
  return {};
}

Result<> ToolRun::AskPerson(const ToolCall& call, const RunCalls::Call& under_way,
                            ToolRecord& record) {
  const auto begun = Clock::now();
  const WaitClock::Waiting waiting(clock_);
  auto agreed = hooks_.ask(call, under_way.stop());
  record.asked = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  BJ_TRY(std::move(agreed));
  // The policy may have changed while the person decided.
  if (!under_way.still_allowed()) return TakenAway();
  return {};
}

Result<json::object> ToolRun::Forward(const ToolCall& call,
                                      const judgement::policy::ToolServer& terms,
                                      const RunCalls::Call& under_way, ToolRecord& record) {
  const auto server = BJ_TRY(servers_.For(call.server, terms));
  ++made_;
  record.made = true;
  const mcp::Patience patience{Clock::now() + terms.timeout, under_way.stop()};
  auto answer = BJ_TRY(server->Call(call.tool, call.arguments, patience).While(call.server));
  record.outcome = answer.is_error ? "error" : "ok";
  json::value told = ResultJson(std::move(answer));
  record.result_bytes = json::serialize(told).size();
  if (record.result_bytes > terms.result_bytes) {
    return Error(Kind::kExhausted, fmt::format("the result takes {} bytes; the policy allows {}",
                                               record.result_bytes, terms.result_bytes));
  }
  RedactJson(hooks_.redactor.get(), told);
  return std::move(told.get_object());
}

}  // namespace belljar::resource::tools
