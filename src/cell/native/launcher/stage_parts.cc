#include "cell/native/launcher/stage_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cell/native/launcher/mechanisms.h"

namespace belljar::cell::native {

bool EnterMappedUser(std::uint32_t outer_uid, std::uint32_t outer_gid) {
  if (::unshare(CLONE_NEWUSER) != 0) return false;
  char uid_map[32];
  char gid_map[32];
  ::snprintf(uid_map, sizeof(uid_map), "0 %u 1", outer_uid);
  ::snprintf(gid_map, sizeof(gid_map), "0 %u 1", outer_gid);
  return WriteText("/proc/self/setgroups", "deny") && WriteText("/proc/self/uid_map", uid_map) &&
         WriteText("/proc/self/gid_map", gid_map);
}

bool CopyInto(int source, const char* path) {
  struct stat status {};
  if (::fstat(source, &status) != 0) return false;
  if (status.st_size == 0) return true;
  const int target = ::open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0755);
  if (target < 0) return false;
  bool ok = true;
  off_t offset = 0;
  while (ok && offset < status.st_size) {
    ok = ::sendfile(target, source, &offset, static_cast<size_t>(status.st_size - offset)) > 0;
  }
  ::close(target);
  return ok;
}

bool MakeOwnedDir(int parent, const char* name, std::uint32_t uid, mode_t mode) {
  return ::mkdirat(parent, name, 0700) == 0 &&
         ::fchownat(parent, name, uid, uid, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fchmodat(parent, name, mode, 0) == 0;
}

bool ReportReady(int socket, const int* fds, std::size_t count) {
  constexpr std::size_t kMost = 2 + kMaxVaultMounts + kMaxListeners;
  if (count > kMost) return false;
  InitReport report{Step::kSealed, 0};
  iovec io{&report, sizeof(report)};
  alignas(cmsghdr) char control[CMSG_SPACE(kMost * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &io;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(count * sizeof(int));
  cmsghdr* const rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(count * sizeof(int));
  ::memcpy(CMSG_DATA(rights), fds, count * sizeof(int));
  return ::sendmsg(socket, &message, MSG_NOSIGNAL) == sizeof(report);
}

bool AwaitByte(int socket) {
  char byte = 0;
  ssize_t n = 0;
  do {
    n = ::recv(socket, &byte, 1, 0);
  } while (n < 0 && errno == EINTR);
  return n == 1;
}

}  // namespace belljar::cell::native
