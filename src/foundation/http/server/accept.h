// Taking connections from a listening socket, without any event loop.
#pragma once

#include <optional>
#include <variant>

#include "foundation/base/fd.h"
#include "foundation/http/server/message.h"

namespace belljar::http::server {

struct Accepted {
  Fd socket;  // does not block
  Peer peer;
};
enum class NoConnection {
  kNoneWaiting,
  kCannotNow,  // out of descriptors or memory: to be tried again later, not at once
};
std::variant<Accepted, NoConnection> AcceptOne(const Fd& listener, Peer::Door door);

// Who is at the other end of a Unix socket.
Peer UnixPeer(const Fd& socket);

// Says 503 to a connection there is no room for, as far as that can be said without waiting.
void TurnAway(const Fd& socket);

}  // namespace belljar::http::server
