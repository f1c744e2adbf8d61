// Code that runs inside a cell while it is built: after clone and before the first user code.
//
// Nothing here allocates, throws or takes a lock: this code runs in copies of other processes (the
// agent, a zygote), where another thread may have held a lock at the clone. A step that fails
// writes one StepReport and exits; a cell never runs with a mechanism missing.
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

// Applies all mechanisms to the calling process, step by step; exits if one fails. The supervisor
// waits for it in native_backend.cc.
void SealGuest(const GuestOrder& order, const GuestFds& fds);

// Tells the supervisor that this guest is sealed and waiting on kControlFd.
void ReportSealed();

// Turns the calling process into a cell's init, which serves until the supervisor closes its
// socket. `fds` are those that came with the order.
[[noreturn]] void BeInit(const AgentOrder& order, Identity identity, const int* fds);

// Reports a failed step with the current errno on `fd` and exits.
[[noreturn]] void Die(int fd, Step step);

}  // namespace belljar::cell::native
