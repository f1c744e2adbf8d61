#include "cell/native/launcher/stage.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cell/native/launcher/child.h"
#include "cell/native/launcher/mechanisms.h"
#include "cell/native/launcher/mount_api.h"
#include "cell/native/launcher/stage_parts.h"

namespace belljar::cell::native {
namespace {

struct Stage {
  const StageOrder& order;
  const int (&runtime_files)[kRuntimeFileCount];
  int report_fd;
};

using StageStep = bool (*)(const Stage&);

void Must(const Stage& stage, Step step, StageStep mechanism) {
  if (!Enabled(stage.order.off, step)) return;
  if (!mechanism(stage)) Die(stage.report_fd, step);
}

bool NewUserNamespace(const Stage& stage) {
  if (stage.order.identity != Identity::kNestedUser) return true;
  return EnterMappedUser(stage.order.outer_uid, stage.order.outer_gid);
}

bool NewMountNamespace(const Stage&) { return ::unshare(CLONE_NEWNS) == 0; }

bool MakeMountsPrivate(const Stage&) {
  return ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// Mounts the image's tree read-only over itself and makes it the working directory.
bool MountImage(const Stage& stage) {
  const int tree = CloneMount(AT_FDCWD, stage.order.rootfs);
  if (tree < 0) return false;
  const bool ok =
      SetMountAttributes(tree, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV) &&
      AttachMount(tree, stage.order.rootfs) && ::fchdir(tree) == 0;
  ::close(tree);
  return ok;
}

struct Device {
  const char* path;
  const char* target;  // relative to the image's root, which is the working directory
  unsigned minor;
};
constexpr Device kDevices[] = {{"/dev/null", "dev/null", 3},
                               {"/dev/zero", "dev/zero", 5},
                               {"/dev/full", "dev/full", 7},
                               {"/dev/random", "dev/random", 8},
                               {"/dev/urandom", "dev/urandom", 9}};

// Binds the host's device node after checking its type and number, because a planted /dev/null need
// not be the null device.
bool BindDevice(const Device& device) {
  const int node = CloneMount(AT_FDCWD, device.path);
  if (node < 0) return false;
  struct stat status {};
  if (::fstat(node, &status) != 0) return false;
  if (!S_ISCHR(status.st_mode) || major(status.st_rdev) != 1 ||
      minor(status.st_rdev) != device.minor) {
    errno = ENODEV;
    return false;
  }
  const int target = ::open(device.target, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0644);
  if (target < 0) return false;
  ::close(target);
  // Devices stay writable on a read-only mount, but their timestamps, which belong to the host, do
  // not change.
  const bool ok =
      SetMountAttributes(node, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC) &&
      AttachMount(node, device.target);
  ::close(node);
  return ok;
}

bool MountSmallTmpfs(const char* target) {
  static constexpr MountOption kOptions[] = {{"size", "4m"}, {"nr_inodes", "64"}, {"mode", "0755"}};
  const int mount = NewMount("tmpfs", kOptions, 3, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
  if (mount < 0) return false;
  const bool attached = AttachMount(mount, target);
  ::close(mount);
  return attached;
}

bool MakeReadOnly(const char* target) {
  const int dir = ::open(target, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (dir < 0) return false;
  const bool ok = SetMountAttributes(dir, MOUNT_ATTR_RDONLY);
  ::close(dir);
  return ok;
}

bool MakeDevices(const Stage&) {
  if (!MountSmallTmpfs("dev")) return false;
  for (const Device& device : kDevices) {
    if (!BindDevice(device)) return false;
  }
  return ::symlink("/proc/self/fd", "dev/fd") == 0 &&
         ::symlink("/proc/self/fd/0", "dev/stdin") == 0 &&
         ::symlink("/proc/self/fd/1", "dev/stdout") == 0 &&
         ::symlink("/proc/self/fd/2", "dev/stderr") == 0 && ::mkdir("dev/shm", 0755) == 0 &&
         MakeReadOnly("dev");
}

// The guests' own files come from this build of the supervisor, never from an older image.
bool WriteRuntimeFiles(const Stage& stage) {
  if (!MountSmallTmpfs(".belljar") || ::mkdir(".belljar/lib", 0755) != 0 ||
      ::mkdir(".belljar/bin", 0755) != 0) {
    return false;
  }
  for (int i = 0; i < kRuntimeFileCount; ++i) {
    char path[64];
    ::snprintf(path, sizeof(path), ".belljar/%s", RuntimeFileName(i));
    if (!CopyInto(stage.runtime_files[i], path)) return false;
    ::close(stage.runtime_files[i]);
  }
  return MakeReadOnly(".belljar");
}

// The kernel lets an ordinary user mount procfs only while a complete procfs is visible. Init
// unmounts this one.
bool KeepHostProc(const Stage& stage) {
  if (stage.order.identity != Identity::kNestedUser) return true;
  return ::mount("/proc", "proc", nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

bool PivotRoot(const Stage& stage) {
  if (!KeepHostProc(stage)) return false;
  // The old root ends up mounted over the new one and is then detached with all its mounts.
  return ::syscall(SYS_pivot_root, ".", ".") == 0 && ::umount2(".", MNT_DETACH) == 0 &&
         ::chdir("/") == 0;
}

bool Filter(const Stage&) {
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && InstallBaseFilter();
}

}  // namespace

void BuildStage(const StageOrder& order, const int (&runtime_files)[kRuntimeFileCount],
                int report_fd) {
  const Stage stage{order, runtime_files, report_fd};
  ::umask(0);
  Must(stage, Step::kUserNamespace, NewUserNamespace);
  // Never switched off, not even by a test: the later steps would change the host's mounts.
  if (!NewMountNamespace(stage)) Die(report_fd, Step::kMountNamespace);
  Must(stage, Step::kPrivateMounts, MakeMountsPrivate);
  Must(stage, Step::kImageMount, MountImage);
  Must(stage, Step::kDevices, MakeDevices);
  Must(stage, Step::kRuntimeFiles, WriteRuntimeFiles);
  Must(stage, Step::kPivotRoot, PivotRoot);
  Must(stage, Step::kBaseFilter, Filter);
}

}  // namespace belljar::cell::native
