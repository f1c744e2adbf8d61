#include "engine/walls.h"

#include <fmt/format.h>
#include <unistd.h>

#include "isolate/docker/docker_backend.h"
#include "isolate/native/native_backend.h"
#include "isolate/oci/oci_backend.h"

namespace belljar::engine {

using policy::BackendKind;
using policy::BackendName;

std::unique_ptr<isolate::Backends> MakeBackends(const image::ImageStore& images,
                                                const WallOptions& options,
                                                const NativeParts& parts,
                                                const isolate::DockerHooks& hooks) {
  const auto identity =
      ::geteuid() == 0 ? isolate::Identity::kSlotUid : isolate::Identity::kNestedUser;
  const auto slots = std::make_shared<isolate::Slots>();
  auto backends = std::make_unique<isolate::Backends>();
  using Made = Result<std::unique_ptr<isolate::Backend>>;
  backends->Add(BackendKind::kNative, [&images, identity, slots, parts]() -> Made {
    std::unique_ptr<isolate::Backend> made = BJ_TRY(
        isolate::NativeBackend::Create(images, {identity, slots, parts.off, parts.for_shells}));
    return made;
  });
  backends->Add(BackendKind::kGvisor, [&images, identity, slots, options]() -> Made {
    auto runtime =
        BJ_TRY(isolate::FindRuntime({options.runtime, options.platform, options.patience / 2}));
    std::unique_ptr<isolate::Backend> made = BJ_TRY(isolate::OciBackend::Create(
        images, {identity, slots, std::move(runtime), options.patience, options.trial}));
    return made;
  });
  backends->Add(BackendKind::kDocker, [&images, slots, options, hooks]() -> Made {
    isolate::DockerOptions docker = options.docker;
    if (docker.socket.empty()) docker.socket = isolate::DefaultDockerSocket();
    std::unique_ptr<isolate::Backend> made =
        BJ_TRY(isolate::DockerBackend::Create(images, slots, docker, hooks));
    return made;
  });
  return backends;
}

HeldBy ChooseWalls(const policy::Request& request, const policy::Policy* terms,
                   isolate::Backends& backends) {
  const BackendKind kind =
      request.backend.value_or(terms == nullptr ? BackendKind::kNative : terms->backend);
  HeldBy held{kind, request.image, {}};
  const auto made = backends.Get(kind);
  if (!made) {
    held.refusal = made.error().message();
    return held;
  }
  held.image = backends.ImageOf(kind, request.image);
  held.refusal = RefuseWeakWalls(kind, terms, backends);
  return held;
}

std::optional<std::string> RefuseWeakWalls(BackendKind kind, const policy::Policy* terms,
                                           isolate::Backends& backends) {
  const bool strict = terms != nullptr && terms->strict_gvisor;
  if (!strict || backends.IsGvisor(kind)) return std::nullopt;
  const char* const advice =
      kind == BackendKind::kDocker ? "name runsc in docker.runtime" : "name the backend gvisor";
  return fmt::format(
      "{} has strict_gvisor, and the backend {} is not held by gVisor here: {}, or a policy "
      "without strict_gvisor",
      terms->name, BackendName(kind), advice);
}

}  // namespace belljar::engine
