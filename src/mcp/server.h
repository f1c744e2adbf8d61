// Server: an MCP server by the operator's description, connected when it is first needed.
//
// One connection serves all cells. One that has failed is made again at the next call: at once the
// first time, then after pauses that double, so that a server which dies at every start does not
// keep the machine busy. A call that was under way when the server died is not repeated: it may
// have had its effect.
//
// Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mcp/client.h"
#include "mcp/stdio.h"

namespace belljar::mcp {

// Exactly one of the two is there.
struct ServerSpec {
  Command command;
  std::string url;
  std::vector<std::string> headers;  // "Name: value", of the url
};

class Server {
 public:
  using ToolList = std::shared_ptr<const std::vector<Tool>>;  // shared with whoever reads it

  Server(ServerSpec spec, OnLog on_log) : spec_(std::move(spec)), on_log_(std::move(on_log)) {}

  // Kept for a while, and until the server says that it is another.
  Result<ToolList> Tools(const Patience& patience);
  Result<CallResult> Call(const std::string& tool, const json::object& arguments,
                          const Patience& patience);

 private:
  using ClientPtr = std::shared_ptr<Client>;  // shared with the calls that are under way

  Result<ClientPtr> Connected(const Patience& patience);
  Result<ClientPtr> Connect(const Patience& patience);
  Result<std::unique_ptr<Channel>> MakeChannel() const;
  // What is in the way of connecting now.
  std::optional<Error> MustWait(Clock::time_point now) const;
  ClientPtr DropFailed();
  void NoteFailure(Clock::time_point now);

  const ServerSpec spec_;
  const OnLog on_log_;
  std::mutex mutex_;
  std::condition_variable changed_;
  ClientPtr client_;
  bool connecting_ = false;
  Opening opening_ = Opening::kDiscover;
  std::size_t failures_ = 0;  // since the last answer
  Clock::time_point retry_at_{};
  ToolList tools_;
  Clock::time_point listed_at_{};
};

}  // namespace belljar::mcp
