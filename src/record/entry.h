// Entry: what a caller wants to record. Record: the entry as it lies in the log.
//
// A record is one JSON object in canonical form (canonical.h), at most 65,535 bytes:
//   {"caller","correlation_id","detail","event","index","outcome","run_id","session_id","time",
//    "traceparent","v":1}
// Empty members are left out. `index` is the record's position in the log, so that no record can be
// replaced by another one. Bodies are never part of a record: `detail` holds their digests.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::record {

// The kind of event. The list is closed: every view of the log uses these names.
enum class Event {
  kRequest,     // a request arrived; recorded before anything is done
  kDecision,    // the policy's decision: allow, warn, review or block
  kApproval,    // a question put to a person, or the answer
  kRun,         // a run ended, with its outcome
  kLimit,       // a limit was hit
  kRefusal,     // a request was not run, and why
  kSession,     // a session began or ended
  kInterrupt,   // a run was interrupted
  kCheckpoint,  // a checkpoint of a session was made
  kRollback,
  kFork,
  kCommit,  // writes to a vault were committed or dropped
  kFile,    // a caller read or wrote a file of a session
  kBroker,  // a call out of a cell
  kSkill,   // a skill was stored, changed or removed
  kToken,   // a caller's token was created or removed
  kPolicy,  // a policy was loaded
  kReplay,  // a recorded request was run again
  kStart,   // the daemon started
  kStop,    // the daemon stopped in order
  // A daemon found traces of one that had crashed, or a policy's recovery action followed a bad
  // run.
  kRecovered,
};

std::string_view EventName(Event event);
std::optional<Event> ParseEvent(std::string_view name);
// All event names for messages: "request, decision, approval …".
std::string EventNames();

// The caller's part of a record; the log adds time and index.
struct Entry {
  Event event = Event::kRequest;
  std::string caller;                                           // at most 256 bytes, as are the ids
  std::string run_id, session_id, correlation_id, traceparent;  // may be empty
  std::string outcome;                                          // of a run; otherwise empty
  json::object detail;                                          // small; digests, not bodies
};

struct Record {
  std::uint64_t index = 0;
  std::int64_t time_ms = 0;  // milliseconds since 1970, UTC
  Event event = Event::kRequest;
  std::string caller, run_id, session_id, correlation_id, traceparent, outcome;
  std::string entry;  // the record exactly as it lies in the log
  std::string hash;   // its leaf hash, in hexadecimal
};

// A serialised record without its index and its time, which are filled in when the record's
// position in the log is known.
struct Prepared {
  std::string head, middle, tail;

  std::string Complete(std::uint64_t index, std::chrono::system_clock::time_point now) const;
};
// `detail` is entry.detail in canonical form.
Result<Prepared> Prepare(const Entry& entry, std::string_view detail);

// Parses the record in `bytes`, which must be canonical and carry the index `index`.
Result<Record> ParseRecord(std::string_view bytes, std::uint64_t index);

// Converts a time to "2026-11-15T14:50:03.123Z", and back. The parser also accepts shorter forms:
// "2026-11-15", "2026-11-15T14:50Z".
std::string TimeText(std::int64_t time_ms);
Result<std::int64_t> ParseTime(std::string_view text);

}  // namespace belljar::record
