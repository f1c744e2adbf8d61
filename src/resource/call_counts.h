// Call counters of a cell.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "foundation/base/rate_window.h"
#include "foundation/base/result.h"

namespace belljar::resource {

// Counts a cell's calls to each server and database. It outlives the single runs of a session.
// Thread-safe.
class ToolCounts {
 public:
  // Counts one call, or returns the reason why no more are allowed.
  Result<> Count(const std::string& name, std::uint64_t max_calls, std::uint64_t calls_per_minute);
  // The same for requests that are not calls: lists, and malformed lines.
  Result<> CountOther();

 private:
  struct Of {
    std::uint64_t calls = 0;
    RateWindow window;
  };
  std::mutex mutex_;
  std::map<std::string, Of> of_;
  RateWindow others_;
};

// Limits the audit records of refused requests (beyond a limit, or for something not listed) to the
// first few, since a guest can send any number of them. Thread-safe.
class ToldRefusals {
 public:
  static constexpr std::uint64_t kMost = 10;

  // Whether one more refusal is to be recorded.
  bool Take() { return taken_++ < kMost; }

 private:
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace belljar::resource
