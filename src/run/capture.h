// Capture: keeps a program's output, up to its limits.
//
// Both streams share one budget of bytes and lines. Bytes beyond it are dropped, their stream is
// marked as truncated, and full() tells the supervisor to end the run. Bytes are kept unchanged;
// they are converted to text when the result is made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "request/limits.h"

namespace belljar::run {

enum class Stream { kStdout, kStderr };

struct Captured {
  std::string bytes;
  bool truncated = false;
};

class Capture {
 public:
  explicit Capture(const request::Limits& limits)
      : bytes_left_(limits.output_bytes), lines_left_(limits.output_lines) {}

  // Adds output; returns the part of `bytes` that was within the budget.
  std::string_view Add(Stream stream, std::string_view bytes);

  // True once output was dropped.
  bool full() const { return full_; }
  const Captured& of(Stream stream) const { return streams_[static_cast<std::size_t>(stream)]; }

 private:
  std::array<Captured, 2> streams_;
  std::uint64_t bytes_left_;
  std::uint64_t lines_left_;
  bool full_ = false;
};

}  // namespace belljar::run
