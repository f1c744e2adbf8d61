"""Another process is read, written, traced or robbed of a descriptor: ptrace, process_vm_*,
process_madvise, pidfd_getfd, kcmp.

All are refused with EPERM, on the init of the cell, on a stranger and on the guest's own child.
"""
import os

import prelude

ROW = 20
SAYS = "no process can be looked into, not even one's own child"
HELDBY = [["base_filter"]]
ATTACK = r'''
child = os.fork()
if child == 0:
    signal.pause()
    os._exit(0)
secret = ctypes.create_string_buffer(b"secret", 16)
vector = (ctypes.c_uint64 * 2)(ctypes.addressof(secret), 16)
seen = {}
for who, pid in (("init", 1), ("child", child), ("self", os.getpid()), ("stranger", 4242)):
    calls = {"attach": ("ptrace", 16, pid, 0, 0), "seize": ("ptrace", 0x4206, pid, 0, 0),
             "peek": ("ptrace", 2, pid, secret, 0), "kill": ("ptrace", 8, pid, 0, 0),
             "readv": ("process_vm_readv", pid, vector, 1, vector, 1, 0),
             "writev": ("process_vm_writev", pid, vector, 1, vector, 1, 0),
             "pidfd_open": ("pidfd_open", pid, 0),
             "kcmp": ("kcmp", pid, os.getpid(), 0, 0, 0)}
    for name, args in calls.items():
        seen[f"{name} {who}"] = sc(*args)
seen["traceme"] = forked(sc, "ptrace", 0, 0, 0, 0)
seen["getfd"] = sc("pidfd_getfd", -1, 0, 0)
seen["madvise"] = sc("process_madvise", -1, vector, 1, 4, 0)
seen["mrelease"] = sc("process_mrelease", -1, 0)
seen["send_signal"] = sc("pidfd_send_signal", -1, 0, 0, 0)
os.kill(child, 9)
os.waitpid(child, 0)
tell({"calls": seen, "tracer": sc("prctl", 0x59616d61, -1, 0, 0, 0),
      "init_mem": readable("/proc/1/mem"), "init_environ": readable("/proc/1/environ")})
'''


def check(seen, result, host):
    assert len(seen["calls"]) == 37
    prelude.expect(seen["calls"], "EPERM")
    assert seen["tracer"] in prelude.REFUSED, seen["tracer"]
    for name in ("init_mem", "init_environ"):
        assert seen[name] in ("ENOENT", "EACCES", "EPERM"), (name, seen[name])


def control():
    """Outside, a parent reads its child's descriptor and a process asks to be traced."""
    child = os.fork()
    if child == 0:
        os.execv("/bin/sleep", ["sleep", "10"])
    try:
        pidfd = prelude.sc("pidfd_open", child, 0)
        assert isinstance(pidfd, int), pidfd
        assert prelude.sc("pidfd_getfd", -1, 0, 0) == "EBADF"
        assert prelude.forked(prelude.sc, "ptrace", 0, 0, 0, 0) == 0
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)
