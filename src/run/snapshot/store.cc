#include "run/snapshot/store.h"

#include <fcntl.h>

#include <filesystem>

#include "foundation/base/sys.h"
#include "run/snapshot/manifest.h"
#include "run/snapshot/scan.h"

namespace belljar::run::snapshot {
namespace {

class TextSink : public Sink {
 public:
  Result<> Write(std::string_view bytes) override {
    text_.append(bytes);
    return {};
  }
  Result<Digest> Finish() override { return Sha256::Of(text_); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

Result<> FillIn(const Fd& workspace, const Bounds& bounds, std::vector<Found>& found,
                Memory& memory, Hold& hold, BlobWriter& writer) {
  Allowance allowance(bounds);
  for (Found& file : found) {
    Entry& entry = file.entry;
    if (entry.type != Type::kFile) continue;
    Content content;
    const Content* const known = memory.Find(file.stat);
    if (known != nullptr && (known->extents.empty() || hold.Take(known->digest))) {
      content = *known;
      BJ_TRY(allowance.Spend(content, entry.path));
    } else {
      content = BJ_TRY(ReadContent(workspace, file, allowance, memory, writer));
    }
    entry.digest = content.digest;
    entry.extents = std::move(content.extents);
    entry.attributes = std::move(content.attributes);
  }
  return {};
}

void ForgetOthers(const std::vector<Found>& found, Memory& memory) {
  std::vector<ino_t> inodes;
  inodes.reserve(found.size());
  for (const Found& each : found) inodes.push_back(each.stat.st_ino);
  memory.KeepOnly(inodes);
}

std::vector<Entry> EntriesOf(std::vector<Found> found) {
  std::vector<Entry> entries;
  entries.reserve(found.size());
  for (Found& each : found) entries.push_back(std::move(each.entry));
  return entries;
}

std::uint64_t DataIn(const std::vector<Entry>& entries) {
  std::uint64_t bytes = 0;
  for (const Entry& entry : entries) {
    for (const Extent& extent : entry.extents) bytes += extent.bytes;
  }
  return bytes;
}

Error NoSuchSnapshot(const std::string& id) {
  return Error(Kind::kNotFound, "there is no snapshot " + id.substr(0, 64));
}

}  // namespace

Result<std::unique_ptr<Store>> Store::Open(const std::string& state_dir, const Bounds& bounds) {
  const std::string dir = state_dir + "/checkpoints";
  std::error_code failed;
  std::filesystem::remove_all(dir, failed);
  if (failed) return SysError("empty", dir, failed.value());
  const Fd state = BJ_TRY(belljar::Open(state_dir, O_PATH | O_DIRECTORY));
  Fd store = BJ_TRY(MakeDirsBeneath(state, "checkpoints", 0700));
  return std::unique_ptr<Store>(new Store(std::move(store), bounds));
}

Result<Snapshot> Store::Take(const Fd& workspace, Memory& memory) {
  std::vector<Found> found = BJ_TRY(ScanToTake(workspace, bounds_));
  Hold hold(blobs_);
  BlobWriter writer(blobs_, hold);
  BJ_TRY(FillIn(workspace, bounds_, found, memory, hold, writer));
  BJ_TRY(CheckUnmoved(workspace, found));
  ForgetOthers(found, memory);
  const std::vector<Entry> entries = EntriesOf(std::move(found));
  BJ_TRY(writer.Write(Encode(entries)));
  const Digest manifest = BJ_TRY(writer.Finish());
  Keep(Hex(manifest), {1, manifest, std::move(hold)});
  return Snapshot{Hex(manifest), entries.size() - 1, DataIn(entries)};
}

// If the tree is stored already, only the reference count grows: the blobs are the same.
void Store::Keep(const std::string& id, Kept kept) {
  const std::lock_guard lock(mutex_);
  const auto [at, added] = kept_.try_emplace(id, std::move(kept));
  if (!added) ++at->second.references;
}

// The blobs cannot vanish during this, because the caller of Restore() has a reference to the id.
Result<std::vector<Entry>> Store::Read(const std::string& id) {
  Digest digest;
  {
    const std::lock_guard lock(mutex_);
    const auto kept = kept_.find(id);
    if (kept == kept_.end()) return NoSuchSnapshot(id);
    digest = kept->second.manifest;
  }
  TextSink manifest;
  BJ_TRY(blobs_.Read(digest, manifest));
  if (Sha256::Of(manifest.text()) != digest) {
    return Error(Kind::kInternal, "manifest " + id + " of the checkpoint store is damaged");
  }
  return Decode(manifest.text(), bounds_);
}

Result<> Store::Restore(const std::string& id, const Fd& workspace, Memory& memory, Owner owner) {
  Result<std::vector<Entry>> wanted = Read(id).While("workspace untouched");
  if (!wanted) return std::move(wanted).error();
  Restorer restorer(workspace, *wanted, blobs_, owner);
  BJ_TRY(restorer.Prepare(bounds_, memory).While("workspace untouched"));
  return restorer.Apply().While("workspace only partly restored");
}

Result<> Store::Drop(const std::string& id) {
  const std::lock_guard lock(mutex_);
  const auto kept = kept_.find(id);
  if (kept == kept_.end()) return NoSuchSnapshot(id);
  if (--kept->second.references > 0) return {};
  kept_.erase(kept);
  return {};
}

}  // namespace belljar::run::snapshot
