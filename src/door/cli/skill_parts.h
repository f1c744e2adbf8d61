// The subcommands of `belljar skill` that have files of their own.
#pragma once

#include <string>

#include "door/cli/command.h"
#include "foundation/base/result.h"

namespace belljar::door::cli {

struct SkillArguments {
  std::string handle;  // NAME[@VERSION]
  std::string file;    // the code, or a folder with a skill.toml
  std::string name, description, image, threshold, why;
  std::size_t limit = 20;
  RunFlags flags;  // for add: language, level, limits, schemas; for run: input and output flags
};

// Each returns the exit status.
Result<int> AddSkill(const SkillArguments& arguments);
Result<int> RunSkill(const SkillArguments& arguments);

}  // namespace belljar::door::cli
