// The doctor's checks for gVisor: the installed runtime, and whether a program runs in it.
#pragma once

#include <string>

#include "run/engine.h"

namespace belljar::door::cli {

struct GvisorState {
  bool good = false;
  std::string text;  // one line
};

// Runs a test program. gVisor is optional: if it is missing the result is still good, unless
// `walls` name a runtime or a platform. A runtime that exists but cannot run a program is bad.
GvisorState LookAtGvisor(run::Engine& engine, const run::WallOptions& walls);

}  // namespace belljar::door::cli
