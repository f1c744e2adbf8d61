#include "foundation/tree/open.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <span>

#include "foundation/base/quote.h"
#include "foundation/base/scratch.h"
#include "foundation/base/sys.h"

namespace belljar::tree {
namespace {

bool SameMoment(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

// Adds the records of one getdents64() until there are `most` names.
void AddNames(std::span<const char> records, std::size_t most, Names& names) {
  while (!records.empty()) {
    unsigned short length = 0;
    std::memcpy(&length, records.data() + offsetof(dirent64, d_reclen), sizeof(length));
    const std::string_view name = records.data() + offsetof(dirent64, d_name);
    records = records.subspan(length);
    if (name == "." || name == "..") continue;
    names.more = names.names.size() == most;
    if (names.more) return;
    names.names.emplace_back(name);
  }
}

}  // namespace

Result<Fd> OpenDirectory(const Fd& root, const std::string& path, int flags,
                         AccessTime access_time) {
  const int all = flags | O_DIRECTORY | O_NOFOLLOW;
  const std::string place = path.empty() ? "." : path;
  if (access_time == AccessTime::kLeft) {
    Result<Fd> opened = OpenBeneath(root, place, all | O_NOATIME);
    // O_NOATIME is permitted only to the owner and root.
    if (opened || opened.error().sys() != EPERM) return opened;
  }
  return OpenBeneath(root, place, all);
}

Result<Fd> OpenFile(const Fd& dir, const std::string& path, Take hard_links) {
  Fd file = BJ_TRY(OpenBeneath(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  const struct stat status = BJ_TRY(StatOf(file, path));
  if (!S_ISREG(status.st_mode)) return Invalid("{} is not a regular file", Quote(path));
  if (hard_links == Take::kNo && status.st_nlink != 1) {
    return Invalid("{} has more than one name", Quote(path));
  }
  return file;
}

Result<struct stat> StatOf(const Fd& fd, std::string_view called) {
  struct stat status {};
  BJ_TRY(Check("stat", called, [&] { return ::fstat(fd.get(), &status); }));
  return status;
}

bool SameFile(const struct stat& before, const struct stat& after) {
  return before.st_dev == after.st_dev && before.st_ino == after.st_ino &&
         before.st_mode == after.st_mode && before.st_size == after.st_size &&
         before.st_nlink == after.st_nlink && before.st_uid == after.st_uid &&
         SameMoment(before.st_mtim, after.st_mtim) && SameMoment(before.st_ctim, after.st_ctim);
}

// Does not use opendir(), which makes four more system calls and clears a buffer each time.
Result<Names> NamesOf(const Fd& dir, std::size_t most, std::string_view called) {
  const std::span<char> records = ThreadScratch<struct OfNames, 32 << 10>();
  Names names;
  while (!names.more) {
    const long size = BJ_TRY(Check("read directory", called, [&] {
      return ::getdents64(dir.get(), records.data(), records.size());
    }));
    if (size == 0) break;
    AddNames(records.first(static_cast<std::size_t>(size)), most, names);
  }
  std::ranges::sort(names.names);
  return names;
}

Result<std::vector<std::string>> AllNamesOf(const Fd& dir, const std::string& path,
                                            std::size_t most) {
  const Fd opened = BJ_TRY(OpenDirectory(dir, path, O_RDONLY));
  Names names = BJ_TRY(NamesOf(opened, most, path));
  if (!names.more) return std::move(names.names);
  return Error(Kind::kExhausted, fmt::format("there are more than {} names in {}", most, path));
}

Result<std::string> ReadLink(const Fd& dir, const std::string& name, std::string_view called) {
  std::array<char, PATH_MAX> target;
  const auto size = static_cast<std::size_t>(BJ_TRY(Check("read link", called, [&] {
    return ::readlinkat(dir.get(), name.c_str(), target.data(), target.size());
  })));
  if (size < target.size()) return std::string(target.data(), size);
  return Invalid("{} is a link to too long a path", called);
}

std::string ProcPath(const Fd& fd) { return "/proc/self/fd/" + std::to_string(fd.get()); }

Error ChangedMeanwhile(std::string_view shown) {
  return Error(
      Kind::kUnavailable,
      fmt::format("{} changed while it was read; stop what writes to it and try again", shown));
}

}  // namespace belljar::tree
