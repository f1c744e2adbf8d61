// ToolServer: what a policy allows of MCP servers: which of their tools a run may call, with which
// arguments, and how often. Plain values; what is not listed is not allowed.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::judgement::policy {

// A restriction on the arguments of tools whose name matches `tool`: the argument must be present,
// and its value (if it is a list, every element) must match one of the patterns `in` and contain a
// match of `matches`.
struct ArgumentRule {
  std::string tool;             // a pattern of tool names (base/glob.h)
  std::string argument;         // the path of the argument: "owner", "file.path"
  std::vector<std::string> in;  // patterns, one of which must match; empty: every value does
  std::string matches;          // a regular expression (schema/pattern.h); empty: none
  bool operator==(const ArgumentRule&) const = default;
};

struct ToolServer {
  // How to reach the server: exactly one of the two is set.
  std::vector<std::string> command;
  std::string url;

  std::map<std::string, std::string> env;  // the command's environment
  std::vector<std::string> pass;           // variables that the command inherits from the daemon
  std::map<std::string, std::string> headers;  // HTTP headers: "env:NAME" or "file:/PATH"

  std::vector<std::string> allow;  // patterns of tool names
  std::vector<std::string> ask;    // the same; a person must approve each call
  std::vector<ArgumentRule> rules;

  std::uint64_t max_calls = 1'000;  // per run; for a session over its lifetime
  std::uint64_t calls_per_minute = 120;
  std::uint64_t argument_bytes = 256U << 10;
  std::uint64_t result_bytes = 1U << 20;
  // For one call, without the time that people take to approve it.
  std::chrono::milliseconds timeout{30'000};
  bool operator==(const ToolServer&) const = default;
};
// The key is the server's name.
using ToolServers = std::map<std::string, ToolServer, std::less<>>;

constexpr std::size_t kMostToolServers = 32;

enum class ToolVerdict { kDeny, kAllow, kAsk };
// If both lists match a tool, a person is asked.
ToolVerdict JudgeTool(const ToolServer& server, std::string_view tool);
// Why these arguments are not allowed, as a sentence; nullopt if they are.
std::optional<std::string> RefuseArguments(const ToolServer& server, std::string_view tool,
                                           const json::object& arguments);

// Whether both refer to the same program or URL with the same credentials.
bool IsSameServer(const ToolServer& one, const ToolServer& other);

// Whether a name has only letters, digits, "-" and "_", begins with a letter, and is at most 64
// long.
bool IsServerName(std::string_view name);
// Checks the combination of values of one table.
Result<> CheckToolServer(const ToolServer& server);

}  // namespace belljar::judgement::policy
