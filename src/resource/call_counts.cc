#include "resource/call_counts.h"

#include <fmt/format.h>

namespace belljar::resource {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint32_t kOthersPerMinute = 600;

}  // namespace

Result<> ToolCounts::Count(const std::string& name, std::uint64_t max_calls,
                           std::uint64_t calls_per_minute) {
  const std::lock_guard lock(mutex_);
  Of& of = of_[name];
  if (of.calls >= max_calls) {
    return Error(
        Kind::kExhausted,
        fmt::format("all {} calls of {} that the policy allows are used up", max_calls, name));
  }
  const auto wait = of.window.WaitFor(static_cast<std::uint32_t>(calls_per_minute), Clock::now());
  if (wait.count() > 0) {
    return Error(Kind::kExhausted,
                 fmt::format("the policy allows {} calls of {} in a minute; the next one in {} s",
                             calls_per_minute, name, wait.count()));
  }
  ++of.calls;
  of.window.Count(Clock::now());
  return {};
}

Result<> ToolCounts::CountOther() {
  const std::lock_guard lock(mutex_);
  if (others_.WaitFor(kOthersPerMinute, Clock::now()).count() > 0) {
    return Error(Kind::kExhausted, "too many requests in a minute that are no calls");
  }
  others_.Count(Clock::now());
  return {};
}

}  // namespace belljar::resource
