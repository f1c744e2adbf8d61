// What the supervision of fresh cells and of sessions has in common: handlers that keep a run's
// output and pass it on, and what is done when its program is over.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "engine/run.h"
#include "guest/wire.h"
#include "isolate/backend.h"
#include "monitor/watch.h"
#include "session/cell_factory.h"

namespace belljar::engine {

guest::Language LanguageOf(policy::Lang lang);
// The whole environment of a program: the defaults, `more`, what the request adds, and what names
// the doors of its cell.
std::map<std::string, std::string> GuestEnvironment(const policy::Request& request,
                                                    const isolate::Cell& cell,
                                                    const std::map<std::string, std::string>& more);

// Handlers that keep a run's output in `seen` and show it to the observer, and end it by the cell.
monitor::Handlers CaptureInto(Observed& seen, const Run& run, isolate::Cell& cell);
// Whether the caller, or the daemon, wants the end of it.
bool IsCancelled(const monitor::CancelledBy& by);
// After the last of the output: what the cleaner held back.
void FinishOutput(Observed& seen, const Run& run);
// The program is over, and so are its calls of tools.
Result<> EndCalls(const Run& run, Observed& seen);
// The event of a refused fork, where this machine has one.
const Fd* ForkDenied(session::PreparedCell& prepared);
// How long a run in that cell has for its last words.
std::chrono::milliseconds GraceIn(const isolate::Cell& cell);
// The uid that files put into a workspace must belong to.
std::uint32_t WorkspaceOwner(const Fd& workspace);

}  // namespace belljar::engine
