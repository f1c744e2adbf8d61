// Helpers that the supervision of fresh cells and of sessions share: handlers that capture and
// forward a run's output, and steps for the end of its program.
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
// The complete environment of a program: the defaults, `more`, the request's variables, and those
// that name the listeners of its cell.
std::map<std::string, std::string> GuestEnvironment(const request::Request& request,
                                                    const cell::Cell& cell,
                                                    const std::map<std::string, std::string>& more);

// Handlers that capture a run's output in `seen`, pass it to the observer, and end the run by
// killing the cell.
cell::limits::Handlers CaptureInto(Observed& seen, const Run& run, cell::Cell& cell);
// Whether the caller or the daemon has cancelled the run.
bool IsCancelled(const cell::limits::CancelledBy& by);
// After the last output: emits the bytes that the cleaner held back.
void FinishOutput(Observed& seen, const Run& run);
// Ends the run's tool and database calls after its program has ended.
Result<> EndCalls(const Run& run, Observed& seen);
// The eventfd that signals a refused fork, where this machine has one; else null.
const Fd* ForkDenied(cell::pool::PreparedCell& prepared);
// How long a run in that cell gets between interrupt and kill.
std::chrono::milliseconds GraceIn(const cell::Cell& cell);
// The uid that must own files put into a workspace.
std::uint32_t WorkspaceOwner(const Fd& workspace);

}  // namespace belljar::run
