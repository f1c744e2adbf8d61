// Verdicts of the generated seccomp programs on arguments, at the edges of each rule.
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

#include "cell/native/launcher/filter_stacks.h"
#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {
namespace {

using namespace stacked;

TEST(Filter, AllowsUnixSocketsAndNoOtherFamily) {
  for (const int number : {SYS_socket, SYS_socketpair}) {
    for (const Stack stack : kWithoutListeners) {
      for (std::uint64_t family = 0; family < 256; ++family) {
        const std::uint32_t expected = family == AF_UNIX ? kAllow : kNoFamily;
        EXPECT_EQ(Verdict(stack, number, {family}), expected) << family;
        EXPECT_EQ(Verdict(stack, number, {kJunk | family}), kNoFamily) << "junk above " << family;
      }
      EXPECT_EQ(Verdict(stack, number, {~0ULL}), kNoFamily);
    }
  }
}

TEST(Filter, AllowsTcpToCellsWithAnEgressListenerAndToNoOthers) {
  for (const std::uint64_t type : kTcpTypes) {
    for (const Stack stack : kWithEgress) {
      EXPECT_EQ(Verdict(stack, SYS_socket, {AF_INET, type, IPPROTO_TCP}), kAllow);
      EXPECT_NE(Verdict(stack, SYS_socket, {AF_INET, type, 262}), kAllow) << "multipath";
      EXPECT_NE(Verdict(stack, SYS_socket, {AF_INET, kJunk | type, 0}), kAllow);
      EXPECT_EQ(Verdict(stack, SYS_socket, {AF_INET, type | 2, 0}), kEnosys) << "datagrams";
    }
    for (const Stack stack : kWithoutListeners) {
      EXPECT_EQ(Verdict(stack, SYS_socket, {AF_INET, type, IPPROTO_TCP}), kNoFamily);
    }
  }
  for (const Stack stack : kWithEgress) {
    EXPECT_EQ(Verdict(stack, SYS_setsockopt, {4, IPPROTO_TCP, 1}), kAllow) << "TCP_NODELAY";
    EXPECT_EQ(Verdict(stack, SYS_setsockopt, {4, kJunk | IPPROTO_TCP, 31}), kEperm) << "TCP_ULP";
  }
}

TEST(Filter, RefusesCloneWithAnyNamespaceFlag) {
  // The flags that glibc passes for fork, vfork and a thread.
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
      const bool allowed = IsAmong(kPrctlForGuests, option);
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
      // The same with PROT_SEM and PROT_GROWSDOWN added.
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

// arch_prctl also switches shadow stacks and other features, which must stay refused.
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

}  // namespace
}  // namespace belljar::cell::native
