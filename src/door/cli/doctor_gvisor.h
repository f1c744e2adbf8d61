// What doctor knows of gVisor: which runtime there is, and whether a program runs in it.
#pragma once

#include <string>

#include "run/engine.h"

namespace belljar::door::cli {

struct GvisorState {
  bool good = false;
  std::string text;  // one line
};

// Tries a program. Nobody needs to have gVisor: that there is none is good, unless `walls` name a
// runtime or a platform. One that is there and cannot hold a program is not.
GvisorState LookAtGvisor(run::Engine& engine, const run::WallOptions& walls);

}  // namespace belljar::door::cli
