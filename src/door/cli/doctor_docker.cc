#include "door/cli/doctor_docker.h"

#include <fmt/format.h>

#include "cell/docker/docker_backend.h"
#include "cell/docker/docker_images.h"
#include "cell/docker/strays.h"
#include "cell/native/host/compiled_guest.h"
#include "door/cli/configuration.h"

namespace belljar::door::cli {
namespace {

// The current tags of images.
Result<std::vector<std::string>> CurrentTags(const std::string& state_dir) {
  const auto images = BJ_TRY(cell::image::ImageStore::Open(state_dir + "/images"));
  std::vector<std::string> tags;
  for (const cell::image::Image& image : BJ_TRY(images.List())) {
    tags.push_back(cell::docker::TagOf(image, cell::native::ReadCompiledGuest(image)));
  }
  return tags;
}

}  // namespace

DockerState LookAtDocker(run::Engine& engine, const run::WallOptions& walls) {
  const bool asked_for = walls.docker != WallsOf(service::config::Settings()).docker;
  const auto ready = engine.cells().Require(request::BackendKind::kDocker);
  if (!ready) return {!asked_for, (asked_for ? "" : "not used: ") + ready.error().message()};
  const json::object layers = engine.cells().Layers(request::BackendKind::kDocker);
  return {true,
          fmt::format("{}, runtime {} ({})", std::string_view(layers.at("daemon").as_string()),
                      std::string_view(layers.at("runtime").as_string()),
                      layers.at("gvisor").as_bool() ? "gVisor" : "no gVisor")};
}

Result<std::vector<std::string>> DockerStrays(const std::string& state_dir, Strays what) {
  const auto walls = BJ_TRY(UsualWalls());
  const std::string& socket = walls.docker.socket;
  const auto api =
      cell::docker::EngineApi::Open(socket.empty() ? cell::docker::DefaultDockerSocket() : socket);
  if (!api && socket.empty()) return std::vector<std::string>();
  if (!api) return api.error();
  const std::string owner = cell::docker::OwnerMark(state_dir);
  auto strays = BJ_TRY(cell::docker::FindStrays(*api, owner));
  const auto keep = BJ_TRY(CurrentTags(state_dir));
  const auto old = BJ_TRY(cell::docker::FindOldImages(*api, owner, keep));
  strays.insert(strays.end(), old.begin(), old.end());
  std::vector<std::string> described;
  for (const cell::docker::Stray& stray : strays) {
    if (what == Strays::kRemove) {
      BJ_TRY(
          cell::docker::RemoveStray(*api, stray).While("remove " + cell::docker::Describe(stray)));
    }
    described.push_back(cell::docker::Describe(stray));
  }
  return described;
}

}  // namespace belljar::door::cli
