// How a process ended, and the one way to learn it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/fd.h"
#include "base/result.h"

namespace belljar {

// What the kernel says a process has used, with the children that it has waited for.
struct Used {
  std::chrono::microseconds cpu{0};
  std::uint64_t largest_bytes = 0;  // resident, of the largest of them; pages of files count
  bool operator==(const Used&) const = default;
};

// One of the first two is set.
struct Ending {
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::optional<Used> used = std::nullopt;  // where it was our own child
  bool operator==(const Ending&) const = default;
};

// Waits for the end of the child behind `pidfd` and takes its wait status.
Result<Ending> ReapChild(const Fd& pidfd);

}  // namespace belljar
