"""Signals to the supervisor, the zygote, pid 1 and a sibling cell.

The attacker knows the supervisor's process id and those around it, where zygote and siblings lie.
It asks, by every call there is, whether it may signal them (signal 0 is judged like any other and
hurts nobody when a wall is missing), and sends real signals to pid 1 of its cell. Each must be
answered ESRCH or EPERM, and supervisor, zygote and a sibling go on.
"""
import concurrent.futures
import errno
import json

ROW = 33
SAYS = "signals reach no process outside the cell, and not its pid 1"
# As root the uid holds too; an ordinary user's cells all have the user's own.
HELDBY = [["landlock"]]

PROGRAM = r"""
import ctypes, errno, json, os, signal, sys

libc = ctypes.CDLL(None, use_errno=True)
info = ctypes.create_string_buffer(bytes(8) + b"\\xff" * 4, 128)


def raw(*arguments):
    ctypes.set_errno(0)
    return ctypes.get_errno() if libc.syscall(*arguments) < 0 else 0


def kill(pid, number):
    try:
        os.kill(pid, number)
        return 0
    except OSError as error:
        return error.errno


targets = sorted((set(range(1, 101)) | {int(pid) for pid in sys.argv[1:]}) - {os.getpid()})
answers = {}
for pid in targets:
    answers[pid] = sorted({
        kill(pid, 0), kill(-pid, 0) if pid != 1 else errno.EPERM,
        raw(200, pid, 0), raw(234, pid, pid, 0),              # tkill, tgkill
        raw(129, pid, 0, info), raw(297, pid, pid, 0, info),  # the queueing ones
        raw(424, 3, 0, 0, 0)})                                # pidfd_send_signal
if os.getppid() == 0:  # otherwise pid 1 is the host's
    answers["cell's first"] = [kill(1, number) for number in (signal.SIGTERM, signal.SIGKILL)]
print(json.dumps({"answers": answers}))
"""

REFUSED = {errno.ESRCH, errno.EPERM, errno.ENOSYS}


def run(bench):
    lines = bench.start_jsonl("--jobs", "2")
    try:
        own = lines.process.pid
        around = [str(pid) for pid in range(max(own - 20, 101), own + 60)]
        sibling = {"code": "import time\ntime.sleep(0.8)\nprint('well')"}
        results = {}
        with concurrent.futures.ThreadPoolExecutor() as pool:
            waiting = pool.submit(lines.run, sibling)
            results["attack"] = lines.run({"code": PROGRAM, "args": around})
            results["sibling"] = waiting.result()
        results["after"] = lines.run({"code": "print('well')"})
    finally:
        lines.close()
    judge(results)


def judge(results):
    attack = results["attack"]
    assert attack["outcome"] == "ok", attack
    seen = json.loads(attack["stdout"])
    for pid, answers in seen["answers"].items():
        assert set(answers) <= REFUSED, f"pid {pid}: errnos {answers}"
    for name in ("sibling", "after"):
        result = results[name]
        assert result["outcome"] == "ok" and result["stdout"] == "well\n", result
