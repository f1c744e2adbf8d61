// How much a cell has asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "base/rate_window.h"
#include "base/result.h"

namespace belljar::broker {

// How often a cell has called each server and each database. It outlives the runs of a session.
// Thread-safe.
class ToolCounts {
 public:
  // Counts one call, or says why there can be no more.
  Result<> Count(const std::string& name, std::uint64_t max_calls, std::uint64_t calls_per_minute);
  // The same for what is no call: lists, and lines that make no sense.
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

// What a run asked for beyond its limits, or of what is not listed, is written down as well; of a
// flood the first few, since nothing else would bound it. Thread-safe.
class ToldRefusals {
 public:
  static constexpr std::uint64_t kMost = 10;

  // Whether one more is told.
  bool Take() { return taken_++ < kMost; }

 private:
  std::atomic<std::uint64_t> taken_{0};
};

}  // namespace belljar::broker
