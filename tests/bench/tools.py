"""A call of an MCP server's tool, from a cell and outside."""
import http.client
import json
import os
import subprocess
import sys
import tempfile
import time

from . import service
from .peer import PYTHON, BenchError
from .stats import summarise
from .table import judged, told

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
STDIO_SERVER = os.path.join(TESTS, "mcp_servers", "server.py")
AT_A_TIME = 50
SERVE = """
import sys
sys.path.insert(0, %r)
from mcp_servers.http_server import serve
with serve() as server:
    print(server.url, flush=True)
    sys.stdin.read()
""" % TESTS
POLICY = """
extends = "standard"
[tools.web]
url = %s
allow = ["add"]
calls_per_minute = 60000
max_calls = 1000000
[tools.pipe]
command = %s
allow = ["add"]
calls_per_minute = 60000
max_calls = 1000000
"""
MEASURE = """
import json, time
from belljar import tools
taken = []
for _ in range(%d):
    begun = time.perf_counter_ns()
    sum = tools.%s.add(a=1, b=2)["sum"]
    taken.append(time.perf_counter_ns() - begun)
print(json.dumps(taken if sum == 3 else []))
"""
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {}}


def request(number):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {
        "name": "add", "arguments": {"a": 1, "b": 2}, "_meta": META}})


class Web:
    """As lean as a client in Python can be: one connection, kept open."""

    HEADERS = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "add",
               "Content-Type": "application/json"}

    def __init__(self, url):
        _, _, host, path = url.split("/", 3)
        self.connection, self.path = http.client.HTTPConnection(host), "/" + path

    def call(self, number):
        self.connection.request("POST", self.path, request(number), self.HEADERS)
        return json.loads(self.connection.getresponse().read())


class Pipe:
    def __init__(self):
        self.process = subprocess.Popen([PYTHON, STDIO_SERVER], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.process.stdout.readline()  # its banner

    def call(self, number):
        self.process.stdin.write(request(number) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


def outside(client):
    taken = []
    for number in range(1, AT_A_TIME + 1):
        begun = time.perf_counter_ns()
        answer = client.call(number)
        taken.append(time.perf_counter_ns() - begun)
        if answer["result"]["structuredContent"]["sum"] != 3:
            raise BenchError("the server answered %r" % answer)
    return taken


def inside(line, runs, server):
    answer = line.json("POST", runs, {"code": MEASURE % (AT_A_TIME, server)})
    taken = json.loads(answer["stdout"] or "[]")
    if len(taken) != AT_A_TIME:
        raise BenchError("calls from a cell: %r" % answer)
    return taken


def compare(setup, line, clients):
    runs = "/v1/sessions/%s/runs" % line.json("POST", "/v1/sessions", {})["id"]
    times = {}
    for name, client in clients.items():
        outside(client), inside(line, runs, name)
        ours, theirs = [], []
        for _ in range(setup.pick(12, 4)):
            theirs += outside(client)
            ours += inside(line, runs, name)
        times[name] = summarise(ours), summarise(theirs)
    return times


def call(setup):
    """From a session's cell, through the broker, judged, redacted and recorded; and without it."""
    web_server = subprocess.Popen([sys.executable, "-c", SERVE], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
    url = web_server.stdout.readline().strip()
    pipe = Pipe()
    try:
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as policy:
            policy.write(POLICY % (json.dumps(url), json.dumps([PYTHON, STDIO_SERVER])))
            policy.flush()
            with service.Daemon(setup, "--policy", policy.name) as line:
                times = compare(setup, line, {"web": Web(url), "pipe": pipe})
    finally:
        pipe.close()
        web_server.stdin.close()
        web_server.wait(10)
    rows, data = [], {}
    for name, (ours, theirs) in times.items():
        detail = "%.0f us / %.0f us" % (ours["p50"] / 1e3, theirs["p50"] / 1e3)
        if name == "web":
            rows.append(judged("tool_call", ours["p50"] / theirs["p50"], detail))
        else:
            rows.append(told("the same by pipes: a cell / outside", detail))
        data[name] = {"cell_ns": ours, "outside_ns": theirs}
    return rows, data
