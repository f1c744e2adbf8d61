// Channel: sends requests to one MCP server and receives its answers, over any transport.
//
// Thread-safe: several requests may be in flight at once. A channel that has failed stays failed,
// and every later request returns the cause; its owner opens a new channel.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "resource/mcp/message.h"

namespace belljar::resource::mcp {

using Clock = std::chrono::steady_clock;

// How long to wait for an answer, and a token that ends the wait earlier.
struct Patience {
  Clock::time_point deadline;
  std::stop_token stop;
};

// The protocol revisions that this client supports. The newest one has no handshake.
enum class Revision { k2025_06_18, k2025_11_25, k2026_07_28 };
std::string_view RevisionName(Revision revision);
std::optional<Revision> RevisionNamed(std::string_view name);

// The longest message accepted from a server, whatever the policy allows.
constexpr std::size_t kMaxMessageBytes = 16U << 20;

class Channel {
 public:
  virtual ~Channel() = default;

  // Sends a request and returns the answer, which may be an error reported by the server. An Error
  // means that there is no answer: kExhausted after the deadline, kUnavailable if the server is
  // gone or sent invalid data, kDenied if `stop` was requested. In these cases the server is sent a
  // cancellation.
  virtual Result<Reply> Ask(std::string_view method, const json::object& params,
                            const Patience& patience) = 0;
  virtual Result<> Tell(std::string_view method, const json::object& params) = 0;
  // Sets the protocol revision for all further messages.
  virtual void Speak(Revision revision) = 0;
  // The error that made the channel fail; nullopt if it has not failed.
  virtual std::optional<Error> failure() = 0;
  // Whether the server has announced since the last call that its list of tools has changed.
  virtual bool TakeListChanged() = 0;
};

}  // namespace belljar::resource::mcp
