// HostDir: the host directory behind a vault, opened once and used only by its descriptor.
#pragma once

#include <sys/types.h>

#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::resource::vault {

struct HostDir {
  std::string path;
  Fd fd;
  dev_t device = 0;
  ino_t inode = 0;
  uid_t uid = 0;
  gid_t gid = 0;
};

// `path` is absolute. Fails if this process may not read the directory.
Result<HostDir> OpenHostDir(const std::string& path);

// Whether `inner` is `outer` or lies below it, compared by inode and not by name.
Result<bool> LiesIn(const HostDir& inner, const HostDir& outer);

// A lock on the host directory itself (flock), shared for copying and exclusive for committing. It
// works between processes and is released when its process ends. Waits for a bounded time.
enum class Sharing { kCopying, kCommitting };
class HostLock {
 public:
  static Result<HostLock> Take(const HostDir& dir, Sharing sharing);
  HostLock(HostLock&&) = default;
  HostLock& operator=(HostLock&&) = default;

 private:
  explicit HostLock(Fd fd) : fd_(std::move(fd)) {}
  Fd fd_;
};

}  // namespace belljar::resource::vault
