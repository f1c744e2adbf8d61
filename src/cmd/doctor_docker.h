// What doctor knows of Docker: whether it can hold cells, and what was left in it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"

namespace belljar::cmd {

// One sentence: the daemon and its gVisor, or what is missing. Nobody needs to have Docker.
std::string DockerInWords(engine::Engine& engine);

// What the state directory left in Docker, described; with kRemove it is gone afterwards.
enum class Strays { kList, kRemove };
Result<std::vector<std::string>> DockerStrays(const std::string& state_dir, Strays what);

}  // namespace belljar::cmd
