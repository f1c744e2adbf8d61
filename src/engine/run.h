// The middle stages of a request, between placing it and judging it.
#pragma once

#include "engine/engine.h"
#include "guest/session_dialogue.h"
#include "guest/wire.h"
#include "monitor/meter.h"
#include "monitor/watch.h"
#include "result/capture.h"
#include "result/clean.h"
#include "result/workspace.h"

namespace belljar::engine {

// What the supervisor saw of a run. `report` and what follows are the guest's own word.
struct Observed {
  explicit Observed(const policy::Limits& limits,
                    std::shared_ptr<const redact::Redactor> redactor = nullptr,
                    TextMode text = TextMode::kRaw)
      : capture(limits), cleaner(std::move(redactor), text) {}

  monitor::WatchEnd end;
  monitor::Reading reading;
  bool sampled = false;  // without counters: what the kernel refuses, nobody counts
  result::Capture capture;
  result::Cleaner cleaner;
  std::array<std::string, 2> shown;  // of the two streams, what may leave
  guest::GuestReport report;
  std::vector<guest::Display> displays;         // in a session
  std::optional<std::uint64_t> processes_left;  // beside the program, when it ended by itself
  std::uint64_t network_requests = 0;
  std::uint64_t used_before = 0;                 // bytes of the workspace that are not this run's
  std::optional<int> said_exit_code;             // in a session, whose process has not ended
  std::optional<result::Listing> left;           // what its workspace held after it
  std::optional<std::uint64_t> size_when_empty;  // of the workspace: result::SizeWhenEmpty
};

guest::Language LanguageOf(policy::Lang lang);
// The whole environment of a program: the defaults, `more`, what the request adds, and what names
// the doors of its cell.
std::map<std::string, std::string> GuestEnvironment(const policy::Request& request,
                                                    const isolate::Cell& cell,
                                                    const std::map<std::string, std::string>& more);

// Handlers that keep a run's output in `seen` and pass it on, and end it by the cell.
monitor::Handlers CaptureInto(Observed& seen, const RunHooks& hooks, isolate::Cell& cell);
// Whether the caller, or the daemon, wants the end of it.
bool IsCancelled(const monitor::CancelledBy& by);
// After the last of the output: what the cleaner held back.
void FinishOutput(Observed& seen, const RunHooks& hooks);
// The program is over, and so are its calls of tools.
Result<> EndCalls(const RunHooks& hooks, Observed& seen);
// The event of a refused fork, where this machine has one.
const Fd* ForkDenied(session::PreparedCell& prepared);
// How long a run in that cell has for its last words.
std::chrono::milliseconds GraceIn(const isolate::Cell& cell);

Result<Observed> Execute(const policy::Request& request, session::PreparedCell& prepared,
                         const monitor::CgroupSupport& support, const RunHooks& hooks);

}  // namespace belljar::engine
