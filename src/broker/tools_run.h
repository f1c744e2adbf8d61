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
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "broker/tools_servers.h"
#include "callers/rate_window.h"
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
  // Whether the policy as it is now still lets that be called; never gives what the run had not.
  std::function<bool(const std::string& server, const std::string& tool)> still_allowed;
  // Returns when a person has agreed; otherwise why not: kDenied.
  std::function<Result<>(const ToolCall&, const std::stop_token&)> ask;
  // Writes down what became of a call: durable before the run's own result if it was made, else
  // when it returns.
  std::function<Result<>(const ToolRecord&)> record;
  std::shared_ptr<const redact::Redactor> redactor;  // null: results pass as they are
};

// How often a cell has called each server. It outlives the runs of a session.
class ToolCounts {
 public:
  // Counts one call, or says why there can be no more.
  Result<> Count(const std::string& server, const policy::ToolServer& terms);
  // The same for what is no call: lists, and lines that make no sense.
  Result<> CountOther();

 private:
  struct Of {
    std::uint64_t calls = 0;
    callers::RateWindow window;
  };
  std::mutex mutex_;
  std::map<std::string, Of> of_;
  callers::RateWindow others_;
};

class ToolRun {
 public:
  // `servers` must outlive it.
  ToolRun(McpServers& servers, policy::ToolServers terms, ToolHooks hooks,
          std::shared_ptr<ToolCounts> counts);

  // Without newline. Empty: nothing is to be said. Takes as long as the call does.
  std::string Answer(std::string_view line);

  // Gives up what is under way, and answers nothing more but that the run is over.
  void Stop();
  // Takes everything away from it, while it goes on.
  void Revoke();
  // Gives up the calls that the policy as it is now does not allow any more.
  void Recheck();

  std::uint64_t calls() const { return calls_; }
  // How long the run has waited for people so far.
  std::chrono::milliseconds waited();

 private:
  struct UnderWay {
    const ToolCall& call;
    std::stop_source stop;
    std::atomic<bool> revoked{false};
  };
  class Entered;
  class Waiting;

  Result<json::object> Serve(const std::string& method, const json::object& params);
  Result<json::object> ListServers() const;
  Result<json::object> List(const json::object& params);
  Result<json::object> Call(const json::object& params);
  Result<json::object> CallCounted(const ToolCall& call, const policy::ToolServer& terms,
                                   ToolRecord& record);
  Result<> Authorise(const ToolCall& call, const policy::ToolServer& terms, UnderWay& under_way,
                     ToolRecord& record);
  Result<> AskPerson(const ToolCall& call, UnderWay& under_way, ToolRecord& record);
  Result<json::object> Forward(const ToolCall& call, const policy::ToolServer& terms,
                               UnderWay& under_way, ToolRecord& record);
  void Redact(json::value& value) const;
  Result<const policy::ToolServer*> TermsOf(const std::string& server) const;

  McpServers& servers_;
  const policy::ToolServers terms_;
  const ToolHooks hooks_;
  const std::shared_ptr<ToolCounts> counts_;  // shared with the cell's other runs
  std::atomic<std::uint64_t> calls_{0};
  std::mutex mutex_;
  bool stopped_ = false;
  bool revoked_ = false;
  std::list<UnderWay*> under_way_;
  std::size_t waiting_ = 0;  // calls, for people
  std::chrono::steady_clock::time_point waiting_since_{};
  std::chrono::steady_clock::duration waited_{};
};

}  // namespace belljar::broker
