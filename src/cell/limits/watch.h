// Watch: supervises one run until it ends by itself or because a limit was exceeded.
//
// One thread runs one poll loop over the run's descriptors and never blocks on the guest. The first
// cause is kept: a run that is out of time and then floods its output is reported as out of time.
// For wall clock time, CPU time and cancellation by a caller, SIGINT is sent first, so that the
// program can print what it has; after a grace period the whole cell is killed. The other limits
// kill at once, because a program that exceeds them is already doing harm. Exceeding the output
// limit kills only if the guest ends with its run; a session's run is interrupted, and the session
// lives on.
//
// A run in a session is over when the guest reports it; the guest itself lives on. That report is
// not trusted for more: it can only end the run early, and limits, clock and counters are as for
// any other run.
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

// Why the watch ended a run; kItself: the run ended by itself.
enum class Cause {
  kItself,
  kWall,
  kCpu,
  kMemory,
  kProcesses,
  kOutput,
  kCancelled,
  kStopped,  // the service that ran it shuts down
  kProtocol,
};

// Callbacks for what the watch observes. All are called on the watching thread.
struct Handlers {
  // Output bytes; returns false if the output limit is reached.
  std::function<bool(std::string_view)> on_stdout;
  std::function<bool(std::string_view)> on_stderr;
  // Bytes of the control channel; returns false if the guest has violated the protocol.
  std::function<bool(std::string_view)> on_control;
  std::function<void()> interrupt;
  std::function<void()> kill;
  // Returns how the guest ended; called once, after its end.
  std::function<Result<Ending>()> reap;
  // For a session: returns whether the run is over although the guest lives on. May be empty.
  std::function<bool()> done{};
  // For a guest that announces its end and exit status on the control channel: returns that status.
  // The watch then does not wait for the process to end. May be empty.
  std::function<std::optional<Ending>()> last_word{};
  // Called once, after the run has begun, for work that can overlap with the run and is short. May
  // be empty.
  std::function<void()> on_started{};
  // Time so far that does not count as wall time, because the run waited for a human. May be empty.
  std::function<std::chrono::milliseconds()> waited{};
};

// Each descriptor ends the run when it becomes readable. Borrowed; -1: none.
enum CancelSlot : std::size_t { kByCaller, kByStop, kByInterrupt, kCancelSlots };
using CancelledBy = std::array<int, kCancelSlots>;
inline constexpr CancelledBy kNeverCancelled{-1, -1, -1};

constexpr std::chrono::milliseconds kGrace{500};
// Behind gVisor's user-space kernel, a program takes many times as long to print an exception.
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

// If the guest lives on, neither part of the ending is set.
struct WatchEnd : Ending {
  Cause cause = Cause::kItself;
  std::chrono::microseconds wall{0};
};

Result<WatchEnd> Watch(const Subject& subject, const request::Limits& limits, Meter& meter,
                       const Handlers& handlers);

// Reads what is left in an output pipe without waiting. After `on_bytes` has returned false the
// rest is dropped, up to the size of a pipe: otherwise the next run would receive it.
void Drain(const Fd& pipe, const std::function<bool(std::string_view)>& on_bytes);

}  // namespace belljar::cell::limits
