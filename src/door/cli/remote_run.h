// Runs a request through a daemon, with the same output as a local run.
//
// The request is sent once. If the daemon dies in the middle, that is reported and nothing is run
// again, because the program may have had its effect. Output is written as it arrives, byte for
// byte. On Ctrl-C the command disconnects, which cancels the run, and then asks the history how the
// run ended.
#pragma once

#include "door/cli/command.h"
#include "door/cli/daemon_link.h"
#include "foundation/base/result.h"
#include "request/request.h"

namespace belljar::door::cli {

// Why this request cannot be sent to a daemon, in a few words; empty if it can.
std::string WhyNotThere(const RunFlags& flags, const request::Request& request);

// Returns the exit status.
Result<int> RunThere(DaemonLink daemon, const RunFlags& flags, request::Request request);

}  // namespace belljar::door::cli
