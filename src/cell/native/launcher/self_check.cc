// The guest's own check of its confinement, after the last step and before the first user code.
//
// It inspects what can be read (ids, capabilities, descriptors) and tries operations that must
// fail. If a check fails, the cell ends before it has run any user code, and the supervisor retires
// the zygote.
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/io_uring.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <initializer_list>

#include "cell/native/launcher/mechanisms.h"

namespace belljar::cell::native {
namespace {

// A failed check sets errno to a number of its own, so that the report tells which check it was.
bool Surprise(int number) {
  errno = number;
  return false;
}

bool Refused(long result, int wanted) { return result == -1 && errno == wanted; }

bool HasNoRights() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct held[2] = {};
  if (::syscall(SYS_capget, &header, held) != 0) return false;
  for (const auto& word : held) {
    if ((word.effective | word.permitted | word.inheritable) != 0) return false;
  }
  for (int cap = 0; cap <= 63; ++cap) {
    const int bounded = ::prctl(PR_CAPBSET_READ, cap);
    if (bounded < 0) break;
    if (bounded != 0) return false;
  }
  const int bits = ::prctl(PR_GET_SECUREBITS);
  return (bits & SECBIT_NOROOT_LOCKED) != 0 && ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
         ::prctl(PR_GET_SECCOMP) == 2;
}

bool IsItsUser(const GuestOrder& order) {
  uid_t uids[3];
  gid_t gids[3];
  if (::getresuid(&uids[0], &uids[1], &uids[2]) != 0) return false;
  if (::getresgid(&gids[0], &gids[1], &gids[2]) != 0) return false;
  for (int i = 0; i < 3; ++i) {
    if (uids[i] != order.uid || gids[i] != order.uid || uids[i] == 0) return false;
  }
  return order.identity == Identity::kNestedUser || ::getgroups(0, nullptr) == 0;
}

bool HoldsOnlyItsDescriptors() {
  for (int fd = 0; fd < kGuestStdio; ++fd) {
    struct stat status {};
    if (::fstat(fd, &status) != 0 || S_ISDIR(status.st_mode)) return false;
  }
  // Only the lowest two of the numbers that must be free are probed; CloseDescriptors has closed
  // all of them.
  return ::fcntl(kGuestStdio, F_GETFD) == -1 && ::fcntl(kGuestStdio + 1, F_GETFD) == -1;
}

bool StandsInItsWorkspace() {
  char cwd[64];
  return ::syscall(SYS_getcwd, cwd, sizeof(cwd)) > 0 && ::strcmp(cwd, "/workspace") == 0;
}

bool CannotBuild() {
  const long cloned = ::syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, nullptr, nullptr, nullptr, 0);
  if (cloned == 0) ::_exit(0);
  return Refused(cloned, EPERM) && Refused(::syscall(SYS_unshare, CLONE_NEWUSER), EPERM) &&
         Refused(::syscall(SYS_mount, "t", "/tmp", "tmpfs", 0, nullptr), EPERM) &&
         Refused(::syscall(SYS_setns, -1, 0), EPERM) &&
         Refused(::syscall(SYS_clone3, nullptr, 0), ENOSYS) &&
         Refused(::syscall(SYS_io_uring_setup, 1, nullptr), EPERM);
}

bool CannotOpenSockets(const GuestOrder& order) {
  for (const int family :
       {AF_ALG, AF_VSOCK, AF_PACKET, AF_NETLINK, AF_RXRPC, AF_KEY, AF_INET6, AF_INET}) {
    if (family == AF_INET && (order.listeners & kEgressListener) != 0) continue;
    if (!Refused(::syscall(SYS_socket, family, SOCK_STREAM, 0), EAFNOSUPPORT)) return false;
  }
  return true;
}

}  // namespace

bool CheckSelf(const Guest& guest) {
  if (!HasNoRights()) return Surprise(EPERM);
  if (!IsItsUser(guest.order)) return Surprise(EACCES);
  if (!HoldsOnlyItsDescriptors()) return Surprise(EBADF);
  if (!StandsInItsWorkspace()) return Surprise(ENOTDIR);
  if (!CannotBuild()) return Surprise(ENOSYS);
  if (!CannotOpenSockets(guest.order)) return Surprise(EAFNOSUPPORT);
  return true;
}

}  // namespace belljar::cell::native
