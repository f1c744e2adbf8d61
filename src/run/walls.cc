#include "run/walls.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cell/docker/docker_backend.h"
#include "cell/native/host/native_backend.h"
#include "cell/oci/host/oci_backend.h"

namespace belljar::run {

using request::BackendKind;
using request::BackendName;

std::unique_ptr<cell::Backends> MakeBackends(const cell::image::ImageStore& images,
                                             const WallOptions& options, const NativeParts& parts,
                                             const cell::docker::DockerHooks& hooks) {
  const auto identity =
      ::geteuid() == 0 ? cell::native::Identity::kSlotUid : cell::native::Identity::kNestedUser;
  const auto slots = std::make_shared<cell::Slots>();
  auto backends = std::make_unique<cell::Backends>();
  using Made = Result<std::unique_ptr<cell::Backend>>;
  backends->Add(BackendKind::kNative, [&images, identity, slots, parts]() -> Made {
    std::unique_ptr<cell::Backend> made = BJ_TRY(cell::native::NativeBackend::Create(
        images, {identity, slots, parts.off, parts.for_shells}));
    return made;
  });
  backends->Add(BackendKind::kGvisor, [&images, identity, slots, options]() -> Made {
    auto runtime =
        BJ_TRY(cell::oci::FindRuntime({options.runtime, options.platform, options.patience / 2}));
    std::unique_ptr<cell::Backend> made = BJ_TRY(cell::oci::OciBackend::Create(
        images, {identity, slots, std::move(runtime), options.patience, options.trial}));
    return made;
  });
  backends->Add(BackendKind::kDocker, [&images, slots, options, hooks]() -> Made {
    cell::docker::DockerOptions docker = options.docker;
    if (docker.socket.empty()) docker.socket = cell::docker::DefaultDockerSocket();
    std::unique_ptr<cell::Backend> made =
        BJ_TRY(cell::docker::DockerBackend::Create(images, slots, docker, hooks));
    return made;
  });
  return backends;
}

HeldBy ChooseWalls(const request::Request& request, const judgement::policy::Policy* terms,
                   cell::Backends& backends) {
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

std::optional<std::string> RefuseWeakWalls(BackendKind kind, const judgement::policy::Policy* terms,
                                           cell::Backends& backends) {
  const bool strict = terms != nullptr && terms->strict_gvisor;
  if (!strict || backends.IsGvisor(kind)) return std::nullopt;
  const char* const advice =
      kind == BackendKind::kDocker ? "name runsc in docker.runtime" : "name the backend gvisor";
  return fmt::format(
      "{} has strict_gvisor, and the backend {} is not held by gVisor here: {}, or a policy "
      "without strict_gvisor",
      terms->name, BackendName(kind), advice);
}

}  // namespace belljar::run
