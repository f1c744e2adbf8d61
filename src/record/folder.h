// Folder: moves durable records into Merkle tiles and signs a new checkpoint ("folding").
//
// A fold writes in this order, each step synced to disk before the next: bodies, entry tiles and
// hash tiles; the checkpoint; and then it removes the partial tiles that wider ones have replaced.
// A crash at any point leaves either the old checkpoint with its tiles or the new one with its
// tiles.
//
// The new root is computed from the same hashes as the last signed root, so a checkpoint always
// extends the one before it. Not thread-safe.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "record/files.h"
#include "record/merkle.h"
#include "record/note.h"

namespace belljar::record {

class Folder {
 public:
  // Opens the log in `state_dir`/audit, whose newest checkpoint is `checkpoint`. Fails when the
  // tiles do not hash to the signed root.
  static Result<Folder> Open(const LogFiles& files, const std::string& state_dir, SigningKey key,
                             const Checkpoint& checkpoint);

  std::uint64_t size() const { return edge_.size(); }
  const SigningKey& key() const { return key_; }

  // Appends `entries` and signs. `bodies` are files below `state_dir`. After a failure the folder
  // is unchanged, and the fold can be tried again.
  Result<> Fold(std::span<const std::string> entries, std::vector<NewFile> bodies);

  // Removes what interrupted folds have left: "*.new" files and superseded partial tiles.
  Result<> RemoveLeftovers() const;

 private:
  Folder(const LogFiles& files, std::string state_dir, SigningKey key, Edge edge,
         std::string bundle)
      : files_(&files),
        state_dir_(std::move(state_dir)),
        key_(std::move(key)),
        edge_(std::move(edge)),
        bundle_(std::move(bundle)) {}

  Result<> RemoveReplaced(std::uint64_t old_size) const;

  const LogFiles* files_;
  std::string state_dir_;
  SigningKey key_;
  Edge edge_;
  std::string bundle_;  // the entries of the unfinished entry tile
};

// Signs `checkpoint` and replaces the checkpoint file.
Result<> WriteCheckpoint(const LogFiles& files, const std::string& state_dir, const SigningKey& key,
                         const Checkpoint& checkpoint);

}  // namespace belljar::record
