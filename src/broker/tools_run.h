// ToolRun: what one run may ask of MCP servers, and the answers. One line in, one line out.
//
// Lines are JSON-RPC 2.0 (docs/tools.md). Whose they are is known by the socket they came from, and
// nothing in them is asked for it. Each call is counted, judged by the policy (server, tool,
// arguments), put to a person where the policy says so, sent to the server, measured and redacted.
// What became of it is written down before the run's own result is, and on the disk a moment later
// at the latest: a program that makes many calls waits for the disk once. What was refused, and
// what a person has agreed to, is on the disk before anything else happens.
//
// Thread-safe: each connection of the cell has a thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "broker/databases_run.h"
#include "broker/left_out.h"
#include "broker/run_calls.h"
#include "broker/tools_counts.h"
#include "broker/tools_servers.h"
#include "policy/tools.h"
#include "redact/redactor.h"

namespace belljar::broker {

struct ToolCall {
  std::string server;
  std::string tool;
  json::object arguments;
};

// What is written down of a call.
struct ToolRecord {
  const ToolCall& call;
  std::string outcome;  // "ok", "error" (the tool's own), or the kind of what prevented it
  std::size_t argument_bytes = 0;
  std::size_t result_bytes{};
  std::chrono::microseconds asked{0};  // of `took`, for a person's answer
  std::chrono::microseconds took{0};
  bool made = false;  // the server was asked
};

// What the engine knows and the broker does not.
struct ToolHooks {
  // What the policy as it is now says of that server; null: it has it no more, or another one by
  // that name. Never gives what the run had not.
  std::function<std::shared_ptr<const policy::ToolServer>(const std::string& server)> terms_now;
  // Returns when a person has agreed; otherwise why not: kDenied.
  std::function<Result<>(const ToolCall&, const std::stop_token&)> ask;
  // Writes down what became of a call: durable before the run's own result if it was made, else
  // when it returns.
  std::function<Result<>(const ToolRecord&)> record;
  std::shared_ptr<const redact::Redactor> redactor;  // null: results pass as they are
  LeftOut left_out;
};

class ToolRun {
 public:
  // `servers` must outlive it.
  ToolRun(McpServers& servers, policy::ToolServers terms, ToolHooks hooks,
          std::shared_ptr<ToolCounts> counts);

  // Without newline. Empty: nothing is to be said. Takes as long as the call does.
  std::string Answer(std::string_view line);

  // What it may ask of databases; before it answers anything. `workers` must outlive it.
  void OpenDatabases(DatabaseWorkers& workers, policy::Databases terms, DatabaseHooks hooks);

  // Gives up what is under way, and answers nothing more but that the run is over.
  void Stop();
  // Takes all tools, or all databases, away from it, while it goes on.
  void RevokeTools();
  void RevokeDatabases();
  // Gives up the calls that the policy as it is now does not allow any more.
  void Recheck();

  // That were made.
  std::uint64_t calls() const;
  // How long the run has waited for people so far.
  std::chrono::milliseconds waited() { return clock_.waited(); }

 private:
  Result<json::object> Serve(const std::string& method, const json::object& params);
  Result<json::object> ListServers() const;
  Result<json::object> List(const json::object& params);
  Result<json::object> Call(const json::object& params);
  Result<const policy::ToolServer*> Admit(const ToolCall& call);
  Result<json::object> CallCounted(const ToolCall& call, const policy::ToolServer& terms,
                                   ToolRecord& record);
  Result<policy::ToolVerdict> Judge(const ToolCall& call, const policy::ToolServer& terms) const;
  Result<policy::ToolVerdict> JudgeNow(const ToolCall& call) const;
  Result<policy::ToolVerdict> JudgeByBoth(const ToolCall& call,
                                          const policy::ToolServer& terms) const;
  Result<> Authorise(const ToolCall& call, policy::ToolVerdict verdict,
                     const RunCalls::Call& under_way, ToolRecord& record);
  Result<> AskPerson(const ToolCall& call, const RunCalls::Call& under_way, ToolRecord& record);
  Result<json::object> Forward(const ToolCall& call, const policy::ToolServer& terms,
                               const RunCalls::Call& under_way, ToolRecord& record);
  Result<const policy::ToolServer*> TermsOf(const std::string& server) const;

  McpServers& servers_;
  const policy::ToolServers terms_;
  const ToolHooks hooks_;
  const std::shared_ptr<ToolCounts> counts_;  // shared with the cell's other runs
  std::atomic<std::uint64_t> made_{0};
  ToldRefusals told_refusals_;
  RunCalls calls_;
  WaitClock clock_;
  std::unique_ptr<DatabaseRun> databases_;  // null: there are none for it
};

}  // namespace belljar::broker
