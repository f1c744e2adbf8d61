// Removing names of a tree that a hostile program may have made, or be changing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::tree {

// Removes the name `name` in `dir`, and if it is a directory all that is below it, however deep:
// directories inside it are first moved up, into `dir`, so that there is never more than one to
// open. Directories that are closed to their owner are opened.
Result<> RemoveWhole(const Fd& dir, const std::string& name, std::string_view called);

// The prefix of the names under which directories are moved up. After a kill some may be left.
inline constexpr std::string_view kRemovedPrefix = "belljar-removes-";

// Removes a file, a link or a whole directory below `root`. An error when the path is not to be
// taken, is not there (kNotFound), or has more than kMostRemoved names below it; then nothing is
// removed.
constexpr std::size_t kMostRemoved = 100'000;
Result<> RemoveBeneath(const Fd& root, const std::string& path);

}  // namespace belljar::tree
