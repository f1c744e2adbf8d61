// The generated seccomp programs, judged against the rules they were made from: every number,
// every argument rule at its edges, and the tree against a plain reading of the rules.
#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <termios.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "isolate/native/filter_eval.h"
#include "isolate/native/filter_rules.h"
#include "isolate/native/orders.h"

namespace belljar::isolate {
namespace {

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
const std::array<Stack, 2> kWithoutDoors = {kPython, kJit};
const std::array<Stack, 2> kWithEgress = {kPythonEgress, kJitEgress};
const std::array<Stack, 4> kGuests = {kPython, kJit, kPythonEgress, kJitEgress};

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

seccomp_data Call(std::int64_t number, const Args& args = {},
                  std::uint32_t arch = AUDIT_ARCH_X86_64) {
  seccomp_data data{};
  data.nr = static_cast<int>(number);
  data.arch = arch;
  std::copy(args.begin(), args.end(), data.args);
  return data;
}

// 1 is a jump out of the program or an unknown instruction; no action has that number.
std::uint32_t Verdict(Stack stack, const seccomp_data& data) {
  return EvaluateStacked(stack, data).value_or(1);
}
std::uint32_t Verdict(Stack stack, std::int64_t number, const Args& args = {}) {
  return Verdict(stack, Call(number, args));
}

// The numbers of a list. Names that this libseccomp does not know have none.
template <std::size_t N>
std::set<int> NumbersOf(const char* const (&names)[N]) {
  std::set<int> numbers;
  for (const char* name : names) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number >= 0) numbers.insert(number);
  }
  return numbers;
}

const std::set<int> kAllowedNumbers = NumbersOf(kAllowed);
const std::set<int> kDeniedNumbers = NumbersOf(kDenied);
const std::set<int> kUnsupportedNumbers = NumbersOf(kUnsupported);
const std::set<int> kDoneNumbers = NumbersOf(kDone);
const std::set<int> kKilledNumbers = NumbersOf(kKilled);
const std::set<int> kBuildingNumbers = NumbersOf(kOnlyForBuilding);
const std::set<int> kJudgedByArguments = {SYS_socket,      SYS_socketpair, SYS_prctl,
                                          SYS_personality, SYS_ioctl,      SYS_arch_prctl};

template <class Range>
bool Holds(const Range& range, std::uint64_t value) {
  return std::find(std::begin(range), std::end(range), value) != std::end(range);
}

// The rules, read plainly: what the trees must be equal to.
std::uint32_t ReferenceArguments(const seccomp_data& data) {
  static const std::set<std::uint64_t> kRequests = {TCGETS,  TIOCGWINSZ, FIONREAD,    FIONBIO,
                                                    FIOCLEX, FIONCLEX,   SIOCSIFFLAGS};
  const std::uint64_t first = data.args[0];
  switch (data.nr) {
    case SYS_socket:
      if (first == kInternet) {
        const bool tcp = Holds(kTcpTypes, data.args[1]) && Holds(kTcpProtocols, data.args[2]);
        return tcp ? kAllow : kEnosys;
      }
      return first == 1 ? kAllow : kNoFamily;
    case SYS_socketpair:
      return first == 1 ? kAllow : kNoFamily;
    case SYS_prctl:
      return Holds(kPrctlForGuests, first) || Holds(kPrctlForBuilding, first) ? kAllow : kEnosys;
    case SYS_personality:
      return Holds(kPersonalityForGuests, first) || first == kPersonalityForBuilding ? kAllow
                                                                                     : kEnosys;
    case SYS_arch_prctl:
      return Holds(kArchPrctl, first) ? kAllow : kEnosys;
    case SYS_ioctl:
      return kRequests.contains(data.args[1]) ? kAllow : kEnosys;
    default:
      return kEnosys;
  }
}

bool IsForeign(const seccomp_data& data) {
  return data.arch != AUDIT_ARCH_X86_64 || static_cast<std::uint32_t>(data.nr) >= kX32Bit;
}

std::uint32_t ReferenceBase(const seccomp_data& data) {
  if (IsForeign(data)) return kKill;
  if (kAllowedNumbers.contains(data.nr)) return kAllow;
  if (kDeniedNumbers.contains(data.nr)) return kEperm;
  if (kUnsupportedNumbers.contains(data.nr)) return kEopnotsupp;
  if (kDoneNumbers.contains(data.nr)) return kAsDone;
  if (kKilledNumbers.contains(data.nr)) return kKill;
  return ReferenceArguments(data);
}

constexpr std::uint64_t kNewFlags = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_UNTRACED |
                                    CLONE_PARENT;
constexpr std::uint64_t kNoWait = 8;
constexpr std::uint64_t kWriteExec = PROT_WRITE | PROT_EXEC;

bool GuestRefusesMemory(const seccomp_data& data) {
  return (data.nr == SYS_mmap || data.nr == SYS_mprotect || data.nr == SYS_pkey_mprotect) &&
         (data.args[2] & kWriteExec) == kWriteExec;
}

bool HasEgress(FilterKind kind) {
  return kind == FilterKind::kStrictMemoryEgress || kind == FilterKind::kJitEgress;
}

// Options of TCP sockets that no client of a proxy sets.
bool IsRareOption(const seccomp_data& data) {
  const auto level = static_cast<std::uint32_t>(data.args[1]);
  const auto option = static_cast<std::uint32_t>(data.args[2]);
  if (data.nr == SYS_getsockopt) return level == kTcpLevel && data.args[2] > kLastTcpOption;
  if (data.nr != SYS_setsockopt) return false;
  if (level == kTcpLevel) return data.args[2] > kLastTcpOption || Holds(kTcpOptionDenied, option);
  return level == kIpLevel && data.args[2] > kLastIpOption;
}

std::uint32_t ReferenceGuest(const seccomp_data& data, FilterKind kind) {
  if (IsForeign(data)) return kKill;
  if (kBuildingNumbers.contains(data.nr)) return kEperm;
  const auto first = static_cast<std::uint32_t>(data.args[0]);
  if (data.nr == SYS_prctl && Holds(kPrctlForBuilding, first)) return kEperm;
  if (data.nr == SYS_personality && first == kPersonalityForBuilding) return kEperm;
  if (data.nr == SYS_clone3) return kEnosys;
  if (data.nr == SYS_socket && first == kInternet && !HasEgress(kind)) return kNoFamily;
  if (HasEgress(kind) && IsRareOption(data)) return kEperm;
  if (data.nr == SYS_clone && (data.args[0] & kNewFlags) != 0) return kEperm;
  if (data.nr == SYS_setrlimit && first == RLIMIT_CORE) return kEperm;
  const auto second = static_cast<std::uint32_t>(data.args[1]);
  if (data.nr == SYS_ioctl && second == SIOCSIFFLAGS) return kEperm;
  if (data.nr == SYS_fcntl && Holds(kFcntlDenied, second)) return kEperm;
  const auto third = static_cast<std::uint32_t>(data.args[2]);
  if (data.nr == SYS_setsockopt && Holds(kSetSocketOptionDenied, third)) return kEperm;
  if (data.nr == SYS_getsockopt && third == kGetSocketOptionDenied) return kEperm;
  const bool drops = static_cast<std::uint32_t>(data.args[3]) == POSIX_FADV_DONTNEED;
  if (data.nr == SYS_fadvise64 && drops) return kEperm;
  if (data.nr == SYS_preadv2 && (data.args[5] & kNoWait) != 0) return kEopnotsupp;
  const bool sets = data.nr == SYS_prlimit64 && data.args[2] != 0;
  if (sets && (second == RLIMIT_CORE || first == 1)) return kEperm;
  const bool strict = kind == FilterKind::kStrictMemory || kind == FilterKind::kStrictMemoryEgress;
  if (strict && GuestRefusesMemory(data)) return kEperm;
  return kAllow;
}

TEST(FilterRules, NameACallInOneListOnly) {
  std::map<std::string, int> lists;
  for (const char* name : kAllowed) ++lists[name];
  for (const char* name : kDenied) ++lists[name];
  for (const char* name : kUnsupported) ++lists[name];
  for (const char* name : kDone) ++lists[name];
  for (const char* name : kKilled) ++lists[name];
  for (const auto& [name, count] : lists) EXPECT_EQ(count, 1) << name;
  for (const char* name : kOnlyForBuilding) {
    EXPECT_TRUE(std::ranges::find(kAllowed, std::string(name)) != std::end(kAllowed)) << name;
  }
}

TEST(Filter, GivesEveryNumberTheVerdictOfItsList) {
  for (int number = 0; number < kNumbers; ++number) {
    if (kJudgedByArguments.contains(number)) continue;
    const std::uint32_t base = kAllowedNumbers.contains(number)       ? kAllow
                               : kDeniedNumbers.contains(number)      ? kEperm
                               : kKilledNumbers.contains(number)      ? kKill
                               : kUnsupportedNumbers.contains(number) ? kEopnotsupp
                               : kDoneNumbers.contains(number)        ? kAsDone
                                                                      : kEnosys;
    EXPECT_EQ(Verdict(kBuilding, number), base) << number;
    const std::uint32_t guest = number == SYS_clone3                ? kEnosys
                                : kBuildingNumbers.contains(number) ? kEperm
                                                                    : base;
    // A core limit is the one thing that six zeros ask for and do not get.
    if (number != SYS_setrlimit && base == kAllow) {
      for (const Stack stack : kGuests) EXPECT_EQ(Verdict(stack, number, {7}), guest) << number;
    }
    if (base != kAllow) {
      for (const Stack stack : kGuests) EXPECT_EQ(Verdict(stack, number), base) << number;
    }
  }
}

TEST(Filter, EndsTheProcessOfACallInX32) {
  for (std::uint32_t number = 0; number < kNumbers; ++number) {
    EXPECT_EQ(Verdict(kBuilding, kX32Bit | number), kKill) << number;
    for (const Stack stack : kGuests) EXPECT_EQ(Verdict(stack, kX32Bit | number), kKill) << number;
  }
  for (const std::int64_t number : {0x7FFFFFFFLL, 0x80000000LL})
    EXPECT_EQ(Verdict(kPython, number), kKill);
  EXPECT_NE(Verdict(kPython, -1), kAllow);
}

TEST(Filter, EndsTheProcessOfACallInAnotherArchitecture) {
  for (const std::uint32_t arch : std::initializer_list<std::uint32_t>{
           AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64, AUDIT_ARCH_ARM, 0, 0xFFFFFFFF,
           AUDIT_ARCH_X86_64 & ~static_cast<std::uint32_t>(__AUDIT_ARCH_64BIT)}) {
    for (int number = 0; number < kNumbers; ++number) {
      ASSERT_EQ(Verdict(kBuilding, Call(number, {}, arch)), kKill) << arch << " " << number;
      ASSERT_EQ(Verdict(kPython, Call(number, {}, arch)), kKill) << arch << " " << number;
      ASSERT_EQ(Verdict(kJit, Call(number, {}, arch)), kKill) << arch << " " << number;
    }
  }
}

TEST(Filter, LetsACellBeBuiltAndAGuestBuildNothing) {
  for (const char* name : kOnlyForBuilding) {
    const int number = seccomp_syscall_resolve_name(name);
    ASSERT_GE(number, 0) << name;
    EXPECT_EQ(Verdict(kBuilding, number), kAllow) << name;
    for (const Stack stack : kGuests) {
      EXPECT_EQ(Verdict(stack, number), kEperm) << name;
      EXPECT_EQ(Verdict(stack, number, {~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL, ~0ULL}), kEperm) << name;
    }
  }
  EXPECT_EQ(Verdict(kBuilding, SYS_clone, {kNewFlags}), kAllow);
  EXPECT_EQ(Verdict(kBuilding, SYS_clone3), kAllow);
}

TEST(Filter, AllowsUnixSocketsAndNoOtherFamily) {
  for (const int number : {SYS_socket, SYS_socketpair}) {
    for (const Stack stack : kWithoutDoors) {
      for (std::uint64_t family = 0; family < 256; ++family) {
        const std::uint32_t expected = family == AF_UNIX ? kAllow : kNoFamily;
        EXPECT_EQ(Verdict(stack, number, {family}), expected) << family;
        EXPECT_EQ(Verdict(stack, number, {kJunk | family}), kNoFamily) << "junk above " << family;
      }
      EXPECT_EQ(Verdict(stack, number, {~0ULL}), kNoFamily);
    }
  }
}

TEST(Filter, AllowsTcpToCellsWithAnEgressDoorAndToNoOthers) {
  for (const std::uint64_t type : kTcpTypes) {
    for (const Stack stack : kWithEgress) {
      EXPECT_EQ(Verdict(stack, SYS_socket, {AF_INET, type, IPPROTO_TCP}), kAllow);
      EXPECT_NE(Verdict(stack, SYS_socket, {AF_INET, type, 262}), kAllow) << "multipath";
      EXPECT_NE(Verdict(stack, SYS_socket, {AF_INET, kJunk | type, 0}), kAllow);
      EXPECT_EQ(Verdict(stack, SYS_socket, {AF_INET, type | 2, 0}), kEnosys) << "datagrams";
    }
    for (const Stack stack : kWithoutDoors) {
      EXPECT_EQ(Verdict(stack, SYS_socket, {AF_INET, type, IPPROTO_TCP}), kNoFamily);
    }
  }
  for (const Stack stack : kWithEgress) {
    EXPECT_EQ(Verdict(stack, SYS_setsockopt, {4, IPPROTO_TCP, 1}), kAllow) << "TCP_NODELAY";
    EXPECT_EQ(Verdict(stack, SYS_setsockopt, {4, kJunk | IPPROTO_TCP, 31}), kEperm) << "TCP_ULP";
  }
}

TEST(Filter, RefusesCloneWithAnyNamespaceFlag) {
  // What fork, vfork and a thread of glibc pass.
  constexpr std::uint64_t kThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND |
                                    CLONE_THREAD | CLONE_SYSVSEM | CLONE_SETTLS |
                                    CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
  constexpr std::uint64_t kFork = CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID | 17;
  constexpr std::uint64_t kVfork = CLONE_VM | CLONE_VFORK | 17;
  for (const Stack stack : kGuests) {
    for (const std::uint64_t honest : {kThread, kFork, kVfork, std::uint64_t{17}}) {
      EXPECT_EQ(Verdict(stack, SYS_clone, {honest}), kAllow) << honest;
      for (int bit = 0; bit < 32; ++bit) {
        const std::uint64_t flag = 1ULL << bit;
        if ((kNewFlags & flag) == 0) continue;
        EXPECT_EQ(Verdict(stack, SYS_clone, {flag}), kEperm) << bit;
        EXPECT_EQ(Verdict(stack, SYS_clone, {honest | flag}), kEperm) << bit;
        EXPECT_EQ(Verdict(stack, SYS_clone, {kJunk | honest | flag}), kEperm) << bit;
        EXPECT_EQ(Verdict(stack, SYS_clone, {honest | (kNewFlags & ~flag)}), kEperm) << bit;
      }
    }
    EXPECT_EQ(Verdict(stack, SYS_clone, {kNewFlags}), kEperm);
  }
}

TEST(Filter, AnswersClone3AsAnOldKernelWould) {
  for (const Stack stack : kGuests) {
    EXPECT_EQ(Verdict(stack, SYS_clone3), kEnosys);
    EXPECT_EQ(Verdict(stack, SYS_clone3, {~0ULL, ~0ULL}), kEnosys);
  }
}

TEST(Filter, AllowsTheListedPrctlOptionsOnly) {
  for (const Stack stack : kGuests) {
    for (std::uint64_t option = 0; option < 256; ++option) {
      const bool allowed = Holds(kPrctlForGuests, option);
      EXPECT_EQ(Verdict(stack, SYS_prctl, {option}) == kAllow, allowed) << option;
      EXPECT_NE(Verdict(stack, SYS_prctl, {kJunk | option}), kAllow) << "junk above " << option;
    }
    constexpr std::uint64_t kPtracer = 0x59616d61, kVma = 0x53564d41;
    EXPECT_NE(Verdict(stack, SYS_prctl, {kPtracer}), kAllow);
    EXPECT_EQ(Verdict(stack, SYS_prctl, {kVma}), kAllow);
    // DUMPABLE, SECCOMP, TSC, MCE_KILL, MM, SPECULATION_CTRL, SECUREBITS, CAPBSET_DROP, AMBIENT
    for (const std::uint64_t dangerous : {4, 22, 26, 33, 35, 53, 28, 24, 47}) {
      EXPECT_NE(Verdict(stack, SYS_prctl, {dangerous}), kAllow) << dangerous;
    }
  }
  for (const unsigned option : kPrctlForBuilding) {
    EXPECT_EQ(Verdict(kBuilding, SYS_prctl, {option}), kAllow) << option;
    EXPECT_EQ(Verdict(kPython, SYS_prctl, {option}), kEperm) << option;
  }
}

TEST(Filter, KeepsGuestsFromWeakeningTheirMemoryByPersonality) {
  constexpr std::uint64_t kNoRandomize = 0x0040000, kReadImpliesExec = 0x0400000;
  for (const Stack stack : kGuests) {
    for (const std::uint64_t persona : {0ULL, 8ULL, 0x20000ULL, 0x20008ULL, 0xFFFFFFFFULL}) {
      EXPECT_EQ(Verdict(stack, SYS_personality, {persona}), kAllow) << persona;
      EXPECT_NE(Verdict(stack, SYS_personality, {kJunk | persona}), kAllow) << persona;
      if (persona == 0xFFFFFFFF) continue;
      for (const std::uint64_t flag : {kNoRandomize, kReadImpliesExec}) {
        EXPECT_NE(Verdict(stack, SYS_personality, {persona | flag}), kAllow) << persona;
        EXPECT_NE(Verdict(stack, SYS_personality, {kJunk | persona | flag}), kAllow) << persona;
      }
    }
  }
}

TEST(Filter, RefusesTypingIntoATerminal) {
  for (const Stack stack : kGuests) {
    for (const std::uint64_t request : {TIOCSTI, TIOCLINUX, TIOCSCTTY, TIOCSETD, TIOCCONS}) {
      EXPECT_NE(Verdict(stack, SYS_ioctl, {0, request}), kAllow) << request;
      EXPECT_NE(Verdict(stack, SYS_ioctl, {0, kJunk | request}), kAllow) << request;
      EXPECT_NE(Verdict(stack, SYS_ioctl, {0, 0x1'0000'0000 | request}), kAllow) << request;
    }
    EXPECT_EQ(Verdict(stack, SYS_ioctl, {0, TCGETS}), kAllow);
    EXPECT_EQ(Verdict(stack, SYS_ioctl, {kJunk, TIOCGWINSZ, kJunk}), kAllow);
    EXPECT_NE(Verdict(stack, SYS_ioctl, {TCGETS, TIOCSTI}), kAllow) << "the wrong argument decides";
  }
}

TEST(Filter, DeniesMemoryThatIsWritableAndExecutableExceptToJits) {
  for (const int number : {SYS_mmap, SYS_mprotect, SYS_pkey_mprotect}) {
    for (std::uint64_t protection = 0; protection < 8; ++protection) {
      const bool both = (protection & kWriteExec) == kWriteExec;
      EXPECT_EQ(Verdict(kJit, number, {0, 4096, protection}), kAllow) << protection;
      const std::uint32_t expected = both ? kEperm : kAllow;
      EXPECT_EQ(Verdict(kPython, number, {0, 4096, protection}), expected) << protection;
      EXPECT_EQ(Verdict(kPython, number, {0, 0, kJunk | protection}), expected) << protection;
      // PROT_SEM and PROT_GROWSDOWN beside them
      EXPECT_EQ(Verdict(kPython, number, {0, 0, protection | 0x01000008}), expected) << protection;
    }
  }
}

TEST(Filter, LeavesTheLimitsOfInitAlone) {
  for (const Stack stack : kGuests) {
    EXPECT_EQ(Verdict(stack, SYS_prlimit64, {1, RLIMIT_NOFILE, 0x1000}), kEperm);
    EXPECT_EQ(Verdict(stack, SYS_prlimit64, {kJunk | 1, RLIMIT_CPU, kJunk}), kEperm);
    EXPECT_EQ(Verdict(stack, SYS_prlimit64, {2, RLIMIT_NOFILE, 0x1000}), kAllow);
  }
}

TEST(Filter, KeepsTheCoreLimitAsItIs) {
  for (const Stack stack : kGuests) {
    for (std::uint64_t limit = 0; limit < 16; ++limit) {
      const std::uint32_t expected = limit == RLIMIT_CORE ? kEperm : kAllow;
      EXPECT_EQ(Verdict(stack, SYS_setrlimit, {limit, 0x1000}), expected) << limit;
      EXPECT_EQ(Verdict(stack, SYS_setrlimit, {kJunk | limit, 0x1000}), expected) << limit;
      EXPECT_EQ(Verdict(stack, SYS_prlimit64, {0, limit, 0x1000}), expected) << limit;
      EXPECT_EQ(Verdict(stack, SYS_prlimit64, {0, kJunk | limit, kJunk}), expected) << limit;
      EXPECT_EQ(Verdict(stack, SYS_prlimit64, {0, limit, 0, 0x1000}), kAllow) << "only asks";
    }
  }
}

TEST(Filter, RefusesLeasesAndNoticesOnSharedFiles) {
  for (const Stack stack : kGuests) {
    for (const std::uint64_t command : kFcntlDenied) {
      EXPECT_EQ(Verdict(stack, SYS_fcntl, {3, command}), kEperm) << command;
      EXPECT_EQ(Verdict(stack, SYS_fcntl, {3, kJunk | command}), kEperm) << command;
    }
    EXPECT_EQ(Verdict(stack, SYS_fcntl, {3, 1, 0}), kAllow);
  }
}

// Shadow stacks and the like are switched through the same call.
TEST(Filter, AllowsArchPrctlForSegmentRegistersAndAmxOnly) {
  for (const Stack stack : kGuests) {
    for (const std::uint64_t code : {0x1001, 0x1002, 0x1003, 0x1004, 0x1021, 0x1022, 0x1023}) {
      EXPECT_EQ(Verdict(stack, SYS_arch_prctl, {code}), kAllow) << code;
    }
    for (const std::uint64_t code : {0x1011, 0x1012, 0x1025, 0x2001, 0x3001, 0x4001, 0x5001}) {
      EXPECT_NE(Verdict(stack, SYS_arch_prctl, {code}), kAllow) << code;
    }
  }
}

// Numbers and arguments at which the rules change their mind, with junk above and around them.
class EdgyCalls {
 public:
  seccomp_data Next() {
    static const std::vector<std::int64_t> kJudged = {
        SYS_socket,     SYS_socketpair, SYS_prctl,         SYS_personality, SYS_ioctl,
        SYS_mmap,       SYS_mprotect,   SYS_pkey_mprotect, SYS_clone,       SYS_clone3,
        SYS_setrlimit,  SYS_prlimit64,  SYS_unshare,       SYS_reboot,      SYS_ptrace,
        SYS_setsockopt, SYS_getsockopt, 0x40000000 + 5};
    const std::int64_t number =
        Below(2) == 0 ? kJudged[Below(kJudged.size())] : static_cast<std::int64_t>(Below(1100));
    const std::uint32_t arch = Below(64) == 0 ? AUDIT_ARCH_I386 : AUDIT_ARCH_X86_64;
    return Call(number, {Argument(), Argument(), Argument(), Argument(), 0, 0}, arch);
  }

 private:
  std::uint64_t Below(std::uint64_t bound) { return random_() % bound; }

  std::uint64_t Argument() {
    static const std::vector<std::uint64_t> kEdges = {
        0,      1,          2,       7,         8,          16,     22,          47,
        0x1001, 0x5401,     0x5412,  0x541B,    0x5450,     0x5451, CLONE_NEWNS, CLONE_NEWUSER,
        17,     0xFFFFFFFF, 0x20000, 0x0040000, 0x53564d41, 6,      4,           28,
        0x8914, 0x80001,    31};
    const std::uint64_t low = Below(4) == 0 ? random_() & 0xFFFFFFFF : kEdges[Below(kEdges.size())];
    return Below(4) == 0 ? (random_() << 32) | low : low ^ (Below(8) == 0 ? 1 : 0);
  }

  std::mt19937_64 random_{20240229};
};

TEST(Filter, IsTheTreeOfItsRulesAndNothingElse) {
  EdgyCalls calls;
  for (int round = 0; round < 200'000; ++round) {
    const seccomp_data data = calls.Next();
    const auto told = [&] {
      return testing::Message() << "number " << data.nr << " arguments " << data.args[0] << " "
                                << data.args[1] << " " << data.args[2];
    };
    ASSERT_EQ(Evaluate(kBaseCode, data), ReferenceBase(data)) << told();
    ASSERT_EQ(Evaluate(kGuestCode, data), ReferenceGuest(data, FilterKind::kStrictMemory))
        << told();
    ASSERT_EQ(Evaluate(kGuestJitCode, data), ReferenceGuest(data, FilterKind::kJit)) << told();
    ASSERT_EQ(Evaluate(kGuestEgressCode, data),
              ReferenceGuest(data, FilterKind::kStrictMemoryEgress))
        << told();
    ASSERT_EQ(Evaluate(kGuestJitEgressCode, data), ReferenceGuest(data, FilterKind::kJitEgress))
        << told();
  }
}

TEST(Evaluate, GivesNoVerdictForAProgramThatRunsOffItsEnd) {
  constexpr sock_filter kOff[] = {{BPF_JMP | BPF_JA, 0, 0, 5}, {BPF_RET | BPF_K, 0, 0, kAllow}};
  constexpr sock_filter kOdd[] = {{BPF_LD | BPF_W | BPF_ABS, 0, 0, 64}};
  EXPECT_EQ(Evaluate(kOff, Call(0)), std::nullopt);
  EXPECT_EQ(Evaluate(kOdd, Call(0)), std::nullopt);
}

TEST(EvaluateStacked, LetsTheStrictestVerdictWinAndTheNewestErrnoAmongEquals) {
  constexpr sock_filter kKills[] = {{BPF_RET | BPF_K, 0, 0, kKill}};
  constexpr sock_filter kAllows[] = {{BPF_RET | BPF_K, 0, 0, kAllow}};
  constexpr sock_filter kOne[] = {{BPF_RET | BPF_K, 0, 0, kEperm}};
  constexpr sock_filter kOther[] = {{BPF_RET | BPF_K, 0, 0, kEnosys}};
  EXPECT_EQ(EvaluateStacked(std::array<Program, 3>{kAllows, kKills, kOne}, Call(0)), kKill);
  EXPECT_EQ(EvaluateStacked(std::array<Program, 2>{kOne, kAllows}, Call(0)), kEperm);
  EXPECT_EQ(EvaluateStacked(std::array<Program, 2>{kOne, kOther}, Call(0)), kEnosys);
}

}  // namespace
}  // namespace belljar::isolate
