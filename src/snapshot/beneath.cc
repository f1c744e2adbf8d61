#include "snapshot/beneath.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>

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

// The names of all attributes, each ended by a NUL.
Result<std::string> AttributeNames(const Fd& fd, std::string_view path) {
  std::string names(1024, '\0');
  for (;;) {
    const ssize_t n = ::listxattr(ProcPath(fd).c_str(), names.data(), names.size());
    if (n >= 0) return names.substr(0, static_cast<std::size_t>(n));
    if (errno == EOPNOTSUPP) return std::string();
    if (errno != ERANGE) return SysError("list attributes of", Named(path), errno);
    if (names.size() >= XATTR_LIST_MAX) {
      return Error(Kind::kExhausted,
                   Named(path) + " has more attributes than a checkpoint carries");
    }
    names.resize(XATTR_LIST_MAX);
  }
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

std::string ProcPath(const Fd& fd) { return "/proc/self/fd/" + std::to_string(fd.get()); }

Result<std::vector<Attribute>> AttributesOf(const Fd& fd, std::string_view path, std::size_t most,
                                            Acl acl) {
  std::vector<Attribute> attributes;
  const std::string names = BJ_TRY(AttributeNames(fd, path));
  std::size_t used = 0;
  for (std::size_t at = 0; at < names.size();) {
    const std::string name(names.c_str() + at);
    at += name.size() + 1;
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
