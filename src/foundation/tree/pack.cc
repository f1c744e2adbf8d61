#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <memory>
#include <optional>

#include "foundation/base/sys.h"
#include "foundation/tree/tar.h"
#include "foundation/tree/utf8_names.h"

namespace belljar::tree {
namespace {

struct FreeWriter {
  void operator()(::archive* writer) const { ::archive_write_free(writer); }
};
struct FreeEntry {
  void operator()(::archive_entry* entry) const { ::archive_entry_free(entry); }
};
using EntryPtr = std::unique_ptr<::archive_entry, FreeEntry>;

Result<EntryPtr> NewEntry() {
  EntryPtr entry(::archive_entry_new());
  if (!entry) return Error(Kind::kExhausted, "no memory to write an archive");
  return entry;
}

// Writes an archive and passes it to a sink in pieces.
class TarWriter {
 public:
  // `worst`: the worst libarchive status that is accepted for a step (ARCHIVE_OK, ARCHIVE_WARN).
  TarWriter(const Sink& sink, int worst) : sink_(sink), worst_(worst) {}

  using SetFormat = int (*)(::archive*);
  Result<> Open(SetFormat format, int block_bytes) {
    writer_.reset(::archive_write_new());
    if (!writer_) return Error(Kind::kExhausted, "no memory to write an archive");
    format(writer_.get());
    ::archive_write_set_bytes_per_block(writer_.get(), block_bytes);
    ::archive_write_set_bytes_in_last_block(writer_.get(), 1);
    return Judge(::archive_write_open(writer_.get(), this, nullptr, Hand, nullptr));
  }
  Result<> Head(const EntryPtr& entry) {
    return Judge(::archive_write_header(writer_.get(), entry.get()));
  }
  Result<> Write(std::string_view bytes) {
    const auto taken = ::archive_write_data(writer_.get(), bytes.data(), bytes.size());
    return Judge(taken < 0 ? ARCHIVE_FATAL : ARCHIVE_OK);
  }
  // Writes exactly the size in the header: a file that shrinks meanwhile is padded with zeros.
  Result<> Content(const Fd& file, std::uint64_t bytes, const std::string& path) {
    BJ_TRY(ReadBytes(file, {0, bytes}, path, [&](std::string_view piece) { return Write(piece); }));
    return Judge(::archive_write_finish_entry(writer_.get()));
  }
  Result<> Close() { return Judge(::archive_write_close(writer_.get())); }

 private:
  // libarchive's write callback. An error of the sink is kept here and success is reported, because
  // libarchive leaks memory after a failed write.
  static la_ssize_t Hand(::archive*, void* self, const void* bytes, std::size_t size) {
    auto& writer = *static_cast<TarWriter*>(self);
    if (writer.stopped_) return static_cast<la_ssize_t>(size);
    const auto given = writer.sink_({static_cast<const char*>(bytes), size});
    if (!given) writer.stopped_ = given.error();
    return static_cast<la_ssize_t>(size);
  }

  Result<> Judge(int status) const {
    if (stopped_) return *stopped_;
    if (status >= worst_) return {};
    const char* const why = ::archive_error_string(writer_.get());
    return Error(Kind::kInternal, why == nullptr ? "cannot write the archive" : why);
  }

  const Sink& sink_;
  const int worst_;
  std::optional<Error> stopped_;
  std::unique_ptr<::archive, FreeWriter> writer_;  // flushes its last bytes when freed
};

// Packs those files of a workspace that can be carried. Without a writer it only measures.
class WorkspacePacker : public Visitor {
 public:
  WorkspacePacker(Budget& budget, TarWriter* writer) : budget_(budget), writer_(writer) {}

  Result<Next> See(const Entry& entry) override {
    if (S_ISDIR(entry.status.st_mode)) {
      BJ_TRY(Head(entry.path + "/", entry.status));
    } else {
      BJ_TRY(AddFile(entry));
    }
    return Next::kGoOn;
  }

  // Also leaves out a directory that has vanished or cannot be opened.
  Result<Next> Refuse(Refusal refusal) override {
    if (refusal.step == Step::kCount) {
      packed_.cut = true;
    } else {
      ++packed_.left_out;
    }
    return Next::kGoOn;
  }

  const Packed& packed() const { return packed_; }

 private:
  Result<> AddFile(const Entry& entry) {
    const auto file = OpenFile(entry.dir, entry.name, Take::kNo);
    if (!file) {
      ++packed_.left_out;
      return {};
    }
    const struct stat status = BJ_TRY(StatOf(*file, entry.path));
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (!budget_.TakeBytes(size)) {
      packed_.cut = true;
      return {};
    }
    BJ_TRY(Head(entry.path, status));
    ++packed_.files;
    return writer_ == nullptr ? Result<>() : writer_->Content(*file, size, entry.path);
  }

  Result<> Head(const std::string& path, const struct stat& status) {
    if (writer_ == nullptr) return {};
    const EntryPtr entry = BJ_TRY(NewEntry());
    ::archive_entry_set_pathname_utf8(entry.get(), path.c_str());
    // libarchive would dereference the null pointer.
    if (::archive_entry_pathname(entry.get()) == nullptr) {
      return Error(Kind::kInternal, "no archive can carry the name " + path);
    }
    const bool directory = S_ISDIR(status.st_mode);
    ::archive_entry_set_filetype(entry.get(), directory ? AE_IFDIR : AE_IFREG);
    ::archive_entry_set_perm(entry.get(), status.st_mode & 0777);
    ::archive_entry_set_mtime(entry.get(), status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
    ::archive_entry_set_size(entry.get(), directory ? 0 : status.st_size);
    return writer_->Head(entry);
  }

  Budget& budget_;
  TarWriter* writer_;
  Packed packed_;
};

Result<Packed> Pack(const Fd& workspace, const Bounds& bounds, TarWriter* writer) {
  Budget budget(bounds);
  WorkspacePacker packer(budget, writer);
  BJ_TRY(Walk(workspace, {.holder = "an archive"}, budget, packer));
  return packer.packed();
}

// Packs a whole trusted tree.
class TreePacker : public Visitor {
 public:
  explicit TreePacker(TarWriter& writer) : writer_(writer) {}

  Result<Next> See(const Entry& entry) override {
    const EntryPtr head = BJ_TRY(NewEntry());
    ::archive_entry_set_pathname(head.get(), entry.path.c_str());
    ::archive_entry_copy_stat(head.get(), &entry.status);
    ::archive_entry_set_uid(head.get(), 0);
    ::archive_entry_set_gid(head.get(), 0);
    ::archive_entry_set_nlink(head.get(), 1);
    const unsigned kind = KindOfMode(entry.status.st_mode);
    if (kind == kOther) {
      return Error(Kind::kInvalid, entry.path + " is neither a file nor a directory nor a link");
    }
    if (kind == kLink) {
      const std::string target = BJ_TRY(ReadLink(entry.dir, entry.name, entry.path));
      ::archive_entry_set_symlink(head.get(), target.c_str());
      ::archive_entry_set_size(head.get(), 0);
    }
    BJ_TRY(writer_.Head(head));
    if (kind != kFile) return Next::kGoOn;
    const Fd file = BJ_TRY(OpenFile(entry.dir, entry.name));
    BJ_TRY(writer_.Content(file, static_cast<std::uint64_t>(entry.status.st_size), entry.path));
    return Next::kGoOn;
  }

 private:
  TarWriter& writer_;
};

Result<> AddFile(TarWriter& writer, const AddedFile& file) {
  const EntryPtr entry = BJ_TRY(NewEntry());
  ::archive_entry_set_pathname(entry.get(), file.path.c_str());
  ::archive_entry_set_filetype(entry.get(), AE_IFREG);
  ::archive_entry_set_perm(entry.get(), file.mode);
  ::archive_entry_set_size(entry.get(), static_cast<la_int64_t>(file.content.size()));
  BJ_TRY(writer.Head(entry));
  return writer.Write(file.content);
}

}  // namespace

Result<Packed> MeasureTar(const Fd& workspace, const Bounds& bounds) {
  return Pack(workspace, bounds, nullptr);
}

Result<Packed> PackTar(const Fd& workspace, const Bounds& bounds, const Sink& sink) {
  const Utf8Names names = BJ_TRY(Utf8Names::Create());
  TarWriter writer(sink, ARCHIVE_OK);
  BJ_TRY(writer.Open(::archive_write_set_format_pax_restricted, 0));
  const Packed packed = BJ_TRY(Pack(workspace, bounds, &writer));
  BJ_TRY(writer.Close());
  return packed;
}

Result<> PackTree(const std::string& root, const std::vector<AddedFile>& added, const Sink& sink) {
  constexpr int kTreeBlock = 256 << 10;
  const Fd top = BJ_TRY(Open(root, O_RDONLY | O_DIRECTORY));
  TarWriter writer(sink, ARCHIVE_WARN);
  // This format stores names as raw bytes, of any length.
  BJ_TRY(writer.Open(::archive_write_set_format_gnutar, kTreeBlock));
  Budget budget({SIZE_MAX, 0});
  TreePacker packer(writer);
  BJ_TRY(Walk(top, TakingEverything("an image"), budget, packer));
  for (const AddedFile& file : added) BJ_TRY(AddFile(writer, file));
  return writer.Close();
}

}  // namespace belljar::tree
