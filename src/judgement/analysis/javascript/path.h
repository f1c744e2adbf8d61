// Paths as far as a text tells them, and whether they lead out of the workspace. An unknown part
// (kHole) counts as one folder below wherever it stands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace belljar::judgement::analysis::javascript {

// As path.join does.
std::string JoinPaths(const std::vector<std::string>& parts);
// As path.resolve does, but relative to a workspace that has no name.
std::string ResolvePaths(const std::vector<std::string>& parts);
// A file URL is the path in it.
std::string PathOfUrl(std::string_view url);
// A module's file as both its writer and its loader would name it: without its ending.
std::string ModuleFile(std::string_view path);
// Certain to leave /workspace and /tmp: absolute elsewhere, at home, or above where it starts.
bool LeadsOut(std::string_view path);

}  // namespace belljar::judgement::analysis::javascript
