// Paths that a text names: which of them leave the workspace.
#pragma once

#include <string>
#include <string_view>

namespace belljar::judgement::analysis {

// True for a path that is known to lie outside the workspace and the places for temporary files:
// absolute elsewhere, a home, or up and out. `unknown` stands for parts that are not known; a path
// of which too little is known to tell is not outside.
bool IsOutside(std::string_view path, char unknown);

// The path as a person would read it, with "…" for what is not known.
std::string ShownPath(std::string_view path, char unknown);

}  // namespace belljar::judgement::analysis
