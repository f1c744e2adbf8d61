#include "artefact/content.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "artefact/walk.h"
#include "base/sha256.h"
#include "base/sys.h"
#include "policy/quote.h"
#include "snapshot/beneath.h"

namespace belljar::artefact {
namespace {

constexpr std::size_t kPiece = 1 << 20;
constexpr mode_t kFileMode = 0444;
constexpr mode_t kDirMode = 0555;
constexpr std::string_view kListingHead = "belljar artefact tree 1\n";

std::string Spelled(const Digest& digest) { return "sha256:" + Hex(digest); }

// Hashes what passes by, and counts it.
class Reader {
 public:
  explicit Reader(const OnProgress& on_progress) : on_progress_(on_progress), piece_(kPiece) {}

  // Bytes of one file, to `to` if there is one: its digest.
  Result<Digest> Pass(const ReadPiece& read, const Fd* to, const std::string& path) {
    for (;;) {
      const std::size_t n = BJ_TRY(read(piece_));
      if (n == 0) break;
      seen_.bytes += n;
      if (seen_.bytes > kMaxBytes) return Error(Kind::kExhausted, "there is more than 1 TiB of it");
      hasher_.Add({piece_.data(), n});
      if (to != nullptr) BJ_TRY(WriteAll(*to, {piece_.data(), n}, path));
      if (on_progress_) on_progress_(seen_);
    }
    ++seen_.files;
    return hasher_.Finish();
  }

  Result<Digest> PassFile(const Fd& from, const Fd* to, const std::string& path) {
    const auto read = [&](std::span<char> piece) -> Result<std::size_t> {
      const long n = BJ_TRY(
          Check("read", path, [&] { return ::read(from.get(), piece.data(), piece.size()); }));
      return static_cast<std::size_t>(n);
    };
    return Pass(read, to, path);
  }

  const Progress& seen() const { return seen_; }

 private:
  const OnProgress& on_progress_;
  std::vector<char> piece_;
  Sha256 hasher_;
  Progress seen_;
};

Result<struct stat> StatOf(const Fd& fd, const std::string& path) {
  struct stat status {};
  BJ_TRY(Check("stat", path, [&] { return ::fstat(fd.get(), &status); }));
  return status;
}

Result<Fd> Create(const Fd& dir, const std::string& name) {
  return OpenBeneath(dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
}

Result<> Seal(const Fd& file, const std::string& path, mode_t mode) {
  BJ_TRY(Check("chmod", path, [&] { return ::fchmod(file.get(), mode); }));
  return {};
}

// A clone shares extents on the disk and no page of memory; it is hashed by what it holds.
Result<Digest> CopyFile(const Fd& from, const Fd& to, const std::string& path, Reader& reader) {
  const struct stat before = BJ_TRY(StatOf(from, path));
  const bool cloned = ::ioctl(to.get(), FICLONE, from.get()) == 0;
  auto digest = BJ_TRY(reader.PassFile(cloned ? to : from, cloned ? nullptr : &to, path));
  const struct stat after = BJ_TRY(StatOf(from, path));
  if (!snapshot::SameFile(before, after)) {
    return policy::Invalid("{} changed while it was read: stop what writes to it, and try again",
                           policy::Quote(path));
  }
  BJ_TRY(Seal(to, path, kFileMode));
  return digest;
}

// The lines of a tree, and what is made of them.
class Listing {
 public:
  void Directory(const std::string& path) { lines_.push_back(fmt::format("{}\tdir\n", path)); }
  void Link(const std::string& path, const std::string& target) {
    lines_.push_back(fmt::format("{}\tlink\t{}\n", path, target));
  }
  void File(const std::string& path, std::uint64_t size, const Digest& digest) {
    lines_.push_back(fmt::format("{}\tfile\t{}\t{}\n", path, size, Hex(digest)));
  }
  std::string Finish() {
    std::ranges::sort(lines_);
    Sha256 hasher;
    hasher.Add(kListingHead);
    for (const std::string& line : lines_) hasher.Add(line);
    return Spelled(hasher.Finish());
  }

 private:
  std::vector<std::string> lines_;  // a tab sorts before anything that a name may have in it
};

// Visits a tree, and makes another of it if there is a target.
class TreeReader {
 public:
  TreeReader(const Fd* target, const OnProgress& on_progress)
      : target_(target), reader_(on_progress) {}

  Result<Content> All(const Fd& root) {
    BJ_TRY(Walk(root, [&](const Place& place) { return Visit(place); }));
    if (target_ != nullptr) BJ_TRY(CloseDirectories());
    const Progress& seen = reader_.seen();
    return Content{Shape::kTree, listing_.Finish(), seen.files, seen.bytes};
  }

 private:
  Result<> Visit(const Place& place) {
    if (S_ISDIR(place.status.st_mode)) return VisitDirectory(place);
    if (S_ISLNK(place.status.st_mode)) return VisitLink(place);
    const Fd file =
        BJ_TRY(OpenBeneath(place.dir, place.name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW));
    const struct stat opened = BJ_TRY(StatOf(file, place.path));
    if (!snapshot::SameFile(place.status, opened)) {
      return policy::Invalid("{} was replaced while it was read: try again",
                             policy::Quote(place.path));
    }
    const std::uint64_t before = reader_.seen().bytes;
    Digest digest{};
    if (target_ == nullptr) {
      digest = BJ_TRY(reader_.PassFile(file, nullptr, place.path));
    } else {
      const Fd to = BJ_TRY(Create(*target_, place.path));
      digest = BJ_TRY(CopyFile(file, to, place.path, reader_));
    }
    listing_.File(place.path, reader_.seen().bytes - before, digest);
    return {};
  }

  Result<> VisitDirectory(const Place& place) {
    listing_.Directory(place.path);
    if (target_ == nullptr) return {};
    BJ_TRY(MakeDirsBeneath(*target_, place.path, 0700));
    directories_.push_back(place.path);
    return {};
  }

  Result<> VisitLink(const Place& place) {
    const std::string target = BJ_TRY(LinkWithin(place));
    listing_.Link(place.path, target);
    if (target_ == nullptr) return {};
    const std::string parent(snapshot::ParentOf(place.path));
    const Fd dir =
        BJ_TRY(OpenBeneath(*target_, parent.empty() ? "." : parent, O_PATH | O_DIRECTORY));
    BJ_TRY(Check("symlink", place.path,
                 [&] { return ::symlinkat(target.c_str(), dir.get(), place.name.c_str()); }));
    return {};
  }

  // From the leaves up: into what is closed nothing more can be put.
  Result<> CloseDirectories() {
    std::ranges::sort(directories_, std::greater<>());
    for (const std::string& path : directories_) {
      const Fd dir = BJ_TRY(OpenBeneath(*target_, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
      BJ_TRY(Seal(dir, path, kDirMode));
    }
    return Seal(*target_, "the tree", kDirMode);
  }

  const Fd* target_;
  Reader reader_;
  Listing listing_;
  std::vector<std::string> directories_;
};

Result<Content> CopyTree(const Fd& source, const Fd& dir, const OnProgress& on_progress) {
  const Fd root = BJ_TRY(OpenBeneath(source, ".", O_RDONLY | O_DIRECTORY));
  const Fd target = BJ_TRY(MakeDirsBeneath(dir, kContent, 0700));
  const Fd writable = BJ_TRY(OpenBeneath(target, ".", O_RDONLY | O_DIRECTORY));
  return TreeReader(&writable, on_progress).All(root);
}

}  // namespace

std::string_view ShapeName(Shape shape) { return shape == Shape::kTree ? "tree" : "file"; }

Result<Content> CopyContent(const Fd& source, const std::string& called, const Fd& dir,
                            const OnProgress& on_progress) {
  const struct stat status = BJ_TRY(StatOf(source, called));
  if (S_ISDIR(status.st_mode)) return CopyTree(source, dir, on_progress);
  BJ_TRY(CheckKind(status, called));
  // By the descriptor: whatever its name leads to by now, this is the one that was looked at.
  const Fd from = BJ_TRY(Open(snapshot::ProcPath(source), O_RDONLY | O_NONBLOCK | O_NOCTTY));
  const Fd to = BJ_TRY(Create(dir, kContent));
  Reader reader(on_progress);
  const auto digest = BJ_TRY(CopyFile(from, to, called, reader));
  return Content{Shape::kFile, Spelled(digest), 1, reader.seen().bytes};
}

Result<Content> WriteContent(const ReadPiece& read, const Fd& dir, const OnProgress& on_progress) {
  const Fd to = BJ_TRY(Create(dir, kContent));
  Reader reader(on_progress);
  const auto digest = BJ_TRY(reader.Pass(read, &to, "the upload"));
  BJ_TRY(Seal(to, "the upload", kFileMode));
  return Content{Shape::kFile, Spelled(digest), 1, reader.seen().bytes};
}

Result<Content> ReadContent(const Fd& dir, const OnProgress& on_progress) {
  const Fd content = BJ_TRY(OpenBeneath(dir, kContent, O_RDONLY | O_NONBLOCK | O_NOFOLLOW));
  const struct stat status = BJ_TRY(StatOf(content, kContent));
  if (S_ISDIR(status.st_mode)) return TreeReader(nullptr, on_progress).All(content);
  BJ_TRY(CheckKind(status, kContent));
  Reader reader(on_progress);
  const auto digest = BJ_TRY(reader.PassFile(content, nullptr, kContent));
  return Content{Shape::kFile, Spelled(digest), 1, reader.seen().bytes};
}

}  // namespace belljar::artefact
