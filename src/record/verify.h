// Verify: checks a whole log, and names the first record that is damaged.
//
// It hashes every entry again, recomputes every hash of every tile, compares the root with the
// signed checkpoint, parses the pending files to their last byte, and compares every row of the
// database with its record. It changes nothing, and a daemon may be writing meanwhile: an
// inconsistency that a concurrent write explains is checked again.
//
// Limits: it cannot detect a rollback, that is, records removed from the end when their rows, tiles
// and checkpoint are all restored to an earlier state. To detect that, keep a copy of a checkpoint
// elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "record/log_view.h"
#include "record/search_copy.h"

namespace belljar::record {

struct Finding {
  std::optional<std::uint64_t> index;  // nullopt: the finding is not about a single record
  std::string what;
};

struct VerifyReport {
  std::string log;                   // the log's name
  std::uint64_t records = 0;         // records checked
  std::uint64_t signed_records = 0;  // of these, how many the checkpoint covers
  std::optional<Finding> first_bad;  // nullopt: the log is intact
  std::vector<std::string> notes;    // remarks that are no damage
};

// Fails only when there is no log. `database` as in Log::Options.
Result<VerifyReport> Verify(const std::string& state_dir, const std::string& database);

// Keeps the finding with the lower index; a finding with an index takes precedence over one
// without.
void Note(std::optional<Finding>& first, Finding next);

// The state of the database when the view was taken.
struct Moment {
  bool in_use = false;         // a process was writing
  std::uint64_t extent = 0;    // rows from this index on were added later and are not checked
  std::uint64_t required = 0;  // records below this index must have a row
};

// Checks all records of `view` in order, with their rows in `copy` (which may be null).
std::optional<Finding> WalkRecords(const std::string& dir, const LogView& view, SearchCopy* copy,
                                   const Moment& moment, std::vector<std::string>& notes);

}  // namespace belljar::record
