#include "snapshot/beneath.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>

#include "base/random_id.h"
#include "base/sys.h"

namespace belljar::snapshot {
namespace {

bool SameMoment(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

Result<Fd> OpenNamed(const Fd& workspace, const std::string& path, int flags) {
  Result<Fd> opened = OpenBeneath(workspace, path.empty() ? "." : path, flags | O_NOFOLLOW);
  if (opened) return opened;
  return SysError("open", Named(path), opened.error().sys());
}

Result<Fd> OpenToEmpty(const Fd& dir, const std::string& name, std::string_view path) {
  const Fd place = BJ_TRY(OpenBeneath(dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  const struct stat stat = BJ_TRY(StatOf(place, path));
  if ((stat.st_mode & 0700) != 0700 && ::chmod(ProcPath(place).c_str(), 0700) != 0) {
    return SysError("chmod", Named(path), errno);
  }
  return OpenBeneath(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
}

bool RemoveSimply(const Fd& dir, const std::string& name) {
  return ::unlinkat(dir.get(), name.c_str(), 0) == 0 ||
         (errno == EISDIR && ::unlinkat(dir.get(), name.c_str(), AT_REMOVEDIR) == 0);
}

// A directory that is closed to its owner cannot be moved, since its ".." would change.
Result<> MoveUp(const Fd& from, const std::string& name, const Fd& to, const std::string& new_name,
                std::string_view path) {
  const Fd opened = BJ_TRY(OpenToEmpty(from, name, path));
  BJ_TRY(Check("move", Named(path), [&] {
    return ::syscall(SYS_renameat2, from.get(), name.c_str(), to.get(), new_name.c_str(),
                     RENAME_NOREPLACE);
  }));
  return {};
}

Result<std::string> AttributeValue(const Fd& fd, std::string_view path, const std::string& name) {
  std::string value(XATTR_SIZE_MAX, '\0');
  const ssize_t n = ::getxattr(ProcPath(fd).c_str(), name.c_str(), value.data(), value.size());
  if (n < 0) return SysError("read an attribute of", Named(path), errno);
  value.resize(static_cast<std::size_t>(n));
  value.shrink_to_fit();
  return value;
}

}  // namespace

Result<Fd> OpenForReading(const Fd& workspace, const std::string& path, int flags) {
  const int all = O_RDONLY | O_NONBLOCK | flags;
  Result<Fd> opened = OpenNamed(workspace, path, all | O_NOATIME);
  // Only the owner may ask for that.
  if (!opened && opened.error().sys() == EPERM) return OpenNamed(workspace, path, all);
  return opened;
}

Result<Fd> OpenPlace(const Fd& workspace, const std::string& path, int flags) {
  return OpenNamed(workspace, path, O_PATH | flags);
}

Result<struct stat> StatOf(const Fd& fd, std::string_view path) {
  struct stat stat {};
  if (::fstat(fd.get(), &stat) != 0) return SysError("stat", Named(path), errno);
  return stat;
}

bool SameFile(const struct stat& before, const struct stat& after) {
  return before.st_dev == after.st_dev && before.st_ino == after.st_ino &&
         before.st_mode == after.st_mode && before.st_size == after.st_size &&
         before.st_nlink == after.st_nlink && before.st_uid == after.st_uid &&
         SameMoment(before.st_mtim, after.st_mtim) && SameMoment(before.st_ctim, after.st_ctim);
}

Error ChangedMeanwhile(std::string_view path) {
  return Error(Kind::kUnavailable,
               Named(path) + " changed while it was read; stop what writes to it and try again");
}

Result<std::vector<std::string>> NamesIn(const Fd& dir, std::string_view path, std::size_t most) {
  std::vector<std::string> names;
  alignas(dirent64) std::array<char, 32768> buffer;
  for (;;) {
    const long n = BJ_TRY(Check("read directory", Named(path), [&] {
      return ::getdents64(dir.get(), buffer.data(), buffer.size());
    }));
    if (n == 0) break;
    for (long at = 0; at < n;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(buffer.data() + at);
      at += entry->d_reclen;
      const std::string_view name = entry->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    if (names.size() > most) {
      return Error(Kind::kExhausted,
                   "the workspace has more names than a checkpoint carries, the last ones in " +
                       Named(path));
    }
  }
  std::ranges::sort(names);
  return names;
}

Result<> RemoveWhole(const Fd& dir, const std::string& name, std::string_view path) {
  if (RemoveSimply(dir, name)) return {};
  if (errno != ENOTEMPTY) return SysError("remove", Named(path), errno);
  const std::string prefix = BJ_TRY(RandomId("belljar-removes-")) + "-";
  std::vector<std::string> left = {name};
  std::size_t moved = 0;
  while (!left.empty()) {
    const std::string next = std::move(left.back());
    left.pop_back();
    const Fd inner = BJ_TRY(OpenToEmpty(dir, next, path));
    const std::vector<std::string> names = BJ_TRY(NamesIn(inner, path, SIZE_MAX));
    for (const std::string& each : names) {
      if (RemoveSimply(inner, each)) continue;
      if (errno != ENOTEMPTY) return SysError("remove from", Named(path), errno);
      left.push_back(prefix + std::to_string(moved++));
      BJ_TRY(MoveUp(inner, each, dir, left.back(), path));
    }
    BJ_TRY(Check("remove", Named(path),
                 [&] { return ::unlinkat(dir.get(), next.c_str(), AT_REMOVEDIR); }));
  }
  return {};
}

std::string ProcPath(const Fd& fd) { return "/proc/self/fd/" + std::to_string(fd.get()); }

Result<std::vector<std::string>> AttributeNames(const Fd& fd, std::string_view path) {
  std::string list(1024, '\0');
  ssize_t n = ::listxattr(ProcPath(fd).c_str(), list.data(), list.size());
  if (n < 0 && errno == ERANGE) {
    list.resize(XATTR_LIST_MAX);
    n = ::listxattr(ProcPath(fd).c_str(), list.data(), list.size());
  }
  std::vector<std::string> names;
  if (n < 0 && errno == EOPNOTSUPP) return names;
  // The kernel says E2BIG where even its largest list is too small.
  if (n < 0) return SysError("list attributes of", Named(path), errno);
  for (std::size_t at = 0; at < static_cast<std::size_t>(n);) {
    names.emplace_back(list.c_str() + at);
    at += names.back().size() + 1;
  }
  return names;
}

Result<std::vector<Attribute>> AttributesOf(const Fd& fd, std::string_view path, std::size_t most,
                                            Acl acl) {
  std::vector<Attribute> attributes;
  const std::vector<std::string> names = BJ_TRY(AttributeNames(fd, path));
  std::size_t used = 0;
  for (const std::string& name : names) {
    if (name.starts_with("system.posix_acl_") && acl == Acl::kRefused) {
      return Error(Kind::kInvalid,
                   Named(path) + " has an access control list, which a checkpoint cannot carry");
    }
    if (!name.starts_with("user.")) continue;
    Attribute attribute;
    attribute.name = name;
    attribute.value = BJ_TRY(AttributeValue(fd, path, name));
    used += attribute.name.size() + attribute.value.size();
    if (used > most) {
      return Error(Kind::kExhausted,
                   "the attributes in the workspace are larger than a checkpoint carries, the last "
                   "ones of " +
                       Named(path));
    }
    attributes.push_back(std::move(attribute));
  }
  std::ranges::sort(attributes, {}, &Attribute::name);
  return attributes;
}

}  // namespace belljar::snapshot
