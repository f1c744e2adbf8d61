// belljar.toml, for the commands: that of the daemon, and what of it holds without one.
#pragma once

#include <string>

#include "config/settings.h"
#include "engine/walls.h"

namespace belljar::cmd {

// One that was named must be there; the usual one may be missing.
Result<config::GivenByKey> ReadConfig(const std::string& named);

engine::WallOptions WallsOf(const config::Settings& settings);
// As the usual belljar.toml has them.
Result<engine::WallOptions> UsualWalls();
Result<policy::Limits> UsualLimits();  // of requests that do not say

}  // namespace belljar::cmd
