// Deadline: a limit on the CPU time of one analysis. CPU time, unlike wall time, does not depend on
// how busy the machine is, so the answer does not either. Reading the clock costs more than most
// steps of the analysis, so the clock is read on every 256th call only.
#pragma once

#include <cstdint>
#include <ctime>

namespace belljar::judgement::analysis {

class Deadline {
 public:
  static constexpr double kSeconds = 0.5;

  // True once the deadline has passed, and on every later call.
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
