// McpServers: the MCP servers that policies name, each there once for all cells.
//
// A server is known by everything that says how it is reached, so that a policy which is read anew
// gets a new connection exactly where it says something new. What a policy must not hold (headers,
// variables with secrets) is read from the daemon's own environment or from files, here.
//
// Thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mcp/server.h"
#include "policy/tools.h"

namespace belljar::broker {

class McpServers {
 public:
  // A line that a server's program has written to its standard error.
  using OnLog = std::function<void(const std::string& server, std::string_view line)>;
  using ServerPtr = std::shared_ptr<mcp::Server>;  // shared with the calls that are under way

  // `keeper` is what every program is started by (mcp/keeper.h); empty: by us.
  explicit McpServers(OnLog on_log, std::vector<std::string> keeper = {})
      : on_log_(std::move(on_log)), keeper_(std::move(keeper)) {}

  Result<ServerPtr> For(const std::string& name, const policy::ToolServer& terms);

 private:
  static constexpr std::size_t kMostKept = 64;

  const OnLog on_log_;
  const std::vector<std::string> keeper_;
  std::mutex mutex_;
  std::map<std::string, ServerPtr> servers_;  // by what reaches them
};

// How a server is reached, with everything that is not in the policy itself.
Result<mcp::ServerSpec> SpecOf(const policy::ToolServer& terms);

}  // namespace belljar::broker
