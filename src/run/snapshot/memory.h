// Memory: what earlier snapshots of one workspace have read, so that a file which has not changed
// is not read and hashed again.
//
// What proves that a file has not changed? Not its change time alone, for two reasons. A clock tick
// is milliseconds long, and on most kernels two changes within one leave the same time behind. And
// on a tmpfs a program that stores into a shared mapping leaves no time at all once the page is
// mapped. So a file is remembered only if, while it was read,
//   - its change and access times lay before the tick in which the reading began: any later change
//     or mapping gets a later time;
//   - nobody had it open for writing or mapped writable: the kernel granted a read lease on it;
//   - mmap() would be seen: it sets the access time, which under "relatime" happens only where that
//     is not later than the other two ("armed"). A large file that is not armed is armed by setting
//     its access time back, and is remembered by the snapshot after.
// And it is recognised only with the same inode, size, modes and all three times. The kernel lets
// nobody in a cell set a change time, and setting an access time changes the change time.
//
// A program that opens its file with O_NOATIME and stores through a mapping is not seen. It spoils
// its own checkpoint and nothing else.
//
// One object per workspace, for as long as the workspace lives: another file system may use the
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
  // What the file with this stat is known to hold, or null.
  const Content* Find(const struct stat& stat) const;
  void Remember(const struct stat& stat, const Content& content);
  // Forgets the files of other inodes than these.
  void KeepOnly(const std::vector<ino_t>& inodes);
  std::size_t size() const { return known_.size(); }

 private:
  struct Known {
    struct stat stat {};
    Content content;
  };
  std::unordered_map<ino_t, Known> known_;
};

// The start of the clock tick we are in, as the kernel writes it into files.
timespec TickNow();
// True when both times of the file lie before `tick`.
bool SettledBefore(const struct stat& stat, const timespec& tick);
// True when the kernel will set the access time at the next read or mmap(), relatime or not.
bool Armed(const struct stat& stat);

// A lease on a file opened for reading: granted only while nobody can write to it, by descriptor
// or by mapping. Who opens it for writing meanwhile waits until this object is gone.
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
