// Places of a workspace that a hostile guest may be changing, opened as tree/open.h does, and their
// extended attributes. Errors name the place as a snapshot does.
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

// Opens a place for reading, never waiting and without leaving an access time where we may.
Result<Fd> OpenForReading(const Fd& workspace, const std::string& path, int flags);
// A descriptor that only stands for the place, whatever its permissions are.
Result<Fd> OpenPlace(const Fd& workspace, const std::string& path, int flags);

Result<struct stat> StatOf(const Fd& fd, std::string_view path);

Error ChangedMeanwhile(std::string_view path);

Result<std::vector<std::string>> AttributeNames(const Fd& fd, std::string_view path);

enum class Acl { kRefused, kIgnored };
// The "user." attributes, in order, at most `most` bytes of them. Access control lists cannot be
// carried, and are refused by name or ignored.
Result<std::vector<Attribute>> AttributesOf(const Fd& fd, std::string_view path, std::size_t most,
                                            Acl acl);

}  // namespace belljar::run::snapshot
