#include "run/snapshot/beneath.h"

#include <fcntl.h>
#include <sys/xattr.h>

#include <algorithm>

#include "foundation/base/sys.h"
#include "foundation/tree/open.h"

namespace belljar::run::snapshot {
namespace {

Result<Fd> OpenNamed(const Fd& workspace, const std::string& path, int flags) {
  Result<Fd> opened = OpenBeneath(workspace, path.empty() ? "." : path, flags | O_NOFOLLOW);
  if (opened) return opened;
  return SysError("open", Named(path), opened.error().sys());
}

Result<std::string> AttributeValue(const Fd& fd, std::string_view path, const std::string& name) {
  std::string value(XATTR_SIZE_MAX, '\0');
  const ssize_t n =
      ::getxattr(tree::ProcPath(fd).c_str(), name.c_str(), value.data(), value.size());
  if (n < 0) return SysError("read an attribute of", Named(path), errno);
  value.resize(static_cast<std::size_t>(n));
  value.shrink_to_fit();
  return value;
}

}  // namespace

Result<Fd> OpenForReading(const Fd& workspace, const std::string& path, int flags) {
  const int all = O_RDONLY | O_NONBLOCK | flags;
  Result<Fd> opened = OpenNamed(workspace, path, all | O_NOATIME);
  // O_NOATIME is permitted only to the owner and root.
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

Error ChangedMeanwhile(std::string_view path) { return tree::ChangedMeanwhile(Named(path)); }

Result<std::vector<std::string>> AttributeNames(const Fd& fd, std::string_view path) {
  std::string list(1024, '\0');
  ssize_t n = ::listxattr(tree::ProcPath(fd).c_str(), list.data(), list.size());
  if (n < 0 && errno == ERANGE) {
    list.resize(XATTR_LIST_MAX);
    n = ::listxattr(tree::ProcPath(fd).c_str(), list.data(), list.size());
  }
  std::vector<std::string> names;
  if (n < 0 && errno == EOPNOTSUPP) return names;
  // The kernel returns E2BIG if the list exceeds the largest possible buffer.
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

}  // namespace belljar::run::snapshot
