// StoredSkills: skills on their way through the engine.
//
// Storing one is judged like running it: what the policy blocks is not stored, what it wants
// reviewed is, and then each run asks. A run is an ordinary request with the skill's terms; how it
// ended is noted afterwards, and a skill that this disables is told of. Every change is recorded.
//
// Python is compiled once, when it is stored, in a cell that does nothing else; runs are given what
// that has made. Where it does not fit (another image, another Belljar, a damaged row), a run has
// the text, and it is compiled anew after that. Whatever fails here costs time and no run.
//
// Thread-safe. Engine, registry and log must outlive it.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/json.h"
#include "judgement/policy/decide.h"
#include "record/log.h"
#include "resource/skill/registry.h"
#include "run/check.h"
#include "run/engine.h"

namespace belljar::run {

// What a front listener wants to hear of.
struct SkillWatch {
  std::function<void(const resource::skill::Skill&, const Origin&)> on_disabled;  // by its health
  // How a run ended could not be noted; its result was given out all the same.
  std::function<void(const resource::skill::Skill&, const Origin&, const Error&)> on_trouble;
};

// What has come of storing one.
struct StoredSkill {
  std::optional<resource::skill::Added> added;  // none: the policy blocks it
  judgement::policy::Decision decision;
};
// What its interpreter says against the code, if anything, and what it has compiled.
using AskSyntax = std::function<Result<Checked>(const request::Request&)>;

// Without a record: for who has no log. Code that is no program is not stored.
Result<StoredSkill> JudgeAndStore(Assessment& assessment, resource::skill::Registry& registry,
                                  const std::string& caller,
                                  const resource::skill::Definition& definition,
                                  const AskSyntax& ask);

class StoredSkills {
 public:
  // `log` null: nothing is recorded.
  StoredSkills(Engine& engine, resource::skill::Registry& registry, record::Log* log,
               SkillWatch watch)
      : engine_(engine), registry_(registry), log_(log), watch_(std::move(watch)) {}

  Result<StoredSkill> Add(const std::string& caller, const resource::skill::Definition& definition);

  // The request of `run` is the skill's, with an input. A disabled skill is refused, with the
  // reason.
  Result<RunResult> Run(const resource::skill::Skill& skill, run::Run& run);

  // Those that have changed.
  Result<std::vector<resource::skill::Skill>> Enable(const std::string& caller,
                                                     const resource::skill::Handle& handle);
  Result<std::vector<resource::skill::Skill>> Disable(const std::string& caller,
                                                      const resource::skill::Handle& handle,
                                                      const std::string& why);
  Result<std::uint64_t> Remove(const std::string& caller, const std::string& name);

  resource::skill::Registry& registry() const { return registry_; }

 private:
  Result<> Record(const resource::skill::Skill& skill, const std::string& what, json::object detail,
                  const Origin& origin = {}) const;
  // What fits the interpreter that `by` names; an error where nobody knows.
  Result<std::optional<resource::skill::Compiled>> Fitting(const resource::skill::Skill& skill,
                                                           const std::string& by) const;
  void CompileAnew(const resource::skill::Skill& skill);
  void Note(const resource::skill::Skill& skill, const RunResult& result, const Origin& origin);

  Engine& engine_;
  resource::skill::Registry& registry_;
  record::Log* const log_;
  const SkillWatch watch_;
};

// What a run says of its skill; nothing where nothing was run.
std::optional<resource::skill::Verdict> VerdictOf(Outcome outcome);
// A failure in a line: the error that nothing caught, or why the run was ended.
std::string FailureLine(const RunResult& result);

}  // namespace belljar::run
