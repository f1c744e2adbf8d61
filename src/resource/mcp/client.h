// Client: a client for one MCP server: negotiates the revision, lists tools, calls them.
//
// Open() first uses the newest revision's request (server/discover). If the server does not know
// it, Open() uses the handshake of the older revisions (initialize). A server that supports none of
// our revisions is refused with an error that says so. The client offers servers no capabilities:
// no sampling, no elicitation, no roots.
//
// Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "resource/mcp/channel.h"
#include "resource/mcp/tool.h"

namespace belljar::resource::mcp {

// The first request to a server. Some old servers crash on a method they do not know.
enum class Opening { kDiscover, kInitialize };

class Client {
 public:
  static Result<std::unique_ptr<Client>> Open(std::unique_ptr<Channel> channel, Opening opening,
                                              const Patience& patience);

  // The server's tools; read again if the list may have changed.
  Result<std::vector<Tool>> Tools(const Patience& patience);
  // Calls a tool. An error answered by the server becomes an Error with kInvalid.
  Result<CallResult> Call(const std::string& tool, const json::object& arguments,
                          const Patience& patience);

  Revision revision() const { return revision_; }
  std::optional<Error> failure() { return channel_->failure(); }
  bool TakeListChanged() { return channel_->TakeListChanged(); }

 private:
  explicit Client(std::unique_ptr<Channel> channel) : channel_(std::move(channel)) {}
  // Whether the server supports the newest revision.
  Result<bool> Discover(const Patience& patience);
  Result<bool> Initialize(const Patience& patience);
  json::object WithMeta(json::object params) const;

  std::unique_ptr<Channel> channel_;
  Revision revision_ = Revision::k2026_07_28;
};

}  // namespace belljar::resource::mcp
