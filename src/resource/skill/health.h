// The recorded runs of a skill, and the health computed from them. Plain values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/json.h"

namespace belljar::resource::skill {

// What the outcome of a run says about the skill.
enum class Verdict : std::uint8_t {
  kSuccess,
  kFailure,
  kNone,  // nothing: the run was cancelled or ended from outside
};

struct Run {
  std::string id;
  std::int64_t version = 0;
  std::int64_t time_ms = 0;  // when the run ended, in milliseconds since 1970
  std::string outcome;
  Verdict verdict = Verdict::kNone;
  std::int64_t wall_us = 0;
  std::string error;  // of a failure, as returned to the caller
};

constexpr std::size_t kRemembered = 1'000;  // runs kept per version
// Health is the success rate of the last kHealthMost runs; with fewer than kHealthLeast runs it is
// unknown.
constexpr std::size_t kHealthLeast = 5;
constexpr std::size_t kHealthMost = 20;

// Counts cover all runs of a version; percentiles and errors only those that are kept.
struct Stats {
  std::int64_t runs = 0;
  std::int64_t counted = 0;  // the runs with a verdict
  std::int64_t successes = 0;
  std::optional<double> p50_ms, p95_ms;
  std::string last_error;
  std::int64_t last_run_ms = 0;  // 0: no run yet
};

// Whether the success rate is below `threshold`, which is in thousandths.
bool IsUnhealthy(std::size_t successes, std::size_t runs, std::int64_t threshold);

// The percentile by nearest rank: the smallest value that at least `percent` percent of the values
// do not exceed.
std::optional<double> PercentileMs(std::vector<std::int64_t> wall_us, int percent);

json::object ToJson(const Run& run);
json::object ToJson(const Stats& stats);

}  // namespace belljar::resource::skill
