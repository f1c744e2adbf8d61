// Log: the audit log of one state directory. Append-only, verifiable, searchable.
//
// The authoritative data is in files (docs/audit-format.md): the Writer puts records into pending
// files and from there into Merkle tiles under a signed checkpoint. A database holds a copy for
// searching; it lags by milliseconds, may be unreachable for a while, and is rebuilt from the
// files.
//
// Open() recovers the log after a crash: acknowledged records are kept, and a partially written
// batch is dropped. A log whose tiles do not lead to its last checkpoint, or that has fewer records
// than the database, is damaged and is refused; `belljar audit verify` then says where. One process
// at a time can have a log open.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "record/entry.h"
#include "record/search_copy.h"
#include "record/writer.h"

namespace belljar::record {

class Log {
 public:
  struct Options {
    std::string dir;       // the state directory
    std::string database;  // "" means sqlite:STATE/belljar.db
    // How long bodies are kept after they were last stored; 0 keeps none.
    std::chrono::seconds body_retention = std::chrono::hours(24 * 30);
    // How long a record may wait for a signed checkpoint.
    std::chrono::milliseconds fold_after{1000};
    const LogFiles* files = nullptr;  // for tests: a file system with injected faults
  };
  static Result<std::unique_ptr<Log>> Open(Options options);
  ~Log();

  // Appends one record; it is durable when this returns. A `detail` too large for a record is
  // stored as a body, and the record gets its digest.
  Result<Position> Append(const Entry& entry);
  // Appends several records with consecutive indexes, usually with a single disk sync.
  Result<> AppendAll(std::span<const Entry> entries);
  // Stores a body and returns its digest "sha256:HEX". It is durable no later than the next record
  // that the caller appends.
  Result<std::string> PutBody(std::string_view bytes);
  // Applies to bodies already stored as well as to new ones.
  void SetBodyRetention(std::chrono::seconds retention);
  // Returns nullopt if the body was never stored, or has been removed after its retention time.
  Result<std::optional<std::string>> Body(std::string_view digest);

  // Searches the database, after it has caught up with everything appended before the call.
  Result<std::vector<Record>> Find(const Filter& filter);
  // Reads a record from the log's files.
  Result<std::optional<Record>> At(std::uint64_t index);
  // The text of a c2sp.org/tlog-proof@v1 for the record, against a checkpoint that covers it.
  Result<std::string> Proof(std::uint64_t index);
  std::uint64_t size() const;

  // For shutdown: refuses further records, then waits until all are under a signed checkpoint and
  // in the database.
  Result<> Seal();

 private:
  struct Parts;
  Result<Prepared> MakeReady(const Entry& entry);
  explicit Log(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// The database to open; for "" it is sqlite:STATE/belljar.db.
std::string DatabaseOf(const std::string& state_dir, const std::string& database);

}  // namespace belljar::record
