#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <set>

#include "foundation/base/relative_path.h"
#include "foundation/base/sys.h"
#include "foundation/tree/replace.h"
#include "foundation/tree/tar.h"
#include "foundation/tree/utf8_names.h"

namespace belljar::tree {
namespace {

constexpr std::size_t kUnpackBlock = 64 << 10;

struct CloseReader {
  void operator()(::archive* reader) const { ::archive_read_free(reader); }
};
using TarReader = std::unique_ptr<::archive, CloseReader>;

Error Broken(::archive* reader) {
  const char* const why = ::archive_error_string(reader);
  return Error(Kind::kInvalid,
               fmt::format("not a tar archive: {}", why == nullptr ? "unreadable" : why));
}

Result<TarReader> OpenReader(const Fd& tar) {
  BJ_TRY(Check("lseek", "the archive", [&] { return ::lseek(tar.get(), 0, SEEK_SET); }));
  TarReader reader(::archive_read_new());
  if (!reader) return Error(Kind::kExhausted, "no memory to read an archive");
  ::archive_read_support_format_tar(reader.get());
  if (::archive_read_open_fd(reader.get(), tar.get(), kUnpackBlock) != ARCHIVE_OK) {
    return Broken(reader.get());
  }
  return reader;
}

struct Member {
  std::string path;  // checked
  bool directory = false;
  bool executable = false;
  std::uint64_t bytes = 0;
};

// Normalises names as tools write them: "./a/b/" becomes "a/b", "./" becomes "".
std::string Plain(std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  while (name.ends_with("/")) name.remove_suffix(1);
  return std::string(name == "." ? "" : name);
}

Result<Member> LookAt(::archive_entry* raw) {
  const char* const name = ::archive_entry_pathname(raw);
  if (name == nullptr) return Error(Kind::kInvalid, "an entry has a name that is not UTF-8");
  Member entry;
  entry.path = Plain(name);
  const auto refuse = [&](std::string_view why) {
    return Error(Kind::kInvalid, fmt::format("entry \"{}\" {}", entry.path, why));
  };
  if (::archive_entry_hardlink(raw) != nullptr || ::archive_entry_symlink(raw) != nullptr) {
    return refuse("is a link");
  }
  const auto type = ::archive_entry_filetype(raw);
  entry.directory = type == AE_IFDIR;
  if (!entry.directory && type != AE_IFREG) return refuse("is not a file or a directory");
  if (entry.path.empty()) return entry.directory ? Result<Member>(entry) : refuse("has no name");
  if (auto valid = CheckRelativePath(entry.path); !valid) {
    return std::move(valid).While("archive").error();
  }
  entry.executable = (::archive_entry_perm(raw) & 0100) != 0;
  const auto size = ::archive_entry_size(raw);
  if (size < 0) return refuse("has no size");
  entry.bytes = entry.directory ? 0 : static_cast<std::uint64_t>(size);
  return entry;
}

// Calls `each` for every entry; it may read the content or skip it.
Result<> ForEach(const Fd& tar, const std::function<Result<>(::archive*, const Member&)>& each) {
  const TarReader reader = BJ_TRY(OpenReader(tar));
  for (;;) {
    ::archive_entry* raw = nullptr;
    const int status = ::archive_read_next_header(reader.get(), &raw);
    if (status == ARCHIVE_EOF) return {};
    if (status != ARCHIVE_OK) return Broken(reader.get());
    const Member entry = BJ_TRY(LookAt(raw));
    BJ_TRY(each(reader.get(), entry));
  }
}

// Checks all entries of one archive together.
class Judgement {
 public:
  explicit Judgement(const Bounds& bounds) : bounds_(bounds) {}

  Result<> Accept(const Member& entry) {
    if (entry.path.empty()) return {};
    if (++entries_ > bounds_.entries) {
      return Error(Kind::kExhausted,
                   fmt::format("the archive has more than {} entries", bounds_.entries));
    }
    if (entry.bytes > bounds_.bytes - bytes_) {
      return Error(Kind::kExhausted,
                   fmt::format("the archive has more than {} bytes of content", bounds_.bytes));
    }
    bytes_ += entry.bytes;
    if (entry.directory) {
      directories_.insert(entry.path);
    } else if (!files_.insert(entry.path).second) {
      return Error(Kind::kInvalid, fmt::format("entry \"{}\" comes twice", entry.path));
    }
    return {};
  }

  // If a path were both a file and a directory, the order of the entries would matter.
  Result<> Conclude() const {
    for (const std::string& path : files_) {
      if (directories_.contains(path)) return TwoThings(path);
      for (auto at = path.find('/'); at != std::string::npos; at = path.find('/', at + 1)) {
        if (files_.contains(path.substr(0, at))) return TwoThings(path.substr(0, at));
      }
    }
    return {};
  }

 private:
  static Error TwoThings(const std::string& path) {
    return Error(Kind::kInvalid,
                 fmt::format("entry \"{}\" is a file and a directory at once", path));
  }

  const Bounds& bounds_;
  std::size_t entries_ = 0;
  std::uint64_t bytes_ = 0;
  std::set<std::string> files_;
  std::set<std::string> directories_;
};

Result<> WriteMember(::archive* reader, const Member& entry, const Fd& file) {
  std::array<char, kUnpackBlock> block;
  std::uint64_t left = entry.bytes;
  while (left > 0) {
    const auto n = ::archive_read_data(reader, block.data(), block.size());
    if (n < 0) return Broken(reader);
    if (n == 0 || static_cast<std::uint64_t>(n) > left) {
      return Error(Kind::kInvalid,
                   fmt::format("entry \"{}\" has another size than it says", entry.path));
    }
    BJ_TRY(WriteAll(file, {block.data(), static_cast<std::size_t>(n)}, entry.path));
    left -= static_cast<std::uint64_t>(n);
  }
  return {};
}

}  // namespace

Result<Unpacked> UnpackTar(const Fd& tar, const Fd& workspace, std::uint32_t uid,
                           const Bounds& bounds) {
  const Utf8Names names = BJ_TRY(Utf8Names::Create());
  Judgement judgement(bounds);
  BJ_TRY(ForEach(tar, [&](::archive*, const Member& entry) { return judgement.Accept(entry); }));
  BJ_TRY(judgement.Conclude());
  Unpacked done;
  Staged staged = BJ_TRY(Staged::Begin(workspace));
  const auto put = [&](::archive* reader, const Member& entry) -> Result<> {
    if (entry.path.empty()) return {};
    if (entry.directory) {
      ++done.directories;
      staged.AddDirectory({entry.path, uid});
      return {};
    }
    const Fd file = BJ_TRY(staged.Add({entry.path, uid, entry.executable ? 0755U : 0644U}));
    ++done.files;
    done.bytes += entry.bytes;
    return WriteMember(reader, entry, file);
  };
  BJ_TRY(ForEach(tar, put));
  BJ_TRY(staged.Place());
  return done;
}

}  // namespace belljar::tree
