#include "base/ending.h"

#include <sys/wait.h>

#include "base/sys.h"

namespace belljar {

Result<Ending> ReapChild(const Fd& pidfd) {
  siginfo_t info{};
  // Cloned with CLONE_PARENT, it has no exit signal: only __WALL sees it.
  BJ_TRY(Check("waitid", "the guest", [&] {
    return ::waitid(P_PIDFD, static_cast<id_t>(pidfd.get()), &info, WEXITED | __WALL);
  }));
  if (info.si_code == CLD_EXITED) return Ending{info.si_status, {}};
  return Ending{{}, info.si_status};
}

}  // namespace belljar
