// Mirror: an on-disk copy of a living session's workspace.
//
// A workspace lies in memory (tmpfs) and is lost with its cell, also when the daemon is killed. So
// changes are copied after each run into a directory of the daemon's. A walk over names and times
// first finds out whether anything has changed; usually nothing has, and the statement costs little
// extra time. Only changed files are copied, each to a temporary file that is then renamed into
// place, so that a reader finds every file whole. A kill in the middle leaves files of the newer
// state beside files of the older one. Nothing is synced: the copies survive the death of the
// daemon, but not that of the machine.
//
// The mtime of a copy is set to the ctime of its original, so that the directory itself shows what
// is up to date and no per-file state is needed. Kernel timestamps advance in ticks, and two
// changes within one tick look alike: a copy made within a tick of the change gets no such time and
// is copied again.
//
// The guest controls the workspace, which is therefore hostile: every file is opened beneath a
// descriptor, only regular files with one link are read, and bytes and files are bounded. Links,
// empty directories and everything beyond the bounds are left out.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "run/workspace.h"

namespace belljar::run {

struct MirrorBounds {
  std::size_t files = kMaxListedFiles;
  std::uint64_t bytes = 256 << 20;
};

// The contents of a mirror after an update.
struct Mirrored {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::size_t left_out = 0;
  bool operator==(const Mirrored&) const = default;
};

class Mirror {
 public:
  // The mirror is the directory `id` below `root`, created when the first file is copied.
  Mirror(const Fd& root, std::string id, const MirrorBounds& bounds)
      : root_(root), id_(std::move(id)), bounds_(bounds) {}

  // Updates the mirror from the workspace. After an error the next call continues.
  Result<Mirrored> Update(const Fd& workspace);
  // The same, with an existing listing of the workspace.
  Result<Mirrored> Update(const Fd& workspace, const Listing& listing);

  // Removes the mirror; later updates do nothing.
  Result<> Remove();

 private:
  class Round;

  const Fd& root_;
  const std::string id_;
  const MirrorBounds bounds_;
  std::mutex mutex_;
  bool closed_ = false;
  std::optional<std::string> seen_;  // fingerprint of the mirrored state; unset: compare each file
  Mirrored holds_;
};

// Opens a mirror for reading; creates an empty one if it was never written.
Result<Fd> OpenMirror(const Fd& root, const std::string& id);
Result<> RemoveMirror(const Fd& root, const std::string& id);

}  // namespace belljar::run
