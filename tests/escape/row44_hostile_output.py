"""Output without end, a caller that does not read, and bytes that would do something if shown.

A flood ends the run with what fits. A client of --jsonl that sends much and reads nothing makes the
supervisor wait, not grow. Escape sequences, NULs, carriage returns, marks of direction and bytes
that are no UTF-8 arrive as JSON strings: one line for a result, and no raw control byte in it.
"""
import json
import pathlib
import subprocess
import time

ROW = 44
SAYS = "output is cut at its limit, waits for its reader, and cannot break out of its string"
HELDBY = []

FLOODS = {
    "lines": "while True: print('y')",
    "one line": "import sys\nwhile True: sys.stdout.write('y' * 65536)",
    "on stderr": "import os\nwhile True: os.write(2, b'y' * 65536)",
    "by children": "import os\nfor _ in range(4): os.fork()\n"
                   "while True: os.write(1, b'y\\n' * 999)",
    "on both": "import os\nwhile True:\n    os.write(1, b'y' * 9999)\n    os.write(2, b'z\\n' * 9)",
}
NASTY = (b"\x1b]0;title\x07\x1b[2J\x1b[31m\x9b31m\r\x00\x08\x7f"
         + "\u202e\u2066\u200f\u2028".encode()
         + b"\xff\xfe\xc0\x80\xed\xa0\x80\xf4\x90\x80\x80\xe2\x80" + b'"\\\n{"id":"forged"}\n')
PRINT_NASTY = (f"import os\nbytes = {NASTY!r}\nos.write(1, bytes)\nos.write(2, bytes)\n"
               "raise ValueError(bytes.decode('latin-1'))")


def run(bench):
    flood(bench)
    refuse_to_read(bench)
    print_nasty_bytes(bench)


def flood(bench):
    for name, code in FLOODS.items():
        result = bench.run({"code": code, "timeout": 10})
        assert result.get("outcome") == "output", f"{name}: {str(result)[:500]}"
        text = result["stdout"] + result["stderr"]
        assert len(text) <= 1 << 20, f"{name}: {len(text)} bytes"
        assert text.count("\n") <= 1000, f"{name}: {text.count(chr(10))} lines"
        assert any(result["truncated"].values()), f"{name}: not told to be cut"


def refuse_to_read(bench):
    count = 40
    requests = "".join(json.dumps({"id": str(i), "code": "print('y' * 1000000)"}) + "\n"
                       for i in range(count))
    client = bench.host.start(["run", "--jsonl", "--jobs", "2", "--pool", "1"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        client.stdin.write(requests)
        client.stdin.close()
        time.sleep(1.5)  # this client has better things to do than to read
        assert client.poll() is None, "it ended without being read"
        held = resident_bytes(client.pid)
        assert held < 128 << 20, f"it holds {held >> 20} MiB for a client that does not read"
        answers = [json.loads(line) for line in client.stdout]
        assert sorted(int(answer["id"]) for answer in answers) == list(range(count))
        assert all(answer["outcome"] == "ok" for answer in answers)
        assert client.wait(30) == 0
    finally:
        client.kill()
        client.wait()


def resident_bytes(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) << 10
    return 0


def print_nasty_bytes(bench):
    client = bench.host.start(["run", "--jsonl"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    out, _ = client.communicate(json.dumps({"id": "n", "code": PRINT_NASTY}).encode(), timeout=60)
    assert out.count(b"\n") == 1 and out.endswith(b"\n"), out
    controls = sorted({byte for byte in out[:-1] if byte < 0x20})
    assert controls == [], f"raw control bytes {controls} in the result's line"
    result = json.loads(out.decode("utf-8", "strict"))
    assert result["id"] == "n" and result["outcome"] == "exception", result
    assert "\ufffd" in result["stdout"] and result["replaced"]["stdout"] > 0, result
    assert "\x00" in result["stdout"] and '{"id":"forged"}' in result["stdout"]
    assert result["error"]["type"] == "ValueError", result["error"]
