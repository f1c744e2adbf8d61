"""One's own seccomp listener (which would answer calls in the kernel's stead), memory policies and
page moves, real-time scheduling, other people's priorities; and leases and notices on files of the
image, which all its cells share: a lease makes every other cell wait when it opens the file.

All are refused; system calls with EPERM.
"""
import prelude

ROW = 22
SAYS = "no filter can be added, no page moved, no priority raised"
HELDBY = [["base_filter"], ["guest_filter"]]
ATTACK = r'''
buffer = ctypes.create_string_buffer(256)
program = (ctypes.c_uint64 * 2)(1, ctypes.addressof(buffer))
priority = (ctypes.c_int * 1)(1)
calls = {
    "filter": ("seccomp", 1, 0, program), "listener": ("seccomp", 1, 8, program),
    "listener tsync": ("seccomp", 1, 8 | 1 | 16, program), "strict": ("seccomp", 0, 0, 0),
    "action": ("seccomp", 2, 0, buffer), "sizes": ("seccomp", 3, 0, buffer),
    "mbind": ("mbind", BAD, 4096, 0, 0, 0, 0), "set_mempolicy": ("set_mempolicy", 0, 0, 0),
    "get_mempolicy": ("get_mempolicy", 0, 0, 0, 0, 0),
    "migrate_pages": ("migrate_pages", 0, 0, 0, 0),
    "move_pages": ("move_pages", 0, 0, 0, 0, 0, 0),
    "move_pages init": ("move_pages", 1, 0, 0, 0, 0, 0),
    "fifo": ("sched_setscheduler", 0, 1, priority), "round": ("sched_setscheduler", 0, 2, priority),
    "other": ("sched_setscheduler", 0, 0, (ctypes.c_int * 1)(0)),
    "param": ("sched_setparam", 0, priority), "attr": ("sched_setattr", 0, buffer, 0),
    "deadline": ("sched_setattr", 0, (ctypes.c_uint32 * 12)(48, 6), 0),
    "nice user": ("setpriority", 2, 0, 5), "nice group": ("setpriority", 1, 0, 5),
    "nice down": ("setpriority", 0, 0, -20), "ioprio": ("ioprio_set", 1, 0, 1 << 13),
    "ioprio user": ("ioprio_set", 3, 0, 3 << 13), "affinity": ("sched_setaffinity", 0, 8, buffer),
    "affinity init": ("sched_setaffinity", 1, 8, buffer)}
def leased(path, kind):
    return sc("fcntl", os.open(path, os.O_RDONLY), 1024, kind)

def noticed(path):
    signal.signal(signal.SIGIO, signal.SIG_IGN)
    return sc("fcntl", os.open(path, os.O_RDONLY), 1026, 1 | 1 << 31)

shared = ["/usr/bin/env", os.__file__, "/etc/passwd"]
leases = {f"{path} {kind}": forked(leased, path, kind) for path in shared for kind in (0, 1)}
notices = {path: forked(noticed, path) for path in ("/usr/bin", "/etc", "/")}
tell({"leases": leases, "notices": notices,
      "calls": {name: forked(sc, *args) for name, args in calls.items()},
      "home": forked(sc, "set_mempolicy_home_node", BAD, 4096, 0, 0),
      "landlock": [sc("landlock_create_ruleset", 0, 0, 1), sc("landlock_restrict_self", -1, 0)]})
'''


def check(seen, result, host):
    prelude.expect(seen["calls"], "EPERM")
    assert seen["home"] in ("EPERM", "ENOSYS"), seen["home"]
    assert seen["landlock"] == ["EPERM", "EPERM"], seen["landlock"]
    prelude.expect(seen["leases"], "EPERM", "EACCES")
    prelude.expect(seen["notices"], "EPERM")


def control():
    """Outside, they are answered."""
    assert prelude.sc("seccomp", 3, 0, prelude.BAD) == "EFAULT"
    assert prelude.sc("set_mempolicy", 0, 0, 0) in (0, "ENOSYS")
    assert prelude.sc("setpriority", 2, 0x7FFFFFFE, 0) == "ESRCH"
    assert prelude.sc("sched_setaffinity", 0, 8, prelude.BAD) == "EFAULT"
