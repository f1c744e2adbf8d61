#include "resource/skill/row.h"

#include <fmt/format.h>

#include <algorithm>

namespace belljar::resource::skill {
namespace {

using storage::Migration;
using storage::Row;
using storage::SealKey;
using storage::Value;

constexpr Migration kSkillsSchema[] = {
    {1,
     "CREATE TABLE skills ("
     "  caller TEXT NOT NULL,"
     "  name TEXT NOT NULL,"
     "  newest BIGINT NOT NULL,"
     "  seal $BLOB NOT NULL,"
     "  PRIMARY KEY (caller, name)"
     ");"
     "CREATE TABLE skill_versions ("
     "  caller TEXT NOT NULL,"
     "  name TEXT NOT NULL,"
     "  version BIGINT NOT NULL,"
     "  digest TEXT NOT NULL,"
     "  state TEXT NOT NULL,"
     "  why TEXT NOT NULL,"
     "  created_ms BIGINT NOT NULL,"
     "  changed_ms BIGINT NOT NULL,"
     "  judged_after BIGINT NOT NULL,"
     "  code_bytes BIGINT NOT NULL,"
     "  seal $BLOB NOT NULL,"
     "  terms TEXT NOT NULL,"
     // Large columns last: SQLite reads a row from its beginning only up to the last column needed.
     "  code $BLOB NOT NULL,"
     "  PRIMARY KEY (caller, name, version)"
     ");"
     "CREATE TABLE skill_runs ("
     "  id $ID,"
     "  caller TEXT NOT NULL,"
     "  name TEXT NOT NULL,"
     "  version BIGINT NOT NULL,"
     "  run_id TEXT NOT NULL,"
     "  time_ms BIGINT NOT NULL,"
     "  outcome TEXT NOT NULL,"
     "  verdict BIGINT NOT NULL,"  // 1 success, 0 failure, -1 no verdict
     "  wall_us BIGINT NOT NULL,"
     // Runs of this version up to this one; survives the deletion of older rows.
     "  runs BIGINT NOT NULL,"
     "  counted BIGINT NOT NULL,"    // of these, runs with a verdict
     "  successes BIGINT NOT NULL,"  // of these, successes
     "  error TEXT NOT NULL"
     ");"
     "CREATE INDEX skill_runs_of ON skill_runs (caller, name, version, id)"},
    {2,
     "CREATE TABLE skill_code ("
     "  caller TEXT NOT NULL,"
     "  name TEXT NOT NULL,"
     "  version BIGINT NOT NULL,"
     "  made_by TEXT NOT NULL,"
     "  times BIGINT NOT NULL,"  // how often this version was compiled for the cache
     "  bytes BIGINT NOT NULL,"
     "  seal $BLOB NOT NULL,"
     "  code $BLOB NOT NULL,"
     "  PRIMARY KEY (caller, name, version)"
     ")"}};

enum VersionColumn : std::size_t {
  kCaller,
  kName,
  kVersion,
  kDigest,
  kState,
  kWhy,
  kCreatedMs,
  kChangedMs,
  kJudgedAfter,
  kCodeBytes,
  kTerms,
  kSeal,
};

// The name of the table is part of the sealed values, so that rows of one table cannot stand in for
// another's.
std::vector<Value> UnderSeal(std::string_view table, std::span<const Value> values) {
  std::vector<Value> all = {std::string(table)};
  all.insert(all.end(), values.begin(), values.end());
  return all;
}

bool IsSealed(const SealKey& key, std::string_view table, const Row& row) {
  return key.IsSealed(UnderSeal(table, std::span(row).first(row.size() - 1)), row.back());
}

// Decodes the sealed values; false if they are malformed.
bool Read(const Row& row, Skill& skill) {
  const auto state = ParseState(TextAt(row, kState));
  skill.terms = TextAt(row, kTerms);
  auto terms = ParseJson(skill.terms);
  if (!state || !terms || !terms->is_object()) return false;
  terms->get_object()["code"] = "";
  auto definition = ParseDefinition(json::serialize(*terms));
  if (!definition || definition->name != skill.definition.name) return false;
  skill.definition = *std::move(definition);
  skill.state = *state;
  skill.digest = TextAt(row, kDigest);
  skill.why = TextAt(row, kWhy);
  skill.created_ms = TimeAt(row, kCreatedMs);
  skill.changed_ms = TimeAt(row, kChangedMs);
  skill.judged_after = NumberAt(row, kJudgedAfter);
  skill.code_bytes = NumberAt(row, kCodeBytes);
  return true;
}

}  // namespace

std::span<const Migration> SkillsSchema() { return kSkillsSchema; }

std::vector<Value> KeyOf(const Skill& skill) {
  return {skill.caller, skill.definition.name, skill.version};
}

std::string TextAt(const Row& row, std::size_t column) {
  const auto* const text = std::get_if<std::string>(&row.at(column));
  return text == nullptr ? std::string() : *text;
}

std::int64_t NumberAt(const Row& row, std::size_t column) {
  const auto* const number = std::get_if<std::int64_t>(&row.at(column));
  return number == nullptr ? 0 : *number;
}

std::int64_t TimeAt(const Row& row, std::size_t column) {
  constexpr std::int64_t kEndOf9999 = 253'402'300'799'999;
  return std::clamp<std::int64_t>(NumberAt(row, column), 0, kEndOf9999);
}

std::vector<Value> EncodeVersion(const SealKey& key, const Skill& skill) {
  std::vector<Value> values = {
      skill.caller,
      skill.definition.name,
      skill.version,
      skill.digest,
      std::string(StateName(skill.state)),
      skill.why,
      skill.created_ms,
      skill.changed_ms,
      skill.judged_after,
      skill.code_bytes,
      skill.terms,
  };
  values.emplace_back(key.Seal(UnderSeal("skill_versions", values)));
  return values;
}

Skill DecodeVersion(const SealKey& key, const Row& row) {
  Skill skill;
  skill.caller = TextAt(row, kCaller);
  skill.definition.name = TextAt(row, kName);
  skill.version = NumberAt(row, kVersion);
  const Skill bare = skill;
  if (IsSealed(key, "skill_versions", row) && Read(row, skill)) return skill;
  skill = bare;
  skill.state = State::kTampered;
  return skill;
}

std::vector<Value> EncodeHead(const SealKey& key, const std::string& caller,
                              const std::string& name, std::int64_t newest) {
  std::vector<Value> values = {caller, name, newest};
  values.emplace_back(key.Seal(UnderSeal("skills", values)));
  return values;
}

namespace {

std::vector<Value> CompiledUnderSeal(const Skill& skill, const Compiled& compiled) {
  return {std::string("skill_code"),
          skill.caller,
          skill.definition.name,
          skill.version,
          skill.digest,
          compiled.by,
          storage::Blob{compiled.bytes}};
}

}  // namespace

storage::Blob SealCompiled(const SealKey& key, const Skill& skill, const Compiled& compiled) {
  return key.Seal(CompiledUnderSeal(skill, compiled));
}

std::optional<Compiled> DecodeCompiled(const SealKey& key, const Skill& skill, const Row& row) {
  const auto* const code = std::get_if<storage::Blob>(&row.at(2));
  if (code == nullptr) return std::nullopt;
  Compiled compiled{TextAt(row, 0), code->bytes, NumberAt(row, 1)};
  if (!key.IsSealed(CompiledUnderSeal(skill, compiled), row.at(3))) return std::nullopt;
  return compiled;
}

std::optional<std::int64_t> DecodeHead(const SealKey& key, const Row& row) {
  if (!IsSealed(key, "skills", row)) return std::nullopt;
  return NumberAt(row, 2);
}

}  // namespace belljar::resource::skill
