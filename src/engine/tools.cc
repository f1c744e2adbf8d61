#include "engine/tools.h"

#include <fmt/format.h>

#include "audit/hash.h"
#include "engine/asking.h"
#include "isolate/native/door_places.h"

namespace belljar::engine {
namespace {

constexpr char kLibrary[] = "/.belljar/lib";
constexpr char kPrograms[] = "/.belljar/bin";

audit::Entry EntryFor(const broker::ToolRecord& record, const policy::Request& request,
                      const Origin& origin) {
  audit::Entry entry;
  entry.event = audit::Event::kBroker;
  entry.caller = origin.caller;
  entry.run_id = origin.run_id;
  entry.session_id = origin.session_id;
  entry.correlation_id = request.correlation_id;
  entry.traceparent = origin.traceparent;
  const auto digest = audit::Sha256(json::serialize(record.call.arguments));
  entry.detail = {{"server", record.call.server},
                  {"tool", record.call.tool},
                  {"arguments", "sha256:" + audit::Hex(audit::Bytes(digest))},
                  {"argument_bytes", record.argument_bytes}};
  return entry;
}

void AddOutcome(const broker::ToolRecord& record, audit::Entry& entry) {
  const auto ms = [](std::chrono::microseconds time) {
    return static_cast<double>(time.count()) / 1000.0;
  };
  entry.outcome = record.outcome;
  entry.detail["result_bytes"] = record.result_bytes;
  entry.detail["ms"] = ms(record.took);
  if (record.asked.count() > 0) entry.detail["asked_ms"] = ms(record.asked);
}

// What is streamed and what is asked go the same way, from different threads.
void TakeTurns(RunHooks& hooks) {
  const auto mutex = std::make_shared<std::mutex>();  // shared by the two
  if (hooks.on_output) {
    hooks.on_output = [mutex, on = hooks.on_output](result::Stream stream, std::string_view bytes) {
      const std::lock_guard lock(*mutex);
      on(stream, bytes);
    };
  }
  if (hooks.on_question) {
    hooks.on_question = [mutex, on = hooks.on_question](const approval::Question& question) {
      const std::lock_guard lock(*mutex);
      on(question);
    };
  }
}

}  // namespace

ToolTurn::ToolTurn(std::shared_ptr<broker::ToolSeat> seat, std::shared_ptr<broker::ToolRun> run,
                   CallRecorder* recorder, std::chrono::milliseconds longest_wait)
    : seat_(std::move(seat)),
      run_(std::move(run)),
      recorder_(recorder),
      longest_wait_(longest_wait) {
  seat_->Begin(run_);
}

Result<> ToolTurn::End() {
  if (ended_) return {};
  ended_ = true;
  seat_->End();
  return recorder_ == nullptr ? Result<>() : recorder_->Flush().While("record");
}

std::chrono::milliseconds ToolTurn::waited() const {
  return std::min(run_->waited(), longest_wait_);
}

Tools::Tools(broker::McpServers::OnLog on_log, audit::Log* log) : servers_(std::move(on_log)) {
  if (log != nullptr) recorder_.emplace(*log);
}

Result<std::shared_ptr<broker::ToolSeat>> Tools::SeatFor(const isolate::Cell& cell) {
  const Fd& listener = cell.door(isolate::Door::kTools);
  if (!listener) return std::shared_ptr<broker::ToolSeat>();
  const std::lock_guard lock(mutex_);
  if (!desk_) desk_ = BJ_TRY(broker::ToolDesk::Create());
  std::unique_ptr<broker::ToolSeat> seat = BJ_TRY(desk_->Open(listener));
  return std::shared_ptr<broker::ToolSeat>(std::move(seat));
}

void Tools::Recheck() {
  const std::lock_guard lock(mutex_);
  if (desk_) desk_->Recheck();
}

void Tools::Enter(const Origin& origin, const std::shared_ptr<broker::ToolRun>& run) {
  const std::lock_guard lock(mutex_);
  std::erase_if(going_, [](const auto& each) { return each.second.run.expired(); });
  if (!origin.run_id.empty()) going_[origin.run_id] = {origin.caller, run};
}

Result<> Tools::Revoke(const std::string& run_id, const std::optional<std::string>& caller) {
  std::shared_ptr<broker::ToolRun> run;
  {
    const std::lock_guard lock(mutex_);
    const auto found = going_.find(run_id);
    if (found != going_.end() && caller.value_or(found->second.caller) == found->second.caller) {
      run = found->second.run.lock();
    }
  }
  if (!run) return Error(Kind::kNotFound, "no run of that id has tools now");
  run->Revoke();
  return {};
}

void AddToolsEnvironment(const policy::Request& request, std::map<std::string, std::string>& env) {
  env["BELLJAR_TOOLS"] = isolate::kToolsSocket;
  if (!request.env.contains("PATH")) env["PATH"] += std::string(":") + kPrograms;
  // For the interpreters that a program starts; its own knows.
  env.emplace("PYTHONPATH", kLibrary);
  env.emplace("NODE_PATH", kLibrary);
}

std::set<isolate::Door> Engine::DoorsFor(const policy::Policy* terms) {
  if (terms == nullptr || terms->tools.empty()) return {};
  return {isolate::Door::kTools};
}

// What repeats another run has no effects: everything has been taken away from it, and nothing is
// recorded. `request` must outlive the turn.
void Engine::GiveTools(std::shared_ptr<broker::ToolSeat> seat, const policy::Request& request,
                       Judged& judged) {
  if (seat == nullptr || judged.policy->tools.empty()) return;
  const bool aside = judged.hooks.aside.has_value();
  TakeTurns(judged.hooks);
  broker::ToolHooks hooks;
  hooks.redactor = judged.hooks.redactor;
  hooks.still_allowed = [this, &request](const std::string& server, const std::string& tool) {
    const auto now = judgement().PolicyFor(request);
    if (!now) return false;
    const auto terms = (*now)->tools.find(server);
    return terms != (*now)->tools.end() &&
           (tool.empty() || policy::JudgeTool(terms->second, tool) != policy::ToolVerdict::kDeny);
  };
  hooks.ask = [this, &request, policy = judged.policy, said = judged.hooks](
                  const broker::ToolCall& call, const std::stop_token& stop) {
    return asking().AskForCall({call, request, *policy, said}, stop);
  };
  hooks.record = [this, &request, aside,
                  origin = judged.hooks.origin](const broker::ToolRecord& record) -> Result<> {
    if (Log() == nullptr || aside) return {};
    audit::Entry entry = EntryFor(record, request, origin);
    AddOutcome(record, entry);
    if (record.made) return tools().recorder()->Add(std::move(entry));
    BJ_TRY(Log()->Append(entry));
    return {};
  };
  auto run = std::make_shared<broker::ToolRun>(tools().servers(), judged.policy->tools,
                                               std::move(hooks), seat->counts());
  if (aside) run->Revoke();
  tools().Enter(judged.hooks.origin, run);
  judged.hooks.tools = std::make_shared<ToolTurn>(
      std::move(seat), std::move(run), tools().recorder(), judged.policy->approval.expires);
}

}  // namespace belljar::engine
