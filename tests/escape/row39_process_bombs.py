"""Fork and thread bombs.

They end at the limit of processes; where a control group counts, that is the outcome. While one
explodes the host starts processes as ever. Beside a crowd that keeps within its limit, a cell of
the same and of another supervisor can fork: a limit counted by user id must not be shared.

The bombs have an end of their own, so that they are harmless where a wall is switched off.
"""
import concurrent.futures
import json
import pathlib
import secrets
import signal
import subprocess
import time

ROW = 39
SAYS = "process and thread bombs hit a limit, and host and siblings are well"
HELDBY = []

FORK_BOMB = r"""
import os, time
born = 0
deadline = time.monotonic() + 1
while time.monotonic() < deadline and born < 12:
    try:
        os.fork()
        born += 1
    except OSError:
        pass
time.sleep(5)
"""
THREAD_BOMB = r"""
import threading, time
for _ in range(2000):
    threading.Thread(target=time.sleep, args=(5,), daemon=True).start()
"""
EXECUTING_BOMB = 'b() { [ $1 -lt 9 ] && { b $(($1 + 1)) & b $(($1 + 1)) & }; wait; }; b 0; exit 1'

# Many processes, but not too many: it must be let live.
CROWD = r"""
import ctypes, os, time
ctypes.CDLL(None).prctl(15, b"NAME", 0, 0, 0)
for _ in range(55):
    if os.fork() == 0:
        time.sleep(20)
        os._exit(0)
time.sleep(20)
"""
NEIGHBOUR = r"""
import os, time
for _ in range(40):
    if os.fork() == 0:
        os._exit(0)
    os.wait()
held = []
for _ in range(40):
    pid = os.fork()
    if pid == 0:
        time.sleep(20)
        os._exit(0)
    held.append(pid)
for pid in held:
    os.kill(pid, 9)
    os.waitpid(pid, 0)
print("well")
"""
LIMIT = 64


def named(name):
    count = 0
    for path in pathlib.Path("/proc").glob("[0-9]*/comm"):
        try:
            count += path.read_text().strip() == name
        except OSError:
            continue
    return count


def host_forks():
    start = time.monotonic()
    subprocess.run(["true"], check=True, timeout=10)
    return time.monotonic() - start


def explode(bench, request, outcomes):
    """Runs a bomb while the host keeps forking."""
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        bomb = pool.submit(bench.run, {**request, "timeout": 2, "processes": LIMIT})
        slowest = host_forks()
        while not bomb.done():
            slowest = max(slowest, host_forks())
        result = bomb.result()
    assert result.get("outcome") in outcomes, f"a bomb ended as {result.get('outcome')}"
    assert result["usage"]["processes_peak"] <= LIMIT, result["usage"]
    assert result["usage"]["wall_ms"] < 5000, result["usage"]
    assert slowest < 3, f"starting a process on the host took {slowest:.1f} s"
    after = bench.run({"code": "print('well')"})
    assert after["outcome"] == "ok", after


def stand_beside_a_crowd(bench):
    name = "bj" + secrets.token_hex(5)
    crowd = bench.host.start(["run", "--json", "-c", CROWD.replace("NAME", name)],
                             stdout=subprocess.PIPE)
    try:
        while named(name) < 50 and crowd.poll() is None:
            time.sleep(0.01)
        beside = {"another supervisor": bench.cli(["run", "-c", NEIGHBOUR]).stdout,
                  "another cell": bench.run({"code": NEIGHBOUR}).get("stdout")}
        still = named(name)
    finally:
        crowd.send_signal(signal.SIGINT)
        result = json.loads(crowd.communicate(timeout=30)[0])
    assert result.get("outcome") == "cancelled", result
    assert still >= 50, "the crowd had gone before its neighbours were done"
    for where, words in beside.items():
        assert words == "well\n", f"in {where} a program could not fork beside a crowd: {words}"


def run(bench):
    held = bench.run({"code": ""})["layers"]["limits"]["processes"].startswith("cgroup")
    # Without a counter of refused forks the limit still holds, but may not be told as the reason.
    ended = ("processes",) if held else ("processes", "timeout", "exception", "exit")
    problems = []
    for attempt in (lambda: stand_beside_a_crowd(bench),
                    lambda: explode(bench, {"code": THREAD_BOMB}, ended),
                    lambda: explode(bench, {"code": EXECUTING_BOMB, "lang": "bash"}, ended),
                    lambda: explode(bench, {"code": FORK_BOMB}, ended)):
        try:
            attempt()
        except AssertionError as problem:
            problems.append(str(problem))
    assert not problems, "; ".join(problems)
