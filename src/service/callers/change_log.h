// ChangeLog: a transactional outbox of changes to the table of callers that are not in the audit
// log yet.
//
// Callers are changed by a command, but only a daemon has the audit log open. So each change adds a
// row to this table in its own transaction. The running daemon, or the next one to start, appends
// each row to the audit log and deletes it afterwards. If it is killed in between, the change is
// recorded twice; the equal `number` shows that both records are the same change.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/storage/database.h"

namespace belljar::service::callers {

struct CallerChange {
  std::int64_t number = 0;  // assigned by the database, ascending
  std::int64_t at_ms = 0;   // milliseconds since 1970
  std::string by;           // who made the change: "uid:0"
  json::object detail;      // {"action","name",…}
};

// Migrates the table.
Result<> OpenChanges(storage::Database& database);
// Adds a change. Must be called in the transaction of the change itself; it takes its number from
// the table callers_change, which every change increments.
Result<> NoteChange(storage::Database& database, const CallerChange& change);
// Reads the oldest changes, at most 100.
Result<std::vector<CallerChange>> ReadChanges(storage::Database& database);
// Deletes the changes up to this number.
Result<> ForgetChanges(storage::Database& database, std::int64_t number);

// The audit record's description of a row: name, digest (in hexadecimal; absent for a uid), scopes,
// concurrent_runs, sessions, runs_per_minute, memory_bytes.
Result<json::object> DescribeRow(const storage::Row& row);

// Compares the table of callers with what its recorded and unrecorded changes lead to. Returns a
// sentence about the first difference, or "". `recorded` reads the details of all audit records of
// changes, in order; it is called after the table has been read, so that no change is missed in
// between. Read-only.
using ReadRecorded = std::function<Result<std::vector<json::object>>()>;
Result<std::string> CompareWithRecords(storage::Database& database, const ReadRecorded& recorded);

}  // namespace belljar::service::callers
