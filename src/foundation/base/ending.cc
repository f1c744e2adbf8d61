#include "foundation/base/ending.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "foundation/base/sys.h"

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
  // The raw system call, because glibc's waitid() drops the rusage argument. __WALL is needed for
  // children cloned with CLONE_PARENT, which have no exit signal.
  BJ_TRY(Check("waitid", "the guest", [&] {
    return ::syscall(SYS_waitid, P_PIDFD, pidfd.get(), &info, WEXITED | __WALL, &usage);
  }));
  if (info.si_code == CLD_EXITED) return Ending{info.si_status, {}, UsedOf(usage)};
  return Ending{{}, info.si_status, UsedOf(usage)};
}

}  // namespace belljar
