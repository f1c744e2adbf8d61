#include "record/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>

#include "foundation/base/sys.h"

namespace belljar::record {
namespace {

// From this many files on, one syncfs() costs less than one fsync() per file.
constexpr std::size_t kManyFiles = 16;

constexpr std::size_t kAlignment = 4096;  // memory alignment for O_DIRECT, sufficient for any disk

// Writes from an aligned copy, as O_DIRECT requires.
Result<> WriteAligned(const Fd& through, std::string_view bytes, std::uint64_t offset,
                      std::string_view what) {
  const std::size_t room = (bytes.size() + kAlignment - 1) / kAlignment * kAlignment;
  const std::unique_ptr<void, decltype(&std::free)> copy(std::aligned_alloc(kAlignment, room),
                                                         &std::free);
  if (!copy) return Error(Kind::kExhausted, "no memory for a batch of records");
  std::memcpy(copy.get(), bytes.data(), bytes.size());
  const long n = BJ_TRY(Check("write", what, [&] {
    return ::pwrite(through.get(), copy.get(), bytes.size(), static_cast<off_t>(offset));
  }));
  if (static_cast<std::size_t>(n) == bytes.size()) return {};
  return SysError("write", what, EIO);
}

std::string ParentOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

Result<> MakeParents(const std::string& path) {
  const std::string parent = ParentOf(path);
  if (parent.empty() || ::mkdir(parent.c_str(), 0700) == 0 || errno == EEXIST) return {};
  if (errno != ENOENT) return SysError("mkdir", parent, errno);
  BJ_TRY(MakeParents(parent));
  BJ_TRY(Check("mkdir", parent, [&] { return ::mkdir(parent.c_str(), 0700); }));
  return {};
}

// Adds the directory of `path` and those above it, up to `root`.
void AddParents(std::set<std::string>& dirs, const std::string& root, const std::string& path) {
  for (std::string dir = ParentOf(path); dir.size() >= root.size(); dir = ParentOf(dir)) {
    if (!dirs.insert(dir).second) return;
  }
}

}  // namespace

Result<> LogFiles::WriteAt(const Fd& file, std::string_view bytes, std::uint64_t offset,
                           std::string_view what) const {
  while (!bytes.empty()) {
    const long n = BJ_TRY(Check("write", what, [&] {
      return ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset));
    }));
    bytes.remove_prefix(static_cast<std::size_t>(n));
    offset += static_cast<std::uint64_t>(n);
  }
  return {};
}

Result<> LogFiles::SyncData(const Fd& file, std::string_view what) const {
  BJ_TRY(Check("fdatasync", what, [&] { return ::fdatasync(file.get()); }));
  return {};
}

Result<> LogFiles::WriteThrough(const Fd& file, const Fd& through, std::string_view bytes,
                                std::uint64_t offset, std::string_view what) const {
  if (through) return WriteAligned(through, bytes, offset, what);
  BJ_TRY(WriteAt(file, bytes, offset, what));
  return SyncData(file, what);
}

Fd OpenThrough(const std::string& path, std::string_view block) {
  auto opened = Open(path, O_WRONLY | O_NOFOLLOW | O_DIRECT | O_DSYNC);
  if (!opened || !WriteAligned(*opened, block, 0, path)) return Fd();
  return *std::move(opened);
}

Result<Fd> LogFiles::Create(const std::string& path, std::string_view bytes, mode_t mode) const {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW;
  auto opened = Open(path, kFlags, mode);
  if (!opened && opened.error().sys() == ENOENT) {
    BJ_TRY(MakeParents(path));
    opened = Open(path, kFlags, mode);
  }
  Fd file = BJ_TRY(std::move(opened));
  BJ_TRY(WriteAll(file, bytes, path));
  return file;
}

Result<> LogFiles::SyncFiles(std::span<const Fd> files, std::string_view what) const {
  // Writeback of all files is started before the first is waited for, so that they share one disk
  // flush. Errors are ignored here, because fsync() reports them.
  for (const Fd& file : files) ::sync_file_range(file.get(), 0, 0, SYNC_FILE_RANGE_WRITE);
  for (const Fd& file : files) {
    BJ_TRY(Check("fsync", what, [&] { return ::fsync(file.get()); }));
  }
  return {};
}

Result<> LogFiles::SyncAll(const Fd& dir, std::string_view what) const {
  BJ_TRY(Check("syncfs", what, [&] { return ::syncfs(dir.get()); }));
  return {};
}

Result<> LogFiles::Rename(const std::string& from, const std::string& to) const {
  BJ_TRY(Check("rename", to, [&] { return ::rename(from.c_str(), to.c_str()); }));
  return {};
}

Result<> LogFiles::SyncNames(const std::string& dir) const {
  const Fd opened = BJ_TRY(Open(dir, O_RDONLY | O_DIRECTORY));
  BJ_TRY(Check("fsync", dir, [&] { return ::fsync(opened.get()); }));
  return {};
}

Result<> LogFiles::Remove(const std::string& path) const {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return SysError("unlink", path, errno);
  return {};
}

Result<> ReplaceFiles(const LogFiles& files, const std::string& root,
                      std::span<const NewFile> fresh) {
  if (fresh.empty()) return {};
  const bool many = fresh.size() > kManyFiles;
  const Fd top = BJ_TRY(Open(root, O_RDONLY | O_DIRECTORY));
  std::vector<Fd> written;
  std::set<std::string> dirs;
  for (const NewFile& file : fresh) {
    const std::string path = root + "/" + file.path;
    Fd made = BJ_TRY(files.Create(path + std::string(kUnfinished), file.bytes, file.mode));
    if (!many) written.push_back(std::move(made));
    AddParents(dirs, root, path);
  }
  BJ_TRY(many ? files.SyncAll(top, root) : files.SyncFiles(written, root));
  for (const NewFile& file : fresh) {
    const std::string path = root + "/" + file.path;
    BJ_TRY(files.Rename(path + std::string(kUnfinished), path));
  }
  if (many) return files.SyncAll(top, root);
  for (const std::string& dir : dirs) BJ_TRY(files.SyncNames(dir));
  return {};
}

}  // namespace belljar::record
