// Exports snapshots that outlive their store: the manifest, and each blob in a file named by its
// digest.
#include <fcntl.h>

#include <set>

#include "foundation/base/sys.h"
#include "foundation/tree/copy.h"
#include "run/snapshot/manifest.h"
#include "run/snapshot/store.h"

namespace belljar::run::snapshot {
namespace {

constexpr char kManifest[] = "manifest";

class FileSink : public Sink {
 public:
  explicit FileSink(Fd file) : file_(std::move(file)) {}
  Result<> Write(std::string_view bytes) override { return WriteAll(file_, bytes, "an export"); }
  Result<Digest> Finish() override { return Digest{}; }

 private:
  Fd file_;
};

// The digests of all blobs, without duplicates.
std::vector<Digest> BlobsOf(const std::vector<Entry>& entries) {
  std::vector<Digest> digests;
  std::set<std::string> names;
  for (const Entry& entry : entries) {
    if (entry.type != Type::kFile || entry.extents.empty()) continue;
    if (names.insert(Hex(entry.digest)).second) digests.push_back(entry.digest);
  }
  return digests;
}

// Reads a file into the blob writer.
Result<Digest> Feed(const Fd& dir, const std::string& name, BlobWriter& writer) {
  const Fd file = BJ_TRY(OpenBeneath(dir, name, O_RDONLY));
  BJ_TRY(tree::ReadBytes(file, {0, UINT64_MAX}, name,
                         [&](std::string_view bytes) { return writer.Write(bytes); }));
  return writer.Finish();
}

Result<std::string> ReadManifest(const Fd& dir, const Bounds& bounds) {
  const Fd file = BJ_TRY(OpenBeneath(dir, kManifest, O_RDONLY));
  return ReadFile("/proc/self/fd/" + std::to_string(file.get()),
                  2 * bounds.path_bytes + bounds.xattr_bytes + bounds.entries * 256);
}

}  // namespace

Result<> Store::Export(const std::string& id, const Fd& dir) {
  const std::vector<Entry> entries = BJ_TRY(Read(id));
  constexpr int kNew = O_WRONLY | O_CREAT | O_EXCL;
  for (const Digest& digest : BlobsOf(entries)) {
    FileSink sink(BJ_TRY(OpenBeneath(dir, Hex(digest), kNew, 0600)));
    BJ_TRY(blobs_.Read(digest, sink));
  }
  const Fd manifest = BJ_TRY(OpenBeneath(dir, kManifest, kNew, 0600));
  return WriteAll(manifest, Encode(entries), "a manifest");
}

Result<std::string> Store::Import(const Fd& dir) {
  const std::string manifest = BJ_TRY(ReadManifest(dir, bounds_));
  const std::vector<Entry> entries = BJ_TRY(Decode(manifest, bounds_));
  Hold hold(blobs_);
  BlobWriter writer(blobs_, hold);
  for (const Digest& wanted : BlobsOf(entries)) {
    const Digest fed = BJ_TRY(Feed(dir, Hex(wanted), writer));
    if (fed != wanted) return Error(Kind::kInvalid, "a saved file has been changed since");
  }
  BJ_TRY(writer.Write(manifest));
  const Digest digest = BJ_TRY(writer.Finish());
  Keep(Hex(digest), {1, digest, std::move(hold)});
  return Hex(digest);
}

}  // namespace belljar::run::snapshot
