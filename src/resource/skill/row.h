// The stored form of skills, in the tables `skills` and `skill_versions`, with their seals.
//
// `skills` names the newest version of each skill, `skill_versions` holds the versions. Both
// determine what is run, so both are sealed: a row can neither be changed nor take another row's
// place, and a missing row of the newest version is detected. The code is covered by its digest,
// which is part of the sealed values, so that listing skills need not read the code.
//
// `skill_code` caches the compiled code of a version; its seal includes the version's digest.
//
// `skill_runs` records runs. It affects only the health and is not sealed.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/storage/database.h"
#include "foundation/storage/seal.h"
#include "resource/skill/skill.h"

namespace belljar::resource::skill {

std::span<const storage::Migration> SkillsSchema();

// The primary key in every table: caller, name, version.
std::vector<storage::Value> KeyOf(const Skill& skill);

// The columns of a version without its code, for SELECT; the seal comes last.
constexpr std::string_view kVersionColumns =
    "caller, name, version, digest, state, why, created_ms, changed_ms, judged_after, code_bytes, "
    "terms, seal";

// The values of kVersionColumns, in order.
std::vector<storage::Value> EncodeVersion(const storage::SealKey& key, const Skill& skill);
// A row with an invalid seal is returned as kTampered, with its name, version and caller.
Skill DecodeVersion(const storage::SealKey& key, const storage::Row& row);

// The values of a row of `skills`: caller, name, newest, seal.
std::vector<storage::Value> EncodeHead(const storage::SealKey& key, const std::string& caller,
                                       const std::string& name, std::int64_t newest);
// The newest version; nullopt if the seal is invalid.
std::optional<std::int64_t> DecodeHead(const storage::SealKey& key, const storage::Row& row);

// The seal of the compiled code of `skill`.
storage::Blob SealCompiled(const storage::SealKey& key, const Skill& skill,
                           const Compiled& compiled);
// Decodes made_by, times, code, seal; nullopt if the seal is invalid.
std::optional<Compiled> DecodeCompiled(const storage::SealKey& key, const Skill& skill,
                                       const storage::Row& row);

std::string TextAt(const storage::Row& row, std::size_t column);
std::int64_t NumberAt(const storage::Row& row, std::size_t column);
// Clamps the time to the years 1970 to 9999, because a tampered row may hold any number.
std::int64_t TimeAt(const storage::Row& row, std::size_t column);

}  // namespace belljar::resource::skill
