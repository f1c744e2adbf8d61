#include "base/ending.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sys.h"

namespace belljar {
namespace {

Used UsedOf(const rusage& usage) {
  using std::chrono::microseconds;
  using std::chrono::seconds;
  return {seconds(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
              microseconds(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec),
          static_cast<std::uint64_t>(usage.ru_maxrss) * 1024};
}

}  // namespace

Result<Ending> ReapChild(const Fd& pidfd) {
  siginfo_t info{};
  rusage usage{};
  // Cloned with CLONE_PARENT, it has no exit signal: only __WALL sees it. The C library's function
  // leaves out what it has used.
  BJ_TRY(Check("waitid", "the guest", [&] {
    return ::syscall(SYS_waitid, P_PIDFD, pidfd.get(), &info, WEXITED | __WALL, &usage);
  }));
  if (info.si_code == CLD_EXITED) return Ending{info.si_status, {}, UsedOf(usage)};
  return Ending{{}, info.si_status, UsedOf(usage)};
}

}  // namespace belljar
