// Channel: requests to one MCP server and their answers, by whatever way.
//
// Thread-safe: several requests may be under way at once. A channel that has failed stays so, and
// every request on it says why; whoever owns it makes another.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "mcp/message.h"

namespace belljar::mcp {

using Clock = std::chrono::steady_clock;

// How long an answer is waited for, and who may end the waiting before.
struct Patience {
  Clock::time_point deadline;
  std::stop_token stop;
};

// The revisions of the protocol that are spoken here. The newest has no handshake.
enum class Revision { k2025_06_18, k2025_11_25, k2026_07_28 };
std::string_view RevisionName(Revision revision);
std::optional<Revision> RevisionNamed(std::string_view name);

// The longest message taken from a server, whatever a policy allows.
constexpr std::size_t kMaxMessageBytes = 16U << 20;

class Channel {
 public:
  virtual ~Channel() = default;

  // The answer, an error of the server's included. An Error says that there is none: kExhausted
  // after the deadline, kUnavailable where the server is gone or was not to be understood,
  // kDenied where `stop` was requested. The server is told that nobody waits any more.
  virtual Result<Reply> Ask(std::string_view method, const json::object& params,
                            const Patience& patience) = 0;
  virtual Result<> Tell(std::string_view method, const json::object& params) = 0;
  // From now on all is said in that revision.
  virtual void Speak(Revision revision) = 0;
  // Why it has failed; nothing: it has not.
  virtual std::optional<Error> failure() = 0;
  // Whether the server has said since the last call that its list of tools is another.
  virtual bool TakeListChanged() = 0;
};

}  // namespace belljar::mcp
