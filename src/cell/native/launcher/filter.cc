#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cell/native/launcher/mechanisms.h"

namespace belljar::cell::native {
namespace {

constexpr sock_filter kBase[] = {
#include "filter_base.inc"
};
constexpr sock_filter kGuest[] = {
#include "filter_guest.inc"
};
constexpr sock_filter kGuestJit[] = {
#include "filter_guest_jit.inc"
};

constexpr sock_filter kGuestEgress[] = {
#include "filter_guest_egress.inc"
};
constexpr sock_filter kGuestJitEgress[] = {
#include "filter_guest_jit_egress.inc"
};

template <std::size_t N>
bool Install(const sock_filter (&program)[N]) {
  const sock_fprog fprog{static_cast<unsigned short>(N), const_cast<sock_filter*>(program)};
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &fprog) == 0;
}

}  // namespace

bool InstallBaseFilter() { return Install(kBase); }

bool CloseFilterFor(FilterKind kind) {
  switch (kind) {
    case FilterKind::kStrictMemory:
      return Install(kGuest);
    case FilterKind::kJit:
      return Install(kGuestJit);
    case FilterKind::kStrictMemoryEgress:
      return Install(kGuestEgress);
    case FilterKind::kJitEgress:
      return Install(kGuestJitEgress);
  }
  return false;
}

bool InstallGuestFilter(const Guest& guest) { return CloseFilterFor(guest.order.filter); }

}  // namespace belljar::cell::native
