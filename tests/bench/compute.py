"""A pure Python loop inside a cell and outside, by the same interpreter, in turn."""
import subprocess

from . import peer
from .stats import summarise
from .table import judged

# About half a second of dictionaries, integers and calls; tells wall and CPU seconds.
LOOP = """
import time
def step(n, seen):
    seen[n & 1023] = n
    return (n * 1103515245 + 12345) & 0x7fffffff
def loop(count):
    seen, n = {}, 1
    for _ in range(count):
        n = step(n, seen)
loop(100000)
wall, cpu = time.perf_counter(), time.process_time()
loop(%d)
print(time.perf_counter() - wall, time.process_time() - cpu)
"""


def seconds(argv, setup):
    done = subprocess.run(argv, env=setup.env, stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=60, check=False)
    if done.returncode != 0:
        raise peer.BenchError("%s: %s" % (argv[0], done.stderr.decode(errors="replace")[:200]))
    return tuple(float(word) for word in done.stdout.split())


def bound(setup):
    code = LOOP % 2_500_000
    inside, outside = [], []
    for _ in range(setup.pick(15, 5)):
        outside.append(seconds([peer.PYTHON, "-I", "-S", "-c", code], setup))
        inside.append(seconds([setup.binary, "run", "-c", code], setup))
    # The least disturbed run of each: neighbours on the machine make the same loop 10 % slower or
    # faster from one second to the next.
    wall = [min(pair[0] for pair in runs) for runs in (inside, outside)]
    cpu = [min(pair[1] for pair in runs) for runs in (inside, outside)]
    detail = "%.3f s inside, %.3f s outside; by CPU time %.3f" % (*wall, cpu[1] / cpu[0])
    return [judged("cpu", wall[1] / wall[0], detail)], {
        "inside_wall_s": summarise([pair[0] for pair in inside]),
        "outside_wall_s": summarise([pair[0] for pair in outside]),
        "inside_cpu_s": summarise([pair[1] for pair in inside]),
        "outside_cpu_s": summarise([pair[1] for pair in outside])}
