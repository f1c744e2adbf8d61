#include "artefact/walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <vector>

#include "base/quote.h"
#include "base/relative_path.h"
#include "base/sys.h"

namespace belljar::artefact {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

Error TooMany(std::size_t most) {
  return Error(Kind::kExhausted, fmt::format("there are more than {} files and directories", most));
}

Result<std::vector<std::string>> NamesOf(Fd dir, const std::string& path, std::size_t most) {
  const std::unique_ptr<DIR, CloseDir> stream(::fdopendir(dir.get()));
  if (!stream) return SysError("read", path, errno);
  static_cast<void>(dir.Release());  // the stream's now
  std::vector<std::string> names;
  for (;;) {
    errno = 0;
    const dirent* const entry = ::readdir(stream.get());
    if (entry == nullptr && errno != 0) return SysError("read", path, errno);
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (names.size() == most) return TooMany(most);
    names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

Result<Fd> OpenDir(const Fd& root, const std::string& path) {
  auto dir = OpenBeneath(root, path.empty() ? "." : path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  if (dir || dir.error().sys() != EXDEV) return dir;
  return Invalid("{} is a mount point; an artefact does not reach into another file system",
                 Quote(path));
}

}  // namespace

Result<> CheckKind(const struct stat& status, const std::string& path) {
  const mode_t mode = status.st_mode;
  if (!S_ISREG(mode) && !S_ISDIR(mode) && !S_ISLNK(mode)) {
    return Invalid(
        "{} is a socket, a FIFO or a device; an artefact holds files, directories and links",
        Quote(path));
  }
  if (S_ISREG(mode) && (mode & (S_ISUID | S_ISGID)) != 0) {
    return Invalid("{} is setuid or setgid: take the bit away first (chmod ug-s)", Quote(path));
  }
  return {};
}

Result<std::string> LinkWithin(const Place& place) {
  std::array<char, PATH_MAX> text;
  const long size = BJ_TRY(Check("readlink", place.path, [&] {
    return ::readlinkat(place.dir.get(), place.name.c_str(), text.data(), text.size());
  }));
  const std::string target(text.data(), static_cast<std::size_t>(size));
  const auto refuse = [&](std::string_view why) {
    return Invalid("the link {} to {} {}", Quote(place.path), Quote(target), why);
  };
  if (target.size() > kMaxPathBytes || FindControl(target) != std::string::npos) {
    return refuse("is too long, or has control characters in it");
  }
  if (target.starts_with('/')) return refuse("is absolute; links of an artefact stay in it");
  auto depth = std::count(place.path.begin(), place.path.end(), '/');
  bool descending = false;
  for (std::size_t begin = 0; begin <= target.size();) {
    const std::size_t end = std::min(target.find('/', begin), target.size());
    const std::string_view part = std::string_view(target).substr(begin, end - begin);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    descending = descending || part != "..";
    // Behind a name, which may be a link itself, ".." could lead anywhere.
    if (part == ".." && (descending || --depth < 0)) return refuse("leaves the artefact");
  }
  return target;
}

Result<> Walk(const Fd& root, const Visit& visit, std::size_t most) {
  // Paths, not descriptors: thousands of those are not ours to take.
  std::vector<std::string> pending = {""};
  std::size_t entries = 0;
  while (!pending.empty()) {
    const std::string path = std::move(pending.back());
    pending.pop_back();
    const Fd dir = BJ_TRY(OpenDir(root, path));
    Fd listed = BJ_TRY(OpenBeneath(dir, ".", O_RDONLY | O_DIRECTORY));
    const auto names = BJ_TRY(NamesOf(std::move(listed), path, most));
    for (const std::string& name : names) {
      if (++entries > most) return TooMany(most);
      Place place{dir, name, path.empty() ? name : path + "/" + name, {}};
      BJ_TRY(CheckRelativePath(place.path));
      BJ_TRY(Check("stat", place.path, [&] {
        return ::fstatat(dir.get(), name.c_str(), &place.status, AT_SYMLINK_NOFOLLOW);
      }));
      BJ_TRY(CheckKind(place.status, place.path));
      BJ_TRY(visit(place));
      if (S_ISDIR(place.status.st_mode)) pending.push_back(place.path);
    }
  }
  return {};
}

}  // namespace belljar::artefact
