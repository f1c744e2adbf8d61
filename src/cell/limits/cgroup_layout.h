// Finds the cgroup directories of this process from /proc/self/mountinfo and /proc/self/cgroup.
//
// mountinfo says which hierarchy is mounted where and which part of it is visible there (a
// container often sees only its own group); cgroup says which group of each hierarchy this
// process is in. Neither alone gives a directory. Pure: text in, value out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cell/limits/cgroup.h"

namespace belljar::cell::limits {

struct Hierarchy {
  CgroupBy version = CgroupBy::kNone;
  std::vector<std::string> controllers;  // v1 only: the controllers of this mount
  std::string own_dir;                   // the directory of this process's own group
  std::string top_dir;                   // the highest visible group: the mount point

  bool operator==(const Hierarchy&) const = default;
  bool Has(std::string_view controller) const;
};

// The hierarchies mounted at or below `mount_root` in which the own group is visible; v2 first.
// Lines of an unexpected shape are skipped.
std::vector<Hierarchy> FindHierarchies(std::string_view mountinfo, std::string_view own_groups,
                                       std::string_view mount_root);

}  // namespace belljar::cell::limits
