#include "cell/limits/cgroup_layout.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace belljar::cell::limits {
namespace {

std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

// mountinfo writes blanks and backslashes in paths as three octal digits.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 3 < text.size() && IsOctal(text[i + 1]) &&
                         IsOctal(text[i + 2]) && IsOctal(text[i + 3]);
    if (!escaped) {
      plain += text[i];
      continue;
    }
    plain +=
        static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
    i += 3;
  }
  return plain;
}

struct Mount {
  CgroupBy version = CgroupBy::kNone;
  std::string root;  // the group that is mounted at `point`
  std::string point;
  std::vector<std::string> options;  // of the super block: v1 names its controllers there
};

// "31 23 0:28 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory"
std::optional<Mount> ParseMount(std::string_view line) {
  const std::size_t dash = line.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  const auto left = Split(line.substr(0, dash), ' ');
  const auto right = Split(line.substr(dash + 3), ' ');
  if (left.size() < 5 || right.size() < 3) return std::nullopt;
  if (right[0] != "cgroup" && right[0] != "cgroup2") return std::nullopt;
  Mount mount;
  mount.version = right[0] == "cgroup2" ? CgroupBy::kV2 : CgroupBy::kV1;
  mount.root = Unescape(left[3]);
  mount.point = Unescape(left[4]);
  for (const std::string_view option : Split(right[2], ',')) mount.options.emplace_back(option);
  return mount;
}

bool IsAtOrBelow(std::string_view path, std::string_view root) {
  if (!path.starts_with(root)) return false;
  return path.size() == root.size() || root.ends_with('/') || path[root.size()] == '/';
}

// A later mount hides an earlier one at the same place.
std::vector<Mount> FindMounts(std::string_view mountinfo, std::string_view mount_root) {
  std::vector<Mount> mounts;
  for (const std::string_view line : Split(mountinfo, '\n')) {
    auto mount = ParseMount(line);
    if (!mount || !IsAtOrBelow(mount->point, mount_root)) continue;
    std::erase_if(mounts, [&](const Mount& other) { return other.point == mount->point; });
    mounts.push_back(*std::move(mount));
  }
  return mounts;
}

// The directory of `group` if it is visible through `mount`. A group above the root of our cgroup
// namespace is written with ".." and is not visible.
std::optional<std::string> DirOf(const Mount& mount, std::string_view group) {
  if (!IsAtOrBelow(group, mount.root)) return std::nullopt;
  std::string_view below = group.substr(mount.root == "/" ? 0 : mount.root.size());
  if (below.starts_with("/..")) return std::nullopt;
  while (below.ends_with('/')) below.remove_suffix(1);
  return mount.point + std::string(below);
}

// "4:memory:/user.slice", "3:cpu,cpuacct:/", "0::/user.slice"
std::optional<Hierarchy> ParseOwnGroup(std::string_view line, const std::vector<Mount>& mounts) {
  const std::size_t first = line.find(':');
  if (first == std::string_view::npos) return std::nullopt;
  const std::size_t second = line.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view names = line.substr(first + 1, second - first - 1);
  Hierarchy found;
  found.version = names.empty() ? CgroupBy::kV2 : CgroupBy::kV1;
  if (!names.empty()) {
    for (const std::string_view name : Split(names, ',')) found.controllers.emplace_back(name);
  }
  for (const Mount& mount : mounts) {
    if (mount.version != found.version) continue;
    const bool same = found.controllers.empty() ||
                      std::ranges::find(mount.options, found.controllers[0]) != mount.options.end();
    if (!same) continue;
    auto dir = DirOf(mount, line.substr(second + 1));
    if (!dir) continue;
    found.own_dir = *std::move(dir);
    found.top_dir = mount.point;
    return found;
  }
  return std::nullopt;
}

}  // namespace

bool Hierarchy::Has(std::string_view controller) const {
  return std::ranges::find(controllers, controller) != controllers.end();
}

std::vector<Hierarchy> FindHierarchies(std::string_view mountinfo, std::string_view own_groups,
                                       std::string_view mount_root) {
  const std::vector<Mount> mounts = FindMounts(mountinfo, mount_root);
  std::vector<Hierarchy> found;
  for (const std::string_view line : Split(own_groups, '\n')) {
    auto hierarchy = ParseOwnGroup(line, mounts);
    if (hierarchy) found.push_back(*std::move(hierarchy));
  }
  std::stable_partition(found.begin(), found.end(),
                        [](const Hierarchy& one) { return one.version == CgroupBy::kV2; });
  return found;
}

}  // namespace belljar::cell::limits
