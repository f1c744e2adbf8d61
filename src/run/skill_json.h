// Skills as JSON, the same by HTTP and by the command line, with a daemon or without.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "engine/stored_skills.h"
#include "policy/request.h"
#include "skills/registry.h"

namespace belljar::engine {

// Name, description and schemas, as a list of tools needs them; terms, state and statistics.
json::object SkillJson(const skills::Skill& skill, const skills::Stats& stats);
// What has come of storing one; with an "error" where the policy blocks it.
json::object StoredJson(const StoredSkill& stored);
// {"changed":[…]}
json::object ChangedJson(const std::vector<skills::Skill>& changed);

// {"skills":[…]}
Result<json::object> ListSkills(skills::Registry& registry, const std::string& caller);
// One with its code and its versions.
Result<json::object> ShowSkill(skills::Registry& registry, const std::string& caller,
                               const skills::Handle& handle);
// {"runs":[…]}
Result<json::object> SkillHistory(skills::Registry& registry, const std::string& caller,
                                  const skills::Handle& handle, std::size_t limit);

// The request that a run of `skill` is. The body may have "input", and of a request "id",
// "correlation_id" and "reason": everything else is the skill's.
Result<policy::Request> ParseSkillRun(const skills::Skill& skill, std::string_view body);

}  // namespace belljar::engine
