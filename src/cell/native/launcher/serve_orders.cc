#include "cell/native/launcher/serve_orders.h"

#include <linux/sched.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

namespace belljar::cell::native {

bool ReceiveOrder(int socket, void* order, std::size_t size, OrderFds* fds) {
  iovec io{order, size};
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
  fds->count = 0;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    fds->count = static_cast<int>((c->cmsg_len - CMSG_LEN(0)) / sizeof(int));
    ::memcpy(fds->fd, CMSG_DATA(c), static_cast<std::size_t>(fds->count) * sizeof(int));
  }
  const bool whole =
      static_cast<std::size_t>(n) == size && (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0;
  if (!whole) fds->Close();
  return whole;
}

long CloneSibling(std::uint64_t namespaces, int* pidfd) {
  clone_args args{};
  args.flags = namespaces | CLONE_PARENT | CLONE_PIDFD;
  args.pidfd = reinterpret_cast<std::uint64_t>(pidfd);
  return ::syscall(SYS_clone3, &args, sizeof(args));
}

bool SendAnswer(int socket, const void* report, std::size_t size, int fd) {
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
  const bool sent = ::sendmsg(socket, &header, MSG_NOSIGNAL) == static_cast<ssize_t>(size);
  if (fd >= 0) ::close(fd);
  return sent;
}

}  // namespace belljar::cell::native
