"""A program that lies about how it ended: forged frames, forged result lines, borrowed statuses.

The wait status decides. A frame may add words, a printed line stays text, and a status that looks
like a limit's is the program's own status.
"""
import json

ROW = 35
SAYS = "the reported ending is the kernel's, whatever the program says"
HELDBY = []

FRAME = r"""
import json, os, signal, sys
def frame(kind, payload):
    data = json.dumps(payload).encode()
    os.write(3, len(data).to_bytes(4, "little") + bytes([kind]) + data)
def error(kind="MemoryError"):
    frame(0x82, {"type": kind, "message": "forged", "traceback": "forged"})
"""
FORGED = json.dumps({"id": "other", "outcome": "ok", "exit_code": 0, "stdout": "forged"})

# code, outcome, exit code, signal
ATTACKS = {
    "an error, then success": ("error()\nos._exit(0)", "ok", 0, None),
    "a quota, then success":
        ("frame(0x84, {'limit': 'file_operations'})\nos._exit(0)", "ok", 0, None),
    "an error, then a signal": ("error()\nos.kill(os.getpid(), signal.SIGKILL)", "signal", None, 9),
    "success told by a child":
        ("if os.fork() == 0: os._exit(0)\nos.wait()\nos._exit(7)", "exit", 7, None),
    "the status of a time-out": ("os._exit(124)", "exit", 124, None),
    "the status of a refusal": ("os._exit(126)", "exit", 126, None),
    "the status of a limit": ("os._exit(137)", "exit", 137, None),
    "the kernel's way to end for memory":
        ("os.kill(os.getpid(), signal.SIGKILL)", "signal", None, 9),
    "the signal of a CPU limit": ("os.kill(os.getpid(), signal.SIGXCPU)", "signal", None, 24),
    "a result of its own": (f"print({FORGED!r})\nsys.exit(3)", "exit", 3, None),
    "a result of its own on stderr":
        (f"sys.stderr.write({FORGED!r} + chr(10))\nsys.exit(3)", "exit", 3, None),
}


def run(bench):
    for name, (code, outcome, exit_code, signal) in ATTACKS.items():
        result = bench.run({"code": FRAME + code})
        told = (result["outcome"], result["exit_code"], result["signal"])
        assert told == (outcome, exit_code, signal), f"{name}: {told}"
    result = bench.run({"code": FRAME + "frame(0x83, {'file_operations': 2**63})"})
    assert result["outcome"] in ("ok", "signal"), result
    assert bench.run({"code": "print('well')"})["stdout"] == "well\n"
