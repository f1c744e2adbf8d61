#include "door/cli/configuration.h"

#include <unistd.h>

namespace belljar::door::cli {
namespace {

Result<service::config::Settings> UsualSettings() {
  const auto file = BJ_TRY(ReadConfig("").While("configuration"));
  return service::config::Combine(file, {}).While("configuration");
}

}  // namespace

Result<service::config::GivenByKey> ReadConfig(const std::string& named) {
  if (!named.empty()) return service::config::ReadTomlFile(named);
  const std::string usual = service::config::DefaultFile();
  if (usual.empty() || ::access(usual.c_str(), F_OK) != 0) return service::config::GivenByKey();
  return service::config::ReadTomlFile(usual);
}

run::WallOptions WallsOf(const service::config::Settings& settings) {
  run::WallOptions walls;
  walls.runtime = settings.gvisor_runtime;
  walls.platform = settings.gvisor_platform;
  walls.docker.socket = settings.docker_socket;
  walls.docker.image = settings.docker_image;
  walls.docker.runtime = settings.docker_runtime;
  walls.docker.strict_gvisor = settings.docker_strict_gvisor;
  walls.docker.cpu_period_us = settings.docker_cpu_period;
  walls.docker.cpu_quota_us = settings.docker_cpu_quota;
  return walls;
}

Result<run::WallOptions> UsualWalls() {
  const auto settings = BJ_TRY(UsualSettings());
  return WallsOf(settings);
}

Result<request::Limits> UsualLimits() {
  const auto settings = BJ_TRY(UsualSettings());
  return settings.limits;
}

}  // namespace belljar::door::cli
