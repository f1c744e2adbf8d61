"""Arguments with junk in their upper halves, and system calls newer than the allow list.

The kernel reads an `int` argument from the low 32 bits of a register, so a filter that compares 64
bits is dodged by filling the rest (CVE-2019-10063). Each call that is refused must be refused with
junk above it too. Numbers from 450 on that the allow list does not name must not reach the kernel:
a call invented after this list was written is answered ENOSYS.
"""
import errno

ROW = 25
SAYS = "junk in upper halves changes no verdict, and unknown call numbers are answered ENOSYS"

ATTACK = r"""
import ctypes, json, os, signal

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
JUNK = 0x5A5A5A5A << 32
TIOCSTI, TIOCLINUX, RLIMIT_CORE = 0x5412, 0x541C, 4
NEWUSER, NEWNET, SIGCHLD = 0x10000000, 0x40000000, 17


def call(number, *arguments):
    ctypes.set_errno(0)
    result = libc.syscall(*[ctypes.c_ulong(a & (1 << 64) - 1) for a in (number, *arguments)])
    if number == 56 and result == 0:
        os._exit(0)
    return [result, ctypes.get_errno() if result == -1 else 0]


def in_child(function):
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(3)
        os.write(writer, json.dumps(function()).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        text = stream.read()
    os.waitpid(pid, 0)
    return json.loads(text) if text else None


limit = ctypes.create_string_buffer(bytes(16))
address = ctypes.addressof(limit)
PROBES = {
    "clone": (56, NEWUSER | SIGCHLD),
    "clone, junk": (56, NEWUSER | SIGCHLD | JUNK),
    "clone net, junk": (56, NEWNET | SIGCHLD | JUNK),
    "unshare, junk": (272, NEWUSER | JUNK),
    "ioctl TIOCSTI": (16, 0, TIOCSTI, address),
    "ioctl TIOCSTI, junk": (16, 0, TIOCSTI | JUNK, address),
    "ioctl TIOCLINUX, junk": (16, 0, TIOCLINUX | JUNK, address),
    "socket AF_ALG, junk": (41, 38 | JUNK, 5, 0),
    "socket AF_NETLINK, junk": (41, 16 | JUNK, 3, 0),
    "socket AF_INET, junk": (41, 2 | JUNK, 1, 0),
    "socketpair AF_INET, junk": (53, 2 | JUNK, 1, 0, address),
    "setrlimit core, junk": (160, RLIMIT_CORE | JUNK, address),
    "prlimit core, junk": (302, 0, RLIMIT_CORE | JUNK, address, 0),
    "prctl SET_DUMPABLE, junk": (157, 4 | JUNK, 0),
    "prctl SET_MM, junk": (157, 35 | JUNK, 1, 0, 0, 0),
    "personality, junk": (135, 0x0040000 | JUNK),
    "setns, junk": (308, JUNK, JUNK),
}
KNOWN = {450, 451, 452, 453, 454, 455, 456}
NEW = [n for n in range(450, 1024) if n not in KNOWN]
bad = -1 & (1 << 64) - 1
print(json.dumps({
    "probes": {name: in_child(lambda: call(*probe)) for name, probe in PROBES.items()},
    "new": in_child(lambda: {n: call(n, bad, bad, bad, bad, bad, bad)[1] for n in NEW}),
}))
"""

HELDBY = [["base_filter"], ["guest_filter"]]

REFUSED = {errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT}
KNOWN_AND_DENIED = set(range(457, 462))  # statmount, listmount and the lsm calls


def check(seen, result, host):
    del host
    assert result["outcome"] == "ok", result
    for name, answer in seen["probes"].items():
        assert answer is not None, f"{name}: the probe did not come back"
        value, error = answer
        assert value == -1 and error in REFUSED, f"{name}: value {value}, errno {error}"
    assert seen["new"] is not None, "the probe of new numbers did not come back"
    for number, error in seen["new"].items():
        allowed = {errno.ENOSYS} | ({errno.EPERM} if int(number) in KNOWN_AND_DENIED else set())
        assert error in allowed, f"system call {number} was answered errno {error}"
