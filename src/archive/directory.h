// Names of a directory in a workspace, reached by descriptor.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace belljar::archive {

// The first `most` names below `path` ("" is `dir` itself), without "." and "..", sorted.
Result<std::vector<std::string>> NamesIn(const Fd& dir, const std::string& path, std::size_t most);

}  // namespace belljar::archive
