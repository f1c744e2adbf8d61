// Memory: a cache of what earlier snapshots of one workspace have read, so that an unchanged file
// is not read and hashed again.
//
// The change time alone does not prove that a file is unchanged, for two reasons. A clock tick is
// milliseconds long, and on most kernels two changes within one tick leave the same time. And on a
// tmpfs, a program that stores into a shared mapping changes no time at all once the page is
// mapped. So a file is remembered only if all of these held while it was read:
// - its change and access times lay before the tick in which the reading began, so that any later
// change or mapping gets a later time;
// - no process had it open for writing or mapped writable: the kernel granted a read lease on it;
// - an mmap() would be noticed: it sets the access time, but under "relatime" only if that is not
// later than the other two times (then the file is "armed"). A large file that is not armed is
// armed by setting its access time back, and is remembered by the next snapshot.
// A file is recognised only if inode, size, mode and all three times are equal. The kernel lets no
// process in a cell set a change time, and setting an access time changes the change time.
//
// A program that opens its file with O_NOATIME and stores through a mapping is not noticed. It
// damages only its own checkpoint.
//
// One object per workspace, for as long as the workspace lives: another file system may get the
// same device number later. Not thread-safe.
#pragma once

#include <sys/stat.h>
#include <time.h>

#include <unordered_map>
#include <vector>

#include "foundation/base/fd.h"
#include "run/snapshot/manifest.h"

namespace belljar::run::snapshot {

struct Content {
  Digest digest{};
  std::vector<Extent> extents;
  std::vector<Attribute> attributes;
};

class Memory {
 public:
  // The cached content of the file with this stat, or null.
  const Content* Find(const struct stat& stat) const;
  void Remember(const struct stat& stat, const Content& content);
  // Forgets files whose inodes are not listed.
  void KeepOnly(const std::vector<ino_t>& inodes);
  std::size_t size() const { return known_.size(); }

 private:
  struct Known {
    struct stat stat {};
    Content content;
  };
  std::unordered_map<ino_t, Known> known_;
};

// The start of the present clock tick, as the kernel writes it into inodes.
timespec TickNow();
// True when both times of the file lie before `tick`.
bool SettledBefore(const struct stat& stat, const timespec& tick);
// True when the kernel will set the access time at the next read or mmap(), relatime or not.
bool Armed(const struct stat& stat);

// A read lease on a file: the kernel grants it only while no process can write to the file, by
// descriptor or by mapping. A process that opens it for writing waits until this object is gone.
class ReadLease {
 public:
  explicit ReadLease(const Fd& file);
  ReadLease(const ReadLease&) = delete;
  ReadLease& operator=(const ReadLease&) = delete;
  ~ReadLease();
  bool granted() const { return granted_; }

 private:
  const Fd& file_;
  bool granted_ = false;
};

}  // namespace belljar::run::snapshot
