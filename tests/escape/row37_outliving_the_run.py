"""Processes that try to outlive their run: no parent-death signal, no init, hundreds of zombies.

Each program leaves marked processes behind: in other sessions, deaf to signals, orphaned, dead but
unwaited for. When the answer arrives and the cell has been taken apart, the host has no process of
that name, none of the cell's user id, and no control group of it.
"""
import json
import os
import pathlib
import secrets
import signal
import time

ROW = 37
NATIVE_ONLY = True
SAYS = "after a run no process and no control group of its cell is left on the host"
HELDBY = []

BEFORE = r"""
import ctypes, os, signal, sys, time
libc = ctypes.CDLL(None)
libc.prctl(15, sys.argv[1].encode(), 0, 0, 0)
libc.prctl(1, 0, 0, 0, 0)  # no signal when a parent dies
def leave():
    if os.fork() == 0:
        os.setsid()
        libc.prctl(1, 0, 0, 0, 0)
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
        while True:
            time.sleep(60)
for _ in range(4):
    leave()
print(os.getuid(), flush=True)
"""

ENDINGS = {
    "it ends": "",
    "it dies": "os.kill(os.getpid(), signal.SIGKILL)",
    "it kills its init": "try:\n    if os.getppid() == 0: os.kill(1, signal.SIGKILL)\n"
                         "except OSError: pass",
    "zombies": "for _ in range(40):\n    if os.fork() == 0: os._exit(0)",
    "orphaned zombies": "for _ in range(20):\n    if os.fork() == 0:\n        if os.fork() == 0:\n"
                        "            os._exit(0)\n        os._exit(0)\n    os.wait()",
    "a keeper of orphans": "libc.prctl(36, 1, 0, 0, 0)\nleave()",
    "its time is over": "while True: time.sleep(60)",
}


def processes():
    """Every process of the host: its status file's fields, by process id."""
    found = {}
    for path in pathlib.Path("/proc").glob("[0-9]*/status"):
        try:
            lines = path.read_text().splitlines()
        except OSError:
            continue
        found[int(path.parent.name)] = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    return found


def left(supervisor, name, uid):
    """Those with the marked name, and the supervisor's own of the cell's user id."""
    return [(pid, fields["Name"]) for pid, fields in processes().items()
            if fields["Name"] == name
            or (int(fields["PPid"]) == supervisor and uid in fields["Uid"].split())]


def run(bench):
    lines = bench.start_jsonl("--pool", "1")
    try:
        for ending, code in ENDINGS.items():
            leave_some(lines, bench.identity, ending, code)
    finally:
        lines.close()
    for number in (signal.SIGTERM, signal.SIGHUP):
        end_by(number, bench)


def end_by(number, bench):
    """The caller ends the supervisor: what runs is answered, and its cell is gone with it."""
    name = "bj" + secrets.token_hex(5)
    lines = bench.start_jsonl("--pool", "1")
    lines.send(json.dumps({"id": "last", "args": [name], "code": BEFORE + "time.sleep(60)"}))
    while not bench.host.has_process(name) and lines.process.poll() is None:
        time.sleep(0.01)
    lines.process.send_signal(number)
    answer = lines.unclaimed.get(timeout=30)
    assert (answer["id"], answer["outcome"]) == ("last", "cancelled"), answer
    assert lines.process.wait(30) == 130, lines.process.returncode
    assert not bench.host.has_process(name), f"{name} is left"


def leave_some(lines, identity, ending, code):
    name = "bj" + secrets.token_hex(5)
    limit = {"timeout": 0.3} if ending == "its time is over" else {}
    result = lines.run({"code": BEFORE + code, "args": [name], **limit})
    assert result.get("outcome") in ("ok", "signal", "timeout"), f"{ending}: {result}"
    # As root the user id is the cell's alone; nested, it is another one on the host.
    uid = result["stdout"].strip() if identity == "root" else None
    deadline = time.monotonic() + 5  # the answer does not wait for the undertaker
    while (found := left(lines.process.pid, name, uid)) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not found, f"{ending}: {found}"


def check(seen, result, host):
    del seen, result
    assert host.after.cells_left == 0, f"{host.after.cells_left} processes are left"
    assert host.after.cgroups == [], host.after.cgroups


def control():
    """Outside, such a process does outlive its parent, and is found by its name."""
    name = "bj" + secrets.token_hex(5)
    reader, writer = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            pathlib.Path("/proc/self/comm").write_text(name)
            os.write(writer, b"x")
            time.sleep(10)
        os._exit(0)
    os.wait()
    os.read(reader, 1)
    found = [entry for entry in pathlib.Path("/proc").iterdir() if entry.name.isdigit()
             and (entry / "comm").exists() and (entry / "comm").read_text().strip() == name]
    assert len(found) == 1, found
    os.kill(int(found[0].name), 9)
