#include "cmd/doctor_docker.h"

#include <fmt/format.h>

#include "cmd/configuration.h"
#include "isolate/docker/docker_backend.h"
#include "isolate/docker/docker_images.h"
#include "isolate/docker/strays.h"
#include "isolate/native/compiled_guest.h"

namespace belljar::cmd {
namespace {

// The tags of images as they are now.
Result<std::vector<std::string>> CurrentTags(const std::string& state_dir) {
  const auto images = BJ_TRY(image::ImageStore::Open(state_dir + "/images"));
  std::vector<std::string> tags;
  for (const image::Image& image : BJ_TRY(images.List())) {
    tags.push_back(isolate::TagOf(image, isolate::ReadCompiledGuest(image)));
  }
  return tags;
}

}  // namespace

DockerState LookAtDocker(engine::Engine& engine, const engine::WallOptions& walls) {
  const bool asked_for = walls.docker != WallsOf(config::Settings()).docker;
  const auto ready = engine.cells().Require(policy::BackendKind::kDocker);
  if (!ready) return {!asked_for, (asked_for ? "" : "not used: ") + ready.error().message()};
  const json::object layers = engine.cells().Layers(policy::BackendKind::kDocker);
  return {true,
          fmt::format("{}, runtime {} ({})", std::string_view(layers.at("daemon").as_string()),
                      std::string_view(layers.at("runtime").as_string()),
                      layers.at("gvisor").as_bool() ? "gVisor" : "no gVisor")};
}

Result<std::vector<std::string>> DockerStrays(const std::string& state_dir, Strays what) {
  const auto walls = BJ_TRY(UsualWalls());
  const std::string& socket = walls.docker.socket;
  const auto api =
      isolate::EngineApi::Open(socket.empty() ? isolate::DefaultDockerSocket() : socket);
  if (!api && socket.empty()) return std::vector<std::string>();
  if (!api) return api.error();
  const std::string owner = isolate::OwnerMark(state_dir);
  auto strays = BJ_TRY(isolate::FindStrays(*api, owner));
  const auto keep = BJ_TRY(CurrentTags(state_dir));
  const auto old = BJ_TRY(isolate::FindOldImages(*api, owner, keep));
  strays.insert(strays.end(), old.begin(), old.end());
  std::vector<std::string> described;
  for (const isolate::Stray& stray : strays) {
    if (what == Strays::kRemove) {
      BJ_TRY(isolate::RemoveStray(*api, stray).While("remove " + isolate::Describe(stray)));
    }
    described.push_back(isolate::Describe(stray));
  }
  return described;
}

}  // namespace belljar::cmd
