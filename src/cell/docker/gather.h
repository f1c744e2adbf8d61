// Gathering: the processes of a container, which its daemon has started, into the cell's own
// control groups.
//
// Docker makes control groups too, in places and with names of its own, and a runtime may be told
// to leave them alone. In the cell's groups limits, counters and kill are those of any other cell.
// What a process had before it was moved stays charged where it was: that is the runtime and an
// interpreter that waits, never a program.
#pragma once

#include <sys/types.h>

#include <string>

#include "cell/backend.h"

namespace belljar::cell::docker {

// `first` is the container's process as the daemon tells; those that stand beside it are known by
// the container's id in their command lines, and all that they have started come along. Returns
// when nobody is left outside: before any user code is sent.
Result<> GatherInto(const Placement& placement, pid_t first, const std::string& container);

// Ends sandboxes that have a container's id in their command lines, and what watches over them: of
// a start that failed, of which the daemon knows nothing any more.
void EndAllOf(const std::string& container);

// The command line of a process, its words divided by spaces; "" if it has gone.
std::string CommandLineOf(pid_t pid);

}  // namespace belljar::cell::docker
