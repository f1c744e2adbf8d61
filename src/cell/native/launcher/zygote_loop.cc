#include "cell/native/launcher/zygote_loop.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

namespace belljar::cell::native {
namespace {

void CloseFds(const int* fds, int count) {
  for (int i = 0; i < count; ++i) ::close(fds[i]);
}

// Guests have their streams at 0..3, so no descriptor of an order may arrive at those numbers.
void OccupyLowNumbers(int socket) {
  int fd = 0;
  do {
    fd = ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
  } while (fd >= 0 && fd <= kControlFd);
  if (fd >= 0) ::close(fd);
}

}  // namespace

int ReceiveOrder(int socket, void* message, std::size_t size, int* fds) {
  iovec io{message, size};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxOrderFds * sizeof(int))];
  msghdr header{};
  header.msg_iov = &io;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof(control);
  ssize_t n = 0;
  do {
    n = ::recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) ::_exit(0);
  int count = 0;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    count = static_cast<int>((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    ::memcpy(fds, CMSG_DATA(c), static_cast<std::size_t>(count) * sizeof(int));
  }
  if (static_cast<std::size_t>(n) != size || (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
    CloseFds(fds, count);
    return -1;
  }
  return count;
}

bool Answer(int socket, const StartReport& report, int fd) {
  return AnswerBytes(socket, &report, sizeof(report), fd);
}

bool AnswerBytes(int socket, const void* report, std::size_t size, int fd) {
  iovec io{const_cast<void*>(report), size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &io;
  header.msg_iovlen = 1;
  if (fd >= 0) {
    header.msg_control = control;
    header.msg_controllen = sizeof(control);
    cmsghdr* const rights = CMSG_FIRSTHDR(&header);
    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(sizeof(int));
    ::memcpy(CMSG_DATA(rights), &fd, sizeof(int));
  }
  return ::sendmsg(socket, &header, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
}

void ServeGuests(int socket, const ForkHooks& hooks, GuestOrder* order) {
  OccupyLowNumbers(socket);
  for (;;) {
    int fds[kMaxOrderFds];
    const int count = ReceiveOrder(socket, order, sizeof(*order), fds);
    GuestFds sorted;
    if (count < 0 || !SortGuestFds(*order, fds, count, &sorted)) ::_exit(1);
    if (hooks.before != nullptr) hooks.before();
    int pidfd = -1;
    const long pid = CloneGuest(*order, sorted, &pidfd);
    if (pid == 0) {
      SealGuest(*order, sorted);
      if (hooks.in_child != nullptr) hooks.in_child();
      return;
    }
    const StartReport report{static_cast<std::int32_t>(pid),
                             {pid < 0 ? Step::kJoinNamespaces : Step::kNone, pid < 0 ? errno : 0}};
    if (hooks.in_parent != nullptr) hooks.in_parent();
    CloseFds(fds, count);
    if (!Answer(socket, report, pidfd)) ::_exit(0);
    if (pidfd >= 0) ::close(pidfd);
  }
}

}  // namespace belljar::cell::native
