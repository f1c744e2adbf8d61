#include "vault/snapshot.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/sys.h"
#include "policy/quote.h"

namespace belljar::vault {
namespace {

constexpr mode_t kPermissions = 0777;
constexpr std::size_t kChunk = 1 << 16;

std::int64_t Nanoseconds(const timespec& time) {
  return time.tv_sec * 1'000'000'000LL + time.tv_nsec;
}

Node NodeOf(const struct stat& status) {
  Node node;
  node.kind = S_ISDIR(status.st_mode)   ? NodeKind::kDirectory
              : S_ISLNK(status.st_mode) ? NodeKind::kLink
                                        : NodeKind::kFile;
  node.mode = status.st_mode & kPermissions;
  node.size = static_cast<std::uint64_t>(status.st_size);
  node.mark = MarkOf(status);
  return node;
}

// Programs that build things go by it.
Result<> KeepTime(const Fd& made, const Node& of) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const std::int64_t time = std::max<std::int64_t>(of.mark.modified_ns, 0);
  const timespec times[2] = {{0, UTIME_OMIT}, {time / kSecond, time % kSecond}};
  BJ_TRY(Check("utimens", "a copy", [&] { return ::futimens(made.get(), times); }));
  return {};
}

// Writes one tree while another is walked.
class Copier {
 public:
  Copier(const Fd& staged, std::uint32_t owner, Budget& budget)
      : staged_(staged), owner_(owner), budget_(budget) {}

  Result<Tree> Run(const Fd& host) {
    BJ_TRY(Walk(host, budget_, [this](const Entry& entry) { return Take(entry); }));
    // Only now: what a directory's own mode forbids its owner had to be written before.
    for (auto dir = dirs_.rbegin(); dir != dirs_.rend(); ++dir) {
      const Fd made = BJ_TRY(OpenBeneath(staged_, *dir, O_RDONLY | O_DIRECTORY));
      const mode_t mode = tree_.at(*dir).mode;
      BJ_TRY(KeepTime(made, tree_.at(*dir)));
      BJ_TRY(Check("chmod", *dir, [&] { return ::fchmod(made.get(), mode); }));
    }
    return std::move(tree_);
  }

 private:
  Result<> Take(const Entry& entry) {
    const std::string parent = ParentOf(entry.path);
    if (!into_ || parent != parent_) {
      into_ = BJ_TRY(OpenBeneath(staged_, parent.empty() ? "." : parent, O_PATH | O_DIRECTORY));
      parent_ = parent;
    }
    Node node = NodeOf(entry.status);
    switch (node.kind) {
      case NodeKind::kDirectory:
        BJ_TRY(MakeDir(entry));
        break;
      case NodeKind::kLink:
        node.target = BJ_TRY(ReadLink(entry.dir, entry.name));
        BJ_TRY(MakeLink(entry, node.target));
        break;
      case NodeKind::kFile:
        BJ_TRY(CopyFile(entry, node));
        break;
    }
    tree_.emplace(entry.path, std::move(node));
    return {};
  }

  Result<> MakeDir(const Entry& entry) {
    BJ_TRY(Check("mkdir", entry.path,
                 [&] { return ::mkdirat(into_.get(), entry.name.c_str(), 0700); }));
    dirs_.push_back(entry.path);
    return Give(entry);
  }

  Result<> MakeLink(const Entry& entry, const std::string& target) {
    BJ_TRY(budget_.TakeBytes(target.size()));
    BJ_TRY(Check("symlink", entry.path,
                 [&] { return ::symlinkat(target.c_str(), into_.get(), entry.name.c_str()); }));
    return Give(entry);
  }

  Result<> CopyFile(const Entry& entry, Node& node) {
    const Fd from = BJ_TRY(OpenFile(entry.dir, entry.name));
    struct stat before {};
    BJ_TRY(Check("stat", entry.path, [&] { return ::fstat(from.get(), &before); }));
    node = NodeOf(before);
    BJ_TRY(budget_.TakeBytes(node.size));
    const Fd to = BJ_TRY(OpenBeneath(into_, entry.name, O_WRONLY | O_CREAT | O_EXCL, 0600));
    node.digest = BJ_TRY(Copy(from, &to, entry.path));
    struct stat after {};
    BJ_TRY(Check("stat", entry.path, [&] { return ::fstat(from.get(), &after); }));
    if (MarkOf(after) != node.mark) {
      return Error(Kind::kUnavailable,
                   policy::Quote(entry.path) + " changed while it was copied; try again");
    }
    BJ_TRY(KeepTime(to, node));
    BJ_TRY(Check("chmod", entry.path, [&] { return ::fchmod(to.get(), node.mode); }));
    return Give(entry);
  }

  // What an ordinary user makes is its own from the start.
  Result<> Give(const Entry& entry) {
    if (::geteuid() != 0) return {};
    BJ_TRY(Check("chown", entry.path, [&] {
      return ::fchownat(into_.get(), entry.name.c_str(), owner_, owner_, AT_SYMLINK_NOFOLLOW);
    }));
    return {};
  }

  const Fd& staged_;
  std::uint32_t owner_;
  Budget& budget_;
  Fd into_;  // the staged directory of what is being copied
  std::string parent_;
  std::vector<std::string> dirs_;
  Tree tree_;
};

}  // namespace

Mark MarkOf(const struct stat& status) {
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          Nanoseconds(status.st_mtim), Nanoseconds(status.st_ctim)};
}

// O_NONBLOCK: a name that has become a FIFO must not hold us.
Result<Fd> OpenFile(const Fd& dir, const std::string& path) {
  Fd file = BJ_TRY(OpenBeneath(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  BJ_TRY(Check("stat", path, [&] { return ::fstat(file.get(), &status); }));
  if (S_ISREG(status.st_mode)) return file;
  return Error(Kind::kInvalid, policy::Quote(path) + " is not a regular file any more");
}

// A file that grows while it is read is cut off by its budget: the size was taken before, and the
// kernel is asked for one byte more at the most.
Result<Digest> Copy(const Fd& from, const Fd* to, const std::string& path) {
  struct stat status {};
  BJ_TRY(Check("stat", path, [&] { return ::fstat(from.get(), &status); }));
  auto left = static_cast<std::uint64_t>(status.st_size);
  Sha256 hasher;
  std::vector<char> chunk(kChunk);
  while (left > 0) {
    const std::size_t want = std::min<std::uint64_t>(left, chunk.size());
    const long n =
        BJ_TRY(Check("read", path, [&] { return ::read(from.get(), chunk.data(), want); }));
    if (n == 0) break;  // shorter than it was: the mark tells
    const std::string_view bytes(chunk.data(), static_cast<std::size_t>(n));
    hasher.Add(bytes);
    if (to != nullptr) BJ_TRY(WriteAll(*to, bytes, path));
    left -= static_cast<std::uint64_t>(n);
  }
  return hasher.Finish();
}

Result<Tree> CopyIn(const Fd& host, const Fd& staged, std::uint32_t owner, Budget& budget) {
  return Copier(staged, owner, budget).Run(host);
}

Result<Tree> ReadTree(const Fd& root, Budget& budget) {
  Tree tree;
  const Visit read = [&](const Entry& entry) -> Result<> {
    Node node = NodeOf(entry.status);
    if (node.kind == NodeKind::kLink) {
      node.target = BJ_TRY(ReadLink(entry.dir, entry.name));
    } else if (node.kind == NodeKind::kFile) {
      BJ_TRY(budget.TakeBytes(node.size));
      const Fd file = BJ_TRY(OpenFile(entry.dir, entry.name));
      node.digest = BJ_TRY(Copy(file, nullptr, entry.path));
    }
    tree.emplace(entry.path, std::move(node));
    return {};
  };
  BJ_TRY(Walk(root, budget, read));
  return tree;
}

}  // namespace belljar::vault
