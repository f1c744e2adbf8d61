// Strays: what a Belljar that has ended without order left in Docker, and images nobody needs.
//
// A container ends by itself when its Belljar does, and Docker then removes it with its volumes.
// What had been created and not yet started, or was there when Docker itself was killed, stays. It
// is known by its labels: of which state it is, and of which process. Only what belongs to a
// process of this state that lives no more is a stray; whoever cannot be judged from here is left
// alone.
#pragma once

#include <string>
#include <vector>

#include "cell/docker/engine_api.h"

namespace belljar::cell::docker {

// This process, as a label: PID.STARTED.NAMESPACE.
std::string ProcessMark();
// Whether the process of a label is known to have ended.
bool HasEnded(const std::string& mark);

// The label of a state directory, which need not exist yet.
std::string OwnerMark(const std::string& state_dir);

struct Stray {
  enum class What { kContainer, kVolume, kImage };
  What what;
  std::string id;
};
std::string Describe(const Stray& stray);

// Containers and volumes of that owner. The volumes of a stray container go with it.
Result<std::vector<Stray>> FindStrays(const EngineApi& api, const std::string& owner);
// Images of that owner but those with these tags.
Result<std::vector<Stray>> FindOldImages(const EngineApi& api, const std::string& owner,
                                         const std::vector<std::string>& keep);
// One that is gone already, or that somebody uses after all, is no error.
Result<> RemoveStray(const EngineApi& api, const Stray& stray);

}  // namespace belljar::cell::docker
