#include "cell/native/launcher/launcher.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>

#include "cell/guest/shell/native_guest.h"
#include "cell/native/launcher/zygote_loop.h"

namespace belljar::cell::native {
namespace {

constexpr int kMaxArgs = 64;

// Executes an interpreter that waits for code itself: Node, or a Python without a zygote.
[[noreturn]] void ExecAtOnce(GuestOrder& order) {
  std::array<char*, kMaxArgs + 1> argv{};
  if (SplitArgs(order.arg_bytes, order.args, argv.data(), kMaxArgs) < 1)
    Die(kControlFd, Step::kExec);
  if (::access(argv[0], X_OK) != 0) Die(kControlFd, Step::kExec);
  ReportSealed();
  if (::fcntl(kControlFd, F_SETFD, 0) != 0) ::_exit(127);
  InterpreterEnvironment env(order.deterministic, nullptr);
  ::execve(argv[0], argv.data(), env.get());
  ::_exit(127);
}

}  // namespace

DeterministicEnvironment::DeterministicEnvironment(const Deterministic& order) {
  if (order.is_on == 0) return;
  ::snprintf(seed_, sizeof(seed_), "BELLJAR_SEED=%llu:first",
             static_cast<unsigned long long>(order.seed));
  variables_[0] = preload_;
  variables_[1] = seed_;
  variables_[2] = openssl_;
}

InterpreterEnvironment::InterpreterEnvironment(const Deterministic& order, const char* more)
    : fixed_(order) {
  char** next = variables_;
  // execve takes char* but does not write to the strings.
  for (const char* variable : guest::kDefaultEnvironment) *next++ = const_cast<char*>(variable);
  if (more != nullptr) *next++ = const_cast<char*>(more);
  for (int i = 0; fixed_[i] != nullptr; ++i) *next++ = fixed_[i];
}

int SplitArgs(char* bytes, std::uint32_t count, char** argv, int max) {
  if (count > static_cast<std::uint32_t>(max)) return -1;
  for (std::uint32_t i = 0; i < count; ++i) {
    argv[i] = bytes;
    bytes += ::strlen(bytes) + 1;
  }
  argv[count] = nullptr;
  return static_cast<int>(count);
}

void BeLauncher(int socket) {
  ::prctl(PR_SET_NAME, "belljar-launch");
  static GuestOrder order;
  ServeGuests(socket, ForkHooks{}, &order);
  if (order.args > 0) ExecAtOnce(order);
  ReportSealed();
  guest::ServeNativeGuest(order.deterministic);
}

}  // namespace belljar::cell::native
