// Reaching into a workspace that a hostile guest may be changing: every place is opened from the
// workspace's descriptor with no symbolic link on the way, and used by that descriptor.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "snapshot/manifest.h"

namespace belljar::snapshot {

inline std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }
inline std::string_view ParentOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}
inline std::string Joined(std::string_view parent, std::string_view name) {
  return parent.empty() ? std::string(name) : std::string(parent).append("/").append(name);
}

// Opens a place for reading, never waiting and without leaving an access time where we may.
Result<Fd> OpenForReading(const Fd& workspace, const std::string& path, int flags);
// A descriptor that only stands for the place, whatever its permissions are.
Result<Fd> OpenPlace(const Fd& workspace, const std::string& path, int flags);

Result<struct stat> StatOf(const Fd& fd, std::string_view path);

// True when nothing but the access time can have changed between the two.
bool SameFile(const struct stat& before, const struct stat& after);
Error ChangedMeanwhile(std::string_view path);

// All names but "." and "..", in order. More than `most` is an error.
Result<std::vector<std::string>> NamesIn(const Fd& dir, std::string_view path, std::size_t most);

// Removes a name, and if it is a directory all that is below it, however deep: directories inside
// it are first moved up, so that there is never more than one to open.
Result<> RemoveWhole(const Fd& dir, const std::string& name, std::string_view path);

// A path for system calls that take no O_PATH descriptor: it leads to that very inode.
std::string ProcPath(const Fd& fd);

Result<std::vector<std::string>> AttributeNames(const Fd& fd, std::string_view path);

enum class Acl { kRefused, kIgnored };
// The "user." attributes, in order, at most `most` bytes of them. Access control lists cannot be
// carried, and are refused by name or ignored.
Result<std::vector<Attribute>> AttributesOf(const Fd& fd, std::string_view path, std::size_t most,
                                            Acl acl);

}  // namespace belljar::snapshot
