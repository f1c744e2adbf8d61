// Marks: what tells, without reading it, that content in the store is as it was when it was hashed.
//
// For each inode of it: number, kind and mode, owner, size, times of change. Nobody can set a
// change time, so whoever writes to a file, replaces it or changes its mode leaves other marks. It
// costs one stat() for each file or directory. The device's number is left out: it may be another
// one after the machine has started again.
#pragma once

#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::resource::artefact {

// `content` is any descriptor of it. An error where an inode is not as the store makes them: ours,
// 0444 or 0555, with one name.
Result<std::string> MarksOf(const Fd& content);

}  // namespace belljar::resource::artefact
