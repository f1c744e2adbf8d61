// belljar skill run: an ordinary run under a skill's terms, through a daemon or in this process.
#include <fmt/format.h>

#include <cstdio>

#include "door/cli/questions.h"
#include "door/cli/skill_client.h"
#include "door/cli/skill_parts.h"
#include "door/cli/terminal.h"
#include "foundation/base/random_id.h"
#include "request/limit_fields.h"
#include "run/skill_json.h"
#include "run/stored_skills.h"

namespace belljar::door::cli {
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

// The part of a skill's request that the waiting command needs.
Result<request::Request> ShownRequest(const json::object& shown) {
  json::object request = {{"code", ""}};
  for (const request::LimitField& field : request::LimitFields()) {
    if (const json::value* const limit = shown.if_contains(field.key)) request[field.key] = *limit;
  }
  return request::ParseRequest(json::serialize(request)).While("the daemon's skill");
}

run::SkillWatch TellHere() {
  run::SkillWatch watch;
  watch.on_disabled = [](const resource::skill::Skill& skill, const run::Origin&) {
    fmt::print(stderr, "belljar: skill {} is disabled from now on: {}\n",
               resource::skill::HandleText(skill), MakeVisible(skill.why));
  };
  watch.on_trouble = [](const resource::skill::Skill& skill, const run::Origin&,
                        const Error& error) {
    fmt::print(stderr, "belljar: this run of {} is not in its history: {}\n",
               resource::skill::HandleText(skill), error.message());
  };
  return watch;
}

Result<int> RunSkillHere(const RunFlags& flags, SkillClient& door,
                         const resource::skill::Handle& handle) {
  const auto skill = BJ_TRY(door.registry().Find(MyName(), handle));
  auto request = BJ_TRY(run::ParseSkillRun(skill, json::serialize(flags.skill_body)));
  request.id = BJ_TRY(RandomId("r-"));
  const auto start = [&](run::Engine& engine, run::Run& run) {
    run.requester.origin.caller = MyName();
    run.requester.origin.run_id = run.request.id;
    run::StoredSkills skills(engine, door.registry(), nullptr, TellHere());
    return skills.Run(skill, run);
  };
  return RunOnce(flags, std::move(request), start);
}

}  // namespace

Result<int> RunSkill(const SkillArguments& arguments) {
  const resource::skill::Handle handle = BJ_TRY(resource::skill::ParseHandle(arguments.handle));
  RunFlags flags = arguments.flags;
  flags.skill = arguments.handle;
  flags.skill_body = BJ_TRY(BodyOf(flags));
  if (!flags.wait.empty()) BJ_TRY(request::ParseDuration(flags.wait).While("--wait"));
  SkillClient door = BJ_TRY(SkillClient::Open(flags.daemon));
  if (door.daemon() == nullptr) return RunSkillHere(flags, door, handle);
  const json::object shown = BJ_TRY(door.Show(handle));
  request::Request request = BJ_TRY(ShownRequest(shown));
  return RunOnce(flags, std::move(request));
}

}  // namespace belljar::door::cli
