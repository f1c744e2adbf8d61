// Removes names of a tree that a hostile program may have made or may still be changing.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::tree {

// Removes `name` in `dir`; a directory is removed with its content, of any depth: its
// subdirectories are first moved up into `dir`, so that at most one directory is open at a time.
// Directories that their owner may not enter are made accessible.
Result<> RemoveWhole(const Fd& dir, const std::string& name, std::string_view called);

// Prefix of the names of directories that were moved up. Some may remain if the process is killed.
inline constexpr std::string_view kRemovedPrefix = "belljar-removes-";

// Removes a file, a link or a whole directory below `root`. If the path is not acceptable, does not
// exist (kNotFound), or has more than kMostRemoved names below it, that is an error and nothing is
// removed.
constexpr std::size_t kMostRemoved = 100'000;
Result<> RemoveBeneath(const Fd& root, const std::string& path);

}  // namespace belljar::tree
