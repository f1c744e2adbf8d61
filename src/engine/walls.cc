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
                                                const NativeParts& parts) {
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
    auto runtime = BJ_TRY(isolate::FindRuntime({options.runtime, options.platform}));
    // Others would hold a program by namespaces alone: no filter is made for them yet.
    if (runtime.kind != isolate::RuntimeKind::kRunsc) {
      return Error(Kind::kInvalid,
                   fmt::format("{} is not gVisor, and no other runtime is taken yet: "
                               "name runsc in gvisor.runtime",
                               runtime.path));
    }
    std::unique_ptr<isolate::Backend> made =
        BJ_TRY(isolate::OciBackend::Create(images, {identity, slots, std::move(runtime)}));
    return made;
  });
  backends->Add(BackendKind::kDocker, [&images, slots, options]() -> Made {
    isolate::DockerOptions docker = options.docker;
    if (docker.socket.empty()) docker.socket = isolate::DefaultDockerSocket();
    std::unique_ptr<isolate::Backend> made =
        BJ_TRY(isolate::DockerBackend::Create(images, slots, docker));
    return made;
  });
  return backends;
}

std::optional<std::string> ChooseWalls(policy::Request& request, const policy::Policy* terms,
                                       isolate::Backends& backends) {
  if (!request.backend) request.backend = terms == nullptr ? BackendKind::kNative : terms->backend;
  const BackendKind kind = *request.backend;
  const auto made = backends.Get(kind);
  if (!made) return made.error().message();
  const bool way_out = !request.allow_hosts.empty() || (terms != nullptr && !terms->tools.empty());
  if (way_out && kind != BackendKind::kNative) {
    return fmt::format("the backend {} has no way out to hosts or tools: take the native backend",
                       BackendName(kind));
  }
  request.image = backends.ImageFor(kind, request.image);
  const bool strict = terms != nullptr && terms->strict_gvisor;
  if (!strict || backends.HasGvisor(kind)) return std::nullopt;
  return fmt::format(
      "{} has strict_gvisor, and the backend {} is not held by gVisor here: name the backend "
      "gvisor, or a policy without strict_gvisor",
      terms->name, BackendName(kind));
}

}  // namespace belljar::engine
