// Marks: inode metadata that proves, without reading the content, that it has not changed since it
// was hashed.
//
// For each inode: number, kind and mode, owner, size, modification and change time. No program can
// set a change time, so writing to a file, replacing it or changing its mode leaves different
// marks. The check costs one stat() per file or directory. The device number is left out, because
// it can change at a reboot.
#pragma once

#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::resource::artefact {

// `content` is any descriptor of the content. Fails if an inode is not as the store creates it:
// owned by this user, mode 0444 or 0555, one hard link.
Result<std::string> MarksOf(const Fd& content);

}  // namespace belljar::resource::artefact
