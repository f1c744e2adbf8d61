#include "foundation/base/rate_window.h"

namespace belljar {
namespace {

// How long after its beginning a second is forgotten: 61 s, when its latest possible event is at
// least a minute old.
constexpr std::chrono::seconds kForgottenAfter{61};

std::chrono::seconds SecondOf(RateWindow::Time now) {
  return std::chrono::floor<std::chrono::seconds>(now.time_since_epoch());
}

}  // namespace

void RateWindow::Forget(Time now) {
  while (!seconds_.empty() && seconds_.front().begins + kForgottenAfter <= SecondOf(now)) {
    sum_ -= seconds_.front().count;
    seconds_.pop_front();
  }
}

std::chrono::seconds RateWindow::WaitFor(std::uint32_t per_minute, Time now) {
  Forget(now);
  std::uint64_t left = sum_;
  std::chrono::seconds wait{0};
  for (auto second = seconds_.begin(); left >= per_minute && second != seconds_.end(); ++second) {
    left -= second->count;
    wait = second->begins + kForgottenAfter - SecondOf(now);
  }
  return wait;
}

void RateWindow::Count(Time now) {
  Forget(now);
  const std::chrono::seconds current = SecondOf(now);
  if (seconds_.empty() || seconds_.back().begins < current) seconds_.push_back({current, 0});
  ++seconds_.back().count;
  ++sum_;
}

bool RateWindow::IsEmpty(Time now) {
  Forget(now);
  return sum_ == 0;
}

}  // namespace belljar
