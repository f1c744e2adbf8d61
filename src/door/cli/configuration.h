// Reads belljar.toml: all of it for the daemon, and the settings that also apply without a daemon.
#pragma once

#include <string>

#include "run/walls.h"
#include "service/config/settings.h"

namespace belljar::door::cli {

// A file given by name must exist; the default file may be missing.
Result<service::config::GivenByKey> ReadConfig(const std::string& named);

run::WallOptions WallsOf(const service::config::Settings& settings);
// The settings of the default belljar.toml.
Result<run::WallOptions> UsualWalls();
Result<request::Limits> UsualLimits();  // defaults for requests

}  // namespace belljar::door::cli
