// The guest protocol: the messages between the supervisor and the interpreter in a cell.
//
// A conversation has four kinds of frames: the guest sends HELLO, the supervisor sends one RUN, the
// program runs, and the guest may report what only it knows (the exception that ended the program,
// how many files it opened, that it stopped at its quota). In a session the supervisor sends
// SESSION instead and then STATEMENT after STATEMENT (session_dialogue.h). docs/guest-protocol.md
// describes the bytes.
//
// Everything from a guest is hostile input: user code controls that end of the socket from its
// first instruction. So every size is checked against its limit when the header arrives, before the
// payload is awaited; each kind of frame is accepted once and in order; unknown keys are refused;
// and the first violation is final, because the only answer to one is to kill the cell. No frame
// decides how a run ended: the wait status and the cgroup counters do. In a container the wait
// status is also reported from inside, and the exit status that the guest reports replaces it if it
// arrives first.
//
// FrameReader splits bytes into frames; GuestDialogue interprets them. Neither uses a descriptor,
// so both can be fuzzed. Not thread-safe: each conversation belongs to one thread.
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
constexpr std::size_t kMaxRefusalBytes = 1024;  // the reason in SAVED

struct Frame {
  FrameType type;
  std::string payload;
  bool operator==(const Frame&) const = default;
};

// Encodes one frame. The payload must be within the limit of its type.
std::string EncodeFrame(FrameType type, std::string_view payload);

// Splits a byte stream into frames, independently of how the bytes are grouped on arrival. The
// sender decides which types and sizes are legal. Buffers at most the bytes of one incomplete
// frame. The first violation is final: the incomplete frame is dropped, and every later call fails
// with the same message.
class FrameReader {
 public:
  explicit FrameReader(Sender sender) : sender_(sender) {}

  // Returns the frames completed by `bytes`. If the bytes contain a violation, frames before it are
  // not delivered either.
  Result<std::vector<Frame>> Feed(std::string_view bytes);

  // The same, one step at a time: Append() passes bytes to the reader, Next() returns frame after
  // frame, and nullopt when there is no complete one.
  void Append(std::string_view bytes);
  Result<std::optional<Frame>> Next();

  // True when the stream may end here: no frame is incomplete.
  bool AtBoundary() const { return buffer_.size() == taken_; }

 private:
  Result<std::uint32_t> CheckHeader() const;
  Error Fail(Error error);

  Sender sender_;
  std::string buffer_;
  std::size_t taken_ = 0;  // bytes of buffer_ that have been returned as frames
  std::size_t frames_ = 0;
  std::optional<Error> violation_;
};

// The exception that ended a program, as the program reports it. All fields are valid UTF-8.
struct GuestError {
  std::string type;
  std::string message;
  std::string traceback;
  bool operator==(const GuestError&) const = default;
};

// Everything that a guest has reported so far.
struct GuestReport {
  std::string guest;  // "python 3.11.2"
  std::optional<GuestError> error;
  std::optional<std::uint64_t> file_operations;
  std::optional<std::uint64_t> refusals;  // number of refusals by the guard, if there is one
  std::optional<int> exits;               // the exit status with which it is about to end
  std::optional<std::string> quota;       // the limit at which the guest stopped itself
  bool operator==(const GuestReport&) const = default;
};

// The supervisor's half of a conversation: turns the bytes from the guest into a GuestReport.
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

// Operations that user code must not perform in the interpreter that runs it: docs/guard.md. Lists
// are strings with blanks between the names, because most programs never need them split.
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
  std::string name;                  // the program's name in tracebacks, "main.py"
  std::vector<std::string> args;
  std::map<std::string, std::string> env;  // the whole environment, nothing is inherited
  std::uint64_t file_operations = 0;       // quota; 0 is none
  std::shared_ptr<const Guard> guard;      // Python only; null: no guard
  std::string compiled;                    // Python only: bytecode of `code`; empty: none
  bool operator==(const RunMessage&) const = default;
};

// Encodes a HELLO frame, for a guest written in C++. `guest` is its name.
std::string EncodeHello(std::string_view guest);

// Encodes a RUN frame. All text must be UTF-8 and the frame within kMaxRunBytes, which the limits
// on a request (request/request.h) ensure.
std::string EncodeRun(const RunMessage& message);

// Decodes the payload of a RUN frame, for a guest written in C++.
Result<RunMessage> DecodeRun(std::string_view payload);

// Starts a session: the guest runs one statement after another in one living interpreter.
struct SessionMessage {
  Language lang = Language::kPython;
  std::map<std::string, std::string> env;  // as in RunMessage
  std::string workspace = "/workspace";
  bool operator==(const SessionMessage&) const = default;
};

// One piece of code for a session.
struct StatementMessage {
  std::uint64_t n = 0;  // the guest repeats it in its answers to this statement
  std::string code;
  std::string name;  // its name in tracebacks, "cell-7.py"; should be unique in the session
  std::vector<std::string> args;
  // The whole of stdin. It does not come through the pipe at descriptor 0, which could end only
  // once.
  std::optional<std::string> stdin_text;
  std::uint64_t file_operations = 0;  // quota; 0 is none
  std::shared_ptr<const Guard> guard;
  bool same_guard = false;  // the guard of the statement before, which the guest still has
  bool operator==(const StatementMessage&) const = default;
};

// Whether a restored process continues as itself, or as one of several branches of the same saved
// process.
enum class RestoreAs { kItself, kBranch };

// Encode a message as a frame, or decode a payload. The rules are those of RUN.
std::string EncodeSession(const SessionMessage& message);
std::string EncodeStatement(const StatementMessage& message);
// CHECKPOINT and RESTORE come with a file descriptor, to write to and to read from. `room`: bytes
// of memory that the process and its saved copy may use together. `base`: the inode of the file
// that the guest's memory is mapped from, or 0.
std::string EncodeCheckpoint(std::uint64_t room, std::uint64_t base);
std::string EncodeRestore(RestoreAs as);
Result<RestoreAs> DecodeRestore(std::string_view payload);
Result<SessionMessage> DecodeSession(std::string_view payload);
Result<StatementMessage> DecodeStatement(std::string_view payload);

}  // namespace belljar::cell::guest
