"""Input pushed into the caller's terminal (TIOCSTI, CVE-2017-5226; TIOCLINUX).

A program must have no terminal at all: no /dev/tty, no console, none among its descriptors, no
controlling one, and a session of its own. The requests are refused by the filter whatever
descriptor they name, also with junk in the upper half of the request's number.
"""
import errno
import os
import pty

ROW = 26
SAYS = "a program has no terminal, and requests that inject input are refused"

ATTACK = r"""
import ctypes, json, os

libc = ctypes.CDLL(None, use_errno=True)
byte = ctypes.create_string_buffer(b"x")
JUNK = 0x7FFF0000 << 32


def ask(fd, request):
    ctypes.set_errno(0)
    result = libc.syscall(16, fd, ctypes.c_ulong(request), byte)
    return ctypes.get_errno() if result < 0 else 0


def opened(path):
    try:
        os.close(os.open(path, os.O_RDWR))
        return 0
    except OSError as error:
        return error.errno


try:
    with open("/proc/self/stat") as stat:
        terminal = int(stat.read().rsplit(")", 1)[1].split()[4])
except FileNotFoundError:  # without a /proc there is nobody to ask
    terminal = 0
requests = {"TIOCSTI": 0x5412, "TIOCLINUX": 0x541C, "TIOCSCTTY": 0x540E}
print(json.dumps({
    "asked": {f"{name} on {fd}{' with junk' if junk else ''}": ask(fd, number | junk)
              for name, number in requests.items() for fd in (0, 1, 2, 3) for junk in (0, JUNK)},
    "opened": {path: opened(path) for path in
               ("/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/ptmx", "/dev/tty0", "/dev/vcs")},
    "terminal": terminal,
    "isatty": [os.isatty(fd) for fd in range(3)],
    "leads": os.getsid(0) == os.getpid(),
}))
"""

HELDBY = [["base_filter"], ["session_leader"]]


def check(seen, result, host):
    del host
    assert result["outcome"] == "ok", result
    for name, error in seen["asked"].items():
        assert error in (errno.EPERM, errno.ENOSYS), f"{name}: errno {error}"
    for path, error in seen["opened"].items():
        assert error == errno.ENOENT, f"{path}: errno {error}"
    assert seen["terminal"] == 0, "it has a controlling terminal"
    assert seen["isatty"] == [False] * 3, seen["isatty"]
    assert seen["leads"], "it is in somebody else's session"


def control():
    """Outside, a process started on a terminal does have it, and may put input into it."""
    pid, master = pty.fork()
    if pid == 0:
        with open("/proc/self/stat") as stat:
            held = int(stat.read().rsplit(")", 1)[1].split()[4]) != 0
        os._exit(0 if held and os.isatty(0) else 1)
    status = os.waitpid(pid, 0)[1]
    os.close(master)
    assert os.waitstatus_to_exitcode(status) == 0, "a terminal outside is not seen either"
