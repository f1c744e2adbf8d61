#include "cell/limits/cgroup_fake.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

namespace fs = std::filesystem;

struct FileOf {
  std::string_view controller;  // "": present in every group
  const char* name;
  const char* content;
};
constexpr FileOf kFilesV2[] = {
    {"", "cgroup.procs", ""},
    {"", "cgroup.type", "domain\n"},
    {"", "cgroup.controllers", ""},
    {"", "cgroup.subtree_control", ""},
    {"", "cgroup.kill", ""},
    {"", "cgroup.events", "populated 0\nfrozen 0\n"},
    {"", "cpu.stat", "usage_usec 4321\nuser_usec 4000\nsystem_usec 321\n"},
    {"memory", "memory.max", "max\n"},
    {"memory", "memory.swap.max", "max\n"},
    {"memory", "memory.oom.group", "0\n"},
    {"memory", "memory.peak", "1048576\n"},
    {"memory", "memory.current", "900000\n"},
    {"memory", "memory.stat", "anon 1\nfile 2\nactive_file 200000\ninactive_file 300000\n"},
    {"memory", "memory.events", "low 0\nhigh 0\nmax 9\noom 2\noom_kill 3\noom_group_kill 0\n"},
    {"pids", "pids.max", "max\n"},
    {"pids", "pids.peak", "7\n"},
    {"pids", "pids.events", "max 5\n"},
    {"cpu", "cpu.max", "max 100000\n"},
    {"cpu", "cpu.weight", "100\n"},
};
constexpr FileOf kFilesV1[] = {
    {"", "cgroup.procs", ""},
    {"", "tasks", ""},
    {"memory", "memory.limit_in_bytes", "9223372036854771712\n"},
    {"memory", "memory.memsw.limit_in_bytes", "9223372036854771712\n"},
    {"memory", "memory.max_usage_in_bytes", "2097152\n"},
    {"memory", "memory.usage_in_bytes", "1000000\n"},
    {"memory", "memory.stat",
     "active_file 1\ntotal_inactive_file 200000\ntotal_active_file 100000\n"},
    {"memory", "memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n"},
    {"pids", "pids.max", "max\n"},
    {"pids", "pids.events", "max 2\n"},
    {"cpu", "cpu.cfs_quota_us", "-1\n"},
    {"cpu", "cpu.shares", "1024"},
    {"cpu", "cpu.cfs_period_us", "100000\n"},
    {"cpuacct", "cpuacct.usage", "8765432\n"},
};

std::string PathOf(const Fd& dir) {
  return fs::read_symlink("/proc/self/fd/" + std::to_string(dir.get())).string();
}

std::string Slurp(const std::string& path) {
  std::ifstream in(path);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

void Spill(const std::string& path, std::string_view text) {
  std::ofstream(path, std::ios::trunc) << text;
}

bool HasGroups(const std::string& dir) {
  return std::ranges::any_of(fs::directory_iterator(dir),
                             [](const fs::directory_entry& one) { return one.is_directory(); });
}

}  // namespace

FakeCgroups::FakeCgroups() {
  std::string pattern = testing::TempDir() + "cgroupsXXXXXX";
  root_ = ::mkdtemp(pattern.data());
}

FakeCgroups::~FakeCgroups() { fs::remove_all(root_); }

void FakeCgroups::MountV2(const std::string& point, const std::string& own_group,
                          const std::string& controllers) {
  Mount(point, own_group, "cgroup2", controllers);
  own_groups_ += "0::" + own_group + "\n";
}

void FakeCgroups::MountV1(const std::string& point, const std::string& own_group,
                          const std::string& controllers) {
  Mount(point, own_group, "cgroup", controllers);
  own_groups_ += "4:" + controllers + ":" + own_group + "\n";
}

void FakeCgroups::Mount(const std::string& point, const std::string& own_group,
                        const std::string& type, const std::string& controllers) {
  const std::string dir = point.empty() ? root_ : root_ + "/" + point;
  const bool v2 = type == "cgroup2";
  mountinfo_ += fmt::format("31 23 0:28 / {} rw,nosuid shared:9 - {} {} rw,{}\n", dir, type, type,
                            v2 ? "nsdelegate" : controllers);
  const std::string own = dir + (own_group == "/" ? "" : own_group);
  fs::create_directories(own);
  Fill(own, controllers, v2 ? CgroupBy::kV2 : CgroupBy::kV1);
  for (std::string group = own; v2 && group.size() >= dir.size(); group.resize(group.rfind('/'))) {
    Fill(group, controllers, CgroupBy::kV2);
    Spill(group + "/cgroup.controllers", controllers + "\n");
  }
}

void FakeCgroups::Fill(const std::string& group, const std::string& controllers,
                       CgroupBy version) const {
  const auto fill = [&](const auto& files) {
    for (const FileOf& file : files) {
      const bool lacking = std::ranges::find(lacking_, file.name) != lacking_.end();
      const bool given = controllers.find(file.controller) != std::string::npos;
      const std::string path = group + "/" + file.name;
      if (given && !lacking && !fs::exists(path)) Spill(path, file.content);
    }
  };
  version == CgroupBy::kV2 ? fill(kFilesV2) : fill(kFilesV1);
  Spill(group + "/fake.controllers", controllers);
}

bool FakeCgroups::Exists(const std::string& path) const { return fs::exists(root_ + "/" + path); }

std::string FakeCgroups::Content(const std::string& path) const {
  return Slurp(root_ + "/" + path);
}

void FakeCgroups::Put(const std::string& path, std::string_view text) {
  fs::create_directories(fs::path(root_ + "/" + path).parent_path());
  Spill(root_ + "/" + path, text);
}

std::vector<std::string> FakeCgroups::GroupsAt(const std::string& path) const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root_ + "/" + path)) {
    if (entry.is_directory()) names.push_back(entry.path().filename().string());
  }
  std::ranges::sort(names);
  return names;
}

Result<> FakeCgroups::MakeGroup(const Fd& parent, const std::string& name) const {
  const auto failing = failing_.find("mkdir");
  if (failing != failing_.end()) return SysError("mkdir", name, failing->second);
  const std::string above = PathOf(parent);
  const std::string group = above + "/" + name;
  if (fs::exists(group)) return SysError("mkdir", name, EEXIST);
  fs::create_directory(group);
  const bool v2 = fs::exists(above + "/cgroup.subtree_control");
  const std::string given = Slurp(above + (v2 ? "/cgroup.subtree_control" : "/fake.controllers"));
  Fill(group, given, v2 ? CgroupBy::kV2 : CgroupBy::kV1);
  if (v2) {
    Spill(group + "/cgroup.controllers", given);
    Spill(group + "/cgroup.type", Slurp(above + "/cgroup.type"));
  }
  return {};
}

Result<> FakeCgroups::RemoveGroup(const Fd& parent, const std::string& name) const {
  const std::string group = PathOf(parent) + "/" + name;
  if (!fs::exists(group)) return SysError("rmdir", name, ENOENT);
  if (!Slurp(group + "/cgroup.procs").empty() || HasGroups(group)) {
    return SysError("rmdir", name, EBUSY);
  }
  fs::remove_all(group);
  return {};
}

Result<> FakeCgroups::Write(const Fd& dir, const std::string& file, std::string_view text) const {
  const fs::path path = PathOf(dir) + "/" + file;
  const std::string name = path.filename().string();
  const auto failing = failing_.find(name);
  if (failing != failing_.end() && failing->second != 0) {
    return SysError("write", file, failing->second);
  }
  if (!fs::exists(path)) return SysError("open", file, ENOENT);
  const std::string group = path.parent_path().string();
  if (name == "cgroup.subtree_control") return WriteSubtreeControl(group, text);
  if (name == "cgroup.procs") LeaveGroups(text);
  if (name == "cgroup.kill") {
    Spill(group + "/cgroup.procs", "");
    Spill(group + "/cgroup.events", "populated 0\nfrozen 0\n");
  }
  Spill(path.string(), text);
  return {};
}

// A process can be in one group only.
void FakeCgroups::LeaveGroups(std::string_view process) const {
  for (const auto& entry : fs::recursive_directory_iterator(root_)) {
    if (entry.path().filename() != "cgroup.procs") continue;
    const std::string listed = Slurp(entry.path().string());
    if (listed == process || listed == std::string(process) + "\n") {
      Spill(entry.path().string(), "");
    }
  }
}

Result<> FakeCgroups::WriteSubtreeControl(const std::string& group, std::string_view text) const {
  const bool holds_processes = !Slurp(group + "/cgroup.procs").empty();
  if (holds_processes && text.find("+memory") != std::string_view::npos) {
    return SysError("write", "cgroup.subtree_control", EBUSY);
  }
  const std::string given = Slurp(group + "/cgroup.controllers");
  std::istringstream words{std::string(text)};
  std::string enabled;
  for (std::string word; words >> word;) {
    if (word[0] == '-') continue;
    if (given.find(word.substr(1)) == std::string::npos) {
      return SysError("write", "cgroup.subtree_control", ENOENT);
    }
    enabled += (enabled.empty() ? "" : " ") + word.substr(1);
  }
  Spill(group + "/cgroup.subtree_control", enabled);
  for (const auto& entry : fs::directory_iterator(group)) {
    if (!entry.is_directory()) continue;
    Fill(entry.path().string(), enabled, CgroupBy::kV2);
    Spill(entry.path().string() + "/cgroup.controllers", enabled);
    if (holds_processes) Spill(entry.path().string() + "/cgroup.type", "domain invalid\n");
  }
  return {};
}

}  // namespace belljar::cell::limits
