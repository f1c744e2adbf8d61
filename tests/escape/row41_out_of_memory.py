"""The kernel ends one process of many for memory: a child, or the only innocent one.

The whole run is over then, and its outcome is memory, also when the parent would have gone on as if
nothing had happened, or hides the child's end behind a good exit status.
"""
ROW = 41
SAYS = "when the kernel ends any process of a cell for memory, the run ends as memory"
HELDBY = []

EATER = r"""
import os, sys, time
def eat():
    # No more than half a gigabyte, so that it is harmless where a wall is switched off.
    blocks = [b"x" * (4 << 20) for _ in range(128)]
    time.sleep(20)
"""
PROGRAMS = {
    "a parent that goes on": EATER + "if os.fork() == 0: eat()\ntime.sleep(20)\nprint('survived')",
    "a parent that hides it": EATER + "if os.fork() == 0: eat()\nos.wait()\nos._exit(0)",
    "a parent that tries again": EATER + """
while True:
    if os.fork() == 0: eat()
    os.wait()
""",
    "a grandchild in another session": EATER + """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: eat()
    os._exit(0)
os.wait()
time.sleep(20)
print('survived')
""",
}


def run(bench):
    for name, code in PROGRAMS.items():
        result = bench.run({"code": code, "memory": "64M", "timeout": 4})
        if result["layers"]["limits"]["memory"].startswith("cgroup"):
            assert result["outcome"] == "memory", f"{name}: {result}"
            assert result["usage"]["wall_ms"] < 3500, f"{name}: {result['usage']}"
        else:
            # Each process is refused more by its own limit; the kernel ends nobody.
            assert result["outcome"] in ("memory", "timeout", "ok"), f"{name}: {result}"
            assert result["usage"]["memory_peak_bytes"] < 3 * (64 << 20), result["usage"]
        assert "survived" not in result["stdout"], name
    assert bench.run({"code": "print('well')"})["stdout"] == "well\n"
