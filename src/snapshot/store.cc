#include "snapshot/store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/sys.h"
#include "snapshot/manifest.h"
#include "snapshot/scan.h"

namespace belljar::snapshot {
namespace {

constexpr std::size_t kMostManifest = std::size_t{512} << 20;

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
  Fd manifests = BJ_TRY(MakeDirsBeneath(state, "checkpoints/manifests", 0700));
  Fd blobs = BJ_TRY(MakeDirsBeneath(state, "checkpoints/blobs", 0700));
  return std::unique_ptr<Store>(new Store(std::move(manifests), std::move(blobs), bounds));
}

Result<Snapshot> Store::Take(const Fd& workspace, Memory& memory) {
  std::vector<Found> found = BJ_TRY(ScanToTake(workspace, bounds_));
  Hold hold(blobs_);
  BlobWriter writer(blobs_, hold);
  BJ_TRY(FillIn(workspace, bounds_, found, memory, hold, writer));
  BJ_TRY(CheckUnmoved(workspace, found));
  ForgetOthers(found, memory);
  const std::vector<Entry> entries = EntriesOf(std::move(found));
  const std::string manifest = Encode(entries);
  const std::string id = Hex(DigestOf(manifest));
  BJ_TRY(Keep(id, manifest, std::move(hold)));
  return Snapshot{id, entries.size() - 1, DataIn(entries)};
}

Result<> Store::Keep(const std::string& id, const std::string& manifest, Hold hold) {
  const std::lock_guard lock(mutex_);
  const auto kept = kept_.find(id);
  if (kept != kept_.end()) {
    ++kept->second.references;
    return {};
  }
  const Fd file =
      BJ_TRY(OpenBeneath(manifests_, id, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600));
  Result<> written = WriteAll(file, manifest, "manifest of the checkpoint store");
  if (!written) {
    ::unlinkat(manifests_.get(), id.c_str(), 0);
    return written;
  }
  kept_.emplace(id, Kept{1, std::move(hold)});
  return {};
}

// The blobs stay while this is read, since the caller of Restore() has a reference to the id.
Result<std::vector<Entry>> Store::Read(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    if (!kept_.contains(id)) return NoSuchSnapshot(id);
  }
  const Fd file = BJ_TRY(OpenBeneath(manifests_, id, O_RDONLY | O_NOFOLLOW));
  const std::string manifest = BJ_TRY(ReadAll(file, kMostManifest, "manifest " + id));
  if (Hex(DigestOf(manifest)) != id) {
    return Error(Kind::kInternal, "manifest " + id + " of the checkpoint store is damaged");
  }
  return Decode(manifest, bounds_);
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
  ::unlinkat(manifests_.get(), id.c_str(), 0);
  kept_.erase(kept);
  return {};
}

}  // namespace belljar::snapshot
