// Carrying out a FilePlan: every file of it becomes a new inode below an image's root.
//
// A clone of the extents (FICLONE) where the file system has it, else copy_file_range, else read
// and write, from one piece of data to the next: holes stay holes. Never a hard link: the page
// cache belongs to the inode, and a shared one would let a kernel bug in a cell reach the host's
// own file. Modes are made, not copied: 0755 for directories and for what anybody could execute,
// 0644 for the rest, so no setuid, setgid or sticky bit can come along; extended attributes, and
// with them file capabilities, are not copied; the owner is the caller. Of the rest only the time
// of the last change is kept.
//
// Sources are opened without following any link, because the plan has resolved them: a tree that
// changes under our hands gives an error and not another file of the host. Targets are opened
// beneath the root in the same way.
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

// Looks at every inode of a finished image: directories, links and regular files only, none
// setuid, setgid, sticky, writable by others, with capabilities, with a second name, or equal to
// one of `sources`. The error names the first that breaks a rule.
Result<> CheckImage(const std::string& rootfs, const std::set<std::pair<dev_t, ino_t>>& sources);

}  // namespace belljar::cell::image
