// Serving orders: what the agent, the launcher, the Python zygote, the binder and the keepers of
// containers do for as long as they live.
//
// An order is one message of a fixed size on a SOCK_SEQPACKET pair whose other end the supervisor
// holds, with descriptors beside it. Its answer is one report, with one descriptor at most. A
// process that serves orders has nothing else to wait for: it ends when the supervisor closes the
// socket. It also ends on a message that is no order, since both ends are of one build and there is
// nothing to negotiate.
//
// Runs in copies of other processes, in which a lock may be held for ever: nothing here allocates,
// throws or takes a lock.
#pragma once

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <optional>

#include "cell/native/launcher/mechanisms.h"
#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {

// Where a program that the supervisor starts finds its socket.
constexpr int kOrdersFd = 3;

// The descriptors that came with an order.
struct OrderFds {
  int fd[kMaxOrderFds];
  int count = 0;

  void Close() const {
    for (int i = 0; i < count; ++i) ::close(fd[i]);
  }
};

// Receives one message of that size. False, with no descriptor left open, for anything else. Ends
// the process at end of file: the supervisor has gone.
bool ReceiveOrder(int socket, void* order, std::size_t size, OrderFds* fds);

// Sends a report, with a descriptor unless `fd` is negative, and closes the descriptor.
bool SendAnswer(int socket, const void* report, std::size_t size, int fd);

template <class Report>
struct OrderAnswer {
  Report report;
  int fd = -1;
};

// Clones this process, with those namespaces new, as a child of the supervisor. 0 in the child;
// else its pid, or negative with errno.
long CloneSibling(std::uint64_t namespaces, int* pidfd);

// The answer to an order to clone a process, right after the clone: the child's pid and pidfd, or
// the step that failed and errno. A clone that fails late, for want of processes, has left the
// number of a pidfd that the kernel has taken back.
inline OrderAnswer<StartReport> CloneAnswer(long pid, int pidfd, Step step) {
  const StepReport failure = pid < 0 ? StepReport{step, errno} : StepReport{};
  return {{static_cast<std::int32_t>(pid), failure}, pid < 0 ? -1 : pidfd};
}

// Serves orders on `socket`: receives one into `order`, has `obey(fds)` carry it out, and sends the
// answer that this returns. Returns only where `obey` returns none: in a child that was cloned to
// be something else.
template <class Order, class Obey>
void ServeOrders(int socket, Order& order, const Obey& obey) {
  for (;;) {
    OrderFds fds;
    if (!ReceiveOrder(socket, &order, sizeof(order), &fds)) ::_exit(1);
    const std::optional answer = obey(fds);
    if (!answer) return;
    fds.Close();
    if (!SendAnswer(socket, &answer->report, sizeof(answer->report), answer->fd)) ::_exit(0);
  }
}

// The start of such a program: no descriptor is left open but the standard streams and the socket,
// and the first message has come, with that many descriptors. False: the program has to end.
template <class First>
bool BeginProgram(const char* name, First& first, OrderFds* fds, int count) {
  static constexpr int kKept[] = {0, 1, 2, kOrdersFd};
  return CloseAllBut(kKept, 4) && ReceiveOrder(kOrdersFd, &first, sizeof(first), fds) &&
         fds->count == count && ::prctl(PR_SET_NAME, name) == 0;
}

// Its last word before it serves orders: whether the supervisor has been told that it is ready.
inline bool TellReady() {
  const StepReport ready{Step::kSealed, 0};
  return ::write(kOrdersFd, &ready, sizeof(ready)) == sizeof(ready);
}

}  // namespace belljar::cell::native
