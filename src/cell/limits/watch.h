// Watch: stands over one run until it ends, by itself or because a limit was met.
//
// One thread, one poll loop over the run's descriptors; it never blocks on the guest. The first
// cause is kept: a run that is out of time and then floods its output is out of time. Running out
// of wall clock or CPU time, and a caller's cancel, are first asked for with SIGINT, so that a
// program can say its last words; after a grace the whole cell is killed. The other limits kill at
// once: whoever meets them is already doing harm. Too much output does so only where the guest ends
// with its run: a session is interrupted for it, and lives on.
//
// A run in a session is over when the guest says so; the guest itself lives on. That word is all
// there is, and it can only end the run early: limits, clock and counters are as for any other.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string_view>

#include "cell/limits/meter.h"
#include "foundation/base/ending.h"
#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "request/limits.h"

namespace belljar::cell::limits {

// Why the watch ended a run; kItself: it did not have to.
enum class Cause {
  kItself,
  kWall,
  kCpu,
  kMemory,
  kProcesses,
  kOutput,
  kCancelled,
  kStopped,  // the service that ran it has to end
  kProtocol,
};

// What the caller does with what the watch sees. All are called on the watching thread.
struct Handlers {
  // Output bytes; false means that there has been enough.
  std::function<bool(std::string_view)> on_stdout;
  std::function<bool(std::string_view)> on_stderr;
  // Bytes on the control channel; false means that the guest has broken the protocol.
  std::function<bool(std::string_view)> on_control;
  std::function<void()> interrupt;
  std::function<void()> kill;
  // How the guest ended; called once, after its end.
  std::function<Result<Ending>()> reap;
  // Where the guest outlives the run, as in a session: whether the run is over. May be empty.
  std::function<bool()> done{};
  // Where the end of the guest is told from inside its walls in any case: how it says that it is
  // about to end. Nobody waits for the end then. May be empty.
  std::function<std::optional<Ending>()> last_word{};
  // Called once, after the run has begun, for what need not wait for its end and takes next to no
  // time. May be empty.
  std::function<void()> on_started{};
  // Time so far that the wall clock does not count, since the run waited for people. May be empty.
  std::function<std::chrono::milliseconds()> waited{};
};

// Descriptors of which each, when it is readable, says that the run is to end. Borrowed; -1: none.
enum CancelSlot : std::size_t { kByCaller, kByStop, kByInterrupt, kCancelSlots };
using CancelledBy = std::array<int, kCancelSlots>;
inline constexpr CancelledBy kNeverCancelled{-1, -1, -1};

constexpr std::chrono::milliseconds kGrace{500};
// Behind a kernel that is a program itself, an exception takes many times as long to be shown.
constexpr std::chrono::milliseconds kContainedGrace{2000};

// Descriptors of the run, borrowed.
struct Subject {
  const Fd& ended;  // readable when the guest has ended
  const Fd& control;
  const Fd& stdout_pipe;
  const Fd& stderr_pipe;
  Fd& stdin_pipe;  // fed with `input`, then closed
  std::string_view input;
  const Fd* fork_denied = nullptr;  // POLLPRI when the kernel has refused a fork
  CancelledBy cancel = kNeverCancelled;
  std::chrono::milliseconds grace = kGrace;  // between interrupt and kill
};

// Of the ending neither part is set if the guest lives on.
struct WatchEnd : Ending {
  Cause cause = Cause::kItself;
  std::chrono::microseconds wall{0};
};

Result<WatchEnd> Watch(const Subject& subject, const request::Limits& limits, Meter& meter,
                       const Handlers& handlers);

// Reads what is left in an output pipe without waiting. What comes after `on_bytes` has said that
// there has been enough is dropped, a pipe's worth of it: the next run would be given it.
void Drain(const Fd& pipe, const std::function<bool(std::string_view)>& on_bytes);

}  // namespace belljar::cell::limits
