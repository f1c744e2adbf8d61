"""The large surfaces of the kernel that escapes are written for: io_uring, bpf, userfaultfd, perf,
fanotify, file handles, dcookies.

All are refused with EPERM; opening by handle, which walks around every path check, ends the
process.
"""
import prelude

ROW = 17
SAYS = "io_uring, bpf, userfaultfd, perf, fanotify and file handles are closed"
HELDBY = [["base_filter"]]
ATTACK = r'''
parameters = ctypes.create_string_buffer(256)
calls = {"io_uring_setup": (8, parameters), "io_uring_enter": (-1, 1, 0, 0, 0, 0),
         "io_uring_register": (-1, 0, 0, 0), "userfaultfd": (0,),
         "perf_event_open": (parameters, 0, -1, -1, 0), "fanotify_init": (0x200, 0),
         "fanotify_mark": (-1, 1, 1, -1, 0), "lookup_dcookie": (0, parameters, 16),
         "name_to_handle_at": (-100, b"/", parameters, parameters, 0),
         "open_by_handle_at": (-1, parameters, 0), "io_setup": (1, parameters)}
seen = {name: forked(sc, name, *args) for name, args in calls.items()}
seen["userfaultfd user mode"] = forked(sc, "userfaultfd", 1)
for command in (0, 5, 9, 18, 28):
    seen[f"bpf {command}"] = forked(sc, "bpf", command, parameters, 128)
    seen[f"bpf {command} null"] = forked(sc, "bpf", command, 0, 0)
tell(seen)
'''


def check(seen, result, host):
    assert seen.pop("open_by_handle_at") == "SIGSYS"
    assert len(seen) > 20
    prelude.expect(seen, "EPERM")
    assert result["outcome"] == "ok"


def control():
    """Outside, the same calls reach the kernel."""
    assert prelude.sc("io_uring_enter", -1, 1, 0, 0, 0, 0) in ("EBADF", "EOPNOTSUPP")
    assert prelude.sc("open_by_handle_at", -1, prelude.BAD, 0) in ("EBADF", "EFAULT", "EPERM")
    assert prelude.sc("name_to_handle_at", -100, b"/", prelude.BAD, prelude.BAD, 0) == "EFAULT"
    assert prelude.sc("fanotify_mark", -1, 1, 1, -1, 0) in ("EBADF", "EINVAL")
