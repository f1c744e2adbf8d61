#include "cell/limits/cgroup_strays.h"

#include <fcntl.h>

#include "cell/limits/cgroup_layout.h"
#include "cell/limits/kernel_file.h"
#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

constexpr std::chrono::seconds kTimeForAll{10};
constexpr std::size_t kMostLookedAt = 20'000;
constexpr std::size_t kDeepest = 16;

class Search {
 public:
  Search(const CgroupFiles& files, Groups what) : files_(files), what_(what) {}

  void Below(const Fd& dir, const std::string& path, std::size_t depth) {
    if (depth > kDeepest) return;
    for (const std::string& name : GroupsBelow(dir)) {
      if (++looked_at_ > kMostLookedAt) return;
      if (IsLeftover(dir, name)) {
        Take(dir, path, name);
        continue;
      }
      const auto group = OpenAt(dir, name, O_RDONLY | O_DIRECTORY);
      if (group) Below(*group, path + "/" + name, depth + 1);
    }
  }

  std::vector<StrayGroup> found;

 private:
  void Take(const Fd& dir, const std::string& path, const std::string& name) {
    StrayGroup stray{path + "/" + name, ""};
    if (what_ == Groups::kRemove) {
      const auto removed = RemoveLeftover(files_, dir, name, deadline_);
      if (!removed) stray.trouble = removed.error().message();
    }
    found.push_back(std::move(stray));
  }

  const CgroupFiles& files_;
  const Groups what_;
  const Deadline deadline_ = std::chrono::steady_clock::now() + kTimeForAll;
  std::size_t looked_at_ = 0;
};

}  // namespace

std::vector<StrayGroup> FindStrayGroups(const CgroupFiles& files, const std::string& mount_root,
                                        Groups what) {
  const auto mounts = files.MountInfo();
  const auto groups = files.OwnGroups();
  if (!mounts || !groups) return {};
  Search search(files, what);
  for (const Hierarchy& hierarchy : FindHierarchies(*mounts, *groups, mount_root)) {
    const auto top = Open(hierarchy.top_dir, O_RDONLY | O_DIRECTORY);
    if (top) search.Below(*top, hierarchy.top_dir, 0);
  }
  return std::move(search.found);
}

}  // namespace belljar::cell::limits
