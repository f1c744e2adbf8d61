// Server: an MCP server from the operator's configuration, connected on first use.
//
// All cells share one connection. A failed connection is made again at the next call: immediately
// the first time, then with exponential backoff, so that a server that crashes at every start does
// not keep the machine busy. A call that was in flight when the server died is not repeated,
// because it may have taken effect.
//
// Thread-safe.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "resource/mcp/client.h"
#include "resource/mcp/stdio.h"

namespace belljar::resource::mcp {

// Exactly one of `command` and `url` is set.
struct ServerSpec {
  Command command;
  std::string url;
  std::vector<std::string> headers;  // "Name: value", sent with requests to the url
};

class Server {
 public:
  using ToolList = std::shared_ptr<const std::vector<Tool>>;  // shared with readers

  Server(ServerSpec spec, OnLog on_log) : spec_(std::move(spec)), on_log_(std::move(on_log)) {}

  // Cached for a while; read again if the server announces a change.
  Result<ToolList> Tools(const Patience& patience);
  Result<CallResult> Call(const std::string& tool, const json::object& arguments,
                          const Patience& patience);

 private:
  using ClientPtr = std::shared_ptr<Client>;  // shared with calls in flight

  Result<ClientPtr> Connected(const Patience& patience);
  Result<ClientPtr> Connect(const Patience& patience);
  Result<std::unique_ptr<Channel>> MakeChannel() const;
  // The error that prevents connecting now (backoff), if any.
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
  std::size_t failures_ = 0;  // since the last success
  Clock::time_point retry_at_{};
  ToolList tools_;
  Clock::time_point listed_at_{};
};

}  // namespace belljar::resource::mcp
