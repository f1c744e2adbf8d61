#include "run/snapshot/scan.h"

#include <fcntl.h>
#include <limits.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "foundation/base/sys.h"
#include "foundation/tree/path.h"
#include "foundation/tree/walk.h"
#include "run/snapshot/beneath.h"

namespace belljar::run::snapshot {
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

// Keeps the sticky bit for directories only; drops setuid and setgid.
std::uint32_t CarriedMode(mode_t mode) { return mode & (S_ISDIR(mode) ? 01777U : 0777U); }

Error TooMuch(std::string_view what, std::string_view path) {
  return Error(Kind::kExhausted, "the workspace has " + std::string(what) +
                                     " than a checkpoint carries, the last at " + Named(path) +
                                     "; remove some files and try again");
}

enum class Purpose { kTake, kRestore };

// For a restore; the workspace's own limits bound the tree.
constexpr Bounds kNoBounds = {.entries = 4'000'000,
                              .depth = PATH_MAX,
                              .path_bytes = std::size_t{1} << 30,
                              .xattr_bytes = std::size_t{1} << 30};

class Scanner : public tree::Visitor {
 public:
  Scanner(const Fd& workspace, const Bounds& bounds, Purpose purpose)
      : workspace_(workspace), bounds_(bounds), purpose_(purpose) {}
  void EnterOnly(const std::vector<Entry>& wanted) {
    for (const Entry& entry : wanted) {
      if (entry.type == Type::kDirectory) enter_.insert(entry.path);
    }
  }

  Result<std::vector<Found>> Run();

  Result<tree::Next> See(const tree::Entry& seen) override;
  Result<> Approach(const std::string& path) override;
  Result<> Enter(const Fd& dir, const std::string& path) override;
  Result<tree::Next> Refuse(tree::Refusal refusal) override;

 private:
  Result<> AddRoot();
  Result<> Judge(const Found& found) const;
  Result<> ReadLink(const tree::Entry& seen, Found& found) const;
  Result<> Count(const Entry& entry);
  Result<> Unlock(Found& found);
  void NoteLink(Found& found);

  const Fd& workspace_;
  const Bounds& bounds_;
  const Purpose purpose_;
  std::vector<Found> found_;
  std::deque<std::size_t> to_enter_;  // directories, in the order in which they were found
  std::unordered_map<ino_t, std::size_t> first_names_;
  std::unordered_set<std::string_view> enter_;  // of a restore: the directories to enter
  std::size_t path_bytes_ = 0;
  std::size_t attribute_bytes_ = 0;
};

Result<std::vector<Found>> Scanner::Run() {
  BJ_TRY(AddRoot());
  tree::Rules rules = tree::TakingEverything("a checkpoint");
  rules.order = tree::Order::kFirstFirst;
  rules.access_time = tree::AccessTime::kLeft;
  rules.shown = Named;
  tree::Budget budget({bounds_.entries - 1, 0});  // the root counts as one
  if (purpose_ == Purpose::kTake || enter_.contains("")) {
    to_enter_.push_back(0);
    BJ_TRY(tree::Walk(workspace_, rules, budget, *this));
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

// An unprivileged supervisor is restricted by the guest's permissions as well.
Result<> Scanner::Unlock(Found& found) {
  if (purpose_ != Purpose::kRestore || (found.stat.st_mode & 0700) == 0700) return {};
  const Fd place = BJ_TRY(OpenPlace(workspace_, found.entry.path, O_DIRECTORY));
  if (::chmod(tree::ProcPath(place).c_str(), (found.stat.st_mode & 01777) | 0700) != 0) {
    return SysError("chmod", Named(found.entry.path), errno);
  }
  found.stat = BJ_TRY(StatOf(place, found.entry.path));
  Describe(found);
  return {};
}

Result<> Scanner::Approach(const std::string&) { return Unlock(found_[to_enter_.front()]); }

Result<> Scanner::Enter(const Fd& dir, const std::string& path) {
  Found& found = found_[to_enter_.front()];
  to_enter_.pop_front();
  const struct stat now = BJ_TRY(StatOf(dir, path));
  if (!tree::SameFile(found.stat, now)) return ChangedMeanwhile(path);
  const Acl acl = purpose_ == Purpose::kTake ? Acl::kRefused : Acl::kIgnored;
  found.entry.attributes =
      BJ_TRY(AttributesOf(dir, path, bounds_.xattr_bytes - attribute_bytes_, acl));
  for (const Attribute& attribute : found.entry.attributes) {
    attribute_bytes_ += attribute.name.size() + attribute.value.size();
  }
  return {};
}

Result<tree::Next> Scanner::Refuse(tree::Refusal refusal) {
  if (refusal.step == tree::Step::kCount) {
    return Error(Kind::kExhausted,
                 "the workspace has more names than a checkpoint carries, the last ones in " +
                     Named(refusal.path));
  }
  if (refusal.error.sys() == ENOENT) return ChangedMeanwhile(refusal.path);
  return std::move(refusal.error);
}

Result<tree::Next> Scanner::See(const tree::Entry& seen) {
  Found found;
  found.entry.path = seen.path;
  found.stat = seen.status;
  if (static_cast<std::size_t>(std::ranges::count(seen.path, '/')) >= bounds_.depth) {
    return TooMuch("directories nested deeper", tree::ParentOf(seen.path));
  }
  Describe(found);
  BJ_TRY(Judge(found));
  if (found.entry.type == Type::kSymlink) BJ_TRY(ReadLink(seen, found));
  if (found.stat.st_nlink > 1) NoteLink(found);
  BJ_TRY(Count(found.entry));
  const bool enters = found.entry.type == Type::kDirectory &&
                      (purpose_ == Purpose::kTake || enter_.contains(found.entry.path));
  if (enters) to_enter_.push_back(found_.size());
  found_.push_back(std::move(found));
  return enters ? tree::Next::kGoOn : tree::Next::kPass;
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

Result<> Scanner::ReadLink(const tree::Entry& seen, Found& found) const {
  auto target = tree::ReadLink(seen.dir, seen.name, Named(seen.path));
  const int sys = target ? 0 : target.error().sys();
  if (sys != 0 && sys != EINVAL && sys != ENOENT) return std::move(target).error();
  if (!target || static_cast<off_t>(target->size()) != found.stat.st_size) {
    return ChangedMeanwhile(seen.path);
  }
  found.entry.target = *std::move(target);
  return {};
}

// Records a hard link: two names of one inode. Directories have one name.
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
    if (!tree::SameFile(each.stat, now)) return ChangedMeanwhile(each.entry.path);
  }
  return {};
}

}  // namespace belljar::run::snapshot
