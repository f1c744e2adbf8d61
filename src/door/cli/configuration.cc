#include "cmd/configuration.h"

#include <unistd.h>

namespace belljar::cmd {
namespace {

Result<config::Settings> UsualSettings() {
  const auto file = BJ_TRY(ReadConfig("").While("configuration"));
  return config::Combine(file, {}).While("configuration");
}

}  // namespace

Result<config::GivenByKey> ReadConfig(const std::string& named) {
  if (!named.empty()) return config::ReadTomlFile(named);
  const std::string usual = config::DefaultFile();
  if (usual.empty() || ::access(usual.c_str(), F_OK) != 0) return config::GivenByKey();
  return config::ReadTomlFile(usual);
}

engine::WallOptions WallsOf(const config::Settings& settings) {
  engine::WallOptions walls;
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

Result<engine::WallOptions> UsualWalls() {
  const auto settings = BJ_TRY(UsualSettings());
  return WallsOf(settings);
}

Result<policy::Limits> UsualLimits() {
  const auto settings = BJ_TRY(UsualSettings());
  return settings.limits;
}

}  // namespace belljar::cmd
