// Rows of the tables `skills` and `skill_versions`, as they lie in the database, under their seals.
//
// `skills` says which version of a name is the newest, `skill_versions` what each one is. Both
// decide what is run, so both are sealed: a row can neither be changed nor stand in for another,
// and a newest version whose row has gone is missed. The code itself is held by the digest, which
// is under the seal, so that lists need not read it.
//
// `skill_code` is what has been compiled of a version, under a seal with the digest of that.
//
// `skill_runs` is what is remembered of runs. It decides nothing but health, and is not sealed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "skills/skill.h"
#include "storage/database.h"
#include "storage/seal.h"

namespace belljar::skills {

std::span<const storage::Migration> SkillsSchema();

// What its rows are found by, in every table: caller, name, version.
std::vector<storage::Value> KeyOf(const Skill& skill);

// The columns of a version without its code, for SELECT; the seal comes last.
constexpr std::string_view kVersionColumns =
    "caller, name, version, digest, state, why, created_ms, changed_ms, judged_after, code_bytes, "
    "terms, seal";

// In that order.
std::vector<storage::Value> EncodeVersion(const storage::SealKey& key, const Skill& skill);
// One that is not as it was sealed comes back as kTampered, with its name, version and caller.
Skill DecodeVersion(const storage::SealKey& key, const storage::Row& row);

// caller, name, newest, seal.
std::vector<storage::Value> EncodeHead(const storage::SealKey& key, const std::string& caller,
                                       const std::string& name, std::int64_t newest);
// The newest version; nothing if it is not as it was sealed.
std::optional<std::int64_t> DecodeHead(const storage::SealKey& key, const storage::Row& row);

// The seal of what was compiled of `skill`.
storage::Blob SealCompiled(const storage::SealKey& key, const Skill& skill,
                           const Compiled& compiled);
// made_by, times, code, seal; nothing if it is not as it was sealed.
std::optional<Compiled> DecodeCompiled(const storage::SealKey& key, const Skill& skill,
                                       const storage::Row& row);

std::string TextAt(const storage::Row& row, std::size_t column);
std::int64_t NumberAt(const storage::Row& row, std::size_t column);
// Within the years that have four digits, whatever somebody wrote there.
std::int64_t TimeAt(const storage::Row& row, std::size_t column);

}  // namespace belljar::skills
