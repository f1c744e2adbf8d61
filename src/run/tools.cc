#include "run/tools.h"

#include <fmt/format.h>

#include "cell/listener_places.h"
#include "foundation/base/random_id.h"
#include "foundation/base/sha256.h"
#include "run/audit_entry.h"

namespace belljar::run {
namespace {

constexpr char kLibrary[] = "/.belljar/lib";
constexpr char kPrograms[] = "/.belljar/bin";

// Subcommands of this binary that run as helper processes.
const std::vector<std::string> kDatabaseWorker = {"/proc/self/exe", "database-worker"};
const std::vector<std::string> kServerKeeper = {"/proc/self/exe", "tool-server"};

void AddTool(const resource::tools::ToolRecord& record, record::Entry& entry) {
  const auto digest = Sha256::Of(json::serialize(record.call.arguments));
  entry.detail = {{"server", record.call.server},
                  {"tool", record.call.tool},
                  {"arguments", "sha256:" + Hex(digest)},
                  {"argument_bytes", record.argument_bytes},
                  {"result_bytes", record.result_bytes}};
  entry.outcome = record.outcome;
}

void TakeFrom(resource::tools::ToolRun& run, Called what) {
  what == Called::kTools ? run.RevokeTools() : run.RevokeDatabases();
}

// Serialises the observer's functions with a mutex, since output and questions come from different
// threads.
void TakeTurns(Observer& observer) {
  const auto mutex = std::make_shared<std::mutex>();  // shared by both functions
  if (observer.on_output) {
    observer.on_output = [mutex, on = observer.on_output](Stream stream, std::string_view bytes) {
      const std::lock_guard lock(*mutex);
      on(stream, bytes);
    };
  }
  if (observer.on_question) {
    observer.on_question =
        [mutex, on = observer.on_question](const judgement::approval::Question& question) {
          const std::lock_guard lock(*mutex);
          on(question);
        };
  }
}

void AddStatement(const resource::database::DatabaseRecord& record, record::Entry& entry) {
  const resource::database::DatabaseCall& call = record.call;
  const auto digest =
      Sha256::Of(json::serialize(json::object{{"sql", call.sql}, {"params", call.params}}));
  entry.detail = {{"database", call.database},
                  {"task", resource::database::TaskName(call.task)},
                  {"statement", "sha256:" + Hex(digest)},
                  {"statement_bytes", call.sql.size()},
                  {"rows", record.rows},
                  {"result_bytes", record.result_bytes}};
  if (record.truncated) entry.detail["truncated"] = true;
  if (call.task == resource::database::Task::kWrite) entry.detail["changed"] = record.changed;
  entry.outcome = record.outcome;
}

double Milliseconds(std::chrono::microseconds time) {
  return static_cast<double>(time.count()) / 1000.0;
}

// A database whose address or login has changed counts as a different one, even under the same
// name.
bool IsSameDatabase(const judgement::policy::DatabaseTerms& now,
                    const judgement::policy::DatabaseTerms& was) {
  return now.sqlite == was.sqlite && now.postgres == was.postgres && now.role == was.role &&
         now.write_postgres == was.write_postgres && now.write_role == was.write_role &&
         now.unsafe_superuser == was.unsafe_superuser;
}

}  // namespace

// CallHooks: the broker's callbacks for a run's tool and database calls: what the policy still
// allows, how a person is asked, and what is recorded.
class CallHooks {
 public:
  // `name` is unique per run. Tools and run must outlive the calls.
  CallHooks(Tools& tools, const Run& run, std::string name)
      : tools_(tools), run_(run), name_(std::move(name)) {}

  resource::tools::ToolHooks ForTools() const;
  resource::database::DatabaseHooks ForDatabases() const;

 private:
  // The parts of a question that depend on the call.
  struct Asked {
    json::object what;
    std::string subject;
    std::string touches;
    std::chrono::milliseconds wait;
  };

  // The current policy; an error where the run's level is no longer permitted.
  Result<std::shared_ptr<const judgement::policy::Policy>> PolicyNow() const {
    return tools_.judges_.assessment.PolicyFor(run_.request);
  }
  Result<> Ask(Asked asked, const std::stop_token& stop) const;
  // `Record` is the broker's record type for tools or for databases.
  template <class Record>
  Result<> Write(const Record& record, void (*add)(const Record&, record::Entry&)) const;

  Tools& tools_;
  const Run& run_;
  const std::string name_;
};

Result<> CallHooks::Ask(Asked asked, const std::stop_token& stop) const {
  CallQuestion about{run_.request, *run_.policy, run_.requester, name_};
  about.what = std::move(asked.what);
  about.subject = std::move(asked.subject);
  about.touches = std::move(asked.touches);
  about.wait = asked.wait;
  return tools_.judges_.asking.AskForCall(about, stop);
}

template <class Record>
Result<> CallHooks::Write(const Record& record, void (*add)(const Record&, record::Entry&)) const {
  if (!run_.has_effects()) return {};
  record::Entry entry = EntryFrom(record::Event::kBroker, run_.requester.origin);
  entry.correlation_id = run_.request.correlation_id;
  add(record, entry);
  entry.detail["ms"] = Milliseconds(record.took);
  if (record.asked.count() > 0) entry.detail["asked_ms"] = Milliseconds(record.asked);
  return tools_.Record(std::move(entry),
                       record.made ? Tools::Durable::kWithTheRun : Tools::Durable::kNow);
}

resource::tools::ToolHooks CallHooks::ForTools() const {
  resource::tools::ToolHooks hooks;
  hooks.redactor = run_.redactor;
  hooks.left_out = tools_.judges_.left_out;
  hooks.terms_now = [self = *this](const std::string& server) {
    std::shared_ptr<const judgement::policy::ToolServer> none;
    const auto now = self.PolicyNow();
    if (!now) return none;
    const auto terms = (*now)->tools.find(server);
    const auto was = self.run_.policy->tools.find(server);
    if (terms == (*now)->tools.end() || was == self.run_.policy->tools.end()) return none;
    if (!judgement::policy::IsSameServer(terms->second, was->second)) return none;
    return std::shared_ptr<const judgement::policy::ToolServer>(*now, &terms->second);
  };
  hooks.ask = [self = *this](const resource::tools::ToolCall& call, const std::stop_token& stop) {
    return self.Ask(
        {{{"call", "tool"},
          {"server", call.server},
          {"tool", call.tool},
          {"arguments", call.arguments}},
         fmt::format("{}.{} {}", call.server, call.tool, json::serialize(call.arguments)),
         fmt::format("calls the tool {} of {}", call.tool, call.server),
         self.run_.policy->approval.expires},
        stop);
  };
  hooks.record = [self = *this](const resource::tools::ToolRecord& record) {
    return self.Write(record, AddTool);
  };
  return hooks;
}

resource::database::DatabaseHooks CallHooks::ForDatabases() const {
  resource::database::DatabaseHooks hooks;
  hooks.left_out = tools_.judges_.left_out;
  hooks.still_allowed = [self = *this](const std::string& database, const std::string& task) {
    const auto now = self.PolicyNow();
    if (!now) return false;
    const auto terms = (*now)->databases.find(database);
    if (terms == (*now)->databases.end()) return false;
    return IsSameDatabase(terms->second, self.run_.policy->databases.at(database)) &&
           (task != "write" || terms->second.write == judgement::policy::DatabaseWrites::kAsk);
  };
  hooks.ask = [self = *this](const resource::database::DatabaseWrite& write,
                             const std::stop_token& stop) {
    const resource::database::DatabaseCall& call = write.call;
    return self.Ask(
        {{{"call", "database"},
          {"database", call.database},
          {"sql", call.sql},
          {"params", call.params},
          {"changed", write.changed}},
         fmt::format("{}: {}\n{}", call.database, call.sql, json::serialize(call.params)),
         fmt::format("writes {} rows of the database {}", write.changed, call.database),
         std::min(write.hold, self.run_.policy->approval.expires)},
        stop);
  };
  hooks.record = [self = *this](const resource::database::DatabaseRecord& record) {
    return self.Write(record, AddStatement);
  };
  return hooks;
}

ToolTurn::ToolTurn(std::shared_ptr<resource::tools::CellToolEndpoint> seat,
                   std::shared_ptr<resource::tools::ToolRun> run, CallRecorder* recorder,
                   std::chrono::milliseconds longest_wait)
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

Tools::Tools(const Judges& judges, const resource::tools::McpServers::OnLog& on_log,
             record::Log* log)
    : judges_(judges),
      servers_(on_log, kServerKeeper),
      workers_(kDatabaseWorker, on_log),
      log_(log) {
  if (log != nullptr) recorder_.emplace(*log);
}

Result<std::shared_ptr<resource::tools::CellToolEndpoint>> Tools::SeatFor(const cell::Cell& cell) {
  const Fd& listener = cell.listener(cell::CellListener::kTools);
  if (!listener) return std::shared_ptr<resource::tools::CellToolEndpoint>();
  const std::lock_guard lock(mutex_);
  if (!desk_) desk_ = BJ_TRY(resource::tools::ToolCallServer::Create());
  std::unique_ptr<resource::tools::CellToolEndpoint> seat = BJ_TRY(desk_->Open(listener));
  return std::shared_ptr<resource::tools::CellToolEndpoint>(std::move(seat));
}

void Tools::Recheck() {
  const std::lock_guard lock(mutex_);
  if (desk_) desk_->Recheck();
}

void Tools::Enter(const Origin& origin, const std::shared_ptr<resource::tools::ToolRun>& run) {
  const std::lock_guard lock(mutex_);
  std::erase_if(going_, [](const auto& each) { return each.second.run.expired(); });
  if (!origin.run_id.empty())
    going_.emplace(origin.run_id, Going{origin.caller, origin.session_id, run});
}

Result<> Tools::Revoke(const std::string& run_id, const std::optional<std::string>& caller,
                       Called what) {
  std::vector<std::shared_ptr<resource::tools::ToolRun>> runs;
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
  Origin of;
  of.caller = caller.value_or("");
  of.run_id = run_id;
  return NoteRevoked(std::move(of), what);
}

Result<> Tools::RevokeOfSession(const Origin& session, Called what) {
  std::vector<std::shared_ptr<resource::tools::ToolRun>> runs;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, going] : going_) {
      auto run = going.run.lock();
      if (run && going.session_id == session.session_id) runs.push_back(std::move(run));
    }
  }
  for (const auto& run : runs) TakeFrom(*run, what);
  Origin of;
  of.caller = session.caller;
  of.session_id = session.session_id;
  return NoteRevoked(std::move(of), what);
}

Result<> Tools::NoteRevoked(Origin of, Called what) {
  if (log_ == nullptr) return {};
  const char* const taken = what == Called::kTools ? "tools" : "databases";
  BJ_TRY(log_->Append(EntryFrom(record::Event::kBroker, of, {{taken, "revoked"}})));
  return {};
}

void AddToolsEnvironment(const request::Request& request, std::map<std::string, std::string>& env) {
  env["BELLJAR_TOOLS"] = cell::kToolsSocket;
  if (!request.env.contains("PATH")) env["PATH"] += std::string(":") + kPrograms;
  // For interpreters that the program starts; its own interpreter has the path already.
  env.emplace("PYTHONPATH", kLibrary);
  env.emplace("NODE_PATH", kLibrary);
}

std::set<cell::CellListener> ListenersFor(const judgement::policy::Policy* terms) {
  if (terms == nullptr || !judgement::policy::NeedsToolsListener(*terms)) return {};
  return {cell::CellListener::kTools};
}

Result<> Tools::Record(record::Entry entry, Durable when) {
  if (log_ == nullptr) return {};
  if (when == Durable::kWithTheRun) return recorder_->Add(std::move(entry));
  BJ_TRY(log_->Append(entry));
  return {};
}

// A replay has no effects: all its calls are revoked from the start, and nothing is recorded.
Result<> Tools::Give(Run& run, std::shared_ptr<resource::tools::CellToolEndpoint> seat) {
  if (seat == nullptr || !judgement::policy::NeedsToolsListener(*run.policy)) return {};
  TakeTurns(run.requester.observer);
  // Run ids are chosen by callers and may repeat, so a unique name is generated.
  std::string name = BJ_TRY(RandomId("c-"));
  const CallHooks hooks(*this, run, std::move(name));
  auto calls = std::make_shared<resource::tools::ToolRun>(servers_, run.policy->tools,
                                                          hooks.ForTools(), seat->counts());
  calls->OpenDatabases(workers_, run.policy->databases, hooks.ForDatabases());
  Enter(run.requester.origin, calls);
  // Checked after Enter() made the run visible, so that a concurrent revocation of its session is
  // not missed.
  const bool cut_off = !run.has_effects();
  if (cut_off || (run.revoked && run.revoked->tools)) calls->RevokeTools();
  if (cut_off || (run.revoked && run.revoked->databases)) calls->RevokeDatabases();
  run.tools =
      std::make_shared<ToolTurn>(std::move(seat), std::move(calls),
                                 recorder_ ? &*recorder_ : nullptr, run.policy->approval.expires);
  return {};
}

}  // namespace belljar::run
