#include "isolate/oci/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <termios.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "isolate/native/filter_rules.h"

namespace belljar::isolate {
namespace {

// Calls of kAllowed that are allowed with some arguments only, below.
constexpr std::string_view kConditional[] = {
    "clone",   "clone3",    "fcntl",     "setsockopt", "getsockopt", "fadvise64",
    "preadv2", "setrlimit", "prlimit64", "mmap",       "mprotect",   "pkey_mprotect"};

bool IsAmong(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool IsForBuilding(std::string_view name) {
  return std::ranges::find(kOnlyForBuilding, name) != std::end(kOnlyForBuilding);
}

json::object Is(unsigned index, std::uint64_t value) {
  return {{"index", index}, {"value", value}, {"op", "SCMP_CMP_EQ"}};
}

json::object Below(unsigned index, std::uint64_t value) {
  return {{"index", index}, {"value", value}, {"op", "SCMP_CMP_LT"}};
}

json::object IsNot(unsigned index, std::uint64_t value) {
  return {{"index", index}, {"value", value}, {"op", "SCMP_CMP_NE"}};
}

// Those bits of the argument are these.
json::object Bits(unsigned index, std::uint64_t mask, std::uint64_t value) {
  return {{"index", index}, {"value", mask}, {"valueTwo", value}, {"op", "SCMP_CMP_MASKED_EQ"}};
}

class Profile {
 public:
  void Allow(std::string_view name, json::array arguments) {
    Add(name, "SCMP_ACT_ALLOW", std::nullopt, std::move(arguments));
  }
  // With 0 for an error the call is answered as done.
  void Refuse(std::string_view name, int error, json::array arguments = {}) {
    Add(name, "SCMP_ACT_ERRNO", error, std::move(arguments));
  }
  void Kill(std::string_view name) { Add(name, "SCMP_ACT_KILL_PROCESS", std::nullopt, {}); }

  // Every value of an argument up to `last` but those.
  void AllowAllBut(std::string_view name, unsigned index, std::span<const unsigned> denied,
                   unsigned last) {
    const unsigned first = std::ranges::min(denied);
    Allow(name, {Below(index, first)});
    for (unsigned value = first; value <= last; ++value) {
      const bool is_denied = std::ranges::find(denied, value) != denied.end();
      if (is_denied) {
        Refuse(name, EPERM, {Is(index, value)});
      } else {
        Allow(name, {Is(index, value)});
      }
    }
  }

  json::object Finish() && {
    return {{"defaultAction", "SCMP_ACT_ERRNO"},
            {"defaultErrnoRet", ENOSYS},
            {"syscalls", std::move(rules_)}};
  }

 private:
  void Add(std::string_view name, const char* action, std::optional<int> error,
           json::array arguments) {
    json::object rule = {{"names", json::array{json::string(name)}}, {"action", action}};
    if (error) rule["errnoRet"] = *error;
    if (!arguments.empty()) rule["args"] = std::move(arguments);
    rules_.push_back(std::move(rule));
  }

  json::array rules_;
};

void AddCalls(Profile& profile) {
  for (const char* name : kAllowed) {
    if (!IsAmong(kConditional, name) && !IsForBuilding(name)) profile.Allow(name, {});
  }
  for (const char* name : kOnlyForBuilding) profile.Refuse(name, EPERM);
  for (const char* name : kDenied) profile.Refuse(name, EPERM);
  for (const char* name : kUnsupported) profile.Refuse(name, EOPNOTSUPP);
  for (const char* name : kDone) profile.Refuse(name, 0);
  for (const char* name : kKilled) profile.Kill(name);
}

// clone3 stays with the default: its flags lie in memory, and libc then uses clone.
void AddProcesses(Profile& profile, Addresses addresses) {
  constexpr std::uint64_t kSpaces[] = {CLONE_NEWNS,  CLONE_NEWCGROUP, CLONE_NEWUTS,
                                       CLONE_NEWIPC, CLONE_NEWUSER,   CLONE_NEWPID,
                                       CLONE_NEWNET, CLONE_UNTRACED,  CLONE_PARENT};
  std::uint64_t all = 0;
  for (const std::uint64_t flag : kSpaces) {
    all |= flag;
    profile.Refuse("clone", EPERM, {Bits(0, flag, flag)});
  }
  profile.Allow("clone", {Bits(0, all, 0)});
  for (const unsigned option : kPrctlForGuests) profile.Allow("prctl", {Is(0, option)});
  for (const unsigned option : kPrctlForBuilding) profile.Refuse("prctl", EPERM, {Is(0, option)});
  for (const unsigned persona : kPersonalityForGuests) {
    profile.Allow("personality", {Is(0, persona)});
  }
  if (addresses == Addresses::kFixed) {
    profile.Allow("personality", {Is(0, kPersonalityForBuilding)});
  } else {
    profile.Refuse("personality", EPERM, {Is(0, kPersonalityForBuilding)});
  }
  for (const unsigned code : kArchPrctl) profile.Allow("arch_prctl", {Is(0, code)});
  // A core limit of 1 holds back piped core handlers too; a lower one would not.
  constexpr unsigned kCore[] = {RLIMIT_CORE};
  profile.AllowAllBut("setrlimit", 0, kCore, RLIM_NLIMITS);
  profile.Allow("prlimit64", {Below(1, RLIMIT_CORE)});
  for (unsigned limit = RLIMIT_CORE + 1; limit < RLIM_NLIMITS; ++limit) {
    profile.Allow("prlimit64", {Is(1, limit)});
  }
  profile.Allow("prlimit64", {Is(1, RLIMIT_CORE), Is(2, 0)});
  profile.Refuse("prlimit64", EPERM, {Is(1, RLIMIT_CORE), IsNot(2, 0)});
}

void AddFiles(Profile& profile) {
  constexpr std::uint64_t kNoWait = 8;  // RWF_NOWAIT
  constexpr unsigned kDrop[] = {POSIX_FADV_DONTNEED};
  profile.AllowAllBut("fcntl", 1, kFcntlDenied, std::ranges::max(kFcntlDenied));
  profile.AllowAllBut("fadvise64", 3, kDrop, POSIX_FADV_NOREUSE);
  profile.Allow("preadv2", {Bits(5, kNoWait, 0)});
  profile.Refuse("preadv2", EOPNOTSUPP, {Bits(5, kNoWait, kNoWait)});
  for (const int request : {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX}) {
    profile.Allow("ioctl", {Is(1, static_cast<std::uint64_t>(request))});
  }
}

void AddSockets(Profile& profile) {
  constexpr unsigned kLastOption = 127;
  constexpr unsigned kGet[] = {kGetSocketOptionDenied};
  for (const char* name : {"socket", "socketpair"}) {
    profile.Allow(name, {Is(0, AF_UNIX)});
    profile.Refuse(name, EAFNOSUPPORT, {IsNot(0, AF_UNIX)});
  }
  profile.AllowAllBut("setsockopt", 2, kSetSocketOptionDenied, kLastOption);
  profile.AllowAllBut("getsockopt", 2, kGet, kLastOption);
}

void AddMemory(Profile& profile, GuestMemory memory) {
  constexpr std::uint64_t kBoth = PROT_WRITE | PROT_EXEC;
  for (const char* name : {"mmap", "mprotect", "pkey_mprotect"}) {
    if (memory == GuestMemory::kJit) {
      profile.Allow(name, {});
      continue;
    }
    for (const std::uint64_t some :
         {std::uint64_t{0}, std::uint64_t{PROT_WRITE}, std::uint64_t{PROT_EXEC}}) {
      profile.Allow(name, {Bits(2, kBoth, some)});
    }
    profile.Refuse(name, EPERM, {Bits(2, kBoth, kBoth)});
  }
}

}  // namespace

json::object SeccompProfile(const GuestFilter& filter) {
  Profile profile;
  AddCalls(profile);
  AddProcesses(profile, filter.addresses);
  AddFiles(profile);
  AddSockets(profile);
  AddMemory(profile, filter.memory);
  return std::move(profile).Finish();
}

}  // namespace belljar::isolate
