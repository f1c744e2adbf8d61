// StoredSkills: stores and runs skills through the engine.
//
// Storing a skill is judged like running it. A skill that the policy blocks is not stored; one that
// the policy wants reviewed is stored, and each of its runs asks for approval. A run is an ordinary
// request under the skill's terms. Its outcome is then added to the skill's health statistics, and
// the watcher is told if that disables the skill. Every change is recorded.
//
// Python code is compiled once, when the skill is stored, in a cell that does nothing else; runs
// use that bytecode. Where the bytecode does not fit (another image, another version of Belljar, a
// damaged row), the run uses the source text, and the skill is compiled again afterwards. A failure
// in compiling costs time but never fails a run.
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

// Callbacks for the front door (HTTP API or CLI).
struct SkillWatch {
  // Because too many of its runs failed.
  std::function<void(const resource::skill::Skill&, const Origin&)> on_disabled;
  // The outcome of a run could not be stored; its result was returned nevertheless.
  std::function<void(const resource::skill::Skill&, const Origin&, const Error&)> on_trouble;
};

// The outcome of storing a skill.
struct StoredSkill {
  std::optional<resource::skill::Added> added;  // unset: the policy blocks it
  judgement::policy::Decision decision;
};
// Asks the interpreter for a syntax error in the code, if any, and for the compiled code.
using AskSyntax = std::function<Result<Checked>(const request::Request&)>;

// Judges and stores a skill without an audit record, for commands that have no log. Code with a
// syntax error is not stored.
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

  // Runs a skill. `run.request` is the skill's request with an input. A disabled skill is refused,
  // with the reason.
  Result<RunResult> Run(const resource::skill::Skill& skill, run::Run& run);

  // Each returns the skills that have changed.
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
  // The stored compiled code if it was made by the compiler `by`, else nullopt.
  Result<std::optional<resource::skill::Compiled>> Fitting(const resource::skill::Skill& skill,
                                                           const std::string& by) const;
  void CompileAnew(const resource::skill::Skill& skill);
  void Note(const resource::skill::Skill& skill, const RunResult& result, const Origin& origin);

  Engine& engine_;
  resource::skill::Registry& registry_;
  record::Log* const log_;
  const SkillWatch watch_;
};

// How a run's outcome counts in the skill's health; nullopt where nothing was run.
std::optional<resource::skill::Verdict> VerdictOf(Outcome outcome);
// A failure as one line: the uncaught exception, or why the run was ended.
std::string FailureLine(const RunResult& result);

}  // namespace belljar::run
