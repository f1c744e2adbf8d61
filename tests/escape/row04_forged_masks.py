"""Device nodes and procfs are forged, replaced or written to (CVE-2025-31133, -52565, -52881).

The devices must be the five harmless ones with their true numbers, nothing else may be in /dev,
none can be made or replaced, and procfs takes no write that changes a privilege.
"""
import os
import stat
import tempfile

import prelude

ROW = 4
SAYS = "devices are what they seem, none can be forged, and procfs takes no orders"
HELDBY = [["proc"]]
ATTACK = r'''
import stat

devices = {}
for name in sorted(os.listdir("/dev")):
    status = os.lstat("/dev/" + name)
    devices[name] = [stat.filemode(status.st_mode)[0], os.major(status.st_rdev),
                     os.minor(status.st_rdev)]
made = {}
for folder in ("/dev", "/workspace", "/tmp", "/dev/shm", "/run"):
    for label, kind, number in (("mem", stat.S_IFCHR, (1, 1)), ("disk", stat.S_IFBLK, (8, 0)),
                                ("kmsg", stat.S_IFCHR, (1, 11)), ("tty", stat.S_IFCHR, (5, 1))):
        made[f"{folder} {label}"] = tried(os.mknod, f"{folder}/{label}", kind | 0o666,
                                          os.makedev(*number))
replaced = {}
for name in ("null", "zero", "full", "random", "urandom", "stdin"):
    replaced["unlink " + name] = tried(os.unlink, "/dev/" + name)
    replaced["rename " + name] = tried(os.rename, "/dev/" + name, "/dev/other")
    if name != "stdin":  # a link to the guest's own pipe
        replaced["chmod " + name] = tried(os.chmod, "/dev/" + name, 0o777)
    replaced["cover " + name] = sc("mount", b"/dev/zero", b"/dev/null", b"", 4096, 0)

def write(path, text):
    with open(path, "w") as file:
        file.write(text)
    return "written"

procfs = {path: tried(write, path, text) for path, text in (
    ("/proc/self/attr/current", "unconfined"), ("/proc/self/attr/exec", "unconfined"),
    ("/proc/self/uid_map", "0 0 1"), ("/proc/self/gid_map", "0 0 1"),
    ("/proc/self/setgroups", "allow"), ("/proc/self/oom_score_adj", "-1000"),
    ("/proc/self/loginuid", "0"), ("/proc/self/coredump_filter", "0xff"),
    ("/proc/sys/kernel/core_pattern", "|/workspace/x"), ("/proc/sysrq-trigger", "h"),
    ("/proc/sys/kernel/hostname", "x"), ("/proc/self/timerslack_ns", "1"))}
tell({"devices": devices, "made": made, "replaced": replaced, "procfs": procfs,
      "null": os.stat("/dev/null").st_rdev, "proc": sorted(os.listdir("/proc"))})
'''


def check(seen, result, host):
    numbers = {name: (kind, major, minor) for name, (kind, major, minor) in
               seen["devices"].items() if kind not in "ld"}
    assert numbers == {"null": ("c", 1, 3), "zero": ("c", 1, 5), "full": ("c", 1, 7),
                       "random": ("c", 1, 8), "urandom": ("c", 1, 9)}, numbers
    assert set(seen["devices"]) - set(numbers) == {"fd", "stdin", "stdout", "stderr", "shm"}
    for name, value in {**seen["made"], **seen["replaced"]}.items():
        assert value in ("EPERM", "EACCES", "EROFS"), (name, value)
    for path, value in seen["procfs"].items():
        held = {"EACCES", "EPERM", "EROFS"}
        if path.startswith("/proc/sys"):
            held = {"ENOENT"}
        elif "attr" in path or "loginuid" in path:
            held |= {"ENOENT", "EINVAL"}
        assert value in held, (path, value)
    listed = {name for name in seen["proc"] if not name.isdigit()}
    assert listed <= {"self", "thread-self", "mounts", "net"}, listed


def control():
    """Outside, root makes a device node that works."""
    prelude.need_root()
    folder = tempfile.mkdtemp()
    node = os.path.join(folder, "zero")
    try:
        os.mknod(node, stat.S_IFCHR | 0o600, os.makedev(1, 5))
        if prelude.readable(node) == "EACCES":
            raise prelude.Skip("the file system of " + folder + " allows no devices")
        assert prelude.readable(node) == "\0" * 256
    finally:
        if os.path.exists(node):
            os.unlink(node)
        os.rmdir(folder)
