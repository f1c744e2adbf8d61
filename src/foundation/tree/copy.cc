#include "foundation/tree/copy.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <limits>
#include <map>
#include <span>

#include "foundation/base/quote.h"
#include "foundation/base/scratch.h"
#include "foundation/base/sys.h"

namespace belljar::tree {
namespace {

constexpr std::size_t kPiece = 256 << 10;
constexpr std::size_t kRangeBytes = 1U << 30;
constexpr std::uint64_t kToTheEnd = std::numeric_limits<off_t>::max();

// Copies and hashes exactly as many bytes as the file's size says.
Result<Content> HashBytes(const Fd& file, const Fd* to, std::uint64_t size, const std::string& path,
                          const OnBytes& on_bytes) {
  Sha256 hasher;
  Content content;
  const Sink sink = [&](std::string_view bytes) -> Result<> {
    content.bytes += bytes.size();
    if (content.bytes > size) return ChangedMeanwhile(Quote(path));
    hasher.Add(bytes);
    if (to != nullptr) BJ_TRY(WriteAll(*to, bytes, path));
    return on_bytes ? on_bytes(bytes.size()) : Result<>();
  };
  BJ_TRY(ReadBytes(file, {0, size + 1}, path, sink));
  content.digest = hasher.Finish();
  return content;
}

// `seen`: the status of the file when it was examined.
Result<Content> CopyUnchanged(const Fd& from, const Fd* to, const struct stat& seen,
                              const std::string& path, Cloning cloning, const OnBytes& on_bytes) {
  const bool cloned = to != nullptr && cloning == Cloning::kTried && Clone(from, *to);
  const auto size = static_cast<std::uint64_t>(seen.st_size);
  const Content content =
      BJ_TRY(HashBytes(cloned ? *to : from, cloned ? nullptr : to, size, path, on_bytes));
  const struct stat after = BJ_TRY(StatOf(from, path));
  if (!SameFile(seen, after)) return ChangedMeanwhile(Quote(path));
  return content;
}

// Reads one tree, and writes another if there is a target.
class TreeReader : public Visitor {
 public:
  TreeReader(const Fd* target, const CopyStyle& style, Budget& budget, const Listener& listener)
      : target_(target), style_(style), budget_(budget), listener_(listener) {}

  Result<Next> See(const Entry& entry) override {
    Node node{entry.status, {}, {}};
    switch (KindOfMode(entry.status.st_mode)) {
      case kDirectory:
        BJ_TRY(MakeDirectory(entry));
        break;
      case kLink:
        BJ_TRY(TakeLink(entry, node));
        break;
      default:
        BJ_TRY(TakeFile(entry, node));
        break;
    }
    BJ_TRY(listener_.on_node(entry.path, std::move(node)));
    return Next::kGoOn;
  }

  Result<> Enter(const Fd& dir, const std::string& path) override {
    if (target_ == nullptr) return {};
    into_ = BJ_TRY(OpenDirectory(*target_, path, O_PATH));
    if (path.empty()) return {};
    left_[path] = BJ_TRY(StatOf(dir, path));
    return {};
  }

  // A directory's mode is set after its content is written, because the mode may forbid writing.
  Result<> Leave(const std::string& path) override {
    if (target_ == nullptr || path.empty()) return {};
    const auto left = left_.extract(path);
    const Fd made = BJ_TRY(OpenDirectory(*target_, path, O_RDONLY));
    return Finish(made, path, left.mapped(), style_.directory_mode);
  }

 private:
  static constexpr mode_t kPermissions = 0777;

  Result<> MakeDirectory(const Entry& entry) {
    if (target_ == nullptr) return {};
    BJ_TRY(Check("mkdir", entry.path,
                 [&] { return ::mkdirat(into_.get(), entry.name.c_str(), 0700); }));
    return Give(entry);
  }

  Result<> TakeLink(const Entry& entry, Node& node) {
    node.target = BJ_TRY(ReadLink(entry.dir, entry.name, entry.path));
    if (listener_.check_link) BJ_TRY(listener_.check_link(entry.path, node.target));
    if (target_ == nullptr) return {};
    BJ_TRY(budget_.TakeBytes(node.target.size()));
    BJ_TRY(Check("symlink", entry.path, [&] {
      return ::symlinkat(node.target.c_str(), into_.get(), entry.name.c_str());
    }));
    return Give(entry);
  }

  Result<> TakeFile(const Entry& entry, Node& node) {
    const Fd from = BJ_TRY(OpenFile(entry.dir, entry.name));
    const struct stat opened = BJ_TRY(StatOf(from, entry.path));
    if (!SameFile(entry.status, opened)) return ChangedMeanwhile(Quote(entry.path));
    BJ_TRY(budget_.TakeBytes(static_cast<std::uint64_t>(opened.st_size)));
    Fd to;
    if (target_ != nullptr) {
      to = BJ_TRY(OpenBeneath(into_, entry.name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
    }
    node.content = BJ_TRY(CopyUnchanged(from, to ? &to : nullptr, opened, entry.path,
                                        style_.cloning, listener_.on_bytes));
    if (!to) return {};
    BJ_TRY(Finish(to, entry.path, opened, style_.file_mode));
    return Give(entry);
  }

  Result<> Finish(const Fd& made, const std::string& path, const struct stat& of,
                  std::optional<mode_t> mode) const {
    if (style_.times == Take::kYes) {
      // Some file systems cannot store a time before 1970.
      const bool early = of.st_mtim.tv_sec < 0;
      const timespec times[2] = {{0, UTIME_OMIT}, early ? timespec{0, 0} : of.st_mtim};
      BJ_TRY(Check("utimens", path, [&] { return ::futimens(made.get(), times); }));
    }
    const mode_t bits = mode.value_or(of.st_mode & kPermissions);
    BJ_TRY(Check("chmod", path, [&] { return ::fchmod(made.get(), bits); }));
    return {};
  }

  // Only root gives files away: those that an ordinary user makes are its own already.
  Result<> Give(const Entry& entry) const {
    if (!style_.owner || ::geteuid() != 0) return {};
    BJ_TRY(Check("chown", entry.path, [&] {
      return ::fchownat(into_.get(), entry.name.c_str(), *style_.owner, *style_.owner,
                        AT_SYMLINK_NOFOLLOW);
    }));
    return {};
  }

  const Fd* target_;
  const CopyStyle& style_;
  Budget& budget_;
  const Listener& listener_;
  Fd into_;                                  // the copy of the directory that is being read
  std::map<std::string, struct stat> left_;  // directories that the walk has not left yet
};

Result<> SeekTo(const Fd& fd, off_t offset, std::string_view called) {
  BJ_TRY(Check("seek in", called, [&] { return ::lseek(fd.get(), offset, SEEK_SET); }));
  return {};
}

// Copies within the kernel if the two file systems allow it, else through a buffer.
Result<> CopyExtent(const Fd& from, const Fd& to, Extent extent, std::string_view called) {
  auto at = static_cast<off_t>(extent.offset);
  auto to_at = at;
  const auto left = [&] { return extent.offset + extent.bytes - static_cast<std::uint64_t>(at); };
  while (left() > 0) {
    const std::size_t most = std::min<std::uint64_t>(left(), kRangeBytes);
    if (::copy_file_range(from.get(), &at, to.get(), &to_at, most, 0) <= 0) break;
  }
  if (left() == 0) return {};
  BJ_TRY(SeekTo(to, to_at, called));
  BJ_TRY(ReadBytes(from, {static_cast<std::uint64_t>(at), left()}, called,
                   [&](std::string_view bytes) { return WriteAll(to, bytes, called); }));
  return {};
}

}  // namespace

Result<std::optional<Extent>> NextData(const Fd& file, std::uint64_t from,
                                       std::string_view called) {
  const off_t data = ::lseek(file.get(), static_cast<off_t>(from), SEEK_DATA);
  if (data < 0 && errno == ENXIO) return std::optional<Extent>();
  if (data < 0 && errno == EINVAL) return std::optional(Extent{from, kToTheEnd - from});
  if (data < 0) return SysError("find data in", called, errno);
  const off_t hole = ::lseek(file.get(), data, SEEK_HOLE);
  if (hole <= data) return ChangedMeanwhile(called);
  return std::optional(
      Extent{static_cast<std::uint64_t>(data), static_cast<std::uint64_t>(hole - data)});
}

Result<std::uint64_t> ReadBytes(const Fd& file, Extent extent, std::string_view called,
                                const Sink& sink) {
  const std::span<char> piece = ThreadScratch<struct OfReading, kPiece>();
  std::uint64_t done = 0;
  while (done < extent.bytes) {
    const std::size_t want = std::min<std::uint64_t>(extent.bytes - done, piece.size());
    const auto n = static_cast<std::size_t>(BJ_TRY(Check("read", called, [&] {
      return ::pread(file.get(), piece.data(), want, static_cast<off_t>(extent.offset + done));
    })));
    if (n == 0) break;
    BJ_TRY(sink({piece.data(), n}));
    done += n;
  }
  return done;
}

bool Clone(const Fd& from, const Fd& to) { return ::ioctl(to.get(), FICLONE, from.get()) == 0; }

Result<> CloneOrCopy(const Fd& from, const Fd& to, std::string_view called) {
  if (Clone(from, to)) return {};
  for (std::uint64_t at = 0;;) {
    const auto data = BJ_TRY(NextData(from, at, called));
    if (!data) break;
    BJ_TRY(CopyExtent(from, to, *data, called));
    at = data->offset + data->bytes;
    if (at >= kToTheEnd) break;
  }
  const struct stat source = BJ_TRY(StatOf(from, called));
  const struct stat copy = BJ_TRY(StatOf(to, called));
  if (copy.st_size >= source.st_size) return {};
  BJ_TRY(Check("set the size of", called, [&] { return ::ftruncate(to.get(), source.st_size); }));
  return {};
}

Result<Content> CopyFile(const Fd& from, const Fd* to, const std::string& path, Cloning cloning,
                         const OnBytes& on_bytes) {
  const struct stat seen = BJ_TRY(StatOf(from, path));
  return CopyUnchanged(from, to, seen, path, cloning, on_bytes);
}

Result<> CopyTree(const Fd& from, const Fd& to, const CopyStyle& style, Budget& budget,
                  const Listener& listener) {
  TreeReader reader(&to, style, budget, listener);
  return Walk(from, style.rules, budget, reader);
}

Result<> ReadTree(const Fd& from, const Rules& rules, Budget& budget, const Listener& listener) {
  const CopyStyle style{.rules = rules};
  TreeReader reader(nullptr, style, budget, listener);
  return Walk(from, style.rules, budget, reader);
}

}  // namespace belljar::tree
