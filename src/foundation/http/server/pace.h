// Pace: checks that bytes keep arriving at a minimum rate.
//
// Only time spent waiting for the peer counts, not time in which the caller did not want more
// bytes. A plain value; the caller measures the time.
#pragma once

#include <chrono>
#include <cstddef>

namespace belljar::http::server {

class Pace {
 public:
  using Duration = std::chrono::steady_clock::duration;

  Pace(Duration grace, std::size_t least_bytes_per_second)
      : left_(grace), least_(least_bytes_per_second) {}

  void Waited(Duration time) { left_ -= time; }
  void Got(std::size_t bytes) { left_ += Worth(bytes); }
  // How long the caller may wait for the next byte.
  Duration Left() const { return left_; }
  // The time that this many bytes take at the minimum rate.
  Duration Worth(std::size_t bytes) const {
    const double seconds = static_cast<double>(bytes) / static_cast<double>(least_);
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  }

 private:
  Duration left_;
  std::size_t least_;
};

}  // namespace belljar::http::server
