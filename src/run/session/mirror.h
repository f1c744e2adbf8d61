// Mirror: the files of a living session's workspace, on disk.
//
// A workspace is memory of a cell and goes when the cell does, also when the daemon is killed. So
// after each run what has changed is copied into a directory of the daemon's own. A walk over names
// and times says whether anything has changed at all; mostly nothing has, and a statement of a
// session stays as quick as it was. Only changed files are copied, each to a file without its name
// that is then moved into place: a reader finds every file whole. A kill in the middle leaves some
// files of the newer state beside others of the older one. Nothing is synced: what is written
// survives the death of the daemon, not that of the machine.
//
// A copy carries the change time of what it was copied from as its own time of modification, so
// that the directory itself says what is up to date, and nothing is remembered per file. Kernel
// time goes in ticks, and two changes within one look alike: a copy that was made so soon after the
// change gets no time, and is made again.
//
// The workspace is the guest's, and hostile: every file is opened beneath a descriptor, only
// regular ones with one link are read, and bytes and files are bounded. Links, empty directories
// and what is beyond the bounds are left out.
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

// What a mirror holds after an update.
struct Mirrored {
  std::size_t files = 0;
  std::uint64_t bytes = 0;
  std::size_t left_out = 0;
  bool operator==(const Mirrored&) const = default;
};

class Mirror {
 public:
  // Below `root`, the directory `id`; it is made when there is something to put into it.
  Mirror(const Fd& root, std::string id, const MirrorBounds& bounds)
      : root_(root), id_(std::move(id)), bounds_(bounds) {}

  // Brings the mirror up to what is in the workspace now. After an error the next call goes on.
  Result<Mirrored> Update(const Fd& workspace);
  // The same, where somebody has just listed it.
  Result<Mirrored> Update(const Fd& workspace, const Listing& listing);

  // Removes everything; updates do nothing from now on.
  Result<> Remove();

 private:
  class Round;

  const Fd& root_;
  const std::string id_;
  const MirrorBounds bounds_;
  std::mutex mutex_;
  bool closed_ = false;
  std::optional<std::string> seen_;  // a fingerprint of what was mirrored; none: look at each file
  Mirrored holds_;
};

// The files of a mirror, to be read; made if it was never written to.
Result<Fd> OpenMirror(const Fd& root, const std::string& id);
Result<> RemoveMirror(const Fd& root, const std::string& id);

}  // namespace belljar::run
