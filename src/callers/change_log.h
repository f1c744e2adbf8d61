// ChangeLog: changes of the table of callers that nobody has recorded yet.
//
// Callers are changed by a command, and only a daemon has the audit log open. So a change leaves a
// row here, in the transaction that makes it, and the daemon, this one or the next to start, takes
// the rows over: it records each, and only then forgets it. A daemon that is killed in between
// records it twice; `number` tells that they are one.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/json.h"
#include "storage/database.h"

namespace belljar::callers {

struct CallerChange {
  std::int64_t number = 0;  // given by the database, ascending
  std::int64_t at_ms = 0;   // since 1970
  std::string by;           // "uid:0"
  json::object detail;      // {"action","name",…}
};

// Brings the table up to date.
Result<> OpenChanges(storage::Database& database);
// In the transaction of the change; its number is that of callers_change.
Result<> NoteChange(storage::Database& database, const CallerChange& change);
// The oldest, at most 100.
Result<std::vector<CallerChange>> ReadChanges(storage::Database& database);
// Those up to this number.
Result<> ForgetChanges(storage::Database& database, std::int64_t number);

// What is recorded of a row: name, digest (in hex; none for a uid), scopes, concurrent_runs,
// sessions, runs_per_minute, memory_bytes.
Result<json::object> DescribeRow(const storage::Row& row);

// Where the table of callers is not what its recorded and its unrecorded changes lead to: a
// sentence; empty where it is. `recorded` reads the details of all records of changes, in their
// order; it is called when the table has been read, so that no change is missed in between. Changes
// nothing.
using ReadRecorded = std::function<Result<std::vector<json::object>>()>;
Result<std::string> CompareWithRecords(storage::Database& database, const ReadRecorded& recorded);

}  // namespace belljar::callers
