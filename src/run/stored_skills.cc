#include "run/stored_skills.h"

#include <fmt/format.h>

#include <cmath>

#include "run/assessment.h"
#include "run/audit_entry.h"
#include "run/check.h"

namespace belljar::run {

using resource::skill::Skill;

std::optional<resource::skill::Verdict> VerdictOf(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return resource::skill::Verdict::kSuccess;
    case Outcome::kExit:
    case Outcome::kException:
    case Outcome::kSignal:
    case Outcome::kTimeout:
    case Outcome::kMemory:
    case Outcome::kProcesses:
    case Outcome::kOutput:
    case Outcome::kDisk:
      return resource::skill::Verdict::kFailure;
    case Outcome::kCancelled:
      return resource::skill::Verdict::kNone;
    case Outcome::kRefused:
    case Outcome::kNeedsApproval:
    case Outcome::kDenied:
      return std::nullopt;
  }
  return std::nullopt;
}

std::string FailureLine(const RunResult& result) {
  if (result.error) return result.error->type + ": " + result.error->message;
  if (!result.reason.empty()) return result.reason;
  if (result.signal) return fmt::format("ended by signal {}", *result.signal);
  if (result.exit_code) return fmt::format("ended with status {}", *result.exit_code);
  return std::string(OutcomeName(result.outcome));
}

Result<> StoredSkills::Record(const Skill& skill, const std::string& what, json::object detail,
                              const Origin& origin) const {
  if (log_ == nullptr) return {};
  record::Entry entry = EntryFrom(record::Event::kSkill, origin, std::move(detail));
  entry.caller = skill.caller;
  entry.outcome = what;
  entry.detail["name"] = skill.definition.name;
  if (skill.version > 0) entry.detail["version"] = skill.version;
  BJ_TRY(log_->Append(entry).While("record"));
  return {};
}

Result<StoredSkill> JudgeAndStore(Assessment& assessment, resource::skill::Registry& registry,
                                  const std::string& caller,
                                  const resource::skill::Definition& definition,
                                  const AskSyntax& ask) {
  BJ_TRY(resource::skill::CheckDefinition(definition));
  StoredSkill stored;
  stored.decision = BJ_TRY(assessment.Decide(definition.request_template));
  if (stored.decision.action == judgement::policy::Action::kBlock) return stored;
  const Checked said = BJ_TRY(ask(definition.request_template));
  if (!said.refused.empty()) {
    return Error(Kind::kInvalid,
                 "the skill is not stored, because it could never run: " + said.refused);
  }
  stored.added = BJ_TRY(registry.Add(caller, definition));
  if (said.compiled && stored.added->is_new) {
    // On a failure the skill is stored all the same, and compiled when it is run.
    static_cast<void>(registry.KeepCompiled(stored.added->skill, *said.compiled));
  }
  return stored;
}

Result<StoredSkill> StoredSkills::Add(const std::string& caller,
                                      const resource::skill::Definition& definition) {
  const auto ask = [this](const request::Request& request) {
    return engine_.Check(request, AskInterpreter::kAndKeepCode);
  };
  StoredSkill stored =
      BJ_TRY(JudgeAndStore(engine_.assessment(), registry_, caller, definition, ask));
  if (!stored.added) {
    Skill refused;
    refused.caller = caller;
    refused.definition.name = definition.name;
    const auto& reasons = stored.decision.reasons;
    BJ_TRY(Record(refused, "refused",
                  {{"reason", reasons.empty() ? "" : resource::skill::Fit(reasons.front(), 512)}}));
    return stored;
  }
  if (!stored.added->is_new) return stored;
  json::object detail = {{"digest", stored.added->skill.digest}};
  if (log_ != nullptr) detail["code"] = BJ_TRY(log_->PutBody(definition.request_template.code));
  BJ_TRY(Record(stored.added->skill, "added", std::move(detail)));
  return stored;
}

Result<RunResult> StoredSkills::Run(const Skill& skill, run::Run& run) {
  Origin& origin = run.requester.origin;
  origin.skill = skill.definition.name;
  origin.skill_version = skill.version;
  if (skill.state != resource::skill::State::kEnabled) {
    return engine_.Refuse(
        run, fmt::format("skill {} is disabled: {}. To enable it: belljar skill enable {}",
                         resource::skill::HandleText(skill), skill.why,
                         resource::skill::HandleText(skill)));
  }
  const std::string by = engine_.CompilerOf(run.request);
  const auto fitting = Fitting(skill, by);
  if (fitting && *fitting && !(*fitting)->bytes.empty()) {
    run.compiled = std::make_shared<const CompiledText>(
        CompiledText{skill.definition.request_template.code,
                     skill.definition.request_template.image, (*fitting)->bytes});
  }
  auto result = BJ_TRY(engine_.Go(run));
  Note(skill, result, origin);
  if (!by.empty() && fitting && !*fitting && VerdictOf(result.outcome)) CompileAnew(skill);
  return result;
}

Result<std::optional<resource::skill::Compiled>> StoredSkills::Fitting(
    const Skill& skill, const std::string& by) const {
  if (by.empty()) return std::optional<resource::skill::Compiled>();
  auto kept = BJ_TRY(registry_.CompiledOf(skill));
  if (kept && kept->by != by) kept.reset();
  return kept;
}

// Called after the run, so that its caller does not wait for the compiler.
void StoredSkills::CompileAnew(const Skill& skill) {
  const auto checked =
      engine_.Check(skill.definition.request_template, AskInterpreter::kAndKeepCode);
  if (!checked || !checked->compiled) return;
  static_cast<void>(registry_.KeepCompiled(skill, *checked->compiled));
}

// The run has had its effects and is recorded, so a failure here must not discard its result.
void StoredSkills::Note(const Skill& skill, const RunResult& result, const Origin& origin) {
  const auto verdict = VerdictOf(result.outcome);
  if (!verdict) return;
  resource::skill::Run run;
  run.id = origin.run_id;
  run.outcome = OutcomeName(result.outcome);
  run.verdict = *verdict;
  run.wall_us = std::llround(result.usage.wall_ms * 1000);
  if (*verdict == resource::skill::Verdict::kFailure) run.error = FailureLine(result);
  const auto noted = registry_.Note(skill, std::move(run));
  if (!noted) {
    if (watch_.on_trouble) watch_.on_trouble(skill, origin, noted.error());
    return;
  }
  if (!noted->disabled) return;
  const auto recorded =
      Record(noted->skill, "disabled", {{"why", noted->skill.why}, {"by", "its health"}}, origin);
  if (!recorded && watch_.on_trouble) watch_.on_trouble(noted->skill, origin, recorded.error());
  if (watch_.on_disabled) watch_.on_disabled(noted->skill, origin);
}

Result<std::vector<Skill>> StoredSkills::Enable(const std::string& caller,
                                                const resource::skill::Handle& handle) {
  auto changed = BJ_TRY(registry_.Enable(caller, handle));
  for (const Skill& skill : changed) BJ_TRY(Record(skill, "enabled", {{"by", caller}}));
  return changed;
}

Result<std::vector<Skill>> StoredSkills::Disable(const std::string& caller,
                                                 const resource::skill::Handle& handle,
                                                 const std::string& why) {
  auto changed = BJ_TRY(registry_.Disable(caller, handle, why));
  for (const Skill& skill : changed) {
    BJ_TRY(Record(skill, "disabled", {{"why", skill.why}, {"by", caller}}));
  }
  return changed;
}

Result<std::uint64_t> StoredSkills::Remove(const std::string& caller, const std::string& name) {
  const std::uint64_t versions = BJ_TRY(registry_.Remove(caller, name));
  Skill gone;
  gone.caller = caller;
  gone.definition.name = name;
  BJ_TRY(Record(gone, "removed", {{"versions", versions}}));
  return versions;
}

}  // namespace belljar::run
