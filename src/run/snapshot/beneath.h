// Opens places of a workspace that a hostile guest may be changing, in the way of tree/open.h, and
// reads their extended attributes. Errors name the place as a snapshot does.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "run/snapshot/manifest.h"

namespace belljar::run::snapshot {

// Opens a place for reading, without blocking and, where permitted, without an access time update.
Result<Fd> OpenForReading(const Fd& workspace, const std::string& path, int flags);
// An O_PATH descriptor of the place, independent of its permissions.
Result<Fd> OpenPlace(const Fd& workspace, const std::string& path, int flags);

Result<struct stat> StatOf(const Fd& fd, std::string_view path);

Error ChangedMeanwhile(std::string_view path);

Result<std::vector<std::string>> AttributeNames(const Fd& fd, std::string_view path);

enum class Acl { kRefused, kIgnored };
// The "user." attributes, sorted, at most `most` bytes of them. Access control lists cannot be
// carried; they are refused with an error, or ignored.
Result<std::vector<Attribute>> AttributesOf(const Fd& fd, std::string_view path, std::size_t most,
                                            Acl acl);

}  // namespace belljar::run::snapshot
