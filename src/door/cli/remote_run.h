// A run by a daemon, shown to the caller as if it had been run here.
//
// The request goes there once. If the daemon goes away in the middle, that is said and nothing is
// run again: the program may have had its effect. Output is written as it comes, byte for byte; a
// caller that wants the end (Ctrl-C) disconnects, which cancels the run, and then asks the history
// how it ended.
#pragma once

#include "door/cli/command.h"
#include "door/cli/daemon_link.h"
#include "foundation/base/result.h"
#include "request/request.h"

namespace belljar::door::cli {

// Why this request cannot be passed on as it is, in a few words; empty when it can.
std::string WhyNotThere(const RunFlags& flags, const request::Request& request);

// The exit status.
Result<int> RunThere(DaemonLink daemon, const RunFlags& flags, request::Request request);

}  // namespace belljar::door::cli
