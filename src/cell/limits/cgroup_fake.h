// FakeCgroups: cgroup file systems made of plain files in a temporary directory.
//
// A new group gets the files that a kernel would give it; a v2 group only those of the controllers
// that its parent enables for its children (cgroup.subtree_control). As in the kernel, a v2 group
// with processes refuses to enable memory for its children, and becomes a threaded group if it
// enables only controllers that support threads. No limit takes effect and no process is killed:
// "cgroup.kill" only empties the list of processes. Any write, and the creation of groups, can be
// made to fail.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cell/limits/cgroup.h"
#include "cell/limits/cgroup_files.h"

namespace belljar::cell::limits {

class FakeCgroups : public CgroupFiles {
 public:
  FakeCgroups();
  ~FakeCgroups() override;

  // Mounts an empty hierarchy at `point` below root(), with this process in `own_group`.
  void MountV2(const std::string& point, const std::string& own_group,
               const std::string& controllers);
  void MountV1(const std::string& point, const std::string& own_group,
               const std::string& controllers);

  const std::string& root() const { return root_; }
  bool Exists(const std::string& path) const;          // below root()
  std::string Content(const std::string& path) const;  // of a file below root()
  void Put(const std::string& path, std::string_view text);
  // The groups directly below the one at `path`.
  std::vector<std::string> GroupsAt(const std::string& path) const;

  // From now on a write to a file of this name fails with `sys`; 0 lets it pass again.
  void FailWrites(const std::string& file, int sys) { failing_[file] = sys; }
  // New groups are created without this file.
  void Lack(const std::string& file) { lacking_.push_back(file); }
  void FailMaking(int sys) { failing_["mkdir"] = sys; }

  Result<std::string> MountInfo() const override { return mountinfo_; }
  Result<std::string> OwnGroups() const override { return own_groups_; }
  Result<> MakeGroup(const Fd& parent, const std::string& name) const override;
  Result<> RemoveGroup(const Fd& parent, const std::string& name) const override;
  Result<> Write(const Fd& dir, const std::string& file, std::string_view text) const override;

 private:
  void Mount(const std::string& point, const std::string& own_group, const std::string& type,
             const std::string& controllers);
  void Fill(const std::string& group, const std::string& controllers, CgroupBy version) const;
  void LeaveGroups(std::string_view process) const;
  Result<> WriteSubtreeControl(const std::string& group, std::string_view text) const;

  std::string root_;
  std::string mountinfo_;
  std::string own_groups_;
  std::map<std::string, int> failing_;
  std::vector<std::string> lacking_;
};

}  // namespace belljar::cell::limits
