// Which backend holds a request, and whether it can and may.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "image/store.h"
#include "isolate/backends.h"
#include "isolate/docker/container_plan.h"
#include "isolate/native/native_backend.h"
#include "isolate/oci/oci_backend.h"
#include "policy/policy.h"
#include "policy/request.h"

namespace belljar::engine {

// What builds walls besides the kernel, on this machine.
struct WallOptions {
  std::string runtime;   // of the gvisor backend: a name or a path of runsc; empty: "runsc"
  std::string platform;  // of runsc; empty: the best that works anywhere
  std::chrono::milliseconds patience = isolate::Patience().time;  // with one that is silent
  isolate::Trial trial = isolate::Trial::kWhenAsked;              // of the runtime
  isolate::DockerOptions docker;  // an empty socket: where Docker listens by default
  bool operator==(const WallOptions&) const = default;
};

// What only native cells have a part of.
struct NativeParts {
  isolate::ForShells for_shells = isolate::ForShells::kNothing;
  isolate::StepMask off = 0;  // for tests
};

// Those of an engine: native, gvisor, docker. `images` must outlive them.
std::unique_ptr<isolate::Backends> MakeBackends(const image::ImageStore& images,
                                                const WallOptions& options,
                                                const NativeParts& parts,
                                                const isolate::DockerHooks& hooks);

// The walls of a request: what its policy and this machine make of its wishes.
struct HeldBy {
  policy::BackendKind backend = policy::BackendKind::kNative;
  std::string image;                   // as the backend calls it
  std::optional<std::string> refusal;  // the sentence that refuses it: it cannot be held
};
// The backend is the policy's where the request does not say.
HeldBy ChooseWalls(const policy::Request& request, const policy::Policy* terms,
                   isolate::Backends& backends);
// The sentence that refuses walls which that policy does not trust.
std::optional<std::string> RefuseWeakWalls(policy::BackendKind kind, const policy::Policy* terms,
                                           isolate::Backends& backends);

}  // namespace belljar::engine
