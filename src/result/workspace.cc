#include "result/workspace.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <span>

#include "base/scratch.h"
#include "base/sys.h"
#include "base/text.h"

namespace belljar::result {
namespace {

std::atomic<unsigned> left_out{0};
bool Insists(FetchCheck check) { return (left_out & static_cast<unsigned>(check)) == 0; }

// O_NONBLOCK: a FIFO would otherwise wait for a writer.
Result<Fd> OpenForFetch(const Fd& workspace, const std::string& path) {
  if (Insists(FetchCheck::kBeneath)) {
    return OpenBeneath(workspace, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  }
  const long file = BJ_TRY(Check("open", path, [&] {
    return ::openat(workspace.get(), path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }));
  return Fd(static_cast<int>(file));
}

// Entries are taken from it before another directory is read.
std::span<char> DirScratch() { return ThreadScratch<struct OfListings, 32 << 10>(); }

FileState StateOf(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_size),
          // Not the time of modification, which a program can set as it likes.
          status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec, status.st_ino};
}

// The size of a directory that has no directories in it.
std::optional<std::uint64_t> SizeOf(const Fd& dir) {
  struct stat status {};
  if (::fstat(dir.get(), &status) != 0 || status.st_nlink != 2) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

// One directory of a listing that is still to be read: its path, for thousands of descriptors are
// not ours to take.
struct Pending {
  std::string prefix;  // "" or "a/b/"
  std::size_t depth;
};

class Lister {
 public:
  explicit Lister(const Fd& workspace) : workspace_(workspace) {}

  Listing Run(const std::optional<std::uint64_t>& size_when_empty) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    listing_.begun_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    if (!size_when_empty || SizeOf(workspace_) != size_when_empty) pending_.push_back({"", 0});
    while (!pending_.empty()) {
      const Pending next = std::move(pending_.back());
      pending_.pop_back();
      Read(next);
    }
    return std::move(listing_);
  }

 private:
  void Read(const Pending& at) {
    const auto dir = OpenBeneath(workspace_, at.prefix.empty() ? "." : at.prefix,
                                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK);
    if (!dir) {
      listing_.incomplete = true;
      return;
    }
    // Not by opendir(), which asks four more questions and clears a buffer each time.
    const std::span<char> entries = DirScratch();
    for (;;) {
      const ssize_t size = ::getdents64(dir->get(), entries.data(), entries.size());
      if (size < 0) listing_.incomplete = true;
      if (size <= 0) return;
      SeeAll(*dir, at, entries.first(static_cast<std::size_t>(size)));
    }
  }

  void SeeAll(const Fd& dir, const Pending& at, std::span<const char> entries) {
    while (!entries.empty()) {
      const char* const entry = entries.data();
      unsigned short length = 0;
      std::memcpy(&length, entry + offsetof(dirent64, d_reclen), sizeof(length));
      const std::string_view name = entry + offsetof(dirent64, d_name);
      if (name != "." && name != "..") See(dir.get(), at, std::string(name));
      entries = entries.subspan(length);
    }
  }

  void See(int dir, const Pending& at, const std::string& name) {
    // The bound also holds for directories, which are not listed themselves.
    names_bytes_ += at.prefix.size() + name.size();
    if (++seen_ > kMaxListedFiles || names_bytes_ > kMaxListedBytes ||
        !CheckRelativePath(at.prefix + name)) {
      listing_.incomplete = true;
      return;
    }
    struct stat status {};
    if (::fstatat(dir, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (S_ISDIR(status.st_mode)) {
      Enter(at, name);
      return;
    }
    const FileState state = StateOf(status);
    if (S_ISREG(status.st_mode)) {
      listing_.largest_bytes = std::max(listing_.largest_bytes, state.size);
    }
    listing_.files.emplace(at.prefix + name, state);
  }

  void Enter(const Pending& at, const std::string& name) {
    if (at.depth + 1 > kMaxListedDepth) {
      listing_.incomplete = true;
      return;
    }
    pending_.push_back({at.prefix + name + "/", at.depth + 1});
  }

  const Fd& workspace_;
  Listing listing_;
  std::vector<Pending> pending_;
  std::size_t seen_ = 0;
  std::size_t names_bytes_ = 0;
};

Result<> GiveParents(const Fd& workspace, const std::string& path, std::uint32_t uid) {
  for (std::size_t at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
    const Fd dir = BJ_TRY(MakeDirsBeneath(workspace, path.substr(0, at), 0755));
    BJ_TRY(
        Check("chown", path, [&] { return ::fchownat(dir.get(), "", uid, uid, AT_EMPTY_PATH); }));
  }
  return {};
}

}  // namespace

Result<> PutFiles(const Fd& workspace, const std::vector<policy::InputFile>& files,
                  std::uint32_t uid) {
  for (const policy::InputFile& input : files) {
    BJ_TRY(GiveParents(workspace, input.path, uid));
    const Fd file = BJ_TRY(OpenBeneath(workspace, input.path, O_WRONLY | O_CREAT | O_EXCL, 0644));
    BJ_TRY(WriteAll(file, input.bytes, input.path));
    BJ_TRY(Check("chown", input.path, [&] { return ::fchown(file.get(), uid, uid); }));
  }
  return {};
}

void LeaveOut(FetchCheck check) { left_out |= static_cast<unsigned>(check); }

std::optional<std::uint64_t> SizeWhenEmpty(const Fd& workspace) {
  struct statfs fs {};
  if (::fstatfs(workspace.get(), &fs) != 0 || fs.f_type != TMPFS_MAGIC) return std::nullopt;
  const Listing listing = List(workspace);
  return listing.files.empty() && !listing.incomplete ? SizeOf(workspace) : std::nullopt;
}

Listing List(const Fd& workspace, const std::optional<std::uint64_t>& size_when_empty) {
  return Lister(workspace).Run(size_when_empty);
}

FileChanges Compare(const Listing& before, const Listing& after) {
  FileChanges changes;
  for (const auto& [path, state] : after.files) {
    const auto old = before.files.find(path);
    if (old == before.files.end()) {
      changes.created.push_back(path);
    } else if (old->second != state) {
      changes.changed.push_back(path);
    }
  }
  for (const auto& [path, state] : before.files) {
    if (!after.files.contains(path)) changes.deleted.push_back(path);
  }
  changes.incomplete = after.incomplete;
  return changes;
}

Result<std::string> Fetch(const Fd& workspace, const std::string& path, std::uint64_t max_bytes) {
  BJ_TRY(CheckRelativePath(path));
  const Fd file = BJ_TRY(OpenForFetch(workspace, path));
  struct stat status {};
  BJ_TRY(Check("fstat", path, [&] { return ::fstat(file.get(), &status); }));
  if (Insists(FetchCheck::kRegular) && !S_ISREG(status.st_mode)) {
    return Error(Kind::kInvalid, path + " is not a regular file");
  }
  if (Insists(FetchCheck::kOneLink) && status.st_nlink != 1) {
    return Error(Kind::kInvalid, path + " has more than one link");
  }
  if (static_cast<std::uint64_t>(status.st_size) > max_bytes) {
    return Error(Kind::kExhausted, path + " is larger than the " + std::to_string(max_bytes) +
                                       " bytes left to fetch");
  }
  return ReadAll(file, max_bytes, path);
}

}  // namespace belljar::result
