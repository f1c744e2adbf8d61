// Opening and reading single places of a tree that a hostile program may be changing.
//
// Each place is opened from the descriptor of a directory with no link on the way (OpenBeneath) and
// used by that descriptor. Nothing here waits: a name that has become a FIFO does not hold us.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::tree {

// What a caller does about something that a tree may have.
enum class Take { kYes, kNo };

enum class AccessTime { kSet, kLeft };  // left: where we may (the owner, root)

// A directory for reading, "" being `root` itself; whatever its permissions are if `flags` has
// O_PATH.
Result<Fd> OpenDirectory(const Fd& root, const std::string& path, int flags,
                         AccessTime access_time = AccessTime::kSet);

// A regular file for reading; an error for anything else, and for one with several names unless
// those are taken.
Result<Fd> OpenFile(const Fd& dir, const std::string& path, Take hard_links = Take::kYes);

Result<struct stat> StatOf(const Fd& fd, std::string_view called);

// True when nothing but the access time can have changed between the two.
bool SameFile(const struct stat& before, const struct stat& after);

// The names in a directory that is open for reading, but "." and "..", in the order of their bytes.
// At most `most` of them are read.
struct Names {
  std::vector<std::string> names;
  bool more = false;
};
Result<Names> NamesOf(const Fd& dir, std::size_t most, std::string_view called);
// The same of a directory of our own, where more than `most` are an error.
Result<std::vector<std::string>> AllNamesOf(const Fd& dir, const std::string& path,
                                            std::size_t most);

// The target of the symbolic link `name` in `dir`.
Result<std::string> ReadLink(const Fd& dir, const std::string& name, std::string_view called);

// A path for system calls that take no O_PATH descriptor: it leads to that very inode.
std::string ProcPath(const Fd& fd);

// The error of a file that is not what it was when it was looked at.
Error ChangedMeanwhile(std::string_view shown);

}  // namespace belljar::tree
