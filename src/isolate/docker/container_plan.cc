#include "isolate/docker/container_plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace belljar::isolate {
namespace {

constexpr std::uint64_t kLeastQuota = 1'000;  // the kernel's own

json::object LabelsOf(const ContainerPlan& plan, const DockerOptions& options) {
  return {{kOwnerLabel, options.owner}, {kProcessLabel, plan.process}};
}

struct VolumeSize {
  std::uint64_t bytes;
  std::uint64_t inodes;
};

// A tmpfs of the host's, which the supervisor reaches as well.
json::object TmpfsOptions(const VolumeSize& size, const char* mode, const ContainerPlan& plan) {
  const std::string how = fmt::format("nosuid,nodev,size={},nr_inodes={},mode={},uid={},gid={}",
                                      size.bytes, size.inodes, mode, plan.uid, plan.uid);
  return {{"type", "tmpfs"}, {"device", "tmpfs"}, {"o", how}};
}

// Its root is not the guest's to count.
VolumeSize WorkspaceSize(const CellSpec& spec) {
  return {spec.limits.workspace_bytes, spec.limits.workspace_inodes + 1ULL};
}
constexpr VolumeSize kVaultSize{policy::kMaxVaultBytes, policy::kMaxVaultFiles + 1};

json::object Anonymous(std::string_view target, json::object how, json::object labels) {
  const json::object driver = {{"Name", "local"}, {"Options", std::move(how)}};
  return {{"Type", "volume"},
          {"Target", target},
          {"VolumeOptions",
           {{"NoCopy", true}, {"Labels", std::move(labels)}, {"DriverConfig", driver}}}};
}

bool IsReadOnly(const VaultSpec& vault) { return vault.mode == policy::VaultMode::kReadOnly; }

std::string VolumeName(const VaultSpec& vault, const ContainerPlan& plan) {
  return plan.name + "-" + vault.name;
}

json::array VolumesOf(const CellSpec& spec, const ContainerPlan& plan,
                      const DockerOptions& options) {
  const json::object labels = LabelsOf(plan, options);
  const VolumeSize size = WorkspaceSize(spec);
  json::array volumes;
  volumes.push_back(Anonymous(kWorkspacePath, TmpfsOptions(size, "0755", plan), labels));
  volumes.push_back(Anonymous("/tmp", TmpfsOptions(size, "1777", plan), labels));
  for (const VaultSpec& vault : spec.vaults) {
    if (IsReadOnly(vault)) {
      volumes.push_back({{"Type", "volume"},
                         {"Source", VolumeName(vault, plan)},
                         {"Target", VaultPath(vault)},
                         {"ReadOnly", true},
                         {"VolumeOptions", {{"NoCopy", true}}}});
    } else {
      volumes.push_back(
          Anonymous(VaultPath(vault), TmpfsOptions(kVaultSize, "0755", plan), labels));
    }
  }
  return volumes;
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

json::object HostPart(const CellSpec& spec, const ContainerPlan& plan,
                      const DockerOptions& options) {
  const policy::Limits& limits = spec.limits;
  return {{"Runtime", options.runtime},
          {"NetworkMode", "none"},
          {"ReadonlyRootfs", true},
          // Process 1 needs to become the guest's user and to end its processes; the guest has
          // nothing.
          {"CapDrop", {"ALL"}},
          {"CapAdd", {"SETUID", "SETGID", "KILL"}},
          {"SecurityOpt", {"no-new-privileges"}},
          {"PidsLimit", limits.processes + kDockerProcesses},
          {"Memory", limits.memory_bytes},
          {"MemorySwap", limits.memory_bytes},
          {"CpuPeriod", options.cpu_period_us},
          {"CpuQuota", QuotaOf(spec, options)},
          {"Ulimits",
           json::array{ResourceLimit("nofile", limits.open_files),
                       ResourceLimit("fsize", limits.file_size_bytes), ResourceLimit("core", 0)}},
          {"Mounts", VolumesOf(spec, plan, options)},
          {"Tmpfs", {{"/run", fmt::format("nosuid,nodev,size=16m,mode=0755,uid={}", plan.uid)}}},
          {"LogConfig", {{"Type", "none"}}},
          // When its stdin ends, as it does with us, the shim ends, and so does the container.
          {"AutoRemove", std::ranges::none_of(spec.vaults, IsReadOnly)}};
}

}  // namespace

std::string VaultPath(const VaultSpec& vault) { return "/vault/" + vault.name; }

std::vector<json::object> NamedVolumes(const CellSpec& spec, const ContainerPlan& plan,
                                       const DockerOptions& options) {
  std::vector<json::object> volumes;
  for (const VaultSpec& vault : spec.vaults) {
    if (!IsReadOnly(vault)) continue;
    volumes.push_back({{"Name", VolumeName(vault, plan)},
                       {"Driver", "local"},
                       {"DriverOpts", TmpfsOptions(kVaultSize, "0755", plan)},
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

}  // namespace belljar::isolate
