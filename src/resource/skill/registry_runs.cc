// The recorded runs of Registry, and skill health.
#include <fmt/format.h>

#include <algorithm>

#include "resource/skill/registry.h"
#include "resource/skill/row.h"

namespace belljar::resource::skill {
namespace {

using storage::Row;
using storage::Value;

constexpr std::string_view kRunColumns =
    "run_id, version, time_ms, outcome, verdict, wall_us, error";

std::int64_t VerdictNumber(Verdict verdict) {
  switch (verdict) {
    case Verdict::kSuccess:
      return 1;
    case Verdict::kFailure:
      return 0;
    case Verdict::kNone:
      return -1;
  }
  return -1;
}

Verdict VerdictOf(std::int64_t number) {
  if (number == 1) return Verdict::kSuccess;
  return number == 0 ? Verdict::kFailure : Verdict::kNone;
}

// Leaves out the run's error: this text goes to logs, which must not contain program output.
std::string WhyUnhealthy(const Skill& skill, std::size_t successes, std::size_t runs) {
  return fmt::format("{} of its last {} runs succeeded, which is below its threshold of {}",
                     successes, runs,
                     static_cast<double>(skill.definition.threshold) / static_cast<double>(kWhole));
}

}  // namespace

Result<std::vector<Run>> Registry::SelectRuns(std::string_view rest,
                                              std::span<const Value> params) const {
  const auto rows = BJ_TRY(
      database_.Query(fmt::format("SELECT {} FROM skill_runs {}", kRunColumns, rest), params));
  std::vector<Run> runs;
  runs.reserve(rows.size());
  for (const Row& row : rows) {
    runs.push_back({TextAt(row, 0), NumberAt(row, 1), TimeAt(row, 2), TextAt(row, 3),
                    VerdictOf(NumberAt(row, 4)), std::max<std::int64_t>(NumberAt(row, 5), 0),
                    TextAt(row, 6)});
  }
  return runs;
}

Result<Stats> Registry::TotalsOf(const Skill& skill) {
  const auto rows = BJ_TRY(
      database_.Query("SELECT runs, counted, successes, time_ms FROM skill_runs WHERE caller = $1 "
                      "AND name = $2 AND version = $3 ORDER BY id DESC LIMIT 1",
                      KeyOf(skill)));
  Stats stats;
  if (rows.empty()) return stats;
  stats.runs = NumberAt(rows.front(), 0);
  stats.counted = NumberAt(rows.front(), 1);
  stats.successes = NumberAt(rows.front(), 2);
  stats.last_run_ms = TimeAt(rows.front(), 3);
  return stats;
}

Result<Stats> Registry::StatsOf(const Skill& skill) {
  Stats stats = BJ_TRY(TotalsOf(skill));
  std::vector<Value> key = KeyOf(skill);
  key.emplace_back(static_cast<std::int64_t>(kRemembered));
  const auto runs = BJ_TRY(SelectRuns(
      "WHERE caller = $1 AND name = $2 AND version = $3 ORDER BY id DESC LIMIT $4", key));
  std::vector<std::int64_t> wall_us;
  for (const Run& run : runs) {
    if (run.verdict == Verdict::kNone) continue;
    wall_us.push_back(run.wall_us);
    if (stats.last_error.empty() && run.verdict == Verdict::kFailure) stats.last_error = run.error;
  }
  stats.p50_ms = PercentileMs(wall_us, 50);
  stats.p95_ms = PercentileMs(std::move(wall_us), 95);
  return stats;
}

Result<> Registry::InsertRun(const Skill& skill, const Run& run) {
  const Stats before = BJ_TRY(TotalsOf(skill));
  std::vector<Value> values = KeyOf(skill);
  values.insert(values.end(),
                {run.id, run.time_ms, run.outcome, VerdictNumber(run.verdict), run.wall_us,
                 before.runs + 1, before.counted + (run.verdict == Verdict::kNone ? 0 : 1),
                 before.successes + (run.verdict == Verdict::kSuccess ? 1 : 0), run.error});
  BJ_TRY(database_.Execute(
      "INSERT INTO skill_runs (caller, name, version, run_id, time_ms, outcome, verdict, wall_us, "
      "runs, counted, successes, error) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
      values));
  return {};
}

Result<bool> Registry::DisableUnhealthy(Skill& skill, const Run& run) {
  if (skill.state != State::kEnabled || run.verdict == Verdict::kNone) return false;
  std::vector<Value> key = KeyOf(skill);
  key.insert(key.end(), {skill.judged_after, static_cast<std::int64_t>(kHealthMost)});
  const auto last = BJ_TRY(
      SelectRuns("WHERE caller = $1 AND name = $2 AND version = $3 AND id > $4 AND verdict >= 0 "
                 "ORDER BY id DESC LIMIT $5",
                 key));
  const auto is_success = [](const Run& each) { return each.verdict == Verdict::kSuccess; };
  const auto successes = static_cast<std::size_t>(std::ranges::count_if(last, is_success));
  if (!IsUnhealthy(successes, last.size(), skill.definition.threshold)) return false;
  Skill disabled = skill;
  disabled.state = State::kDisabled;
  disabled.why = WhyUnhealthy(skill, successes, last.size());
  disabled.changed_ms = run.time_ms;
  BJ_TRY(Replace(skill, disabled));
  skill = std::move(disabled);
  return true;
}

Result<> Registry::TrimRuns(const Skill& skill) {
  std::vector<Value> key = KeyOf(skill);
  key.emplace_back(static_cast<std::int64_t>(kRemembered));
  BJ_TRY(database_.Execute(
      "DELETE FROM skill_runs WHERE id IN (SELECT id FROM skill_runs WHERE caller = $1 AND "
      "name = $2 AND version = $3 ORDER BY id DESC LIMIT 100 OFFSET $4)",
      key));
  return {};
}

Result<Noted> Registry::Note(const Skill& skill, Run run) {
  run.version = skill.version;
  run.time_ms = now_();
  run.id = Fit(run.id, request::kMaxIdBytes);
  run.error = Fit(run.error, kMaxWhyBytes);
  Noted noted;
  const auto work = [&]() -> Result<> {
    const std::vector<Value> key = KeyOf(skill);
    auto found = BJ_TRY(Select("WHERE caller = $1 AND name = $2 AND version = $3", key));
    if (found.empty() || found.front().digest != skill.digest) return {};
    noted.skill = std::move(found.front());
    noted.skill.newest = skill.newest;
    BJ_TRY(InsertRun(noted.skill, run));
    noted.disabled = BJ_TRY(DisableUnhealthy(noted.skill, run));
    return TrimRuns(noted.skill);
  };
  BJ_TRY(database_.Transaction(work));
  return noted;
}

Result<std::vector<Run>> Registry::History(const std::string& caller, const Handle& handle,
                                           std::size_t limit) {
  BJ_TRY(Newest(caller, handle.name));
  const std::vector<Value> key = {caller, handle.name, handle.version.value_or(0),
                                  static_cast<std::int64_t>(std::min(limit, kMostListed))};
  return SelectRuns(
      "WHERE caller = $1 AND name = $2 AND ($3 = 0 OR version = $3) ORDER BY id DESC LIMIT $4",
      key);
}

}  // namespace belljar::resource::skill
