// Gathering: moves the processes of a container, which the Docker daemon has started, into the
// cell's own control groups.
//
// Docker creates control groups too, in places and with names of its own, and a runtime may be
// configured not to use them. In the cell's groups, limits, counters and kill work as for every
// other cell. Memory that a process had before the move stays charged to its old group; that is
// only memory of the runtime and of a waiting interpreter, never of a user's program.
#pragma once

#include <sys/types.h>

#include <string>

#include "cell/backend.h"

namespace belljar::cell::docker {

// `first` is the container's process as reported by the daemon. Its siblings of the same container
// are recognised by the container's id in their command lines; all descendants are moved as well.
// Returns when no process is left outside, which is before any user code is sent.
Result<> GatherInto(const Placement& placement, pid_t first, const std::string& container);

// Kills the sandbox processes and shims that have the container's id in their command lines. For a
// start that failed, when the daemon no longer knows the container.
void EndAllOf(const std::string& container);

// The command line of a process, its arguments separated by spaces; "" if the process is gone.
std::string CommandLineOf(pid_t pid);

}  // namespace belljar::cell::docker
