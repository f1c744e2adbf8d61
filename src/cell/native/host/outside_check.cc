#include "cell/native/host/outside_check.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <string>

#include "foundation/base/sys.h"

namespace belljar::cell::native {
namespace {

// The value of "Name:\tvalue\n", or "" when there is none.
std::string_view Field(std::string_view status, std::string_view name) {
  std::size_t at = status.find("\n" + std::string(name) + ":\t");
  if (at == std::string_view::npos) return {};
  at += name.size() + 3;
  return status.substr(at, status.find('\n', at) - at);
}

Error Missing(std::string_view what, std::string_view found) {
  return Error(Kind::kInternal, "the guest is not sealed: " + std::string(what) + " is \"" +
                                    std::string(found) + "\"");
}

ino_t NamespaceInode(const std::string& process, const char* name) {
  struct stat status {};
  const std::string path = "/proc/" + process + "/ns/" + name;
  return ::stat(path.c_str(), &status) == 0 ? status.st_ino : 0;
}

}  // namespace

Result<> CheckStatusText(std::string_view status, const GuestOrder& order) {
  for (const char* set : {"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"}) {
    const std::string_view value = Field(status, set);
    if (value != "0000000000000000") return Missing(set, value);
  }
  if (Field(status, "NoNewPrivs") != "1") return Missing("NoNewPrivs", Field(status, "NoNewPrivs"));
  if (Field(status, "Seccomp") != "2") return Missing("Seccomp", Field(status, "Seccomp"));
  const std::string_view filters = Field(status, "Seccomp_filters");
  if (!filters.empty() && filters < "2" && filters.size() == 1)
    return Missing("Seccomp_filters", filters);
  if (order.identity == Identity::kSlotUid) {
    const std::string id = std::to_string(order.uid);
    const std::string all = id + "\t" + id + "\t" + id + "\t" + id;
    if (Field(status, "Uid") != all) return Missing("Uid", Field(status, "Uid"));
    if (Field(status, "Gid") != all) return Missing("Gid", Field(status, "Gid"));
    const std::string_view groups = Field(status, "Groups");
    if (groups.find_first_not_of(' ') != std::string_view::npos) return Missing("Groups", groups);
  }
  return {};
}

Result<> CheckFromOutside(pid_t pid, const GuestOrder& order) {
  if (!Enabled(order.off, Step::kSelfCheck)) return {};
  const std::string process = std::to_string(pid);
  const std::string status = BJ_TRY(ReadFile("/proc/" + process + "/status", 64 << 10));
  BJ_TRY(CheckStatusText(status, order));
  static const std::array<std::pair<const char*, ino_t>, 6> kOurs = [] {
    std::array<std::pair<const char*, ino_t>, 6> ours{
        {{"pid", 0}, {"mnt", 0}, {"net", 0}, {"ipc", 0}, {"uts", 0}, {"cgroup", 0}}};
    for (auto& [name, inode] : ours) inode = NamespaceInode("self", name);
    return ours;
  }();
  for (const auto& [name, inode] : kOurs) {
    const ino_t theirs = NamespaceInode(process, name);
    if (theirs == 0 || theirs == inode)
      return Missing(std::string(name) + " namespace", "the host's");
  }
  return {};
}

}  // namespace belljar::cell::native
