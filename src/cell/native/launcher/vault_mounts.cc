#include "cell/native/launcher/vault_mounts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cell/native/launcher/mount_api.h"

namespace belljar::cell::native {
namespace {

constexpr unsigned kQuiet = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr std::size_t kNameBytes = 256;  // the kernel's NAME_MAX and a NUL

struct Place {
  char path[sizeof("/vault/") + kNameBytes];
};

// One tmpfs for all vaults, so that one byte limit and one inode limit apply to a run. Its root and
// the vaults' own directories belong to root, not to the guest.
int NewTmpfs(const AgentOrder& order) {
  char bytes[32];
  char inodes[32];
  ::snprintf(bytes, sizeof(bytes), "%llu", static_cast<unsigned long long>(order.vault_bytes));
  ::snprintf(inodes, sizeof(inodes), "%llu",
             static_cast<unsigned long long>(order.vault_inodes + order.args + 1));
  const MountOption options[] = {{"size", bytes}, {"nr_inodes", inodes}, {"mode", "0755"}};
  return NewMount("tmpfs", options, 3, kQuiet);
}

// Mounts a clone of `path` over `path`.
bool Cover(const char* path, unsigned long long attributes) {
  const int view = CloneMount(AT_FDCWD, path);
  if (view < 0) return false;
  const bool covered =
      (attributes == 0 || SetMountAttributes(view, attributes)) && AttachMount(view, path);
  ::close(view);
  return covered;
}

// Returns the descriptor for the supervisor, or -1.
int MountVault(const AgentOrder& order, const Place& at) {
  if (::mkdir(at.path, 0755) != 0 || ::chown(at.path, order.uid, order.uid) != 0) return -1;
  if (!Cover(at.path, 0)) return -1;
  return ::open(at.path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

bool MountAll(const AgentOrder& order, int (&opened)[kMaxVaultMounts], Step* failed) {
  const char* name = order.arg_bytes;
  for (std::uint32_t i = 0; i < order.args; ++i) {
    Place at;
    if (::strlen(name) >= kNameBytes) return false;
    ::snprintf(at.path, sizeof(at.path), "/vault/%s", name);
    name += ::strlen(name) + 1;
    opened[i] = MountVault(order, at);
    if (opened[i] < 0) return false;
    const bool read_only = (order.vault_read_only & (1U << i)) != 0;
    if (!read_only || !Enabled(order.off, Step::kVaultReadOnly)) continue;
    *failed = Step::kVaultReadOnly;
    if (!Cover(at.path, MOUNT_ATTR_RDONLY)) return false;
    *failed = Step::kVaults;
  }
  return true;
}

}  // namespace

bool MountVaults(const AgentOrder& order, int (&opened)[kMaxVaultMounts], Step* failed) {
  *failed = Step::kVaults;
  if (order.args == 0) return true;
  if (order.args > kMaxVaultMounts) return false;
  const int whole = NewTmpfs(order);
  if (whole < 0) return false;
  // The vaults are mounts of their own, so this attribute of the whole tmpfs does not affect them.
  const bool ok = AttachMount(whole, "/vault") && MountAll(order, opened, failed) &&
                  SetMountAttributes(whole, MOUNT_ATTR_RDONLY);
  ::close(whole);
  return ok;
}

}  // namespace belljar::cell::native
