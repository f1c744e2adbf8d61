// How a process ended, and the one way to learn it.
#pragma once

#include <optional>

#include "base/fd.h"
#include "base/result.h"

namespace belljar {

// One of the two is set.
struct Ending {
  std::optional<int> exit_code;
  std::optional<int> signal;
  bool operator==(const Ending&) const = default;
};

// Waits for the end of the child behind `pidfd` and takes its wait status.
Result<Ending> ReapChild(const Fd& pidfd);

}  // namespace belljar
