// The generated seccomp programs, stacked as in cells, and the verdicts of the stacks.
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "cell/native/launcher/filter_eval.h"
#include "cell/native/launcher/filter_rules.h"

namespace belljar::cell::native::stacked {

constexpr sock_filter kBaseCode[] = {
#include "filter_base.inc"
};
constexpr sock_filter kGuestCode[] = {
#include "filter_guest.inc"
};
constexpr sock_filter kGuestJitCode[] = {
#include "filter_guest_jit.inc"
};
constexpr sock_filter kGuestEgressCode[] = {
#include "filter_guest_egress.inc"
};
constexpr sock_filter kGuestJitEgressCode[] = {
#include "filter_guest_jit_egress.inc"
};
constexpr Program kBuilding[] = {kBaseCode};
constexpr Program kPython[] = {kBaseCode, kGuestCode};
constexpr Program kJit[] = {kBaseCode, kGuestJitCode};
constexpr Program kPythonEgress[] = {kBaseCode, kGuestEgressCode};
constexpr Program kJitEgress[] = {kBaseCode, kGuestJitEgressCode};
using Stack = std::span<const Program>;
inline const std::array<Stack, 2> kWithoutListeners = {kPython, kJit};
inline const std::array<Stack, 2> kWithEgress = {kPythonEgress, kJitEgress};
inline const std::array<Stack, 4> kGuests = {kPython, kJit, kPythonEgress, kJitEgress};

constexpr std::uint32_t kAllow = SECCOMP_RET_ALLOW;
constexpr std::uint32_t kKill = SECCOMP_RET_KILL_PROCESS;
constexpr std::uint32_t Errno(int sys) {
  return SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(sys);
}
constexpr std::uint32_t kEperm = Errno(EPERM);
constexpr std::uint32_t kEnosys = Errno(ENOSYS);
constexpr std::uint32_t kEopnotsupp = Errno(EOPNOTSUPP);
constexpr std::uint32_t kAsDone = Errno(0);
constexpr std::uint32_t kNoFamily = Errno(EAFNOSUPPORT);
constexpr std::uint64_t kJunk = 0xDEADBEEF00000000;
constexpr std::uint32_t kX32Bit = 0x40000000;
constexpr int kNumbers = 1024;
using Args = std::array<std::uint64_t, 6>;

inline seccomp_data Call(std::int64_t number, const Args& args = {},
                         std::uint32_t arch = AUDIT_ARCH_X86_64) {
  seccomp_data data{};
  data.nr = static_cast<int>(number);
  data.arch = arch;
  std::copy(args.begin(), args.end(), data.args);
  return data;
}

// 1 stands for no verdict (filter_eval.h); no seccomp action has that number.
inline std::uint32_t Verdict(Stack stack, const seccomp_data& data) {
  return EvaluateStacked(stack, data).value_or(1);
}
inline std::uint32_t Verdict(Stack stack, std::int64_t number, const Args& args = {}) {
  return Verdict(stack, Call(number, args));
}

constexpr std::uint64_t kNewFlags = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_UNTRACED |
                                    CLONE_PARENT;
constexpr std::uint64_t kNoWait = 8;
constexpr std::uint64_t kWriteExec = PROT_WRITE | PROT_EXEC;

template <class Range>
bool IsAmong(const Range& range, std::uint64_t value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

}  // namespace belljar::cell::native::stacked
