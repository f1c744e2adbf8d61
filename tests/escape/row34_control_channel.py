"""Garbage, floods and descriptors on the control stream, which the program owns.

Whatever is written to descriptor 3, the cell is ended or judged as if nothing had been said; it is
over at once or in its time; an honest request after each is served; and the supervisor ends with
no more descriptors than it had, although thousands were sent to it.
"""
import os
import time

ROW = 34
SAYS = "nothing said on the control stream harms the supervisor or another run"
HELDBY = []

SEND_RIGHTS = r"""
import array, os, socket
stream = socket.socket(fileno=os.dup(3))
rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 200))]
header = (200000).to_bytes(4, "little") + b"\x82" + b" " * 300
sent = 0
while sent < len(header):
    try:
        sent += stream.sendmsg([header[sent:sent + 1]], rights)
    except OSError:  # too many are on their way; the supervisor will have thrown them away soon
        os.sched_yield()
"""

ATTACKS = {
    "garbage": ("import os\nos.write(3, os.urandom(4096))\nwhile True: pass", "signal"),
    "a length of four gigabytes":
        ("import os\nos.write(3, b'\\xff\\xff\\xff\\xff\\x82')\nwhile True: pass", "signal"),
    "a frame of the supervisor's":
        ("import os\nos.write(3, b'\\2\\0\\0\\0\\1{}')\nwhile True: pass", "signal"),
    "a second hello":
        ("import os\np = b'{\"v\":1,\"guest\":\"x\"}'\n"
         "os.write(3, len(p).to_bytes(4, 'little') + b'\\x81' + p)\nwhile True: pass", "signal"),
    "deep nesting":
        ("import os\np = b'{\"type\":' + b'[' * 100000\n"
         "os.write(3, len(p).to_bytes(4, 'little') + b'\\x82' + p)\nwhile True: pass", "signal"),
    "a flood":
        ("import os\nos.set_blocking(3, True)\nwhile True: os.write(3, b'\\0' * 65536)", "signal"),
    "a frame without end":
        ("import os\nos.write(3, b'\\0\\0\\2\\0\\x82' + b'{\"type\":')\nos._exit(0)", "ok"),
    "a closed stream": ("import os\nos.close(3)\nprint('on')", "ok"),
    "a stream shut down":
        ("import os, socket\nsocket.socket(fileno=os.dup(3)).shutdown(socket.SHUT_RDWR)\n"
         "print('on')", "ok"),
    "descriptors": (SEND_RIGHTS + "os._exit(0)", "ok"),
    "descriptors, then garbage": (SEND_RIGHTS + "os.write(3, b'x' * 200000)\nwhile True: pass",
                                  "signal"),
}


A_FEW_CELLS = 60  # descriptors of cells being made or taken apart; 200 came with each message


def descriptors(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def honest(lines):
    result = lines.run({"code": "print('well')"})
    assert result["outcome"] == "ok" and result["stdout"] == "well\n", result


def settled(pid, most):
    """Used cells are taken apart, and new ones put ready, while nobody waits."""
    deadline = time.monotonic() + 5
    while descriptors(pid) > most and time.monotonic() < deadline:
        time.sleep(0.02)
    return descriptors(pid)


def run(bench):
    lines = bench.start_jsonl("--pool", "1")
    try:
        honest(lines)
        before = descriptors(lines.process.pid)
        for name, (code, outcome) in ATTACKS.items():
            result = lines.run({"code": code, "timeout": 5})
            assert result.get("outcome") == outcome, f"{name}: {result}"
            assert result["usage"]["wall_ms"] < 2500, f"{name} took {result['usage']['wall_ms']} ms"
            honest(lines)
        after = settled(lines.process.pid, before + A_FEW_CELLS)
        assert after <= before + A_FEW_CELLS, f"{before} descriptors before, {after} after"
    finally:
        lines.close()
