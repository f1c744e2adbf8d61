// A run by a daemon, shown to the caller as if it had been run here.
//
// The request goes there once. If the daemon goes away in the middle, that is said and nothing is
// run again: the program may have had its effect. Output is written as it comes, byte for byte; a
// caller that wants the end (Ctrl-C) disconnects, which cancels the run, and then asks the history
// how it ended.
#pragma once

#include "base/result.h"
#include "cmd/command.h"
#include "cmd/daemon_link.h"
#include "policy/request.h"

namespace belljar::cmd {

// Why this request cannot be passed on as it is, in a few words; empty when it can.
std::string WhyNotThere(const RunFlags& flags, const policy::Request& request);

// The exit status.
Result<int> RunThere(DaemonLink daemon, const RunFlags& flags, policy::Request request);

}  // namespace belljar::cmd
