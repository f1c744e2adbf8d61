"""Files of a request are named so that they would land outside the workspace, on top of each
other, or in numbers and sizes that hurt; files to fetch are named so that they would be the host's.

Each such request is refused whole, before anything runs, and the next one is served.
"""
import base64
import json
import os
import tempfile

ROW = 8
SAYS = "a request with one bad path or too much in it is refused whole"
HELDBY = []
GOOD = base64.b64encode(b"good").decode()
NAMES = ("../up", "a/../../up", "/etc/planted", "/workspace/x", "..", ".", "./x", "a/./b", "a//b",
         "a/", "", "nul\0byte", "new\nline", "esc\x1b[2J", "bidi\u202e.txt", "isolate\u2066x",
         "\x7f", "/".join("d" * 33), "n" * 256, "p/" * 600 + "x")


def hostile_requests(host):
    """Pairs of what it is and a request line, or a request."""
    code = {"code": "print('ran')"}
    for name in NAMES:
        yield f"upload {name[:20]!r}", {**code, "files": {"good": GOOD, name: GOOD}}
        yield f"fetch {name[:20]!r}", {**code, "fetch": ["good", name]}
    yield "fetch canary", {**code, "fetch": [str(host.canary)]}
    yield "fetch twice", {**code, "fetch": ["a", "a"]}
    yield "file on the way", {**code, "files": {"a": GOOD, "a/b": GOOD}}
    yield "file on the way, later", {**code, "files": {"a/b/c": GOOD, "a/b": GOOD}}
    yield "not base64", {**code, "files": {"a": "%%%"}}
    yield "not text", {**code, "files": {"a": {"link": "/etc/passwd"}}}
    yield "too many", {**code, "files": {f"f{i}": "" for i in range(1001)}}
    yield "bomb", {**code, "workspace": "1M",
                   "files": {"a": base64.b64encode(bytes(2 << 20)).decode()}}
    for folder in ("etc", "/", "/etc/../etc", "/etc/", "//etc", "/proc/self/root/etc", "nul\0byte"):
        yield f"host folder {folder!r}", {**code, "vaults": [{"host": folder, "mode": "ro"}]}


def run(bench):
    refusals = {what: bench.run(request) for what, request in hostile_requests(bench.host)}
    lines = bench.start_jsonl()
    lines.send('{"code":"print(1)","files":{"a":"%s","a":"%s"}}' % (GOOD, GOOD))
    refusals["duplicate"] = lines.unclaimed.get(timeout=30)
    lines.send('{"code":"print(1)","files":{"\\ud800":""}}')
    refusals["half a surrogate"] = lines.unclaimed.get(timeout=30)
    honest = lines.run({"code": "import os, json; print(json.dumps(sorted(os.listdir())))",
                        "files": {"d/e/f": GOOD, "g": GOOD}})
    assert lines.close() == 0
    return refusals, honest


def check(refusals, honest, host):
    for what, answer in refusals.items():
        assert "outcome" not in answer, (what, json.dumps(answer)[:300])
        assert answer["error"]["kind"] == "invalid", (what, answer["error"])
    assert honest["outcome"] == "ok", honest
    assert json.loads(honest["stdout"]) == ["d", "g"], honest["stdout"]
    assert not os.path.exists("/etc/planted")
    assert host.canary_text not in str(refusals)


def control():
    """Outside, such a name leads out of the folder it is joined to."""
    folder = tempfile.mkdtemp()
    with open(os.path.join(folder, "../" + os.path.basename(folder) + "-up"), "w",
              encoding="utf-8") as file:
        file.write("out")
    assert os.path.exists(folder + "-up")
    os.unlink(folder + "-up")
    os.rmdir(folder)
