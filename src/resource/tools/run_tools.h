// ToolRun: executes the MCP tool calls of one run and returns their answers. One line in, one line
// out.
//
// Lines are JSON-RPC 2.0 (docs/tools.md). The caller is identified by the socket, so lines carry no
// credentials. Each call is counted, checked against the policy (server, tool, arguments), shown to
// a person where the policy requires that, sent to the server, limited in size, and redacted. Its
// audit record is written before the run's own result, and synced to disk a moment later at the
// latest, so that a program with many calls waits for the disk only once. Refusals and approvals
// are on the disk before anything else happens.
//
// Thread-safe: the cell's connections are served by several threads.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "judgement/policy/tools.h"
#include "judgement/redaction/redactor.h"
#include "resource/call_counts.h"
#include "resource/database/run_databases.h"
#include "resource/run_calls.h"
#include "resource/test_switches.h"
#include "resource/tools/mcp_servers.h"

namespace belljar::resource::tools {

struct ToolCall {
  std::string server;
  std::string tool;
  json::object arguments;
};

// What the audit log records about a call.
struct ToolRecord {
  const ToolCall& call;
  // "ok", "error" (reported by the tool), or the kind of the error that prevented the call.
  std::string outcome;
  std::size_t argument_bytes = 0;
  std::size_t result_bytes{};
  std::chrono::microseconds asked{0};  // the part of `took` spent waiting for a person
  std::chrono::microseconds took{0};
  bool made = false;  // the server was called
};

// Callbacks into the engine.
struct ToolHooks {
  // The current policy's terms for that server; null if it has none, or a different server by that
  // name. Never allows more than the run's own policy did.
  std::function<std::shared_ptr<const judgement::policy::ToolServer>(const std::string& server)>
      terms_now;
  // Blocks until a person decides. Success means approval; a refusal is kDenied.
  std::function<Result<>(const ToolCall&, const std::stop_token&)> ask;
  // Records a call. If the server was called, the record is durable before the run's result is
  // returned; otherwise when this call returns.
  std::function<Result<>(const ToolRecord&)> record;
  std::shared_ptr<const judgement::redaction::Redactor> redactor;  // null: results are not redacted
  TestSwitches left_out;
};

class ToolRun {
 public:
  // `servers` must outlive this object.
  ToolRun(McpServers& servers, judgement::policy::ToolServers terms, ToolHooks hooks,
          std::shared_ptr<ToolCounts> counts);

  // Answers one line, without newline; empty if no answer is due. Blocks for the duration of the
  // call.
  std::string Answer(std::string_view line);

  // Enables database calls. Must be called before the first Answer(). `workers` must outlive this
  // object.
  void OpenDatabases(database::DatabaseWorkers& workers, judgement::policy::Databases terms,
                     database::DatabaseHooks hooks);

  // Cancels calls in progress; from now on every answer is an error that the run is over.
  void Stop();
  // Revoke all tools or all databases while the run continues.
  void RevokeTools();
  void RevokeDatabases();
  // Cancels the calls that the current policy no longer allows.
  void Recheck();

  // The number of calls made.
  std::uint64_t calls() const;
  // How long the run has waited for people so far.
  std::chrono::milliseconds waited() { return clock_.waited(); }

 private:
  Result<json::object> Serve(const std::string& method, const json::object& params);
  Result<json::object> ListServers() const;
  Result<json::object> List(const json::object& params);
  Result<json::object> Call(const json::object& params);
  Result<const judgement::policy::ToolServer*> Admit(const ToolCall& call);
  Result<json::object> CallCounted(const ToolCall& call, const judgement::policy::ToolServer& terms,
                                   ToolRecord& record);
  Result<judgement::policy::ToolVerdict> Judge(const ToolCall& call,
                                               const judgement::policy::ToolServer& terms) const;
  Result<judgement::policy::ToolVerdict> JudgeNow(const ToolCall& call) const;
  Result<judgement::policy::ToolVerdict> JudgeByBoth(
      const ToolCall& call, const judgement::policy::ToolServer& terms) const;
  Result<> Authorise(const ToolCall& call, judgement::policy::ToolVerdict verdict,
                     const RunCalls::Call& under_way, ToolRecord& record);
  Result<> AskPerson(const ToolCall& call, const RunCalls::Call& under_way, ToolRecord& record);
  Result<json::object> Forward(const ToolCall& call, const judgement::policy::ToolServer& terms,
                               const RunCalls::Call& under_way, ToolRecord& record);
  Result<const judgement::policy::ToolServer*> TermsOf(const std::string& server) const;

  McpServers& servers_;
  const judgement::policy::ToolServers terms_;
  const ToolHooks hooks_;
  const std::shared_ptr<ToolCounts> counts_;  // shared with the cell's other runs
  std::atomic<std::uint64_t> made_{0};
  ToldRefusals told_refusals_;
  RunCalls calls_;
  WaitClock clock_;
  std::unique_ptr<database::DatabaseRun> databases_;  // null: the run has no databases
};

}  // namespace belljar::resource::tools
