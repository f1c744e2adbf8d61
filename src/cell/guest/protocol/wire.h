// The guest protocol: what the supervisor and the interpreter in a cell say to each other.
//
// A conversation is four kinds of frame long: the guest says HELLO, the supervisor sends one RUN,
// the program runs, and the guest may add what it alone knows (the exception that ended the
// program, how many files it opened, that it stopped at its quota). In a session the supervisor
// sends SESSION instead and then STATEMENT after STATEMENT (session_dialogue.h). The bytes are
// described in docs/guest-protocol.md.
//
// Everything from a guest is hostile input: user code owns that end of the socket from its first
// instruction. So every size is checked against its limit in the header, before the payload is
// waited for; each kind of frame is accepted once and in order; unknown keys are refused; and the
// first violation is final, because the only answer to one is to kill the cell. Nothing said here
// decides how a run ended: wait status and cgroup counters do. In a container the wait status is a
// word from inside as well, and the guest's own is taken for it if it comes first.
//
// FrameReader cuts bytes into frames, GuestDialogue gives them meaning. Neither touches a
// descriptor, so that both can be fuzzed. Not thread-safe: one conversation, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell/guest/protocol/frames.h"
#include "foundation/base/result.h"

namespace belljar::cell::guest {

constexpr std::size_t kHeaderBytes = 5;  // payload length (u32, little-endian), type (u8)
constexpr std::size_t kMaxGuestFrames = 8;
constexpr std::size_t kMaxGuestNameBytes = 256;
constexpr std::size_t kMaxErrorTypeBytes = 256;
constexpr std::size_t kMaxErrorMessageBytes = 64 << 10;
constexpr std::size_t kMaxErrorTracebackBytes = 128 << 10;
constexpr std::size_t kMaxBundleEntries = 16;
constexpr std::size_t kMaxMimeBytes = 128;
constexpr std::size_t kMaxRefusalBytes = 1024;  // of SAVED

struct Frame {
  FrameType type;
  std::string payload;
  bool operator==(const Frame&) const = default;
};

// The bytes of one frame. The payload must be within the limit of its type.
std::string EncodeFrame(FrameType type, std::string_view payload);

// Cuts a byte stream into frames, however the bytes are grouped on arrival. Who wrote the bytes
// decides which types and sizes are legal. Holds at most the bytes of one incomplete frame. The
// first violation is final: what was incomplete is dropped, and every later call fails in the same
// words.
class FrameReader {
 public:
  explicit FrameReader(Sender sender) : sender_(sender) {}

  // The frames completed by `bytes`. Frames that came before a violation in the same bytes are
  // not delivered: a stream with a violation in it is not worth reading.
  Result<std::vector<Frame>> Feed(std::string_view bytes);

  // The same, one step at a time: gives `bytes` to the reader, then takes out frame after frame
  // until there is none (nullopt).
  void Append(std::string_view bytes);
  Result<std::optional<Frame>> Next();

  // True when the stream may end here: no frame is half-received.
  bool AtBoundary() const { return buffer_.size() == taken_; }

 private:
  Result<std::uint32_t> CheckHeader() const;
  Error Fail(Error error);

  Sender sender_;
  std::string buffer_;
  std::size_t taken_ = 0;  // bytes of buffer_ that have left as frames
  std::size_t frames_ = 0;
  std::optional<Error> violation_;
};

// The exception that ended a program, in the program's own words. All fields are valid UTF-8.
struct GuestError {
  std::string type;
  std::string message;
  std::string traceback;
  bool operator==(const GuestError&) const = default;
};

// What a guest has said so far.
struct GuestReport {
  std::string guest;  // "python 3.11.2"
  std::optional<GuestError> error;
  std::optional<std::uint64_t> file_operations;
  std::optional<std::uint64_t> refusals;  // by the guard, if there is one
  std::optional<int> exits;               // the status that it is about to end with
  std::optional<std::string> quota;       // the limit at which the guest stopped itself
  bool operator==(const GuestReport&) const = default;
};

// The supervisor's half of a conversation: bytes from the guest in, a GuestReport out.
class GuestDialogue {
 public:
  // Takes bytes as they arrive. An error is a protocol violation: kill the cell.
  Result<> Feed(std::string_view bytes);

  // True once HELLO has been read: the guest waits for RUN.
  bool ready() const { return ready_; }
  const GuestReport& report() const { return report_; }
  bool AtBoundary() const { return reader_.AtBoundary(); }

 private:
  Result<> Drain();
  Result<> Accept(const Frame& frame);

  FrameReader reader_{Sender::kGuest};
  GuestReport report_;
  bool ready_ = false;
  std::optional<Error> violation_;
};

enum class Language { kPython, kJavaScript, kBash };

std::string_view LanguageName(Language language);

// What user code must not do in the interpreter that runs it: docs/guard.md. Lists are texts, with
// blanks between the names: most programs never ask for them.
struct Guard {
  std::string policy;                // its name, for messages
  std::string imports;               // any, unforbidden, listed
  std::vector<std::string> refused;  // ids of rules
  std::string forbidden;
  std::string allowed;
  std::string members;
  bool operator==(const Guard&) const = default;
};

// One program to run. Exactly one of `code` and `command` is set.
struct RunMessage {
  Language lang = Language::kPython;
  std::optional<std::string> code;   // source text, UTF-8
  std::vector<std::string> command;  // a program and its arguments
  std::string name;                  // what tracebacks call the program, "main.py"
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  // the whole environment, nothing is inherited
  std::uint64_t file_operations = 0;       // quota; 0 is none
  std::shared_ptr<const Guard> guard;      // of Python only; null: none
  std::string compiled;  // of Python only: what an interpreter has made of `code`; empty: nothing
  bool operator==(const RunMessage&) const = default;
};

// The bytes of a HELLO frame, of a guest written in C++. `guest` is what it calls itself.
std::string EncodeHello(std::string_view guest);

// The bytes of a RUN frame. All text must be UTF-8 and the whole within kMaxRunBytes, which the
// limits on a request (policy/request.h) ensure.
std::string EncodeRun(const RunMessage& message);

// The message in the payload of a RUN frame, for a guest written in C++.
Result<RunMessage> DecodeRun(std::string_view payload);

// What a guest is to become that runs one statement after another in one living interpreter.
struct SessionMessage {
  Language lang = Language::kPython;
  std::map<std::string, std::string> env;  // as in RunMessage
  std::string workspace = "/workspace";
  bool operator==(const SessionMessage&) const = default;
};

// One piece of code for a session.
struct StatementMessage {
  std::uint64_t n = 0;  // the guest repeats it in what it says about this statement
  std::string code;
  std::string name;  // what tracebacks call it, "cell-7.py"; should differ from one to the next
  std::vector<std::string> args;
  // The whole of stdin. Not through the pipe behind descriptor 0, which could end only once.
  std::optional<std::string> stdin_text;
  std::uint64_t file_operations = 0;  // quota; 0 is none
  std::shared_ptr<const Guard> guard;
  bool same_guard = false;  // as the statement before had, which the guest still knows
  bool operator==(const StatementMessage&) const = default;
};

// Whether a restored process goes on as itself, or as one of several that part here.
enum class RestoreAs { kItself, kBranch };

// Bytes of frames, and what is in their payloads. The rules are those of RUN.
std::string EncodeSession(const SessionMessage& message);
std::string EncodeStatement(const StatementMessage& message);
// With each of these comes a descriptor: to be written to, to be read from.
// `base`: the inode of the file that the guest's memory is mapped from, or 0.
std::string EncodeCheckpoint(std::uint64_t room, std::uint64_t base);
std::string EncodeRestore(RestoreAs as);
Result<RestoreAs> DecodeRestore(std::string_view payload);
Result<SessionMessage> DecodeSession(std::string_view payload);
Result<StatementMessage> DecodeStatement(std::string_view payload);

}  // namespace belljar::cell::guest
