#include "cell/image/hold.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>

#include "foundation/base/sys.h"

namespace belljar::cell::image {
namespace {

std::string ManifestOf(const std::string& place) { return place + "/image.json"; }

// A tree without image.json is half built or half deleted, and cannot be held.
bool MeansNoManifest(const Error& error) {
  return error.sys() == ENOENT || error.sys() == ENOTDIR || error.sys() == EISDIR ||
         error.sys() == ELOOP;
}

}  // namespace

Result<Fd> HoldTree(const std::string& place) {
  const std::string path = ManifestOf(place);
  for (;;) {
    Fd hold = BJ_TRY(Open(path, O_RDONLY | O_NOFOLLOW));
    BJ_TRY(Check("lock", path, [&] { return ::flock(hold.get(), LOCK_SH); }));
    if (LeadsToHeld(place, hold)) return hold;
  }
}

// Compares inode numbers: an inode's number is not reused while the file is open.
bool LeadsToHeld(const std::string& place, const Fd& hold) {
  struct stat held {};
  struct stat there {};
  return ::fstat(hold.get(), &held) == 0 && ::lstat(ManifestOf(place).c_str(), &there) == 0 &&
         held.st_dev == there.st_dev && held.st_ino == there.st_ino;
}

Result<> DeleteUnlessHeld(const std::string& place) {
  const std::string path = ManifestOf(place);
  // Writable, because NFS requires that for an exclusive lock.
  const auto manifest = Open(path, O_RDWR | O_NOFOLLOW);
  if (!manifest && !MeansNoManifest(manifest.error())) return manifest.error();
  if (manifest) {
    const auto locked =
        Check("lock", path, [&] { return ::flock(manifest->get(), LOCK_EX | LOCK_NB); });
    if (!locked && locked.error().sys() == EWOULDBLOCK) return {};
    if (!locked) return locked.error();
  }
  // still locked: a process that waits for the lock then sees that the tree is gone
  std::error_code ec;
  std::filesystem::remove_all(place, ec);
  if (ec) return SysError("delete", place, ec.value());
  return {};
}

}  // namespace belljar::cell::image
