// McpServers: the MCP servers that policies name, each connected once for all cells.
//
// Servers are identified by everything that determines how they are reached, so that reloading a
// policy makes a new connection only where these settings have changed. Secrets (headers,
// environment variables) are not part of a policy; they are read here from the daemon's environment
// or from files.
//
// Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "judgement/policy/tools.h"
#include "resource/mcp/server.h"

namespace belljar::resource::tools {

class McpServers {
 public:
  // Receives the lines that a server's program writes to its standard error.
  using OnLog = std::function<void(const std::string& server, std::string_view line)>;
  using ServerPtr = std::shared_ptr<mcp::Server>;  // shared with calls in progress

  // `keeper` is the program that starts every server's program (mcp/keeper.h); empty: they are
  // started directly.
  explicit McpServers(OnLog on_log, std::vector<std::string> keeper = {})
      : on_log_(std::move(on_log)), keeper_(std::move(keeper)) {}

  Result<ServerPtr> For(const std::string& name, const judgement::policy::ToolServer& terms);

 private:
  static constexpr std::size_t kMostKept = 64;

  const OnLog on_log_;
  const std::vector<std::string> keeper_;
  std::mutex mutex_;
  std::map<std::string, ServerPtr> servers_;  // keyed by how they are reached
};

// The complete description of how to reach a server, with the secrets that the policy only refers
// to.
Result<mcp::ServerSpec> SpecOf(const judgement::policy::ToolServer& terms);

}  // namespace belljar::resource::tools
