// Tools: which runs may call which tools and databases, and the record of their calls. The engine's
// side of the broker's ToolCallServer.
//
// Created lazily, by the first run whose policy lists MCP servers or databases. The cell of such a
// run has a listener for tool calls and an endpoint at the server (a "seat") for as long as the
// cell lives. Each run in the cell attaches to that endpoint for its own duration (ToolTurn).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>

#include "resource/tools/tool_server.h"
#include "run/asking.h"
#include "run/assessment.h"
#include "run/call_recorder.h"
#include "run/run.h"

namespace belljar::run {

// The two kinds of calls that arrive at the tool socket.
enum class Called { kTools, kDatabases };

// Calls revoked for all runs of a session. Each flag is set once, by any thread.
struct RevokedCalls {
  std::atomic<bool> tools{false};
  std::atomic<bool> databases{false};
};

// Attaches a run to its cell's endpoint: between construction and End(), calls from the cell are
// attributed to this run.
class ToolTurn {
 public:
  // `recorder` null: nothing is recorded.
  ToolTurn(std::shared_ptr<resource::tools::CellToolEndpoint> seat,
           std::shared_ptr<resource::tools::ToolRun> run, CallRecorder* recorder,
           std::chrono::milliseconds longest_wait);
  ~ToolTurn() { static_cast<void>(End()); }
  ToolTurn(const ToolTurn&) = delete;
  ToolTurn& operator=(const ToolTurn&) = delete;

  // Cancels the calls in progress. When it returns, they have been recorded.
  Result<> End();
  // Time spent waiting for people, which does not count against the run's wall clock limit. Capped
  // at the longest wait of a single question, because a program could otherwise ask forever.
  std::chrono::milliseconds waited() const;
  std::uint64_t calls() const { return run_->calls(); }

 private:
  const std::shared_ptr<resource::tools::CellToolEndpoint>
      seat_;  // shared with the session, if the cell belongs to one
  const std::shared_ptr<resource::tools::ToolRun> run_;  // shared with the ToolCallServer
  CallRecorder* const recorder_;
  const std::chrono::milliseconds longest_wait_;
  bool ended_ = false;
};

class Tools {
 public:
  // The parts that judge calls. Must outlive Tools.
  struct Judges {
    Assessment& assessment;
    Asking& asking;
    const resource::TestSwitches& left_out;
  };
  // `log` null: nothing is recorded.
  Tools(const Judges& judges, const resource::tools::McpServers::OnLog& on_log, record::Log* log);

  // The endpoint for the cell; null where the cell has no listener for tools.
  Result<std::shared_ptr<resource::tools::CellToolEndpoint>> SeatFor(const cell::Cell& cell);
  // Attaches the run to that endpoint, if there is one and the run's policy lists anything to call.
  // The run must outlive its ToolTurn.
  Result<> Give(Run& run, std::shared_ptr<resource::tools::CellToolEndpoint> seat);
  // Checks the calls and grants of current runs against the changed policy.
  void Recheck();
  // Revokes calls of the run with that id. With `caller` set, a run of another caller is not found.
  Result<> Revoke(const std::string& run_id, const std::optional<std::string>& caller, Called what);
  // Revokes calls of the run in progress in that session, if there is one.
  Result<> RevokeOfSession(const Origin& session, Called what);

 private:
  friend class CallHooks;
  enum class Durable { kNow, kWithTheRun };

  // Appends the record of a call.
  Result<> Record(record::Entry entry, Durable when);
  void Enter(const Origin& origin, const std::shared_ptr<resource::tools::ToolRun>& run);
  Result<> NoteRevoked(Origin of, Called what);

  const Judges judges_;
  resource::tools::McpServers servers_;
  resource::database::DatabaseWorkers workers_;
  record::Log* const log_;
  std::optional<CallRecorder> recorder_;
  std::mutex mutex_;
  std::unique_ptr<resource::tools::ToolCallServer> desk_;  // null: not needed so far

  struct Going {
    std::string caller;
    std::string session_id;
    std::weak_ptr<resource::tools::ToolRun> run;
  };
  std::multimap<std::string, Going> going_;  // by run id, which callers choose, so it may repeat
};

// The listeners for the cell of a run under this policy.
std::set<cell::CellListener> ListenersFor(const judgement::policy::Policy* terms);
// Adds the variables that a program in a cell with a tool listener needs.
void AddToolsEnvironment(const request::Request& request, std::map<std::string, std::string>& env);

}  // namespace belljar::run
