#include "cell/image/copy.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "foundation/base/fd.h"
#include "foundation/base/sys.h"
#include "foundation/tree/copy.h"

namespace belljar::cell::image {
namespace {

constexpr std::uint64_t kFilesPerReport = 64;

// O_NONBLOCK: if a FIFO has replaced the file, the open must not block.
Result<Fd> OpenSource(const std::string& path) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const long fd = BJ_TRY(Check("open", path, [&] {
    return ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof(how));
  }));
  return Fd(static_cast<int>(fd));
}

// Python considers a compiled module stale unless its source has the recorded time: every import in
// a cell would then compile again, which takes five times as long as loading.
Result<> KeepTime(const Fd& to, const struct stat& source, const std::string& what) {
  const timespec times[] = {source.st_mtim, source.st_mtim};
  BJ_TRY(Check("set the time of", what, [&] { return ::futimens(to.get(), times); }));
  return {};
}

class PlanCopier {
 public:
  PlanCopier(Fd root, const OnProgress& on_progress, std::uint64_t total)
      : root_(std::move(root)), on_progress_(on_progress), total_(total) {}

  Result<> Add(const std::string& inside, const Entry& entry) {
    BJ_TRY(EnterParent(inside));
    const std::string name = NameOf(inside);
    switch (entry.type) {
      case Entry::Type::kDirectory:
        return MakeDirectory(name, inside);
      case Entry::Type::kLink:
        BJ_TRY(Check("symlink", inside,
                     [&] { return ::symlinkat(entry.from.c_str(), parent_.get(), name.c_str()); }));
        return {};
      case Entry::Type::kText:
        return WriteText(name, inside, entry.from);
      case Entry::Type::kFile:
        return CopyFile(name, inside, entry.from);
    }
    return Error(Kind::kInternal, "an entry of no type: " + inside);
  }

  void Report() const {
    if (on_progress_) on_progress_({"copying", copied_.files, copied_.bytes, total_});
  }

  Copied Take() { return std::move(copied_); }

 private:
  Result<> EnterParent(const std::string& inside) {
    std::string parent = "." + ParentOf(inside);
    if (parent == parent_path_) return {};
    parent_ = BJ_TRY(OpenBeneath(root_, parent, O_PATH | O_DIRECTORY));
    parent_path_ = std::move(parent);
    return {};
  }

  // chmod is needed: the umask restricts the mode given to mkdir, and a setgid bit is inherited.
  Result<> MakeDirectory(const std::string& name, const std::string& inside) {
    BJ_TRY(Check("mkdir", inside, [&] { return ::mkdirat(parent_.get(), name.c_str(), 0755); }));
    BJ_TRY(
        Check("chmod", inside, [&] { return ::fchmodat(parent_.get(), name.c_str(), 0755, 0); }));
    return {};
  }

  Result<Fd> Create(const std::string& name, const std::string& inside, mode_t mode) {
    Fd fd = BJ_TRY(OpenBeneath(parent_, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
    BJ_TRY(Check("chmod", inside, [&] { return ::fchmod(fd.get(), mode); }));
    return fd;
  }

  Result<> WriteText(const std::string& name, const std::string& inside, const std::string& text) {
    const Fd to = BJ_TRY(Create(name, inside, 0644));
    BJ_TRY(WriteAll(to, text, inside));
    Count(text.size());
    return {};
  }

  Result<> CopyFile(const std::string& name, const std::string& inside, const std::string& from) {
    const Fd source = BJ_TRY(OpenSource(from));
    const struct stat info = BJ_TRY(tree::StatOf(source, from));
    if (!S_ISREG(info.st_mode)) {
      return Error(Kind::kInvalid, from + " was a file and is one no longer: build again");
    }
    const Fd to = BJ_TRY(Create(name, inside, (info.st_mode & 0111) != 0 ? 0755 : 0644));
    BJ_TRY(tree::CloneOrCopy(source, to, from));
    BJ_TRY(KeepTime(to, info, inside));
    const struct stat copy = BJ_TRY(tree::StatOf(to, inside));
    copied_.sources.emplace(info.st_dev, info.st_ino);
    Count(static_cast<std::uint64_t>(copy.st_size));
    return {};
  }

  void Count(std::uint64_t bytes) {
    copied_.bytes += bytes;
    if (++copied_.files % kFilesPerReport == 0) Report();
  }

  const Fd root_;
  const OnProgress& on_progress_;
  const std::uint64_t total_;
  Fd parent_;
  std::string parent_path_;
  Copied copied_;
};

std::uint64_t CountFiles(const FilePlan& plan) {
  std::uint64_t files = 0;
  for (const auto& [inside, entry] : plan.entries()) {
    if (entry.type == Entry::Type::kFile || entry.type == Entry::Type::kText) ++files;
  }
  return files;
}

}  // namespace

Result<Copied> CopyPlan(const FilePlan& plan, const std::string& rootfs,
                        const OnProgress& on_progress) {
  Fd root = BJ_TRY(Open(rootfs, O_PATH | O_DIRECTORY | O_NOFOLLOW));
  PlanCopier copier(std::move(root), on_progress, CountFiles(plan));
  copier.Report();
  for (const auto& [inside, entry] : plan.entries()) BJ_TRY(copier.Add(inside, entry));
  copier.Report();
  return copier.Take();
}

}  // namespace belljar::cell::image
