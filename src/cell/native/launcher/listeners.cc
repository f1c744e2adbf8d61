#include "cell/native/launcher/listeners.h"

#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "cell/listener_places.h"
#include "cell/native/launcher/mount_api.h"

namespace belljar::cell::native {
namespace {

constexpr int kBacklog = 64;

int NewSocket(int family) {
  return ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

bool RaiseLoopback(int socket) {
  ifreq request{};
  ::memcpy(request.ifr_name, "lo", sizeof("lo"));
  request.ifr_flags = IFF_UP;
  return ::ioctl(socket, SIOCSIFFLAGS, &request) == 0;
}

template <class Address>
bool Listen(int socket, const Address& address) {
  return ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
         ::listen(socket, kBacklog) == 0;
}

int MakeEgress() {
  const int socket = NewSocket(AF_INET);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kEgressPort);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket < 0 || !RaiseLoopback(socket) || !Listen(socket, address)) return -1;
  return socket;
}

// `place` is mounted on a directory below /run, which the guest could write to, and is read-only in
// the end.
bool BindTools(int socket, int place) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  static_assert(sizeof(kToolsSocket) <= sizeof(address.sun_path));
  ::memcpy(address.sun_path, kToolsSocket, sizeof(kToolsSocket));
  return ::mkdir(kToolsPlace, 0755) == 0 && AttachMount(place, kToolsPlace) &&
         Listen(socket, address) && ::chmod(kToolsSocket, 0666) == 0 && PlaceModule() &&
         SetMountAttributes(place, MOUNT_ATTR_RDONLY);
}

int MakeTools() {
  static constexpr MountOption kOptions[] = {{"size", "4k"}, {"nr_inodes", "8"}, {"mode", "0755"}};
  const int place =
      NewMount("tmpfs", kOptions, 3, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
  const int socket = NewSocket(AF_UNIX);
  const bool bound = place >= 0 && socket >= 0 && BindTools(socket, place);
  if (place >= 0) ::close(place);
  return bound ? socket : -1;
}

}  // namespace

bool MakeListeners(const AgentOrder& order, int (&listeners)[kMaxListeners], std::uint32_t* made) {
  if ((order.listeners & kEgressListener) != 0) {
    listeners[*made] = MakeEgress();
    if (listeners[(*made)++] < 0) return false;
  }
  if ((order.listeners & kToolsListener) != 0) {
    listeners[*made] = MakeTools();
    if (listeners[(*made)++] < 0) return false;
  }
  return true;
}

}  // namespace belljar::cell::native
