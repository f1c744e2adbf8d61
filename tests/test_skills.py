"""Skills as users see them: storing, versions, runs, health and tampering, by command and by HTTP."""
import json
import signal
import sqlite3
import subprocess

from suite import Commands, OwnDaemon

SECONDS = 60
COUNT = ("import json, sys\ntext = json.load(sys.stdin)['text']\n"
         "print(json.dumps({'words': len(text.split())} if text else 'none'))\n")
INPUT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}
OUTPUT = {"type": "object", "properties": {"words": {"type": "integer"}}}
FAILS = "raise ValueError('ghp_' + '0123456789abcdefghijABCDEFGHIJ012345')"
SECRET = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"


class Skills(Commands):
    """Without a daemon, each test in a state directory of its own."""

    def skill(self, *arguments, stdin=""):
        return self.belljar("skill", *arguments, stdin=stdin)

    def add(self, code, *flags, name="count"):
        done = self.skill("add", "-", "--name", name, "--json", *flags, stdin=code)
        self.assertIn(done.returncode, (0, 126), done.stderr)
        return json.loads(done.stdout)

    def add_count(self):
        return self.add(COUNT, "--input-schema", json.dumps(INPUT),
                        "--output-schema", json.dumps(OUTPUT))

    def run_json(self, handle, value=None):
        more = [] if value is None else ["--input", json.dumps(value)]
        done = self.skill("run", handle, "--json", *more)
        return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr

    def show(self, handle):
        return json.loads(self.skill("show", handle, "--json").stdout)

    def sql(self, statement, *values):
        with sqlite3.connect(self.state / "belljar.db") as database:
            self.assertGreater(database.execute(statement, values).rowcount, 0)


class Storing(Skills):
    def test_versions_count_up_and_the_same_is_stored_once(self):
        self.assertEqual(self.add("print(1)")["version"], 1)
        again = self.add("print(1)")
        self.assertEqual((again["version"], again["stored"]), (1, False))
        self.assertEqual(self.add("print(2)")["version"], 2)
        self.assertEqual(self.add("print(2)", "--timeout", "5")["version"], 3)
        self.assertEqual(self.skill("run", "count@1").stdout, "1\n")
        self.assertEqual(self.skill("run", "count").stdout, "2\n")
        self.assertEqual(self.skill("run", "count@4").returncode, 125)
        self.assertEqual([v["version"] for v in self.show("count")["versions"]], [3, 2, 1])
        done = self.skill("add", "-", "--name", "count", "--timeout", "5", stdin="print(2)")
        self.assertIn("nothing was stored", done.stdout)

    def test_a_folder_says_it_all(self):
        folder = self.home / "skill"
        folder.mkdir()
        (folder / "skill.toml").write_text(
            'name = "count"\ndescription = "Counts words."\ncode = "main.py"\nthreshold = 0.8\n'
            'level = "strict"\ninput_schema = "in.json"\n[limits]\ntimeout = "5s"\n'
            '[output_schema]\ntype = "object"\n')
        (folder / "main.py").write_text(COUNT)
        (folder / "in.json").write_text(json.dumps(INPUT))
        self.assertEqual(self.skill("add", str(folder)).stdout, "count@1\n")
        shown = self.show("count")
        self.assertEqual((shown["lang"], shown["level"], shown["timeout"], shown["threshold"]),
                         ("python", "strict", "5000ms", 0.8))
        self.assertEqual(shown["input_schema"], INPUT)
        self.assertEqual(self.run_json("count", {"text": "a b"})[1]["output"], {"words": 2})
        (folder / "skill.toml").write_text('name = "x"\ncode = "../state/belljar.db"\n')
        self.assertEqual(self.skill("add", str(folder)).returncode, 125)

    def test_mistakes_are_told_in_a_sentence(self):
        for flags, word in ((("--name", "No Good"), "cannot be named"),
                            (("--name", "x", "--threshold", "7"), "threshold"),
                            (("--name", "x", "--input-schema", '{"typ":1}'), "input_schema"),
                            (("--name", "x", "--input-schema", "{"), "--input-schema"),
                            (("--name", "x", "--timeout", "never"), "timeout"),
                            (("--name", "x", "--level", "lax"), "lax"), ((), "--name")):
            done = self.skill("add", "-", *flags, stdin="1")
            self.assertEqual(done.returncode, 125, flags)
            self.assertIn(word, done.stderr)

    def test_what_is_no_program_is_not_stored(self):
        for lang, code in (("python", "def f(:"), ("python", "return 3"), ("bash", "if true"),
                           ("javascript", "const = 1")):
            done = self.skill("add", "-", "--name", "bad", "--lang", lang, stdin=code)
            self.assertEqual(done.returncode, 125, (lang, done.stdout))
            self.assertIn("not stored", done.stderr)
        self.assertEqual(json.loads(self.skill("list", "--json").stdout)["skills"], [])

    def test_what_the_policy_blocks_is_not_stored(self):
        refused = self.add("x = 1\nimport socket")
        self.assertEqual((refused["stored"], refused["findings"][0]["line"]), (False, 2))
        done = self.skill("add", "-", "--name", "count", stdin="import socket")
        self.assertEqual(done.returncode, 126)
        self.assertIn("py-import", done.stderr)
        self.assertEqual(json.loads(self.skill("list", "--json").stdout)["skills"], [])
        self.assertTrue(self.add("import socket", "--level", "relaxed")["stored"])

    def test_what_needs_review_is_stored_and_each_run_asks(self):
        self.assertEqual(self.add("print(eval('6*7'))")["decision"]["action"], "review")
        status, result = self.run_json("count")
        self.assertEqual((status, result["outcome"]), (127, "needs_approval"))
        question = result["decision"]["approval"]["id"]
        subprocess.run([self.binary, "approvals", "approve", "--yes", "--grant", "digest", question],
                       env=self.env, check=True, capture_output=True)
        for _ in range(2):
            self.assertEqual(self.run_json("count")[1]["stdout"], "42\n")
        self.assertEqual(self.run_json("count", 1)[1]["outcome"], "needs_approval")
        self.assertEqual(self.show("count")["stats"]["runs"], 2)

    def test_is_gone_when_it_is_removed(self):
        self.add("1")
        self.assertEqual(self.skill("rm", "count@1").returncode, 125)
        self.assertEqual(self.skill("rm", "count").returncode, 0)
        self.assertEqual(self.skill("run", "count").returncode, 125)
        self.assertEqual(self.add("2")["version"], 1)


class Running(Skills):
    def test_good_and_bad_input_and_output(self):
        self.add_count()
        status, result = self.run_json("count", {"text": "a b c"})
        self.assertEqual((status, result["output"]), (0, {"words": 3}))
        self.assertEqual(result["skill"], {"name": "count", "version": 1})
        for bad in ({"text": 1}, {}, [], None):
            status, said = self.run_json("count", bad)
            self.assertEqual(status, 125, bad)
            self.assertIn("input", said)
        status, result = self.run_json("count", {"text": ""})
        self.assertEqual((status, result["error"]["type"]), (1, "OutputMismatch"))
        stats = self.show("count")["stats"]
        self.assertEqual((stats["runs"], stats["successes"], stats["success_rate"]), (2, 1, 0.5))
        self.assertIn("OutputMismatch", stats["last_error"])
        self.assertGreaterEqual(stats["p95_ms"], stats["p50_ms"])
        runs = json.loads(self.skill("history", "count", "--json").stdout)["runs"]
        self.assertEqual([run["outcome"] for run in runs], ["exception", "ok"])
        self.assertEqual(runs[0]["id"], result["id"])

    def test_its_limits_and_its_level_hold(self):
        self.add("while True: pass", "--timeout", "300ms")
        self.assertEqual(self.run_json("count")[1]["outcome"], "timeout")
        self.add("import threading", "--level", "relaxed", name="loose")
        self.env["BELLJAR_LEVEL"] = "strict"
        self.assertEqual(self.run_json("loose")[1]["outcome"], "ok")

    def test_input_from_a_file_and_other_languages(self):
        path = self.home / "in.json"
        path.write_text('{"text": "x"}')
        self.add("cat", "--lang", "bash", name="echo")
        self.assertEqual(self.skill("run", "echo", "--input", "@%s" % path).stdout,
                         '{"text":"x"}\n')
        self.add("process.stdin.pipe(process.stdout)", "--lang", "javascript", name="js")
        self.assertEqual(self.skill("run", "js", "--input", "[1]").stdout, "[1]\n")

    def test_is_disabled_by_its_health_and_enabled_again(self):
        self.add(FAILS)
        for _ in range(4):
            self.assertEqual(self.skill("run", "count").returncode, 1)
        fifth = self.skill("run", "count")
        self.assertIn("disabled from now on", fifth.stderr)
        status, result = self.run_json("count")
        self.assertEqual((status, result["outcome"]), (126, "refused"))
        self.assertIn("0 of its last 5 runs succeeded", result["reason"])
        self.assertIn("belljar skill enable count@1", result["reason"])
        shown = json.dumps(self.show("count"))
        self.assertIn("[redacted:github-token]", shown)
        self.assertNotIn(SECRET, self.skill("history", "count").stdout)
        self.assertEqual(self.show("count")["stats"]["runs"], 5, "a refusal is no run")
        self.assertEqual(self.skill("enable", "count").stdout, "count@1: enabled\n")
        self.assertEqual(self.skill("run", "count").returncode, 1)

    def test_by_hand_too(self):
        self.add("print(1)")
        self.add("print(2)")
        self.skill("disable", "count@2", "--why", "wrong")
        self.assertIn("is disabled: wrong", self.skill("run", "count").stderr)
        self.assertEqual(self.skill("run", "count@1").returncode, 0)


class Tampering(Skills):
    CHANGES = (
        ("other code", "UPDATE skill_versions SET code = ?", b"print(666)"),
        ("more time", "UPDATE skill_versions SET terms = replace(terms, '30000ms', ?)", "90000ms"),
        ("another level", "UPDATE skill_versions SET terms = replace(terms, 'strict', ?)", "relaxed"),
        ("an older version", "UPDATE skills SET newest = ?", 1),
        ("enabled", "UPDATE skill_versions SET state = 'enabled', why = ? WHERE version = 2", ""),
        ("another's", "UPDATE skill_versions SET caller = ?", "uid:12345"),
    )

    def test_a_changed_row_is_not_run(self):
        for what, statement, value in self.CHANGES:
            self.add("print(1)", "--level", "strict")
            self.add("print(2)", "--level", "strict")
            self.skill("disable", "count@2")
            self.sql(statement, value)
            done = self.skill("run", "count")
            self.assertEqual((done.returncode, done.stdout), (125, ""), what)
            self.assertIn("tampered", done.stderr, what)
            self.assertEqual(self.skill("rm", "count").returncode, 0, what)

    def test_a_row_of_ones_own_making_is_not_run(self):
        self.add("print(1)")
        self.sql("INSERT INTO skills SELECT caller, 'mine', newest, seal FROM skills")
        self.sql("INSERT INTO skill_versions SELECT caller, 'mine', version, digest, state, why, "
                 "created_ms, changed_ms, judged_after, code_bytes, seal, terms, code "
                 "FROM skill_versions")
        self.assertIn("tampered", self.skill("run", "mine").stderr)
        self.assertEqual(self.skill("run", "count").stdout, "1\n")


class Service(OwnDaemon):
    ENV = {"PATH": "/usr/bin:/bin", "BELLJAR_LEVEL": "standard"}

    def scoped(self, name, *scopes):
        return self.daemon.client(self.token(name, *[word for scope in scopes for word in ("--scope", scope)]))

    def add(self, code, client=None, **more):
        answer = (client or self.client).post("/v1/skills", {"name": "count", "code": code, **more})
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()

    def run_skill(self, handle="count", body=None, client=None):
        return (client or self.client).post("/v1/skills/%s/runs" % handle, body or {})

    def test_another_caller_sees_nothing_of_it(self):
        # All at once: a daemon looks for new tokens once a second.
        ann, eve = self.scoped("ann", "run"), self.scoped("eve", "run")
        nobody = self.scoped("nobody", "audit")
        self.add("print(1)", ann)
        self.assertEqual(self.run_skill(client=ann).json()["stdout"], "1\n")
        self.assertEqual(eve.get("/v1/skills").json(), {"skills": []})
        for answer in (eve.get("/v1/skills/count"), eve.get("/v1/skills/count/runs"),
                       self.run_skill(client=eve), eve.post("/v1/skills/count/disable"),
                       eve.post("/v1/skills/count/enable"), eve.delete("/v1/skills/count"),
                       self.client.get("/v1/skills/count")):
            self.assertEqual(answer.status, 404, answer.body)
        self.assertEqual(self.add("print(2)", eve)["version"], 1)
        self.assertEqual(self.run_skill(client=ann).json()["stdout"], "1\n")
        answer = nobody.get("/v1/skills")
        self.assertEqual(answer.status, 403, answer.body)
        for client in (ann, eve, nobody):
            client.close()

    def test_the_list_is_one_of_tools(self):
        self.add(COUNT, description="Counts words.", input_schema=INPUT, output_schema=OUTPUT)
        (tool,) = self.client.get("/v1/skills").json()["skills"]
        self.assertEqual({key: tool[key] for key in
                          ("name", "description", "input_schema", "output_schema")},
                         {"name": "count", "description": "Counts words.",
                          "input_schema": INPUT, "output_schema": OUTPUT})
        self.assertNotIn("code", tool)

    def test_runs_are_ordinary_ones(self):
        self.add(COUNT, input_schema=INPUT, output_schema=OUTPUT)
        result = self.run_skill(body={"input": {"text": "a b"}, "correlation_id": "c-1"}).json()
        self.assertEqual((result["output"], result["skill"], result["correlation_id"]),
                         ({"words": 2}, {"name": "count", "version": 1}, "c-1"))
        record = self.client.get("/v1/audit/%d" % result["audit"]["index"]).json()
        self.assertEqual(record["detail"]["skill"], {"name": "count", "version": 1})
        self.assertEqual(self.client.get("/v1/runs/" + result["id"]).json()["outcome"], "ok")
        for body in ({"input": {"text": 1}}, {}, {"input": {"text": ""}, "timeout": 60},
                     {"code": "1"}, {"level": "relaxed"}):
            self.assertEqual(self.run_skill(body=body).status, 400, body)
        history = self.client.get("/v1/skills/count/runs").json()["runs"]
        self.assertEqual([run["id"] for run in history], [result["id"]])

    def test_is_compiled_once(self):
        self.add("print(1)")
        for _ in range(2):
            self.assertEqual(self.run_skill().json()["stdout"], "1\n")
        self.assertEqual(self.client.get("/v1/skills/count").json()["compiled"]["times"], 1)

    def test_what_the_policy_blocks_is_refused_with_the_findings(self):
        answer = self.client.post("/v1/skills", {"name": "bad", "code": "import socket"})
        self.assertEqual(answer.status, 403)
        self.assertEqual(answer.json()["findings"][0]["rule"], "py-import")
        self.assertIn("not stored", answer.json()["error"]["message"])
        self.assertEqual(self.client.get("/v1/skills/bad").status, 404)

    def test_what_is_no_program_is_an_invalid_request(self):
        answer = self.client.post("/v1/skills", {"name": "bad", "code": "def f(:"})
        self.assertEqual(answer.status, 400, answer.body)
        self.assertIn("not stored", answer.json()["error"]["message"])
        self.assertEqual(self.client.get("/v1/skills/bad").status, 404)

    def test_its_health_raises_an_alert(self):
        events = self.daemon.client().ask("GET", "/v1/events", stream=True,
                                          headers={"Accept": "application/x-ndjson"})
        self.add(FAILS)
        for _ in range(5):
            self.assertEqual(self.run_skill().json()["outcome"], "exception")
        refused = self.run_skill().json()
        self.assertEqual(refused["outcome"], "refused")
        self.assertIn("belljar skill enable count@1", refused["reason"])
        for line in events:
            event = json.loads(line)
            if event["event"] == "skill":
                break
        self.assertIn("0 of its last 5 runs", event["why"])
        journal = (self.daemon.directory / "stderr").read_text()
        (line,) = [json.loads(line) for line in journal.splitlines() if "skill_disabled" in line]
        self.assertEqual((line["level"], line["skill"]), ("warning", "count@1"))
        records = self.client.get("/v1/audit?event=skill").json()["records"]
        self.assertEqual([r["outcome"] for r in records], ["disabled", "added"])
        self.assertEqual(records[0]["detail"]["by"], "its health")
        self.assertNotIn(SECRET, json.dumps(records) + journal)
        self.client.post("/v1/skills/count/enable")
        self.assertEqual(self.run_skill().json()["outcome"], "exception")

    def test_survives_a_kill_and_goes_on_counting(self):
        self.add("print(1)")
        self.add("print(2)")
        self.run_skill()
        self.daemon.process.send_signal(signal.SIGKILL)
        self.daemon.process.wait()
        self.client.close()
        self.daemon.start()
        self.client = self.daemon.client()
        self.assertEqual(self.run_skill("count@1").json()["stdout"], "1\n")
        self.assertEqual(self.run_skill().json()["stdout"], "2\n")
        self.assertEqual(self.client.get("/v1/skills/count").json()["stats"]["runs"], 2)

    def test_the_commands_use_the_daemon(self):
        path = self.daemon.directory / "double.py"
        path.write_text("import json, sys\nprint(2 * json.load(sys.stdin))")

        def command(*arguments):
            return self.daemon.command(*arguments).stdout

        self.assertEqual(command("skill", "add", str(path)), "double@1\n")
        self.assertEqual(command("skill", "run", "double@1", "--input", "21"), "42\n")
        self.assertIn("double", command("skill", "list"))
        self.assertIn("ok", command("skill", "history", "double"))
        records = self.client.get("/v1/audit?event=skill").json()["records"]
        self.assertEqual(records[0]["outcome"], "added")
        self.assertEqual(self.client.get("/v1/skills/double").json()["stats"]["runs"], 1)
        command("skill", "disable", "double", "--why", "enough")
        self.assertEqual(self.run_skill("double", {"input": 1}).json()["outcome"], "refused")
        self.assertEqual(command("skill", "enable", "double"), "double@1: enabled\n")
        command("skill", "rm", "double")
        self.assertEqual(self.client.get("/v1/skills").json(), {"skills": []})
