#include "resource/vault/steps.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "foundation/base/quote.h"
#include "foundation/base/sys.h"
#include "foundation/tree/open.h"
#include "foundation/tree/path.h"

namespace belljar::resource::vault {
namespace {

std::string Name(const std::string& path) { return std::string(tree::NameOf(path)); }

bool IsOneOf(int sys, std::initializer_list<int> list) {
  return std::find(list.begin(), list.end(), sys) != list.end();
}

// No error if the name is gone already, or if a later step has put another entry there.
Result<> RemoveName(const HostDir& host, const std::string& path, int flags) {
  const auto parent = OpenParent(host, path);
  if (!parent && IsOneOf(parent.error().sys(), {ENOENT, ENOTDIR, ELOOP})) return {};
  if (!parent) return parent.error();
  if (::unlinkat(parent->get(), Name(path).c_str(), flags) == 0) return {};
  const bool done =
      flags == 0 ? IsOneOf(errno, {ENOENT, EISDIR}) : IsOneOf(errno, {ENOENT, ENOTDIR});
  return done ? Result<>() : SysError("remove", path, errno);
}

Result<> MakeDir(const HostDir& host, const Part& part, const std::string& path) {
  const Fd parent = BJ_TRY(OpenParent(host, path));
  const std::string name = Name(path);
  if (::mkdirat(parent.get(), name.c_str(), 0755) != 0 && errno != EEXIST) {
    return SysError("mkdir", path, errno);
  }
  struct stat status {};
  BJ_TRY(Check("stat", path, [&] {
    return ::fstatat(parent.get(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW);
  }));
  if (!S_ISDIR(status.st_mode)) return SysError("mkdir", path, EEXIST);
  return GiveTo(parent, name, part.uid, part.gid);
}

Result<> PlaceFile(const HostDir& host, const Step& step) {
  const auto from = OpenParent(host, step.waiting);
  if (!from && from.error().sys() == ENOENT) return {};
  if (!from) return from.error();
  const std::string waiting = Name(step.waiting);
  struct stat status {};
  if (::fstatat(from->get(), waiting.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0 &&
      errno == ENOENT) {
    return {};  // already in its place
  }
  const Fd to = BJ_TRY(OpenParent(host, step.path));
  BJ_TRY(Check("rename", step.path, [&] {
    return ::renameat(from->get(), waiting.c_str(), to.get(), Name(step.path).c_str());
  }));
  return {};
}

Result<> CarryOutStep(const HostDir& host, const Part& part, const Step& step) {
  switch (step.doing) {
    case Doing::kRemove:
      return RemoveName(host, step.path, 0);
    case Doing::kRemoveDir:
      return RemoveName(host, step.path, AT_REMOVEDIR);
    case Doing::kMakeDir:
      return MakeDir(host, part, step.path);
    case Doing::kPlace:
      return PlaceFile(host, step);
  }
  return {};
}

}  // namespace

Result<Fd> OpenParent(const HostDir& host, const std::string& path) {
  return tree::OpenDirectory(host.fd, std::string(tree::ParentOf(path)), O_PATH);
}

Result<> GiveTo(const Fd& dir, const std::string& name, uid_t uid, gid_t gid) {
  if (::geteuid() != 0) return {};
  BJ_TRY(Check("chown", name,
               [&] { return ::fchownat(dir.get(), name.c_str(), uid, gid, AT_SYMLINK_NOFOLLOW); }));
  return {};
}

std::string BootId() {
  auto id = ReadFile("/proc/sys/kernel/random/boot_id", 64);
  return id ? id->substr(0, id->find('\n')) : std::string();
}

Result<HostDir> OpenPart(const Part& part) {
  HostDir host = BJ_TRY(OpenHostDir(part.host));
  // Some file systems get a new device number at every boot.
  const bool device = host.device == part.device || part.boot != BootId();
  if (device && host.inode == part.inode) return host;
  return Error(Kind::kUnavailable, "another directory is there now");
}

Result<> SyncDirs(const HostDir& host, const std::vector<std::string>& paths) {
  std::vector<std::string> dirs;
  for (const std::string& path : paths) dirs.emplace_back(tree::ParentOf(path));
  std::ranges::sort(dirs);
  dirs.erase(std::unique(dirs.begin(), dirs.end()), dirs.end());
  for (const std::string& path : dirs) {
    const auto dir = tree::OpenDirectory(host.fd, path, O_RDONLY);
    if (!dir && IsOneOf(dir.error().sys(), {ENOENT, ENOTDIR, ELOOP})) continue;  // removed
    if (!dir) return dir.error();
    BJ_TRY(Check("fsync", path, [&] { return ::fsync(dir->get()); }));
  }
  return {};
}

Result<> CarryOut(const HostDir& host, const Part& part, CrashPoint* crash) {
  std::vector<std::string> touched;
  for (const Step& step : part.steps) {
    BJ_TRY(Pass(crash));
    BJ_TRY(CarryOutStep(host, part, step));
    touched.push_back(step.path);
    if (!step.waiting.empty()) touched.push_back(step.waiting);
  }
  return SyncDirs(host, touched);
}

Result<> TakeBack(const HostDir& host, const Part& part) {
  std::vector<std::string> touched;
  for (const Step& step : part.steps) {
    if (step.doing != Doing::kPlace) continue;
    BJ_TRY(RemoveName(host, step.waiting, 0));
    touched.push_back(step.waiting);
  }
  return SyncDirs(host, touched);
}

}  // namespace belljar::resource::vault
