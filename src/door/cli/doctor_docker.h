// The doctor's checks for Docker: whether it can run cells, and leftovers in it.
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

// Docker is optional: if it is unusable the result is still good, unless belljar.toml has settings
// for it.
DockerState LookAtDocker(run::Engine& engine, const run::WallOptions& walls);

// Describes the state directory's leftovers in Docker; kRemove also removes them. Empty where there
// is no Docker; an error if belljar.toml names one.
enum class Strays { kList, kRemove };
Result<std::vector<std::string>> DockerStrays(const std::string& state_dir, Strays what);

}  // namespace belljar::door::cli
