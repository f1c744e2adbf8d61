"""Other processes through /proc: init's root and descriptors, the parent, whoever has a number.

A program sees its own processes. Pid 1 of its cell is not its own: everything of it that would
lead somewhere must be absent or refused, and no process of the host has a number here.
"""
import errno
import os

ROW = 29
SAYS = "nothing of pid 1 or of any process outside can be opened"

ATTACK = r"""
import json, os

PARTS = ("root", "cwd", "exe", "environ", "mem", "maps", "fd", "ns/mnt", "ns/pid", "task", "stat",
         "status", "cmdline", "cgroup", "mountinfo", "root/etc/shadow", "cwd/..", "fd/0", "fd/3",
         "map_files", "auxv", "stack", "syscall", "wchan", "io", "clear_refs", "oom_score_adj")


def reach(path):
    try:
        os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))
        return 0
    except OSError as error:
        return error.errno


own = {os.getpid()}
child = os.fork()
if child == 0:
    os.read(0, 1)
    os._exit(0)
own.add(child)
seen = {
    "pid": os.getpid(), "parent": os.getppid(),
    "one": {part: reach(f"/proc/1/{part}") for part in PARTS},
    "others": [pid for pid in range(1, 5000)
               if pid not in own and reach(f"/proc/{pid}/stat") == 0],
    "listed": [int(name) for name in os.listdir("/proc")
               if name.isdigit() and int(name) not in own],
    "links": {},
}
for part in ("root", "cwd", "exe", "fd/0", "ns/mnt", "ns/user"):
    try:
        seen["links"][part] = os.readlink(f"/proc/1/{part}")
    except OSError as error:
        seen["links"][part] = error.errno
os.kill(child, 9)
os.waitpid(child, 0)
print(json.dumps(seen))
"""

HELDBY = [["pid_namespace"]]

NOT_THERE = (errno.ENOENT, errno.EACCES, errno.EPERM, errno.ESRCH)


def check(seen, result, host):
    del host
    assert result["outcome"] == "ok", result
    assert seen["pid"] < 100 and seen["parent"] == 0, "it is not in a pid namespace of its own"
    for part, error in seen["one"].items():
        assert error in NOT_THERE, f"/proc/1/{part}: errno {error}"
    for part, answer in seen["links"].items():
        assert answer in NOT_THERE, f"/proc/1/{part} leads to {answer}"
    assert seen["others"] == [], seen["others"]
    assert seen["listed"] == [], seen["listed"]


def control():
    """Outside, a process that may trace another sees where it stands."""
    assert os.path.exists(f"/proc/{os.getppid()}/stat")
