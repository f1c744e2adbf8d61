"""Tools with a daemon."""
import base64
import os
import pathlib
import re
import signal
import tempfile
import threading
import time

import pytest

from mcp_servers.table import table
from suite import Suite, wait_for

pytestmark = pytest.mark.slow


class Service(Suite):
    """With a daemon: people, records, sessions, several cells at once."""

    token = None  # of another caller: a daemon sees a new one within a second, and the first at once

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="belljar-tools-")
        cls.policy = pathlib.Path(cls.folder.name, "policy.toml")
        cls.write_policy()
        cls.daemon = cls.new_daemon("--policy", str(cls.policy),
                            env={**os.environ, "BELLJAR_LEVEL": "", **cls.walls.env})
        cls.daemon.start()

    @classmethod
    def write_policy(cls, **more):
        more.setdefault("allow", ["add", "echo", "sleep"])
        more.setdefault("words", ["--log", os.path.join(cls.folder.name, "log")])
        more.setdefault("ask", ["create_*"])
        cls.policy.write_text('extends = "relaxed"\n' + cls.walls.policy + '[approval]\nown = "allow"\n' + table(
            calls_per_minute=6000, max_calls=100000, **more))

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__()
        cls.folder.cleanup()

    def setUp(self):
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)

    def in_background(self, code, **more):
        answers = []
        thread = threading.Thread(target=lambda: answers.append(self.daemon.client().run(code, **more)))
        thread.start()
        return thread, answers

    def asleep(self):
        """How many calls of the tool sleep have come to the server."""
        log = pathlib.Path(self.folder.name, "log")
        return len(re.findall('"name": ?"sleep"', log.read_text())) if log.exists() else 0

    def stranger(self):
        if not Service.token:
            Service.token = re.search(r"bj_\S+", self.daemon.command("token", "add", "stranger").stdout).group(0)
        return self.daemon.client(self.token)

    def read_anew(self):
        """The next test must not meet the policy of this one."""
        def reloads():
            return self.daemon.said().count("reloaded")

        before = reloads()
        self.daemon.process.send_signal(signal.SIGHUP)
        wait_for(lambda: reloads() > before)

    def question(self, title):
        """The one that is waiting about an issue with that title."""
        wanted = 'test.create_issue {"title":"%s"}' % title
        return wait_for(lambda: [
            each for each in self.client.get("/v1/approvals?state=waiting").json()["approvals"]
            if each["command"] == wanted])[0]

    @pytest.mark.everywhere
    def test_a_call_waits_for_a_person_and_the_clock_stands_still(self):
        code = "from belljar import tools\nprint(tools.test.create_issue(title='x'))"
        limit = 1 if self.walls.native else 4  # a container takes longer to come to it
        thread, answers = self.in_background(code, timeout=limit)
        question = self.question("x")
        time.sleep(limit + 0.3)  # longer than the run may take
        self.assertEqual(self.client.post("/v1/approvals/%s/approve" % question["id"]).status, 200)
        thread.join()
        self.assertEqual((answers[0]["outcome"], answers[0]["stdout"]), ("ok", "created x\n"), answers)

    def test_runs_that_wait_for_a_person_leave_their_places_to_others(self):
        code = "from belljar import tools\nprint(tools.test.create_issue(title='place %d'))"
        places = 2 * os.cpu_count()
        waiting = [self.in_background(code % i) for i in range(places)]
        questions = [self.question("place %d" % i) for i in range(places)]
        self.assertEqual(self.client.run("print(1)")["stdout"], "1\n")
        for question in questions:
            self.client.post("/v1/approvals/%s/deny" % question["id"], {})
        for thread, _ in waiting:
            thread.join()

    def test_a_yes_of_one_run_serves_no_other(self):
        code = "from belljar import tools\nfor i in range(2): print(tools.test.create_issue(title='same'))"
        for _ in range(2):
            thread, answers = self.in_background(code)
            question = self.question("same")
            self.client.post("/v1/approvals/%s/approve" % question["id"], {"grant": "digest"})
            thread.join()
            self.assertEqual(answers[0]["stdout"], "created same\n" * 2, answers)

    def test_a_person_may_say_no(self):
        code = ("from belljar import tools\ntry:\n    tools.test.create_issue(title='no')\n"
                "except tools.Denied as error:\n    print('denied', error)")
        thread, answers = self.in_background(code)
        question = self.question("no")
        self.client.post("/v1/approvals/%s/deny" % question["id"], {"note": "not today"})
        thread.join()
        self.assertIn("not today", answers[0]["stdout"], answers)

    def test_a_question_goes_with_its_run(self):
        made = self.client.post("/v1/sessions", {"lang": "python"}).json()
        runs = "/v1/sessions/%s/runs" % made["id"]
        answers = []
        thread = threading.Thread(target=lambda: answers.append(self.daemon.client().post(
            runs, {"code": "from belljar import tools\ntools.test.create_issue(title='gone')"}).json()))
        thread.start()
        question = self.question("gone")
        self.client.post("/v1/sessions/%s/interrupt" % made["id"])
        thread.join()
        self.assertEqual(answers[0]["error"]["type"], "KeyboardInterrupt", answers)
        shown = self.client.get("/v1/approvals/" + question["id"]).json()
        self.assertEqual(shown["state"], "cancelled", shown)
        self.client.delete("/v1/sessions/" + made["id"])

    @pytest.mark.everywhere
    def test_each_call_is_recorded(self):
        result = self.client.run("from belljar import tools\ntools.test.add(a=1, b=2)\n"
                                 "import belljar\ntry: belljar.ask('tools/call', {'server': 'test', "
                                 "'tool': 'delete_all'})\nexcept tools.Denied: pass",
                                 correlation_id="recorded-1")
        self.assertEqual(result["outcome"], "ok", result)
        records = self.client.get("/v1/audit?event=broker&correlation_id=recorded-1").json()["records"]
        records.sort(key=lambda record: record["index"])
        self.assertEqual(sorted(record["outcome"] for record in records), ["denied", "ok"])
        detail, = [record["detail"] for record in records if record["outcome"] == "ok"]
        self.assertEqual((detail["server"], detail["tool"], detail["argument_bytes"]), ("test", "add", 13))
        self.assertGreater(detail["result_bytes"], 10)
        self.assertIn("ms", detail)
        self.assertLess(max(record["index"] for record in records), result["audit"]["index"])

    def test_sessions_call_tools_from_run_to_run_and_from_checkpoints(self):
        made = self.client.post("/v1/sessions", {"lang": "python"}).json()
        runs = "/v1/sessions/%s/runs" % made["id"]
        def run(code):
            return self.client.post(runs, {"code": code}).json()
        self.assertEqual(run("from belljar import tools\nprint(tools.test.add(a=1, b=2))")["stdout"],
                         "{'sum': 3}\n")
        kept = self.client.post("/v1/sessions/%s/checkpoints" % made["id"])
        self.assertEqual(run("print(tools.test.add(a=2, b=2))")["stdout"], "{'sum': 4}\n")
        if not self.walls.native:
            self.assertIn("cannot be saved", kept.body.decode())
            return
        self.assertEqual(kept.status, 200, kept.body)
        back = self.client.post("/v1/sessions/%s/rollback" % made["id"],
                                {"checkpoint": kept.json()["id"]})
        self.assertEqual(back.status, 200, back.body)
        self.assertEqual(run("print(tools.test.add(a=3, b=2))")["stdout"], "{'sum': 5}\n")
        self.client.delete("/v1/sessions/" + made["id"])

    def test_sessions_of_javascript_import_the_library_as_modules_do(self):
        made = self.client.post("/v1/sessions", {"lang": "javascript"}).json()
        module = base64.b64encode(b"import belljar from 'belljar'; export const { add } = belljar.tools.test;").decode()
        for code, value in (
                ("import { tools } from 'belljar'\n(await tools.test.add({ a: 1, b: 2 })).sum", "3"),
                ("import belljar, * as all from 'belljar'; belljar.tools === tools && all.tools === tools", "true"),
                ("(await import('belljar')).tools === require('belljar').tools", "true"),
                ("import {\n  add,  // of the file\n} from './own.mjs';\n(await add({ a: 2, b: 2 })).sum", "4")):
            result = self.client.post("/v1/sessions/%s/runs" % made["id"],
                                      {"code": code, "files": {"own.mjs": module}}).json()
            self.assertEqual([each["text/plain"] for each in result["results"]], [value], result)
        self.client.delete("/v1/sessions/" + made["id"])

    def test_a_flood_from_one_cell_slows_no_other(self):
        flood = """
import socket, threading
def pour():
    while True:
        try:
            line = socket.socket(socket.AF_UNIX)
            line.connect("/run/belljar/tools.sock")
            while True:
                line.sendall(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"server":"test","tool":"no"}}\\n' * 50)
        except OSError:
            pass
for _ in range(20):
    threading.Thread(target=pour, daemon=True).start()
print("pouring", flush=True)
import time; time.sleep(4)
"""
        work = ("import time\nfrom belljar import tools\ntools.test.add(a=1, b=1)\nbegun = time.monotonic()\n"
                "for i in range(50): tools.test.add(a=i, b=1)\nprint(time.monotonic() - begun)")
        alone = float(self.client.run(work)["stdout"])
        response = self.daemon.client().post("/v1/runs", {"code": flood, "cpus": 0.5}, stream=True,
                                             headers={"Accept": "application/x-ndjson"})
        self.assertIn("pouring", response.readline().decode())
        beside = self.client.run(work)
        self.assertEqual(beside["outcome"], "ok", beside)
        response.read()
        self.assertLess(float(beside["stdout"]), 20 * alone + 2)

    def test_what_a_new_policy_takes_away_ends_at_once(self):
        code = """
from belljar import tools
print(tools.test.add(a=1, b=1), flush=True)
try:
    tools.test.sleep(seconds=25)
except tools.Denied as error:
    print("taken away", flush=True)
try:
    tools.test.sleep(seconds=25)
except tools.Denied as error:
    print("and stays so")
print(tools.test.add(a=2, b=2))
"""
        before = self.asleep()
        thread, answers = self.in_background(code, correlation_id="revoked-1")
        wait_for(lambda: self.asleep() > before, "the call is under way")
        try:
            self.write_policy(allow=["add", "echo"])
            self.read_anew()
            thread.join(15)
            self.assertFalse(thread.is_alive())
        finally:
            self.write_policy()
            self.read_anew()
        self.assertEqual(answers[0]["stdout"], "{'sum': 2}\ntaken away\nand stays so\n{'sum': 4}\n", answers)

    SAYS = """
import time
from belljar import tools
def say(text):
    try:
        return tools.test.echo(text=text)
    except tools.Denied as error:
        return str(error)
print(say("outside"), flush=True)
while (last := say("outside")) == "outside":
    time.sleep(0.1)
print(last, "|", say("inside"))
"""

    def under_another_policy(self, name, rest="", meanwhile=lambda: None, **keys):
        """The last line of a run during which the policy becomes another."""
        thread, answers = self.in_background(self.SAYS, correlation_id=name)
        wait_for(lambda: self.client.get("/v1/audit?event=broker&correlation_id=" + name).json()["records"])
        try:
            self.write_policy(**keys)
            self.policy.write_text(self.policy.read_text() + rest)
            self.read_anew()
            meanwhile()
            thread.join(20)
            self.assertFalse(thread.is_alive())
        finally:
            self.write_policy()
            self.read_anew()
        return answers[0]["stdout"].splitlines()[-1]

    def test_the_rules_of_a_new_policy_hold_for_what_runs(self):
        rules = '[[tools.test.rules]]\ntool = "*"\nargument = "text"\nin = ["inside"]\n'
        self.assertEqual(self.under_another_policy("rules-1", rules),
                         "what this call needs has been taken away from the run | inside")

    def test_another_server_by_the_same_name_is_not_the_runs(self):
        away = "what this call needs has been taken away from the run"
        self.assertEqual(self.under_another_policy("other-1", words=["--era", "2025-06-18"]), away + " | " + away)

    def test_what_a_new_policy_asks_about_is_asked_of_what_runs(self):
        def say_no():
            for text in ("outside", "inside"):
                question = wait_for(lambda: [
                    each for each in self.client.get("/v1/approvals?state=waiting").json()["approvals"]
                    if each["command"] == 'test.echo {"text":"%s"}' % text])[0]
                self.client.post("/v1/approvals/%s/deny" % question["id"], {"note": "rather not"})
        said = self.under_another_policy("asks-1", meanwhile=say_no, ask=["*"])
        self.assertEqual(said.count("rather not"), 2, said)

    def test_the_tools_of_one_run_can_be_taken_away(self):
        code = """
from belljar import tools
print(tools.test.add(a=1, b=1), flush=True)
for call in (lambda: tools.test.sleep(seconds=25), lambda: tools.test.add(a=1, b=1)):
    try:
        call()
    except tools.Denied:
        print("taken away", flush=True)
"""
        thread, answers = self.in_background(code, correlation_id="revoked-2")
        record = wait_for(lambda: self.client.get(
            "/v1/audit?event=broker&correlation_id=revoked-2").json()["records"])[0]
        path = "/v1/runs/%s/tools" % record["run_id"]
        self.assertEqual(self.stranger().delete(path).status, 404)
        self.assertEqual(self.client.delete(path).json()["tools"], "revoked")
        thread.join(15)
        self.assertEqual(answers[0]["stdout"], "{'sum': 2}\ntaken away\ntaken away\n", answers)
        self.assertEqual(self.client.run("from belljar import tools\nprint(tools.test.add(a=1, b=1))")["stdout"],
                         "{'sum': 2}\n")

    def test_a_session_loses_its_tools_for_good(self):
        path = "/v1/sessions/" + self.client.post("/v1/sessions", {"lang": "python"}).json()["id"]
        self.addCleanup(self.client.delete, path)
        asks = ("from belljar import tools\ntry: print(tools.test.add(a=1, b=1))\n"
                "except tools.Denied as error: print(error)")
        away = "what this call needs has been taken away from the run\n"
        def run(code=asks, **more):
            return self.daemon.client().post(path + "/runs", {"code": code, **more}).json()["stdout"]
        self.assertEqual(run(), "{'sum': 2}\n")
        answers, before = [], self.asleep()
        thread = threading.Thread(target=lambda: answers.append(
            run(asks.replace("add(a=1, b=1)", "sleep(seconds=25)"), correlation_id="session-1")))
        thread.start()
        wait_for(lambda: self.asleep() > before, "the call is under way")
        self.assertEqual(self.stranger().delete(path + "/tools").status, 404)
        self.assertEqual(self.client.delete(path + "/tools").json()["tools"], "revoked")
        thread.join(15)
        self.assertEqual(answers, [away])
        self.assertEqual(run(), away)
        if self.walls.native:
            kept = self.client.post(path + "/checkpoints").json()
            self.assertEqual(self.client.post(path + "/rollback", {"checkpoint": kept["id"]}).status, 200)
            self.assertEqual(run(), away)
            branch, = self.client.post(path + "/fork", {"count": 1}).json()["sessions"]
            said = self.client.post("/v1/sessions/%s/runs" % branch["id"], {"code": asks}).json()["stdout"]
            self.assertEqual(said, away)
            self.client.delete("/v1/sessions/" + branch["id"])
        records = self.client.get("/v1/audit?event=broker&session=" + path.split("/")[-1]).json()["records"]
        self.assertIn({"tools": "revoked"}, [record["detail"] for record in records])

    def test_a_replay_calls_nobody(self):
        result = self.client.run("import belljar\ntry: print(belljar.ask('tools/call', {'server': 'test', "
                                 "'tool': 'add', 'arguments': {'a': 1, 'b': 1}})['structuredContent'])\n"
                                 "except belljar.Denied: print('denied')", correlation_id="again-1")
        self.assertEqual(result["stdout"], "{'sum': 2}\n", result)
        again = self.client.post("/v1/runs/%s/replay" % result["id"]).json()
        self.assertEqual(again["result"]["stdout"], "denied\n", again)
        records = self.client.get("/v1/audit?event=broker&correlation_id=again-1").json()["records"]
        self.assertEqual([record["outcome"] for record in records], ["ok"])

    def test_what_a_server_prints_is_in_the_log(self):
        self.client.run("from belljar import tools\ntools.test.add(a=1, b=1)")
        wait_for(lambda: "the server has started" in self.daemon.said())
        wait_for(lambda: "wrote a line that is no message: malformed JSON at byte 0" in self.daemon.said())
