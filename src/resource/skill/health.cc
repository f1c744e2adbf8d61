#include "resource/skill/health.h"

#include <algorithm>

#include "record/entry.h"
#include "resource/skill/skill.h"

namespace belljar::resource::skill {

bool IsUnhealthy(std::size_t successes, std::size_t runs, std::int64_t threshold) {
  if (runs < kHealthLeast) return false;
  return static_cast<std::int64_t>(successes) * kWhole <
         threshold * static_cast<std::int64_t>(runs);
}

std::optional<double> PercentileMs(std::vector<std::int64_t> wall_us, int percent) {
  if (wall_us.empty()) return std::nullopt;
  const std::size_t rank = (wall_us.size() * static_cast<std::size_t>(percent) + 99) / 100;
  const auto nth =
      wall_us.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(wall_us.begin(), nth, wall_us.end());
  return static_cast<double>(*nth) / 1000;
}

json::object ToJson(const Run& run) {
  json::object object = {{"id", run.id},
                         {"version", run.version},
                         {"time", record::TimeText(run.time_ms)},
                         {"outcome", run.outcome},
                         {"wall_ms", static_cast<double>(run.wall_us) / 1000}};
  if (!run.error.empty()) object["error"] = run.error;
  return object;
}

json::object ToJson(const Stats& stats) {
  const auto or_null = [](const std::optional<double>& value) {
    return value ? json::value(*value) : json::value(nullptr);
  };
  json::object object = {{"runs", stats.runs},
                         {"successes", stats.successes},
                         {"success_rate", nullptr},
                         {"p50_ms", or_null(stats.p50_ms)},
                         {"p95_ms", or_null(stats.p95_ms)},
                         {"last_run", nullptr},
                         {"last_error", nullptr}};
  if (stats.counted > 0) {
    object["success_rate"] =
        static_cast<double>(stats.successes) / static_cast<double>(stats.counted);
  }
  if (stats.last_run_ms > 0) object["last_run"] = record::TimeText(stats.last_run_ms);
  if (!stats.last_error.empty()) object["last_error"] = stats.last_error;
  return object;
}

}  // namespace belljar::resource::skill
