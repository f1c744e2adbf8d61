#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>

#include "archive/directory.h"
#include "archive/tar.h"
#include "archive/utf8_names.h"
#include "base/relative_path.h"
#include "base/sys.h"

namespace belljar::archive {
namespace {

constexpr std::size_t kPackBlock = 64 << 10;

struct CloseWriter {
  void operator()(::archive* writer) const { ::archive_write_free(writer); }
};
struct FreeEntry {
  void operator()(::archive_entry* entry) const { ::archive_entry_free(entry); }
};

class Packer {
 public:
  Packer(const Fd& workspace, const Bounds& bounds, const Sink& sink)
      : workspace_(workspace), bounds_(bounds), sink_(sink) {}

  Result<Packed> Measure() {
    BJ_TRY(Walk(""));
    return packed_;
  }

  Result<Packed> Run() {
    writer_.reset(::archive_write_new());
    if (!writer_) return Error(Kind::kExhausted, "no memory to write an archive");
    ::archive_write_set_format_pax_restricted(writer_.get());
    ::archive_write_set_bytes_per_block(writer_.get(), 0);
    if (::archive_write_open(writer_.get(), this, nullptr, Hand, nullptr) != ARCHIVE_OK) {
      return Failure();
    }
    BJ_TRY(Walk(""));
    if (::archive_write_close(writer_.get()) != ARCHIVE_OK || stopped_) return Failure();
    return packed_;
  }

 private:
  // libarchive gives bytes; the error that stops us is kept here. It is not told of it: after a
  // failed write it would not free what it holds.
  static la_ssize_t Hand(::archive*, void* self, const void* bytes, std::size_t size) {
    auto& packer = *static_cast<Packer*>(self);
    if (packer.stopped_) return static_cast<la_ssize_t>(size);
    const auto given = packer.sink_({static_cast<const char*>(bytes), size});
    if (!given) packer.stopped_ = given.error();
    return static_cast<la_ssize_t>(size);
  }

  Error Failure() const {
    if (stopped_) return *stopped_;
    const char* const why = ::archive_error_string(writer_.get());
    return Error(Kind::kInternal, why == nullptr ? "cannot write the archive" : why);
  }

  Result<> Walk(const std::string& prefix) {
    // In order, so that equal trees give equal archives.
    const auto names = NamesIn(workspace_, prefix, bounds_.entries + 1);
    if (!names) {  // gone since it was listed, or not to be opened
      ++packed_.left_out;
      return {};
    }
    for (const std::string& name : *names) {
      const std::string path = prefix + name;
      if (++seen_ > bounds_.entries) {
        packed_.cut = true;
        return {};
      }
      if (!CheckRelativePath(path)) {
        ++packed_.left_out;
        continue;
      }
      BJ_TRY(Add(path));
    }
    return {};
  }

  // O_NONBLOCK: a FIFO would otherwise wait for a writer.
  Result<> Add(const std::string& path) {
    const auto file = OpenBeneath(workspace_, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    struct stat status {};
    if (!file || ::fstat(file->get(), &status) != 0) {
      ++packed_.left_out;
      return {};
    }
    if (S_ISDIR(status.st_mode)) {
      BJ_TRY(Head(path + "/", status));
      return Walk(path + "/");
    }
    if (!S_ISREG(status.st_mode) || status.st_nlink != 1) {
      ++packed_.left_out;
      return {};
    }
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size > bounds_.bytes - bytes_) {
      packed_.cut = true;
      return {};
    }
    bytes_ += size;
    BJ_TRY(Head(path, status));
    ++packed_.files;
    return Content(*file, size, path);
  }

  Result<> Head(const std::string& path, const struct stat& status) {
    if (!writer_) return {};  // measuring
    const std::unique_ptr<::archive_entry, FreeEntry> entry(::archive_entry_new());
    if (!entry) return Error(Kind::kExhausted, "no memory to write an archive");
    ::archive_entry_set_pathname_utf8(entry.get(), path.c_str());
    // libarchive would go on with the null pointer.
    if (::archive_entry_pathname(entry.get()) == nullptr) {
      return Error(Kind::kInternal, "no archive can carry the name " + path);
    }
    ::archive_entry_set_filetype(entry.get(), S_ISDIR(status.st_mode) ? AE_IFDIR : AE_IFREG);
    ::archive_entry_set_perm(entry.get(), status.st_mode & 0777);
    ::archive_entry_set_mtime(entry.get(), status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    ::archive_entry_set_size(entry.get(), S_ISDIR(status.st_mode) ? 0 : status.st_size);
    if (::archive_write_header(writer_.get(), entry.get()) != ARCHIVE_OK || stopped_) {
      return Failure();
    }
    return {};
  }

  // As many bytes as the header has promised: a file that shrinks meanwhile is padded with zeros.
  Result<> Content(const Fd& file, std::uint64_t left, const std::string& path) {
    if (!writer_) return {};
    std::array<char, kPackBlock> block;
    while (left > 0) {
      const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(left, block.size()));
      const long n =
          BJ_TRY(Check("read", path, [&] { return ::read(file.get(), block.data(), most); }));
      if (n == 0) break;
      const auto taken =
          ::archive_write_data(writer_.get(), block.data(), static_cast<std::size_t>(n));
      if (taken < 0 || stopped_) return Failure();
      left -= static_cast<std::uint64_t>(n);
    }
    if (::archive_write_finish_entry(writer_.get()) != ARCHIVE_OK || stopped_) return Failure();
    return {};
  }

  const Fd& workspace_;
  const Bounds& bounds_;
  const Sink& sink_;
  std::optional<Error> stopped_;
  std::unique_ptr<::archive, CloseWriter> writer_;  // hands out its last bytes when it is closed
  Packed packed_;
  std::size_t seen_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace

Result<Packed> MeasureTar(const Fd& workspace, const Bounds& bounds) {
  const Sink nowhere;
  return Packer(workspace, bounds, nowhere).Measure();
}

Result<Packed> PackTar(const Fd& workspace, const Bounds& bounds, const Sink& sink) {
  const Utf8Names names = BJ_TRY(Utf8Names::Create());
  return Packer(workspace, bounds, sink).Run();
}

}  // namespace belljar::archive
