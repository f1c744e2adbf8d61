"""Programs that will not stop: busy, asleep, in crowds, with clocks and timers of their own.

The clock is outside. At the limit the program is interrupted, and killed a little later whatever it
did about that. Two busy processes do not get more than the one CPU they were given, nor may they
take another one for themselves.
"""
import concurrent.futures
import json

ROW = 46
SAYS = "a run ends at its limit of time, and CPU beyond its share is not to be had"
HELDBY = [["base_filter"], ["guest_filter"]]

BUSY = {
    "busy": "while True: pass",
    "busy without the interpreter": "sum(range(10**12))",
    "asleep": "import time\ntime.sleep(600)",
    "asleep again": "import time\nwhile True:\n    try: time.sleep(600)\n"
                    "    except BaseException: pass",
    "in a crowd": "import os\nfor _ in range(3): os.fork()\nwhile True: pass",
    "with timers": "import signal\nsignal.signal(14, lambda *a: None)\n"
                   "signal.setitimer(signal.ITIMER_REAL, 0.0001, 0.0001)\n"
                   "while True: signal.pause()",
    "waiting for a lock": "import threading\na = threading.Lock()\na.acquire()\na.acquire()",
    "backtracking": "import re\nre.match('(a*)*b', 'a' * 40)",
    "a shell": "while :; do :; done",
    "a script": "for (;;) {}",
}
LANGUAGES = {"a shell": "bash", "a script": "javascript"}
LIMIT_MS = 300
MOST_MS = LIMIT_MS + 500 + 2000  # the limit, the grace, a loaded machine

CLOCKS = r"""
import ctypes, errno, json, os, time
libc = ctypes.CDLL(None, use_errno=True)
moment = (ctypes.c_long * 4)(1, 0, 0, 0)


def call(*arguments):
    ctypes.set_errno(0)
    return errno.errorcode[ctypes.get_errno()] if libc.syscall(*arguments) < 0 else "done"


def attempt(action, *arguments):
    try:
        return str(action(*arguments))
    except OSError as error:
        return errno.errorcode[error.errno]


print(json.dumps({
    "settimeofday": call(164, moment, None), "clock_settime": call(227, 0, moment),
    "adjtimex": call(159, moment), "clock_adjtime": call(305, 0, moment),
    "a time namespace": call(272, 0x80), "more CPUs": attempt(os.sched_setaffinity, 0, range(2)),
    "real time": attempt(os.sched_setscheduler, 0, os.SCHED_FIFO, os.sched_param(1)),
    "priority": attempt(os.setpriority, os.PRIO_PROCESS, 0, -20),
}))
"""
TWO_BUSY = r"""
import os, time
os.fork()
end = time.monotonic() + 1.2
while time.monotonic() < end: pass
"""


def run(bench):
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda name: stop(bench, name), BUSY))
    stop_by_cpu_time(bench)
    clocks = bench.run({"code": CLOCKS})
    for way, answer in json.loads(clocks["stdout"]).items():
        assert answer in ("EPERM", "ENOSYS"), f"{way}: {answer}"
    share_of_cpu(bench)


def stop(bench, name):
    result = bench.run({"code": BUSY[name], "lang": LANGUAGES.get(name, "python"),
                        "timeout": LIMIT_MS / 1000})
    assert result.get("outcome") == "timeout", f"{name}: {result}"
    assert LIMIT_MS <= result["usage"]["wall_ms"] < MOST_MS, f"{name}: {result['usage']}"


def stop_by_cpu_time(bench):
    result = bench.run({"code": "while True: pass", "cpu_time": 0.3, "timeout": 20})
    assert result.get("outcome") == "timeout" and "CPU" in result["reason"], result
    assert result["usage"]["cpu_ms"] < 2500, result["usage"]


def share_of_cpu(bench):
    usage = bench.run({"code": TWO_BUSY, "cpus": 1})["usage"]
    share = usage["cpu_ms"] / usage["wall_ms"]
    assert share <= 1.15, f"two busy processes had {share:.2f} CPUs"
