// LogView: a log as its files show it at one moment, read and never written.
//
// Whoever looks at a log that a daemon is writing to (the command line, the verifier) and the
// daemon itself when it starts see it through this. The files are read in an order in which a
// fold that happens meanwhile is noticed, and then they are read again. Narrow tiles may be
// replaced by wider ones at any time; a wider one serves as well.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "audit/merkle.h"
#include "audit/note.h"
#include "audit/pending.h"
#include "audit/tile.h"
#include "base/result.h"

namespace belljar::audit {

// Reads tiles of one log. Not thread-safe: it remembers the last ones it has read.
class TileReader {
 public:
  explicit TileReader(std::string dir) : dir_(std::move(dir)) {}  // STATE/audit

  // The content of a tile of at least that width, cut to it by the caller.
  struct File {
    TileName name;  // with the width it really has
    std::string bytes;
  };
  Result<File> Read(const TileName& name) const;
  Result<std::vector<Hash>> Hashes(const TileName& name);
  // Entries of a log of `size` entries, from `index` to the end of its tile.
  Result<std::vector<std::string>> EntriesFrom(std::uint64_t index, std::uint64_t size) const;
  // The unfinished tiles of a log of `size` entries.
  Result<Edge> ReadEdge(std::uint64_t size);
  // Nodes of a log of `size` entries. Must not outlive the reader.
  NodeReader Nodes(std::uint64_t size);

 private:
  std::string dir_;
  std::map<TileName, std::vector<Hash>> recent_;
};

struct LogView {
  VerifierKey key;
  std::string note;  // the signed checkpoint, as it is on the disk
  Checkpoint checkpoint;
  std::vector<Batch> pending;         // behind the checkpoint, without a gap
  std::vector<PendingContent> files;  // of both pending files, as they are
  std::vector<std::string> problems;  // of the pending files; empty when all is well

  std::uint64_t size() const { return pending.empty() ? checkpoint.size : pending.back().end(); }
  // What must be in the database: everything in a log that was closed in order.
  std::uint64_t indexed() const {
    return pending.empty() ? checkpoint.size : pending.back().indexed;
  }
  const std::string* PendingEntry(std::uint64_t index) const;
};

// Reads what lies in `dir`, STATE/audit. Fails when there is no log, or when its key or checkpoint
// is damaged; problems of the pending files are told in the view.
Result<LogView> ReadLog(const std::string& dir);

// The batches of `files` behind a checkpoint of `size` records, in order. `problems` gets a
// sentence for each gap, overlap and stray byte.
std::vector<Batch> JoinPending(const std::vector<PendingContent>& files, std::uint64_t size,
                               std::vector<std::string>& problems);

// One line of text, which must end with a newline and have nothing after it.
Result<std::string> ReadLine(const std::string& path);

}  // namespace belljar::audit
