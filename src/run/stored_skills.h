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

#include "audit/log.h"
#include "base/json.h"
#include "engine/check.h"
#include "engine/engine.h"
#include "policy/decide.h"
#include "skills/registry.h"

namespace belljar::engine {

// What a front door wants to hear of.
struct SkillWatch {
  std::function<void(const skills::Skill&, const Origin&)> on_disabled;  // by its health
  // How a run ended could not be noted; its result was given out all the same.
  std::function<void(const skills::Skill&, const Origin&, const Error&)> on_trouble;
};

// What has come of storing one.
struct StoredSkill {
  std::optional<skills::Added> added;  // none: the policy blocks it
  policy::Decision decision;
};
// What its interpreter says against the code, if anything, and what it has compiled.
using AskSyntax = std::function<Result<Checked>(const policy::Request&)>;

// Without a record: for who has no log. Code that is no program is not stored.
Result<StoredSkill> JudgeAndStore(Assessment& assessment, skills::Registry& registry,
                                  const std::string& caller, const skills::Definition& definition,
                                  const AskSyntax& ask);

class StoredSkills {
 public:
  // `log` null: nothing is recorded.
  StoredSkills(Engine& engine, skills::Registry& registry, audit::Log* log, SkillWatch watch)
      : engine_(engine), registry_(registry), log_(log), watch_(std::move(watch)) {}

  Result<StoredSkill> Add(const std::string& caller, const skills::Definition& definition);

  // The request of `run` is the skill's, with an input. A disabled skill is refused, with the
  // reason.
  Result<result::RunResult> Run(const skills::Skill& skill, engine::Run& run);

  // Those that have changed.
  Result<std::vector<skills::Skill>> Enable(const std::string& caller,
                                            const skills::Handle& handle);
  Result<std::vector<skills::Skill>> Disable(const std::string& caller,
                                             const skills::Handle& handle, const std::string& why);
  Result<std::uint64_t> Remove(const std::string& caller, const std::string& name);

  skills::Registry& registry() const { return registry_; }

 private:
  Result<> Record(const skills::Skill& skill, const std::string& what, json::object detail,
                  const Origin& origin = {}) const;
  // What fits the interpreter that `by` names; an error where nobody knows.
  Result<std::optional<skills::Compiled>> Fitting(const skills::Skill& skill,
                                                  const std::string& by) const;
  void CompileAnew(const skills::Skill& skill);
  void Note(const skills::Skill& skill, const result::RunResult& result, const Origin& origin);

  Engine& engine_;
  skills::Registry& registry_;
  audit::Log* const log_;
  const SkillWatch watch_;
};

// What a run says of its skill; nothing where nothing was run.
std::optional<skills::Verdict> VerdictOf(result::Outcome outcome);
// A failure in a line: the error that nothing caught, or why the run was ended.
std::string FailureLine(const result::RunResult& result);

}  // namespace belljar::engine
