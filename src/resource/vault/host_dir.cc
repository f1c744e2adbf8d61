#include "resource/vault/host_dir.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "foundation/base/sys.h"
#include "foundation/tree/open.h"

namespace belljar::resource::vault {
namespace {

using namespace std::chrono_literals;
constexpr auto kLockPatience = 10s;
constexpr auto kLockLook = 5ms;
constexpr int kMostParents = 4096;

}  // namespace

Result<HostDir> OpenHostDir(const std::string& path) {
  open_how how{};
  how.flags = O_RDONLY | O_DIRECTORY | O_NONBLOCK | O_CLOEXEC;
  // a path such as /proc/self/fd/7 would lead to this process's own file
  how.resolve = RESOLVE_NO_MAGICLINKS;
  const long raw = BJ_TRY(Check("open", path, [&] {
    return ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof(how));
  }));
  HostDir dir{path, Fd(static_cast<int>(raw))};
  const struct stat status = BJ_TRY(tree::StatOf(dir.fd, path));
  dir.device = status.st_dev;
  dir.inode = status.st_ino;
  dir.uid = status.st_uid;
  dir.gid = status.st_gid;
  return dir;
}

Result<bool> LiesIn(const HostDir& inner, const HostDir& outer) {
  Fd at = BJ_TRY(OpenBeneath(inner.fd, ".", O_PATH | O_DIRECTORY));
  for (int i = 0; i < kMostParents; ++i) {
    const struct stat here = BJ_TRY(tree::StatOf(at, inner.path));
    if (here.st_dev == outer.device && here.st_ino == outer.inode) return true;
    Fd parent(::openat(at.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!parent) return SysError("open", "the parent of " + inner.path, errno);
    const struct stat above = BJ_TRY(tree::StatOf(parent, inner.path));
    if (above.st_dev == here.st_dev && above.st_ino == here.st_ino) return false;  // the root
    at = std::move(parent);
  }
  return Error(Kind::kInvalid, inner.path + " lies too deep");
}

Result<HostLock> HostLock::Take(const HostDir& dir, Sharing sharing) {
  // A separate open file description: closing it releases the lock.
  Fd fd = BJ_TRY(OpenBeneath(dir.fd, ".", O_RDONLY | O_DIRECTORY));
  const int kind = sharing == Sharing::kCommitting ? LOCK_EX : LOCK_SH;
  const auto deadline = std::chrono::steady_clock::now() + kLockPatience;
  while (::flock(fd.get(), kind | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return SysError("lock", dir.path, errno);
    if (std::chrono::steady_clock::now() > deadline) {
      return Error(Kind::kUnavailable,
                   "another commit to it has been under way for too long; try again");
    }
    std::this_thread::sleep_for(kLockLook);
  }
  return HostLock(std::move(fd));
}

}  // namespace belljar::resource::vault
