#include "cell/docker/container_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "cell/oci/host/runtime.h"

namespace belljar::cell::docker {

std::uint32_t DockerProcesses(std::uint32_t processes) {
  return oci::WithRoom(oci::kRoomOfPtrace, processes);
}

namespace {

constexpr std::uint64_t kLeastQuota = 1'000;  // the kernel's minimum

json::object LabelsOf(const ContainerPlan& plan, const DockerOptions& options) {
  return {{kOwnerLabel, options.owner}, {kProcessLabel, plan.process}};
}

// room for the program, which is stored as a file
constexpr std::uint64_t kRunBytes = 16 * request::kMiB;

bool HasName(const PlannedVolume& volume, const ContainerPlan& plan) {
  return volume.read_only || plan.volumes == ContainerPlan::Volumes::kNamed;
}

// A slash becomes a dot: "/vault/data" is ".vault.data" behind the container's name.
std::string NameOf(const PlannedVolume& volume, const ContainerPlan& plan) {
  std::string name = plan.name + volume.target;
  std::ranges::replace(name, '/', '.');
  return name;
}

json::object TmpfsOptions(const PlannedVolume& volume, const ContainerPlan& plan) {
  std::string how =
      fmt::format("nosuid,nodev,mode={},uid={},gid={}", volume.mode, plan.uid, plan.uid);
  if (plan.volumes == ContainerPlan::Volumes::kAnonymous) {
    how += fmt::format(",size={},nr_inodes={}", volume.bytes, volume.inodes);
  }
  return {{"type", "tmpfs"}, {"device", "tmpfs"}, {"o", how}};
}

json::object MountOf(const PlannedVolume& volume, const ContainerPlan& plan,
                     const DockerOptions& options) {
  json::object mount = {{"Type", "volume"}, {"Target", volume.target}};
  if (HasName(volume, plan)) {
    mount["Source"] = NameOf(volume, plan);
    mount["ReadOnly"] = volume.read_only;
    mount["VolumeOptions"] = {{"NoCopy", true}};
  } else {
    const json::object driver = {{"Name", "local"}, {"Options", TmpfsOptions(volume, plan)}};
    mount["VolumeOptions"] = {
        {"NoCopy", true}, {"Labels", LabelsOf(plan, options)}, {"DriverConfig", driver}};
  }
  return mount;
}

json::array MountsOf(const CellSpec& spec, const ContainerPlan& plan,
                     const DockerOptions& options) {
  json::array mounts;
  for (const PlannedVolume& volume : VolumesOf(spec)) {
    mounts.push_back(MountOf(volume, plan, options));
  }
  // A bind mount by path: the daemon runs as root and can read the store.
  for (const ArtefactSpec& artefact : spec.artefacts) {
    mounts.push_back(
        json::object{{"Type", "bind"},
                     {"Source", artefact.path},
                     {"Target", "/artefacts/" + artefact.name},
                     {"ReadOnly", true},
                     {"BindOptions", {{"Propagation", "rprivate"}, {"NonRecursive", true}}}});
  }
  return mounts;
}

json::object ResourceLimit(std::string_view name, std::uint64_t value) {
  return {{"Name", name}, {"Soft", value}, {"Hard", value}};
}

std::uint64_t QuotaOf(const CellSpec& spec, const DockerOptions& options) {
  const std::uint64_t wished = options.cpu_period_us * spec.limits.cpu_millis / 1000;
  const std::uint64_t quota =
      options.cpu_quota_us == 0 ? wished : std::min(wished, options.cpu_quota_us);
  return std::max(quota, kLeastQuota);
}

// Owned by process 1, so that the guest cannot replace the socket there by its own.
json::object ToolsMount(const CellSpec& spec) {
  if (!spec.listeners.contains(CellListener::kTools)) return {};
  return {{kToolsPlace, "rw,nosuid,nodev,noexec,mode=755,size=65536"}};
}

json::object HostPart(const CellSpec& spec, const ContainerPlan& plan,
                      const DockerOptions& options) {
  const request::Limits& limits = spec.limits;
  return {{"Runtime", options.runtime},
          {"NetworkMode", "none"},
          {"ReadonlyRootfs", true},
          // Process 1 needs these to become the guest's user and to end its processes; the guest
          // itself has no capabilities.
          {"CapDrop", {"ALL"}},
          {"CapAdd", {"SETUID", "SETGID", "KILL"}},
          {"SecurityOpt", {"no-new-privileges"}},
          {"PidsLimit", DockerProcesses(limits.processes)},
          {"Memory", limits.memory_bytes},
          {"MemorySwap", limits.memory_bytes},
          {"CpuPeriod", options.cpu_period_us},
          {"CpuQuota", QuotaOf(spec, options)},
          {"Ulimits",
           json::array{ResourceLimit("nofile", limits.open_files),
                       ResourceLimit("fsize", limits.file_size_bytes), ResourceLimit("core", 0)}},
          {"Mounts", MountsOf(spec, plan, options)},
          {"Tmpfs", ToolsMount(spec)},
          {"LogConfig", {{"Type", "none"}}},
          // The shim, and with it the container, ends when its stdin ends, as it does when Belljar
          // ends.
          {"AutoRemove", NamedVolumes(spec, plan, options).empty()}};
}

}  // namespace

std::vector<PlannedVolume> VolumesOf(const CellSpec& spec) {
  // One more inode than the limit: the volume's root does not count for the guest.
  const request::Limits& limits = spec.limits;
  const std::uint64_t inodes = limits.workspace_inodes + 1ULL;
  std::vector<PlannedVolume> volumes = {{kWorkspacePath, limits.workspace_bytes, inodes, "0755"},
                                        {"/tmp", limits.workspace_bytes, inodes, "1777"},
                                        {"/dev/shm", limits.workspace_bytes, inodes, "1777"},
                                        {"/run", kRunBytes, 64, "0755"}};
  for (const VaultSpec& vault : spec.vaults) {
    volumes.push_back({VaultPath(vault), request::kMaxVaultBytes, request::kMaxVaultFiles + 1,
                       "0755", vault.mode == request::VaultMode::kReadOnly});
  }
  return volumes;
}

std::string VaultPath(const VaultSpec& vault) { return "/vault/" + vault.name; }

std::vector<json::object> NamedVolumes(const CellSpec& spec, const ContainerPlan& plan,
                                       const DockerOptions& options) {
  std::vector<json::object> volumes;
  for (const PlannedVolume& volume : VolumesOf(spec)) {
    if (!HasName(volume, plan)) continue;
    volumes.push_back({{"Name", NameOf(volume, plan)},
                       {"Driver", "local"},
                       {"DriverOpts", TmpfsOptions(volume, plan)},
                       {"Labels", LabelsOf(plan, options)}});
  }
  return volumes;
}

json::object CreateBody(const CellSpec& spec, const ContainerPlan& plan,
                        const DockerOptions& options) {
  json::array command;
  for (const std::string& word : plan.command) command.emplace_back(word);
  return {{"Image", plan.image},
          {"Entrypoint", std::move(command)},
          {"Cmd", json::array()},
          {"Env", {"PATH=/usr/local/bin:/usr/bin:/bin"}},
          {"User", "0:0"},
          {"WorkingDir", "/"},
          {"Hostname", "belljar"},
          {"NetworkDisabled", true},
          {"AttachStdin", true},
          {"AttachStdout", true},
          {"AttachStderr", true},
          {"OpenStdin", true},
          {"StdinOnce", true},
          {"Tty", false},
          {"Labels", LabelsOf(plan, options)},
          {"HostConfig", HostPart(spec, plan, options)}};
}

}  // namespace belljar::cell::docker
