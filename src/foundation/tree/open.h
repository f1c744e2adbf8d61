// Opens and reads single places of a tree that a hostile program may be changing.
//
// Each place is opened from the descriptor of a directory without following links (OpenBeneath),
// and used by its descriptor. Nothing here blocks: a FIFO that has replaced a file does not stop
// the caller.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::tree {

// Whether a property that a tree may have is accepted.
enum class Take { kYes, kNo };

// kLeft: not updated (O_NOATIME), where permitted: for the owner and root
enum class AccessTime { kSet, kLeft };

// Opens a directory for reading; "" is `root` itself. With O_PATH in `flags` its permissions do not
// matter.
Result<Fd> OpenDirectory(const Fd& root, const std::string& path, int flags,
                         AccessTime access_time = AccessTime::kSet);

// Opens a regular file for reading; anything else is an error, and so is a file with several hard
// links unless they are accepted.
Result<Fd> OpenFile(const Fd& dir, const std::string& path, Take hard_links = Take::kYes);

Result<struct stat> StatOf(const Fd& fd, std::string_view called);

// True if nothing but the access time differs between the two.
bool SameFile(const struct stat& before, const struct stat& after);

// The names in a directory that is open for reading, without "." and "..", sorted by bytes. At most
// `most` names are read.
struct Names {
  std::vector<std::string> names;
  bool more = false;
};
Result<Names> NamesOf(const Fd& dir, std::size_t most, std::string_view called);
// The same for a directory of Belljar's own; more than `most` names are an error.
Result<std::vector<std::string>> AllNamesOf(const Fd& dir, const std::string& path,
                                            std::size_t most);

// The target of the symbolic link `name` in `dir`.
Result<std::string> ReadLink(const Fd& dir, const std::string& name, std::string_view called);

// A /proc path that leads to exactly this inode, for system calls that take no O_PATH descriptor.
std::string ProcPath(const Fd& fd);

// The error for a file that has changed since it was examined.
Error ChangedMeanwhile(std::string_view shown);

}  // namespace belljar::tree
