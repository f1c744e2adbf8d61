// A pool of network namespaces of ended cells, reused by later cells of the same image and caller.
//
// Creating a network namespace costs the kernel more than all other namespaces together, and so
// does destroying it. A guest can leave nothing behind in one: it has no rights over it, the filter
// lets it open only Unix sockets, and those end with the last process that holds them. So a
// namespace whose processes have all been reaped is as good as new. Two living cells never share
// one. A cell with a listener does have internet sockets and a loopback interface that is up, so
// its namespace is not reused.
#pragma once

#include <mutex>
#include <vector>

#include "cell/native/host/process.h"
#include "foundation/base/fd.h"

namespace belljar::cell::native {

class IdleNets {
 public:
  // Returns an empty Fd when the pool is empty.
  Fd Take();
  // `net` may be empty.
  void Give(Fd net);

 private:
  static constexpr std::size_t kMost = 32;

  std::mutex mutex_;
  std::vector<Fd> nets_;
};

// The network namespace of a living process; empty if the kernel cannot tell it (before 6.11).
Fd NetOf(const Process& process);

}  // namespace belljar::cell::native
