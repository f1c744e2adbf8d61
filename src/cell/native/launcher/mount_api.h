// Wrappers for the mount system calls that work on file descriptors instead of paths: no path is
// walked again that an attacker could replace in between. They allocate nothing and return -1 with
// errno on failure. glibc 2.36 declares these calls, but with enums that clash with
// <linux/mount.h>, so they are made by number.
#pragma once

#include <fcntl.h>
#include <linux/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace belljar::cell::native {

// A "key=value" option of a new file system.
struct MountOption {
  const char* key;
  const char* value;
};

// A new, unattached mount of a file system of `type`.
inline int NewMount(const char* type, const MountOption* options, int count, unsigned attributes) {
  const int context = static_cast<int>(::syscall(SYS_fsopen, type, FSOPEN_CLOEXEC));
  if (context < 0) return -1;
  for (int i = 0; i < count; ++i) {
    if (::syscall(SYS_fsconfig, context, FSCONFIG_SET_STRING, options[i].key, options[i].value,
                  0) != 0) {
      ::close(context);
      return -1;
    }
  }
  int mount = -1;
  if (::syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) == 0) {
    mount = static_cast<int>(::syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, attributes));
  }
  ::close(context);
  return mount;
}

// A new, unattached clone (bind mount) of the mount at `path` below `dir`.
inline int CloneMount(int dir, const char* path) {
  return static_cast<int>(
      ::syscall(SYS_open_tree, dir, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_NO_AUTOMOUNT));
}

// The same for what is open at `fd`, which must belong to the caller's mount namespace.
inline int CloneOpened(int fd) {
  return static_cast<int>(
      ::syscall(SYS_open_tree, fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH));
}

inline bool AttachMount(int mount, const char* path) {
  return ::syscall(SYS_move_mount, mount, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH) == 0;
}

inline bool SetMountAttributes(int mount, unsigned long long attributes) {
  mount_attr attr{};
  attr.attr_set = attributes;
  return ::syscall(SYS_mount_setattr, mount, "", AT_EMPTY_PATH, &attr, sizeof(attr)) == 0;
}

}  // namespace belljar::cell::native
