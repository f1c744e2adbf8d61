// Skills as JSON, identical over HTTP and on the command line, with and without a daemon.
#pragma once

#include <string>
#include <vector>

#include "foundation/base/json.h"
#include "request/request.h"
#include "resource/skill/registry.h"
#include "run/stored_skills.h"

namespace belljar::run {

// Name, description and schemas, as a list of tools needs them, plus terms, state and statistics.
json::object SkillJson(const resource::skill::Skill& skill, const resource::skill::Stats& stats);
// The outcome of storing a skill; with an "error" where the policy blocks it.
json::object StoredJson(const StoredSkill& stored);
// {"changed":[…]}
json::object ChangedJson(const std::vector<resource::skill::Skill>& changed);

// {"skills":[…]}
Result<json::object> ListSkills(resource::skill::Registry& registry, const std::string& caller);
// One skill with its code and its versions.
Result<json::object> ShowSkill(resource::skill::Registry& registry, const std::string& caller,
                               const resource::skill::Handle& handle);
// {"runs":[…]}
Result<json::object> SkillHistory(resource::skill::Registry& registry, const std::string& caller,
                                  const resource::skill::Handle& handle, std::size_t limit);

// Builds the request for a run of `skill`. The body may have "input", "id", "correlation_id" and
// "reason"; every other field comes from the skill.
Result<request::Request> ParseSkillRun(const resource::skill::Skill& skill, std::string_view body);

}  // namespace belljar::run
