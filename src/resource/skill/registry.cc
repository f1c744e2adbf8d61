#include "resource/skill/registry.h"

#include <fmt/format.h>

#include <chrono>

#include "resource/skill/row.h"

namespace belljar::resource::skill {
namespace {

using storage::Row;
using storage::SealKey;
using storage::Value;

Error NoSuchSkill(std::string_view name) {
  return Error(Kind::kNotFound,
               fmt::format("there is no skill \"{}\": add one with belljar skill add, or see "
                           "belljar skill list",
                           name));
}

Error NoSuchVersion(std::string_view name, std::int64_t version, std::int64_t newest) {
  return Error(Kind::kNotFound, fmt::format("skill \"{}\" has no version {}: the newest is {}",
                                            name, version, newest));
}

Error Tampered(std::string_view what) {
  return Error(Kind::kDenied,
               fmt::format("skill {} has been tampered with: its row is not as Belljar wrote it; "
                           "remove the skill and add it again",
                           what));
}

Result<std::int64_t> CountOf(storage::Database& database, std::string_view sql,
                             std::span<const Value> params) {
  const auto rows = BJ_TRY(database.Query(sql, params));
  const auto* const number =
      rows.empty() ? nullptr : std::get_if<std::int64_t>(&rows.front().front());
  if (number == nullptr) return Error(Kind::kInternal, "the database cannot count skills");
  return *number;
}

}  // namespace

std::int64_t SystemNow() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
}

Registry::Registry(storage::Database& database, SealKey key, Now now)
    : database_(database), key_(std::move(key)), now_(std::move(now)) {}

Result<std::unique_ptr<Registry>> Registry::Open(storage::Database& database,
                                                 const std::string& key_file, Now now) {
  SealKey key = BJ_TRY(SealKey::Load(key_file, "skill"));
  BJ_TRY(database.Migrate("skills", SkillsSchema()));
  return std::unique_ptr<Registry>(new Registry(database, std::move(key), std::move(now)));
}

Result<std::vector<Skill>> Registry::Select(std::string_view rest,
                                            std::span<const Value> params) const {
  const auto rows = BJ_TRY(database_.Query(
      fmt::format("SELECT {} FROM skill_versions {}", kVersionColumns, rest), params));
  std::vector<Skill> skills;
  skills.reserve(rows.size());
  for (const Row& row : rows) skills.push_back(DecodeVersion(key_, row));
  return skills;
}

Result<std::int64_t> Registry::Newest(const std::string& caller, const std::string& name) const {
  BJ_TRY(CheckName(name));
  const std::vector<Value> key = {caller, name};
  const auto rows = BJ_TRY(database_.Query(
      "SELECT caller, name, newest, seal FROM skills WHERE caller = $1 AND name = $2", key));
  if (rows.empty()) return NoSuchSkill(name);
  const auto newest = DecodeHead(key_, rows.front());
  if (!newest) return Tampered(name);
  return *newest;
}

// Reads a version that the skill's head row says exists; a missing row counts as tampering too.
Result<Skill> Registry::Version(const std::string& caller, const std::string& name,
                                std::int64_t version) const {
  const std::vector<Value> key = {caller, name, version};
  auto found = BJ_TRY(Select("WHERE caller = $1 AND name = $2 AND version = $3", key));
  if (found.empty() || found.front().state == State::kTampered) {
    return Tampered(fmt::format("{}@{}", name, version));
  }
  return std::move(found.front());
}

Result<std::string> Registry::CodeOf(const Skill& skill) const {
  const std::vector<Value> key = {skill.caller, skill.definition.name, skill.version};
  const auto rows = BJ_TRY(database_.Query(
      "SELECT code FROM skill_versions WHERE caller = $1 AND name = $2 AND version = $3", key));
  const auto* const code =
      rows.empty() ? nullptr : std::get_if<storage::Blob>(&rows.front().front());
  if (code == nullptr || DigestOf(skill.terms, code->bytes) != skill.digest) {
    return Tampered(HandleText(skill));
  }
  return code->bytes;
}

Result<Skill> Registry::Find(const std::string& caller, const Handle& handle) {
  const std::int64_t newest = BJ_TRY(Newest(caller, handle.name));
  const std::int64_t version = handle.version.value_or(newest);
  if (version > newest) return NoSuchVersion(handle.name, version, newest);
  Skill skill = BJ_TRY(Version(caller, handle.name, version));
  skill.newest = newest;
  skill.definition.request_template.code = BJ_TRY(CodeOf(skill));
  return skill;
}

Result<> Registry::Insert(const Skill& skill) {
  std::vector<Value> values = EncodeVersion(key_, skill);
  values.emplace_back(storage::Blob{skill.definition.request_template.code});
  std::string places = "$1";
  for (std::size_t i = 2; i <= values.size(); ++i) places += fmt::format(", ${}", i);
  BJ_TRY(database_.Execute(
      fmt::format("INSERT INTO skill_versions ({}, code) VALUES ({})", kVersionColumns, places),
      values));
  return {};
}

Result<> Registry::PutHead(const Skill& skill) {
  const auto head = EncodeHead(key_, skill.caller, skill.definition.name, skill.version);
  const auto touched = BJ_TRY(database_.Execute(
      "UPDATE skills SET newest = $3, seal = $4 WHERE caller = $1 AND name = $2", head));
  if (touched == 1) return {};
  BJ_TRY(database_.Execute(
      "INSERT INTO skills (caller, name, newest, seal) VALUES ($1, $2, $3, $4)", head));
  return {};
}

// The seal identifies the whole row: the UPDATE succeeds only if the row is still as it was read.
Result<> Registry::Replace(const Skill& before, const Skill& after) {
  const std::vector<Value> values = {after.caller,
                                     after.definition.name,
                                     after.version,
                                     EncodeVersion(key_, before).back(),
                                     EncodeVersion(key_, after).back(),
                                     std::string(StateName(after.state)),
                                     after.why,
                                     after.changed_ms,
                                     after.judged_after};
  const auto touched = BJ_TRY(database_.Execute(
      "UPDATE skill_versions SET seal = $5, state = $6, why = $7, changed_ms = $8, "
      "judged_after = $9 WHERE caller = $1 AND name = $2 AND version = $3 AND seal = $4",
      values));
  if (touched == 1) return {};
  return Error(Kind::kUnavailable, "the skill has just been changed by somebody else: try again");
}

Result<> Registry::CheckRoom(const Skill& fresh) const {
  const std::vector<Value> key = {fresh.caller};
  if (fresh.version > kMostVersions) {
    return Error(Kind::kExhausted,
                 fmt::format("skill \"{}\" has {} versions already: remove it, or take another "
                             "name",
                             fresh.definition.name, kMostVersions));
  }
  const std::int64_t skills =
      BJ_TRY(CountOf(database_, "SELECT count(*) FROM skills WHERE caller = $1", key));
  if (fresh.version == 1 && skills >= static_cast<std::int64_t>(kMostSkillsOfOne)) {
    return Error(Kind::kExhausted,
                 fmt::format("this caller has {} skills already: remove some", skills));
  }
  const std::int64_t bytes = BJ_TRY(CountOf(database_,
                                            "SELECT CAST(coalesce(sum(code_bytes + length(terms)), "
                                            "0) AS BIGINT) FROM skill_versions WHERE caller = $1",
                                            key));
  if (bytes + fresh.code_bytes <= kMostBytesOfOne) return {};
  return Error(Kind::kExhausted,
               fmt::format("this caller's skills have {} bytes already: remove some", bytes));
}

Result<Added> Registry::Add(const std::string& caller, const Definition& definition) {
  BJ_TRY(CheckDefinition(definition));
  Skill fresh;
  fresh.caller = caller;
  fresh.definition = definition;
  fresh.terms = json::serialize(TermsJson(definition));
  fresh.digest = DigestOf(fresh.terms, definition.request_template.code);
  fresh.code_bytes = static_cast<std::int64_t>(definition.request_template.code.size());
  fresh.created_ms = fresh.changed_ms = now_();
  Added added;
  const auto work = [&]() -> Result<> {
    const auto newest = Newest(caller, definition.name);
    if (!newest && newest.error().kind() != Kind::kNotFound) return newest.error();
    if (newest) {
      added.skill = BJ_TRY(Version(caller, definition.name, *newest));
      added.skill.newest = *newest;
      if (added.skill.digest == fresh.digest) return {};
    }
    fresh.version = fresh.newest = newest ? *newest + 1 : 1;
    BJ_TRY(CheckRoom(fresh));
    BJ_TRY(Insert(fresh));
    BJ_TRY(PutHead(fresh));
    added.skill = fresh;
    added.is_new = true;
    return {};
  };
  BJ_TRY(database_.Transaction(work));
  return added;
}

Result<std::vector<Skill>> Registry::List(const std::string& caller) {
  const std::vector<Value> key = {caller, static_cast<std::int64_t>(kMostSkillsOfOne)};
  const auto heads = BJ_TRY(database_.Query(
      "SELECT caller, name, newest, seal FROM skills WHERE caller = $1 ORDER BY name COLLATE \"C\" "
      "LIMIT $2",
      key));
  std::vector<Skill> skills;
  for (const Row& head : heads) {
    Skill shown;
    shown.caller = caller;
    shown.definition.name = TextAt(head, 1);
    shown.state = State::kTampered;
    if (const auto newest = DecodeHead(key_, head)) {
      shown.version = *newest;
      auto version = Version(caller, shown.definition.name, *newest);
      if (!version && version.error().kind() != Kind::kDenied) return std::move(version).error();
      if (version) shown = *std::move(version);
      shown.newest = *newest;
    }
    skills.push_back(std::move(shown));
  }
  return skills;
}

// Read one by one: all versions with their schemas could exceed the limit of one query's result.
Result<std::vector<Skill>> Registry::Versions(const std::string& caller, const std::string& name) {
  const std::int64_t newest = BJ_TRY(Newest(caller, name));
  std::vector<Skill> versions;
  for (std::int64_t version = newest; version > 0; --version) {
    auto found = Version(caller, name, version);
    if (!found && found.error().kind() != Kind::kDenied) return std::move(found).error();
    Skill skill;
    if (found) {
      skill = *std::move(found);
      skill.terms.clear();
      skill.definition.input_schema.reset();
      skill.definition.request_template.output_schema.reset();
    } else {
      skill.caller = caller;
      skill.definition.name = name;
      skill.version = version;
      skill.state = State::kTampered;
    }
    skill.newest = newest;
    versions.push_back(std::move(skill));
  }
  return versions;
}

Result<> Registry::UpdateOne(const Skill& before, const Change& change,
                             std::vector<Skill>& changed) {
  Skill after = before;
  BJ_TRY(change(after));
  if (after.state == before.state) return {};
  after.changed_ms = now_();
  BJ_TRY(Replace(before, after));
  changed.push_back(std::move(after));
  return {};
}

Result<std::vector<Skill>> Registry::Update(const std::string& caller, const Handle& handle,
                                            const Change& change) {
  std::vector<Skill> changed;
  const auto work = [&]() -> Result<> {
    const std::int64_t newest = BJ_TRY(Newest(caller, handle.name));
    const std::int64_t last = handle.version.value_or(newest);
    if (last > newest) return NoSuchVersion(handle.name, last, newest);
    for (std::int64_t version = handle.version.value_or(1); version <= last; ++version) {
      Skill before = BJ_TRY(Version(caller, handle.name, version));
      before.newest = newest;
      BJ_TRY(UpdateOne(before, change, changed));
    }
    return {};
  };
  BJ_TRY(database_.Transaction(work));
  return changed;
}

Result<std::vector<Skill>> Registry::Enable(const std::string& caller, const Handle& handle) {
  return Update(caller, handle, [&](Skill& skill) -> Result<> {
    const std::vector<Value> key = {caller, skill.definition.name, skill.version};
    skill.judged_after = BJ_TRY(CountOf(database_,
                                        "SELECT coalesce(max(id), 0) FROM skill_runs WHERE "
                                        "caller = $1 AND name = $2 AND version = $3",
                                        key));
    skill.state = State::kEnabled;
    skill.why.clear();
    return {};
  });
}

Result<std::vector<Skill>> Registry::Disable(const std::string& caller, const Handle& handle,
                                             const std::string& why) {
  return Update(caller, handle, [&](Skill& skill) -> Result<> {
    skill.state = State::kDisabled;
    skill.why = Fit(why.empty() ? "disabled by its owner" : why, kMaxWhyBytes);
    return {};
  });
}

Result<std::uint64_t> Registry::Remove(const std::string& caller, const std::string& name) {
  BJ_TRY(CheckName(name));
  const std::vector<Value> key = {caller, name};
  std::uint64_t versions = 0;
  const auto work = [&]() -> Result<> {
    versions = BJ_TRY(
        database_.Execute("DELETE FROM skill_versions WHERE caller = $1 AND name = $2", key));
    const auto heads =
        BJ_TRY(database_.Execute("DELETE FROM skills WHERE caller = $1 AND name = $2", key));
    BJ_TRY(database_.Execute("DELETE FROM skill_code WHERE caller = $1 AND name = $2", key));
    BJ_TRY(database_.Execute("DELETE FROM skill_runs WHERE caller = $1 AND name = $2", key));
    if (versions + heads == 0) return NoSuchSkill(name);
    return {};
  };
  BJ_TRY(database_.Transaction(work));
  return versions;
}

}  // namespace belljar::resource::skill
