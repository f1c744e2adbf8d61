"""What one run leaves for another: files, shared memory, keys, queues, sockets, locks, traces.

The first program leaves something in every place it can reach and ends. The second, which may get
anything but a cell of its own, looks for all of it and must find every place empty. A third watches
the image's programs, whose inodes all cells share, and must not learn which of them a neighbour
starts.
"""
import json
import secrets
import signal
import subprocess
import time

ROW = 38
SAYS = "a run finds nothing of the run before it, nor of the one beside it"
HELDBY = [["base_filter"], ["guest_filter"]]

COMMON = r"""
import ctypes, errno, fcntl, json, os, socket
libc = ctypes.CDLL(None, use_errno=True)
PLACES = ("/workspace", "/tmp", "/dev/shm", "/run", "/var/tmp", "/var/lock", "/home", "/root")
LOCKED = ("/usr/bin/python3", "/dev/null", "/.belljar/guest.py")


def call(*arguments):
    ctypes.set_errno(0)
    value = libc.syscall(*arguments)
    return errno.errorcode[ctypes.get_errno()] if value < 0 else value


def attempt(action, *arguments):
    try:
        return action(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno]
"""

LEAVE = COMMON + r"""
for place in PLACES:
    for name in ("left", ".left", "deep"):
        attempt(lambda: open(f"{place}/{name}", "w").write("left"))
def listen(address):
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    return listener
kept = [listen("\0left"), listen("/tmp/left.sock")]
for path in LOCKED:
    descriptor = os.open(path, os.O_RDONLY)
    attempt(fcntl.flock, descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    kept.append(descriptor)
print(json.dumps({
    "shm": call(29, 0x1EF7, 4096, 0o1666), "sem": call(64, 0x1EF7, 1, 0o1666),
    "msg": call(68, 0x1EF7, 0o1666), "mq": call(240, b"/left", 0o102, 0o666, 0),
    "key": call(248, b"user", b"left", b"secret", 6, -4),
    "session key": call(248, b"user", b"left", b"secret", 6, -3),
    "name": attempt(socket.sethostname, "left"),
    "xattr": attempt(os.setxattr, "/workspace", "user.left", b"x"),
}), flush=True)
if os.fork() == 0:  # somebody is still there when the program has ended
    os.setsid()
    os.read(kept[0].fileno(), 1)
os._exit(0)
"""

LOOK = COMMON + r"""
files = [os.path.join(at, name) for place in PLACES for at, dirs, names in os.walk(place)
         for name in dirs + names]
def connect(address):
    socket.socket(socket.AF_UNIX).connect(address)
    return "connected"
locks = {}
for path in LOCKED:
    descriptor = os.open(path, os.O_RDONLY)
    locks[path] = attempt(fcntl.flock, descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
print(json.dumps({
    "files": files, "locks": locks, "host": socket.gethostname(),
    "abstract": attempt(connect, "\0left"), "socket": attempt(connect, "/tmp/left.sock"),
    "shm": call(29, 0x1EF7, 4096, 0o666), "sem": call(64, 0x1EF7, 1, 0o666),
    "msg": call(68, 0x1EF7, 0o666), "mq": call(240, b"/left", 0o2, 0, 0),
    "key": call(249, b"user", b"left", 0, 0), "keyring": call(250, 11, -3, 0, 0),
    "processes": [name for name in os.listdir("/proc")
                  if name.isdigit() and int(name) != os.getpid()],
    "ids": [os.getuid(), os.getpid()],
}))
"""

WATCH = r"""
import ctypes, json, os, struct, time
libc = ctypes.CDLL(None)
seen = set()
watcher = libc.inotify_init()
watching = libc.inotify_add_watch(watcher, b"/usr/bin", 0x21) if watcher >= 0 else -1
libc.prctl(15, b"NAME", 0, 0, 0)
try:
    while watching < 0: time.sleep(60)
    while True:
        data = os.read(watcher, 65536)
        while data:
            length = struct.unpack("iIII", data[:16])[3]
            seen.add(data[16:16 + length].rstrip(b"\0").decode())
            data = data[16 + length:]
except KeyboardInterrupt:
    print(json.dumps(sorted(seen)))
"""

REFUSED = ("EPERM", "ENOSYS", "ENOTSUP")


def run(bench):
    left = bench.run({"code": LEAVE})
    assert left["outcome"] == "ok", left
    for way, answer in json.loads(left["stdout"]).items():
        assert answer in REFUSED, f"{way} could be left: {answer}"
    look = bench.run({"code": LOOK})
    assert look["outcome"] == "ok", look
    watch_a_neighbour(bench)
    return json.loads(look["stdout"]), look


def watch_a_neighbour(bench):
    name = "bj" + secrets.token_hex(5)
    watcher = bench.host.start(["run", "--json", "-c", WATCH.replace("NAME", name)],
                               stdout=subprocess.PIPE)
    try:
        while not bench.host.has_process(name) and watcher.poll() is None:
            time.sleep(0.01)
        neighbour = bench.run({"lang": "bash", "code": "sha512sum /dev/null"})
        assert neighbour["outcome"] == "ok", neighbour
    finally:
        watcher.send_signal(signal.SIGINT)
        result = json.loads(watcher.communicate(timeout=30)[0])
    assert result["outcome"] == "cancelled", result
    seen = json.loads(result["stdout"])
    assert "sha512sum" not in seen, f"it saw what a neighbour started: {seen}"


def check(seen, result, host):
    del host
    assert seen["files"] == [], seen["files"]
    assert result["files"] == {"created": [], "changed": [], "deleted": []}, result["files"]
    assert set(seen["locks"].values()) == {None}, f"a lock is held: {seen['locks']}"
    assert seen["host"] == "belljar", seen["host"]
    assert seen["abstract"] in ("ECONNREFUSED", "EPERM"), seen["abstract"]
    assert seen["socket"] == "ENOENT", seen["socket"]
    for way in ("shm", "sem", "msg", "mq", "key", "keyring"):
        assert seen[way] in REFUSED, f"{way}: {seen[way]}"
    assert seen["processes"] == [], seen["processes"]
