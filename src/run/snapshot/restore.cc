#include "run/snapshot/restore.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "foundation/base/sys.h"
#include "foundation/tree/open.h"
#include "foundation/tree/path.h"
#include "foundation/tree/remove.h"
#include "run/snapshot/beneath.h"

namespace belljar::run::snapshot {
namespace {

Error InTheWay(std::string_view path) {
  return Error(Kind::kUnavailable, Named(path) + " was changed while it was being restored");
}

// Writes data to its extents; the gaps stay holes. copy_file_range() does not work between
// different file systems, so the bytes are copied through this process.
class ExtentSink : public Sink {
 public:
  ExtentSink(const Fd& file, const Entry& entry) : file_(file), entry_(entry) {}

  Result<> Write(std::string_view bytes) override {
    hasher_.Add(bytes);
    while (!bytes.empty()) {
      if (extent_ == entry_.extents.size()) return WrongBlob();
      const Extent& extent = entry_.extents[extent_];
      const std::size_t wanted = std::min<std::uint64_t>(bytes.size(), extent.bytes - done_);
      const long n = BJ_TRY(Check("write", Named(entry_.path), [&] {
        return ::pwrite(file_.get(), bytes.data(), wanted,
                        static_cast<off_t>(extent.offset + done_));
      }));
      bytes.remove_prefix(static_cast<std::size_t>(n));
      done_ += static_cast<std::uint64_t>(n);
      if (done_ == extent.bytes) {
        ++extent_;
        done_ = 0;
      }
    }
    return {};
  }
  Result<Digest> Finish() override {
    const Digest digest = hasher_.Finish();
    if (digest != entry_.digest || extent_ != entry_.extents.size()) return WrongBlob();
    return digest;
  }

 private:
  Error WrongBlob() const {
    return Error(Kind::kInternal, "the blob of " + Named(entry_.path) + " is not what it was");
  }

  const Fd& file_;
  const Entry& entry_;
  Sha256 hasher_;
  std::size_t extent_ = 0;
  std::uint64_t done_ = 0;
};

Result<> RemoveAttribute(const Fd& place, const Entry& entry, const std::string& name) {
  BJ_TRY(Check("remove an attribute of", Named(entry.path),
               [&] { return ::removexattr(tree::ProcPath(place).c_str(), name.c_str()); }));
  return {};
}

// Gives the owner write permission, which setting attributes requires.
Result<> Unlock(const Fd& place, const Entry& entry) {
  const mode_t open = entry.type == Type::kDirectory ? 0700 : 0600;
  const struct stat now = BJ_TRY(StatOf(place, entry.path));
  if ((now.st_mode & open) == open) return {};
  BJ_TRY(Check("chmod", Named(entry.path),
               [&] { return ::chmod(tree::ProcPath(place).c_str(), open); }));
  return {};
}

Result<> SetAttributes(const Fd& place, const Entry& entry) {
  const std::vector<std::string> names = BJ_TRY(AttributeNames(place, entry.path));
  if (names.empty() && entry.attributes.empty()) return {};
  BJ_TRY(Unlock(place, entry));
  const std::vector<Attribute> there =
      BJ_TRY(AttributesOf(place, entry.path, SIZE_MAX, Acl::kIgnored));
  const bool equal = there == entry.attributes;
  for (const std::string& name : names) {
    // Snapshots never have access control lists, so an existing one was added later.
    const bool goes =
        name.starts_with("system.posix_acl_") || (!equal && name.starts_with("user."));
    if (goes) BJ_TRY(RemoveAttribute(place, entry, name));
  }
  if (equal) return {};
  for (const Attribute& attribute : entry.attributes) {
    BJ_TRY(Check("set an attribute of", Named(entry.path), [&] {
      return ::setxattr(tree::ProcPath(place).c_str(), attribute.name.c_str(),
                        attribute.value.data(), attribute.value.size(), 0);
    }));
  }
  return {};
}

std::array<timespec, 2> TimesOf(const Entry& entry) {
  return {timespec{0, UTIME_OMIT}, timespec{static_cast<time_t>(entry.modified.seconds),
                                            static_cast<long>(entry.modified.nanoseconds)}};
}

}  // namespace

Result<> Restorer::Prepare(const Bounds& bounds, Memory& memory) {
  there_ = BJ_TRY(ScanToRestore(workspace_, wanted_));
  plan_ = MakePlan(wanted_, there_);
  Allowance allowance(bounds);
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    has_content_.push_back(BJ_TRY(HasContent(wanted_[i], plan_.stays[i], allowance, memory)));
  }
  return VerifyBlobs();
}

Result<bool> Restorer::HasContent(const Entry& entry, const Found* found, Allowance& allowance,
                                  Memory& memory) {
  if (entry.type != Type::kFile) return true;
  if (found == nullptr || found->stat.st_size != static_cast<off_t>(entry.size)) return false;
  if (const Content* const known = memory.Find(found->stat)) {
    return known->digest == entry.digest && known->extents == entry.extents;
  }
  HashSink sink;
  const Result<Content> read = ReadContent(workspace_, *found, allowance, memory, sink);
  // A file that cannot be read can still be replaced.
  return read && read->digest == entry.digest && read->extents == entry.extents;
}

Result<> Restorer::VerifyBlobs() const {
  std::unordered_set<Digest, DigestHash> verified;
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (has_content_[i] || wanted_[i].extents.empty()) continue;
    if (!verified.insert(wanted_[i].digest).second) continue;
    BJ_TRY(blobs_.Verify(wanted_[i].digest));
  }
  return {};
}

Result<> Restorer::Apply() {
  for (const Found* found : plan_.goes) BJ_TRY(Remove(*found));
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    if (!has_content_[i] && plan_.stays[i] != nullptr) BJ_TRY(Empty(*plan_.stays[i]));
  }
  for (std::size_t i = 0; i < wanted_.size(); ++i) BJ_TRY(Make(i));
  for (std::size_t i = wanted_.size(); i-- > 0;) {
    if (wanted_[i].type != Type::kDirectory) continue;
    const Fd place = BJ_TRY(OpenPlace(workspace_, wanted_[i].path, O_DIRECTORY));
    BJ_TRY(Finish(place, wanted_[i]));
  }
  return {};
}

Result<const Fd*> Restorer::ParentOfPlace(const std::string& path) {
  const std::string_view parent = tree::ParentOf(path);
  if (!parent_ || parent != parent_path_) {
    parent_ = BJ_TRY(OpenPlace(workspace_, std::string(parent), O_DIRECTORY));
    parent_path_ = parent;
  }
  return &parent_;
}

Result<> Restorer::Remove(const Found& found) {
  const Fd& parent = *BJ_TRY(ParentOfPlace(found.entry.path));
  return tree::RemoveWhole(parent, std::string(tree::NameOf(found.entry.path)),
                           Named(found.entry.path));
}

// Truncates a file before anything is written, so that the workspace never needs more space than
// the larger of the two trees.
Result<> Restorer::Empty(const Found& found) {
  const std::string& path = found.entry.path;
  const Fd place = BJ_TRY(OpenPlace(workspace_, path, 0));
  const struct stat now = BJ_TRY(StatOf(place, path));
  if (now.st_ino != found.stat.st_ino || !S_ISREG(now.st_mode)) return InTheWay(path);
  if ((now.st_mode & 0600) != 0600 && ::chmod(tree::ProcPath(place).c_str(), 0600) != 0) {
    return SysError("chmod", Named(path), errno);
  }
  if (::truncate(tree::ProcPath(place).c_str(), 0) != 0)
    return SysError("truncate", Named(path), errno);
  return {};
}

Result<> Restorer::Make(std::size_t index) {
  const Entry& entry = wanted_[index];
  const bool stays = plan_.stays[index] != nullptr;
  if (entry.type == Type::kFile) return MakeFile(index);
  if (entry.type == Type::kLink) return stays ? Result<>() : MakeLink(entry);
  if (!stays) {
    const int parent = BJ_TRY(ParentOfPlace(entry.path))->get();
    const std::string name(tree::NameOf(entry.path));
    BJ_TRY(Check("make", Named(entry.path), [&] {
      return entry.type == Type::kDirectory
                 ? ::mkdirat(parent, name.c_str(), 0700)
                 : ::symlinkat(entry.target.c_str(), parent, name.c_str());
    }));
  }
  return entry.type == Type::kSymlink ? FinishSymlink(entry) : Result<>();
}

Result<> Restorer::MakeFile(std::size_t index) {
  const Entry& entry = wanted_[index];
  const Found* const stays = plan_.stays[index];
  if (stays == nullptr) {
    const int parent = BJ_TRY(ParentOfPlace(entry.path))->get();
    const std::string name(tree::NameOf(entry.path));
    const long fd = BJ_TRY(Check("make", Named(entry.path), [&] {
      return ::openat(parent, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                      0600);
    }));
    const Fd file(static_cast<int>(fd));
    if (!has_content_[index]) BJ_TRY(WriteContent(file, entry));
    return Finish(file, entry);
  }
  const Fd place = BJ_TRY(OpenPlace(workspace_, entry.path, 0));
  const struct stat now = BJ_TRY(StatOf(place, entry.path));
  if (now.st_ino != stays->stat.st_ino || !S_ISREG(now.st_mode)) return InTheWay(entry.path);
  if (!has_content_[index]) {
    const Fd file = BJ_TRY(Open(tree::ProcPath(place), O_WRONLY | O_NONBLOCK));
    BJ_TRY(WriteContent(file, entry));
  }
  return Finish(place, entry);
}

Result<> Restorer::WriteContent(const Fd& file, const Entry& entry) {
  BJ_TRY(Check("size", Named(entry.path),
               [&] { return ::ftruncate(file.get(), static_cast<off_t>(entry.size)); }));
  if (entry.extents.empty()) return {};
  ExtentSink sink(file, entry);
  BJ_TRY(blobs_.Read(entry.digest, sink));
  BJ_TRY(sink.Finish());
  return {};
}

Result<> Restorer::MakeLink(const Entry& entry) {
  const Fd from =
      BJ_TRY(OpenPlace(workspace_, std::string(tree::ParentOf(entry.target)), O_DIRECTORY));
  const std::string first(tree::NameOf(entry.target));
  const int parent = BJ_TRY(ParentOfPlace(entry.path))->get();
  const std::string name(tree::NameOf(entry.path));
  BJ_TRY(Check("link", Named(entry.path),
               [&] { return ::linkat(from.get(), first.c_str(), parent, name.c_str(), 0); }));
  return {};
}

Result<> Restorer::FinishSymlink(const Entry& entry) {
  const int parent = BJ_TRY(ParentOfPlace(entry.path))->get();
  const std::string name(tree::NameOf(entry.path));
  struct stat now {};
  BJ_TRY(Check("stat", Named(entry.path),
               [&] { return ::fstatat(parent, name.c_str(), &now, AT_SYMLINK_NOFOLLOW); }));
  if (now.st_uid != owner_.uid || now.st_gid != owner_.gid) {
    BJ_TRY(Check("chown", Named(entry.path), [&] {
      return ::fchownat(parent, name.c_str(), owner_.uid, owner_.gid, AT_SYMLINK_NOFOLLOW);
    }));
  }
  const auto times = TimesOf(entry);
  BJ_TRY(Check("set the time of", Named(entry.path), [&] {
    return ::utimensat(parent, name.c_str(), times.data(), AT_SYMLINK_NOFOLLOW);
  }));
  return {};
}

// Owner before permissions, because chown clears set-id bits.
Result<> Restorer::Finish(const Fd& place, const Entry& entry) {
  const std::string proc = tree::ProcPath(place);
  BJ_TRY(SetAttributes(place, entry));
  const struct stat now = BJ_TRY(StatOf(place, entry.path));
  if (now.st_uid != owner_.uid || now.st_gid != owner_.gid) {
    BJ_TRY(Check("chown", Named(entry.path),
                 [&] { return ::chown(proc.c_str(), owner_.uid, owner_.gid); }));
  }
  if ((now.st_mode & 07777) != entry.mode) {
    BJ_TRY(Check("chmod", Named(entry.path), [&] { return ::chmod(proc.c_str(), entry.mode); }));
  }
  if (now.st_mtim.tv_sec != entry.modified.seconds ||
      now.st_mtim.tv_nsec != static_cast<long>(entry.modified.nanoseconds)) {
    const auto times = TimesOf(entry);
    BJ_TRY(Check("set the time of", Named(entry.path),
                 [&] { return ::utimensat(AT_FDCWD, proc.c_str(), times.data(), 0); }));
  }
  return {};
}

}  // namespace belljar::run::snapshot
