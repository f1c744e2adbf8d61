"""The file tree is rebuilt: setns to any namespace in sight, mounts by the old and the new calls,
pivot_root, chroot.

All are refused with EPERM, whatever the arguments.
"""
import os

import prelude

ROW = 16
SAYS = "no call that mounts, moves a root or enters a namespace is open"
HELDBY = [["guest_filter"]]
ATTACK = r'''
AT_FDCWD = -100
setns = {}
for name in sorted(os.listdir("/proc/self/ns")):
    fd = os.open("/proc/self/ns/" + name, os.O_RDONLY)
    setns[name] = forked(sc, "setns", fd, 0)
    os.close(fd)
setns["bad"] = sc("setns", -1, 0)
workspace = os.open("/workspace", os.O_RDONLY | os.O_DIRECTORY)
calls = {
    "bind": ("mount", b"/", b"/workspace", b"", 4096, 0),
    "bind recursively": ("mount", b"/", b"/workspace", b"", 4096 | 16384, 0),
    "tmpfs": ("mount", b"t", b"/tmp", b"tmpfs", 0, 0),
    "proc": ("mount", b"p", b"/tmp", b"proc", 0, 0),
    "overlay": ("mount", b"o", b"/tmp", b"overlay", 0, b"lowerdir=/,upperdir=/tmp,workdir=/run"),
    "remount": ("mount", b"", b"/", b"", 32 | 4096, 0),
    "move": ("mount", b"/workspace", b"/tmp", b"", 8192, 0),
    "shared": ("mount", b"", b"/", b"", 1 << 20, 0),
    "with magic": ("mount", b"", b"/", b"", 0xC0ED0000 | 32 | 4096, 0),
    "bad pointers": ("mount", BAD, BAD, BAD, 0, BAD),
    "umount": ("umount2", b"/proc", 0), "detach": ("umount2", b"/usr", 2),
    "expire": ("umount2", b"/tmp", 4), "umount bad": ("umount2", BAD, 0),
    "pivot_root": ("pivot_root", b"/workspace", b"/workspace"),
    "pivot_root dots": ("pivot_root", b".", b"."),
    "chroot": ("chroot", b"/workspace"), "chroot bad": ("chroot", BAD),
    "fsopen": ("fsopen", b"tmpfs", 0), "fsopen proc": ("fsopen", b"proc", 0),
    "fsconfig": ("fsconfig", -1, 6, 0, 0, 0), "fsmount": ("fsmount", -1, 0, 0),
    "fspick": ("fspick", AT_FDCWD, b"/", 0),
    "open_tree": ("open_tree", AT_FDCWD, b"/", 0),
    "open_tree clone": ("open_tree", AT_FDCWD, b"/", 1),
    "move_mount": ("move_mount", AT_FDCWD, b"/tmp", AT_FDCWD, b"/workspace", 0),
    "mount_setattr": ("mount_setattr", AT_FDCWD, b"/", 0, (ctypes.c_uint64 * 4)(), 32),
}
newer = {"open_tree_attr": sc("open_tree_attr", AT_FDCWD, b"/", 1, 0, 0),
         "statmount": sc("statmount", BAD, BAD, 0, 0), "listmount": sc("listmount", BAD, BAD, 0, 0)}
with open("/proc/self/mountinfo") as file:
    mounts = [line.split()[4:6] for line in file]
tell({"setns": setns, "calls": {name: forked(sc, *args) for name, args in calls.items()},
      "newer": newer, "mounts": mounts, "upwards": os.listdir("/..") == os.listdir("/")})
'''


def check(seen, result, host):
    assert len(seen["setns"]) >= 9, seen["setns"]
    prelude.expect(seen["setns"], "EPERM")
    prelude.expect(seen["calls"], "EPERM")
    prelude.expect(seen["newer"], "EPERM", "ENOSYS")
    places = {place: options.split(",") for place, options in seen["mounts"]}
    assert set(places) == {"/", "/dev", "/.belljar", "/proc", "/workspace", "/tmp", "/dev/shm",
                           "/run", "/dev/null", "/dev/zero", "/dev/full", "/dev/random",
                           "/dev/urandom"}, sorted(places)
    for place in ("/", "/dev", "/.belljar"):
        assert "ro" in places[place], (place, places[place])
    for place, options in places.items():
        assert "nosuid" in options, (place, options)
        assert "nodev" in options or place.count("/") == 2, (place, options)
    assert seen["upwards"] is True
    assert host.before.mounts == host.after.mounts


def control():
    """Outside, the new mount calls answer anybody, and root can mount."""
    tree = prelude.sc("open_tree", -100, b"/", 0)
    assert isinstance(tree, int), tree
    assert prelude.sc("setns", -1, 0) == "EBADF"
    if os.getuid() == 0:
        assert prelude.sc("unshare", 0x20000) == 0
        assert prelude.sc("mount", b"", b"/", b"", 1 << 18 | 16384, 0) == 0  # private
        assert prelude.sc("mount", b"t", b"/tmp", b"tmpfs", 0, 0) == 0
        assert os.listdir("/tmp") == []
