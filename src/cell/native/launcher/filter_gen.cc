// Built and run on the build machine: compiles filter_rules.h to BPF with libseccomp.
//
//   filter_gen base|guest|guest-jit|guest-egress|guest-jit-egress   writes `struct sock_filter`
//   lines to standard output
//
// libseccomp arranges the call numbers as a binary tree (its optimisation level 2). A long linear
// program would take the kernel ten times as long to install, and the cost of every call would
// depend on its position in the program.
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/sockios.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cell/native/launcher/filter_rules.h"

namespace {

using belljar::cell::native::kAllowed;
using belljar::cell::native::kArchPrctl;
using belljar::cell::native::kDenied;
using belljar::cell::native::kDone;
using belljar::cell::native::kFcntlDenied;
using belljar::cell::native::kGetSocketOptionDenied;
using belljar::cell::native::kInternet;
using belljar::cell::native::kIpLevel;
using belljar::cell::native::kKilled;
using belljar::cell::native::kLastIpOption;
using belljar::cell::native::kLastTcpOption;
using belljar::cell::native::kOnlyForBuilding;
using belljar::cell::native::kPersonalityForBuilding;
using belljar::cell::native::kPersonalityForGuests;
using belljar::cell::native::kPrctlForBuilding;
using belljar::cell::native::kPrctlForGuests;
using belljar::cell::native::kSetSocketOptionDenied;
using belljar::cell::native::kTcpLevel;
using belljar::cell::native::kTcpOptionDenied;
using belljar::cell::native::kTcpProtocols;
using belljar::cell::native::kTcpTypes;
using belljar::cell::native::kUnsupported;

enum class Memory { kStrict, kJit };
enum class Sockets { kLocal, kEgress };

constexpr std::uint64_t kLow32 = 0xFFFFFFFF;
constexpr std::uint64_t kNoWait = 8;  // RWF_NOWAIT

[[noreturn]] void Fail(const char* what, int result) {
  std::fprintf(stderr, "filter_gen: %s: %s\n", what, std::strerror(-result));
  std::exit(1);
}

void Must(int result, const char* what) {
  if (result < 0) Fail(what, result);
}

class Program {
 public:
  explicit Program(std::uint32_t default_action) : context_(seccomp_init(default_action)) {
    if (context_ == nullptr) Fail("seccomp_init", -ENOMEM);
    Must(seccomp_attr_set(context_, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS), "badarch");
    Must(seccomp_attr_set(context_, SCMP_FLTATR_CTL_OPTIMIZE, 2), "optimise");
    Must(seccomp_attr_set(context_, SCMP_FLTATR_CTL_NNP, 0), "nnp");
  }

  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  ~Program() { seccomp_release(context_); }

  // A call that this libseccomp does not know has no number to write a rule for. It keeps the
  // default action, which is ENOSYS.
  template <class... Comparisons>
  void Rule(std::uint32_t action, const char* name, Comparisons... comparisons) {
    const int number = seccomp_syscall_resolve_name(name);
    if (number == __NR_SCMP_ERROR || number < 0) return;
    Must(seccomp_rule_add(context_, action, number, sizeof...(comparisons), comparisons...), name);
  }

  void Print() const {
    std::FILE* const file = std::tmpfile();
    if (file == nullptr) Fail("tmpfile", -errno);
    Must(seccomp_export_bpf(context_, ::fileno(file)), "export");
    std::rewind(file);
    sock_filter line{};
    while (std::fread(&line, sizeof(line), 1, file) == 1) {
      std::printf("{0x%02x, %u, %u, 0x%08x},\n", line.code, line.jt, line.jf, line.k);
    }
    std::fclose(file);
  }

 private:
  scmp_filter_ctx context_;
};

// Rules that refuse compare the low 32 bits only: the kernel ignores the upper half of an int, so
// filling it would evade a 64-bit comparison. Rules that allow compare all 64 bits, so junk is
// refused.
scmp_arg_cmp Low32Is(unsigned argument, std::uint64_t value) {
  return SCMP_CMP(argument, SCMP_CMP_MASKED_EQ, kLow32, value);
}

void PrintBase() {
  Program program(SCMP_ACT_ERRNO(ENOSYS));
  for (const char* name : kAllowed) program.Rule(SCMP_ACT_ALLOW, name);
  for (const char* name : kDenied) program.Rule(SCMP_ACT_ERRNO(EPERM), name);
  for (const char* name : kUnsupported) program.Rule(SCMP_ACT_ERRNO(EOPNOTSUPP), name);
  for (const char* name : kDone) program.Rule(SCMP_ACT_ERRNO(0), name);
  for (const char* name : kKilled) program.Rule(SCMP_ACT_KILL_PROCESS, name);
  program.Rule(SCMP_ACT_ALLOW, "socket", SCMP_A0(SCMP_CMP_EQ, 1));  // AF_UNIX
  for (const std::uint64_t type : kTcpTypes) {
    for (const std::uint64_t protocol : kTcpProtocols) {
      program.Rule(SCMP_ACT_ALLOW, "socket", SCMP_A0(SCMP_CMP_EQ, kInternet),
                   SCMP_A1(SCMP_CMP_EQ, type), SCMP_A2(SCMP_CMP_EQ, protocol));
    }
  }
  program.Rule(SCMP_ACT_ERRNO(EAFNOSUPPORT), "socket", SCMP_A0(SCMP_CMP_GT, kInternet));
  program.Rule(SCMP_ACT_ERRNO(EAFNOSUPPORT), "socket", SCMP_A0(SCMP_CMP_EQ, 0));
  program.Rule(SCMP_ACT_ALLOW, "socketpair", SCMP_A0(SCMP_CMP_EQ, 1));
  program.Rule(SCMP_ACT_ERRNO(EAFNOSUPPORT), "socketpair", SCMP_A0(SCMP_CMP_NE, 1));
  for (const unsigned option : kPrctlForGuests) {
    program.Rule(SCMP_ACT_ALLOW, "prctl", SCMP_A0(SCMP_CMP_EQ, option));
  }
  for (const unsigned option : kPrctlForBuilding) {
    program.Rule(SCMP_ACT_ALLOW, "prctl", SCMP_A0(SCMP_CMP_EQ, option));
  }
  for (const unsigned persona : kPersonalityForGuests) {
    program.Rule(SCMP_ACT_ALLOW, "personality", SCMP_A0(SCMP_CMP_EQ, persona));
  }
  program.Rule(SCMP_ACT_ALLOW, "personality", SCMP_A0(SCMP_CMP_EQ, kPersonalityForBuilding));
  for (const unsigned code : kArchPrctl) {
    program.Rule(SCMP_ACT_ALLOW, "arch_prctl", SCMP_A0(SCMP_CMP_EQ, code));
  }
  // The requests that programs make of terminals, pipes and files. All others are refused,
  // including TIOCSTI and TIOCLINUX.
  for (const std::uint64_t request : {TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX}) {
    program.Rule(SCMP_ACT_ALLOW, "ioctl", SCMP_A1(SCMP_CMP_EQ, request));
  }
  program.Rule(SCMP_ACT_ALLOW, "ioctl", SCMP_A1(SCMP_CMP_EQ, SIOCSIFFLAGS));  // by init
  program.Print();
}

// A guest with an egress listener may set the usual client options of TCP sockets. Options that
// would give the kernel keys, protocols above TCP or pages of memory are refused, and so is every
// option at IP level.
void RefuseRareOptions(Program& program) {
  for (const unsigned option : kTcpOptionDenied) {
    program.Rule(SCMP_ACT_ERRNO(EPERM), "setsockopt", Low32Is(1, kTcpLevel), Low32Is(2, option));
  }
  program.Rule(SCMP_ACT_ERRNO(EPERM), "setsockopt", Low32Is(1, kTcpLevel),
               SCMP_A2(SCMP_CMP_GT, kLastTcpOption));
  program.Rule(SCMP_ACT_ERRNO(EPERM), "setsockopt", Low32Is(1, kIpLevel),
               SCMP_A2(SCMP_CMP_GT, kLastIpOption));
  program.Rule(SCMP_ACT_ERRNO(EPERM), "getsockopt", Low32Is(1, kTcpLevel),
               SCMP_A2(SCMP_CMP_GT, kLastTcpOption));
}

void DecideInternet(Program& program, Sockets sockets) {
  program.Rule(SCMP_ACT_ERRNO(EPERM), "ioctl", Low32Is(1, SIOCSIFFLAGS));
  if (sockets == Sockets::kEgress) {
    RefuseRareOptions(program);
    return;
  }
  program.Rule(SCMP_ACT_ERRNO(EAFNOSUPPORT), "socket", Low32Is(0, kInternet));
}

void HoldLimits(Program& program) {
  // A core limit of 1 also disables piped core handlers; a limit of 0 would not.
  program.Rule(SCMP_ACT_ERRNO(EPERM), "setrlimit", Low32Is(0, RLIMIT_CORE));
  program.Rule(SCMP_ACT_ERRNO(EPERM), "prlimit64", Low32Is(1, RLIMIT_CORE),
               SCMP_A2(SCMP_CMP_NE, 0));
  // Init is pid 1. Where it has the same uid as the guest, the kernel would allow this.
  program.Rule(SCMP_ACT_ERRNO(EPERM), "prlimit64", Low32Is(0, 1), SCMP_A2(SCMP_CMP_NE, 0));
}

void RefuseWriteExec(Program& program) {
  constexpr std::uint64_t kWriteExec = PROT_WRITE | PROT_EXEC;
  for (const char* name : {"mmap", "mprotect", "pkey_mprotect"}) {
    program.Rule(SCMP_ACT_ERRNO(EPERM), name, SCMP_A2(SCMP_CMP_MASKED_EQ, kWriteExec, kWriteExec));
  }
}

void PrintGuest(Memory memory, Sockets sockets) {
  Program program(SCMP_ACT_ALLOW);
  DecideInternet(program, sockets);
  for (const char* name : kOnlyForBuilding) program.Rule(SCMP_ACT_ERRNO(EPERM), name);
  for (const unsigned option : kPrctlForBuilding) {
    program.Rule(SCMP_ACT_ERRNO(EPERM), "prctl", Low32Is(0, option));
  }
  program.Rule(SCMP_ACT_ERRNO(EPERM), "personality", Low32Is(0, kPersonalityForBuilding));
  // A filter cannot read the flags, which lie in memory. With ENOSYS libc falls back to clone.
  program.Rule(SCMP_ACT_ERRNO(ENOSYS), "clone3");
  for (const std::uint64_t flag :
       {CLONE_NEWNS, CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID,
        CLONE_NEWNET, CLONE_UNTRACED, CLONE_PARENT}) {
    program.Rule(SCMP_ACT_ERRNO(EPERM), "clone", SCMP_A0(SCMP_CMP_MASKED_EQ, flag, flag));
  }
  for (const unsigned command : kFcntlDenied) {
    program.Rule(SCMP_ACT_ERRNO(EPERM), "fcntl", Low32Is(1, command));
  }
  for (const unsigned option : kSetSocketOptionDenied) {
    program.Rule(SCMP_ACT_ERRNO(EPERM), "setsockopt", Low32Is(2, option));
  }
  program.Rule(SCMP_ACT_ERRNO(EPERM), "getsockopt", Low32Is(2, kGetSocketOptionDenied));
  // Evicting a page of the image and observing later whether it is cached again would reveal what
  // neighbouring cells use.
  program.Rule(SCMP_ACT_ERRNO(EPERM), "fadvise64", Low32Is(3, POSIX_FADV_DONTNEED));
  program.Rule(SCMP_ACT_ERRNO(EOPNOTSUPP), "preadv2",
               SCMP_A5(SCMP_CMP_MASKED_EQ, kNoWait, kNoWait));
  HoldLimits(program);
  if (memory == Memory::kStrict) RefuseWriteExec(program);
  program.Print();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view which = argc == 2 ? argv[1] : "";
  if (which == "base") {
    PrintBase();
  } else if (which == "guest") {
    PrintGuest(Memory::kStrict, Sockets::kLocal);
  } else if (which == "guest-jit") {
    PrintGuest(Memory::kJit, Sockets::kLocal);
  } else if (which == "guest-egress") {
    PrintGuest(Memory::kStrict, Sockets::kEgress);
  } else if (which == "guest-jit-egress") {
    PrintGuest(Memory::kJit, Sockets::kEgress);
  } else {
    std::fprintf(stderr, "usage: filter_gen base|guest[-jit][-egress]\n");
    return 2;
  }
  return 0;
}
