// The compiled-code cache of Registry.
#include "resource/skill/registry.h"
#include "resource/skill/row.h"

namespace belljar::resource::skill {

using storage::Value;

Result<std::optional<Compiled>> Registry::CompiledOf(const Skill& skill) {
  // The length limit is part of the query, because the row is read at each run, and an attacker may
  // have made it large.
  std::vector<Value> key = KeyOf(skill);
  key.emplace_back(static_cast<std::int64_t>(kMaxCompiledBytes));
  const auto rows = BJ_TRY(
      database_.Query("SELECT made_by, times, code, seal FROM skill_code WHERE caller = $1 AND "
                      "name = $2 AND version = $3 AND length(code) <= $4",
                      key));
  if (rows.empty()) return std::optional<Compiled>();
  return DecodeCompiled(key_, skill, rows.front());
}

Result<bool> Registry::HasRoomFor(const Skill& skill, const Compiled& fresh) const {
  if (fresh.bytes.size() > kMaxCompiledBytes) return false;
  const std::vector<Value> others = KeyOf(skill);
  const auto rows =
      BJ_TRY(database_.Query("SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM skill_code WHERE "
                             "caller = $1 AND NOT (name = $2 AND version = $3)",
                             others));
  const std::int64_t kept = rows.empty() ? 0 : NumberAt(rows.front(), 0);
  return kept + static_cast<std::int64_t>(fresh.bytes.size()) <= kMostCompiledOfOne;
}

Result<> Registry::KeepCompiled(const Skill& skill, const Compiled& fresh) {
  return database_.Transaction([&]() -> Result<> {
    auto found = BJ_TRY(Select("WHERE caller = $1 AND name = $2 AND version = $3", KeyOf(skill)));
    if (found.empty() || found.front().digest != skill.digest) return {};
    Compiled fitting{fresh.by, "", 0};
    const bool fits = BJ_TRY(HasRoomFor(skill, fresh));
    if (fits) fitting.bytes = fresh.bytes;
    std::vector<Value> values = KeyOf(skill);
    values.emplace_back(fitting.by);
    values.emplace_back(static_cast<std::int64_t>(fitting.bytes.size()));
    values.emplace_back(SealCompiled(key_, skill, fitting));
    values.emplace_back(storage::Blob{fitting.bytes});
    BJ_TRY(database_.Execute(
        "INSERT INTO skill_code (caller, name, version, made_by, times, bytes, seal, code) VALUES "
        "($1, $2, $3, $4, 1, $5, $6, $7) ON CONFLICT (caller, name, version) DO UPDATE SET "
        "made_by = excluded.made_by, times = skill_code.times + 1, bytes = excluded.bytes, "
        "seal = excluded.seal, code = excluded.code",
        values));
    return {};
  });
}

}  // namespace belljar::resource::skill
