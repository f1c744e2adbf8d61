// Tools: the engine's side of the broker's desk: which runs may call what, and what is said of it.
//
// Nothing of it exists until the first run whose policy lists MCP servers or databases. A cell of
// such a run has a door for tools, and a seat at the desk as long as it lives; each run takes a
// turn on it.
#pragma once

#include <memory>
#include <mutex>

#include "broker/tools_desk.h"
#include "engine/assessment.h"
#include "engine/call_recorder.h"
#include "engine/engine.h"

namespace belljar::engine {

// A run's turn: between its beginning and its end the cell's calls are this run's.
class ToolTurn {
 public:
  // `recorder` null: nothing is recorded.
  ToolTurn(std::shared_ptr<broker::ToolSeat> seat, std::shared_ptr<broker::ToolRun> run,
           CallRecorder* recorder, std::chrono::milliseconds longest_wait);
  ~ToolTurn() { static_cast<void>(End()); }
  ToolTurn(const ToolTurn&) = delete;
  ToolTurn& operator=(const ToolTurn&) = delete;

  // Gives up the calls that are under way. What is said of them has been recorded afterwards.
  Result<> End();
  // The time that the run's own clock does not count, since it waited for people. As long as one
  // question may wait, at the most: a program could ask for ever.
  std::chrono::milliseconds waited() const;
  std::uint64_t calls() const { return run_->calls(); }

 private:
  const std::shared_ptr<broker::ToolSeat> seat_;  // shared with a session, where it is one
  const std::shared_ptr<broker::ToolRun> run_;    // shared with the desk
  CallRecorder* const recorder_;
  const std::chrono::milliseconds longest_wait_;
  bool ended_ = false;
};

class Tools {
 public:
  // `log` null: nothing is recorded.
  Tools(const broker::McpServers::OnLog& on_log, audit::Log* log);

  // Null where the cell has no door for tools.
  Result<std::shared_ptr<broker::ToolSeat>> SeatFor(const isolate::Cell& cell);
  // After a change of policy.
  void Recheck();
  // Of the run with that id; one of another caller's is not there.
  Result<> Revoke(const std::string& run_id, const std::optional<std::string>& caller, Called what);
  // Of the run that goes on in that session, if one does.
  Result<> RevokeOfSession(const Origin& session, Called what);
  void Enter(const Origin& origin, const std::shared_ptr<broker::ToolRun>& run);

  // Writes down what became of a call.
  enum class Durable { kNow, kWithTheRun };
  Result<> Record(audit::Entry entry, Durable when);

  broker::McpServers& servers() { return servers_; }
  broker::DatabaseWorkers& workers() { return workers_; }
  CallRecorder* recorder() { return recorder_ ? &*recorder_ : nullptr; }

 private:
  broker::McpServers servers_;
  broker::DatabaseWorkers workers_;
  audit::Log* const log_;
  std::optional<CallRecorder> recorder_;
  std::mutex mutex_;
  std::unique_ptr<broker::ToolDesk> desk_;  // null: nobody has needed it
  Result<> NoteRevoked(audit::Entry entry, Called what);

  struct Going {
    std::string caller;
    std::string session_id;
    std::weak_ptr<broker::ToolRun> run;
  };
  std::multimap<std::string, Going> going_;  // by the id of the run, which callers choose
};

// What the broker is told of a run. All but the shared ones must outlive it.
struct CallMeans {
  Assessment& assessment;
  Asking& asking;
  Tools& tools;
  const policy::Request& request;
  std::shared_ptr<const policy::Policy> policy;  // shared with the run
  RunHooks said;
  std::string run;  // a name that no other run has
};
broker::ToolHooks ToolHooksFor(const CallMeans& means);
broker::DatabaseHooks DatabaseHooksFor(const CallMeans& means);

// What is written down of a call of a run's, whatever it called.
audit::Entry CallEntry(const policy::Request& request, const Origin& origin);
void AddTimes(std::chrono::microseconds took, std::chrono::microseconds asked, audit::Entry& entry);

// What a cell with a door for tools adds to the environment of its program.
void AddToolsEnvironment(const policy::Request& request, std::map<std::string, std::string>& env);

}  // namespace belljar::engine
