#include "image/copy.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>

#include "base/fd.h"
#include "base/sys.h"

namespace belljar::image {
namespace {

constexpr std::uint64_t kFilesPerReport = 64;
constexpr std::size_t kRangeBytes = 1U << 30;

// O_NONBLOCK: a FIFO that has taken the file's place must not hold us.
Result<Fd> OpenSource(const std::string& path) {
  open_how how{};
  how.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  const long fd = BJ_TRY(Check("open", path, [&] {
    return ::syscall(SYS_openat2, AT_FDCWD, path.c_str(), &how, sizeof(how));
  }));
  return Fd(static_cast<int>(fd));
}

Result<struct stat> StatOf(const Fd& fd, const std::string& what) {
  struct stat info {};
  BJ_TRY(Check("stat", what, [&] { return ::fstat(fd.get(), &info); }));
  return info;
}

Result<off_t> SeekTo(const Fd& fd, off_t offset, const std::string& what) {
  return BJ_TRY(Check("seek in", what, [&] { return ::lseek(fd.get(), offset, SEEK_SET); }));
}

// Both ways advance the descriptors, so each goes on where the one before it stopped.
Result<> CopyBytes(const Fd& from, const Fd& to, off_t left, const std::string& what) {
  while (left > 0) {
    const std::size_t most = std::min<std::size_t>(static_cast<std::size_t>(left), kRangeBytes);
    const ssize_t n = ::copy_file_range(from.get(), nullptr, to.get(), nullptr, most, 0);
    if (n <= 0) break;
    left -= n;
  }
  std::array<char, 65536> chunk;
  while (left > 0) {
    const std::size_t most = std::min<std::size_t>(static_cast<std::size_t>(left), chunk.size());
    const long n =
        BJ_TRY(Check("read", what, [&] { return ::read(from.get(), chunk.data(), most); }));
    if (n == 0) return {};  // it has become shorter meanwhile
    BJ_TRY(WriteAll(to, {chunk.data(), static_cast<std::size_t>(n)}, what));
    left -= n;
  }
  return {};
}

// From one piece of data to the next: what lies between them takes no time, and no place on disk.
Result<> CopyPieces(const Fd& from, const Fd& to, const std::string& what) {
  constexpr off_t kToTheEnd = std::numeric_limits<off_t>::max();
  for (off_t at = 0;;) {
    const off_t data = ::lseek(from.get(), at, SEEK_DATA);
    if (data < 0 && errno == ENXIO) return {};  // only a hole is left
    const off_t hole = data < 0 ? -1 : ::lseek(from.get(), data, SEEK_HOLE);
    const off_t begin = data < 0 ? at : data;  // where nobody knows of holes, all of it is data
    BJ_TRY(SeekTo(from, begin, what));
    BJ_TRY(SeekTo(to, begin, what));
    BJ_TRY(CopyBytes(from, to, hole < 0 ? kToTheEnd : hole - begin, what));
    if (hole < 0) return {};
    at = hole;
  }
}

Result<> CopyContent(const Fd& from, const Fd& to, const std::string& what) {
  if (::ioctl(to.get(), FICLONE, from.get()) == 0) return {};
  BJ_TRY(CopyPieces(from, to, what));
  const struct stat source = BJ_TRY(StatOf(from, what));
  const struct stat copy = BJ_TRY(StatOf(to, what));
  if (copy.st_size >= source.st_size) return {};
  BJ_TRY(Check("set the size of", what, [&] { return ::ftruncate(to.get(), source.st_size); }));
  return {};
}

// Python takes a compiled module for stale unless its source is as old as it was: every import in a
// cell would compile again, which takes five times as long as to load.
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

  // chmod, because the mode given to mkdir is cut by the umask and a setgid bit is inherited.
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
    const struct stat info = BJ_TRY(StatOf(source, from));
    if (!S_ISREG(info.st_mode)) {
      return Error(Kind::kInvalid, from + " was a file and is one no longer: build again");
    }
    const Fd to = BJ_TRY(Create(name, inside, (info.st_mode & 0111) != 0 ? 0755 : 0644));
    BJ_TRY(CopyContent(source, to, from));
    BJ_TRY(KeepTime(to, info, inside));
    const struct stat copy = BJ_TRY(StatOf(to, inside));
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

}  // namespace belljar::image
