#include "resource/artefact/content.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "foundation/base/quote.h"
#include "foundation/base/relative_path.h"
#include "foundation/base/sys.h"
#include "foundation/tree/copy.h"
#include "foundation/tree/path.h"

namespace belljar::resource::artefact {
namespace {

constexpr std::size_t kPiece = 1 << 20;
constexpr mode_t kFileMode = 0444;
constexpr mode_t kDirMode = 0555;
constexpr tree::Bounds kBounds = {100'000, std::uint64_t{1} << 40};
constexpr std::string_view kListingHead = "belljar artefact tree 1\n";

std::string Spelled(const Digest& digest) { return "sha256:" + Hex(digest); }

Result<Fd> Create(const Fd& dir) {
  return OpenBeneath(dir, kContent, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
}

Result<> Seal(const Fd& file, mode_t mode) {
  BJ_TRY(Check("chmod", kContent, [&] { return ::fchmod(file.get(), mode); }));
  return {};
}

// Checks that the target of a link stays in the tree.
Result<> CheckLink(const std::string& path, const std::string& target) {
  const auto refuse = [&](std::string_view why) {
    return Invalid("the link {} to {} {}", Quote(path), Quote(target), why);
  };
  if (target.size() > kMaxPathBytes || FindControl(target) != std::string::npos) {
    return refuse("is too long, or has control characters in it");
  }
  switch (tree::FaultOfLink(path, target)) {
    case tree::LinkFault::kAbsolute:
      return refuse("is absolute; links of an artefact stay in it");
    case tree::LinkFault::kLeaves:
    case tree::LinkFault::kBehindAName:
      return refuse("leaves the artefact");
    case tree::LinkFault::kNone:
      break;
  }
  return {};
}

// The listing of a tree, and its digest.
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
  std::vector<std::string> lines_;  // a tab sorts before every character of a name
};

// Receives the entries of a tree, or of a file, while it is read.
class Reading {
 public:
  explicit Reading(const OnProgress& on_progress) : on_progress_(on_progress) {}

  tree::Listener Listener() {
    return {.on_node = [this](const std::string& path,
                              tree::Node node) { return Add(path, std::move(node)); },
            .check_link = CheckLink,
            .on_bytes = [this](std::uint64_t bytes) { return Count(bytes); }};
  }
  Result<> Count(std::uint64_t bytes) {
    seen_.bytes += bytes;
    if (seen_.bytes > kBounds.bytes)
      return Error(Kind::kExhausted, "there is more than 1 TiB of it");
    if (on_progress_) on_progress_(seen_);
    return {};
  }
  Content Tree() { return {Shape::kTree, listing_.Finish(), seen_.files, seen_.bytes}; }
  Content File(const Digest& digest) const {
    return {Shape::kFile, Spelled(digest), 1, seen_.bytes};
  }

 private:
  Result<> Add(const std::string& path, tree::Node node) {
    if (S_ISDIR(node.status.st_mode)) {
      listing_.Directory(path);
    } else if (S_ISLNK(node.status.st_mode)) {
      listing_.Link(path, node.target);
    } else {
      ++seen_.files;
      listing_.File(path, node.content.bytes, node.content.digest);
    }
    return {};
  }

  const OnProgress& on_progress_;
  Listing listing_;
  Progress seen_;
};

Result<Content> CopyWhole(const Fd& source, const Fd& dir, Reading& reading) {
  BJ_TRY(MakeDirsBeneath(dir, kContent, 0700));
  const Fd target = BJ_TRY(tree::OpenDirectory(dir, kContent, O_RDONLY));
  const tree::CopyStyle style{.rules = TreeRules(),
                              .file_mode = kFileMode,
                              .directory_mode = kDirMode,
                              .times = tree::Take::kNo,
                              .cloning = tree::Cloning::kTried};
  tree::Budget budget(TreeBounds());
  BJ_TRY(tree::CopyTree(source, target, style, budget, reading.Listener()));
  BJ_TRY(Seal(target, kDirMode));
  return reading.Tree();
}

Result<Content> ReadFile(const Fd& from, const Fd* to, const std::string& called,
                         Reading& reading) {
  const auto content =
      BJ_TRY(tree::CopyFile(from, to, called, tree::Cloning::kTried,
                            [&](std::uint64_t bytes) { return reading.Count(bytes); }));
  if (to != nullptr) BJ_TRY(Seal(*to, kFileMode));
  return reading.File(content.digest);
}

}  // namespace

std::string_view ShapeName(Shape shape) { return shape == Shape::kTree ? "tree" : "file"; }

const tree::Rules& TreeRules() {
  static const tree::Rules rules{.holder = "an artefact",
                                 .kinds = tree::kFile | tree::kDirectory | tree::kLink,
                                 .hard_links = tree::Take::kYes};
  return rules;
}

tree::Bounds TreeBounds() { return kBounds; }

Result<Content> CopyContent(const Fd& source, const std::string& called, const Fd& dir,
                            const OnProgress& on_progress) {
  Reading reading(on_progress);
  const struct stat status = BJ_TRY(tree::StatOf(source, called));
  if (S_ISDIR(status.st_mode)) return CopyWhole(source, dir, reading);
  BJ_TRY(tree::CheckKind(TreeRules(), status, called));
  // Opened by descriptor, so that it is the inode checked above even if its name was replaced.
  const Fd from = BJ_TRY(Open(tree::ProcPath(source), O_RDONLY | O_NONBLOCK | O_NOCTTY));
  const Fd to = BJ_TRY(Create(dir));
  return ReadFile(from, &to, called, reading);
}

Result<Content> WriteContent(const ReadPiece& read, const Fd& dir, const OnProgress& on_progress) {
  const Fd to = BJ_TRY(Create(dir));
  Reading reading(on_progress);
  Sha256 hasher;
  std::vector<char> piece(kPiece);
  for (;;) {
    const std::size_t n = BJ_TRY(read(piece));
    if (n == 0) break;
    BJ_TRY(reading.Count(n));
    hasher.Add({piece.data(), n});
    BJ_TRY(WriteAll(to, {piece.data(), n}, "the upload"));
  }
  BJ_TRY(Seal(to, kFileMode));
  return reading.File(hasher.Finish());
}

Result<Content> ReadContent(const Fd& dir, const OnProgress& on_progress) {
  Reading reading(on_progress);
  const Fd content = BJ_TRY(OpenBeneath(dir, kContent, O_RDONLY | O_NONBLOCK | O_NOFOLLOW));
  const struct stat status = BJ_TRY(tree::StatOf(content, kContent));
  if (S_ISDIR(status.st_mode)) {
    tree::Budget budget(TreeBounds());
    BJ_TRY(tree::ReadTree(content, TreeRules(), budget, reading.Listener()));
    return reading.Tree();
  }
  BJ_TRY(tree::CheckKind(TreeRules(), status, kContent));
  return ReadFile(content, nullptr, kContent, reading);
}

}  // namespace belljar::resource::artefact
