// Classifies the paths that a program names: which of them lie outside the workspace.
#pragma once

#include <string>
#include <string_view>

namespace belljar::judgement::analysis {

// True for a path that certainly lies outside the workspace and the directories for temporary
// files: an absolute path elsewhere, a home directory, or a relative path that climbs out with
// "..". The character `unknown` stands for parts that are not known; a path that cannot be
// classified because of them counts as inside.
bool IsOutside(std::string_view path, char unknown);

// The path for display, with "…" for unknown parts.
std::string ShownPath(std::string_view path, char unknown);

}  // namespace belljar::judgement::analysis
