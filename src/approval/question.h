// Question: a request that waits for a person, and the answer. Plain values.
//
// A question never changes but for its state and its answer: another request is another question.
// What ties an answer to a request is the digest, which whoever asks computes over everything that
// must not change between the answer and the run.
//
//   waiting ──approve──> approved ──the one run it was for──> used
//      │ ├──deny────────> denied <──taken back── approved
//      │ └──the owner───> cancelled
//      └────its time────> expired  <──the grant's time── approved
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace belljar::approval {

enum class State : std::uint8_t {
  kWaiting,
  kApproved,
  kDenied,
  kExpired,
  kCancelled,
  kUsed,
  kTampered,  // never stored: its row is not as Belljar wrote it, and nothing in it is to be
              // believed
};

// "waiting", "approved", "denied", "expired", "cancelled", "used", "tampered".
std::string_view StateName(State state);
std::optional<State> ParseState(std::string_view name);

// What a yes is good for. Always for the same caller and the same digest.
enum class GrantKind : std::uint8_t {
  kOnce,     // one run, in the session it was asked for
  kSession,  // every run in the session it was asked for
  kDigest,   // every run, in whichever session
};

// "once", "session", "digest".
std::string_view GrantName(GrantKind kind);
Result<GrantKind> ParseGrant(std::string_view name);

enum class SubjectKind : std::uint8_t { kCode, kCommand };

// What is asked. Text that is too long is cut, and says so; see the bounds below.
struct NewQuestion {
  std::string caller;   // whose request it is
  std::string digest;   // of the request: SHA-256 in 64 lower-case hex digits
  std::string session;  // empty: none
  std::string lang;
  SubjectKind subject_kind = SubjectKind::kCode;
  std::string subject;               // the code, or the command as a line
  std::string reason;                // in the caller's words
  std::vector<std::string> risks;    // the findings in plain words, the worst first
  std::vector<std::string> touches;  // "writes /etc/hosts", "network", "vault /srv/data"
  std::string level;                 // "L1" to "L4"
  std::vector<std::string> wishes;   // "timeout 120 s"
  std::string correlation_id;
  std::chrono::milliseconds wait = std::chrono::hours(1);  // for an answer; see kLongestWait
};

struct Answer {
  std::string by;
  std::int64_t at_ms = 0;
  std::string note;    // why
  std::string digest;  // the very one that was approved; empty unless it was
  std::optional<GrantKind> grant;
  std::int64_t grant_expires_ms = 0;
  bool operator==(const Answer&) const = default;
};

// Times are milliseconds since 1970.
struct Question {
  std::string id;
  std::string caller, digest, session, lang;
  SubjectKind subject_kind = SubjectKind::kCode;
  std::string subject;         // the first kMaxSubjectBytes of it
  std::int64_t cut_bytes = 0;  // that are not shown
  std::string reason;
  std::vector<std::string> risks, touches, wishes;
  std::string level, correlation_id;
  std::int64_t created_ms = 0;
  std::int64_t expires_ms = 0;
  std::int64_t changed_ms = 0;  // when it came to its state
  State state = State::kWaiting;
  std::optional<Answer> answer;  // also of a denial and of a cancellation
  bool operator==(const Question&) const = default;
};

constexpr std::size_t kMaxSubjectBytes = 64U << 10;
constexpr std::size_t kMaxReasonBytes = 4U << 10;
constexpr std::size_t kMaxNoteBytes = 4U << 10;
constexpr std::size_t kMaxItems = 64;         // of risks, touches, wishes each
constexpr std::size_t kMaxItemBytes = 1'024;  // of one of them
constexpr std::size_t kMaxNameBytes = 256;    // of callers, approvers, sessions and other names
constexpr std::chrono::milliseconds kShortestWait = std::chrono::seconds(1);
constexpr std::chrono::milliseconds kLongestWait = std::chrono::hours(7 * 24);

// The question as it is kept, waiting, without an id. Risks beyond kMaxItems become "and N more";
// touches and wishes are never left out, since somebody would agree to what was not shown: too
// many of them, or too long, are refused, as are malformed digests, levels and names.
Result<Question> Prepare(const NewQuestion& asked, std::int64_t now_ms);

// Whether `b` would show a person the same as `a`, the caller's reason apart.
bool ShowsTheSame(const Question& a, const Question& b);

// 1 to kMaxNameBytes bytes of UTF-8 without control characters.
Result<> CheckName(std::string_view what, std::string_view name);

// A note that fits, and says so if it had to be cut.
std::string FitNote(std::string_view note);

// Why it is in its state, in a sentence: "denied by eve at 2026-11-15T14:50:03.123Z: too risky".
std::string WhyOf(const Question& question);

// For HTTP and the command line. The text in it is as it was asked: whoever shows it escapes it.
json::object ToJson(const Question& question);

}  // namespace belljar::approval
