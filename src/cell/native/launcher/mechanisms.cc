#include "cell/native/launcher/mechanisms.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::cell::native {
namespace {

bool SetLimit(int resource, std::uint64_t value) {
  rlimit now{};
  if (::getrlimit(static_cast<__rlimit_resource>(resource), &now) != 0) return false;
  // Without CAP_SYS_RESOURCE a hard limit can only fall.
  const rlim_t wanted = value < now.rlim_max ? value : now.rlim_max;
  const rlimit both{wanted, wanted};
  return ::setrlimit(static_cast<__rlimit_resource>(resource), &both) == 0;
}

bool PinToCpus(std::uint64_t count, std::uint32_t slot) {
  if (count == 0) return true;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);  // the kernel fills in only as many bytes as it has CPUs
  // Raw calls: glibc would use its cached thread id, which may be stale after a raw clone.
  if (::syscall(SYS_sched_getaffinity, 0, sizeof(allowed), &allowed) <= 0) return false;
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  // Different cells start at different CPUs, so that pinned cells do not pile up on the first.
  const int usable = CPU_COUNT(&allowed);
  int skip = static_cast<int>(slot % static_cast<std::uint32_t>(usable > 0 ? usable : 1));
  for (int i = 0; i < 2 * CPU_SETSIZE && count > 0; ++i) {
    const int cpu = i % CPU_SETSIZE;
    if (skip > 0 && CPU_ISSET(cpu, &allowed)) {
      --skip;
      continue;
    }
    if (CPU_ISSET(cpu, &chosen)) break;
    if (!CPU_ISSET(cpu, &allowed)) continue;
    CPU_SET(cpu, &chosen);
    --count;
  }
  return ::syscall(SYS_sched_setaffinity, 0, sizeof(chosen), &chosen) == 0;
}

}  // namespace

bool WriteText(const char* path, const char* text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const size_t length = ::strlen(text);
  const bool written = ::write(fd, text, length) == static_cast<ssize_t>(length);
  const int err = errno;
  ::close(fd);
  errno = err;
  return written;
}

// Moves the four descriptors to 0..3. Each may arrive at any number, also at the target of another,
// so all are first duplicated to high numbers.
bool TakeDescriptors(const Guest& guest) {
  int high[kGuestStdio];
  for (int i = 0; i < kGuestStdio; ++i) {
    high[i] = ::fcntl(guest.fds.stdio[i], F_DUPFD, 64);
    if (high[i] < 0) return false;
  }
  for (int i = 0; i < kGuestStdio; ++i) {
    if (::dup3(high[i], i, i == kControlFd ? O_CLOEXEC : 0) < 0) return false;
    ::close(high[i]);
  }
  return true;
}

bool JoinCgroups(const Guest& guest) {
  for (std::uint32_t i = 0; i < guest.order.v1_joins; ++i) {
    if (::write(guest.fds.v1_joins[i], "0", 1) != 1) return false;
  }
  return true;
}

bool JoinNamespaces(const Guest& guest) {
  int flags = CLONE_NEWNS;
  if (Enabled(guest.order.off, Step::kNetNamespace)) flags |= CLONE_NEWNET;
  if (Enabled(guest.order.off, Step::kIpcNamespace)) flags |= CLONE_NEWIPC;
  if (Enabled(guest.order.off, Step::kUtsNamespace)) flags |= CLONE_NEWUTS;
  return ::syscall(SYS_setns, guest.fds.init_pidfd, flags) == 0;
}

// Made by the guest and not by init: the root of the namespace is then the cell's own group, and
// /proc/self/cgroup reveals nothing about its place on the host.
bool NewCgroupNamespace(const Guest&) { return ::unshare(CLONE_NEWCGROUP) == 0; }

bool NewKeyring(const Guest&) {
  return ::syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, nullptr) >= 0;
}

bool SetResourceLimits(const Guest& guest) {
  const GuestOrder& o = guest.order;
  // A core limit of exactly 1 prevents core files and piped core handlers; the seccomp filter keeps
  // a guest from lowering it to 0.
  bool ok = SetLimit(RLIMIT_CORE, 1) && SetLimit(RLIMIT_MEMLOCK, 0) &&
            SetLimit(RLIMIT_MSGQUEUE, 0) && SetLimit(RLIMIT_RTPRIO, 0) &&
            SetLimit(RLIMIT_NICE, 0) && SetLimit(RLIMIT_SIGPENDING, 1024) &&
            SetLimit(RLIMIT_NOFILE, o.open_files) && SetLimit(RLIMIT_FSIZE, o.file_bytes) &&
            SetLimit(RLIMIT_STACK, 8 << 20) && SetLimit(RLIMIT_NPROC, o.processes);
  if (o.data_bytes != 0) ok = ok && SetLimit(RLIMIT_DATA, o.data_bytes);
  return ok && PinToCpus(o.affinity_cpus, o.slot);
}

bool LeadSession(const Guest&) { return ::setsid() > 0; }

// Enters a user namespace below the one that owns the cell's mounts, with one id mapped. A
// capability that a guest might gain in it has no effect on those mounts.
bool NestUser(const Guest& guest) {
  if (guest.order.identity != Identity::kNestedUser) return true;
  if (::unshare(CLONE_NEWUSER) != 0) return false;
  char map[32];
  ::snprintf(map, sizeof(map), "%u 0 1", guest.order.uid);
  return WriteText("/proc/self/setgroups", "deny") && WriteText("/proc/self/uid_map", map) &&
         WriteText("/proc/self/gid_map", map);
}

bool DropBoundingSet(const Guest&) {
  for (int cap = 0; cap <= 63; ++cap) {
    if (::prctl(PR_CAPBSET_DROP, cap) != 0) {
      if (errno == EINVAL) break;  // past the last capability this kernel knows
      return false;
    }
  }
  return ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0;
}

bool LockSecurebits(const Guest&) {
  return ::prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED |
                                        SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED |
                                        SECBIT_NO_CAP_AMBIENT_RAISE |
                                        SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED) == 0;
}

// Raw calls: glibc's wrappers synchronise threads through state that is stale after a raw clone.
bool BecomeUser(const Guest& guest) {
  const std::uint32_t id = guest.order.uid;
  if (guest.order.identity == Identity::kNestedUser) {
    // Groups cannot be dropped without a privileged id map; inside, all of them appear as
    // `nogroup`.
    return ::syscall(SYS_setresgid, id, id, id) == 0 && ::syscall(SYS_setresuid, id, id, id) == 0;
  }
  return ::syscall(SYS_setgroups, 0, nullptr) == 0 && ::syscall(SYS_setresgid, id, id, id) == 0 &&
         ::syscall(SYS_setresuid, id, id, id) == 0;
}

bool DropAllCapabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct none[2] = {};
  return ::syscall(SYS_capset, &header, none) == 0;
}

bool DropCapabilities(const Guest&) {
  // A change of uid makes a process undumpable, and then it cannot read its own /proc/self. Making
  // it dumpable is safe: its memory holds only data of its own, and its pid namespace holds no
  // other user's process.
  return DropAllCapabilities() && ::prctl(PR_SET_DUMPABLE, 1) == 0;
}

bool SetNoNewPrivileges(const Guest&) { return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0; }

bool EnterWorkspace(const Guest&) {
  ::umask(022);
  return ::chdir("/workspace") == 0;
}

bool CloseAllBut(const int* keep, int count) {
  unsigned next = 0;
  for (int i = 0; i < count; ++i) {
    const unsigned kept = static_cast<unsigned>(keep[i]);
    if (kept > next && ::syscall(SYS_close_range, next, kept - 1, 0) != 0) return false;
    next = kept + 1;
  }
  return ::syscall(SYS_close_range, next, ~0U, 0) == 0;
}

bool CloseDescriptors(const Guest&) {
  static constexpr int kKept[] = {0, 1, 2, 3};
  return CloseAllBut(kKept, 4);
}

}  // namespace belljar::cell::native
