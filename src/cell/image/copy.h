// Executes a FilePlan: every file of it is copied to a new inode below an image's root.
//
// Each file is cloned (FICLONE, shared extents) if the file system supports it, else copied by
// copy_file_range, else by read and write. Only data extents are copied, so holes stay holes. Hard
// links are never used: the page cache belongs to the inode, and a shared inode would let a kernel
// bug in a cell reach the host's own file. Modes are set, not copied: 0755 for directories and for
// files with any execute bit, 0644 for the rest; so no setuid, setgid or sticky bit is carried
// over. Extended attributes, and with them file capabilities, are not copied. The owner is the
// caller. The modification time is kept.
//
// Sources are opened without following links, because the plan has resolved them already: if a tree
// changes during the copy, the result is an error and never another file of the host. Targets are
// opened beneath the root in the same way.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "cell/image/plan.h"
#include "cell/image/store.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

struct Copied {
  std::uint64_t files = 0;
  std::uint64_t bytes = 0;
  std::set<std::pair<dev_t, ino_t>> sources;  // the inodes that were read
};

// `rootfs` is an existing, empty directory.
Result<Copied> CopyPlan(const FilePlan& plan, const std::string& rootfs,
                        const OnProgress& on_progress);

// Checks every inode of a finished image. Allowed are directories, links and regular files. None
// may be setuid, setgid, sticky or writable by others, have capabilities or several hard links, or
// be one of `sources`. The error names the first violation.
Result<> CheckImage(const std::string& rootfs, const std::set<std::pair<dev_t, ino_t>>& sources);

}  // namespace belljar::cell::image
