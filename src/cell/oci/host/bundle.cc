#include "cell/oci/host/bundle.h"

#include <fmt/format.h>

namespace belljar::cell::oci {
namespace {

json::object Mount(std::string_view destination, std::string_view source, json::array options) {
  return {{"destination", destination},
          {"type", "bind"},
          {"source", source},
          {"options", std::move(options)}};
}

void AddArtefacts(const CellSpec& spec, const BundlePlan& plan, json::array& mounts) {
  if (spec.artefacts.empty()) return;
  const json::array read = {"bind", "ro", "nosuid", "nodev", "noexec"};
  const std::string place = plan.place + "/cell/artefacts";
  mounts.push_back(Mount("/artefacts", place, read));
  for (const ArtefactSpec& artefact : spec.artefacts) {
    mounts.push_back(Mount("/artefacts/" + artefact.name, place + "/" + artefact.name, read));
  }
}

json::array Mounts(const CellSpec& spec, const BundlePlan& plan) {
  const json::array writable = {"bind", "rw", "nosuid", "nodev"};
  const json::array fixed = {"bind", "ro", "nosuid", "nodev"};
  const std::string data = plan.place + "/cell/data/";
  json::array mounts;
  mounts.push_back({{"destination", "/proc"},
                    {"type", "proc"},
                    {"source", "proc"},
                    {"options", {"nosuid", "nodev", "noexec"}}});
  mounts.push_back({{"destination", "/dev"},
                    {"type", "tmpfs"},
                    {"source", "tmpfs"},
                    {"options", {"nosuid", "mode=755", "size=65536"}}});
  mounts.push_back(Mount("/.belljar", plan.place + "/belljar", fixed));
  mounts.push_back(Mount("/workspace", data + "workspace", writable));
  mounts.push_back(Mount("/tmp", data + "tmp", writable));
  mounts.push_back(Mount("/run", data + "run", writable));
  mounts.push_back(Mount("/dev/shm", data + "shm", writable));
  if (spec.listeners.contains(CellListener::kTools)) {
    mounts.push_back({{"destination", kToolsPlace},
                      {"type", "tmpfs"},
                      {"source", "tmpfs"},
                      {"options", {"nosuid", "nodev", "noexec", "mode=755", "size=65536"}}});
  }
  AddArtefacts(spec, plan, mounts);
  if (plan.vaults.empty()) return mounts;
  mounts.push_back(Mount("/vault", plan.place + "/cell/vault", fixed));
  for (std::size_t i = 0; i < plan.vaults.size(); ++i) {
    const bool read_only = (plan.read_only_vaults & (1U << i)) != 0;
    mounts.push_back(Mount("/vault/" + plan.vaults[i], plan.place + "/cell/vault/" + plan.vaults[i],
                           read_only ? fixed : writable));
  }
  return mounts;
}

// Process 1 needs these to switch to the guest's user and to kill its processes; the guest has
// none.
json::object Capabilities(const BundlePlan& plan) {
  json::array rights;
  if (!plan.guest_is_root) rights = {"CAP_SETUID", "CAP_SETGID", "CAP_KILL"};
  return {{"bounding", rights},
          {"effective", rights},
          {"permitted", rights},
          {"inheritable", json::array()},
          {"ambient", json::array()}};
}

json::object Limit(std::string_view type, std::uint64_t value) {
  return {{"type", type}, {"hard", value}, {"soft", value}};
}

json::object ProcessOf(const CellSpec& spec, const BundlePlan& plan) {
  json::array limits = {Limit("RLIMIT_NOFILE", spec.limits.open_files),
                        Limit("RLIMIT_FSIZE", spec.limits.file_size_bytes),
                        Limit("RLIMIT_CORE", 0)};
  if (plan.address_bytes > 0) limits.push_back(Limit("RLIMIT_AS", plan.address_bytes));
  json::array args;
  for (const std::string& arg : plan.command) args.emplace_back(arg);
  return {{"terminal", false},
          {"user", {{"uid", 0}, {"gid", 0}}},
          {"args", std::move(args)},
          {"env", {"PATH=/usr/local/bin:/usr/bin:/bin"}},
          {"cwd", "/"},
          {"capabilities", Capabilities(plan)},
          {"noNewPrivileges", true},
          {"rlimits", std::move(limits)}};
}

json::array Namespaces() {
  json::array namespaces;
  for (const char* type : {"pid", "network", "ipc", "uts", "mount"}) {
    namespaces.push_back(json::object{{"type", type}});
  }
  return namespaces;
}

}  // namespace

json::object ContainerConfig(const CellSpec& spec, const BundlePlan& plan) {
  return {{"ociVersion", "1.0.2"},
          {"process", ProcessOf(spec, plan)},
          {"root", {{"path", plan.place + "/rootfs"}, {"readonly", true}}},
          {"hostname", "belljar"},
          {"mounts", Mounts(spec, plan)},
          {"linux", {{"namespaces", Namespaces()}}}};
}

}  // namespace belljar::cell::oci
