#include "service/reloadable_state.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "foundation/base/sys.h"

namespace belljar::service {

Result<ReloadableState> ReloadableState::Create(const request::Limits& limits) {
  const long cut = BJ_TRY(
      Check("eventfd", "the end of runs", [] { return ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }));
  ReloadableState live{Fd(static_cast<int>(cut))};
  live.limits_ = limits;
  return live;
}

void ReloadableState::Cut() {
  const std::uint64_t one = 1;
  const ssize_t ignored = ::write(cut_.get(), &one, sizeof(one));
  static_cast<void>(ignored);  // fails only if it is readable already
}

}  // namespace belljar::service
