"""Ways not to end: output held by a child, a daemon, a stop, a parent asleep in vfork.

A run is over when its program is, or at its limit, whatever it left behind: time is kept outside,
and the end is the death of every process.
"""
import concurrent.futures
import re
import subprocess
import time

ROW = 36
SAYS = "a run ends with its program or at its limit, and leaves nobody behind"
HELDBY = []

BEFORE = "import os, signal, sys, time, ctypes\n"
HIDE = """for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
"""

# code, outcome
ENDINGS = {
    "output held by a child": ("if os.fork() == 0:\n    time.sleep(60)\n", "ok"),
    "a daemon": ("if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
                 + "".join("        " + line + "\n" for line in HIDE.splitlines())
                 + "        while True: time.sleep(60)\n    os._exit(0)\nos.wait()\n", "ok"),
    "a child that stops itself": ("if os.fork() == 0:\n    os.kill(os.getpid(), 19)\n", "ok"),
    "a stop": ("os.kill(os.getpid(), signal.SIGSTOP)\nos._exit(0)", "timeout"),
    "a stop by a child": ("if os.fork() == 0:\n    while True: os.kill(os.getppid(), 19)\n"
                          "while True: pass", "timeout"),
    "signals of a terminal": (
        "signal.signal(signal.SIGINT, signal.SIG_IGN)\nwhile True:\n"
        "    for n in (signal.SIGTTIN, signal.SIGTTOU, signal.SIGTSTP): os.kill(os.getpid(), n)",
        "timeout"),
    "deaf to everything": (HIDE + "while True: time.sleep(60)", "timeout"),
    "asleep in vfork": ("libc = ctypes.CDLL(None)\nif libc.syscall(58) == 0:\n"
                        "    libc.syscall(62, libc.syscall(39), 19)\n    libc.syscall(60, 0)\n"
                        "while True: pass", "timeout"),
    "blocked on its own input": ("a, b = os.pipe()\nwhile True:\n    try: os.read(a, 1)\n"
                                 "    except BaseException: pass", "timeout"),
}
LIMIT_MS = 400
GRACE_MS = 500     # between the interrupt and the kill
SLACK_MS = 2000    # a loaded machine


def run(bench):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda name: one(bench, name), ENDINGS))
    before_a_stalled_reader(bench)


def before_a_stalled_reader(bench):
    """A caller that does not read stops the command, never the clock: with --account its usage says
    how long the program ran."""
    arguments = ["run", "--account", "--timeout", "0.4", "--output-bytes", "50M", "--output-lines",
                 "1000000", "-c", "while True: print('x' * 900)"]
    process = bench.host.start(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL)
    time.sleep(4)
    err = process.communicate(timeout=60)[1].decode(errors="replace")
    wall = re.search(r"used +([\d.]+) (ms|s)", err)
    assert wall, err[-600:]
    ms = float(wall[1]) * (1 if wall[2] == "ms" else 1000)
    assert ms < LIMIT_MS + GRACE_MS + SLACK_MS, f"{ms} ms: {err[-600:]}"


def one(bench, name):
    code, outcome = ENDINGS[name]
    limit = {"timeout": LIMIT_MS / 1000} if outcome == "timeout" else {"timeout": 20}
    result = bench.run({"code": BEFORE + code, **limit})
    assert result.get("outcome") == outcome, f"{name}: {result}"
    most = SLACK_MS + (LIMIT_MS + GRACE_MS if outcome == "timeout" else 0)
    assert result["usage"]["wall_ms"] < most, f"{name}: {result['usage']['wall_ms']} ms"


def check(seen, result, host):
    del seen, result
    assert host.after.cells_left == 0, f"{host.after.cells_left} processes are left"
