// A skill in a folder: skill.toml, the code, and schemas in files of their own.
//
//   name = "word-count"
//   description = "Counts the words of a text."
//   code = "main.py"
//   threshold = 0.8
//   input_schema = "input.json"       # or a table, [input_schema]
//   [limits]
//   timeout = "5s"
//
// A folder may come from anywhere: the files that it names lie in it, and no link leads out.
#pragma once

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/json.h"
#include "base/result.h"

namespace belljar::skills {

constexpr std::size_t kMaxSkillTomlBytes = 1U << 20;

struct SkillFolder {
  json::object definition;  // as ParseDefinition takes it, once it has a language
  std::string code_file;    // by whose ending the language is known, where "lang" is not given
};

Result<SkillFolder> ReadSkillFolder(const std::string& path);
// `dir` is the folder that the text was found in.
Result<SkillFolder> ParseSkillToml(std::string_view text, const Fd& dir);

}  // namespace belljar::skills
