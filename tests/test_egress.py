"""HTTP and HTTPS out of cells: real clients inside, real servers outside, and those who try more.

With --backend another one builds the walls of all cells.
"""
import base64
import json
import pathlib
import shutil
import threading

import pytest

from egress import world
from egress.case import ALL, SECRET, Case, get, pages
from service.daemon import ORDINARY_UID

pytestmark = pytest.mark.slow


class Clients(Case):
    def test_python_reaches_what_it_was_given_and_nothing_else(self):
        out = self.ok("""
import urllib.request, urllib.error
print(urllib.request.urlopen("http://api.example.com/hello").read().decode())
try:
    urllib.request.urlopen("http://example.org/")
except urllib.error.HTTPError as e:
    print(e.code, e.headers["x-proxy-error"], e.read().decode())
""")
        self.assertEqual(out, "page /hello\n403 blocked-by-allowlist example.org on port 80 is not "
                              "among the hosts that this cell may reach\n\n")
        self.assertEqual([seen["path"] for seen in self.world.origin.seen], ["/hello"])
        names = [name for name, _ in self.world.origin.seen[0]["headers"]]
        self.assertEqual(names.count("host"), 1)
        self.assertNotIn("proxy-connection", names)

    def test_requests_keeps_its_connection_and_posts_in_chunks(self):
        out = self.ok("""
try:
    import requests
except ImportError:  # as pip brings it
    from pip._vendor import requests
session = requests.Session()
for i in range(3):
    print(session.get("http://api.example.com/%d" % i).text)
print(session.post("http://api.example.com/form", data={"a": "1"}).text)
print(session.post("http://api.example.com/stream", data=iter([b"ab", b"c" * 100000])).status_code)
print(session.head("http://api.example.com/").status_code)
""")
        self.assertEqual(out.split("\n")[:6], ["page /0", "page /1", "page /2", "page /form", "200", "200"])
        self.assertEqual(self.world.origin.seen[3]["body"], "a=1")
        self.assertEqual(self.world.origin.seen[4]["body"], "ab" + "c" * 100000)

    @pytest.mark.everywhere
    def test_curl_speaks_http_and_https(self):
        cert = base64.b64encode(pathlib.Path(self.world.cert).read_bytes()).decode()
        out = self.ok("curl -sS http://api.example.com/plain; echo\n"
                      "curl -sS --cacert ca.pem https://api.example.com/tls; echo\n"
                      "head -c 300000 /dev/zero | curl -sS -T - http://api.example.com/up; echo\n"
                      "curl -sS -o /dev/null -w '%{http_code}' http://example.org/; echo\n"
                      "curl -sS --cacert ca.pem https://example.org/ 2>&1; true",
                      lang="bash", files={"ca.pem": cert}, hosts=ALL)
        lines = out.splitlines()
        self.assertEqual(lines[:4], ["page /plain", "page /tls", "page /up", "403"], out)
        self.assertIn("403", lines[4])
        self.assertEqual(self.world.secure.seen[0]["path"], "/tls")
        self.assertEqual(len(self.world.origin.seen[1]["body"]), 300000)

    def test_pip_installs_from_an_index(self):
        out = self.ok("python3 -m pip install -q --target . --index-url http://api.example.com/simple "
                      "--trusted-host api.example.com tiny 2>&1 && "
                      "python3 -c 'import tiny; print(tiny.ANSWER)'", lang="bash")
        self.assertEqual(out.splitlines()[-1], "42", out)

    def test_npm_installs_from_a_registry(self):
        npm = pathlib.Path(shutil.which("npm", path="/usr/bin:/usr/local/bin")).resolve()
        # Debian's is in the image; another comes along.
        brought = [] if npm.is_relative_to("/usr/share/nodejs") else [{"host": str(npm.parents[1])}]
        where = "/vault/npm/bin/npm-cli.js" if brought else str(npm)
        out = self.ok("node %s install --no-audit --no-fund --registry http://api.example.com tiny 2>&1 && "
                      "node -p 'require(\"tiny\")'" % where, lang="bash", vaults=brought)
        self.assertEqual(out.splitlines()[-1], "42", out)


class Limits(Case):
    more = 'methods = ["GET", "CONNECT"]\nmax_bytes = "1M"'

    def test_a_method_that_is_not_listed_is_refused(self):
        post = get("http://api.example.com/", method="POST", more="Content-Length: 0\r\n")
        (answer,) = self.raw([post])
        self.assertIn("x-proxy-error: blocked-by-method-policy", answer)
        self.assertEqual(self.world.origin.seen, [])

    def test_requests_are_counted_and_end(self):
        result = self.run_code("""
import urllib.request, urllib.error
for i in range(250):
    try:
        urllib.request.urlopen("http://api.example.com/%d" % i).read()
    except urllib.error.HTTPError as e:
        print(i, e.code, e.headers["x-proxy-error"], e.read().decode().strip())
        break
""")
        self.assertEqual(result["stdout"], "200 429 limit-reached the 200 requests of this cell are used up\n")
        self.assertEqual(result["usage"]["network_requests"], 201)
        self.assertEqual(len(self.world.origin.seen), 200)

    def test_bytes_are_counted_and_end(self):
        result = self.run_code("""
import urllib.request, http.client
for i in range(4):
    try:
        print(len(urllib.request.urlopen("http://api.example.com/bytes/400000").read()))
    except (OSError, http.client.HTTPException) as e:
        print(type(e).__name__)
""")
        lines = result["stdout"].splitlines()
        self.assertEqual(lines[:2], ["400000", "400000"])
        self.assertNotIn("400000", lines[2:])
        (cut,) = [each for each in self.records(result["id"])[:3] if each.get("refusal")]
        self.assertEqual(cut["refusal"], "limit-reached")


class Records(Case):
    extends = "standard"

    def test_every_call_is_recorded_before_its_run(self):
        result = self.run_code("""
import urllib.request, urllib.error
urllib.request.urlopen("http://api.example.com/a").read()
try:
    urllib.request.urlopen("http://example.org/b")
except urllib.error.HTTPError:
    pass
""", correlation_id="c-7")
        made, refused = self.records(result["id"])
        self.assertLessEqual({"method": "GET", "host": "api.example.com", "port": 80, "status": 200,
                              "address": world.PUBLIC}.items(), made.items())
        self.assertGreater(made["sent"], 50)
        self.assertGreater(made["received"], 50)
        self.assertIn("ms", made)
        self.assertEqual((refused["host"], refused["refusal"]), ("example.org", "blocked-by-allowlist"))
        both = self.client.get("/v1/audit?run=%s" % result["id"]).json()["records"]
        self.assertEqual([record["event"] for record in reversed(both)][-3:], ["broker", "broker", "run"])
        self.assertEqual({record["correlation_id"] for record in both}, {"c-7"})

    def test_a_replay_calls_nobody(self):
        code = "import urllib.request\nprint(urllib.request.urlopen('http://api.example.com/').status)"
        first = self.run_code(code)
        again = self.client.post("/v1/runs/%s/replay" % first["id"]).json()
        self.assertFalse(again["same"])
        self.assertIn("the replay had no network: nobody is called twice", again["notes"])
        self.assertEqual(len(self.world.origin.seen), 1)

    def test_a_host_beyond_the_policy_waits_for_a_person(self):
        code = "import urllib.request\nprint(urllib.request.urlopen('http://far.example.net/').status)"
        self.world.name({"far.example.net": world.PUBLIC})
        first = self.run_code(code, ["far.example.net"])
        self.assertEqual(first["outcome"], "needs_approval", first)
        self.assertIn("it asks to reach far.example.net", first["decision"]["reasons"][0])
        self.assertEqual(self.world.origin.seen, [])
        question = first["decision"]["approval"]["id"]
        said = self.client.post("/v1/approvals/%s/approve" % question,
                                {"digest": first["decision"]["approval"]["digest"]})
        self.assertEqual(said.status, 200, said.body)
        self.assertEqual(self.ok(code, ["far.example.net"]), "200\n")

    def test_network_alone_is_lifted(self):
        result = self.run_code("import subprocess, urllib.request")
        self.assertEqual(result["outcome"], "refused", result)
        self.assertNotIn("urllib", json.dumps(result["decision"]))

    def test_a_session_asks_for_hosts_when_it_is_made(self):
        answer = self.client.post("/v1/sessions", {"allow_hosts": ["far.example.net"]})
        self.assertEqual(answer.status, 403, answer.body)
        made = self.client.post("/v1/sessions", {}).json()
        late = self.client.post("/v1/sessions/%s/runs" % made["id"], {"code": "1", "allow_hosts": ALL})
        self.assertEqual(late.status, 400, late.body)
        self.client.delete("/v1/sessions/" + made["id"])


class Checkpoints(Case):
    def test_a_session_has_its_network_in_every_cell_it_goes_on_in(self):
        made = self.client.post("/v1/sessions", {"allow_hosts": ALL}).json()
        path = "/v1/sessions/%s" % made["id"]
        code = ("import os, urllib.request\n"
                "r = urllib.request.Request('http://secret.example.com/',"
                " headers={'Authorization': os.environ['API_KEY']})\n"
                "print(urllib.request.urlopen(r).status)")
        run = lambda: self.client.post(path + "/runs", {"code": code}).json()
        self.assertEqual(run()["stdout"], "200\n")
        answer = self.client.post(path + "/checkpoints")
        if not self.walls.native:
            self.assertIn("cannot be saved", answer.body.decode())
            return
        saved = answer.json()
        back = self.client.post(path + "/rollback", {"checkpoint": saved["id"]})
        self.assertEqual(back.status, 200, back.body)
        self.assertEqual(run()["stdout"], "200\n")
        self.assertEqual({dict(seen["headers"])["authorization"] for seen in self.world.origin.seen}, {SECRET})
        self.assertEqual(self.client.delete(path + "/network").status, 200)
        self.assertEqual(self.client.post(path + "/rollback", {"checkpoint": saved["id"]}).status, 200)
        self.assertEqual(run()["outcome"], "exception", "what was taken away does not come back")
        self.client.delete(path)


class Revocation(Case):
    extends = "standard"
    LOOPS = """
import http.client, urllib.request, urllib.error, sys
print(urllib.request.urlopen("http://api.example.com/first").status, flush=True)
while True:
    try:
        urllib.request.urlopen("http://api.example.com/again").read()
    except urllib.error.HTTPError as e:
        print(e.code, e.headers["x-proxy-error"], e.read().decode().strip())
        break
    except (OSError, http.client.HTTPException):  # it was taken away in the midst of an answer
        pass
"""
    SAYS = "403 blocked-by-policy the network of this cell was taken away\n"

    @pytest.mark.everywhere
    def test_a_run_loses_its_network_while_it_runs(self):
        ready = threading.Event()
        self.world.origin.pages = lambda seen: (seen["path"] == "/again" and ready.set(), pages(seen))[1]
        self.addCleanup(setattr, self.world.origin, "pages", pages)
        answers = []
        other = self.daemon.client()
        thread = threading.Thread(target=lambda: answers.append(
            other.run(self.LOOPS, id="mine", allow_hosts=ALL)))
        thread.start()
        self.assertTrue(ready.wait(30))
        revoked = self.client.delete("/v1/runs/mine/network")
        self.assertEqual(revoked.status, 200, revoked.body)
        before = len(self.world.origin.seen)
        thread.join()
        other.close()
        self.assertEqual(answers[0]["stdout"], "200\n" + self.SAYS, answers)
        self.assertEqual(len(self.world.origin.seen), before, "nothing went out afterwards")
        self.assertIn({"revoked": True}, self.records("mine"))
        self.assertEqual(self.client.delete("/v1/runs/mine/network").status, 404)

    def test_all_runs_that_have_an_id_lose_it(self):
        ready = threading.Event()
        self.world.origin.pages = lambda seen: (seen["path"] == "/again" and ready.set(), pages(seen))[1]
        self.addCleanup(setattr, self.world.origin, "pages", pages)
        answers, clients = {}, [self.daemon.client() for _ in range(2)]
        decoy = clients[0].post("/v1/runs", {"code": "import time\nprint('up', flush=True)\ntime.sleep(6)",
                                             "id": "twice", "allow_hosts": ALL}, stream=True,
                                headers={"Accept": "application/x-ndjson"})
        self.assertIn("up", decoy.readline().decode())  # it is the first
        loops = threading.Thread(target=lambda: answers.update(
            {"loops": clients[1].run(self.LOOPS, id="twice", allow_hosts=ALL)}))
        loops.start()
        self.assertTrue(ready.wait(30))
        self.assertEqual(self.client.delete("/v1/runs/twice/network").status, 200)
        loops.join()
        decoy.read()
        for client in clients:
            client.close()
        self.assertEqual(answers["loops"]["stdout"], "200\n" + self.SAYS, answers)

    def test_a_session_loses_its_network_for_good(self):
        made = self.client.post("/v1/sessions", {"allow_hosts": ALL}).json()
        run = lambda code: self.client.post("/v1/sessions/%s/runs" % made["id"], {"code": code}).json()
        self.assertEqual(run("import urllib.request\n"
                             "urllib.request.urlopen('http://api.example.com/').read()")["outcome"], "ok")
        self.assertEqual(self.client.delete("/v1/sessions/%s/network" % made["id"]).status, 200)
        self.assertEqual(run(self.LOOPS.replace('print(urllib', '#'))["stdout"], self.SAYS)
        self.client.delete("/v1/sessions/" + made["id"])

    ASKS = ("import urllib.request, urllib.error\n"
            "try: print(urllib.request.urlopen('http://api.example.com/back').status)\n"
            "except urllib.error.URLError as e: print(getattr(e, 'code', 'nothing'))")

    def a_session(self):
        path = "/v1/sessions/" + self.client.post("/v1/sessions", {"allow_hosts": ALL}).json()["id"]
        self.addCleanup(self.client.delete, path)
        return path

    def asks(self, path):
        return self.client.post(path + "/runs", {"code": self.ASKS}).json()["stdout"]

    def goes_back(self, path):
        if not self.walls.native:
            return  # sessions with hosts are saved nowhere else
        kept = self.client.post(path + "/checkpoints").json()
        for _ in range(2):
            self.assertEqual(self.client.post(path + "/rollback", {"checkpoint": kept["id"]}).status, 200)
            self.assertEqual(self.asks(path), "nothing\n")

    def test_a_run_of_a_session_loses_it_with_the_session(self):
        path = self.a_session()
        ready = threading.Event()
        self.world.origin.pages = lambda seen: (seen["path"] == "/again" and ready.set(), pages(seen))[1]
        self.addCleanup(setattr, self.world.origin, "pages", pages)
        answers, other = [], self.daemon.client()
        self.addCleanup(other.close)
        thread = threading.Thread(target=lambda: answers.append(
            other.post(path + "/runs", {"id": "within", "code": self.LOOPS}).json()))
        thread.start()
        self.assertTrue(ready.wait(30))
        taken = self.client.delete("/v1/runs/within/network")
        thread.join()
        self.assertEqual(taken.status, 200, taken.body)
        self.assertEqual(answers[0]["stdout"], "200\n" + self.SAYS, answers)
        self.assertEqual(self.asks(path), "403\n")
        self.assertEqual(self.client.delete("/v1/runs/within/network").status, 404)
        self.goes_back(path)

    def test_a_run_that_is_over_takes_nothing_from_its_session(self):
        path = self.a_session()
        self.client.post(path + "/runs", {"id": "over", "code": "1"})
        self.assertEqual(self.client.delete("/v1/runs/over/network").status, 404)
        self.assertEqual(self.asks(path), "200\n")

    def test_a_branch_does_not_get_back_what_its_session_lost(self):
        if not self.walls.native:
            return
        path = self.a_session()
        self.assertEqual(self.asks(path), "200\n")
        self.assertEqual(self.client.delete(path + "/network").status, 200)
        branch, = self.client.post(path + "/fork", {"count": 1}).json()["sessions"]
        self.addCleanup(self.client.delete, "/v1/sessions/" + branch["id"])
        self.goes_back("/v1/sessions/" + branch["id"])


class Ordinary(Case):
    """The same by a daemon that is not root."""
    uid = ORDINARY_UID

    def test_it_works_as_an_ordinary_user(self):
        if self.walls.docker:
            return self.assertIn("needs root", self.run_code("1")["reason"])
        answers = self.raw([get("http://api.example.com/x"), get("http://127.0.0.1/")],
                           ["api.example.com", "127.0.0.1"])
        self.assertIn("page /x", answers[0])
        self.assertIn("blocked-by-policy", answers[1])
