#include "run/capture.h"

#include <algorithm>

namespace belljar::run {
namespace {

// The number of bytes that lie within the lines still allowed.
std::size_t WithinLines(std::string_view bytes, std::uint64_t& lines_left) {
  std::size_t kept = 0;
  while (lines_left > 0) {
    const std::size_t newline = bytes.find('\n', kept);
    if (newline == std::string_view::npos) return bytes.size();
    kept = newline + 1;
    --lines_left;
  }
  return kept;
}

}  // namespace

std::string_view Capture::Add(Stream stream, std::string_view bytes) {
  Captured& captured = streams_[static_cast<std::size_t>(stream)];
  std::string_view kept = bytes.substr(0, std::min<std::uint64_t>(bytes.size(), bytes_left_));
  kept = kept.substr(0, WithinLines(kept, lines_left_));
  captured.bytes.append(kept);
  bytes_left_ -= kept.size();
  if (kept.size() < bytes.size()) {
    captured.truncated = true;
    full_ = true;
  }
  return kept;
}

}  // namespace belljar::run
