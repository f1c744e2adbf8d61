// Accepts connections from a listening socket, independent of any event loop.
#pragma once

#include <optional>
#include <variant>

#include "foundation/base/fd.h"
#include "foundation/http/server/message.h"

namespace belljar::http::server {

struct Accepted {
  Fd socket;  // non-blocking
  Peer peer;
};
enum class NoConnection {
  kNoneWaiting,
  kCannotNow,  // out of descriptors or memory: try again later
};
std::variant<Accepted, NoConnection> AcceptOne(const Fd& listener, Peer::Door door);

// The credentials of the process at the other end of a Unix socket (SO_PEERCRED).
Peer UnixPeer(const Fd& socket);

// Sends 503 to a connection that exceeds the limits, as far as possible without waiting.
void TurnAway(const Fd& socket);

}  // namespace belljar::http::server
