// CgroupFiles: the door to the cgroup file systems, and the place where a test can stand.
//
// Everything that changes a group goes through these five calls, with a directory descriptor and
// a name. The class as it stands talks to the kernel. A test derives from it, lays plain files
// in a temporary directory, and lets new groups get their files, or lets a write fail
// (cgroup_fake.h). Reading needs no seam: a plain file reads like a kernel's.
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

// Removes one group, killing whatever is in it. An empty group costs one system call; only when
// the kernel says EBUSY are the processes killed (cgroup.kill, or one by one where there is
// none) and waited for. A group that is gone already is no error.
Result<> KillAndRemove(const CgroupFiles& files, const Fd& parent, const std::string& name,
                       Deadline deadline);

// A base group is held with a lock on its directory for as long as its owner lives.
Result<> LockBase(const Fd& base);

// Names of the groups below `dir` (which may be an O_PATH descriptor).
std::vector<std::string> GroupsBelow(const Fd& dir);

// Whether "belljar-<pid>" below `parent` is held by nobody and its process is no more. The process
// id alone would not do: seen from another pid namespace a living owner looks dead.
bool IsLeftover(const Fd& parent, const std::string& name);

// Removes one, with all that runs in it.
Result<> RemoveLeftover(const CgroupFiles& files, const Fd& parent, const std::string& name,
                        Deadline deadline);

// All of them below `parent`. Returns how many were removed.
int RemoveLeftovers(const CgroupFiles& files, const Fd& parent, Deadline deadline);

}  // namespace belljar::cell::limits
