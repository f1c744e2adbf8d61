#include "isolate/native/vault_mounts.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "isolate/native/mount_api.h"

namespace belljar::isolate {
namespace {

constexpr unsigned kQuiet = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
constexpr std::size_t kNameBytes = 256;  // the kernel's NAME_MAX and a NUL

struct Place {
  char path[sizeof("/vault/") + kNameBytes];
};

int NewTmpfs(std::uint64_t bytes, std::uint64_t inodes) {
  char size[32];
  char count[32];
  ::snprintf(size, sizeof(size), "%llu", static_cast<unsigned long long>(bytes));
  ::snprintf(count, sizeof(count), "%llu", static_cast<unsigned long long>(inodes));
  const MountOption options[] = {{"size", size}, {"nr_inodes", count}, {"mode", "0755"}};
  return NewMount("tmpfs", options, 3, kQuiet);
}

// A view of what lies at `path`, over it.
bool CoverReadOnly(const char* path) {
  const int view = CloneMount(AT_FDCWD, path);
  if (view < 0) return false;
  const bool covered = SetMountAttributes(view, MOUNT_ATTR_RDONLY) && AttachMount(view, path);
  ::close(view);
  return covered;
}

// The descriptor for the supervisor, or -1.
int MountVault(const AgentOrder& order, const Place& at) {
  if (::mkdir(at.path, 0755) != 0) return -1;
  const int mount = NewTmpfs(order.vault_bytes, order.vault_inodes + 1);  // one is its root
  if (mount < 0) return -1;
  const bool ok = AttachMount(mount, at.path);
  ::close(mount);
  if (!ok || ::chown(at.path, order.uid, order.uid) != 0) return -1;
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
    const bool covered = (order.vault_read_only & (1U << i)) != 0;
    if (!covered || !Enabled(order.off, Step::kVaultReadOnly)) continue;
    *failed = Step::kVaultReadOnly;
    if (!CoverReadOnly(at.path)) return false;
    *failed = Step::kVaults;
  }
  return true;
}

}  // namespace

bool MountVaults(const AgentOrder& order, int (&opened)[kMaxVaultMounts], Step* failed) {
  *failed = Step::kVaults;
  if (order.args == 0) return true;
  if (order.args > kMaxVaultMounts) return false;
  const int folder = NewTmpfs(4096, order.args + 1);
  if (folder < 0) return false;
  const bool ok = AttachMount(folder, "/vault") && MountAll(order, opened, failed) &&
                  SetMountAttributes(folder, MOUNT_ATTR_RDONLY);
  ::close(folder);
  return ok;
}

}  // namespace belljar::isolate
