#include "cell/native/launcher/zygote_loop.h"

#include <fcntl.h>
#include <unistd.h>

#include "cell/native/launcher/serve_orders.h"

namespace belljar::cell::native {
namespace {

// Guests get their streams at 0..3: nothing an order brings may arrive at those numbers.
void OccupyLowNumbers(int socket) {
  int fd = 0;
  do {
    fd = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
  } while (fd >= 0 && fd <= kControlFd);
  if (fd >= 0) ::close(fd);
}

}  // namespace

void ServeGuests(int socket, const ForkHooks& hooks, GuestOrder* order) {
  OccupyLowNumbers(socket);
  ServeOrders(socket, *order, [&](const OrderFds& fds) -> std::optional<OrderAnswer<StartReport>> {
    GuestFds sorted;
    if (!SortGuestFds(*order, fds.fd, fds.count, &sorted)) ::_exit(1);
    if (hooks.before != nullptr) hooks.before();
    int pidfd = -1;
    const long pid = CloneGuest(*order, sorted, &pidfd);
    if (pid == 0) {
      SealGuest(*order, sorted);
      if (hooks.in_child != nullptr) hooks.in_child();
      return std::nullopt;
    }
    const auto answer = CloneAnswer(pid, pidfd, Step::kJoinNamespaces);
    if (hooks.in_parent != nullptr) hooks.in_parent();
    return answer;
  });
}

}  // namespace belljar::cell::native
