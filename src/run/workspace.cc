#include "run/workspace.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <atomic>
#include <chrono>

#include "foundation/base/sys.h"
#include "foundation/tree/path.h"
#include "foundation/tree/replace.h"
#include "foundation/tree/walk.h"

namespace belljar::run {
namespace {

std::atomic<unsigned> left_out{0};
bool Insists(FetchCheck check) { return (left_out & static_cast<unsigned>(check)) == 0; }

// Opens with O_NONBLOCK: opening a FIFO would otherwise block until a writer opens it.
Result<Fd> OpenForFetch(const Fd& workspace, const std::string& path) {
  if (Insists(FetchCheck::kBeneath)) {
    return OpenBeneath(workspace, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  }
  const long file = BJ_TRY(Check("open", path, [&] {
    return ::openat(workspace.get(), path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  }));
  return Fd(static_cast<int>(file));
}

FileState StateOf(const struct stat& status) {
  return {static_cast<std::uint64_t>(status.st_size),
          // ctime, because a program can set the mtime freely.
          status.st_ctim.tv_sec * 1'000'000'000 + status.st_ctim.tv_nsec, status.st_ino};
}

// The st_size of a directory without subdirectories; nullopt for others.
std::optional<std::uint64_t> SizeOf(const Fd& dir) {
  struct stat status {};
  if (::fstat(dir.get(), &status) != 0 || status.st_nlink != 2) return std::nullopt;
  return static_cast<std::uint64_t>(status.st_size);
}

class Lister : public tree::Visitor {
 public:
  Result<tree::Next> See(const tree::Entry& entry) override {
    if (S_ISDIR(entry.status.st_mode)) return tree::Next::kGoOn;
    const FileState state = StateOf(entry.status);
    if (S_ISREG(entry.status.st_mode)) {
      listing_.largest_bytes = std::max(listing_.largest_bytes, state.size);
    }
    listing_.files.emplace(entry.path, state);
    return tree::Next::kGoOn;
  }

  // A file that vanished after its name was read is not part of the listing, and does not make it
  // incomplete.
  Result<tree::Next> Refuse(tree::Refusal refusal) override {
    if (refusal.step == tree::Step::kStat) return tree::Next::kGoOn;
    listing_.incomplete = true;
    return refusal.step == tree::Step::kLength ? tree::Next::kEnd : tree::Next::kGoOn;
  }

  Listing Run(const Fd& workspace, const std::optional<std::uint64_t>& size_when_empty) {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    listing_.begun_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
    if (size_when_empty && SizeOf(workspace) == size_when_empty) return std::move(listing_);
    static const tree::Rules rules{.holder = "a listing",
                                   .kinds = tree::kAnyKind,
                                   .hard_links = tree::Take::kYes,
                                   .set_ids = tree::Take::kYes,
                                   .depth = kMaxListedDepth,
                                   .path_bytes = kMaxListedBytes};
    tree::Budget budget({kMaxListedFiles, 0});
    if (!tree::Walk(workspace, rules, budget, *this)) listing_.incomplete = true;
    return std::move(listing_);
  }

 private:
  Listing listing_;
};

}  // namespace

Result<> PutFiles(const Fd& workspace, const std::vector<request::InputFile>& files,
                  std::uint32_t uid) {
  for (const request::InputFile& input : files) {
    const std::string above(tree::ParentOf(input.path));
    if (!above.empty()) BJ_TRY(tree::MakeOwnedDirs(workspace, above, uid));
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
  return Lister().Run(workspace, size_when_empty);
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

}  // namespace belljar::run
