// Relative paths that a caller or a guest has named: what one may look like.
//
// The check is about the text alone. The code that opens such a path does it beneath a descriptor.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/result.h"

namespace belljar {

constexpr std::size_t kMaxPathBytes = 1024;
constexpr std::size_t kMaxPathDepth = 32;

// A path inside a workspace: relative, UTF-8, no "..", no empty or "." parts, no control or
// bidirectional characters, within the length and depth limits.
Result<> ValidateWorkspacePath(std::string_view path);

}  // namespace belljar
