"""A request through the broker, from inside of a cell, and the same one direct, in turn."""
import http.server
import json
import os
import subprocess
import tempfile
import threading

from . import peer
from .service import Daemon
from .stats import median, summarise
from .table import judged, told

BODY = b"x" * 1024
# Defined once on each side; what differs is only where the requests go to.
CLIENT = """
import http.client, json, time, urllib.request
kept = http.client.HTTPConnection(HOST, PORT)
def by_kept():
    kept.request("GET", TARGET, headers={"Host": NAME})
    return kept.getresponse().read()
def by_urllib():
    return urllib.request.urlopen("http://" + NAME + "/").read()
def batch(way, count):
    taken = []
    for _ in range(count):
        start = time.perf_counter_ns()
        body = way()
        taken.append(time.perf_counter_ns() - start)
        assert len(body) == 1024, body
    print(json.dumps(taken), flush=True)
"""


class Page(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1  # head and body in one write

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *_):
        pass


class Direct:
    """The same client outside of a cell."""

    def __init__(self, code):
        loop = code + "\nimport sys\nfor line in sys.stdin:\n    exec(line)\n"
        self.process = subprocess.Popen([peer.PYTHON, "-I", "-S", "-c", loop], text=True, env={},
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def run(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(20)


def client_code(host, port, target, name):
    return "HOST, PORT, TARGET, NAME = %r, %d, %r, %r\n" % (host, port, target, name) + CLIENT


def run_in(line, session, code):
    _, answer = line.timed("POST", "/v1/sessions/%s/runs" % session, {"code": code, "timeout": 30})
    if answer["outcome"] != "ok":
        raise peer.BenchError("the cell's client ended as %s: %s" % (answer["outcome"],
                                                                     answer["stderr"][-300:]))
    return answer["stdout"]


def policy_for(folder, name):
    path = os.path.join(folder, "policy.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write('extends = "relaxed"\n[network]\nhosts = ["%s"]\nmax_requests = 1000000\n'
                   'requests_per_minute = 1000000\nmax_bytes = "4G"\n'
                   'unsafe_private_addresses = ["127.0.0.1"]\n' % name)
    return path


def measure(setup, server, folder):
    port = server.server_address[1]
    name = "127.0.0.1:%d" % port
    rounds, count = setup.pick(20, 6), 50
    outside = {"by_kept": [], "by_urllib": []}
    inside = {"by_kept": [], "by_urllib": []}
    direct = Direct(client_code("127.0.0.1", port, "/", name))
    with Daemon(setup, "--policy", policy_for(folder, name)) as line:
        _, made = line.timed("POST", "/v1/sessions", {"allow_hosts": [name]})
        run_in(line, made["id"], client_code("127.0.0.1", 3128, "http://%s/" % name, name))
        for turn in range(rounds + 1):
            for way in outside:
                call = "batch(%s, %d)" % (way, count)
                one, other = direct.run(call), json.loads(run_in(line, made["id"], call))
                if turn > 0:  # the first warms up
                    outside[way] += one
                    inside[way] += other
    direct.close()
    return outside, inside


def proxied(setup):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    with tempfile.TemporaryDirectory(prefix="belljar-bench-") as folder:
        outside, inside = measure(setup, server, folder)
    server.shutdown()
    ratio = {way: median(inside[way]) / median(outside[way]) for way in outside}
    note = "%.0f us by %.0f us" % (median(inside["by_urllib"]) / 1e3, median(outside["by_urllib"]) / 1e3)
    kept = "%.2f x direct: %.0f us by %.0f us" % (ratio["by_kept"], median(inside["by_kept"]) / 1e3,
                                                  median(outside["by_kept"]) / 1e3)
    data = {"%s_%s_ns" % (side, way): summarise(samples[way])
            for side, samples in (("direct", outside), ("proxied", inside)) for way in samples}
    return [judged("egress", ratio["by_urllib"], note),
            told("the same over a kept connection", kept)], data
