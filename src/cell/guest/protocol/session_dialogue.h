// SessionDialogue: the supervisor's half of a session, after HELLO.
//
// The supervisor sends SESSION and the guest answers READY. Then, one at a time, the supervisor
// sends a STATEMENT and tells the dialogue so (Begin); the guest may send ERROR and QUOTA once each
// and DISPLAY many times, and ends with DONE for that statement. Between statements it may send
// nothing: a guest keeps the displays of background threads for the next statement. Instead of a
// STATEMENT the supervisor may send a CHECKPOINT, which is answered by SAVED.
//
// The bytes are hostile, as in wire.h: sizes are checked from the header, limits on counts and sums
// apply to each statement, unknown keys are refused, and the first violation is final. Events
// always have the shapes below, but all of their content may be false.
//
// It turns bytes into events and uses no descriptor, so it can be fuzzed. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "cell/guest/protocol/wire.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::cell::guest {

struct SessionReady {
  bool operator==(const SessionReady&) const = default;
};

// A rich result: the same value in several formats, of which a client shows the best it can.
struct Display {
  // MIME type to data: any JSON for application/json and types that end in +json, base64 for
  // images other than SVG, text for all others.
  json::object bundle;
  bool is_result = false;  // the value of the statement's last expression
  bool operator==(const Display&) const = default;
};

// The guest stopped itself at this limit, and its process is about to end.
struct QuotaReached {
  std::string limit;
  bool operator==(const QuotaReached&) const = default;
};

enum class StatementStatus {
  kOk,         // exit_code: 0, or the status of a shell's last command
  kException,  // an ERROR came before, unless the exception could not be described
  kExit,       // the program asked to end its process, which ends next
};

struct StatementDone {
  std::uint64_t n = 0;
  StatementStatus status = StatementStatus::kOk;
  std::optional<int> exit_code;  // 0 to 255
  std::uint64_t file_operations = 0;
  std::optional<std::uint64_t> refusals;
  bool operator==(const StatementDone&) const = default;
};

// The answer to CHECKPOINT.
struct SessionSaved {
  std::string refused;  // the reason for a refusal; empty when the process is saved
  bool part = false;    // the file builds on the base that CHECKPOINT named
  bool operator==(const SessionSaved&) const = default;
};

using SessionEvent =
    std::variant<SessionReady, GuestError, Display, QuotaReached, StatementDone, SessionSaved>;

class SessionDialogue {
 public:
  // Call when a STATEMENT with this number has been sent. Fails where none may be sent: before
  // READY, or while another is running.
  Result<> Begin(std::uint64_t n);
  // Call when a CHECKPOINT has been sent; the same rules apply.
  Result<> BeginCheckpoint();

  // Append() takes bytes as they arrive; Next() returns event after event, and nullopt when there
  // is none. An error is a protocol violation: kill the cell.
  void Append(std::string_view bytes) { reader_.Append(bytes); }
  Result<std::optional<SessionEvent>> Next();

  bool ready() const { return ready_; }
  bool running() const { return statement_.has_value(); }
  bool saving() const { return saving_; }
  bool AtBoundary() const { return reader_.AtBoundary(); }

 private:
  struct Statement {
    std::uint64_t n = 0;
    bool error_said = false;
    bool quota_said = false;
    std::size_t displays = 0;
    std::size_t display_bytes = 0;
  };

  Result<> CheckFree() const;
  Result<std::optional<SessionEvent>> TakeNext();
  Result<SessionEvent> Accept(const Frame& frame);
  Result<SessionEvent> AcceptReady(std::string_view payload);
  Result<SessionEvent> AcceptDisplay(const Frame& frame);
  Result<SessionEvent> AcceptDone(std::string_view payload);
  Result<SessionEvent> AcceptSaved(const Frame& frame);

  FrameReader reader_{Sender::kSessionGuest};
  bool ready_ = false;
  bool saving_ = false;
  std::optional<Statement> statement_;  // the one that is running
  std::optional<Error> violation_;
};

}  // namespace belljar::cell::guest
