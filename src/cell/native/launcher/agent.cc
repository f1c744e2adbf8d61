// belljar-agent: builds an image's root and clones the first process of each cell in it.
//
// A separate program, small and static, started from a sealed memory file: the memory of a cell's
// init and of a waiting native guest holds this program and nothing of the supervisor. Descriptor 3
// is the socket for orders. Every process it starts becomes a child of the supervisor
// (CLONE_PARENT), which alone waits for it.
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cell/native/launcher/child.h"
#include "cell/native/launcher/launcher.h"
#include "cell/native/launcher/mechanisms.h"
#include "cell/native/launcher/serve_orders.h"
#include "cell/native/launcher/stage.h"

namespace belljar::cell::native {
namespace {

constexpr int kMaxArgs = 256;
constexpr rlim_t kStackBytes = 8 << 20;  // the same limit as guests have

std::uint64_t InitNamespaces(const AgentOrder& order) {
  const StepMask off = order.off;
  std::uint64_t flags = CLONE_NEWNS;
  if (Enabled(off, Step::kPidNamespace)) flags |= CLONE_NEWPID;
  if (Enabled(off, Step::kNetNamespace) && order.has_net == 0) flags |= CLONE_NEWNET;
  if (Enabled(off, Step::kIpcNamespace)) flags |= CLONE_NEWIPC;
  if (Enabled(off, Step::kUtsNamespace)) flags |= CLONE_NEWUTS;
  return flags;
}

// Sets stdin and stdout to /dev/null and moves stderr and the zygote's socket to 2 and 3; closes
// all other descriptors.
bool ArrangePython(int socket, int errors) {
  const int high_socket = ::fcntl(socket, F_DUPFD, 64);
  const int high_errors = ::fcntl(errors, F_DUPFD, 64);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  if (high_socket < 0 || high_errors < 0 || null < 0) return false;
  if (::dup2(null, 0) < 0 || ::dup2(null, 1) < 0 || ::dup2(high_errors, 2) < 0 ||
      ::dup2(high_socket, 3) < 0) {
    return false;
  }
  static constexpr int kKept[] = {0, 1, 2, 3};
  return CloseAllBut(kKept, 4);
}

[[noreturn]] void BecomePython(AgentOrder& order, int socket, int errors) {
  if (!ArrangePython(socket, errors)) ::_exit(127);
  char* argv[kMaxArgs + 1] = {};
  if (SplitArgs(order.arg_bytes, order.args, argv, kMaxArgs) < 1) ::_exit(127);
  // Symbols are resolved once in the zygote, so that its children need not resolve them again.
  InterpreterEnvironment env(order.deterministic, "LD_BIND_NOW=1");
  ::execve(argv[0], argv, env.get());
  ::dprintf(2, "cannot start %s: %s\n", argv[0], ::strerror(errno));
  ::_exit(127);
}

// Turns address space randomization off from the next exec on, so that every run has the same
// addresses. The layout also depends on the stack limit, which would otherwise be the caller's.
bool FixAddresses() {
  rlimit stack{};
  if (::getrlimit(RLIMIT_STACK, &stack) != 0) return false;
  stack.rlim_cur = stack.rlim_max < kStackBytes ? stack.rlim_max : kStackBytes;
  return ::setrlimit(RLIMIT_STACK, &stack) == 0 && ::personality(ADDR_NO_RANDOMIZE) >= 0;
}

// The child takes its role and never returns. `fds` came with the order.
[[noreturn]] void TakeRole(AgentOrder& order, Identity identity, const int* fds) {
  const int socket = fds[0];
  const int errors = fds[1];
  if (order.kind == OrderKind::kMakeInit) BeInit(order, identity, fds);
  if (order.deterministic.is_on != 0 && !FixAddresses()) ::_exit(127);
  if (order.kind == OrderKind::kStartPython) BecomePython(order, socket, errors);
  const int keep[] = {socket};
  if (!CloseAllBut(keep, 1)) ::_exit(127);
  BeLauncher(socket);
}

void Serve(Identity identity) {
  static AgentOrder order;  // too large for comfort on a stack
  ServeOrders(kOrdersFd, order, [&](const OrderFds& fds) {
    const bool init = order.kind == OrderKind::kMakeInit;
    const int artefacts = init ? static_cast<int>(order.artefacts) : 0;
    if (fds.count != (init && order.has_net == 0 ? 1 : 2) + artefacts) ::_exit(1);
    int pidfd = -1;
    const long pid = CloneSibling(init ? InitNamespaces(order) : 0, &pidfd);
    if (pid == 0) {
      ::close(kOrdersFd);
      TakeRole(order, identity, fds.fd);
    }
    return std::optional(CloneAnswer(pid, pidfd, Step::kCloneInit));
  });
}

int Main() {
  static StageOrder stage;
  OrderFds files;
  if (!BeginProgram("belljar-agent", stage, &files, kRuntimeFileCount)) return 1;
  int runtime_files[kRuntimeFileCount];
  ::memcpy(runtime_files, files.fd, sizeof(runtime_files));
  BuildStage(stage, runtime_files, kOrdersFd);
  if (!TellReady()) return 1;
  Serve(stage.identity);
  return 0;
}

}  // namespace
}  // namespace belljar::cell::native

int main() { return belljar::cell::native::Main(); }
