// belljar.toml, for the commands: that of the daemon, and what of it holds without one.
#pragma once

#include <string>

#include "run/walls.h"
#include "service/config/settings.h"

namespace belljar::door::cli {

// One that was named must be there; the usual one may be missing.
Result<service::config::GivenByKey> ReadConfig(const std::string& named);

run::WallOptions WallsOf(const service::config::Settings& settings);
// As the usual belljar.toml has them.
Result<run::WallOptions> UsualWalls();
Result<request::Limits> UsualLimits();  // of requests that do not say

}  // namespace belljar::door::cli
