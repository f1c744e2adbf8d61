// Leftovers on this machine of Belljar processes that have ended, except those in Docker.
//
// These are control groups of processes that no longer exist, for any state directory. If no daemon
// serves the given state directory, they are also: the socket of a killed daemon, saved containers
// that no session refers to, and sessions whose pausing was interrupted. Files of ended sessions
// and paused sessions are kept on purpose and are not reported.
#pragma once

#include <string>
#include <vector>

#include "door/cli/doctor_docker.h"

namespace belljar::door::cli {

struct Stray {
  std::string what;     // description
  std::string trouble;  // why it could not be removed
};

// Lists the leftovers; kRemove also removes them, except those with `trouble`.
std::vector<Stray> StraysOnDisk(const std::string& state_dir, Strays what);

}  // namespace belljar::door::cli
