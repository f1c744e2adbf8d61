// Finds imported modules that are not available. Which modules are available depends on the image
// and on the files of the request; the caller passes that knowledge as two functions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/finding.h"

namespace belljar::judgement::analysis {

// The name to look up in the module search path: "os" for "os.path", "axios" for "axios/lib",
// "@a/b" for "@a/b/c". Empty for names that are not looked up there: relative paths, URLs, and
// private modules of the interpreter.
std::optional<std::string> TopModule(Language language, std::string_view module);

struct ModulesThere {
  std::function<bool(const std::string& top)> has;
  // One sentence that says where to get the module.
  std::function<std::string(const std::string& top)> advice;
};

// Returns one finding for each missing module, at its first import. Optional imports are skipped:
// those that the program expects to fail, and those that only a type checker sees.
std::vector<Finding> MissingModules(const Analysis& analysis, Language language,
                                    const ModulesThere& there);

}  // namespace belljar::judgement::analysis
