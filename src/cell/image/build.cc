#include "cell/image/build.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <vector>

#include "cell/image/copy.h"
#include "cell/image/hold.h"
#include "cell/image/manifest.h"
#include "foundation/base/sys.h"

namespace belljar::cell::image {
namespace {

namespace fs = std::filesystem;

// DIR/.NAME.PID, or DIR/.NAME.PID.2 and so on, if that name is taken by a tree that is still held:
// one of an ended process with this pid, or of an earlier build of this process.
std::string FreeStagingPath(const std::string& dir, const std::string& name) {
  const std::string first = dir + "/." + name + "." + std::to_string(::getpid());
  std::string path = first;
  struct stat ignored {};
  for (int n = 2; ::lstat(path.c_str(), &ignored) == 0; ++n) {
    path = first + "." + std::to_string(n);
  }
  return path;
}

// Deletes its directory when it goes out of scope: the remains of a failed build, or the image that
// was replaced, unless that is still in use.
class Staging {
 public:
  Staging(const std::string& dir, const std::string& name) : path_(FreeStagingPath(dir, name)) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  // A directory that cannot be deleted now is deleted by the next build or removal.
  ~Staging() { static_cast<void>(DeleteUnlessHeld(path_)); }

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

// Matches ".NAME.123" and ".NAME.123.2". With the lock held, no build is active in it.
bool IsStagingName(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return name.starts_with('.') && dot != 0 && dot + 1 < name.size() &&
         name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
}

Result<> RemoveStale(const std::string& dir) {
  std::vector<fs::path> stale;
  std::error_code ec;
  for (fs::directory_iterator at(dir, ec); !ec && at != fs::end(at); at.increment(ec)) {
    if (IsStagingName(at->path().filename().native())) stale.push_back(at->path());
  }
  if (ec) return SysError("read", dir, ec.value());
  for (const fs::path& path : stale) BJ_TRY(DeleteUnlessHeld(path.native()));
  return {};
}

Result<> MakeDirectory(const std::string& path) {
  BJ_TRY(Check("mkdir", path, [&] { return ::mkdir(path.c_str(), 0755); }));
  BJ_TRY(Check("chmod", path, [&] { return ::chmod(path.c_str(), 0755); }));
  return {};
}

Result<> WriteManifestFile(const std::string& path, const Image& image) {
  const Fd fd = BJ_TRY(Open(path, O_WRONLY | O_CREAT | O_EXCL, 0600));
  return WriteAll(fd, WriteManifest(image), path);
}

// Syncs the files before the rename: a crash must not leave an image of empty files.
Result<> Sync(const std::string& path) {
  const Fd fd = BJ_TRY(Open(path, O_RDONLY | O_DIRECTORY));
  BJ_TRY(Check("sync", path, [&] { return ::syncfs(fd.get()); }));
  return {};
}

Result<> Rename(const std::string& from, const std::string& to, unsigned flags) {
  BJ_TRY(Check("rename", to,
               [&] { return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), flags); }));
  return {};
}

// If an image of that name exists, the two are exchanged, and the old one goes with the staging.
Result<> Publish(const std::string& staging, const std::string& target) {
  auto fresh = Rename(staging, target, RENAME_NOREPLACE);
  if (fresh || fresh.error().sys() != EEXIST) return fresh;
  return Rename(staging, target, RENAME_EXCHANGE);
}

std::string Now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace

Result<Fd> LockStore(const std::string& dir) {
  Fd fd = BJ_TRY(Open(dir + "/.lock", O_RDWR | O_CREAT | O_NOFOLLOW, 0600));
  BJ_TRY(Check("lock", dir, [&] { return ::flock(fd.get(), LOCK_EX); }));
  return fd;
}

Result<Image> BuildImage(const std::string& dir, Image draft, const Planner& planner,
                         const Inspector& inspector, const OnProgress& on_progress) {
  BJ_TRY(RemoveStale(dir));
  const Staging staging(dir, draft.name);
  const std::string rootfs = staging.path() + "/rootfs";
  BJ_TRY(MakeDirectory(staging.path()));
  BJ_TRY(MakeDirectory(rootfs));
  if (on_progress) on_progress({.stage = "finding files"});
  FilePlan plan;
  BJ_TRY(planner(plan, draft));
  const Copied copied = BJ_TRY(CopyPlan(plan, rootfs, on_progress));
  if (on_progress) on_progress({"checking", copied.files, copied.bytes, copied.files, true});
  BJ_TRY(CheckImage(rootfs, copied.sources));
  draft.rootfs = rootfs;
  if (inspector) BJ_TRY(inspector(draft));
  draft.files = copied.files;
  draft.bytes = copied.bytes;
  draft.created = Now();
  BJ_TRY(WriteManifestFile(staging.path() + "/image.json", draft));
  BJ_TRY(Sync(staging.path()));
  BJ_TRY(Publish(staging.path(), dir + "/" + draft.name));
  draft.rootfs = dir + "/" + draft.name + "/rootfs";
  return draft;
}

Result<> RemoveImage(const std::string& dir, const std::string& name) {
  BJ_TRY(RemoveStale(dir));
  const Staging staging(dir, name);
  return Rename(dir + "/" + name, staging.path(), RENAME_NOREPLACE);
}

}  // namespace belljar::cell::image
