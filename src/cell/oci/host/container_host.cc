// belljar-keeper: the process that executes an OCI runtime. There is one for each image and one
// more for each container.
//
// The first builds a mount namespace with what all containers of an image share: its tree,
// read-only, and the guests' own files. For each order it clones the keeper of one container:
// process 1 of a new pid namespace, in a mount namespace of its own, with a tmpfs for everything
// writable. There the runtime creates and starts the container; its bundle, its state and its
// sockets lie in that tmpfs. So there is nothing to clean up: when the keeper exits, because the
// supervisor has closed its life line or has gone, the kernel kills the runtime's processes and
// drops the mounts, regardless of the state of the runtime.
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <initializer_list>

#include "cell/native/launcher/artefact_mounts.h"
#include "cell/native/launcher/child.h"
#include "cell/native/launcher/mount_api.h"
#include "cell/native/launcher/serve_orders.h"
#include "cell/native/launcher/stage_parts.h"
#include "cell/oci/host/orders.h"
#include "cell/oci/host/runtime_commands.h"

namespace belljar::cell::oci {
namespace {

constexpr unsigned kQuiet = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;

enum Given { kLifeLine, kStream, kErrors, kConfig };

bool Attach(int mount, const char* path) {
  if (mount < 0) return false;
  const bool attached = native::AttachMount(mount, path);
  ::close(mount);
  return attached;
}

struct Size {
  std::uint64_t bytes;
  std::uint64_t inodes;
};

int NewTmpfs(const Size& size) {
  char bytes[32];
  char inodes[32];
  ::snprintf(bytes, sizeof(bytes), "%llu", static_cast<unsigned long long>(size.bytes));
  ::snprintf(inodes, sizeof(inodes), "%llu", static_cast<unsigned long long>(size.inodes));
  const native::MountOption options[] = {{"size", bytes}, {"nr_inodes", inodes}, {"mode", "0755"}};
  return native::NewMount("tmpfs", options, 3, kQuiet);
}

// A runtime creates mount points that it does not find, in the image and through any symbolic link
// there. So every mount point must exist as a directory.
bool HasPlaces(int tree) {
  for (const char* place : {"dev", "proc", "tmp", "workspace", "run", ".belljar", "vault"}) {
    struct stat status {};
    if (::fstatat(tree, place, &status, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (!S_ISDIR(status.st_mode)) {
      errno = ENOTDIR;
      return false;
    }
  }
  return true;
}

// The tree is taken before anything is mounted over the place that it may lie in.
bool BuildPlace(const native::StageOrder& order, const int* files) {
  const int tree = native::CloneMount(AT_FDCWD, order.rootfs);
  if (tree < 0 || !native::SetMountAttributes(tree, MOUNT_ATTR_RDONLY | kQuiet)) return false;
  if (!HasPlaces(tree)) return false;
  if (!Attach(NewTmpfs({16 << 20, 256}), kKeepPlace) || ::chdir(kKeepPlace) != 0) return false;
  if (::mkdir("rootfs", 0755) != 0 || ::mkdir("belljar", 0755) != 0 ||
      ::mkdir("belljar/lib", 0755) != 0 || ::mkdir("belljar/bin", 0755) != 0 ||
      ::mkdir("cell", 0755) != 0 || !Attach(tree, "rootfs")) {
    return false;
  }
  // The image has no /dev/shm, and runtimes expect mount points to exist.
  if (!Attach(NewTmpfs({4096, 4}), "rootfs/dev") || ::mkdir("rootfs/dev/shm", 0755) != 0) {
    return false;
  }
  for (int i = 0; i < kKeeperFiles; ++i) {
    char path[64];
    ::snprintf(path, sizeof(path), "belljar/%s",
               i < native::kRuntimeFileCount ? native::RuntimeFileName(i) : kShimName);
    if (!native::CopyInto(files[i], path)) return false;
    ::close(files[i]);
  }
  return true;
}

// Makes the bundle and the runtime's state, and beside them one tmpfs for everything that the guest
// can write, so that one byte limit and one inode limit apply to all of it.
bool MakeRoom(const ContainerOrder& order) {
  if (!Attach(NewTmpfs({16 << 20, 1024}), "cell") || ::chdir("cell") != 0) return false;
  if (::mkdir("state", 0700) != 0 || ::mkdir("data", 0755) != 0 || ::mkdir("vault", 0755) != 0) {
    return false;
  }
  // The tmpfs root and its four directories are Belljar's, not the guest's.
  if (!Attach(NewTmpfs({order.workspace_bytes, order.workspace_inodes + 5}), "data")) return false;
  const int data = ::open("data", O_PATH | O_DIRECTORY | O_CLOEXEC);
  const std::uint32_t uid = order.uid;
  const bool made = data >= 0 && native::MakeOwnedDir(data, "workspace", uid, 0755) &&
                    native::MakeOwnedDir(data, "tmp", uid, 01777) &&
                    native::MakeOwnedDir(data, "run", uid, 0755) &&
                    native::MakeOwnedDir(data, "shm", uid, 01777);
  // No guest sees this directory, but its owner tells the code that restores the tree below it to
  // which user the files belong.
  const bool owned = made && ::fchownat(data, "", uid, uid, AT_EMPTY_PATH) == 0;
  ::close(data);
  return owned;
}

bool MakeVaults(const ContainerOrder& order, const char* names, int* opened) {
  if (order.vaults == 0) return true;
  if (order.vaults > native::kMaxVaultMounts ||
      !Attach(NewTmpfs({order.vault_bytes, order.vault_inodes + order.vaults + 1}), "vault")) {
    return false;
  }
  const int all = ::open("vault", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (all < 0) return false;
  for (std::uint32_t i = 0; i < order.vaults; ++i) {
    if (!native::MakeOwnedDir(all, names, order.uid, 0755)) return false;
    opened[i] = ::openat(all, names, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (opened[i] < 0) return false;
    names += ::strlen(names) + 1;
  }
  ::close(all);
  return true;
}

// Mounts the artefacts where the runtime binds them from.
bool MakeArtefacts(const ContainerOrder& order, const char* names, const int* views) {
  if (order.artefacts == 0) return true;
  if (::mkdir("artefacts", 0755) != 0 || ::chdir("artefacts") != 0) return false;
  for (std::uint32_t i = 0; i < order.artefacts; ++i, names += ::strlen(names) + 1) {
    if (!native::PlaceView(views[i], names)) return false;
  }
  return ::chdir("..") == 0;
}

// Mounts a procfs of the new pid namespace, because the runtime looks itself up in it.
bool MountProc() {
  return Attach(native::NewMount("proc", nullptr, 0, kQuiet | MOUNT_ATTR_NOEXEC), "/proc");
}

[[noreturn]] void BeKeeper(const ContainerOrder& order, const int* fds) {
  const int life_line = fds[kLifeLine];
  ::prctl(PR_SET_NAME, "belljar-keeper");
  if (!MountProc()) Die(life_line, native::Step::kProc);
  if (!MakeRoom(order) || !native::CopyInto(fds[kConfig], "config.json"))
    Die(life_line, native::Step::kWorkspace);
  int handed[kHandedVaults + native::kMaxVaultMounts] = {
      ::open("data/workspace", O_PATH | O_DIRECTORY | O_CLOEXEC),
      ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
      ::open("data", O_PATH | O_DIRECTORY | O_CLOEXEC)};
  const char* const vaults = Skip(order.arg_bytes, order.args + order.more_args);
  if (!MakeVaults(order, vaults, handed + kHandedVaults)) Die(life_line, native::Step::kVaults);
  if (!MakeArtefacts(order, Skip(vaults, order.vaults), fds + kContainerFds)) {
    Die(life_line, native::Step::kArtefacts);
  }
  const std::size_t count = kHandedVaults + order.vaults;
  if (!native::ReportReady(life_line, handed, count)) ::_exit(1);
  for (std::size_t i = 0; i < count; ++i) ::close(handed[i]);
  // Waits until the supervisor has put this process into its control groups.
  if (!native::AwaitByte(life_line)) ::_exit(0);
  const Fds ways{life_line, fds[kStream], fds[kErrors]};
  if (order.waits == 0 && !StartContainer(order, ways)) ::_exit(1);
  // The container's own processes hold them now. Closed here, so that the supervisor sees end of
  // file when they end.
  for (const int fd : {fds[kStream], fds[kErrors], fds[kConfig]}) ::close(fd);
  ServeCommands(order, life_line);
}

// A network of its own, too: runsc listens on abstract sockets, which belong to one.
constexpr std::uint64_t kKeeperNamespaces =
    CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;

void Serve() {
  static ContainerOrder order;
  native::ServeOrders(native::kOrdersFd, order, [&](const native::OrderFds& fds) {
    if (fds.count != kContainerFds + static_cast<int>(order.artefacts)) ::_exit(1);
    int pidfd = -1;
    const long pid = native::CloneSibling(kKeeperNamespaces, &pidfd);
    if (pid == 0) {
      ::close(native::kOrdersFd);
      BeKeeper(order, fds.fd);
    }
    return std::optional(native::CloneAnswer(pid, pidfd, native::Step::kCloneInit));
  });
}

int Main() {
  static native::StageOrder stage;
  native::OrderFds files;
  if (!native::BeginProgram("belljar-keeper", stage, &files, kKeeperFiles)) return 1;
  ::umask(0);
  if (stage.identity == native::Identity::kNestedUser &&
      !native::EnterMappedUser(stage.outer_uid, stage.outer_gid)) {
    Die(native::kOrdersFd, native::Step::kUserNamespace);
  }
  if (::unshare(CLONE_NEWNS) != 0) Die(native::kOrdersFd, native::Step::kMountNamespace);
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    Die(native::kOrdersFd, native::Step::kPrivateMounts);
  }
  if (!BuildPlace(stage, files.fd)) Die(native::kOrdersFd, native::Step::kImageMount);
  if (!native::TellReady()) return 1;
  Serve();
  return 0;
}

}  // namespace
}  // namespace belljar::cell::oci

int main() { return belljar::cell::oci::Main(); }
