"""A directory descriptor left open, or a working directory outside the root, leads to the host
(CVE-2024-21626).

The guest must hold its three streams and the control socket and no directory; programs it starts
must hold the three streams only; the working directory must be the workspace.
"""
import os

import prelude

ROW = 2
SAYS = "a guest holds no descriptor that leads anywhere, and stands in its workspace"
HELDBY = [["close_descriptors"], ["working_directory"]]
ATTACK = r'''
import stat, subprocess

kinds = {}
ways = {}
for fd in range(1024):
    try:
        status = os.fstat(fd)
    except OSError:
        continue
    kinds[fd] = stat.filemode(status.st_mode)[0]
    ways[fd] = [tried(os.open, f"/proc/self/fd/{fd}/../../..", os.O_RDONLY),
                tried(os.open, "..", os.O_RDONLY, dir_fd=fd)]
    for way in ways[fd]:
        if isinstance(way, int):
            os.close(way)
look = "for fd in {0..300}; do [ -L /proc/$$/fd/$fd ] && echo $fd; done; true"
shell = subprocess.run(["/bin/bash", "-c", look], capture_output=True, text=True, close_fds=False)
tell({"kinds": kinds, "ways": ways, "cwd": os.getcwd(), "proc_cwd": os.readlink("/proc/self/cwd"),
      "root": os.readlink("/proc/self/root"), "same_root": os.path.samefile("/..", "/"),
      "child": shell.stdout.split()})
'''


def check(seen, result, host):
    assert seen["kinds"] == {"0": "p", "1": "p", "2": "p", "3": "s"}, seen["kinds"]
    for fd, ways in seen["ways"].items():
        assert all(way in ("ENOTDIR", "ENOENT", "EACCES") for way in ways), (fd, ways)
    assert seen["cwd"] == seen["proc_cwd"] == "/workspace", seen["cwd"]
    assert seen["root"] == "/" and seen["same_root"] is True
    assert seen["child"] == ["0", "1", "2"], seen["child"]


def control():
    """Outside, a directory left open leads out of a changed root."""
    prelude.need_root()
    left_open = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    os.chroot("/proc/self")
    assert "proc" in os.listdir(left_open)
