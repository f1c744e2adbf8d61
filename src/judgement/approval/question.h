// Question: a request that waits for a person, and the answer. Plain values.
//
// A question is immutable except for its state and its answer: another request is another question.
// The digest ties an answer to a request; the asking code computes it over everything that must not
// change between the answer and the run.
//
//   waiting ──approve──> approved ──the one run it was for──> used
//      │ ├──deny────────> denied <──withdrawn─── approved
//      │ └──the owner───> cancelled
//      └────its time────> expired  <──the grant's time── approved
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::judgement::approval {

enum class State : std::uint8_t {
  kWaiting,
  kApproved,
  kDenied,
  kExpired,
  kCancelled,
  kUsed,
  kTampered,  // never stored: the row's seal is invalid, so nothing in it can be trusted
};

// The name of a state: "waiting", "approved", "denied", "expired", "cancelled", "used", "tampered".
std::string_view StateName(State state);
std::optional<State> ParseState(std::string_view name);

// What an approval covers; always only the same caller and the same digest.
enum class GrantKind : std::uint8_t {
  kOnce,     // one run, in the session that asked
  kSession,  // every run in the session that asked
  kDigest,   // every run, in any session
};

// The name of a grant: "once", "session", "digest".
std::string_view GrantName(GrantKind kind);
Result<GrantKind> ParseGrant(std::string_view name);

enum class SubjectKind : std::uint8_t { kCode, kCommand };

// The content of a new question. Text that is too long is cut with a note about it; the bounds are
// below.
struct NewQuestion {
  std::string caller;   // the caller that made the request
  std::string digest;   // of the request: SHA-256 as 64 lower-case hexadecimal digits
  std::string session;  // empty: none
  std::string lang;
  SubjectKind subject_kind = SubjectKind::kCode;
  std::string subject;               // the code, or the command line
  std::string reason;                // in the caller's words
  std::vector<std::string> risks;    // the findings in plain words, worst first
  std::vector<std::string> touches;  // "writes /etc/hosts", "network", "vault /srv/data"
  std::string level;                 // "L1" to "L4"
  std::vector<std::string> wishes;   // "timeout 120 s"
  std::string correlation_id;
  // How long to wait for an answer; at most kLongestWait.
  std::chrono::milliseconds wait = std::chrono::hours(1);
};

struct Answer {
  std::string by;
  std::int64_t at_ms = 0;
  std::string note;    // the reason for the answer
  std::string digest;  // the digest that was approved; otherwise empty
  std::optional<GrantKind> grant;
  std::int64_t grant_expires_ms = 0;
  bool operator==(const Answer&) const = default;
};

// Times are milliseconds since 1970.
struct Question {
  std::string id;
  std::string caller, digest, session, lang;
  SubjectKind subject_kind = SubjectKind::kCode;
  std::string subject;         // its first kMaxSubjectBytes
  std::int64_t cut_bytes = 0;  // bytes of the subject left out
  std::string reason;
  std::vector<std::string> risks, touches, wishes;
  std::string level, correlation_id;
  std::int64_t created_ms = 0;
  std::int64_t expires_ms = 0;
  std::int64_t changed_ms = 0;  // when it entered its state
  State state = State::kWaiting;
  std::optional<Answer> answer;  // set also for denials and cancellations
  bool operator==(const Question&) const = default;
};

constexpr std::size_t kMaxSubjectBytes = 64U << 10;
constexpr std::size_t kMaxReasonBytes = 4U << 10;
constexpr std::size_t kMaxNoteBytes = 4U << 10;
constexpr std::size_t kMaxItems = 64;         // of risks, touches and wishes each
constexpr std::size_t kMaxItemBytes = 1'024;  // of one such item
constexpr std::size_t kMaxNameBytes = 256;    // of callers, approvers, sessions and other names
constexpr std::chrono::milliseconds kShortestWait = std::chrono::seconds(1);
constexpr std::chrono::milliseconds kLongestWait = std::chrono::hours(7 * 24);

// Makes the Question to store: waiting, without an id. Risks beyond kMaxItems are summarised as
// "and N more". Touches and wishes are never left out, because a person would then approve
// something that was not shown: if there are too many or they are too long, the question is
// refused, as it is for malformed digests, levels and names.
Result<Question> Prepare(const NewQuestion& asked, std::int64_t now_ms);

// Whether `b` shows a person the same as `a`, apart from the caller's reason.
bool ShowsTheSame(const Question& a, const Question& b);

// Checks that a name has 1 to kMaxNameBytes bytes of UTF-8 without control characters.
Result<> CheckName(std::string_view what, std::string_view name);

// The note cut to its maximum length; a cut is marked in the text.
std::string FitNote(std::string_view note);

// A sentence on why the question is in its state: "denied by eve at 2026-11-15T14:50:03.123Z: too
// risky".
std::string WhyOf(const Question& question);

// JSON for HTTP and the command line. Texts are unchanged and may be hostile: the code that
// displays them must escape them.
json::object ToJson(const Question& question);

}  // namespace belljar::judgement::approval
