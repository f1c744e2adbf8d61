// Paths below a directory, named by a caller or found in an untrusted tree.
//
// Such a path is shown in terminals and logs, put into listings and archives, and handed to system
// calls. One that passes CheckRelativePath() is safe for all of them: it names a place below, it is
// text that shows as what it is, and it is not long. That the place is really below is for the
// kernel to ensure (OpenBeneath): the check knows nothing of links.
#pragma once

#include <cstddef>
#include <string_view>

#include "foundation/base/result.h"

namespace belljar {

constexpr std::size_t kMaxPathBytes = 1024;
constexpr std::size_t kMaxPathDepth = 32;

// Relative, UTF-8, no "..", no empty or "." parts, no control or bidirectional characters, within
// the limits of length and depth.
Result<> CheckRelativePath(std::string_view path);

}  // namespace belljar
