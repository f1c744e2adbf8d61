// Tests the generated seccomp programs against the rules they were compiled from: every call
// number, every argument rule at its edges, and the tree against a reference implementation.
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

// The call numbers of a list of names. Names that this libseccomp does not know are left out.
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

// A reference implementation of the rules, to which the generated trees must be equal.
std::uint32_t ReferenceArguments(const seccomp_data& data) {
  static const std::set<std::uint64_t> kRequests = {TCGETS,  TIOCGWINSZ, FIONREAD,    FIONBIO,
                                                    FIOCLEX, FIONCLEX,   SIOCSIFFLAGS};
  const std::uint64_t first = data.args[0];
  switch (data.nr) {
    case SYS_socket:
      if (first == kInternet) {
        const bool tcp = IsAmong(kTcpTypes, data.args[1]) && IsAmong(kTcpProtocols, data.args[2]);
        return tcp ? kAllow : kEnosys;
      }
      return first == 1 ? kAllow : kNoFamily;
    case SYS_socketpair:
      return first == 1 ? kAllow : kNoFamily;
    case SYS_prctl:
      return IsAmong(kPrctlForGuests, first) || IsAmong(kPrctlForBuilding, first) ? kAllow
                                                                                  : kEnosys;
    case SYS_personality:
      return IsAmong(kPersonalityForGuests, first) || first == kPersonalityForBuilding ? kAllow
                                                                                       : kEnosys;
    case SYS_arch_prctl:
      return IsAmong(kArchPrctl, first) ? kAllow : kEnosys;
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
  if (level == kTcpLevel) return data.args[2] > kLastTcpOption || IsAmong(kTcpOptionDenied, option);
  return level == kIpLevel && data.args[2] > kLastIpOption;
}

std::uint32_t ReferenceGuest(const seccomp_data& data, FilterKind kind) {
  if (IsForeign(data)) return kKill;
  if (kBuildingNumbers.contains(data.nr)) return kEperm;
  const auto first = static_cast<std::uint32_t>(data.args[0]);
  if (data.nr == SYS_prctl && IsAmong(kPrctlForBuilding, first)) return kEperm;
  if (data.nr == SYS_personality && first == kPersonalityForBuilding) return kEperm;
  if (data.nr == SYS_clone3) return kEnosys;
  if (data.nr == SYS_socket && first == kInternet && !HasEgress(kind)) return kNoFamily;
  if (HasEgress(kind) && IsRareOption(data)) return kEperm;
  if (data.nr == SYS_clone && (data.args[0] & kNewFlags) != 0) return kEperm;
  if (data.nr == SYS_setrlimit && first == RLIMIT_CORE) return kEperm;
  const auto second = static_cast<std::uint32_t>(data.args[1]);
  if (data.nr == SYS_ioctl && second == SIOCSIFFLAGS) return kEperm;
  if (data.nr == SYS_fcntl && IsAmong(kFcntlDenied, second)) return kEperm;
  const auto third = static_cast<std::uint32_t>(data.args[2]);
  if (data.nr == SYS_setsockopt && IsAmong(kSetSocketOptionDenied, third)) return kEperm;
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
    // setrlimit is left out where all arguments are zero: that asks for a core limit, which is
    // refused.
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

// Random calls with numbers and arguments at the edges of the rules, with junk in the upper halves.
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
}  // namespace belljar::cell::native
