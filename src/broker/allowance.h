// Allowance: how many calls, how quickly and how many bytes are left to a cell.
//
// The rate is a bucket that holds a minute's calls and fills steadily: an installer asks for a
// hundred files at once, and a flood lasts. Not thread-safe: it belongs to the broker's one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "broker/call.h"

namespace belljar::broker {

class Allowance {
 public:
  using Clock = std::chrono::steady_clock;

  Allowance(const EgressTerms& terms, Clock::time_point now);

  // Takes one call out of it, or says why there is none.
  std::optional<Refusal> TakeCall(Clock::time_point now);
  // Takes bytes out of it; false when there are not so many left, and then none are.
  bool TakeBytes(std::uint64_t bytes);
  std::uint64_t bytes_left() const { return bytes_left_; }

 private:
  std::uint64_t max_requests_;
  std::uint64_t calls_left_;
  std::uint64_t max_bytes_;
  std::uint64_t bytes_left_;
  std::uint64_t per_minute_;
  double bucket_;  // calls that may be made at once, now
  Clock::time_point filled_;
};

}  // namespace belljar::broker
