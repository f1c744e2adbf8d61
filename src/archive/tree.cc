#include "archive/tree.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/sys.h"

namespace belljar::archive {
namespace {

namespace fs = std::filesystem;

struct FreeTreeWriter {
  void operator()(::archive* writer) const { ::archive_write_free(writer); }
};
struct FreeTreeEntry {
  void operator()(::archive_entry* entry) const { ::archive_entry_free(entry); }
};
using EntryPtr = std::unique_ptr<::archive_entry, FreeTreeEntry>;

class TreePacker {
 public:
  TreePacker(std::string root, const Sink& sink) : root_(std::move(root)), sink_(sink) {}

  Result<> Open() {
    writer_.reset(::archive_write_new());
    if (!writer_) return Error(Kind::kExhausted, "no memory to write an archive");
    // Names as the bytes that they are, of any length.
    ::archive_write_set_format_gnutar(writer_.get());
    ::archive_write_set_bytes_per_block(writer_.get(), kTreeBlock);
    ::archive_write_set_bytes_in_last_block(writer_.get(), 1);
    const int opened = ::archive_write_open(writer_.get(), this, nullptr, Hand, nullptr);
    return Judge(opened);
  }

  Result<> AddAll() {
    std::error_code failed;
    fs::recursive_directory_iterator at(root_, failed);
    for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
      BJ_TRY(Add(at->path().string()));
    }
    if (failed) return SysError("list", root_, failed.value());
    return {};
  }

  Result<> Add(const AddedFile& file) {
    const EntryPtr entry = BJ_TRY(NewEntry(file.path));
    ::archive_entry_set_filetype(entry.get(), AE_IFREG);
    ::archive_entry_set_perm(entry.get(), file.mode);
    ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.content.size()));
    BJ_TRY(Judge(::archive_write_header(writer_.get(), entry.get())));
    return Write(file.content);
  }

  Result<> Close() { return Judge(::archive_write_close(writer_.get())); }

 private:
  static constexpr int kTreeBlock = 256 << 10;

  // As in pack.cc: libarchive is not told of an error of the sink, which is kept here.
  static la_ssize_t Hand(::archive*, void* self, const void* bytes, std::size_t size) {
    auto& packer = *static_cast<TreePacker*>(self);
    if (packer.stopped_) return static_cast<la_ssize_t>(size);
    const auto given = packer.sink_({static_cast<const char*>(bytes), size});
    if (!given) packer.stopped_ = given.error();
    return static_cast<la_ssize_t>(size);
  }

  Result<> Judge(int status) const {
    if (stopped_) return *stopped_;
    if (status >= ARCHIVE_WARN) return {};
    const char* const why = ::archive_error_string(writer_.get());
    return Error(Kind::kInternal, why == nullptr ? "cannot write the archive" : why);
  }

  static Result<EntryPtr> NewEntry(const std::string& path) {
    EntryPtr entry(::archive_entry_new());
    if (!entry) return Error(Kind::kExhausted, "no memory to write an archive");
    ::archive_entry_set_pathname(entry.get(), path.c_str());
    return entry;
  }

  Result<> Add(const std::string& path) {
    struct stat status {};
    BJ_TRY(Check("stat", path, [&] { return ::lstat(path.c_str(), &status); }));
    const EntryPtr entry = BJ_TRY(NewEntry(path.substr(root_.size() + 1)));
    ::archive_entry_copy_stat(entry.get(), &status);
    ::archive_entry_set_uid(entry.get(), 0);
    ::archive_entry_set_gid(entry.get(), 0);
    ::archive_entry_set_nlink(entry.get(), 1);
    if (S_ISLNK(status.st_mode)) {
      std::error_code failed;
      const std::string target = fs::read_symlink(path, failed).string();
      if (failed) return SysError("readlink", path, failed.value());
      ::archive_entry_set_symlink(entry.get(), target.c_str());
      ::archive_entry_set_size(entry.get(), 0);
    } else if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
      return Error(Kind::kInvalid, path + " is neither a file nor a directory nor a link");
    }
    BJ_TRY(Judge(::archive_write_header(writer_.get(), entry.get())));
    return S_ISREG(status.st_mode) ? Content(path) : Result<>();
  }

  Result<> Content(const std::string& path) {
    const Fd file = BJ_TRY(belljar::Open(path, O_RDONLY | O_NOFOLLOW));
    for (;;) {
      const long n = BJ_TRY(
          Check("read", path, [&] { return ::read(file.get(), block_.data(), block_.size()); }));
      if (n == 0) return {};
      BJ_TRY(Write({block_.data(), static_cast<std::size_t>(n)}));
    }
  }

  Result<> Write(std::string_view bytes) {
    const auto taken = ::archive_write_data(writer_.get(), bytes.data(), bytes.size());
    return Judge(taken < 0 ? ARCHIVE_FATAL : ARCHIVE_OK);
  }

  std::string root_;
  const Sink& sink_;
  std::optional<Error> stopped_;
  std::array<char, 64 << 10> block_;
  std::unique_ptr<::archive, FreeTreeWriter> writer_;  // hands out its last bytes when it is freed
};

}  // namespace

Result<> PackTree(const std::string& root, const std::vector<AddedFile>& added, const Sink& sink) {
  const auto packer = std::make_unique<TreePacker>(root, sink);
  BJ_TRY(packer->Open());
  BJ_TRY(packer->AddAll());
  for (const AddedFile& file : added) BJ_TRY(packer->Add(file));
  return packer->Close();
}

}  // namespace belljar::archive
