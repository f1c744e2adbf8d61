"""A crash that leaves a core file, or starts the host's core handler as root.

RLIMIT_CORE of exactly 1 holds both back, so the program must be able neither to raise it nor to
lower it (at 0 a piped handler would still start). After crashes by several signals no file has
appeared in the workspace.
"""
import errno

ROW = 27
SAYS = "a crash leaves no core file, and the core limit cannot be moved"

ATTACK = r"""
import ctypes, json, os, resource, signal

libc = ctypes.CDLL(None, use_errno=True)


def set_limit(soft, hard):
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (soft, hard))
        return 0
    except ValueError:  # how the module tells EPERM of raising a hard limit
        return 1
    except OSError as error:
        return error.errno


def set_limit_raw(soft):
    pair = (ctypes.c_ulong * 2)(soft, 1)
    ctypes.set_errno(0)
    return ctypes.get_errno() if libc.syscall(160, 4, pair) else 0


seen = {"limit": resource.getrlimit(resource.RLIMIT_CORE),
        "lowered": set_limit(0, 0), "lowered by half": set_limit(0, 1),
        "raised": set_limit(resource.RLIM_INFINITY, resource.RLIM_INFINITY),
        "lowered by setrlimit": set_limit_raw(0)}
crashes = {}
for number in (signal.SIGSEGV, signal.SIGABRT, signal.SIGQUIT, signal.SIGSYS):
    pid = os.fork()
    if pid == 0:
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        os._exit(0)
    status = os.waitpid(pid, 0)[1]
    crashes[int(number)] = [os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
                            bool(os.WCOREDUMP(status))]
seen.update(crashes=crashes, limit_after=resource.getrlimit(resource.RLIMIT_CORE),
            files=os.listdir("/workspace") + os.listdir("/tmp"))
print(json.dumps(seen), flush=True)
ctypes.string_at(8)
"""

HELDBY = [["resource_limits"], ["guest_filter"]]


def check(seen, result, host):
    del host
    assert result["outcome"] == "signal" and result["signal"] == 11, result
    assert seen["limit"] == seen["limit_after"] == [1, 1], seen
    for attempt in ("lowered", "lowered by half", "raised", "lowered by setrlimit"):
        assert seen[attempt] in (errno.EPERM, errno.ENOSYS), f"{attempt}: {seen[attempt]}"
    for number, (signal, dumped) in seen["crashes"].items():
        assert signal == int(number) and not dumped, f"signal {number}: {signal}, core {dumped}"
    assert seen["files"] == [], seen["files"]
    assert result["files"]["created"] == [], result["files"]
