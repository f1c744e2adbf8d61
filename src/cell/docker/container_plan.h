// What a container is created to: the walls of a cell in the words of Docker's Engine API.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cell/backend.h"
#include "foundation/base/json.h"

namespace belljar::cell::docker {

// Of every container, volume and image that is ours.
inline constexpr const char* kOwnerLabel = "belljar.owner";      // a fingerprint of the state
inline constexpr const char* kProcessLabel = "belljar.process";  // PID.STARTED.NAMESPACE

struct DockerOptions {
  std::string socket;             // a path
  std::string image = "default";  // of requests that name no other
  std::string runtime = "runsc";  // as the daemon calls it
  bool strict_gvisor = true;      // no other kind of runtime will do
  std::uint64_t cpu_period_us = 100'000;
  std::uint64_t cpu_quota_us = 0;  // of a period; 0: as many as the request's CPUs
  std::string owner;               // which state the containers belong to
  bool removes_strays = true;      // what ended processes of this owner have left
  bool operator==(const DockerOptions&) const = default;
};

// Who is told of what the backend does besides cells. Either may be null.
struct DockerHooks {
  // What has been removed, in a sentence. Its error keeps the backend from being made.
  std::function<Result<>(const std::string&)> on_stray;
  image::OnProgress on_progress;  // while an image is brought into Docker
};

struct ContainerPlan {
  std::string image;                 // as Docker knows it
  std::vector<std::string> command;  // the shim and what it is to start
  std::uint32_t uid = 0;             // the guest's
  std::string process;               // the value of kProcessLabel
  std::string name;                  // no other container has it; begins names of volumes
  // Docker makes anonymous volumes as they are described, but none that the guest may only read;
  // Podman makes only those as described that have a name, and of any size: that is set later.
  enum class Volumes { kAnonymous, kNamed };
  Volumes volumes = Volumes::kAnonymous;
};

// How many processes and threads a container may have whose guest may have `processes`. Docker does
// not tell the platform of its gVisor: with ptrace it needs the most.
std::uint32_t DockerProcesses(std::uint32_t processes);

// A tmpfs of the host's, which the supervisor reaches as well.
struct PlannedVolume {
  std::string target;
  std::uint64_t bytes;
  std::uint64_t inodes;
  const char* mode;
  bool read_only = false;
};
// The workspace, /tmp, /dev/shm, /run, and the vaults of the spec in their order.
std::vector<PlannedVolume> VolumesOf(const CellSpec& spec);

// The body of POST /containers/create. Its volumes are anonymous and go with the container, but for
// those that must have been made before: see below.
json::object CreateBody(const CellSpec& spec, const ContainerPlan& plan,
                        const DockerOptions& options);

// The bodies of POST /volumes/create for those. They must be removed after the container.
std::vector<json::object> NamedVolumes(const CellSpec& spec, const ContainerPlan& plan,
                                       const DockerOptions& options);

inline constexpr const char* kWorkspacePath = "/workspace";
// Where the i-th vault of a spec is, inside.
std::string VaultPath(const VaultSpec& vault);

}  // namespace belljar::cell::docker
