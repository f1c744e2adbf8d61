#include "cell/native/launcher/child.h"

#include <errno.h>
#include <linux/sched.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cell/native/launcher/mechanisms.h"

namespace belljar::cell::native {
namespace {

using Mechanism = bool (*)(const Guest&);

void Must(const Guest& guest, Step step, Mechanism mechanism) {
  if (!Enabled(guest.order.off, step)) return;
  if (!mechanism(guest)) Die(kControlFd, step);
}

// glibc keeps the thread id in user memory, and after a raw clone the child still sees its
// parent's. The kernel knows the address (it clears it when a thread ends) and can store the
// child's id there itself.
std::uint64_t ThreadIdAddress() {
  unsigned long address = 0;
  if (::prctl(PR_GET_TID_ADDRESS, &address) != 0) return 0;
  return address;
}

}  // namespace

void Die(int fd, Step step) {
  const StepReport report{step, errno};
  const ssize_t ignored = ::write(fd, &report, sizeof(report));
  static_cast<void>(ignored);
  ::_exit(127);
}

void SealGuest(const GuestOrder& order, const GuestFds& fds) {
  const Guest guest{order, fds};
  if (!TakeDescriptors(guest)) Die(fds.stdio[kControlFd], Step::kDescriptors);
  Must(guest, Step::kCgroups, JoinCgroups);
  Must(guest, Step::kJoinNamespaces, JoinNamespaces);
  Must(guest, Step::kCgroupNamespace, NewCgroupNamespace);
  Must(guest, Step::kKeyring, NewKeyring);
  Must(guest, Step::kSessionLeader, LeadSession);
  Must(guest, Step::kNestedUser, NestUser);
  // After NestUser: in the outer user namespace RLIMIT_NPROC would count all cells of the user.
  Must(guest, Step::kResourceLimits, SetResourceLimits);
  Must(guest, Step::kBoundingSet, DropBoundingSet);
  Must(guest, Step::kSecurebits, LockSecurebits);
  Must(guest, Step::kUserId, BecomeUser);
  Must(guest, Step::kCapabilities, DropCapabilities);
  Must(guest, Step::kNoNewPrivileges, SetNoNewPrivileges);
  Must(guest, Step::kWorkingDirectory, EnterWorkspace);
  Must(guest, Step::kLandlock, RestrictWithLandlock);
  Must(guest, Step::kCloseDescriptors, CloseDescriptors);
  Must(guest, Step::kGuestFilter, InstallGuestFilter);
  Must(guest, Step::kSelfCheck, CheckSelf);
}

void ReportSealed() {
  errno = 0;
  const StepReport report{Step::kSealed, 0};
  if (::write(kControlFd, &report, sizeof(report)) != sizeof(report)) ::_exit(127);
}

bool SortGuestFds(const GuestOrder& order, const int* fds, int count, GuestFds* sorted) {
  const int wanted =
      1 + kGuestStdio + (order.has_v2 != 0 ? 1 : 0) + static_cast<int>(order.v1_joins);
  if (order.v1_joins > 4 || count != wanted) return false;
  int next = 0;
  sorted->init_pidfd = fds[next++];
  for (int& stdio : sorted->stdio) stdio = fds[next++];
  if (order.has_v2 != 0) sorted->v2_dir = fds[next++];
  for (std::uint32_t i = 0; i < order.v1_joins; ++i) sorted->v1_joins[i] = fds[next++];
  sorted->count = count;
  return true;
}

long CloneGuest(const GuestOrder& order, const GuestFds& fds, int* pidfd) {
  // From here on this zygote's children are created in the cell's pid namespace; the next order
  // sets it to the next cell's. (Returning to its own would need capabilities that a rootless
  // zygote lacks.)
  if (Enabled(order.off, Step::kPidNamespace) &&
      ::syscall(SYS_setns, fds.init_pidfd, CLONE_NEWPID) != 0) {
    return -1;
  }
  clone_args args{};
  args.flags = CLONE_PARENT | CLONE_PIDFD;
  args.pidfd = reinterpret_cast<std::uint64_t>(pidfd);
  if (fds.v2_dir >= 0 && Enabled(order.off, Step::kCgroups)) {
    args.flags |= CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(fds.v2_dir);
  }
  if (const std::uint64_t address = ThreadIdAddress(); address != 0) {
    args.flags |= CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID;
    args.child_tid = address;
  }
  return ::syscall(SYS_clone3, &args, sizeof(args));
}

}  // namespace belljar::cell::native
