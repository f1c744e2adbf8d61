"""Requests that are too large in every part, and programs that are large when they end.

Near a limit a request is served; above it, it is refused by an error that names the part, and the
same process serves the next. A program that ends with hundreds of megabytes costs the next nothing.
"""
import json

ROW = 45
SAYS = "oversized requests are refused by name, and the pool is unharmed"
HELDBY = []

MIB = 1 << 20
ARGUMENT = 128 * 1024 - 1
ECHO = "import os, sys\nprint(len(sys.argv), sum(map(len, sys.argv[1:])), len(os.environ))"

SERVED = {
    "source of 8 MiB": {"code": "print('well')\n#" + "x" * (8 * MIB - 15)},
    "source of one deep line": {"code": "print('well')\nx = " + "(" * 150 + "1" + ")" * 150},
    "arguments of 1 MiB": {"code": "print('well')", "args": ["x" * ARGUMENT] * 7},
    "1,000 arguments": {"code": "print('well')", "args": ["x"] * 1000},
    "1,000 variables": {"code": "print('well')", "env": {f"V{i}": "x" for i in range(1000)}},
    "a command of 1 MiB": {"command": ["bash", "-c", "echo well", *["x" * ARGUMENT] * 7]},
    "stdin of 16 MiB": {"code": "import sys\nassert len(sys.stdin.read()) == 1 << 24\n"
                                "print('well')",
                        "stdin": "x" * (16 * MIB)},
    "stdin that nobody reads": {"code": "print('well')", "stdin": "x" * (4 * MIB)},
    "a closed stdin": {"code": "import os\nos.close(0)\nprint('well')", "stdin": "x" * MIB},
}
REFUSED = {
    "source": {"code": "#" + "x" * (8 * MIB)},
    "one argument": {"code": ECHO, "args": ["x" * (ARGUMENT + 1)]},
    "many arguments": {"code": ECHO, "args": ["x"] * 1025},
    "arguments together": {"code": ECHO, "args": ["x" * ARGUMENT] * 9},
    "one variable": {"code": ECHO, "env": {"V": "x" * ARGUMENT}},
    "variables together": {"code": ECHO, "env": {f"V{i}": "x" * 120_000 for i in range(9)}},
    "a command": {"command": ["/bin/echo", *["x" * ARGUMENT] * 9]},
    "stdin": {"code": ECHO, "stdin": "x" * (64 * MIB + 1)},
    "a reason": {"code": ECHO, "reason": "x" * 5000},
    "a NUL in an argument": {"code": ECHO, "args": ["a\0b"]},
}
# Answered without an id, since none can be told from them, or none that is allowed.
MALFORMED = [
    json.dumps({"code": ECHO, "id": "x" * 257}), json.dumps({"code": "'\ud800'"}), "[]", "\0",
    '{"code":' + "[" * 100_000, "{" * 100_000, '{"code":' + "1" * 100_000 + "}",
    '{"code":"x","code":"y"}', '{"code":"x"} {"code":"y"}',
]


def run(bench):
    lines = bench.start_jsonl("--pool", "2")
    try:
        for name, request in SERVED.items():
            result = lines.run(request)
            assert result.get("stdout") == "well\n", f"{name}: {str(result)[:600]}"
        for name, request in REFUSED.items():
            result = lines.run(request)
            assert "outcome" not in result, f"{name} was accepted: {str(result)[:300]}"
            assert result["error"]["kind"] == "invalid", f"{name}: {result['error']}"
            assert len(result["error"]["message"]) < 2000, f"{name}: the error is as large"
        for text in MALFORMED:
            lines.send(text)
            answer = lines.unclaimed.get(timeout=30)
            assert answer["error"]["kind"] == "invalid", f"{text[:40]}: {str(answer)[:300]}"
        end_large(lines)
    finally:
        assert lines.close() == 0


def end_large(lines):
    large = {"code": "import os\nx = bytearray(300 << 20)\n"
                     "for i in range(0, len(x), 4096): x[i] = 1\n"
                     "print('large', flush=True)\nos._exit(0)"}
    result = lines.run(large)
    assert result["outcome"] == "ok" and result["stdout"] == "large\n", result
    after = lines.run({"code": "print('well')"})
    assert after["outcome"] == "ok", after
    assert after["usage"]["memory_peak_bytes"] < 100 << 20, after["usage"]
    assert after["usage"]["wall_ms"] < 2000, after["usage"]
    assert json.dumps(after).count("large") == 0
