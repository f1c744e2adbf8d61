// Landlock: a second check of files, sockets and signals, besides mounts and namespaces.
//
// Beneath "/" a guest may read and execute. Beneath its workspace, /tmp, /dev/shm, /run and the
// vaults that are writable for it, it may do everything but make device nodes. Device files may be
// written. The only TCP port it may use is that of the cell's egress listener, if it has one;
// neither abstract sockets nor signals may leave the domain. Rights that the running kernel's ABI
// does not know are left out here and reported by doctor.
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cell/listener_places.h"
#include "cell/native/launcher/landlock_abi.h"
#include "cell/native/launcher/mechanisms.h"

namespace belljar::cell::native {
namespace {

// Debian 12's headers stop at ABI 1; these are the kernel's numbers.
constexpr std::uint64_t kRefer = 1ULL << 13;
constexpr std::uint64_t kTruncate = 1ULL << 14;
constexpr std::uint64_t kIoctlDevice = 1ULL << 15;
constexpr std::uint64_t kNetBindConnectTcp = 3;
constexpr std::uint64_t kNetConnectTcp = 2;
constexpr int kRuleNetPort = 2;  // LANDLOCK_RULE_NET_PORT
constexpr std::uint64_t kScopeAbstractAndSignal = 3;

constexpr std::uint64_t kRead =
    LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr std::uint64_t kAllOfAbi1 = (1ULL << 13) - 1;
constexpr std::uint64_t kMakeDevices = LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK;

struct RulesetAttributes {
  std::uint64_t handled_fs;
  std::uint64_t handled_net;  // ABI 4
  std::uint64_t scoped;       // ABI 6
};

std::uint64_t HandledFs(int abi) {
  std::uint64_t handled = kAllOfAbi1;
  if (abi >= 2) handled |= kRefer;
  if (abi >= 3) handled |= kTruncate;
  if (abi >= 5) handled |= kIoctlDevice;
  return handled;
}

int CreateRuleset(int abi) {
  RulesetAttributes attributes{};
  attributes.handled_fs = HandledFs(abi);
  std::size_t size = sizeof(attributes.handled_fs);
  if (abi >= 4) {
    attributes.handled_net = kNetBindConnectTcp;
    size = 2 * sizeof(std::uint64_t);
  }
  if (abi >= 6) {
    attributes.scoped = kScopeAbstractAndSignal;
    size = sizeof(attributes);
  }
  return static_cast<int>(::syscall(SYS_landlock_create_ruleset, &attributes, size, 0));
}

bool AllowBeneath(int ruleset, const char* path, std::uint64_t access) {
  const int fd = ::open(path, O_PATH | O_CLOEXEC);
  if (fd < 0) return false;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = access;
  rule.parent_fd = fd;
  const long added =
      ::syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
  ::close(fd);
  return added == 0;
}

struct NetPort {
  std::uint64_t allowed_access;
  std::uint64_t port;
};

// Before ABI 4 Landlock does not govern ports; only the network namespace confines the guest.
bool AllowEgress(int ruleset, const GuestOrder& order, int abi) {
  if (abi < 4 || (order.listeners & kEgressListener) == 0) return true;
  const NetPort rule{kNetConnectTcp, kEgressPort};
  return ::syscall(SYS_landlock_add_rule, ruleset, kRuleNetPort, &rule, 0) == 0;
}

constexpr std::size_t kEntryBytes = 512;  // one directory entry with the longest name
struct VaultPaths {
  char path[kMaxVaultMounts][sizeof("/vault/") + 256];
  std::uint32_t count = 0;
};

// Inserts in byte order, the order in which the supervisor numbers the vaults.
bool Insert(VaultPaths& paths, const char* name) {
  if (paths.count == kMaxVaultMounts) return false;
  std::uint32_t at = paths.count++;
  for (; at > 0 && ::strcmp(paths.path[at - 1] + ::strlen("/vault/"), name) > 0; --at) {
    ::memcpy(paths.path[at], paths.path[at - 1], sizeof(paths.path[at]));
  }
  return ::snprintf(paths.path[at], sizeof(paths.path[at]), "/vault/%s", name) <
         static_cast<int>(sizeof(paths.path[at]));
}

bool ListVaults(VaultPaths& paths) {
  const int dir = ::open("/vault", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return false;
  alignas(8) char entries[(kMaxVaultMounts + 2) * kEntryBytes];
  bool ok = true;
  long size = 0;
  while (ok && (size = ::syscall(SYS_getdents64, dir, entries, sizeof(entries))) > 0) {
    for (long at = 0; ok && at < size;) {
      std::uint16_t length = 0;  // linux_dirent64: inode, offset, length, type, name
      ::memcpy(&length, entries + at + 16, sizeof(length));
      const char* const name = entries + at + 19;
      if (::strcmp(name, ".") != 0 && ::strcmp(name, "..") != 0) ok = Insert(paths, name);
      at += length;
    }
  }
  ::close(dir);
  return ok && size == 0;
}

bool AllowVaults(int ruleset, const GuestOrder& order, std::uint64_t write) {
  if (order.vaults == 0) return true;
  VaultPaths paths;
  if (!ListVaults(paths) || paths.count != order.vaults) return false;
  for (std::uint32_t i = 0; i < paths.count; ++i) {
    if ((order.vault_writes & (1U << i)) == 0) continue;
    if (!AllowBeneath(ruleset, paths.path[i], write)) return false;
  }
  return true;
}

}  // namespace

int LandlockAbi() {
  return static_cast<int>(
      ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION));
}

bool RestrictWithLandlock(const Guest& guest) {
  const int abi = LandlockAbi();
  if (abi < 1) return true;  // a kernel without Landlock: doctor and the result's layers report it
  const int ruleset = CreateRuleset(abi);
  if (ruleset < 0) return false;
  const std::uint64_t write = HandledFs(abi) & ~kMakeDevices & ~kIoctlDevice;
  const bool ok = AllowBeneath(ruleset, "/", kRead) && AllowBeneath(ruleset, "/workspace", write) &&
                  AllowBeneath(ruleset, "/tmp", write) && AllowBeneath(ruleset, "/run", write) &&
                  AllowBeneath(ruleset, "/dev/shm", write) &&
                  AllowVaults(ruleset, guest.order, write) &&
                  AllowEgress(ruleset, guest.order, abi) &&
                  AllowBeneath(ruleset, "/dev", kRead | LANDLOCK_ACCESS_FS_WRITE_FILE) &&
                  ::syscall(SYS_landlock_restrict_self, ruleset, 0) == 0;
  ::close(ruleset);
  return ok;
}

}  // namespace belljar::cell::native
