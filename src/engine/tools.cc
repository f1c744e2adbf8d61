#include "engine/tools.h"

#include <fmt/format.h>

#include "base/random_id.h"
#include "base/sha256.h"
#include "engine/asking.h"
#include "engine/switch_off.h"
#include "isolate/native/door_places.h"

namespace belljar::engine {
namespace {

constexpr char kLibrary[] = "/.belljar/lib";
constexpr char kPrograms[] = "/.belljar/bin";

// Programs of this one's own.
const std::vector<std::string> kDatabaseWorker = {"/proc/self/exe", "database-worker"};
const std::vector<std::string> kServerKeeper = {"/proc/self/exe", "tool-server"};

void AddTool(const broker::ToolRecord& record, audit::Entry& entry) {
  const auto digest = Sha256::Of(json::serialize(record.call.arguments));
  entry.detail = {{"server", record.call.server},
                  {"tool", record.call.tool},
                  {"arguments", "sha256:" + Hex(digest)},
                  {"argument_bytes", record.argument_bytes},
                  {"result_bytes", record.result_bytes}};
  entry.outcome = record.outcome;
}

void TakeFrom(broker::ToolRun& run, Called what) {
  what == Called::kTools ? run.RevokeTools() : run.RevokeDatabases();
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

audit::Entry CallEntry(const policy::Request& request, const Origin& origin) {
  audit::Entry entry;
  entry.event = audit::Event::kBroker;
  entry.caller = origin.caller;
  entry.run_id = origin.run_id;
  entry.session_id = origin.session_id;
  entry.correlation_id = request.correlation_id;
  entry.traceparent = origin.traceparent;
  return entry;
}

void AddTimes(std::chrono::microseconds took, std::chrono::microseconds asked,
              audit::Entry& entry) {
  const auto ms = [](std::chrono::microseconds time) {
    return static_cast<double>(time.count()) / 1000.0;
  };
  entry.detail["ms"] = ms(took);
  if (asked.count() > 0) entry.detail["asked_ms"] = ms(asked);
}

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

Tools::Tools(const broker::McpServers::OnLog& on_log, audit::Log* log)
    : servers_(on_log, kServerKeeper), workers_(kDatabaseWorker, on_log), log_(log) {
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
  if (!origin.run_id.empty())
    going_.emplace(origin.run_id, Going{origin.caller, origin.session_id, run});
}

Result<> Tools::Revoke(const std::string& run_id, const std::optional<std::string>& caller,
                       Called what) {
  std::vector<std::shared_ptr<broker::ToolRun>> runs;
  {
    const std::lock_guard lock(mutex_);
    const auto [first, last] = going_.equal_range(run_id);
    for (auto each = first; each != last; ++each) {
      auto run = each->second.run.lock();
      const std::string& owner = each->second.caller;
      if (run && caller.value_or(owner) == owner) runs.push_back(std::move(run));
    }
  }
  if (runs.empty()) return Error(Kind::kNotFound, "no run of that id has tools or databases now");
  for (const auto& run : runs) TakeFrom(*run, what);
  audit::Entry entry;
  entry.caller = caller.value_or("");
  entry.run_id = run_id;
  return NoteRevoked(std::move(entry), what);
}

Result<> Tools::RevokeOfSession(const Origin& session, Called what) {
  std::vector<std::shared_ptr<broker::ToolRun>> runs;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, going] : going_) {
      auto run = going.run.lock();
      if (run && going.session_id == session.session_id) runs.push_back(std::move(run));
    }
  }
  for (const auto& run : runs) TakeFrom(*run, what);
  audit::Entry entry;
  entry.caller = session.caller;
  entry.session_id = session.session_id;
  return NoteRevoked(std::move(entry), what);
}

Result<> Tools::NoteRevoked(audit::Entry entry, Called what) {
  if (log_ == nullptr) return {};
  entry.event = audit::Event::kBroker;
  entry.detail = {{what == Called::kTools ? "tools" : "databases", "revoked"}};
  BJ_TRY(log_->Append(entry));
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
  if (terms == nullptr || !policy::NeedsToolsDoor(*terms)) return {};
  return {isolate::Door::kTools};
}

broker::ToolHooks ToolHooksFor(const CallMeans& means) {
  broker::ToolHooks hooks;
  hooks.redactor = means.said.redactor;
  hooks.terms_now = [means](const std::string& server) {
    std::shared_ptr<const policy::ToolServer> none;
    const auto now = means.judgement.PolicyFor(means.request);
    if (!now) return none;
    const auto terms = (*now)->tools.find(server);
    const auto was = means.policy->tools.find(server);
    if (terms == (*now)->tools.end() || was == means.policy->tools.end()) return none;
    if (!policy::IsSameServer(terms->second, was->second)) return none;
    return std::shared_ptr<const policy::ToolServer>(*now, &terms->second);
  };
  hooks.ask = [means](const broker::ToolCall& call, const std::stop_token& stop) {
    CallQuestion about{means.request, *means.policy, means.said, means.run};
    about.what = {{"call", "tool"},
                  {"server", call.server},
                  {"tool", call.tool},
                  {"arguments", call.arguments}};
    about.subject =
        fmt::format("{}.{} {}", call.server, call.tool, json::serialize(call.arguments));
    about.touches = fmt::format("calls the tool {} of {}", call.tool, call.server);
    about.wait = means.policy->approval.expires;
    return means.asking.AskForCall(about, stop);
  };
  hooks.record = [means](const broker::ToolRecord& record) -> Result<> {
    audit::Entry entry = CallEntry(means.request, means.said.origin);
    AddTool(record, entry);
    AddTimes(record.took, record.asked, entry);
    return means.tools.Record(std::move(entry),
                              record.made ? Tools::Durable::kWithTheRun : Tools::Durable::kNow);
  };
  return hooks;
}

Result<> Tools::Record(audit::Entry entry, Durable when) {
  if (log_ == nullptr) return {};
  if (when == Durable::kWithTheRun) return recorder_->Add(std::move(entry));
  BJ_TRY(log_->Append(entry));
  return {};
}

// What repeats another run has no effects: everything has been taken away from it, and nothing is
// recorded. `request` must outlive the turn.
Result<> Engine::GiveTools(std::shared_ptr<broker::ToolSeat> seat, const policy::Request& request,
                           Judged& judged) {
  if (seat == nullptr || !policy::NeedsToolsDoor(*judged.policy)) return {};
  const bool aside = judged.hooks.aside.has_value();
  TakeTurns(judged.hooks);
  // Callers choose the ids of runs.
  const std::string name = BJ_TRY(RandomId("c-"));
  const CallMeans means{judgement(), asking(), tools(), request, judged.policy, judged.hooks, name};
  broker::ToolHooks hooks = ToolHooksFor(means);
  broker::DatabaseHooks database_hooks = DatabaseHooksFor(means);
  hooks.left_out = database_hooks.left_out = Off().broker;
  if (aside) {
    hooks.record = [](const broker::ToolRecord&) { return Result<>(); };
    database_hooks.record = [](const broker::DatabaseRecord&) { return Result<>(); };
  }
  auto run = std::make_shared<broker::ToolRun>(tools().servers(), judged.policy->tools,
                                               std::move(hooks), seat->counts());
  run->OpenDatabases(tools().workers(), judged.policy->databases, std::move(database_hooks));
  tools().Enter(judged.hooks.origin, run);
  // Now that it can be found: nothing that is taken from its session meanwhile is missed.
  const auto& revoked = judged.hooks.revoked;
  if (aside || (revoked && revoked->tools)) run->RevokeTools();
  if (aside || (revoked && revoked->databases)) run->RevokeDatabases();
  judged.hooks.tools = std::make_shared<ToolTurn>(
      std::move(seat), std::move(run), tools().recorder(), judged.policy->approval.expires);
  return {};
}

}  // namespace belljar::engine
