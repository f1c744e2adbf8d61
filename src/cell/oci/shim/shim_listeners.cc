#include "cell/oci/shim/shim_listeners.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <algorithm>

namespace belljar::cell::oci {
namespace {

constexpr int kBacklog = 64;

template <class Address>
Fd ListenAt(const Address& address) {
  const auto* const where = reinterpret_cast<const sockaddr*>(&address);
  Fd socket(::socket(where->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || ::bind(socket.get(), where, sizeof(address)) != 0 ||
      ::listen(socket.get(), kBacklog) != 0) {
    return Fd();
  }
  return socket;
}

Fd ListenForEgress() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kEgressPort);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ListenAt(address);
}

Fd ListenForTools() {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  static_assert(sizeof(kToolsSocket) <= sizeof(address.sun_path));
  ::memcpy(address.sun_path, kToolsSocket, sizeof(kToolsSocket));
  Fd socket = ListenAt(address);
  if (socket && (::chmod(kToolsSocket, 0666) != 0 || !PlaceModule())) socket.Close();
  return socket;
}

// The number of connections that fit. RLIMIT_NOFILE is set for the guest and may be small; it also
// limits the entries of poll().
std::size_t RoomForConnections() {
  constexpr rlim_t kOwn = 12;
  constexpr rlim_t kAll = kListenerCount * kConnectionsOfListener;
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur <= kOwn) return 1;
  return std::min(files.rlim_cur - kOwn, kAll);
}

}  // namespace

bool ShimListeners::Make(std::string_view word) {
  most_ = RoomForConnections();
  for (std::size_t i = 0; i < kListenerCount; ++i) {
    if (!word.contains(kListenerLetters[i])) continue;
    listeners_[i] = static_cast<CellListener>(i) == CellListener::kEgress ? ListenForEgress()
                                                                          : ListenForTools();
    if (!listeners_[i]) return false;
  }
  return true;
}

void ShimListeners::Prepare(std::vector<pollfd>& polled) {
  for (std::size_t i = 0; i < kListenerCount; ++i) {
    const bool room = crossings_.size() < most_ &&
                      crossings_.Count(static_cast<CellListener>(i)) < kConnectionsOfListener;
    polled.push_back({room ? listeners_[i].get() : -1, POLLIN, 0});
  }
  crossings_.Prepare(polled);
}

void ShimListeners::Serve(std::span<const pollfd> polled) {
  crossings_.Serve(polled.subspan(kListenerCount));
  for (std::size_t i = 0; i < kListenerCount; ++i) {
    if (polled[i].revents != 0) Accept(static_cast<CellListener>(i));
  }
}

void ShimListeners::Accept(CellListener listener) {
  Fd socket(::accept4(listeners_[static_cast<std::size_t>(listener)].get(), nullptr, nullptr,
                      SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket) {
    const int on = 1;
    if (listener == CellListener::kEgress) {
      ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    }
    return crossings_.Accepted(listener, std::move(socket));
  }
  // Descriptors are exhausted: the present number of connections becomes the limit.
  if (errno == EMFILE || errno == ENFILE) most_ = std::max<std::size_t>(crossings_.size(), 1);
}

}  // namespace belljar::cell::oci
