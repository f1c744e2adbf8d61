// HostDir: the directory of the host behind a vault, opened once and reached by descriptor only.
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

// `path` is absolute. What this process may not read is an error here already.
Result<HostDir> OpenHostDir(const std::string& path);

// Whether `inner` is `outer` or lies below it, whatever names lead there.
Result<bool> LiesIn(const HostDir& inner, const HostDir& outer);

// Commits to one directory exclude each other and whoever copies it. The lock is the kernel's, on
// the directory itself, so it holds between processes and ends with them. Waits a bounded time.
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
