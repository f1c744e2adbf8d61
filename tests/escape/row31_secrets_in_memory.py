"""What a zygote inherited: its memory, environment and descriptors searched for secrets.

The supervisor holds canaries: in its environment, on its command line, in an earlier request's
code, input, arguments and environment. The attacker, in a later cell of the same process, reads
every page it can map, its environment, its command line and the names of its descriptors. It must
find the one canary that was given to it, which shows that it can look, and none of the others.
"""
import json
import secrets
import subprocess

ROW = 31
SAYS = "no secret of the supervisor or of another request is in a cell's memory"
HELDBY = []

SEARCH = r"""
import json, os, re

# Written so that the pattern does not match its own text.
CANARY = re.compile(b"bj" b"canary" b"[0-9a-f]{32}")
found, searched = {}, 0


def look(where, data):
    for match in CANARY.findall(data):
        found.setdefault(match.decode(), where)


with open("/proc/self/maps") as maps:
    regions = [line.split(None, 5) for line in maps]
memory = os.open("/proc/self/mem", os.O_RDONLY)
for region in regions:
    start, end = (int(part, 16) for part in region[0].split("-"))
    if "r" not in region[1] or "[v" in region[-1]:
        continue
    for at in range(start, end, 1 << 20):
        try:
            data = os.pread(memory, min((1 << 20) + 64, end - at), at)
        except OSError:
            continue
        searched += len(data)
        look("memory " + region[-1].strip(), data)
for name in ("environ", "cmdline", "auxv", "comm"):
    with open("/proc/self/" + name, "rb") as stream:
        look(name, stream.read())
descriptors = {}
for fd in range(0, 1024):
    try:
        descriptors[fd] = os.readlink(f"/proc/self/fd/{fd}").split(":")[0]
    except OSError:
        continue
print(json.dumps({"found": found, "searched": searched, "descriptors": descriptors}))
"""


def canary():
    return "bj" + "canary" + secrets.token_hex(16)


def run(bench):
    names = ("environment", "command line", "code", "stdin", "argument", "variable", "file name")
    held = {name: canary() for name in names}
    own = canary()
    victim = {"id": "victim", "code": f"secret = '{held['code']}'\nimport sys\nsys.stdin.read()",
              "stdin": held["stdin"], "args": [held["argument"]],
              "env": {"SECRET": held["variable"]}, "files": {held["file name"]: ""}}
    attack = {"code": SEARCH, "env": {"MINE": own}}
    requests = [victim, dict(victim, id="victim 2"), dict(attack, id="first"),
                dict(attack, id="second"), dict(attack, id="other zygote", deterministic=1)]
    results = answers(bench, held, requests)
    assert results["victim"]["outcome"] == "ok", results["victim"]
    for name in ("first", "second", "other zygote"):
        judge(results[name], held, own)


def answers(bench, held, requests):
    """The results by id, of one process that has two secrets of its own."""
    command = bench.host.command(["run", "--jsonl", "--jobs", "1", "--reason",
                                  held["command line"]])
    at = command.index("-i") + 1
    command.insert(at, f"SECRET={held['environment']}")
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    done = subprocess.run(command, input=lines, stdout=subprocess.PIPE, text=True, cwd="/",
                          timeout=60, check=True)
    return {result["id"]: result for result in map(json.loads, done.stdout.splitlines())}


def judge(result, held, own):
    assert result["outcome"] == "ok", result
    seen = json.loads(result["stdout"])
    assert own in seen["found"], "the search does not even find what it was given"
    assert seen["searched"] > 4 << 20, f"only {seen['searched']} bytes were searched"
    for name, secret in held.items():
        assert secret not in seen["found"], f"{name}: in {seen['found'][secret]}"
    # 0 to 3, and the one that is open on /proc/self/mem.
    kinds = [kind for kind in seen["descriptors"].values() if "/proc/" not in kind]
    assert sorted(kinds) == ["pipe", "pipe", "pipe", "socket"], seen["descriptors"]
