#include "vault/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <vector>

#include "base/quote.h"
#include "base/relative_path.h"
#include "base/sys.h"
#include "policy/vault.h"

namespace belljar::vault {
namespace {

constexpr std::uint64_t kPage = 4096;

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

Result<Fd> OpenDir(const Fd& root, const std::string& path) {
  auto dir = OpenBeneath(root, path.empty() ? "." : path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (!dir && dir.error().sys() == EXDEV) {
    return Error(Kind::kInvalid, Quote(path) +
                                     " is a mount point; a vault does not reach into another "
                                     "file system");
  }
  return dir;
}

Result<> CheckKind(const Entry& entry) {
  const mode_t mode = entry.status.st_mode;
  if (S_ISREG(mode) || S_ISDIR(mode) || S_ISLNK(mode)) return {};
  return Error(Kind::kInvalid, Quote(entry.path) +
                                   " is a socket, a FIFO or a device; a vault holds files, "
                                   "directories and links");
}

Result<> WalkOne(const Fd& dir, const std::string& prefix, Budget& budget, const Visit& visit,
                 std::vector<std::string>& pending) {
  const std::vector<std::string> names = BJ_TRY(NamesOf(dir, policy::kMaxVaultFiles));
  for (const std::string& name : names) {
    Entry entry{dir, name, prefix + name, {}};
    BJ_TRY(CheckRelativePath(entry.path));
    BJ_TRY(budget.TakeFile());
    BJ_TRY(Check("stat", entry.path, [&] {
      return ::fstatat(dir.get(), name.c_str(), &entry.status, AT_SYMLINK_NOFOLLOW);
    }));
    BJ_TRY(CheckKind(entry));
    BJ_TRY(visit(entry));
    if (S_ISDIR(entry.status.st_mode)) pending.push_back(entry.path);
  }
  return {};
}

}  // namespace

Budget Budget::Whole() { return {policy::kMaxVaultFiles, policy::kMaxVaultBytes}; }

Result<> Budget::TakeFile() {
  if (files == 0) {
    return Error(Kind::kExhausted, fmt::format("there are more than {} files and directories",
                                               policy::kMaxVaultFiles));
  }
  --files;
  return {};
}

Result<> Budget::TakeBytes(std::uint64_t size) {
  // Whatever is larger than all is not rounded up, so that nothing can wrap round.
  const std::uint64_t whole =
      size > policy::kMaxVaultBytes ? size : (size + kPage - 1) / kPage * kPage;
  if (whole > bytes) {
    return Error(Kind::kExhausted,
                 fmt::format("there are more than {} MiB", policy::kMaxVaultBytes / policy::kMiB));
  }
  bytes -= whole;
  return {};
}

std::string ParentOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

std::string NameOf(const std::string& path) { return path.substr(path.rfind('/') + 1); }

Result<std::vector<std::string>> NamesOf(const Fd& dir, std::size_t most) {
  Fd again = BJ_TRY(OpenBeneath(dir, ".", O_RDONLY | O_DIRECTORY));
  const std::unique_ptr<DIR, CloseDir> stream(::fdopendir(again.get()));
  if (!stream) return SysError("read", "a directory", errno);
  static_cast<void>(again.Release());  // the stream's now
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr && errno != 0) return SysError("read", "a directory", errno);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == most) {
      return Error(Kind::kExhausted, fmt::format("there are more than {} files and directories",
                                                 policy::kMaxVaultFiles));
    }
    names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

Result<std::string> ReadLink(const Fd& dir, const std::string& name) {
  std::array<char, PATH_MAX> target;
  const long size = BJ_TRY(Check("readlink", name, [&] {
    return ::readlinkat(dir.get(), name.c_str(), target.data(), target.size());
  }));
  if (size == static_cast<long>(target.size())) {
    return Error(Kind::kInvalid, Quote(name) + " is a link to too long a path");
  }
  return std::string(target.data(), static_cast<std::size_t>(size));
}

Result<> Walk(const Fd& root, Budget& budget, const Visit& visit) {
  // Paths, not descriptors: thousands of those are not ours to take.
  std::vector<std::string> pending = {""};
  while (!pending.empty()) {
    const std::string path = std::move(pending.back());
    pending.pop_back();
    const Fd dir = BJ_TRY(OpenDir(root, path));
    BJ_TRY(WalkOne(dir, path.empty() ? "" : path + "/", budget, visit, pending));
  }
  return {};
}

}  // namespace belljar::vault
