#include "door/cli/doctor_strays.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "cell/limits/cgroup_strays.h"
#include "foundation/base/sys.h"
#include "service/daemon_file.h"

namespace belljar::door::cli {
namespace {

namespace fs = std::filesystem;

void AddGroups(Strays what, std::vector<Stray>& strays) {
  const cell::limits::CgroupFiles files;
  const auto todo =
      what == Strays::kRemove ? cell::limits::Groups::kRemove : cell::limits::Groups::kList;
  for (cell::limits::StrayGroup& group :
       cell::limits::FindStrayGroups(files, "/sys/fs/cgroup", todo)) {
    strays.push_back({"control group " + group.path, std::move(group.trouble)});
  }
}

void Add(const std::string& kind, const std::string& path, Strays what,
         std::vector<Stray>& strays) {
  Stray stray{kind + " " + path, ""};
  std::error_code failed;
  if (what == Strays::kRemove) fs::remove_all(path, failed);
  if (failed) stray.trouble = failed.message();
  strays.push_back(std::move(stray));
}

// Whether the path is a socket without a listener, according to the kernel. Any other file with
// that name is not Belljar's.
bool IsDeadSocket(const std::string& path) {
  struct stat status {};
  sockaddr_un where{};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISSOCK(status.st_mode)) return false;
  if (status.st_uid != ::geteuid() || path.size() >= sizeof(where.sun_path)) return false;
  where.sun_family = AF_UNIX;
  path.copy(where.sun_path, path.size());
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return socket &&
         ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&where), sizeof(where)) != 0 &&
         errno == ECONNREFUSED;
}

}  // namespace

std::vector<Stray> StraysOnDisk(const std::string& state_dir, Strays what) {
  std::vector<Stray> strays;
  AddGroups(what, strays);
  // While this process holds the lock, no daemon can start to use the directory.
  const auto lock = Open(service::DaemonFile(state_dir), O_RDWR | O_NOFOLLOW);
  if (!lock || ::flock(lock->get(), LOCK_EX | LOCK_NB) != 0) return strays;
  if (const auto daemon = service::FindDaemon(state_dir)) {
    const std::string path = daemon->address.substr(std::string_view("unix:").size());
    if (IsDeadSocket(path)) Add("socket of a daemon that has ended,", path, what, strays);
  }
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator(state_dir + "/containers", failed)) {
    Add("saved container of a session that has ended,", entry.path(), what, strays);
  }
  for (const auto& entry : fs::directory_iterator(state_dir + "/paused", failed)) {
    if (entry.path().extension() != ".half") continue;
    Add("session that was not put aside to the end,", entry.path(), what, strays);
  }
  return strays;
}

}  // namespace belljar::door::cli
