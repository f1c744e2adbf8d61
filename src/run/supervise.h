// What the supervision of fresh cells and of sessions has in common: handlers that keep a run's
// output and pass it on, and what is done when its program is over.
#pragma once

#include <chrono>
#include <map>
#include <string>

#include "cell/backend.h"
#include "cell/guest/protocol/wire.h"
#include "cell/limits/watch.h"
#include "cell/pool/cell_factory.h"
#include "run/run.h"

namespace belljar::run {

cell::guest::Language LanguageOf(request::Lang lang);
// The whole environment of a program: the defaults, `more`, what the request adds, and what names
// the listeners of its cell.
std::map<std::string, std::string> GuestEnvironment(const request::Request& request,
                                                    const cell::Cell& cell,
                                                    const std::map<std::string, std::string>& more);

// Handlers that keep a run's output in `seen` and show it to the observer, and end it by the cell.
cell::limits::Handlers CaptureInto(Observed& seen, const Run& run, cell::Cell& cell);
// Whether the caller, or the daemon, wants the end of it.
bool IsCancelled(const cell::limits::CancelledBy& by);
// After the last of the output: what the cleaner held back.
void FinishOutput(Observed& seen, const Run& run);
// The program is over, and so are its calls of tools.
Result<> EndCalls(const Run& run, Observed& seen);
// The event of a refused fork, where this machine has one.
const Fd* ForkDenied(cell::pool::PreparedCell& prepared);
// How long a run in that cell has for its last words.
std::chrono::milliseconds GraceIn(const cell::Cell& cell);
// The uid that files put into a workspace must belong to.
std::uint32_t WorkspaceOwner(const Fd& workspace);

}  // namespace belljar::run
