// Deadline: how long one reading of a text may take, in time on the CPU, so that a busy machine
// does not change the answer. Looking at the clock costs more than most steps: it is done now and
// then.
#pragma once

#include <cstdint>
#include <ctime>

namespace belljar::judgement::analysis {

class Deadline {
 public:
  static constexpr double kSeconds = 0.5;

  // True from then on.
  bool HasPassed() {
    if (!passed_ && ++asked_ % kEvery == 0) passed_ = Now() > until_;
    return passed_;
  }

 private:
  static constexpr std::uint32_t kEvery = 256;

  static double Now() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }

  double until_ = Now() + kSeconds;
  std::uint32_t asked_ = 0;
  bool passed_ = false;
};

}  // namespace belljar::judgement::analysis
