// LogView: a consistent read-only snapshot of a log's files.
//
// It is used by everything that reads a log which a daemon may be writing: the command line, the
// verifier, and the daemon itself at its start. The files are read in an order that makes a
// concurrent fold detectable, and then they are read again. A partial tile may be replaced by a
// wider one at any time; the wider one is used in its place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "record/merkle.h"
#include "record/note.h"
#include "record/pending.h"
#include "record/tile.h"

namespace belljar::record {

// Reads the tiles of one log. Not thread-safe: it caches the last tiles it has read.
class TileReader {
 public:
  explicit TileReader(std::string dir) : dir_(std::move(dir)) {}  // STATE/audit

  // A tile of at least the requested width; the caller cuts it to that width.
  struct File {
    TileName name;  // with its actual width
    std::string bytes;
  };
  Result<File> Read(const TileName& name) const;
  Result<std::vector<Hash>> Hashes(const TileName& name);
  // The entries from `index` to the end of its tile, in a log of `size` entries.
  Result<std::vector<std::string>> EntriesFrom(std::uint64_t index, std::uint64_t size) const;
  // The partial tiles of a log of `size` entries.
  Result<Edge> ReadEdge(std::uint64_t size);
  // Access to the tree's nodes in a log of `size` entries. Must not outlive the reader.
  NodeReader Nodes(std::uint64_t size);

 private:
  std::string dir_;
  std::map<TileName, std::vector<Hash>> recent_;
};

struct LogView {
  VerifierKey key;
  std::string note;  // the signed checkpoint, as it is on the disk
  Checkpoint checkpoint;
  std::vector<Batch> pending;         // the batches after the checkpoint, without a gap
  std::vector<PendingContent> files;  // both pending files, as they are
  std::vector<std::string> problems;  // of the pending files; empty if there are none

  std::uint64_t size() const { return pending.empty() ? checkpoint.size : pending.back().end(); }
  // How many records must be in the database. After a clean shutdown these are all records.
  std::uint64_t indexed() const {
    return pending.empty() ? checkpoint.size : pending.back().indexed;
  }
  const std::string* PendingEntry(std::uint64_t index) const;
};

// Reads the log in `dir`, which is STATE/audit. Fails when there is no log, or when its key or
// checkpoint is damaged; problems of the pending files are listed in the view.
Result<LogView> ReadLog(const std::string& dir);

// The batches of `files` that lie behind a checkpoint of `size` records, in order. Each gap,
// overlap and stray byte adds a sentence to `problems`.
std::vector<Batch> JoinPending(const std::vector<PendingContent>& files, std::uint64_t size,
                               std::vector<std::string>& problems);

// Reads a file that consists of exactly one line ending with a newline.
Result<std::string> ReadLine(const std::string& path);

}  // namespace belljar::record
