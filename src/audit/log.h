// Log: the audit log of one state directory. Append-only, verifiable, searchable.
//
// The truth is in files (docs/audit-format.md): records go through the Writer into pending files
// and from there into tiles under a signed checkpoint. A copy is kept in a database for searching;
// it lags by milliseconds, may be out of reach for a while, and is mended from the files.
//
// Open() brings the log that a crash left behind into order: what was acknowledged is kept, what
// was cut short is dropped, and a log that does not lead to its own last checkpoint, or that has
// fewer records than the database, is refused: that is damage, and `belljar audit verify` says
// where. One process at a time has a log open.
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

#include "audit/entry.h"
#include "audit/search_copy.h"
#include "audit/writer.h"
#include "base/result.h"

namespace belljar::audit {

class Log {
 public:
  struct Options {
    std::string dir;       // STATE
    std::string database;  // "" is sqlite:STATE/belljar.db
    // Bodies are kept so long after they were last put; 0 keeps none.
    std::chrono::seconds body_retention = std::chrono::hours(24 * 30);
    std::chrono::milliseconds fold_after{1000};  // a record waits so long for a signed checkpoint
    const LogFiles* files = nullptr;             // for tests: another door to the file system
  };
  static Result<std::unique_ptr<Log>> Open(Options options);
  ~Log();

  // Durable when it returns. A `detail` too large for a record is put among the bodies, and the
  // record gets its digest.
  Result<Position> Append(const Entry& entry);
  // The same for several, one behind the other, with one turn of the disk as a rule.
  Result<> AppendAll(std::span<const Entry> entries);
  // Returns "sha256:HEX". Durable no later than the next record that the caller appends.
  Result<std::string> PutBody(std::string_view bytes);
  // For bodies put from now on, and for those that are there.
  void SetBodyRetention(std::chrono::seconds retention);
  // Nothing when retention has removed it, or when there never was one.
  Result<std::optional<std::string>> Body(std::string_view digest);

  // From the database, which has caught up with everything appended before the call.
  Result<std::vector<Record>> Find(const Filter& filter);
  // From the log itself.
  Result<std::optional<Record>> At(std::uint64_t index);
  // The text of a c2sp.org/tlog-proof@v1 for the record, against a checkpoint that covers it.
  Result<std::string> Proof(std::uint64_t index);
  std::uint64_t size() const;

  // At shutdown: no more records; everything is under a signed checkpoint and in the database.
  Result<> Seal();

 private:
  struct Parts;
  Result<Prepared> MakeReady(const Entry& entry);
  explicit Log(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

// "" is sqlite:STATE/belljar.db.
std::string DatabaseOf(const std::string& state_dir, const std::string& database);

}  // namespace belljar::audit
