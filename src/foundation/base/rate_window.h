// RateWindow: a sliding-window rate limiter; it counts what one caller has begun in the last
// minute.
//
// Events are counted per second, so the size does not depend on the rate: at most 61 numbers. An
// event is forgotten 60 to 61 seconds after it, so no 60 seconds ever hold more than the limit. (A
// token bucket would let twice the limit through in its first minute.)
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

  // How long until one more event would be within `per_minute` (which is not 0); 0 means now.
  std::chrono::seconds WaitFor(std::uint32_t per_minute, Time now);
  void Count(Time now);
  bool IsEmpty(Time now);

 private:
  struct Second {
    std::chrono::seconds begins;  // since the epoch of the clock
    std::uint32_t count;
  };
  void Forget(Time now);

  std::deque<Second> seconds_;
  std::uint64_t sum_ = 0;
};

}  // namespace belljar
