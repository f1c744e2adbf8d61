// Builds the requests that create a container: the walls of a cell in terms of Docker's Engine API.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cell/backend.h"
#include "foundation/base/json.h"

namespace belljar::cell::docker {

// Labels of every container, volume and image that Belljar creates.
inline constexpr const char* kOwnerLabel = "belljar.owner";  // fingerprint of the state directory
inline constexpr const char* kProcessLabel = "belljar.process";  // PID.STARTED.NAMESPACE

struct DockerOptions {
  std::string socket;             // a path
  std::string image = "default";  // for requests that name no other
  std::string runtime = "runsc";  // name of the runtime in the daemon's configuration
  bool strict_gvisor = true;      // refuse runtimes other than gVisor
  std::uint64_t cpu_period_us = 100'000;
  std::uint64_t cpu_quota_us = 0;  // CPU time per period; 0: as much as the request's CPUs
  std::string owner;               // the state directory that the containers belong to
  bool removes_strays = true;      // remove leftovers of ended processes of this owner
  bool operator==(const DockerOptions&) const = default;
};

// Callbacks for what the backend does besides starting cells. Either may be null.
struct DockerHooks {
  // Receives a sentence about what was removed. If it returns an error, the backend is not created.
  std::function<Result<>(const std::string&)> on_stray;
  image::OnProgress on_progress;  // while an image is imported into Docker
};

struct ContainerPlan {
  std::string image;                 // its name in Docker
  std::vector<std::string> command;  // the shim and the command that it starts
  std::uint32_t uid = 0;             // the guest's uid
  std::string process;               // the value of kProcessLabel
  std::string name;                  // unique; prefix of the names of volumes
  // Docker gives anonymous volumes the size that is asked for, but cannot make them read-only for
  // the guest. Podman honours volume options only for named volumes, and ignores the size, which is
  // set later.
  enum class Volumes { kAnonymous, kNamed };
  Volumes volumes = Volumes::kAnonymous;
};

// The limit of processes and threads for a container whose guest may have `processes`. Docker does
// not report which platform its gVisor uses; ptrace needs the most, so that is assumed.
std::uint32_t DockerProcesses(std::uint32_t processes);

// A tmpfs of the host that the supervisor can open as well.
struct PlannedVolume {
  std::string target;
  std::uint64_t bytes;
  std::uint64_t inodes;
  const char* mode;
  bool read_only = false;
};
// The workspace, /tmp, /dev/shm, /run, and the vaults of the spec in their order.
std::vector<PlannedVolume> VolumesOf(const CellSpec& spec);

// The body of POST /containers/create. Its volumes are anonymous and are removed with the
// container, except those that NamedVolumes() lists, which must exist before.
json::object CreateBody(const CellSpec& spec, const ContainerPlan& plan,
                        const DockerOptions& options);

// The bodies of POST /volumes/create for the named volumes. They must be removed after the
// container.
std::vector<json::object> NamedVolumes(const CellSpec& spec, const ContainerPlan& plan,
                                       const DockerOptions& options);

inline constexpr const char* kWorkspacePath = "/workspace";
// The mount point of a vault inside the cell.
std::string VaultPath(const VaultSpec& vault);

}  // namespace belljar::cell::docker
