"""Memory that is not on the heap: files, pipes, sockets, page tables, shared mappings, crowds.

Each program takes half a gigabyte by another door, under a limit of 64 MiB, and says from time to
time how much it holds. Either the run ends as memory or disk, or the door itself stops it near the
limit. Without a memory control group the limit is sampled: what no process maps is only bounded.
"""
import json

ROW = 40
SAYS = "memory taken by any door is charged to the cell or bounded"
HELDBY = [["base_filter"]]

BEFORE = r"""
import ctypes, fcntl, json, mmap, os, socket, sys, time
MIB = 1 << 20
MOST = 512 * MIB
libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]


def say(held):
    os.write(1, json.dumps({"held": held}).encode() + b"\n")


def hold(held):
    # Long enough to be looked at: a limit that is sampled needs two looks, and one at gigabytes of
    # page tables takes its time.
    say(held)
    time.sleep(4)
    os._exit(3)
"""

# code, and whether the run must end for it also where no control group counts: what the kernel
# keeps for sockets, and files, which have a limit of their own, are then only bounded.
DOORS = {
    "a file": ("""
held = 0
file = os.open("/dev/shm/f", os.O_CREAT | os.O_RDWR)
try:
    while held < MOST:
        held += os.write(file, bytes(MIB))
        if held % (16 * MIB) == 0: say(held)
except OSError:
    pass
hold(held)
""", True),
    "an unlinked file without a name": ("""
held = 0
file = os.open("/tmp", os.O_TMPFILE | os.O_RDWR, 0o600)
try:
    while held < MOST:
        held += os.write(file, bytes(MIB))
        if held % (16 * MIB) == 0: say(held)
except OSError:
    pass
hold(held)
""", False),
    "a shared mapping": ("""
area = mmap.mmap(-1, MOST)
for at in range(0, MOST, MIB):
    area[at:at + MIB] = b"x" * MIB
    if at % (16 * MIB) == 0: say(at)
hold(MOST)
""", True),
    "a shared mapping, looked away from": ("""
area = libc.mmap(None, MOST, 3, 0x21, -1, 0)
for at in range(0, MOST, 4 * MIB):
    ctypes.memset(area + at, 1, 4 * MIB)
    libc.madvise(area + at, 4 * MIB, 4)
    if at % (16 * MIB) == 0: say(at)
hold(MOST)
""", True),
    "a crowd": ("""
for _ in range(16):
    if os.fork() == 0:
        block = b"x" * (32 * MIB)
        time.sleep(3)
        os._exit(0)
time.sleep(1.5)
hold(MOST)
""", True),
    "page tables": ("""
span = 1 << 37
area = libc.mmap(None, span, 1, 0x4022, -1, 0)
assert area != ctypes.c_void_p(-1).value
libc.madvise(area, span, 15)
held = 0
for at in range(0, span, 2 * MIB):
    ctypes.string_at(area + at, 1)
    held += 4096
    if held % (16 * MIB) == 0:
        say(held)
    if held >= 256 * MIB: break
hold(held)
""", True),
    "pipes": ("""
held, kept = 0, []
try:
    while held < MOST:
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        kept += [reader, writer]
        try:
            fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, MIB)
        except OSError:
            pass
        try:
            while True: held += os.write(writer, bytes(65536))
        except BlockingIOError:
            pass
        say(held)
except OSError:
    pass
hold(held)
""", True),
    "sockets": ("""
held, kept = 0, []
try:
    while held < MOST:
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        kept += pair
        for end in pair:
            end.setblocking(False)
            try:
                while True: held += end.send(bytes(65536))
            except BlockingIOError:
                pass
        if len(kept) % 16 == 0: say(held)
except OSError:
    pass
hold(held)
""", False),
}
LIMIT = 64 << 20
WORKSPACE = 96 << 20


def run(bench):
    problems = []
    for name, (code, always) in DOORS.items():
        result = bench.run({"code": BEFORE + code, "memory": LIMIT, "workspace": WORKSPACE,
                            "timeout": 10})
        # Memory that no process maps is not seen by sampling: told in docs/limits.md.
        if name == "a shared mapping, looked away from" and bench.host.identity == "user":
            continue
        problem = result["error"] if "outcome" not in result else judge(result, always)
        if problem:
            problems.append(f"{name}: {problem}")
    assert not problems, "; ".join(problems)
    result = bench.run({"code": BEFORE + "say(libc.memfd_create(b'f', 0))"})
    assert json.loads(result["stdout"]) == {"held": -1}, "a file in memory without a place"


def judge(result, always):
    """What is wrong with how much it got, or None."""
    words = result["stdout"].splitlines()
    held = json.loads(words[-1])["held"] if words else 0
    grouped = result["layers"]["limits"]["memory"].startswith("cgroup")
    # Sampling looks every 20 ms, and twice before it is sure.
    most = 2 * LIMIT if grouped else 4 * LIMIT
    ended = result["outcome"] in ("memory", "disk")
    if held <= LIMIT or (held <= most and (ended or not (grouped or always))):
        return None
    return f"it held {held >> 20} MiB, and ended as {result['outcome']}"
