#include "snapshot/scan.h"

#include <fcntl.h>
#include <limits.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/sys.h"
#include "snapshot/beneath.h"

namespace belljar::snapshot {
namespace {

std::string_view KindOfFile(mode_t mode) {
  if (S_ISFIFO(mode)) return "a named pipe";
  if (S_ISSOCK(mode)) return "a socket";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "of a kind unknown to Belljar";
}

Type TypeOf(mode_t mode) {
  if (S_ISDIR(mode)) return Type::kDirectory;
  if (S_ISREG(mode)) return Type::kFile;
  if (S_ISLNK(mode)) return Type::kSymlink;
  return Type::kOther;
}

// The sticky bit means something on directories only; setuid and setgid are never carried.
std::uint32_t CarriedMode(mode_t mode) { return mode & (S_ISDIR(mode) ? 01777U : 0777U); }

Error TooMuch(std::string_view what, std::string_view path) {
  return Error(Kind::kExhausted, "the workspace has " + std::string(what) +
                                     " than a checkpoint carries, the last at " + Named(path) +
                                     "; remove some files and try again");
}

enum class Purpose { kTake, kRestore };

// The workspace's own limits hold the tree that a restore meets.
constexpr Bounds kNoBounds = {.entries = 4'000'000,
                              .depth = PATH_MAX,
                              .path_bytes = std::size_t{1} << 30,
                              .xattr_bytes = std::size_t{1} << 30};

class Scanner {
 public:
  Scanner(const Fd& workspace, const Bounds& bounds, Purpose purpose)
      : workspace_(workspace), bounds_(bounds), purpose_(purpose) {}
  void EnterOnly(const std::vector<Entry>& wanted) {
    for (const Entry& entry : wanted) {
      if (entry.type == Type::kDirectory) enter_.insert(entry.path);
    }
  }

  Result<std::vector<Found>> Run();

 private:
  Result<> AddRoot();
  Result<> ReadDirectory(std::size_t index);
  Result<> Add(const Fd& dir, const std::string& parent, const std::string& name);
  Result<> Judge(const Found& found) const;
  Result<> ReadLink(const Fd& dir, const std::string& name, Found& found);
  Result<> Count(const Entry& entry);
  Result<> Unlock(Found& found);
  Result<> AddAttributes(const Fd& dir, Entry& entry);
  void NoteLink(Found& found);

  const Fd& workspace_;
  const Bounds& bounds_;
  const Purpose purpose_;
  std::vector<Found> found_;
  std::unordered_map<ino_t, std::size_t> first_names_;
  std::unordered_set<std::string_view> enter_;  // of a restore
  std::size_t path_bytes_ = 0;
  std::size_t attribute_bytes_ = 0;
};

Result<std::vector<Found>> Scanner::Run() {
  BJ_TRY(AddRoot());
  for (std::size_t i = 0; i < found_.size(); ++i) {
    const Entry& entry = found_[i].entry;
    if (entry.type != Type::kDirectory) continue;
    if (purpose_ == Purpose::kTake || enter_.contains(entry.path)) BJ_TRY(ReadDirectory(i));
  }
  return std::move(found_);
}

void Describe(Found& found) {
  found.entry.type = TypeOf(found.stat.st_mode);
  found.entry.mode = CarriedMode(found.stat.st_mode);
  found.entry.modified = {found.stat.st_mtim.tv_sec,
                          static_cast<std::uint32_t>(found.stat.st_mtim.tv_nsec)};
  if (found.entry.type == Type::kFile) {
    found.entry.size = static_cast<std::uint64_t>(found.stat.st_size);
  }
}

Result<> Scanner::AddRoot() {
  const Fd root = BJ_TRY(OpenPlace(workspace_, "", O_DIRECTORY));
  Found found;
  found.stat = BJ_TRY(StatOf(root, ""));
  Describe(found);
  found_.push_back(std::move(found));
  return {};
}

// As an ordinary user we are kept out by the guest's permissions as much as the guest is.
Result<> Scanner::Unlock(Found& found) {
  if (purpose_ != Purpose::kRestore || (found.stat.st_mode & 0700) == 0700) return {};
  const Fd place = BJ_TRY(OpenPlace(workspace_, found.entry.path, O_DIRECTORY));
  if (::chmod(ProcPath(place).c_str(), (found.stat.st_mode & 01777) | 0700) != 0) {
    return SysError("chmod", Named(found.entry.path), errno);
  }
  found.stat = BJ_TRY(StatOf(place, found.entry.path));
  Describe(found);
  return {};
}

Result<> Scanner::AddAttributes(const Fd& dir, Entry& entry) {
  const Acl acl = purpose_ == Purpose::kTake ? Acl::kRefused : Acl::kIgnored;
  entry.attributes =
      BJ_TRY(AttributesOf(dir, entry.path, bounds_.xattr_bytes - attribute_bytes_, acl));
  for (const Attribute& attribute : entry.attributes) {
    attribute_bytes_ += attribute.name.size() + attribute.value.size();
  }
  return {};
}

Result<> Scanner::ReadDirectory(std::size_t index) {
  BJ_TRY(Unlock(found_[index]));
  const std::string path = found_[index].entry.path;
  const Fd dir = BJ_TRY(OpenForReading(workspace_, path, O_DIRECTORY));
  const struct stat now = BJ_TRY(StatOf(dir, path));
  if (!SameFile(found_[index].stat, now)) return ChangedMeanwhile(path);
  BJ_TRY(AddAttributes(dir, found_[index].entry));
  const std::vector<std::string> names =
      BJ_TRY(NamesIn(dir, path, bounds_.entries - found_.size()));
  const auto slashes = static_cast<std::size_t>(std::ranges::count(path, '/'));
  if (!names.empty() && !path.empty() && slashes + 2 > bounds_.depth) {
    return TooMuch("directories nested deeper", path);
  }
  for (const std::string& name : names) BJ_TRY(Add(dir, path, name));
  return {};
}

Result<> Scanner::Add(const Fd& dir, const std::string& parent, const std::string& name) {
  Found found;
  found.entry.path = Joined(parent, name);
  if (::fstatat(dir.get(), name.c_str(), &found.stat, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return ChangedMeanwhile(found.entry.path);
    return SysError("stat", Named(found.entry.path), errno);
  }
  Describe(found);
  BJ_TRY(Judge(found));
  if (found.entry.type == Type::kSymlink) BJ_TRY(ReadLink(dir, name, found));
  if (found.stat.st_nlink > 1) NoteLink(found);
  BJ_TRY(Count(found.entry));
  found_.push_back(std::move(found));
  return {};
}

Result<> Scanner::Judge(const Found& found) const {
  const struct stat& root = found_.front().stat;
  const std::string& path = found.entry.path;
  if (found.stat.st_dev != root.st_dev) {
    return Error(Kind::kDenied, Named(path) + " is another file system");
  }
  if (purpose_ == Purpose::kRestore) return {};
  if (found.entry.type == Type::kOther) {
    return Error(Kind::kInvalid, Named(path) + " is " +
                                     std::string(KindOfFile(found.stat.st_mode)) +
                                     ", which a checkpoint cannot carry");
  }
  if (found.stat.st_uid != root.st_uid) {
    return Error(Kind::kInvalid,
                 Named(path) + " belongs to user " + std::to_string(found.stat.st_uid) +
                     " and not to the workspace's, which a checkpoint cannot carry");
  }
  return {};
}

Result<> Scanner::ReadLink(const Fd& dir, const std::string& name, Found& found) {
  std::string text(PATH_MAX, '\0');
  const ssize_t n = ::readlinkat(dir.get(), name.c_str(), text.data(), text.size());
  if (n < 0 && errno != EINVAL && errno != ENOENT) {
    return SysError("read link", Named(found.entry.path), errno);
  }
  if (n != found.stat.st_size) return ChangedMeanwhile(found.entry.path);
  found.entry.target = text.substr(0, static_cast<std::size_t>(n));
  return {};
}

// Two names of one inode stay one. Directories have no second names.
void Scanner::NoteLink(Found& found) {
  if (found.entry.type != Type::kFile && found.entry.type != Type::kSymlink) return;
  const auto [first, is_first] = first_names_.emplace(found.stat.st_ino, found_.size());
  if (is_first) return;
  Entry link;
  link.type = Type::kLink;
  link.path = std::move(found.entry.path);
  link.target = found_[first->second].entry.path;
  found.entry = std::move(link);
}

Result<> Scanner::Count(const Entry& entry) {
  path_bytes_ += entry.path.size() + entry.target.size();
  if (path_bytes_ > bounds_.path_bytes) return TooMuch("longer names", entry.path);
  if (entry.path.size() >= PATH_MAX) return TooMuch("a longer path", entry.path);
  return {};
}

}  // namespace

Result<std::vector<Found>> ScanToTake(const Fd& workspace, const Bounds& bounds) {
  return Scanner(workspace, bounds, Purpose::kTake).Run();
}

Result<std::vector<Found>> ScanToRestore(const Fd& workspace, const std::vector<Entry>& wanted) {
  Scanner scanner(workspace, kNoBounds, Purpose::kRestore);
  scanner.EnterOnly(wanted);
  return scanner.Run();
}

Result<> CheckUnmoved(const Fd& workspace, const std::vector<Found>& found) {
  for (const Found& each : found) {
    if (each.entry.type != Type::kDirectory) continue;
    const Fd place = BJ_TRY(OpenPlace(workspace, each.entry.path, O_DIRECTORY));
    const struct stat now = BJ_TRY(StatOf(place, each.entry.path));
    if (!SameFile(each.stat, now)) return ChangedMeanwhile(each.entry.path);
  }
  return {};
}

}  // namespace belljar::snapshot
