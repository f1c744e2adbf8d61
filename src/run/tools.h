// Tools: the engine's side of the broker's desk: which runs may call what, and what is said of it.
//
// Nothing of it exists until the first run whose policy lists MCP servers or databases. A cell of
// such a run has a listener for tools, and a seat at the desk as long as it lives; each run takes a
// turn on it.
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

// What programs call by the socket of tools.
enum class Called { kTools, kDatabases };

// What has been taken away from all runs of a session. Set once, by any thread.
struct RevokedCalls {
  std::atomic<bool> tools{false};
  std::atomic<bool> databases{false};
};

// A run's turn: between its beginning and its end the cell's calls are this run's.
class ToolTurn {
 public:
  // `recorder` null: nothing is recorded.
  ToolTurn(std::shared_ptr<resource::tools::CellToolEndpoint> seat,
           std::shared_ptr<resource::tools::ToolRun> run, CallRecorder* recorder,
           std::chrono::milliseconds longest_wait);
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
  const std::shared_ptr<resource::tools::CellToolEndpoint>
      seat_;                                             // shared with a session, where it is one
  const std::shared_ptr<resource::tools::ToolRun> run_;  // shared with the desk
  CallRecorder* const recorder_;
  const std::chrono::milliseconds longest_wait_;
  bool ended_ = false;
};

class Tools {
 public:
  // What calls are judged by. Must outlive it.
  struct Judges {
    Assessment& assessment;
    Asking& asking;
    const resource::TestSwitches& left_out;
  };
  // `log` null: nothing is recorded.
  Tools(const Judges& judges, const resource::tools::McpServers::OnLog& on_log, record::Log* log);

  // Null where the cell has no listener for tools.
  Result<std::shared_ptr<resource::tools::CellToolEndpoint>> SeatFor(const cell::Cell& cell);
  // Begins the run's turn on that seat, if it has one and its policy has anything to call. The run
  // must outlive its turn.
  Result<> Give(Run& run, std::shared_ptr<resource::tools::CellToolEndpoint> seat);
  // After a change of policy.
  void Recheck();
  // Of the run with that id; one of another caller's is not there.
  Result<> Revoke(const std::string& run_id, const std::optional<std::string>& caller, Called what);
  // Of the run that goes on in that session, if one does.
  Result<> RevokeOfSession(const Origin& session, Called what);

 private:
  friend class CallHooks;
  enum class Durable { kNow, kWithTheRun };

  // Writes down what became of a call.
  Result<> Record(record::Entry entry, Durable when);
  void Enter(const Origin& origin, const std::shared_ptr<resource::tools::ToolRun>& run);
  Result<> NoteRevoked(Origin of, Called what);

  const Judges judges_;
  resource::tools::McpServers servers_;
  resource::database::DatabaseWorkers workers_;
  record::Log* const log_;
  std::optional<CallRecorder> recorder_;
  std::mutex mutex_;
  std::unique_ptr<resource::tools::ToolCallServer> desk_;  // null: nobody has needed it

  struct Going {
    std::string caller;
    std::string session_id;
    std::weak_ptr<resource::tools::ToolRun> run;
  };
  std::multimap<std::string, Going> going_;  // by the id of the run, which callers choose
};

// The listeners that cells of runs under these terms have.
std::set<cell::CellListener> ListenersFor(const judgement::policy::Policy* terms);
// What a cell with a listener for tools adds to the environment of its program.
void AddToolsEnvironment(const request::Request& request, std::map<std::string, std::string>& env);

}  // namespace belljar::run
