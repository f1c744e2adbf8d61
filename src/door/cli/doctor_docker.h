// What doctor knows of Docker: whether it can hold cells, and what was left in it.
#pragma once

#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "run/engine.h"

namespace belljar::door::cli {

struct DockerState {
  bool good = false;
  std::string text;  // one line: the daemon and its gVisor, or what is missing
};

// Nobody needs to have Docker: that it cannot be used is good, unless belljar.toml says anything
// of it.
DockerState LookAtDocker(run::Engine& engine, const run::WallOptions& walls);

// What the state directory left in Docker, described; with kRemove it is gone afterwards. Nothing
// where there is no Docker, unless belljar.toml says where it is: that is an error then.
enum class Strays { kList, kRemove };
Result<std::vector<std::string>> DockerStrays(const std::string& state_dir, Strays what);

}  // namespace belljar::door::cli
