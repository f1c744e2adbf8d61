// Chooses the backend that confines a request, and checks whether that backend can and may do so.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "cell/backends.h"
#include "cell/docker/container_plan.h"
#include "cell/image/store.h"
#include "cell/native/host/native_backend.h"
#include "cell/oci/host/oci_backend.h"
#include "judgement/policy/policy.h"
#include "request/request.h"

namespace belljar::run {

// The options of the backends besides the native one.
struct WallOptions {
  std::string runtime;   // runsc for the gvisor backend, by name or path; empty: "runsc"
  std::string platform;  // of runsc; empty: the best one that works on any machine
  // How long an unresponsive runtime is waited for.
  std::chrono::milliseconds patience = cell::Patience().time;
  cell::oci::Trial trial = cell::oci::Trial::kWhenAsked;  // when to test the runtime
  cell::docker::DockerOptions docker;                     // an empty socket: Docker's default
  bool operator==(const WallOptions&) const = default;
};

// Options that only the native backend has.
struct NativeParts {
  cell::native::ForShells for_shells = cell::native::ForShells::kNothing;
  cell::native::StepMask off = 0;  // for tests
};

// The backends of an engine: native, gvisor, docker. `images` must outlive them.
std::unique_ptr<cell::Backends> MakeBackends(const cell::image::ImageStore& images,
                                             const WallOptions& options, const NativeParts& parts,
                                             const cell::docker::DockerHooks& hooks);

// The backend chosen for a request, from its wishes, its policy and the machine.
struct HeldBy {
  request::BackendKind backend = request::BackendKind::kNative;
  std::string image;                   // the backend's name for the image
  std::optional<std::string> refusal;  // set if the request cannot be confined: why, as a sentence
};
// Uses the policy's backend where the request names none.
HeldBy ChooseWalls(const request::Request& request, const judgement::policy::Policy* terms,
                   cell::Backends& backends);
// Why the policy does not trust this backend, as a sentence; nullopt if it does.
std::optional<std::string> RefuseWeakWalls(request::BackendKind kind,
                                           const judgement::policy::Policy* terms,
                                           cell::Backends& backends);

}  // namespace belljar::run
