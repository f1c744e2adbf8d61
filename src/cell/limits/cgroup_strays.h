// Finds control groups of ended processes in every hierarchy, not only where this process makes its
// own: a daemon that was killed had its groups below the group of its service.
#pragma once

#include <string>
#include <vector>

#include "cell/limits/cgroup_files.h"

namespace belljar::cell::limits {

struct StrayGroup {
  std::string path;
  std::string trouble;  // why it was not removed; empty: removed, or only listed
};

enum class Groups { kList, kRemove };

// The stray groups of every hierarchy that is mounted at or below `mount_root`.
std::vector<StrayGroup> FindStrayGroups(const CgroupFiles& files, const std::string& mount_root,
                                        Groups what);

}  // namespace belljar::cell::limits
