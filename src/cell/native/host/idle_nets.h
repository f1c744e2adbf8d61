// Network namespaces that ended cells have left, for the next cells of the same image and caller.
//
// To make one costs the kernel more than all other namespaces together, and to take it apart again
// as much. What a guest could leave in one is nothing: it has no right over it, the filter lets it
// open no socket but Unix ones, and those end with the last process that holds them. So one whose
// processes have all been reaped is as good as new; two living cells never share one. A cell
// with a listener does have sockets, and a loopback interface that is up: its namespace is not
// kept.
#pragma once

#include <mutex>
#include <vector>

#include "cell/native/host/process.h"
#include "foundation/base/fd.h"

namespace belljar::cell::native {

class IdleNets {
 public:
  // Empty when there is none.
  Fd Take();
  // `net` may be empty.
  void Give(Fd net);

 private:
  static constexpr std::size_t kMost = 32;

  std::mutex mutex_;
  std::vector<Fd> nets_;
};

// The network namespace of a living process; empty where the kernel does not tell (before 6.11).
Fd NetOf(const Process& process);

}  // namespace belljar::cell::native
