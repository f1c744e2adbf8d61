// What is remembered of a skill's runs, and what follows from it. Plain values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace belljar::skills {

// What a run says of the skill.
enum class Verdict : std::uint8_t {
  kSuccess,
  kFailure,
  kNone,  // somebody else ended it
};

struct Run {
  std::string id;
  std::int64_t version = 0;
  std::int64_t time_ms = 0;  // when it ended, since 1970
  std::string outcome;
  Verdict verdict = Verdict::kNone;
  std::int64_t wall_us = 0;
  std::string error;  // of a failure, as it was answered
};

constexpr std::size_t kRemembered = 1'000;  // runs of a version
// Health is the rate of success of the last kHealthMost runs; of fewer than kHealthLeast nobody
// knows.
constexpr std::size_t kHealthLeast = 5;
constexpr std::size_t kHealthMost = 20;

// Of all runs of a version there ever were; percentiles and errors of those that are remembered.
struct Stats {
  std::int64_t runs = 0;
  std::int64_t counted = 0;  // of those, with a verdict
  std::int64_t successes = 0;
  std::optional<double> p50_ms, p95_ms;
  std::string last_error;
  std::int64_t last_run_ms = 0;  // 0: there was none
};

// Whether so many successes of so many runs are too few. `threshold` is in thousandths.
bool IsUnhealthy(std::size_t successes, std::size_t runs, std::int64_t threshold);

// By nearest rank: the smallest value that `percent` of them do not exceed.
std::optional<double> PercentileMs(std::vector<std::int64_t> wall_us, int percent);

json::object ToJson(const Run& run);
json::object ToJson(const Stats& stats);

}  // namespace belljar::skills
