#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "cell/image/copy.h"
#include "foundation/base/sys.h"
#include "foundation/tree/walk.h"

namespace belljar::cell::image {
namespace {

using Inodes = std::set<std::pair<dev_t, ino_t>>;

// Describes the fault of one inode of an image; "" if there is none.
std::string_view Fault(const std::string& path, const struct stat& info, const Inodes& sources) {
  if (info.st_uid != ::geteuid()) return "belongs to somebody else";
  if (S_ISLNK(info.st_mode)) return "";
  if (!S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode)) {
    return "is neither a file nor a directory";
  }
  if ((info.st_mode & 07000) != 0) return "is setuid, setgid or sticky";
  if ((info.st_mode & 0022) != 0) return "can be written by others";
  if ((info.st_mode & 0444) != 0444) return "cannot be read by everybody";
  if (S_ISDIR(info.st_mode)) return "";
  if (info.st_nlink != 1) return "has a second name";
  if (sources.contains({info.st_dev, info.st_ino})) return "shares its inode with the host";
  if (::lgetxattr(path.c_str(), "security.capability", nullptr, 0) >= 0) {
    return "has file capabilities";
  }
  return "";
}

Result<> CheckInode(const std::string& path, const struct stat& info, const Inodes& sources) {
  const std::string_view fault = Fault(path, info, sources);
  if (fault.empty()) return {};
  return Error(Kind::kInternal, path + " " + std::string(fault) + ": the image is not safe to use");
}

}  // namespace

Result<> CheckImage(const std::string& rootfs, const Inodes& sources) {
  const Fd root = BJ_TRY(Open(rootfs, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  const struct stat top = BJ_TRY(tree::StatOf(root, rootfs));
  BJ_TRY(CheckInode(rootfs, top, sources));
  tree::Budget budget({SIZE_MAX, 0});
  return tree::Walk(root, tree::TakingEverything("an image"), budget,
                    [&](const tree::Entry& entry) {
                      return CheckInode(rootfs + "/" + entry.path, entry.status, sources);
                    });
}

}  // namespace belljar::cell::image
