"""What a policy has done about runs that do not end well: fallbacks, reviews, rollbacks."""
import http.server
import json
import os
import pathlib
import re
import threading

from suite import Commands, OneDaemon, scratch_directory, wait_for

POLICY = """
extends = "standard"

[recovery]
on = ["exception", "refused", "exit"]
fallback = true
review = true
rollback = true

[callers.quiet.recovery]
on = ["exception"]
fallback = true
"""
FAILS = "print('first')\nraise ValueError('no')"


class Lines(Commands):
    """By --jsonl, without a daemon."""

    def run_lines(self, policy, *requests):
        path = pathlib.Path(self.home, "mine.toml")
        path.write_text(policy)
        done = self.belljar("run", "--jsonl", "--policy", str(path),
                            stdin="".join(json.dumps(each) + "\n" for each in requests))
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        return {answer["id"]: answer for answer in answers}, done.stderr

    def test_a_fallback_answers_in_its_place(self):
        answers, _ = self.run_lines(
            POLICY,
            {"id": "a", "code": FAILS, "input": [1, 2], "fallback": {"lang": "bash", "code": "cat"}},
            {"id": "b", "code": "import socket", "fallback": {"code": "print('simple')"}},
            {"id": "c", "code": "print('fine')", "fallback": {"code": "print('unused')"}},
            {"id": "d", "code": FAILS, "fallback": {"code": "import socket"}},
            {"id": "e", "code": FAILS})
        self.assertEqual((answers["a"]["outcome"], answers["a"]["stdout"]), ("ok", "[1,2]\n"))
        (step,) = [each for each in answers["a"]["recovery"] if each["action"] == "fallback"]
        self.assertEqual(step["outcome"], "ok")
        self.assertEqual(step["instead_of"], {"outcome": "exception", "error": "ValueError"})
        self.assertEqual(answers["b"]["stdout"], "simple\n")
        self.assertEqual(answers["b"]["recovery"][-1]["instead_of"]["outcome"], "refused")
        self.assertEqual(answers["c"]["stdout"], "fine\n")
        self.assertNotIn("recovery", answers["c"])
        # One that does not end well either changes nothing, and is judged as any other.
        self.assertEqual((answers["d"]["outcome"], answers["d"]["stdout"]), ("exception", "first\n"))
        self.assertEqual(answers["d"]["recovery"][-1]["outcome"], "refused")
        self.assertEqual([each["action"] for each in answers["e"]["recovery"]], ["review"])

    def test_without_a_word_of_the_policy_nothing_is_done(self):
        answers, _ = self.run_lines('extends = "standard"\n',
                                    {"id": "a", "code": FAILS, "fallback": {"code": "1"}})
        self.assertEqual(answers["a"]["outcome"], "exception")
        self.assertNotIn("recovery", answers["a"])

    def test_mistakes_are_told(self):
        answers, _ = self.run_lines(POLICY, {"id": "a", "code": "1", "fallback": {"code": "1", "level": "relaxed"}})
        self.assertIn('not "level"', answers["a"]["error"]["message"])
        for table, said in (('[recovery]\non = ["ok"]\n', "takes outcomes"),
                            ('[recovery]\nfallbak = true\n', 'did you mean "fallback"?'),
                            ('[callers.x]\nreview = true\n', "unknown key")):
            _, errors = self.run_lines('extends = "standard"\n' + table)
            self.assertIn(said, errors)


class Service(OneDaemon):
    ENV = {**os.environ, "BELLJAR_LEVEL": ""}

    @classmethod
    def setUpClass(cls):
        cls.home = cls.enterClassContext(scratch_directory())
        path = pathlib.Path(cls.home, "policy.toml")
        path.write_text(POLICY)
        cls.FLAGS = ("--policy", str(path))
        super().setUpClass()

    def test_a_person_gets_to_see_it_and_a_yes_lets_nothing_run(self):
        code = "raise KeyError('eval me')\neval('1')"
        first = self.client.run(code)
        self.assertEqual(first["outcome"], "needs_approval")
        self.client.post("/v1/approvals/%s/approve" % first["decision"]["approval"]["id"])
        ran = self.client.run(code)
        self.assertEqual(ran["outcome"], "exception", ran)
        (step,) = ran["recovery"]
        self.assertEqual((step["action"], step["outcome"]), ("review", "asked"))
        shown = self.client.get("/v1/approvals/%s" % step["approval"]).json()
        self.assertEqual(shown["state"], "waiting")
        self.assertIn("it ended as exception", json.dumps(shown))
        self.client.post("/v1/approvals/%s/approve" % step["approval"])
        self.assertEqual(self.client.run(code)["outcome"], "needs_approval")

    def test_each_step_is_recorded(self):
        result = self.client.run(FAILS + "  # recorded", id="run-1", fallback={"code": "print(2)"})
        self.assertEqual(result["stdout"], "2\n")
        records = self.client.get("/v1/audit?event=recovered").json()["records"]
        steps = [record["detail"]["action"] for record in records if record.get("run") == "run-1" or
                 record.get("run_id") == "run-1"]
        self.assertEqual(sorted(steps), ["fallback", "review"], records)
        self.assertEqual(self.client.get("/v1/runs/run-1").json()["result"]["stdout"], "2\n")

    def test_a_session_goes_back_to_its_newest_checkpoint(self):
        made = self.client.post("/v1/sessions", {}).json()
        runs = "/v1/sessions/%s/runs" % made["id"]
        self.client.post(runs, {"code": "x = 1"})
        result = self.client.post(runs, {"code": "x = 5\nraise ValueError"}).json()
        self.assertIn({"action": "rollback", "outcome": "no checkpoint"}, result["recovery"])
        self.client.post(runs, {"code": "x = 1"})
        kept = self.client.post("/v1/sessions/%s/checkpoints" % made["id"]).json()
        result = self.client.post(runs, {"code": "x = 2\nopen('f', 'w')\nraise ValueError"}).json()
        self.assertIn({"action": "rollback", "outcome": "restored", "checkpoint": kept["id"]},
                      result["recovery"])
        self.assertEqual(result["session"]["restored"], kept["id"])
        records = self.client.get("/v1/audit?event=recovered").json()["records"]
        sessions = [record.get("session_id") for record in records
                    if record["detail"].get("action") == "rollback"]
        self.assertEqual(sessions, [made["id"]] * 2)
        result = self.client.post(runs, {"code": "import os\nprint(x, os.listdir('.'))"}).json()
        self.assertEqual(result["stdout"], "1 []\n", result)
        answer = self.client.post(runs, {"code": "1", "fallback": {"code": "2"}})
        self.assertEqual(answer.status, 400)

    def test_a_statement_that_is_refused_is_shown_to_a_person_as_a_run_is(self):
        made = self.client.post("/v1/sessions", {}).json()
        result = self.client.post("/v1/sessions/%s/runs" % made["id"],
                                  {"code": "import socket  # in a session"}).json()
        self.assertEqual(result["outcome"], "refused", result)
        self.assertEqual([(step["action"], step["outcome"]) for step in result["recovery"]],
                         [("review", "asked"), ("rollback", "no checkpoint")])

    def test_whom_the_policy_names_is_told(self):
        heard = []

        class Hook(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204 if len(heard) == 1 else 500)
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.HTTPServer(("127.0.0.1", 0), Hook) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            policy = pathlib.Path(self.home, "alert.toml")
            policy.write_text('extends = "standard"\n[recovery]\non = ["exception"]\n'
                              'alert = ["log", "http://127.0.0.1:%d/x?token=hidden"]\n'
                              % server.server_port)
            with self.new_daemon("--policy", str(policy),
                        env={**os.environ, "BELLJAR_LEVEL": ""}) as daemon:
                client = daemon.client()
                result = client.run(FAILS, id="run-7")
                self.assertEqual(result["recovery"],
                                 [{"action": "alert", "places": 2, "outcome": "queued"}])
                self.assertNotIn("recovery", client.run("print(1)"))
                client.run(FAILS, id="run-8")

                def said():
                    records = client.get("/v1/audit?event=recovered").json()["records"]
                    return [record["detail"]["outcome"] for record in records]
                wait_for(lambda: "failed" in said(), "an alert that failed")
                self.assertEqual(sorted(said()), ["failed", "queued", "queued", "sent"])
                log = daemon.said()
            server.shutdown()
        self.assertEqual([(each["id"], each["outcome"], each["error"]) for each in heard],
                         [("run-7", "exception", "ValueError"), ("run-8", "exception", "ValueError")])
        self.assertEqual(log.count('"event":"alert"'), 2, log)
        self.assertIn("it answered 500", log)
        self.assertNotIn("hidden", log)

    def test_callers_have_terms_of_their_own(self):
        made = self.daemon.command("token", "add", "quiet", "--scope", "run")
        client = self.daemon.client(re.search(r"bj_\S+", made.stdout).group(0))
        plain = client.run(FAILS)
        self.assertEqual(plain["outcome"], "exception", plain)
        self.assertNotIn("recovery", plain)
        result = client.run(FAILS, fallback={"code": "print(3)"})
        self.assertEqual([each["action"] for each in result.get("recovery", [])], ["fallback"], result)
        self.assertEqual(client.run("raise SystemExit(3)", fallback={"code": "1"})["exit_code"], 3)
        client.close()
