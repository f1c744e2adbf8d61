// CgroupFiles: access to the cgroup file systems; tests replace it.
//
// All changes to groups are made by these five functions, which take a directory descriptor and a
// name. The base class calls the kernel. A test derives from it, puts plain files into a temporary
// directory, gives new groups their files, and can let a write fail (cgroup_fake.h). Reading needs
// no such interface: a plain file is read like a kernel's.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::limits {

class CgroupFiles {
 public:
  CgroupFiles() = default;
  CgroupFiles(const CgroupFiles&) = delete;
  CgroupFiles& operator=(const CgroupFiles&) = delete;
  virtual ~CgroupFiles() = default;

  virtual Result<std::string> MountInfo() const;  // /proc/self/mountinfo
  virtual Result<std::string> OwnGroups() const;  // /proc/self/cgroup
  virtual Result<> MakeGroup(const Fd& parent, const std::string& name) const;
  // Fails with EBUSY while the group has processes or groups of its own.
  virtual Result<> RemoveGroup(const Fd& parent, const std::string& name) const;
  virtual Result<> Write(const Fd& dir, const std::string& file, std::string_view text) const;
};

using Deadline = std::chrono::steady_clock::time_point;

// Removes one group and kills the processes in it. An empty group costs one system call; only if
// the kernel returns EBUSY are the processes killed (by cgroup.kill, or one by one without it) and
// waited for. A group that is gone already is no error.
Result<> KillAndRemove(const CgroupFiles& files, const Fd& parent, const std::string& name,
                       Deadline deadline);

// Locks the directory of a base group (flock). The lock lasts as long as the owner lives.
Result<> LockBase(const Fd& base);

// Names of the groups below `dir` (which may be an O_PATH descriptor).
std::vector<std::string> GroupsBelow(const Fd& dir);

// Whether "belljar-<pid>" below `parent` is unlocked and its process has ended. The pid alone would
// not do: a living owner in another pid namespace looks dead.
bool IsLeftover(const Fd& parent, const std::string& name);

// Removes one leftover group and kills the processes in it.
Result<> RemoveLeftover(const CgroupFiles& files, const Fd& parent, const std::string& name,
                        Deadline deadline);

// Removes all leftovers below `parent` and returns their number.
int RemoveLeftovers(const CgroupFiles& files, const Fd& parent, Deadline deadline);

}  // namespace belljar::cell::limits
