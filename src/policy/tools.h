// What a policy says of MCP servers: which of their tools a run may call, with which arguments, and
// how often. Plain values; nothing that is not listed is allowed.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace belljar::policy {

// For calls of the tools that `tool` matches: what stands at `argument` must be there, and it, or
// every element of it where it is a list, must be one that `in` matches and in which `matches` is
// found.
struct ArgumentRule {
  std::string tool;             // a pattern of names (base/glob.h)
  std::string argument;         // "owner", "file.path"
  std::vector<std::string> in;  // patterns, one of which must match; none: anything does
  std::string matches;          // a regular expression (schema/pattern.h); empty: none
  bool operator==(const ArgumentRule&) const = default;
};

struct ToolServer {
  // How it is reached: exactly one of the two.
  std::vector<std::string> command;
  std::string url;

  std::map<std::string, std::string> env;      // of the command
  std::vector<std::string> pass;               // variables of the daemon's that it gets
  std::map<std::string, std::string> headers;  // of the url: "env:NAME" or "file:/PATH"

  std::vector<std::string> allow;  // patterns of tools
  std::vector<std::string> ask;    // likewise; a person is asked at each call
  std::vector<ArgumentRule> rules;

  std::uint64_t max_calls = 1'000;  // of one run, or of a session as a whole
  std::uint64_t calls_per_minute = 120;
  std::uint64_t argument_bytes = 256U << 10;
  std::uint64_t result_bytes = 1U << 20;
  std::chrono::milliseconds timeout{30'000};  // of a call, without the time that people take
  bool operator==(const ToolServer&) const = default;
};
// By name.
using ToolServers = std::map<std::string, ToolServer, std::less<>>;

constexpr std::size_t kMostToolServers = 32;

enum class ToolVerdict { kDeny, kAllow, kAsk };
// A tool that both lists match is asked for.
ToolVerdict JudgeTool(const ToolServer& server, std::string_view tool);
// Why these arguments are not allowed, in a sentence; nothing: they are.
std::optional<std::string> RefuseArguments(const ToolServer& server, std::string_view tool,
                                           const json::object& arguments);

// Whether both lead to the same program or address, with the same rights there.
bool IsSameServer(const ToolServer& one, const ToolServer& other);

// Letters, digits, "-" and "_", a letter first, at most 64.
bool IsServerName(std::string_view name);
// What one table says must make sense as a whole.
Result<> CheckToolServer(const ToolServer& server);

}  // namespace belljar::policy
