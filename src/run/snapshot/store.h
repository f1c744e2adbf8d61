// Store: snapshots of workspaces, kept by content.
//
// A checkpoint is an interpreter that was copied and a workspace that was snapshot; this is the
// second half. A snapshot is exact: directories, files with their holes, symbolic and hard links,
// permissions, times to the nanosecond, "user." attributes. What it cannot carry (sockets, FIFOs,
// devices, access control lists) it refuses by name before anything is stored. Contents are kept as
// blobs by their SHA-256, so that what several snapshots share is kept once;
// docs/checkpoint-store.md has the files.
//
// The workspace belongs to a guest that is hostile and may be running: see beneath.h for how it is
// reached and memory.h for when a file counts as unchanged. Who wants an exact snapshot of a
// running guest stops it first; a file or directory that changes meanwhile is an error that names
// it.
//
// Snapshots end with the daemon. Open() removes what the last one left.
//
// Thread-safe; calls on one workspace, and on one Memory, one at a time.
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
  // `state_dir`/checkpoints is emptied, or made with mode 0700.
  static Result<std::unique_ptr<Store>> Open(const std::string& state_dir, const Bounds& bounds);

  // Each success is one reference to the id, to be given up by Drop(). A failure leaves nothing.
  Result<Snapshot> Take(const Fd& workspace, Memory& memory);

  // Makes the tree below `workspace` equal to the snapshot, all of it owned by `owner`. An error
  // that begins with "workspace untouched" has changed nothing; after any other the workspace is
  // neither the old nor the new one, and its session has to end.
  Result<> Restore(const std::string& id, const Fd& workspace, Memory& memory, Owner owner);

  Result<> Drop(const std::string& id);

  // A snapshot as plain files in a directory of their own, which outlives this store, and back: the
  // id is the same, and counts as one more reference. What was changed in between is an error.
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
