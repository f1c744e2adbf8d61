#include "resource/egress/allowance.h"

#include <fmt/format.h>

#include <algorithm>

namespace belljar::resource::egress {
namespace {

Refusal Exhausted(std::string sentence) { return {429, "limit-reached", std::move(sentence)}; }

}  // namespace

Allowance::Allowance(const EgressTerms& terms, Clock::time_point now)
    : max_requests_(terms.max_requests),
      calls_left_(terms.max_requests),
      max_bytes_(terms.max_bytes),
      bytes_left_(terms.max_bytes),
      per_minute_(terms.requests_per_minute),
      bucket_(static_cast<double>(per_minute_)),
      filled_(now) {}

std::optional<Refusal> Allowance::TakeCall(Clock::time_point now) {
  if (calls_left_ == 0) {
    return Exhausted(fmt::format("the {} requests of this cell are used up", max_requests_));
  }
  if (bytes_left_ == 0) {
    return Exhausted(fmt::format("the {} bytes of this cell are used up", max_bytes_));
  }
  const double minutes = std::chrono::duration<double, std::ratio<60>>(now - filled_).count();
  const auto room = static_cast<double>(per_minute_);
  bucket_ = std::min(room, bucket_ + minutes * room);
  filled_ = now;
  if (bucket_ < 1) {
    return Exhausted(fmt::format("more than {} requests a minute; wait a little", per_minute_));
  }
  bucket_ -= 1;
  --calls_left_;
  return std::nullopt;
}

bool Allowance::TakeBytes(std::uint64_t bytes) {
  const bool enough = bytes <= bytes_left_;
  bytes_left_ = enough ? bytes_left_ - bytes : 0;
  return enough;
}

}  // namespace belljar::resource::egress
