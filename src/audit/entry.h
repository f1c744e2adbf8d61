// Entry and Record: what a caller wants written down, and what was.
//
// A record is one JSON object in canonical form (canonical.h), at most 65,535 bytes:
//   {"caller","correlation_id","detail","event","index","outcome","run_id","session_id","time",
//    "traceparent","v":1}
// Members without content are left out. `index` is the record's place in the log, so that no
// record can stand in for another. Bodies never go in: `detail` holds their digests.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace belljar::audit {

// What happened. The closed list, in every place a record is shown.
enum class Event {
  kRequest,     // asked for, before anything was done
  kDecision,    // allow, warn, review or block
  kApproval,    // a question put to a person, or the answer
  kRun,         // a run ended, with its outcome
  kLimit,       // a limit was hit
  kRefusal,     // not run, and why
  kSession,     // a session began or ended
  kInterrupt,   // a run was interrupted
  kCheckpoint,  // of a session
  kRollback,
  kFork,
  kCommit,     // writes to a vault were committed or dropped
  kFile,       // a caller read or wrote a file of a session
  kBroker,     // a call out of a cell
  kSkill,      // a skill was stored, changed or removed
  kToken,      // a caller's token was made or removed
  kPolicy,     // a policy was loaded
  kReplay,     // a recorded request was run again
  kStart,      // the daemon began
  kStop,       // and ended in order
  kRecovered,  // what a daemon found of one that had ended without order; what was done about a run
               // that did not end well
};

std::string_view EventName(Event event);
std::optional<Event> ParseEvent(std::string_view name);
// All of them, for messages: "request, decision, approval …".
std::string EventNames();

// What the caller knows; time and index are the log's.
struct Entry {
  Event event = Event::kRequest;
  std::string caller;  // who; at most 256 bytes, as are the ids
  std::string run_id, session_id, correlation_id, traceparent;  // may be empty
  std::string outcome;                                          // of a run, else empty
  json::object detail;                                          // small; digests, not bodies
};

struct Record {
  std::uint64_t index = 0;
  std::int64_t time_ms = 0;  // since 1970, UTC
  Event event = Event::kRequest;
  std::string caller, run_id, session_id, correlation_id, traceparent, outcome;
  std::string entry;  // the record itself, as it lies in the log
  std::string hash;   // its leaf hash, in hex
};

// A record but for its index and its time, which are known only when its turn has come.
struct Prepared {
  std::string head, middle, tail;

  std::string Complete(std::uint64_t index, std::chrono::system_clock::time_point now) const;
};
// `detail` is entry.detail in canonical form.
Result<Prepared> Prepare(const Entry& entry, std::string_view detail);

// The record in `bytes`, which must be canonical and say that it is number `index`.
Result<Record> ParseRecord(std::string_view bytes, std::uint64_t index);

// "2026-11-15T14:50:03.123Z", and back. Dates and times may be cut short from the right when read:
// "2026-11-15", "2026-11-15T14:50Z".
std::string TimeText(std::int64_t time_ms);
Result<std::int64_t> ParseTime(std::string_view text);

}  // namespace belljar::audit
