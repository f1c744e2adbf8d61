"""Inodes, directories, watches, timers, asynchronous input and output: what is counted elsewhere.

The attacker takes each until it is refused and holds on to all. A sibling then takes a few of each:
quotas that the kernel counts by user id must not be one quota for all cells.
"""
import json
import secrets
import signal
import subprocess
import time

ROW = 43
SAYS = "counted kernel resources end at a limit of the cell's own, and a sibling gets its share"
HELDBY = []

COMMON = r"""
import ctypes, errno, json, os, select, sys, time
libc = ctypes.CDLL(None, use_errno=True)


def call(*arguments):
    ctypes.set_errno(0)
    value = libc.syscall(*arguments)
    return -ctypes.get_errno() if value < 0 else value


def make_file(number):
    os.close(os.open(f"/tmp/f{number}", os.O_CREAT | os.O_WRONLY))


def make_inotify(number):
    value = call(294, 0)
    if value < 0: raise OSError(-value, "inotify")


def make_watch(number):
    os.makedirs("/run/w", exist_ok=True)
    path = f"/run/w/{number % 50}"
    if not os.path.exists(path): os.mkdir(path)
    value = call(254, watcher, path.encode(), 0xFFF)
    if value < 0: raise OSError(-value, "watch")


def make_timer(number):
    timer = ctypes.c_int()
    value = call(222, 1, None, ctypes.byref(timer))
    if value < 0: raise OSError(-value, "timer")


def make_epoll(number):
    kept.append(select.epoll())


def take(make, most):
    for number in range(most):
        try:
            make(number)
        except OSError as error:
            return [number, errno.errorcode[error.errno]]
    return [most, None]


kept = []
watcher = call(294, 0)
context = ctypes.c_ulong()
"""

ATTACK_ALL = COMMON + r"""
seen = {"watch": take(make_watch, 50), "inotify": take(make_inotify, 5000),
        "timer": take(make_timer, 5000), "aio": call(206, 128, ctypes.byref(context)),
        "inodes": take(make_file, 5000)}
seen["epoll"] = take(make_epoll, 5000)
print(json.dumps(seen), flush=True)
libc.prctl(15, b"NAME", 0, 0, 0)  # all is taken
time.sleep(30)
"""

SIBLING = COMMON + r"""
print(json.dumps({"inodes": take(make_file, 20), "inotify": take(make_inotify, 4),
                  "watch": take(make_watch, 10), "timer": take(make_timer, 8),
                  "epoll": take(make_epoll, 8)}))
"""
INODES = 300


def run(bench):
    name = "bj" + secrets.token_hex(5)
    attack = bench.host.start(["run", "--json", "--workspace-inodes", str(INODES), "-c",
                               ATTACK_ALL.replace("NAME", name)], stdout=subprocess.PIPE)
    try:
        while not bench.host.has_process(name) and attack.poll() is None:
            time.sleep(0.01)
        beside = {"another supervisor": bench.cli(["run", "-c", SIBLING]).stdout,
                  "another cell": bench.run({"code": SIBLING}).get("stdout")}
        still = bench.host.has_process(name)
    finally:
        attack.send_signal(signal.SIGINT)
        judge(json.loads(attack.communicate(timeout=30)[0]))
    assert still, "the attacker had gone before its siblings were done"
    for where, words in beside.items():
        for kind, (count, error) in json.loads(words).items():
            if kind in ("inotify", "watch"):
                assert count == 0 and error in ("EPERM", "EBADF"), f"{kind} is refused to all"
                continue
            assert error is None, f"in {where} a sibling got {count} of {kind}, then {error}"


def judge(result):
    assert result["outcome"] == "cancelled", result
    seen = json.loads(result["stdout"])
    count, error = seen["inodes"]
    assert error == "ENOSPC" and count <= INODES, seen["inodes"]
    assert seen["aio"] in (-1, -38), f"io_setup: {seen['aio']}"
    for kind, most in (("inotify", 512), ("timer", 2048), ("epoll", 512)):
        count, error = seen[kind]
        assert error is not None and count <= most, f"{kind}: {seen[kind]}"
