// Store: snapshots of workspaces, stored by content (content-addressed).
//
// A checkpoint consists of a copied interpreter and a snapshot of its workspace; this is the second
// part. A snapshot is exact: directories, files with their holes, symbolic and hard links,
// permissions, times to the nanosecond, "user." attributes. A tree with anything else (sockets,
// FIFOs, devices, access control lists) is refused with the name of the entry before anything is
// stored. Contents are kept as blobs by their SHA-256, so that snapshots share equal contents;
// docs/checkpoint-store.md describes the files.
//
// The workspace belongs to a guest that is hostile and may be running: beneath.h describes how it
// is accessed, and memory.h when a file counts as unchanged. For an exact snapshot of a running
// guest, stop the guest first; a file or directory that changes during the snapshot is an error
// that names it.
//
// Snapshots end with the daemon. Open() removes those of the previous daemon.
//
// Thread-safe, but calls with the same workspace or the same Memory must not run at once.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "run/snapshot/blobs.h"
#include "run/snapshot/bounds.h"
#include "run/snapshot/memory.h"
#include "run/snapshot/restore.h"

namespace belljar::run::snapshot {

struct Snapshot {
  std::string id;           // SHA-256 of the manifest, in hex: equal trees have equal ids
  std::size_t entries = 0;  // names in the workspace
  std::uint64_t bytes = 0;  // of data in its files
};

class Store {
 public:
  // Empties `state_dir`/checkpoints, or creates it with mode 0700.
  static Result<std::unique_ptr<Store>> Open(const std::string& state_dir, const Bounds& bounds);

  // Each success adds one reference to the id; Drop() releases it. A failure leaves nothing behind.
  Result<Snapshot> Take(const Fd& workspace, Memory& memory);

  // Makes the tree below `workspace` equal to the snapshot, owned by `owner`. After an error that
  // begins with "workspace untouched" nothing has changed; after any other error the workspace is
  // neither the old nor the new one, and its session has to end.
  Result<> Restore(const std::string& id, const Fd& workspace, Memory& memory, Owner owner);

  Result<> Drop(const std::string& id);

  // Export writes a snapshot as plain files into a directory of its own, which outlives this store.
  // Import reads it back: the id is the same, and gets one more reference. If a file was changed in
  // between, that is an error.
  Result<> Export(const std::string& id, const Fd& dir);
  Result<std::string> Import(const Fd& dir);

  std::uint64_t bytes() const { return blobs_.bytes(); }
  std::size_t blobs() const { return blobs_.count(); }

 private:
  struct Kept {
    std::size_t references = 0;
    Digest manifest{};
    Hold blobs;
  };
  Store(Fd dir, const Bounds& bounds)
      : bounds_(bounds), blobs_(std::move(dir), bounds.store_bytes) {}
  void Keep(const std::string& id, Kept kept);
  Result<std::vector<Entry>> Read(const std::string& id);

  const Bounds bounds_;
  Blobs blobs_;  // before the snapshots that hold some
  std::mutex mutex_;
  std::unordered_map<std::string, Kept> kept_;
};

}  // namespace belljar::run::snapshot
