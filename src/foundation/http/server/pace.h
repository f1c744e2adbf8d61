// Pace: whether bytes keep coming at a least rate.
//
// Only the time spent waiting for the other side counts, not the time in which nobody asked it
// for more. A plain value; the clock is the caller's.
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
  // How much longer may be waited for the next byte.
  Duration Left() const { return left_; }
  // The time that so many bytes may take.
  Duration Worth(std::size_t bytes) const {
    const double seconds = static_cast<double>(bytes) / static_cast<double>(least_);
    return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  }

 private:
  Duration left_;
  std::size_t least_;
};

}  // namespace belljar::http::server
