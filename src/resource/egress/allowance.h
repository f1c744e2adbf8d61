// Allowance: the remaining calls, call rate and bytes of one cell.
//
// The rate limit is a token bucket with the capacity of one minute's calls: an installer that
// requests a hundred files at once passes, while a sustained flood does not. Not thread-safe: used
// only on the broker's thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "resource/egress/terms.h"

namespace belljar::resource::egress {

class Allowance {
 public:
  using Clock = std::chrono::steady_clock;

  Allowance(const EgressTerms& terms, Clock::time_point now);

  // Takes one call, or returns why none is available.
  std::optional<Refusal> TakeCall(Clock::time_point now);
  // Takes `bytes`; if fewer are left, takes none and returns false.
  bool TakeBytes(std::uint64_t bytes);
  std::uint64_t bytes_left() const { return bytes_left_; }

 private:
  std::uint64_t max_requests_;
  std::uint64_t calls_left_;
  std::uint64_t max_bytes_;
  std::uint64_t bytes_left_;
  std::uint64_t per_minute_;
  double bucket_;  // tokens: calls that may be made immediately
  Clock::time_point filled_;
};

}  // namespace belljar::resource::egress
