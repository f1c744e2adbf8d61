// Validation of relative paths that a caller or a guest has named.
//
// The check looks at the text alone. The code that then opens such a path uses OpenBeneath
// (base/sys.h).
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
