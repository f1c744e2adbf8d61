"""The daemon, over its Unix socket: latency, sessions, many clients, checkpoints."""
import atexit
import functools
import json
import os
import selectors
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from . import latency, peer
from .stats import median, summarise
from .table import judged, told

START_SECONDS = 60
CLIENTS = 256


class Line:
    """One connection that is kept open. As lean as the client of the other side of each ratio."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.got = b""

    @staticmethod
    def bytes_of(method, path, body):
        data = b"" if body is None else json.dumps(body).encode()
        return b"%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (
            method.encode(), path.encode(), len(data), data)

    def feed(self, data):
        """Status and body once they are whole, else None."""
        self.got += data
        head, mark, rest = self.got.partition(b"\r\n\r\n")
        if not mark:
            return None
        size = int(head.lower().partition(b"content-length:")[2].split()[0])
        if len(rest) < size:
            return None
        self.got = rest[size:]
        return int(head.split(None, 2)[1]), rest[:size]

    def ask(self, method, path, body=None):
        return self.exchange(self.bytes_of(method, path, body))

    def exchange(self, request):
        self.socket.sendall(request)
        while True:
            data = self.socket.recv(1 << 16)
            if not data:
                raise peer.BenchError("the daemon hung up on %r" % request[:100])
            answer = self.feed(data)
            if answer is not None:
                return answer

    def json(self, method, path, body=None):
        return self.timed(method, path, body)[1]

    def timed(self, method, path, body=None):
        """Nanoseconds from the first byte sent to the last one received, and the answer."""
        request = self.bytes_of(method, path, body)
        start = time.perf_counter_ns()
        status, answer = self.exchange(request)
        taken = time.perf_counter_ns() - start
        if status != 200:
            raise peer.BenchError("%s %s was answered %d: %s" % (method, path, status, answer[:200]))
        return taken, json.loads(answer)

    def close(self):
        self.socket.close()


@functools.cache
def place():
    """Where daemons have their directories, until the end of all.

    Whenever a file is made, ext4 without a journal passes by all that was deleted from the same
    part of the disk in the last minutes, one by one. So nothing is removed between the parts, and
    each daemon is on a part of its own, as it would be in /var/lib and not among temporary files.
    """
    path = tempfile.mkdtemp(prefix="belljar-bench-")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    if shutil.which("chattr"):  # on other file systems there is no such flag, and no need
        subprocess.run(["chattr", "+T", path], stderr=subprocess.DEVNULL, check=False)
    return path


class Daemon:
    def __init__(self, setup, *flags):
        self.directory = tempfile.mkdtemp(dir=place())
        self.path = os.path.join(self.directory, "sock")
        state = os.path.join(self.directory, "state")
        os.mkdir(state, 0o700)
        os.symlink(os.path.join(setup.state, "images"), os.path.join(state, "images"))
        argv = [setup.binary, "serve", "--state", state, "--listen", "unix:" + self.path, *flags]
        self.process = subprocess.Popen(argv, env=setup.env, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)

    def __enter__(self):
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                line = Line(self.path)
                line.ask("GET", "/healthz")
                return line
            except OSError:
                time.sleep(0.02)
        raise peer.BenchError("belljar serve did not start")

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(120)

    def line(self):
        return Line(self.path)


def run(line):
    ns, answer = line.timed("POST", "/v1/runs", {"code": peer.SNIPPET})
    if answer["stdout"] != "4950\n":
        raise peer.BenchError("the daemon answered %r" % answer)
    return ns


def fresh(setup):
    """A fresh cell over HTTP and by --jsonl, in turn."""
    request, http_ns, bare_ns = peer.request(), [], []
    with Daemon(setup) as line, peer.Belljar(setup, "--pool", "8") as bare:
        for _ in range(8):
            run(line), bare.timed(request)
        bare.settle()
        for _ in range(setup.pick(600, 150)):
            latency.rest()
            http_ns.append(run(line))
            latency.rest()
            bare_ns.append(bare.timed(request))
    http, cell = summarise(http_ns), summarise(bare_ns)
    return [judged("http_p50", *latency.ratio(http, cell, "p50"))], {
        "http_ns": http, "cell_ns": cell}


def statement(setup):
    count = setup.pick(400, 100)
    with Daemon(setup) as line:
        runs = "/v1/sessions/%s/runs" % line.json("POST", "/v1/sessions", {})["id"]
        line.json("POST", runs, {"code": "x = 1"})
        mine = summarise([line.timed("POST", runs, {"code": "x = x + 1"})[0] for _ in range(count)])
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "kernel_peer.py")
    done = subprocess.run([peer.PYTHON, script, str(count)], capture_output=True, timeout=120,
                          check=False)
    if done.returncode != 0:
        raise peer.BenchError("ipykernel: " + done.stderr.decode(errors="replace").strip()[-200:])
    theirs = summarise(json.loads(done.stdout))
    detail = "%.0f us / %.0f us" % (theirs["p50"] / 1e3, mine["p50"] / 1e3)
    return [judged("statement", theirs["p50"] / mine["p50"], detail)], {
        "session_ns": mine, "ipykernel_ns": theirs}


def throng(daemon, clients, count):
    """Runs per second of `clients` at once, and how many were not answered as they should be."""
    data = Line.bytes_of("POST", "/v1/runs", {"code": peer.SNIPPET})
    lines = [daemon.line() for _ in range(clients)]
    selector, sent, done, errors = selectors.DefaultSelector(), 0, 0, 0
    start = time.monotonic()
    for line in lines:
        selector.register(line.socket, selectors.EVENT_READ, line)
        line.socket.sendall(data)
        sent += 1
    while done < sent:
        for key, _ in selector.select(60):
            answer = key.data.feed(key.fileobj.recv(1 << 16))
            if answer is None:
                continue
            done += 1
            errors += answer[0] != 200 or b'"4950\\n"' not in answer[1]
            if sent < count:
                key.fileobj.sendall(data)
                sent += 1
    seconds = time.monotonic() - start
    for line in lines:
        line.close()
    return done / seconds, errors


def crowd(setup):
    """256 clients at once against --jsonl, and with the log against without it."""
    count, request = setup.pick(2500, 600), peer.request()
    audited, plain, jsonl, errors = [], [], [], 0
    daemon, unrecorded = Daemon(setup), Daemon(setup, "--no-audit")
    with daemon, unrecorded, peer.Belljar(setup) as bare:
        bare.timed(request)
        for _ in range(setup.pick(3, 1)):
            bare.settle()
            start = time.monotonic()
            bare.burst(request, count)
            jsonl.append(count / (time.monotonic() - start))
            rate, bad = throng(daemon, CLIENTS, count)
            audited.append(rate)
            errors += bad
            plain.append(throng(unrecorded, CLIENTS, count)[0])
    rate, off, base = median(audited), median(plain), median(jsonl)
    return [judged("crowd_errors", errors, "%d runs" % (count * len(audited))),
            judged("crowd_rate", rate / base, "%.0f/s / %.0f/s" % (rate, base)),
            judged("audit_cost", rate / off, "%.0f/s / %.0f/s" % (rate, off))], {
                "http_per_second": audited, "unrecorded_per_second": plain,
                "jsonl_per_second": jsonl, "errors": errors}


def many_sessions(setup):
    wanted, made = setup.pick(5000, 200), 0
    with Daemon(setup) as line:
        first = line.json("POST", "/v1/sessions", {})["id"]
        line.json("POST", "/v1/sessions/%s/runs" % first, {"code": "x = 41"})
        while made < wanted and setup.seconds_left() > 30:
            if line.ask("POST", "/v1/sessions", {})[0] != 200:
                break
            made += 1
        answer = line.json("POST", "/v1/sessions/%s/runs" % first, {"code": "x + 1"})
    if answer["results"][0]["text/plain"] != "42":
        raise peer.BenchError("the first session has lost its state")
    return [judged("live_sessions", made + 1, "asked for %d" % (wanted + 1))], {"made": made + 1}


def turns(line, session, change, count):
    """Milliseconds of checkpoint and rollback together, after each time that `change` has run."""
    taken = []
    for _ in range(count):
        line.json("POST", session + "/runs", {"code": change})
        save, made = line.timed("POST", session + "/checkpoints", {})
        back, _ = line.timed("POST", session + "/rollback", {"checkpoint": made["id"]})
        line.json("DELETE", session + "/checkpoints/" + made["id"])
        taken.append((save + back) / 1e6)
    return taken


def checkpoints(setup):
    fork_ms = []
    with Daemon(setup) as line:
        session = "/v1/sessions/" + line.json("POST", "/v1/sessions", {})["id"]
        first = turns(line, session, "import os\nbig = bytearray(os.urandom(1 << 20)) * 100", 1)
        few = turns(line, session, "big[:1 << 20] = os.urandom(1 << 20)", setup.pick(15, 5))
        every = turns(line, session, "big[::4096] = big[1::4096]", setup.pick(7, 3))
        small = "/v1/sessions/" + line.json("POST", "/v1/sessions", {})["id"]
        line.json("POST", small + "/runs", {"code": "import json, re\nx = [1, 2, 3]"})
        for _ in range(setup.pick(7, 3)):
            time.sleep(0.7)  # the pool fills again
            ns, forked = line.timed("POST", small + "/fork", {"count": 50})
            fork_ms.append(ns / 1e6)
            for branch in forked["sessions"]:
                line.json("DELETE", "/v1/sessions/" + branch["id"])
    return [judged("checkpoint", median(few), "p50 of %d, 1 MiB changed before each" % len(few)),
            told("same, the session's first", "%.0f ms" % first[0]),
            told("same, every page changed", "%.0f ms, p50 of %d" % (median(every), len(every))),
            judged("fork", median(fork_ms), "p50 of %d" % len(fork_ms)),
            told("same, slowest", "%.0f ms" % max(fork_ms))], {
                "checkpoint_and_rollback_ms": {"first": first, "few": few, "every": every},
                "fork_50_ms": fork_ms}
