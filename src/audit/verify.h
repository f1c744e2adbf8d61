// Verify: proves a whole log, or names the first record that is not as it was written.
//
// Every entry is hashed again, every hash of every tile is computed again from those, the root is
// held against the signed checkpoint, the pending files are read to their last byte, and every row
// of the database is compared with its record. Nothing is changed, and a daemon may be writing
// meanwhile: what it was seen in the middle of is looked at again.
//
// What it cannot notice: records that were cut off the end together with their rows, their tiles
// and their checkpoint, all put back as they were at an earlier time. Whoever fears that keeps a
// checkpoint elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "audit/log_view.h"
#include "audit/search_copy.h"
#include "base/result.h"

namespace belljar::audit {

struct Finding {
  std::optional<std::uint64_t> index;  // nothing: no single record is meant
  std::string what;
};

struct VerifyReport {
  std::string log;                   // its name
  std::uint64_t records = 0;         // that were looked at
  std::uint64_t signed_records = 0;  // of these, under the checkpoint
  std::optional<Finding> first_bad;  // nothing: the log is whole
  std::vector<std::string> notes;    // worth knowing, and no damage
};

// Fails only when there is no log to look at. `database` as in Log::Options.
Result<VerifyReport> Verify(const std::string& state_dir, const std::string& database);

// Keeps the finding with the lower index; one without an index yields to one with.
void Note(std::optional<Finding>& first, Finding next);

// What else was true when a view was taken.
struct Moment {
  bool in_use = false;         // somebody was writing
  std::uint64_t extent = 0;    // rows from here on were added later, and are not looked at
  std::uint64_t required = 0;  // records before this must have a row
};

// The walk over all records of `view` from the first to the last, with their rows in `copy` (which
// may be missing).
std::optional<Finding> WalkRecords(const std::string& dir, const LogView& view, SearchCopy* copy,
                                   const Moment& moment, std::vector<std::string>& notes);

}  // namespace belljar::audit
