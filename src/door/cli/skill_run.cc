// belljar skill run: an ordinary run, by a daemon or here, with a skill's terms.
#include <fmt/format.h>

#include <cstdio>

#include "base/random_id.h"
#include "cmd/questions.h"
#include "cmd/skill_door.h"
#include "cmd/skill_parts.h"
#include "cmd/terminal.h"
#include "engine/skill_json.h"
#include "engine/stored_skills.h"
#include "policy/limit_fields.h"

namespace belljar::cmd {
namespace {

Result<json::object> BodyOf(const RunFlags& flags) {
  json::object body;
  if (!flags.input.empty()) {
    auto input = BJ_TRY(ReadJsonFlag(flags.input).While("--input"));
    body["input"] = std::move(input);
  }
  if (!flags.reason.empty()) body["reason"] = flags.reason;
  if (!flags.correlation_id.empty()) body["correlation_id"] = flags.correlation_id;
  return body;
}

// As far as whoever waits for the run has to know it.
Result<policy::Request> ShownRequest(const json::object& shown) {
  json::object request = {{"code", ""}};
  for (const policy::LimitField& field : policy::LimitFields()) {
    if (const json::value* const limit = shown.if_contains(field.key)) request[field.key] = *limit;
  }
  return policy::ParseRequest(json::serialize(request)).While("the daemon's skill");
}

engine::SkillWatch TellHere() {
  engine::SkillWatch watch;
  watch.on_disabled = [](const skills::Skill& skill, const engine::Origin&) {
    fmt::print(stderr, "belljar: skill {} is disabled from now on: {}\n", skills::HandleText(skill),
               MakeVisible(skill.why));
  };
  watch.on_trouble = [](const skills::Skill& skill, const engine::Origin&, const Error& error) {
    fmt::print(stderr, "belljar: this run of {} is not in its history: {}\n",
               skills::HandleText(skill), error.message());
  };
  return watch;
}

Result<int> RunSkillHere(const RunFlags& flags, SkillDoor& door, const skills::Handle& handle) {
  const auto skill = BJ_TRY(door.registry().Find(MyName(), handle));
  auto request = BJ_TRY(engine::ParseSkillRun(skill, json::serialize(flags.skill_body)));
  request.id = BJ_TRY(RandomId("r-"));
  const auto start = [&](engine::Engine& engine, engine::Run& run) {
    run.requester.origin.caller = MyName();
    run.requester.origin.run_id = run.request.id;
    engine::StoredSkills skills(engine, door.registry(), nullptr, TellHere());
    return skills.Run(skill, run);
  };
  return RunOnce(flags, std::move(request), start);
}

}  // namespace

Result<int> RunSkill(const SkillArguments& arguments) {
  const skills::Handle handle = BJ_TRY(skills::ParseHandle(arguments.handle));
  RunFlags flags = arguments.flags;
  flags.skill = arguments.handle;
  flags.skill_body = BJ_TRY(BodyOf(flags));
  if (!flags.wait.empty()) BJ_TRY(policy::ParseDuration(flags.wait).While("--wait"));
  SkillDoor door = BJ_TRY(SkillDoor::Open(flags.daemon));
  if (door.daemon() == nullptr) return RunSkillHere(flags, door, handle);
  const json::object shown = BJ_TRY(door.Show(handle));
  policy::Request request = BJ_TRY(ShownRequest(shown));
  return RunOnce(flags, std::move(request));
}

}  // namespace belljar::cmd
