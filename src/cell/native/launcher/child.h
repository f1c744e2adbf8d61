// The inside of a cell being built: what runs between clone and the first byte of user code.
//
// Nothing here allocates, throws or takes a lock: it runs in copies of other processes (the agent,
// a zygote) where a lock may be held for ever. A step that fails writes one StepReport and ends the
// process; there is no way to go on with a wall missing.
#pragma once

#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {

// Descriptors that came with a GuestOrder, in its order.
struct GuestFds {
  int init_pidfd = -1;
  int stdio[kGuestStdio] = {-1, -1, -1, -1};
  int v2_dir = -1;
  int v1_joins[4] = {-1, -1, -1, -1};
  int count = 0;
};

// Sorts received descriptors; false when their number does not fit the order.
bool SortGuestFds(const GuestOrder& order, const int* fds, int count, GuestFds* sorted);

// Clones a guest into the cell of `fds.init_pidfd`. Returns its pid in the zygote (its pidfd in
// *pidfd), 0 in the guest, negative with errno on failure (*pidfd is then of no meaning). The
// supervisor is the parent.
long CloneGuest(const GuestOrder& order, const GuestFds& fds, int* pidfd);

// Seals the calling process, step by step, or ends it. The twin of engine/run.cc.
void SealGuest(const GuestOrder& order, const GuestFds& fds);

// Tells the supervisor that this guest is sealed and waiting on kControlFd.
void ReportSealed();

// Builds a cell's init around the calling process and serves as it until the supervisor closes
// its socket (the cell's life line). `fds` are those that came with the order.
[[noreturn]] void BeInit(const AgentOrder& order, Identity identity, const int* fds);

// Reports a failed step with the current errno on `fd` and ends the process.
[[noreturn]] void Die(int fd, Step step);

}  // namespace belljar::cell::native
