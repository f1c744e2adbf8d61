// Modules that a text imports and that are not there. What is there is somebody else's knowledge
// (an image, the files of a request): it comes as two functions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/finding.h"

namespace belljar::judgement::analysis {

// What is looked for in a search path: "os" of "os.path", "axios" of "axios/lib", "@a/b" of
// "@a/b/c". Nothing for names that no search path has: those of other forms, and private ones of
// the interpreter itself.
std::optional<std::string> TopModule(Language language, std::string_view module);

struct ModulesThere {
  std::function<bool(const std::string& top)> has;
  std::function<std::string(const std::string& top)> advice;  // one sentence, where to get it
};

// One finding for each name, at its first place. Imports that the text expects to be missing, or
// that are for type checkers alone, are none.
std::vector<Finding> MissingModules(const Analysis& analysis, Language language,
                                    const ModulesThere& there);

}  // namespace belljar::judgement::analysis
