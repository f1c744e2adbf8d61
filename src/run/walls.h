// Which backend holds a request, and whether it can and may.
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

// What builds walls besides the kernel, on this machine.
struct WallOptions {
  std::string runtime;   // of the gvisor backend: a name or a path of runsc; empty: "runsc"
  std::string platform;  // of runsc; empty: the best that works anywhere
  std::chrono::milliseconds patience = cell::Patience().time;  // with one that is silent
  cell::oci::Trial trial = cell::oci::Trial::kWhenAsked;       // of the runtime
  cell::docker::DockerOptions docker;  // an empty socket: where Docker listens by default
  bool operator==(const WallOptions&) const = default;
};

// What only native cells have a part of.
struct NativeParts {
  cell::native::ForShells for_shells = cell::native::ForShells::kNothing;
  cell::native::StepMask off = 0;  // for tests
};

// Those of an engine: native, gvisor, docker. `images` must outlive them.
std::unique_ptr<cell::Backends> MakeBackends(const cell::image::ImageStore& images,
                                             const WallOptions& options, const NativeParts& parts,
                                             const cell::docker::DockerHooks& hooks);

// The walls of a request: what its policy and this machine make of its wishes.
struct HeldBy {
  request::BackendKind backend = request::BackendKind::kNative;
  std::string image;                   // as the backend calls it
  std::optional<std::string> refusal;  // the sentence that refuses it: it cannot be held
};
// The backend is the policy's where the request does not say.
HeldBy ChooseWalls(const request::Request& request, const judgement::policy::Policy* terms,
                   cell::Backends& backends);
// The sentence that refuses walls which that policy does not trust.
std::optional<std::string> RefuseWeakWalls(request::BackendKind kind,
                                           const judgement::policy::Policy* terms,
                                           cell::Backends& backends);

}  // namespace belljar::run
