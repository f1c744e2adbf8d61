// Strays: objects that a crashed Belljar has left in Docker, and images that are no longer used.
//
// A container ends when the Belljar process that started it ends, and Docker then removes it with
// its volumes. Two kinds of objects remain: those that were created but not yet started, and those
// that existed when Docker itself was killed. Their labels name the state directory and the process
// that they belong to. An object is a stray only if its process belongs to this state directory and
// is known to have ended; processes of another pid namespace cannot be checked, so their objects
// are left alone.
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

// Stray containers and volumes of that owner. The volumes of a stray container go with it.
Result<std::vector<Stray>> FindStrays(const EngineApi& api, const std::string& owner);
// Images of that owner except those with the given tags.
Result<std::vector<Stray>> FindOldImages(const EngineApi& api, const std::string& owner,
                                         const std::vector<std::string>& keep);
// An object that is gone already, or that is in use after all, is no error.
Result<> RemoveStray(const EngineApi& api, const Stray& stray);

}  // namespace belljar::cell::docker
