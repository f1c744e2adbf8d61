#include "run/skill_json.h"

#include <algorithm>
#include <array>

#include "foundation/base/quote.h"
#include "record/entry.h"
#include "request/request_input.h"
#include "request/request_scan.h"
#include "run/assessment.h"

namespace belljar::run {

using resource::skill::Skill;

json::object SkillJson(const Skill& skill, const resource::skill::Stats& stats) {
  if (skill.state == resource::skill::State::kTampered) {
    return {{"name", skill.definition.name},
            {"version", skill.version},
            {"state", resource::skill::StateName(skill.state)}};
  }
  json::object object = resource::skill::TermsJson(skill.definition);
  for (const char* const key : {"input_schema", "output_schema"}) {
    if (!object.contains(key)) object[key] = nullptr;
  }
  object["version"] = skill.version;
  object["newest"] = skill.newest;
  object["state"] = resource::skill::StateName(skill.state);
  if (!skill.why.empty()) object["why"] = skill.why;
  object["digest"] = skill.digest;
  object["created"] = record::TimeText(skill.created_ms);
  object["stats"] = resource::skill::ToJson(stats);
  return object;
}

json::object StoredJson(const StoredSkill& stored) {
  json::object object = {{"stored", false},
                         {"decision", DecisionJson(stored.decision)},
                         {"findings", FindingsJson(stored.decision)}};
  if (!stored.added) {
    const auto& reasons = stored.decision.reasons;
    object["error"] = {
        {"kind", KindName(Kind::kDenied)},
        {"message", "the skill is not stored: " +
                        (reasons.empty() ? std::string("its policy blocks it") : reasons.front())}};
    return object;
  }
  const Skill& skill = stored.added->skill;
  object["stored"] = stored.added->is_new;
  object["name"] = skill.definition.name;
  object["version"] = skill.version;
  object["state"] = resource::skill::StateName(skill.state);
  object["digest"] = skill.digest;
  return object;
}

json::object ChangedJson(const std::vector<Skill>& changed) {
  json::array all;
  for (const Skill& skill : changed) {
    all.push_back({{"name", skill.definition.name},
                   {"version", skill.version},
                   {"state", resource::skill::StateName(skill.state)}});
  }
  return {{"changed", std::move(all)}};
}

Result<json::object> ListSkills(resource::skill::Registry& registry, const std::string& caller) {
  json::array all;
  for (const Skill& skill : BJ_TRY(registry.List(caller))) {
    const auto totals = BJ_TRY(registry.TotalsOf(skill));
    json::object told = SkillJson(skill, totals);
    if (json::value* const stats = told.if_contains("stats")) {
      // Computing these for all skills would take too long.
      for (const char* const key : {"p50_ms", "p95_ms", "last_error"}) {
        stats->as_object().erase(key);
      }
    }
    all.push_back(std::move(told));
  }
  return json::object{{"skills", std::move(all)}};
}

Result<json::object> ShowSkill(resource::skill::Registry& registry, const std::string& caller,
                               const resource::skill::Handle& handle) {
  const Skill skill = BJ_TRY(registry.Find(caller, handle));
  const auto stats = BJ_TRY(registry.StatsOf(skill));
  json::object shown = SkillJson(skill, stats);
  shown["code"] = skill.definition.request_template.code;
  const auto compiled = BJ_TRY(registry.CompiledOf(skill));
  if (compiled) {
    shown["compiled"] = {{"bytes", compiled->bytes.size()}, {"times", compiled->times}};
  } else {
    shown["compiled"] = nullptr;
  }
  json::array versions;
  for (const Skill& version : BJ_TRY(registry.Versions(caller, handle.name))) {
    versions.push_back({{"version", version.version},
                        {"state", resource::skill::StateName(version.state)},
                        {"digest", version.digest},
                        {"created", record::TimeText(version.created_ms)}});
  }
  shown["versions"] = std::move(versions);
  return shown;
}

Result<json::object> SkillHistory(resource::skill::Registry& registry, const std::string& caller,
                                  const resource::skill::Handle& handle, std::size_t limit) {
  json::array runs;
  for (const resource::skill::Run& run : BJ_TRY(registry.History(caller, handle, limit))) {
    runs.push_back(resource::skill::ToJson(run));
  }
  return json::object{{"runs", std::move(runs)}};
}

Result<request::Request> ParseSkillRun(const Skill& skill, std::string_view body) {
  constexpr std::array<std::string_view, 3> kOfCaller = {"id", "correlation_id", "reason"};
  const auto scan = request::ScanRequest(body);
  if (scan.duplicate_key) {
    return Invalid("the key {} is given twice", Quote(*scan.duplicate_key));
  }
  const json::value value = BJ_TRY(ParseJson(body.empty() ? "{}" : body));
  if (!value.is_object()) return Invalid("the body must be a JSON object");
  json::object own = {{"code", ""}};
  request::Request request = skill.definition.request_template;
  request.input_schema = skill.definition.input_schema;
  for (const auto& [name, member] : value.get_object()) {
    const std::string_view key(name.data(), name.size());
    if (key == "input") {
      request::SetInput(request, member);
    } else if (std::ranges::find(kOfCaller, key) != kOfCaller.end()) {
      own[key] = member;
    } else {
      return Invalid("a run of a skill has no key {}; it has input, id, correlation_id and reason",
                     Quote(key));
    }
  }
  if (request.input) BJ_TRY(request::CheckInputNumbers(body));
  if (request.input_schema && !request.input) {
    return Invalid("skill {} needs an \"input\" that fits its input_schema",
                   resource::skill::HandleText(skill));
  }
  const request::Request said = BJ_TRY(request::ParseRequest(json::serialize(own)));
  request.id = said.id;
  request.numeric_id = said.numeric_id;
  request.correlation_id = said.correlation_id;
  request.reason = said.reason;
  BJ_TRY(request::ValidateToRun(request));
  return request;
}

}  // namespace belljar::run
