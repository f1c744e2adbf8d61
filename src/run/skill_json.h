// Skills as JSON, the same by HTTP and by the command line, with a daemon or without.
#pragma once

#include <string>
#include <vector>

#include "foundation/base/json.h"
#include "request/request.h"
#include "resource/skill/registry.h"
#include "run/stored_skills.h"

namespace belljar::run {

// Name, description and schemas, as a list of tools needs them; terms, state and statistics.
json::object SkillJson(const resource::skill::Skill& skill, const resource::skill::Stats& stats);
// What has come of storing one; with an "error" where the policy blocks it.
json::object StoredJson(const StoredSkill& stored);
// {"changed":[…]}
json::object ChangedJson(const std::vector<resource::skill::Skill>& changed);

// {"skills":[…]}
Result<json::object> ListSkills(resource::skill::Registry& registry, const std::string& caller);
// One with its code and its versions.
Result<json::object> ShowSkill(resource::skill::Registry& registry, const std::string& caller,
                               const resource::skill::Handle& handle);
// {"runs":[…]}
Result<json::object> SkillHistory(resource::skill::Registry& registry, const std::string& caller,
                                  const resource::skill::Handle& handle, std::size_t limit);

// The request that a run of `skill` is. The body may have "input", and of a request "id",
// "correlation_id" and "reason": everything else is the skill's.
Result<request::Request> ParseSkillRun(const resource::skill::Skill& skill, std::string_view body);

}  // namespace belljar::run
