// Client: one MCP server, understood: which revision it speaks, its tools, a call.
//
// Open() asks the way of the newest revision (server/discover). A server that does not know it is
// greeted the way of the older ones (initialize); one that speaks none of ours is refused by name.
// We offer nothing to servers: no sampling, no questions to people, no roots.
//
// Thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "mcp/channel.h"
#include "mcp/tool.h"

namespace belljar::mcp {

// How a server is first spoken to. Some old ones die of a question they do not know.
enum class Opening { kDiscover, kInitialize };

class Client {
 public:
  static Result<std::unique_ptr<Client>> Open(std::unique_ptr<Channel> channel, Opening opening,
                                              const Patience& patience);

  // The server's list, read anew where it may be another than last time.
  Result<std::vector<Tool>> Tools(const Patience& patience);
  // An error that the server answers is an Error of kInvalid.
  Result<CallResult> Call(const std::string& tool, const json::object& arguments,
                          const Patience& patience);

  Revision revision() const { return revision_; }
  std::optional<Error> failure() { return channel_->failure(); }
  bool TakeListChanged() { return channel_->TakeListChanged(); }

 private:
  explicit Client(std::unique_ptr<Channel> channel) : channel_(std::move(channel)) {}
  // Whether the server speaks the newest revision.
  Result<bool> Discover(const Patience& patience);
  Result<bool> Initialize(const Patience& patience);
  json::object WithMeta(json::object params) const;

  std::unique_ptr<Channel> channel_;
  Revision revision_ = Revision::k2026_07_28;
};

}  // namespace belljar::mcp
