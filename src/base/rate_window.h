// RateWindow: how many things one caller has begun in the last minute.
//
// Counted by the second, so that its size does not depend on the rate: at most 61 numbers. What is
// older than 60 to 61 seconds is forgotten, so no 60 seconds ever hold more than was allowed. (A
// bucket that refills steadily would let twice as many through in its first minute.)
//
// Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

namespace belljar {

class RateWindow {
 public:
  using Time = std::chrono::steady_clock::time_point;

  // How long until one more would be within `per_minute`: 0 is now. `per_minute` is not 0.
  std::chrono::seconds WaitFor(std::uint32_t per_minute, Time now);
  void Count(Time now);
  bool IsEmpty(Time now);

 private:
  struct Second {
    std::chrono::seconds begins;  // since the clock's own beginning
    std::uint32_t count;
  };
  void Forget(Time now);

  std::deque<Second> seconds_;
  std::uint64_t sum_ = 0;
};

}  // namespace belljar
