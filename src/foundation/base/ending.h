// How a child process ended: its wait status and its resource usage, read through a pidfd.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar {

// The kernel's rusage of a process, including the children that it has waited for.
struct Used {
  std::chrono::microseconds cpu{0};
  std::uint64_t largest_bytes = 0;  // peak resident set of the largest of them; includes file pages
  bool operator==(const Used&) const = default;
};

// Exactly one of `exit_code` and `signal` is set.
struct Ending {
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<Used> used = std::nullopt;  // set only if the process was our own child
  bool operator==(const Ending&) const = default;
};

// Waits for the end of the child behind `pidfd` and takes its wait status.
Result<Ending> ReapChild(const Fd& pidfd);

}  // namespace belljar
