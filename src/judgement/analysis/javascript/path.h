// Functions on paths that may be known only in part, and a test whether they leave the workspace.
// An unknown part (kHole) counts as one directory component.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belljar::judgement::analysis::javascript {

// Like Node's path.join.
std::string JoinPaths(const std::vector<std::string>& parts);
// Like Node's path.resolve, relative to an unnamed workspace directory.
std::string ResolvePaths(const std::vector<std::string>& parts);
// The path in a file: URL; other strings are returned unchanged.
std::string PathOfUrl(std::string_view url);
// A module's path without its extension, so that the name under which a file is written equals the
// name under which it is loaded.
std::string ModuleFile(std::string_view path);
// True if the path certainly lies outside /workspace and /tmp: absolute elsewhere, in a home
// directory, or above its starting point.
bool LeadsOut(std::string_view path);

}  // namespace belljar::judgement::analysis::javascript
