#include "image/build.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <vector>

#include "base/sys.h"
#include "image/copy.h"
#include "image/manifest.h"

namespace belljar::image {
namespace {

namespace fs = std::filesystem;

// DIR/.NAME.PID, gone when it goes out of scope: by then the image has its place, or failed.
class Staging {
 public:
  Staging(const std::string& dir, const std::string& name)
      : path_(dir + "/." + name + "." + std::to_string(::getpid())) {}
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;
  ~Staging() {
    std::error_code ignored;  // what cannot be deleted now is deleted by the next build
    fs::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

 private:
  const std::string path_;
};

// ".NAME.123": with the lock held, whoever made it has ended.
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
  for (const fs::path& path : stale) {
    if (!ec) fs::remove_all(path, ec);
  }
  if (ec) return SysError("clean", dir, ec.value());
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

// Everything is on the disk before the name is: a crash must not leave an image of empty files.
Result<> Sync(const std::string& path) {
  const Fd fd = BJ_TRY(Open(path, O_RDONLY | O_DIRECTORY));
  BJ_TRY(Check("sync", path, [&] { return ::syncfs(fd.get()); }));
  return {};
}

// An image of the same name changes places with the new one, and is deleted with the staging.
Result<> Publish(const std::string& staging, const std::string& target) {
  const auto rename = [&](unsigned flags) {
    return Check("rename", target, [&] {
      return ::renameat2(AT_FDCWD, staging.c_str(), AT_FDCWD, target.c_str(), flags);
    });
  };
  const auto fresh = rename(RENAME_NOREPLACE);
  if (fresh) return {};
  if (fresh.error().sys() != EEXIST) return fresh.error();
  BJ_TRY(rename(RENAME_EXCHANGE));
  return {};
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
                         const OnProgress& on_progress) {
  BJ_TRY(RemoveStale(dir));
  const Staging staging(dir, draft.name);
  const std::string rootfs = staging.path() + "/rootfs";
  BJ_TRY(MakeDirectory(staging.path()));
  BJ_TRY(MakeDirectory(rootfs));
  if (on_progress) on_progress({.stage = "finding files"});
  FilePlan plan;
  BJ_TRY(planner(plan, draft));
  const Copied copied = BJ_TRY(CopyPlan(plan, rootfs, on_progress));
  if (on_progress) on_progress({"checking", copied.files, copied.bytes, copied.files});
  BJ_TRY(CheckImage(rootfs, copied.sources));
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
  return Publish(dir + "/" + name, staging.path());
}

}  // namespace belljar::image
