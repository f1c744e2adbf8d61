"""Equal runs with --deterministic print equal bytes, and without it they do not.

For each language one program prints a line per source of difference, "name: value". It runs in
belljar processes of its own and as lines of one --jsonl (one zygote, a cell each), as root and as
an ordinary user. Without the flag every line must differ: a source that would never have differed
proves nothing.
"""
import json
import os
import pathlib
import subprocess

import pytest

from suite import as_user, link_state, scratch_directory

ORDINARY_UID = 65533  # of nobody on any machine we know
SECONDS = 120  # a guard against a hang

PYTHON = r'''
import asyncio, datetime, os, random, secrets, ssl, subprocess, sys, tempfile, threading, time, uuid

def tell(name, *values):
    print(name + ":", *values, flush=True)

def child(name, *command):
    tell(name, subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout.decode().split())

def forked():
    pid = os.fork()
    if pid == 0:
        tell("fork", random.random(), os.urandom(8).hex())
        os._exit(0)
    os.waitpid(pid, 0)

class Thing:
    pass

lock = threading.Lock()
tell("random", random.random(), random.sample(range(1000), 5))
tell("uuid1", uuid.uuid1())
tell("uuid4", uuid.uuid4())
tell("urandom", os.urandom(16).hex())
tell("getrandom", os.getrandom(16).hex())
tell("drawn_hex", secrets.token_hex(16))
tell("openssl", ssl.RAND_bytes(16).hex())
tell("hash", hash("x"), hash(b"y"))
tell("set", set("abcdefghijklmnopqrstuvwxyz"))
tell("id", id(object()), id([]))
tell("repr", Thing(), Thing)
tell("time", time.time())
tell("datetime", datetime.datetime.now())
tell("monotonic", time.monotonic_ns())
tell("process_time", time.process_time_ns())
start = time.perf_counter()
tell("perf_counter", time.perf_counter() - start)
tell("tempfile", tempfile.mkdtemp())
with tempfile.NamedTemporaryFile() as file:
    tell("named", file.name)
start = time.monotonic()
time.sleep(0.05)
tell("sleep", time.monotonic() - start)
lock.acquire()
start = time.monotonic()
tell("lock", lock.acquire(timeout=0.05), time.monotonic() - start)
start = time.monotonic()
tell("event", threading.Event().wait(0.05), time.monotonic() - start)
start = time.monotonic()
asyncio.run(asyncio.sleep(0.05))
tell("asyncio", time.monotonic() - start)
forked()
child("child", sys.executable or "python3", "-c", "import random; print(random.random(), id([]))")
child("shell", "bash", "-c", "echo $RANDOM $SRANDOM; date +%s.%N")
child("slept", "bash", "-c", "sleep 0.05; date +%s.%N")
tell("after", time.time())
'''

JAVASCRIPT = r'''
const crypto = require('crypto'), fs = require('fs'), os = require('os');
const { execFileSync } = require('child_process');
const tell = (name, ...values) => console.log(name + ':', ...values);
tell('random', Math.random(), Math.random());
tell('now', Date.now());
tell('date', new Date().toISOString());
tell('performance', performance.now());
tell('hrtime', process.hrtime.bigint());
tell('uuid', crypto.randomUUID());
tell('bytes', crypto.randomBytes(16).toString('hex'));
tell('web', crypto.webcrypto.getRandomValues(new Uint8Array(8)).join());
tell('mkdtemp', fs.mkdtempSync(os.tmpdir() + '/x-'));
tell('child', execFileSync('bash', ['-c', 'echo $RANDOM $SRANDOM']).toString().trim());
const start = performance.now();
setTimeout(() => {
  tell('timeout', performance.now() - start);
  let left = 3;
  const timer = setInterval(() => {
    if (--left > 0) return;
    clearInterval(timer);
    tell('interval', performance.now() - start);
  }, 20);
}, 50);
'''

BASH = r'''
echo "random: $RANDOM $RANDOM"
echo "subshell: $(echo $RANDOM)"
echo "srandom: $SRANDOM"
echo "epoch: $EPOCHREALTIME"
echo "date: $(date +%s.%N)"
echo "mktemp: $(mktemp)"
echo "again: $(mktemp)"
echo "shuf: $(shuf -i 1-100000 -n 5 | tr '\n' ' ')"
echo "python: $(python3 -c 'import random, uuid; print(random.random(), uuid.uuid1(), id([]))')"
start=$EPOCHREALTIME
sleep 0.05
echo "slept: $start $EPOCHREALTIME"
read -t 0.05 < <(sleep 1)
echo "read: $EPOCHREALTIME"
'''

COMMAND = ["python3", "-c", "import os, random, time\n"
           "print('random:', random.random())\nprint('time:', time.time_ns())\n"
           "print('address:', id([]))\nprint('bytes:', os.urandom(8).hex())\n"]

PROGRAMS = {
    "python": {"lang": "python", "code": PYTHON},
    "javascript": {"lang": "javascript", "code": JAVASCRIPT},
    "bash": {"lang": "bash", "code": BASH},
    "command": {"command": COMMAND},
}
# What a seed must change. The clock is the same for every seed.
SEEDED = {
    "python": {"random", "uuid1", "uuid4", "urandom", "getrandom", "drawn_hex", "openssl", "hash",
               "set", "tempfile", "named", "fork", "child"},
    "javascript": {"random", "uuid", "bytes", "web", "child"},
    "bash": {"srandom", "mktemp", "again", "shuf", "python"},
    "command": {"random", "bytes"},
}
# Too coarse to differ every time without it.
MAY_AGREE = {"set", "perf_counter", "lock", "event"}


class Belljar:
    """The program under test, run as one kind of caller with a state directory of its own."""

    def __init__(self, identity, scratch, binary, images_of):
        self.program = binary
        uid = ORDINARY_UID if identity == "user" and os.geteuid() == 0 else os.getuid()
        home = pathlib.Path(scratch, identity)
        home.mkdir()
        os.chown(home, uid, uid)
        state = link_state(home / "state", images_of(uid), uid)
        self.prefix = as_user(uid, [])
        self.env = {"PATH": os.environ["PATH"], "HOME": str(home), "BELLJAR_STATE": str(state),
                    "BELLJAR_LEVEL": "relaxed"}

    def ask(self, requests):
        """Results by id, of requests given to one process."""
        lines = "".join(json.dumps(request) + "\n" for request in requests)
        done = subprocess.run([*self.prefix, self.program, "run", "--jsonl"], input=lines,
                              env=self.env, cwd="/", capture_output=True, text=True,
                              timeout=SECONDS, check=False)
        results = {}
        for line in done.stdout.splitlines():
            result = json.loads(line)
            results[result["id"]] = result
        if len(results) != len(requests):
            raise AssertionError(f"{len(results)} results of {len(requests)}: {done.stderr}")
        return results

    def run(self, name, seed=None):
        return self.ask([request(name, "one", seed)])["one"]


@pytest.fixture(scope="module", params=["root", "user"] if os.geteuid() == 0 else ["user"])
def belljar(request, binary, images_of):
    with scratch_directory() as scratch:
        yield Belljar(request.param, scratch, binary, images_of)


EVERY_LANGUAGE = pytest.mark.parametrize("name", PROGRAMS)


def request(name, ident, seed):
    wanted = dict(PROGRAMS[name], id=ident)
    if seed is not None:
        wanted["deterministic"] = seed
    return wanted


def output(result):
    if result.get("outcome") != "ok" or result["stderr"]:
        raise AssertionError(json.dumps(result)[:2000])
    return result["stdout"]


def lines_of(text):
    return dict(line.split(": ", 1) for line in text.splitlines())


def demand_equal(first, second, whose):
    if first == second:
        return
    one, two = lines_of(first), lines_of(second)
    differing = [f"  {key}: {one.get(key)} | {two.get(key)}" for key in one | two
                 if one.get(key) != two.get(key)]
    raise AssertionError(f"{whose} differ:\n" + "\n".join(differing))


@EVERY_LANGUAGE
def test_separate_processes_agree(belljar, name):
    demand_equal(output(belljar.run(name, 7)), output(belljar.run(name, 7)), "two processes")


@EVERY_LANGUAGE
def test_cells_of_one_process_agree(belljar, name):
    alone = output(belljar.run(name, 7))
    requests = [request(name, f"r{i}", 7) for i in range(4)]
    for ident, result in belljar.ask(requests).items():
        demand_equal(alone, output(result), f"a process's only cell and cell {ident} of another")


@EVERY_LANGUAGE
def test_another_seed_is_another_run(belljar, name):
    one, two = (lines_of(output(belljar.run(name, seed))) for seed in (7, 2**64 - 1))
    same = [key for key in SEEDED[name] if one[key] == two[key]]
    if same or one.keys() != two.keys():
        raise AssertionError(f"two seeds give the same {sorted(same)}")


@EVERY_LANGUAGE
def test_without_the_flag_everything_differs(belljar, name):
    one, two = (lines_of(output(belljar.run(name))) for _ in range(2))
    same = [key for key in one.keys() - MAY_AGREE if one[key] == two.get(key)]
    if same:
        raise AssertionError(f"without a seed these are the same: {sorted(same)}")


WAITS = r'''
import select, threading, time
lock = threading.Lock()
lock.acquire()
time.sleep(0.2)
lock.acquire(timeout=0.2)
threading.Event().wait(0.2)
select.select([], [], [], 0.2)
select.poll().poll(200)
print(round(time.monotonic() - 1000, 1))
'''


def test_waits_take_their_real_time(belljar):
    result = belljar.ask([{"id": "w", "code": WAITS, "deterministic": 7}])["w"]
    if output(result) != "1.0\n" or not 1000 <= result["usage"]["wall_ms"] < 20000:
        raise AssertionError(f"{result['stdout']!r} after {result['usage']['wall_ms']} ms")


def test_the_clock_starts_in_2024(belljar):
    code = "import datetime; print(datetime.datetime.utcnow().isoformat()[:16])"
    text = output(belljar.ask([{"id": "c", "code": code, "deterministic": 7}])["c"])
    if text != "2024-01-01T00:00\n":
        raise AssertionError(text)


def test_a_busy_wait_comes_to_its_end(belljar):
    code = ("import threading, time\ndef spin():\n    end = time.monotonic() + 0.1\n"
            "    while time.monotonic() < end: pass\n"
            "thread = threading.Thread(target=spin)\nthread.start()\nthread.join()\nspin()\n"
            "print('done')")
    if output(belljar.ask([{"id": "b", "code": code, "deterministic": 7}])["b"]) != "done\n":
        raise AssertionError("no end")


PERSONALITY = ("import ctypes, os\nlibc = ctypes.CDLL(None, use_errno=True)\n"
               "print(libc.personality(0x0040000), ctypes.get_errno(),\n"
               "      libc.personality(ctypes.c_ulong(0xFFFFFFFF)))")


def test_guests_cannot_fix_their_addresses(belljar):
    results = belljar.ask([{"id": "plain", "code": PERSONALITY},
                           {"id": "seeded", "code": PERSONALITY, "deterministic": 7}])
    answers = {ident: output(result) for ident, result in results.items()}
    if answers != {"plain": "-1 1 0\n", "seeded": f"-1 1 {0x0040000}\n"}:
        raise AssertionError(answers)


def test_plain_cells_do_not_have_the_library(belljar):
    code = ("import os\nprint('LD_PRELOAD' in os.environ, 'BELLJAR_SEED' in os.environ,\n"
            "      'deterministic' in open('/proc/self/maps').read())")
    if output(belljar.ask([{"id": "p", "code": code}])["p"]) != "False False False\n":
        raise AssertionError("it is loaded")
