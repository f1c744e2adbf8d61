// Control groups that ended processes have left anywhere, not only where this process would make
// its own: a daemon that was killed was in the group of its service.
#pragma once

#include <string>
#include <vector>

#include "cell/limits/cgroup_files.h"

namespace belljar::cell::limits {

struct StrayGroup {
  std::string path;
  std::string trouble;  // why it was not removed; empty: it was, or was not to be
};

enum class Groups { kList, kRemove };

// Those of every hierarchy that is mounted at or below `mount_root`.
std::vector<StrayGroup> FindStrayGroups(const CgroupFiles& files, const std::string& mount_root,
                                        Groups what);

}  // namespace belljar::cell::limits
