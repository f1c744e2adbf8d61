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
// A folder may come from an untrusted source: the files that it names must lie inside it, and no
// symbolic link may lead out.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/fd.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::resource::skill {

constexpr std::size_t kMaxSkillTomlBytes = 1U << 20;

struct SkillFolder {
  json::object definition;  // input for ParseDefinition; "lang" may still be missing
  std::string code_file;    // its file ending determines the language if "lang" is missing
};

Result<SkillFolder> ReadSkillFolder(const std::string& path);
// `dir` is the folder that contains the text's file.
Result<SkillFolder> ParseSkillToml(std::string_view text, const Fd& dir);

}  // namespace belljar::resource::skill
