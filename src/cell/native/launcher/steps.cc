#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {

namespace {

constexpr const char* kNames[] = {
    "none",
    "user_namespace",
    "mount_namespace",
    "private_mounts",
    "image_mount",
    "devices",
    "runtime_files",
    "pivot_root",
    "base_filter",
    "clone_init",
    "pid_namespace",
    "net_namespace",
    "ipc_namespace",
    "uts_namespace",
    "proc",
    "workspace",
    "vaults",
    "vault_read_only",
    "artefacts",
    "artefact_read_only",
    "hostname",
    "doors",
    "init_rights",
    "descriptors",
    "cgroups",
    "join_namespaces",
    "cgroup_namespace",
    "keyring",
    "resource_limits",
    "session_leader",
    "nested_user",
    "bounding_set",
    "securebits",
    "user_id",
    "capabilities",
    "no_new_privileges",
    "landlock",
    "close_descriptors",
    "guest_filter",
    "self_check",
    "working_directory",
    "exec",
    "sealed",
    "reseed",
};
static_assert(sizeof(kNames) / sizeof(kNames[0]) == static_cast<int>(Step::kCount));

}  // namespace

const char* StepName(Step step) {
  const int index = static_cast<int>(step);
  if (index < 0 || index >= static_cast<int>(Step::kCount)) return "unknown";
  return kNames[index];
}

}  // namespace belljar::cell::native
