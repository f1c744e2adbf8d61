"""Tools with a daemon; run by tests/run_tools.py."""
import os
import pathlib
import re
import signal
import tempfile
import threading
import time
import unittest

from mcp_servers.table import table
from service.daemon import Daemon


class Service(unittest.TestCase):
    """With a daemon: people, records, sessions, several cells at once."""

    binary = images = None  # set before the tests run

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="belljar-tools-")
        cls.policy = pathlib.Path(cls.folder.name, "policy.toml")
        cls.write_policy()
        cls.daemon = Daemon(cls.binary, cls.images, "--policy", str(cls.policy),
                            env={**os.environ, "BELLJAR_LEVEL": ""})
        cls.daemon.start()

    @classmethod
    def write_policy(cls, **more):
        more.setdefault("allow", ["add", "echo", "sleep"])
        cls.policy.write_text('extends = "relaxed"\n[approval]\nown = "allow"\n' + table(
            ask=["create_*"], calls_per_minute=6000, max_calls=100000, **more))

    @classmethod
    def tearDownClass(cls):
        cls.daemon.stop()
        cls.folder.cleanup()

    def setUp(self):
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)

    def in_background(self, code, **more):
        answers = []
        thread = threading.Thread(target=lambda: answers.append(self.daemon.client().run(code, **more)))
        thread.start()
        return thread, answers

    def wait_for(self, what, seconds=20):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            value = what()
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError("it did not come")

    def question(self, title):
        """The one that is waiting about an issue with that title."""
        wanted = 'test.create_issue {"title":"%s"}' % title
        return self.wait_for(lambda: [
            each for each in self.client.get("/v1/approvals?state=waiting").json()["approvals"]
            if each["command"] == wanted])[0]

    def test_a_call_waits_for_a_person_and_the_clock_stands_still(self):
        code = "from belljar import tools\nprint(tools.test.create_issue(title='x'))"
        thread, answers = self.in_background(code, timeout=1)
        question = self.question("x")
        time.sleep(1.3)  # longer than the run may take
        self.assertEqual(self.client.post("/v1/approvals/%s/approve" % question["id"]).status, 200)
        thread.join()
        self.assertEqual((answers[0]["outcome"], answers[0]["stdout"]), ("ok", "created x\n"), answers)

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
        self.assertEqual(kept.status, 200, kept.body)
        self.assertEqual(run("print(tools.test.add(a=2, b=2))")["stdout"], "{'sum': 4}\n")
        back = self.client.post("/v1/sessions/%s/rollback" % made["id"],
                                {"checkpoint": kept.json()["id"]})
        self.assertEqual(back.status, 200, back.body)
        self.assertEqual(run("print(tools.test.add(a=3, b=2))")["stdout"], "{'sum': 5}\n")
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
                line.sendall(b'{"id":1,"method":"tools/call","params":{"server":"test","tool":"no"}}\\n' * 50)
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
        thread, answers = self.in_background(flood, cpus=0.5)
        self.wait_for(lambda: self.client.get("/metrics").status)
        time.sleep(1)
        beside = self.client.run(work)
        self.assertEqual(beside["outcome"], "ok", beside)
        thread.join()
        self.assertIn("pouring", answers[0]["stdout"])
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
        thread, answers = self.in_background(code, correlation_id="revoked-1")
        self.wait_for(lambda: self.client.get(
            "/v1/audit?event=broker&correlation_id=revoked-1").json()["records"])
        time.sleep(0.3)
        try:
            self.write_policy(allow=["add", "echo"])
            self.daemon.process.send_signal(signal.SIGHUP)
            thread.join(15)
            self.assertFalse(thread.is_alive())
        finally:
            self.write_policy()
            self.daemon.process.send_signal(signal.SIGHUP)
        self.assertEqual(answers[0]["stdout"], "{'sum': 2}\ntaken away\nand stays so\n{'sum': 4}\n", answers)

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
        record = self.wait_for(lambda: self.client.get(
            "/v1/audit?event=broker&correlation_id=revoked-2").json()["records"])[0]
        stranger = self.daemon.command("token", "add", "stranger", "--scope", "run")
        token = re.search(r"bj_\S+", stranger.stdout).group(0)
        path = "/v1/runs/%s/tools" % record["run_id"]
        self.assertEqual(self.daemon.client(token).delete(path).status, 404)
        self.assertEqual(self.client.delete(path).json()["tools"], "revoked")
        thread.join(15)
        self.assertEqual(answers[0]["stdout"], "{'sum': 2}\ntaken away\ntaken away\n", answers)
        self.assertEqual(self.client.run("from belljar import tools\nprint(tools.test.add(a=1, b=1))")["stdout"],
                         "{'sum': 2}\n")

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
        self.wait_for(lambda: "the server has started" in self.daemon.said())
