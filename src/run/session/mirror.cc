#include "run/session/mirror.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>

#include "foundation/base/fingerprint.h"
#include "foundation/base/sys.h"
#include "foundation/tree/copy.h"
#include "foundation/tree/path.h"
#include "foundation/tree/remove.h"

namespace belljar::run {
namespace {

constexpr std::string_view kTree = "/tree";
constexpr std::string_view kPart = "part";  // temporary file for the copy, beside the tree
constexpr std::int64_t kNanos = 1'000'000'000;
constexpr std::int64_t kTick = 20'000'000;  // nanoseconds; longer than any kernel's tick

std::int64_t NowNs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

// Whether a further change could still get the same timestamp.
bool IsYoung(const FileState& state, std::int64_t now_ns) {
  return state.changed_ns > now_ns - kTick;
}

std::string FingerprintOf(const Listing& listing) {
  Fingerprint print;
  for (const auto& [path, state] : listing.files) {
    print.Add(path);
    print.Add(state.size);
    print.Add(static_cast<std::uint64_t>(state.changed_ns));
    print.Add(state.inode);
  }
  return print.Text();
}

bool HasYoung(const Listing& listing) {
  return std::ranges::any_of(
      listing.files, [&](const auto& one) { return IsYoung(one.second, listing.begun_ns); });
}

}  // namespace

// One update of the mirror.
class Mirror::Round {
 public:
  Round(const Fd& workspace, Fd home, Fd tree, const MirrorBounds& bounds)
      : workspace_(workspace), home_(std::move(home)), tree_(std::move(tree)), bounds_(bounds) {}

  Result<Mirrored> Run(const Listing& listing) {
    const auto wanted = WithinBounds(listing);
    const auto there = BJ_TRY(TimesOfCopies());
    for (const auto& [path, state] : there) {
      if (!wanted.contains(path)) BJ_TRY(Drop(path));
    }
    for (const auto& [path, state] : wanted) BJ_TRY(Bring(path, *state, there));
    return done_;
  }

 private:
  using Wanted = std::map<std::string, const FileState*>;

  Wanted WithinBounds(const Listing& listing) {
    Wanted wanted;
    std::uint64_t bytes = 0;
    for (const auto& [path, state] : listing.files) {
      if (wanted.size() == bounds_.files || state.size > bounds_.bytes - bytes) {
        ++done_.left_out;
        continue;
      }
      bytes += state.size;
      wanted.emplace(path, &state);
    }
    return wanted;
  }

  // Size and original's ctime of each copy, by path.
  Result<std::map<std::string, FileState>> TimesOfCopies() {
    std::map<std::string, FileState> times;
    for (const auto& [path, state] : List(tree_).files) {
      const Fd copy = BJ_TRY(OpenBeneath(tree_, path, O_PATH | O_NOFOLLOW));
      struct stat status {};
      BJ_TRY(Check("stat", path, [&] { return ::fstat(copy.get(), &status); }));
      times[path] = {state.size, status.st_mtim.tv_sec * kNanos + status.st_mtim.tv_nsec, 0};
    }
    return times;
  }

  Result<> Bring(const std::string& path, const FileState& state,
                 const std::map<std::string, FileState>& there) {
    const auto copy = there.find(path);
    const bool known = copy != there.end();
    if (known && copy->second.size == state.size && copy->second.changed_ns == state.changed_ns) {
      ++done_.files;
      done_.bytes += state.size;
      return {};
    }
    const auto file = tree::OpenFile(workspace_, path, tree::Take::kNo);
    if (!file) {
      ++done_.left_out;
      return known ? Drop(path) : Result<>();
    }
    return Copy(*file, path, state);
  }

  Result<> Copy(const Fd& file, const std::string& path, const FileState& state) {
    const std::string part(kPart);
    ::unlinkat(home_.get(), part.c_str(), 0);  // left by an interrupted copy
    const Fd to = BJ_TRY(OpenBeneath(home_, part, O_WRONLY | O_CREAT | O_EXCL, 0600));
    const std::int64_t began_ns = NowNs();
    const std::uint64_t copied =
        BJ_TRY(tree::ReadBytes(file, {0, state.size}, path,
                               [&](std::string_view bytes) { return WriteAll(to, bytes, path); }));
    const std::int64_t told = IsYoung(state, began_ns) ? 0 : state.changed_ns;
    const timespec times[2] = {{told / kNanos, told % kNanos}, {told / kNanos, told % kNanos}};
    BJ_TRY(Check("utimens", path, [&] { return ::futimens(to.get(), times); }));
    BJ_TRY(MoveIntoPlace(path));
    ++done_.files;
    done_.bytes += copied;
    return {};
  }

  Result<> MoveIntoPlace(const std::string& path) {
    const std::string name(tree::NameOf(path));
    const Fd parent = BJ_TRY(MakeDirsBeneath(tree_, std::string(tree::ParentOf(path)), 0700));
    BJ_TRY(Check("rename", path, [&] {
      return ::renameat(home_.get(), std::string(kPart).c_str(), parent.get(), name.c_str());
    }));
    return {};
  }

  // Removes a file and the directories that become empty, since a file may have to take their
  // place.
  Result<> Drop(const std::string& path) {
    BJ_TRY(tree::RemoveBeneath(tree_, path));
    for (auto at = tree::ParentOf(path); !at.empty(); at = tree::ParentOf(at)) {
      const Fd dir = BJ_TRY(tree::OpenDirectory(tree_, std::string(tree::ParentOf(at)), O_RDONLY));
      const std::string name(tree::NameOf(at));
      if (::unlinkat(dir.get(), name.c_str(), AT_REMOVEDIR) != 0) break;
    }
    return {};
  }

  const Fd& workspace_;
  const Fd home_;
  const Fd tree_;
  const MirrorBounds& bounds_;
  Mirrored done_;
};

Result<Mirrored> Mirror::Update(const Fd& workspace) { return Update(workspace, List(workspace)); }

Result<Mirrored> Mirror::Update(const Fd& workspace, const Listing& listing) {
  const std::lock_guard lock(mutex_);
  std::string print = FingerprintOf(listing);
  if (closed_ || seen_ == print) return holds_;
  // Nothing was ever mirrored.
  if (listing.files.empty() && !seen_ && holds_ == Mirrored()) return holds_;
  Fd tree = BJ_TRY(OpenMirror(root_, id_));
  Fd home = BJ_TRY(OpenBeneath(root_, id_, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  seen_.reset();
  holds_ = BJ_TRY(Round(workspace, std::move(home), std::move(tree), bounds_).Run(listing));
  holds_.left_out += listing.incomplete ? 1 : 0;
  if (!HasYoung(listing)) seen_ = std::move(print);
  return holds_;
}

Result<> Mirror::Remove() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  holds_ = {};
  return RemoveMirror(root_, id_);
}

Result<Fd> OpenMirror(const Fd& root, const std::string& id) {
  return MakeDirsBeneath(root, id + std::string(kTree), 0700);
}

Result<> RemoveMirror(const Fd& root, const std::string& id) {
  auto removed = tree::RemoveBeneath(root, id);
  if (!removed && removed.error().kind() == Kind::kNotFound) return {};
  return removed;
}

}  // namespace belljar::run
