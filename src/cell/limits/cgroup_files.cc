#include "cell/limits/cgroup_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cell/limits/kernel_file.h"
#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

constexpr std::size_t kMountInfoCap = 16 << 20;
constexpr std::string_view kBasePrefix = "belljar-";

// A killed process leaves its group within some ten microseconds unless it is in a system call. An
// event of cgroup.events could arrive only 10 ms after the one before, so this polls.
constexpr std::chrono::microseconds kFirstPause{50};
constexpr std::chrono::microseconds kLongestPause{5'000};

void Pause(std::chrono::nanoseconds time) {
  const timespec pause{0, time.count()};
  ::ppoll(nullptr, 0, &pause, nullptr);
}

std::vector<pid_t> ListedProcesses(const Fd& parent, const std::string& name) {
  std::vector<pid_t> listed;
  const auto text = ReadControl(parent, name + "/cgroup.procs");
  if (!text) return listed;
  for (std::string_view rest = *text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const auto pid = LeadingNumber(rest.substr(0, end));
    if (pid && *pid > 0) listed.push_back(static_cast<pid_t>(*pid));  // 0: in another pid namespace
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  std::ranges::sort(listed);
  return listed;
}

// For kernels without cgroup.kill. A listed process may end and its pid be reused before the signal
// is sent; so its pidfd is opened first, and the pid must still be listed afterwards. A fork bomb
// outruns any list, so new forks are refused first.
void KillListed(const CgroupFiles& files, const Fd& parent, const std::string& name) {
  // the file exists in only one of the trees
  static_cast<void>(files.Write(parent, name + "/pids.max", "0"));
  std::vector<std::pair<pid_t, Fd>> held;
  for (const pid_t pid : ListedProcesses(parent, name)) {
    held.emplace_back(pid, Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))));
  }
  const std::vector<pid_t> still = ListedProcesses(parent, name);
  for (const auto& [pid, pidfd] : held) {
    if (!pidfd || !std::ranges::binary_search(still, pid)) continue;
    ::syscall(SYS_pidfd_send_signal, pidfd.get(), SIGKILL, nullptr, 0);
  }
}

// The process number in "belljar-<pid>" or "belljar-<pid>-<n>".
std::optional<pid_t> OwnerOf(std::string_view name) {
  if (!name.starts_with(kBasePrefix)) return std::nullopt;
  name.remove_prefix(kBasePrefix.size());
  const std::string_view digits = name.substr(0, name.find_first_not_of("0123456789"));
  const std::string_view rest = name.substr(digits.size());
  const bool ours = rest.empty() || (rest[0] == '-' && LeadingNumber(rest.substr(1)));
  const auto pid = LeadingNumber(digits);
  if (!ours || !pid || *pid == 0 || *pid > 0x7fffffff) return std::nullopt;
  return static_cast<pid_t>(*pid);
}

}  // namespace

Result<std::string> CgroupFiles::MountInfo() const {
  return ReadFile("/proc/self/mountinfo", kMountInfoCap);
}

Result<std::string> CgroupFiles::OwnGroups() const {
  return ReadFile("/proc/self/cgroup", kMountInfoCap);
}

Result<> CgroupFiles::MakeGroup(const Fd& parent, const std::string& name) const {
  BJ_TRY(Check("mkdir", name, [&] { return ::mkdirat(parent.get(), name.c_str(), 0755); }));
  return {};
}

Result<> CgroupFiles::RemoveGroup(const Fd& parent, const std::string& name) const {
  BJ_TRY(
      Check("rmdir", name, [&] { return ::unlinkat(parent.get(), name.c_str(), AT_REMOVEDIR); }));
  return {};
}

Result<> CgroupFiles::Write(const Fd& dir, const std::string& file, std::string_view text) const {
  return WriteControl(dir, file, text);
}

Result<> KillAndRemove(const CgroupFiles& files, const Fd& parent, const std::string& name,
                       Deadline deadline) {
  for (std::chrono::microseconds pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    auto removed = files.RemoveGroup(parent, name);
    if (removed || removed.error().sys() == ENOENT) return {};
    if (removed.error().sys() != EBUSY || std::chrono::steady_clock::now() >= deadline) {
      return removed;
    }
    if (!files.Write(parent, name + "/cgroup.kill", "1")) KillListed(files, parent, name);
    Pause(pause);
  }
}

Result<> LockBase(const Fd& base) {
  BJ_TRY(Check("flock", "", [&] { return ::flock(base.get(), LOCK_EX | LOCK_NB); }));
  return {};
}

std::vector<std::string> GroupsBelow(const Fd& dir) {
  std::vector<std::string> names;
  auto readable = OpenAt(dir, ".", O_RDONLY | O_DIRECTORY);
  if (!readable) return names;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(readable->Release()), ::closedir);
  if (!stream) return names;
  while (const dirent* entry = ::readdir(stream.get())) {
    if (entry->d_type == DT_DIR && entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  }
  return names;
}

bool IsLeftover(const Fd& parent, const std::string& name) {
  const auto owner = OwnerOf(name);
  if (!owner) return false;
  // A group with our own pid is from an earlier process with that pid, unless it is locked.
  const bool may_live = *owner != ::getpid() && (::kill(*owner, 0) == 0 || errno != ESRCH);
  if (may_live) return false;
  const auto base = OpenAt(parent, name, O_RDONLY | O_DIRECTORY);
  return base && LockBase(*base);
}

Result<> RemoveLeftover(const CgroupFiles& files, const Fd& parent, const std::string& name,
                        Deadline deadline) {
  const Fd base = BJ_TRY(OpenAt(parent, name, O_RDONLY | O_DIRECTORY));
  BJ_TRY(LockBase(base));
  for (const std::string& cell : GroupsBelow(base)) {
    // A group that cannot be removed now keeps its base; the next start tries again.
    static_cast<void>(KillAndRemove(files, base, cell, deadline));
  }
  return files.RemoveGroup(parent, name);
}

int RemoveLeftovers(const CgroupFiles& files, const Fd& parent, Deadline deadline) {
  int removed = 0;
  for (const std::string& name : GroupsBelow(parent)) {
    if (IsLeftover(parent, name) && RemoveLeftover(files, parent, name, deadline)) ++removed;
  }
  return removed;
}

}  // namespace belljar::cell::limits
