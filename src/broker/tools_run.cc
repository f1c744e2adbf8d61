#include "broker/tools_run.h"

#include <fmt/format.h>

#include <thread>

namespace belljar::broker {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kListPatience{20};
constexpr std::uint32_t kOthersPerMinute = 600;
constexpr std::size_t kMaxListBytes = 4U << 20;
// Who asks for more than there is gets the answer late, so that asking on is of no use.
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

Result<std::string> NameIn(const json::object& params, std::string_view key) {
  const json::value* const value = params.if_contains(key);
  if (value == nullptr || !value->is_string() || value->get_string().size() > 256) {
    return Error(Kind::kInvalid, fmt::format("\"{}\" must be a name", key));
  }
  return std::string(value->get_string());
}

Error RunIsOver() { return Error(Kind::kDenied, "no run is going on that could call tools"); }

Error ToolsRevoked() {
  return Error(Kind::kDenied, "what this call needs has been taken away from the run");
}

json::object ToolJson(const mcp::Tool& tool, policy::ToolVerdict verdict) {
  json::object told{{"name", tool.name},
                    {"description", tool.description},
                    {"inputSchema", tool.input_schema},
                    {"asks", verdict == policy::ToolVerdict::kAsk}};
  if (tool.output_schema) told["outputSchema"] = *tool.output_schema;
  return told;
}

json::object ResultJson(mcp::CallResult result) {
  json::object told{{"content", std::move(result.content)}, {"isError", result.is_error}};
  if (result.structured) told["structuredContent"] = *std::move(result.structured);
  return told;
}

// Every text of a value and every name in it, one below the other.
void AddTexts(const json::value& value, std::string& texts) {
  if (const json::string* text = value.if_string()) {
    texts.append(text->data(), text->size()).append("\n");
  } else if (const json::array* list = value.if_array()) {
    for (const json::value& each : *list) AddTexts(each, texts);
  } else if (const json::object* object = value.if_object()) {
    for (const auto& [name, member] : *object) {
      texts.append(name.data(), name.size()).append("\n");
      AddTexts(member, texts);
    }
  }
}

// One by one: cut out of the written form, a secret might take a quote with it.
void RedactTexts(const redact::Redactor& redactor, json::value& value) {
  redact::Counts counts;
  if (json::string* text = value.if_string()) {
    *text = redactor.RedactWhole(*text, counts);
  } else if (json::array* list = value.if_array()) {
    for (json::value& each : *list) RedactTexts(redactor, each);
  } else if (json::object* object = value.if_object()) {
    json::object clean;
    for (auto& [name, member] : *object) {
      RedactTexts(redactor, member);
      clean[redactor.RedactWhole(name, counts)] = std::move(member);
    }
    *object = std::move(clean);
  }
}

}  // namespace

Result<> ToolCounts::Count(const std::string& server, const policy::ToolServer& terms) {
  const std::lock_guard lock(mutex_);
  Of& of = of_[server];
  if (of.calls >= terms.max_calls) {
    return Error(Kind::kExhausted,
                 fmt::format("all {} calls of {} that the policy allows are used up",
                             terms.max_calls, server));
  }
  const auto wait =
      of.window.WaitFor(static_cast<std::uint32_t>(terms.calls_per_minute), Clock::now());
  if (wait.count() > 0) {
    return Error(Kind::kExhausted,
                 fmt::format("the policy allows {} calls of {} in a minute; the next one in {} s",
                             terms.calls_per_minute, server, wait.count()));
  }
  ++of.calls;
  of.window.Count(Clock::now());
  return {};
}

Result<> ToolCounts::CountOther() {
  const std::lock_guard lock(mutex_);
  if (others_.WaitFor(kOthersPerMinute, Clock::now()).count() > 0) {
    return Error(Kind::kExhausted, "too many requests in a minute that are no calls");
  }
  others_.Count(Clock::now());
  return {};
}

// Among the calls under way while it lives.
class ToolRun::Entered {
 public:
  Entered(ToolRun& run, UnderWay& call) : run_(run), call_(call) {
    const std::lock_guard lock(run_.mutex_);
    call_.revoked = run_.revoked_;
    if (run_.stopped_ || run_.revoked_) call_.stop.request_stop();
    run_.under_way_.push_back(&call_);
  }
  ~Entered() {
    const std::lock_guard lock(run_.mutex_);
    run_.under_way_.remove(&call_);
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  ToolRun& run_;
  UnderWay& call_;
};

// The run waits for a person while it lives.
class ToolRun::Waiting {
 public:
  explicit Waiting(ToolRun& run) : run_(run) {
    const std::lock_guard lock(run_.mutex_);
    if (run_.waiting_++ == 0) run_.waiting_since_ = Clock::now();
  }
  ~Waiting() {
    const std::lock_guard lock(run_.mutex_);
    if (--run_.waiting_ == 0) run_.waited_ += Clock::now() - run_.waiting_since_;
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  ToolRun& run_;
};

ToolRun::ToolRun(McpServers& servers, policy::ToolServers terms, ToolHooks hooks,
                 std::shared_ptr<ToolCounts> counts)
    : servers_(servers),
      terms_(std::move(terms)),
      hooks_(std::move(hooks)),
      counts_(std::move(counts)) {}

void ToolRun::Stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  for (UnderWay* call : under_way_) call->stop.request_stop();
}

void ToolRun::Revoke() {
  const std::lock_guard lock(mutex_);
  revoked_ = true;
  for (UnderWay* call : under_way_) {
    call->revoked = true;
    call->stop.request_stop();
  }
}

void ToolRun::Recheck() {
  const std::lock_guard lock(mutex_);
  for (UnderWay* call : under_way_) {
    if (hooks_.still_allowed(call->call.server, call->call.tool)) continue;
    call->revoked = true;
    call->stop.request_stop();
  }
}

std::chrono::milliseconds ToolRun::waited() {
  const std::lock_guard lock(mutex_);
  auto all = waited_;
  if (waiting_ > 0) all += Clock::now() - waiting_since_;
  return std::chrono::duration_cast<std::chrono::milliseconds>(all);
}

std::string ToolRun::Answer(std::string_view line) {
  const auto parsed = ParseJson(line);
  const json::object* const request = parsed ? parsed->if_object() : nullptr;
  if (request == nullptr) {
    if (!counts_->CountOther()) std::this_thread::sleep_for(kLateAnswer);
    return ErrorText(nullptr, kParseError, "a line must be one object of JSON", "invalid");
  }
  const json::value* const id = request->if_contains("id");
  const json::value* const method = request->if_contains("method");
  const json::value* const params = request->if_contains("params");
  const bool sound = id != nullptr && IsId(*id) && method != nullptr && method->is_string() &&
                     (params == nullptr || params->is_object());
  if (!sound) {
    if (!counts_->CountOther()) std::this_thread::sleep_for(kLateAnswer);
    return ErrorText(nullptr, kInvalidRequest, "that is no request of JSON-RPC 2.0", "invalid");
  }
  static const json::object kNone;
  auto result = Serve(std::string(method->get_string()), params ? params->get_object() : kNone);
  if (result) {
    return json::serialize(
        json::object{{"jsonrpc", "2.0"}, {"id", *id}, {"result", *std::move(result)}});
  }
  const Error& error = result.error();
  if (error.kind() == Kind::kExhausted) std::this_thread::sleep_for(kLateAnswer);
  const std::int64_t code = error.kind() == Kind::kInvalid ? kInvalidParams : kNotDone;
  return ErrorText(*id, code, error.message(), KindName(error.kind()));
}

Result<json::object> ToolRun::Serve(const std::string& method, const json::object& params) {
  if (method == "tools/call") return Call(params);
  BJ_TRY(counts_->CountOther());
  if (method == "tools/list") return List(params);
  if (method == "servers/list") return ListServers();
  return Error(Kind::kInvalid,
               "there are servers/list, tools/list and tools/call, and no other method");
}

Result<const policy::ToolServer*> ToolRun::TermsOf(const std::string& server) const {
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
  const policy::ToolServer* const terms = BJ_TRY(TermsOf(name));
  const ToolCall nothing{name, "", {}};
  UnderWay under_way{nothing, {}};
  const Entered entered(*this, under_way);
  if (under_way.revoked) return ToolsRevoked();
  const mcp::Patience patience{Clock::now() + kListPatience, under_way.stop.get_token()};
  const auto server = BJ_TRY(servers_.For(name, *terms));
  const auto tools = BJ_TRY(server->Tools(patience).While(name));
  json::array listed;
  std::size_t bytes = 0;
  for (const mcp::Tool& tool : *tools) {
    const auto verdict = policy::JudgeTool(*terms, tool.name);
    if (verdict == policy::ToolVerdict::kDeny) continue;
    json::value told = ToolJson(tool, verdict);
    Redact(told);
    bytes += json::serialize(told).size();
    if (bytes > kMaxListBytes)
      return Error(Kind::kExhausted, name + " describes its tools at too great length");
    listed.push_back(std::move(told));
  }
  return json::object{{"tools", std::move(listed)}};
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
  const auto terms = TermsOf(call.server);
  if (!terms) {
    BJ_TRY(counts_->CountOther());
    return terms.error();
  }
  BJ_TRY(counts_->Count(call.server, **terms));
  ToolRecord record{call, "", json::serialize(call.arguments).size()};
  const auto begun = Clock::now();
  auto result = CallCounted(call, **terms, record);
  record.took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  if (!result) record.outcome = KindName(result.error().kind());
  const auto recorded = hooks_.record(record);
  if (!recorded)
    return Error(Kind::kUnavailable, "the call cannot be recorded: " + recorded.error().message());
  return result;
}

Result<json::object> ToolRun::CallCounted(const ToolCall& call, const policy::ToolServer& terms,
                                          ToolRecord& record) {
  UnderWay under_way{call, {}};
  const Entered entered(*this, under_way);
  auto result = [&]() -> Result<json::object> {
    BJ_TRY(Authorise(call, terms, under_way, record));
    return Forward(call, terms, under_way, record);
  }();
  if (!result && under_way.revoked) return ToolsRevoked();
  if (!result && under_way.stop.stop_requested()) return RunIsOver();
  return result;
}

Result<> ToolRun::Authorise(const ToolCall& call, const policy::ToolServer& terms,
                            UnderWay& under_way, ToolRecord& record) {
  const auto verdict = policy::JudgeTool(terms, call.tool);
  if (verdict == policy::ToolVerdict::kDeny) {
    return Error(Kind::kDenied,
                 fmt::format("the policy does not allow this tool of {}", call.server));
  }
  if (record.argument_bytes > terms.argument_bytes) {
    return Error(Kind::kInvalid, fmt::format("the arguments take {} bytes; the policy allows {}",
                                             record.argument_bytes, terms.argument_bytes));
  }
  if (auto refused = policy::RefuseArguments(terms, call.tool, call.arguments)) {
    return Error(Kind::kDenied, *std::move(refused));
  }
  if (!hooks_.still_allowed(call.server, call.tool)) return ToolsRevoked();
  if (verdict == policy::ToolVerdict::kAsk) BJ_TRY(AskPerson(call, under_way, record));
  if (under_way.stop.stop_requested()) return RunIsOver();
  return {};
}

Result<> ToolRun::AskPerson(const ToolCall& call, UnderWay& under_way, ToolRecord& record) {
  const auto begun = Clock::now();
  const Waiting waiting(*this);
  auto agreed = hooks_.ask(call, under_way.stop.get_token());
  record.asked = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begun);
  BJ_TRY(std::move(agreed));
  // A policy that was changed meanwhile counts, too.
  if (!hooks_.still_allowed(call.server, call.tool)) return ToolsRevoked();
  return {};
}

Result<json::object> ToolRun::Forward(const ToolCall& call, const policy::ToolServer& terms,
                                      UnderWay& under_way, ToolRecord& record) {
  const auto server = BJ_TRY(servers_.For(call.server, terms));
  ++calls_;
  record.made = true;
  const mcp::Patience patience{Clock::now() + terms.timeout, under_way.stop.get_token()};
  auto answer = BJ_TRY(server->Call(call.tool, call.arguments, patience).While(call.server));
  record.outcome = answer.is_error ? "error" : "ok";
  json::value told = ResultJson(std::move(answer));
  record.result_bytes = json::serialize(told).size();
  if (record.result_bytes > terms.result_bytes) {
    return Error(Kind::kExhausted, fmt::format("the result takes {} bytes; the policy allows {}",
                                               record.result_bytes, terms.result_bytes));
  }
  Redact(told);
  return std::move(told.get_object());
}

// Most results hold nothing to take out, which one look at all their texts tells.
void ToolRun::Redact(json::value& value) const {
  if (!hooks_.redactor) return;
  std::string texts;
  AddTexts(value, texts);
  redact::Counts counts;
  static_cast<void>(hooks_.redactor->RedactWhole(texts, counts));
  if (!counts.empty()) RedactTexts(*hooks_.redactor, value);
}

}  // namespace belljar::broker
