#include "foundation/http/server/accept.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include "foundation/http/server/compose.h"

namespace belljar::http::server {
namespace {

std::string TcpAddress(const sockaddr_storage& from) {
  char text[INET6_ADDRSTRLEN] = {};
  if (from.ss_family == AF_INET) {
    const auto* four = reinterpret_cast<const sockaddr_in*>(&from);
    ::inet_ntop(AF_INET, &four->sin_addr, text, sizeof(text));
    return std::string(text) + ":" + std::to_string(ntohs(four->sin_port));
  }
  const auto* six = reinterpret_cast<const sockaddr_in6*>(&from);
  ::inet_ntop(AF_INET6, &six->sin6_addr, text, sizeof(text));
  return "[" + std::string(text) + "]:" + std::to_string(ntohs(six->sin6_port));
}

}  // namespace

Peer UnixPeer(const Fd& socket) {
  Peer peer;
  peer.door = Peer::Door::kUnix;
  peer.address = "unix";
  ucred who{};
  socklen_t length = sizeof(who);
  if (::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &who, &length) == 0) peer.uid = who.uid;
  return peer;
}

std::variant<Accepted, NoConnection> AcceptOne(const Fd& listener, Peer::Door door) {
  sockaddr_storage from{};
  socklen_t length = sizeof(from);
  const int fd = ::accept4(listener.get(), reinterpret_cast<sockaddr*>(&from), &length,
                           SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (fd < 0) {
    // These errors concern only one client, which left before it was accepted.
    const bool passing = errno == EAGAIN || errno == ECONNABORTED || errno == EINTR ||
                         errno == EPROTO || errno == ENETDOWN || errno == EHOSTUNREACH;
    return passing ? NoConnection::kNoneWaiting : NoConnection::kCannotNow;
  }
  Accepted accepted{Fd(fd), {}};
  if (door == Peer::Door::kUnix) {
    accepted.peer = UnixPeer(accepted.socket);
    return accepted;
  }
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  accepted.peer = {Peer::Door::kTcp, std::nullopt, TcpAddress(from)};
  return accepted;
}

void TurnAway(const Fd& socket) {
  const Response response =
      ErrorResponse(Error(Kind::kUnavailable, "too many connections are open"));
  const std::string bytes = ComposeAnswer(response, After::kClose, Extent::kWhole);
  // The buffer of a new socket has room for the answer; a client that is gone does not need it.
  const ssize_t ignored =
      ::send(socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  static_cast<void>(ignored);
  ::shutdown(socket.get(), SHUT_WR);
}

}  // namespace belljar::http::server
