"""Judgement as users see it: check, policies, refusals and approvals, by command and by HTTP."""
import json
import os
import pathlib
import pty
import select
import signal
import subprocess
import threading

from suite import Commands, OwnDaemon, SECONDS, wait_for

EVAL = "print(eval('6*7'))"
ALL_LEVELS = ("--levels", "strict", "--levels", "standard", "--levels", "relaxed")


class Check(Commands):
    def test_says_what_would_come_of_it_and_runs_nothing(self):
        mark = pathlib.Path("/var/belljar-was-run")
        for code, status, word in (("print(1)", 0, "allow"), ("import socket", 126, "block"),
                                   ("eval('1')", 127, "review"),
                                   ("open('%s', 'w')" % mark, 127, "review"),
                                   ("().__class__.__base__", 0, "warn")):
            done = self.belljar("check", "-c", code)
            self.assertEqual(done.returncode, status, done.stdout + done.stderr)
            self.assertIn(": %s, L" % word, done.stdout.splitlines()[-1])
        self.assertFalse(mark.exists())

    def test_names_place_rule_and_advice(self):
        done = self.belljar("check", "--json", "-c", "x = 1\nimport pickle\n")
        finding = json.loads(done.stdout)["findings"][0]
        self.assertEqual((finding["rule"], finding["action"], finding["line"], finding["column"]),
                         ("py-import", "block", 2, 8))
        self.assertTrue(finding["message"] and finding["advice"])

    def test_answers_lines_and_goes_on_after_a_bad_one(self):
        lines = ('{"id":"a","code":"import math"}\n{"id":"b","code":1}\nnonsense\n'
                 '{"id":"c","lang":"bash","code":"rm -rf /"}\n'
                 '{"id":"d","lang":"javascript","code":"require(\'child_process\')"}\n')
        done = self.belljar("check", "--jsonl", "--jobs", "1", stdin=lines)
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(answers), 5)
        by_id = {answer["id"]: answer for answer in answers}
        self.assertEqual(by_id["a"]["decision"]["action"], "allow")
        self.assertIn("code", by_id["b"]["error"]["message"])
        self.assertEqual(by_id["c"]["decision"]["action"], "block")
        self.assertEqual(by_id["d"]["decision"]["action"], "block")

    def test_flags_hold_for_lines_that_do_not_say_otherwise(self):
        lines = '{"id":"a","code":"rm -rf /"}\n{"id":"b","lang":"python","code":"import math"}\n'
        done = self.belljar("check", "--jsonl", "--lang", "bash", stdin=lines)
        actions = {one["id"]: one["decision"]["action"] for one in map(json.loads, done.stdout.splitlines())}
        self.assertEqual(actions, {"a": "block", "b": "allow"})
        self.assertIn("leave out FILE and -c", self.belljar("check", "--jsonl", "-c", "1").stderr)

    def test_reads_files_by_their_ending(self):
        for name, code, status in (("a.py", "import socket", 126), ("a.sh", "sudo ls", 127),
                                   ("a.js", "require('net')", 126), ("b.sh", "ls", 0)):
            path = pathlib.Path(self.home, name)
            path.write_text(code)
            self.assertEqual(self.belljar("check", str(path)).returncode, status, name)


    def test_the_page_of_rules_is_what_the_rules_say(self):
        page = pathlib.Path(__file__).resolve().parent.parent / "docs/rules.md"
        self.assertEqual(self.belljar("check", "--rules").stdout, page.read_text())


class Levels(Commands):
    def test_the_default_is_standard(self):
        status, result = self.run_json("-c", "import subprocess")
        self.assertEqual((status, result["outcome"]), (126, "refused"))
        self.assertEqual(result["decision"]["action"], "block")
        self.assertIn("py-import", result["decision"]["reasons"][0])

    def test_relaxed_runs_what_the_image_has(self):
        code = "import subprocess\nprint(subprocess.run(['echo', 'hi'], capture_output=True).stdout)"
        status, result = self.run_json("--level", "relaxed", "-c", code)
        self.assertEqual((status, result["stdout"]), (0, "b'hi\\n'\n"))
        self.assertEqual(result["decision"]["action"], "warn")

    def test_strict_takes_listed_modules_only(self):
        self.assertEqual(self.belljar("run", "--level", "strict", "-c", "import math").returncode, 0)
        self.assertEqual(
            self.belljar("run", "--level", "strict", "-c", "import threading").returncode, 126)

    def test_an_unknown_level_is_told_in_one_sentence(self):
        done = self.belljar("run", "--level", "lax", "-c", "1")
        self.assertEqual(done.returncode, 125)
        self.assertIn("strict, standard, relaxed", done.stderr)

    def test_commands_get_the_level_their_analysis_asks_for(self):
        for command, level in ((["ls"], "L1"), (["touch", "x"], "L2"),
                               (["python3", "-c", "1"], "L3")):
            done = self.belljar("exec", "--json", "--", *command)
            self.assertEqual(json.loads(done.stdout)["decision"]["level"], level, command)
        done = self.belljar("exec", "--", "rm", "-rf", "/")
        self.assertEqual(done.returncode, 126, done.stderr)

    def test_files_and_standard_input_that_are_code_are_read_too(self):
        path = pathlib.Path(self.home, "helper.py")
        path.write_text("import socket\n")
        status, result = self.run_json("--file", str(path), "-c", "import helper")
        self.assertEqual((status, result["outcome"]), (126, "refused"))
        self.assertIn("helper.py", result["reason"])
        for command in (["python3"], ["python3", "-"], ["/usr/bin/python3"]):
            done = self.belljar("exec", "--", *command, stdin="import socket\n")
            self.assertEqual(done.returncode, 126, command)

    def test_a_session_cannot_wish_for_more_than_its_level_gives(self):
        with self.new_daemon(*ALL_LEVELS, env={"BELLJAR_LEVEL": "standard"}) as daemon:
            client = daemon.client()
            answer = client.post("/v1/sessions", {"memory": "1G"})
            self.assertEqual(answer.status, 403, answer.body)
            self.assertEqual(client.post("/v1/sessions", {"memory": "1G", "level": "relaxed"}).status, 200)
            client.close()

    def test_variables_that_load_other_code_need_a_person(self):
        for name in ("PYTHONPATH", "BASH_ENV", "NODE_OPTIONS"):
            status, result = self.run_json("--env", name + "=x", "-c", "1")
            self.assertEqual((status, result["outcome"]), (127, "needs_approval"), name)
        self.assertEqual(self.run_json("--env", "MINE=x", "-c", "1")[0], 0)

    def test_a_daemon_that_was_told_a_level_opens_none_that_is_milder(self):
        with self.new_daemon("--level", "strict") as daemon:
            client = daemon.client()
            answer = client.post("/v1/runs", {"code": "1", "level": "relaxed"})
            self.assertEqual(answer.status, 403, answer.body)
            self.assertEqual(client.run("import threading")["outcome"], "refused")
            client.close()

    def test_wishes_beyond_the_preset_need_a_person(self):
        for flags in (["--timeout", "61"], ["--memory", "600M"],
                      ["--vault", f"{self.home}:rw"]):
            status, result = self.run_json(*flags, "-c", "1")
            self.assertEqual((status, result["outcome"]), (127, "needs_approval"), flags)


class Policies(Commands):
    def write(self, text):
        path = pathlib.Path(self.home, "mine.toml")
        path.write_text(text)
        return str(path)

    def test_one_of_ones_own_extends_a_preset(self):
        mine = self.write('extends = "standard"\n[rules]\npy-eval = "allow"\n')
        self.assertEqual(self.belljar("run", "--policy", mine, "-c", EVAL).stdout, "42\n")
        self.assertEqual(self.belljar("run", "--policy", mine, "-c", "import socket").returncode, 126)

    def test_a_mistake_names_the_nearest_key(self):
        mine = self.write('extends = "standard"\n[clases]\n')
        done = self.belljar("run", "--policy", mine, "-c", "1")
        self.assertEqual(done.returncode, 125)
        self.assertIn('did you mean "classes"?', done.stderr)

    def test_it_carries_its_own_examples(self):
        mine = self.write('extends = "standard"\n[[examples]]\nsays = "x"\ncode = "1"\n'
                          'expect = "allow"\n[[examples]]\nsays = "y"\ncode = "1"\n'
                          'expect = "block"\n')
        done = self.belljar("policy", "test", mine)
        self.assertEqual(done.returncode, 1)
        self.assertIn("failed: y: expected block, got allow", done.stdout)
        self.assertIn("1 passed, 1 failed", done.stdout)
        for preset in ("strict", "standard", "relaxed"):
            self.assertEqual(self.belljar("policy", "test", preset).returncode, 0)

    def test_what_is_shown_is_a_policy_that_says_the_same(self):
        mine = self.write('extends = "strict"\nbackend = "native"\nstrict_gvisor = false\n'
                          '[recovery]\non = ["exit"]\nfallback = true\n[network]\nhosts = ["a.example"]\n')
        shown = self.belljar("policy", "show", mine).stdout
        self.assertIn('hosts = ["a.example"]', shown)
        self.assertIn("[recovery]", shown)
        again = self.belljar("policy", "show", self.write(shown))
        self.assertEqual(again.stdout.splitlines()[1:], shown.splitlines()[1:], again.stderr)

    def test_show_and_explain(self):
        self.assertIn('dynamic-code = "review"', self.belljar("policy", "show").stdout)
        self.assertIn("standard says review", self.belljar("policy", "explain", "py-eval").stdout)
        self.assertIn("numpy in python: allow",
                      self.belljar("policy", "explain", "numpy", "strict").stdout)
        self.assertIn("os.system in python: block",
                      self.belljar("policy", "explain", "os.system").stdout)


class Redaction(Commands):
    SECRET = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"

    def test_nothing_that_leaves_holds_the_secret(self):
        code = ("import sys\ns = 'ghp_' + '0123456789abcdefghijABCDEFGHIJ012345'\n"
                "print(s)\nprint(s, file=sys.stderr)\nopen('f', 'w').write(s)\nraise ValueError(s)")
        status, result = self.run_json("--fetch", "f", "-c", code)
        self.assertNotIn(self.SECRET, json.dumps(result))
        self.assertEqual({(r["kind"], r["stream"]) for r in result["redactions"]},
                         {("github-token", where) for where in ("stdout", "stderr", "error", "files")})
        self.assertIn("[redacted:github-token]", result["stdout"])

    def test_a_secret_in_two_writes_is_caught_while_streaming(self):
        code = ("import sys, time\nfor part in ('a ghp_01234567', '89abcdefghijABCDEFGHIJ0123', '45 b'):\n"
                "    sys.stdout.write(part); sys.stdout.flush(); time.sleep(0.1)")
        self.assertEqual(self.belljar("run", "-c", code).stdout, "a [redacted:github-token] b")

    def test_what_the_judge_quotes_is_cleaned_too(self):
        status, result = self.run_json("-c", "open('/etc/%s')\nimport socket" % self.SECRET)
        self.assertEqual(status, 126)
        self.assertNotIn(self.SECRET, json.dumps(result))
        self.assertEqual(result["redactions"][0]["stream"], "judgement")

    def test_relaxed_leaves_numbers_alone(self):
        code = "print('4111 1111 1111 1111')"
        self.assertIn("payment-card", self.belljar("run", "-c", code).stdout)
        self.assertEqual(self.belljar("run", "--level", "relaxed", "-c", code).stdout,
                         "4111 1111 1111 1111\n")

    def test_the_command_for_pipes(self):
        done = self.belljar("redact", stdin="a %s b" % self.SECRET)
        self.assertEqual((done.stdout, done.returncode), ("a [redacted:github-token] b", 0))
        done = self.belljar("redact", "--jsonl", stdin='{"id":1,"text":"joe@example.org"}\nno\n')
        first, second = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(first["redactions"], [{"kind": "e-mail", "count": 1}])
        self.assertIn("error", second)


class Approvals(Commands):
    def questions(self):
        return json.loads(self.belljar("approvals", "list", "--json").stdout)["approvals"]

    def ask(self, code=EVAL, **more):
        status, result = self.run_json("-c", code, **more)
        self.assertEqual((status, result["outcome"]), (127, "needs_approval"))
        return result["decision"]["approval"]["id"]

    def test_a_yes_runs_it_once(self):
        question = self.ask()
        self.assertEqual(self.belljar("approvals", "approve", "--yes", question).returncode, 0)
        self.assertEqual(self.run_json("-c", EVAL)[1]["stdout"], "42\n")
        self.assertEqual(self.run_json("-c", EVAL)[1]["outcome"], "needs_approval")

    def test_a_changed_request_needs_a_new_one(self):
        question = self.ask()
        self.belljar("approvals", "approve", "--yes", question)
        self.assertEqual(self.run_json("-c", EVAL + " ")[1]["outcome"], "needs_approval")
        for more in (["--env", "A=1"], ["--timeout", "31"], ["--memory", "100M"]):
            self.assertEqual(self.run_json(*more, "-c", EVAL)[1]["outcome"], "needs_approval", more)
        self.assertEqual(self.run_json("-c", EVAL)[1]["outcome"], "ok")

    def test_a_no_is_a_no(self):
        question = self.ask()
        self.assertEqual(self.belljar("approvals", "deny", question, "--note", "why").returncode, 0)
        late = self.belljar("approvals", "approve", "--yes", question)
        self.assertEqual(late.returncode, 125)
        self.assertIn("denied by", late.stderr)

    def test_asking_twice_is_one_question(self):
        self.assertEqual(self.ask(), self.ask())
        self.assertEqual(len(self.questions()), 1)

    def test_a_reason_and_a_name_make_no_other_request(self):
        question = self.ask()
        self.assertEqual(self.run_json("--reason", "a", "-c", EVAL)[1]["decision"]["approval"]["digest"],
                         self.questions()[0]["digest"])
        self.belljar("approvals", "approve", "--yes", self.questions()[0]["id"])
        more = ("--reason", "b", "--correlation-id", "c-1")
        self.assertEqual(self.run_json(*more, "-c", EVAL)[1]["outcome"], "ok", question)

    def test_without_a_terminal_nobody_is_asked(self):
        done = self.belljar("approvals", "approve", self.ask(), stdin="yes\n")
        self.assertEqual(done.returncode, 125)
        self.assertIn("no terminal", done.stderr)

    def test_a_grant_for_the_digest_holds_for_a_time(self):
        question = self.ask()
        self.belljar("approvals", "approve", "--yes", "--grant", "digest", "--for", "1h", question)
        for _ in range(2):
            self.assertEqual(self.run_json("-c", EVAL)[1]["outcome"], "ok")
        self.belljar("approvals", "revoke", question)
        self.assertEqual(self.run_json("-c", EVAL)[1]["outcome"], "needs_approval")

    def test_under_strict_somebody_else_has_to_answer(self):
        code = "open('/etc/passwd')"
        status, result = self.run_json("--level", "strict", "-c", code)
        self.assertEqual(status, 127, result)
        done = self.belljar("approvals", "approve", "--yes", result["decision"]["approval"]["id"])
        self.assertEqual(done.returncode, 125, done.stdout)

    def test_shows_what_comes_along_with_the_code(self):
        path = pathlib.Path(self.home, "data.txt")
        path.write_text("x")
        self.run_json("--file", str(path), "--env", "A=1", "-c", EVAL, stdin="in")
        (question,) = self.questions()
        self.assertEqual(question["touches"],
                         ["brings the file data.txt, 1 bytes", "sets A",
                          "reads 2 bytes of standard input"])

    def test_shows_what_a_person_must_know(self):
        question = self.ask("\x1b[2Jeval('1')  # \u202e")
        shown = self.belljar("approvals", "show", question).stdout
        self.assertNotIn("\x1b", shown)
        self.assertNotIn("\u202e", shown)
        self.assertIn("py-eval", shown)

    def test_waits_for_the_answer_when_asked_to(self):
        process = subprocess.Popen([self.binary, "run", "--wait", "30", "-c", EVAL], env=self.env,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        wait_for(self.questions, "a question", SECONDS)
        self.belljar("approvals", "approve", "--yes", self.questions()[0]["id"])
        self.assertEqual(process.communicate(timeout=SECONDS)[0], "42\n")

    def answer_at_terminal(self, word):
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(self.binary, [self.binary, "run", "-c", EVAL], self.env)
        said = b""
        try:
            while b"Type yes" not in said:
                self.assertTrue(select.select([terminal], [], [], SECONDS)[0], said)
                said += os.read(terminal, 4096)
            os.write(terminal, word.encode() + b"\n")
            while True:
                said += os.read(terminal, 4096)
        except OSError:
            pass
        finally:
            os.close(terminal)
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), said.decode()

    def test_at_a_terminal_only_the_full_word_yes_counts(self):
        for word in ("y", "Yes", "yes please", ""):
            status, said = self.answer_at_terminal(word)
            self.assertEqual(status, 126, said)
        status, said = self.answer_at_terminal("yes")
        self.assertEqual(status, 0, said)
        self.assertIn("42", said)


class Service(OwnDaemon):
    FLAGS, ENV = ALL_LEVELS, {"BELLJAR_LEVEL": "standard"}

    def scoped(self, name, *scopes):
        return self.daemon.client(self.token(name, *[word for scope in scopes for word in ("--scope", scope)]))

    def ask(self, client=None, code=EVAL):
        result = (client or self.client).run(code)
        self.assertEqual(result["outcome"], "needs_approval", result)
        return result["decision"]["approval"]["id"]

    def test_check_judges(self):
        answer = self.client.post("/v1/check", {"code": "import socket"}).json()
        self.assertEqual(answer["decision"]["action"], "block")

    def test_a_run_that_is_refused_is_a_result_and_recorded(self):
        result = self.client.run("import socket")
        self.assertEqual(result["outcome"], "refused")
        self.assertIn("hash", result["audit"])
        self.assertEqual(result["findings"][0]["rule"], "py-import")

    def test_a_session_is_judged_by_the_level_it_was_made_with(self):
        made = self.client.post("/v1/sessions", {"level": "relaxed"}).json()
        path = "/v1/sessions/%s/runs" % made["id"]
        self.assertEqual(self.client.post(path, {"code": "import socket"}).json()["outcome"], "ok")
        made = self.client.post("/v1/sessions", {}).json()
        path = "/v1/sessions/%s/runs" % made["id"]
        self.assertEqual(self.client.post(path, {"code": "import os"}).json()["outcome"], "ok")
        self.assertEqual(
            self.client.post(path, {"code": "os.system('id')"}).json()["outcome"], "refused")
        self.assertEqual(self.client.post(path, {"code": "6*7"}).json()["outcome"], "ok")

    def test_a_question_outlives_the_daemon(self):
        question = self.ask()
        self.daemon.process.send_signal(signal.SIGKILL)
        self.daemon.process.wait()
        self.client.close()
        self.daemon.start()
        self.client = self.daemon.client()
        answer = self.client.post("/v1/approvals/%s/approve" % question)
        self.assertEqual(answer.json()["state"], "approved", answer.body)
        self.assertEqual(self.client.run(EVAL)["stdout"], "42\n")

    def test_of_two_approvers_at_once_one_answers(self):
        question = self.ask()
        answers = []

        def answer(what):
            client = self.daemon.client()
            answers.append(client.post("/v1/approvals/%s/%s" % (question, what)).status)
            client.close()

        threads = [threading.Thread(target=answer, args=(what,)) for what in ("approve", "deny") * 4]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(sorted(answers)[:2], [200, 400])
        self.assertEqual(answers.count(200), 1)

    def test_the_answer_is_waited_for_when_asked_to(self):
        results = []

        def wait():
            client = self.daemon.client()
            results.append(client.post("/v1/runs", {"code": EVAL},
                                       headers={"Prefer": "wait=30"}).json())
            client.close()

        thread = threading.Thread(target=wait)
        thread.start()
        waiting = wait_for(lambda: self.client.get("/v1/approvals?state=waiting").json()["approvals"])
        self.client.post("/v1/approvals/%s/approve" % waiting[0]["id"], {"note": "fine"})
        thread.join()
        self.assertEqual(results[0]["stdout"], "42\n")
        self.assertEqual(results[0]["decision"]["approval"]["answer"]["note"], "fine")

    def test_an_alias_of_an_earlier_run_is_not_forgotten(self):
        made = self.client.post("/v1/sessions", {}).json()
        path = "/v1/sessions/%s/runs" % made["id"]
        self.assertEqual(self.client.post(path, {"code": "import os as o"}).json()["outcome"], "ok")
        self.assertEqual(self.client.post(path, {"code": "o.popen('id')"}).json()["outcome"],
                         "needs_approval")

    def test_a_caller_that_goes_takes_its_question_back(self):
        client = self.daemon.client()
        client.connection.request("POST", "/v1/runs", json.dumps({"code": EVAL}),
                                  {"Prefer": "wait=600", "Content-Type": "application/json"})
        wait_for(lambda: self.client.get("/v1/approvals").json()["approvals"], "a question", SECONDS)
        client.close()

        def state():
            return self.client.get("/v1/approvals").json()["approvals"][0]["state"]
        wait_for(lambda: state() != "waiting", "another state", SECONDS)
        self.assertEqual(state(), "cancelled")

    def test_a_yes_can_be_taken_back(self):
        question = self.ask()
        self.client.post("/v1/approvals/%s/approve" % question, {"grant": "digest"})
        self.assertEqual(self.client.run(EVAL)["outcome"], "ok")
        answer = self.client.post("/v1/approvals/%s/revoke" % question)
        self.assertEqual(answer.json()["state"], "denied", answer.body)
        self.assertEqual(self.client.run(EVAL)["outcome"], "needs_approval")

    def test_who_approved_what_is_in_the_log(self):
        question = self.ask()
        self.client.post("/v1/approvals/%s/approve" % question, {"note": "looked at it"})
        self.client.run(EVAL)
        records = self.client.get("/v1/audit?event=approval").json()["records"]
        self.assertEqual(sorted(record["outcome"] for record in records),
                         ["approved", "asked", "used"])
        for record in records:
            self.assertEqual(record["detail"]["id"], question)
            self.assertEqual(len(record["detail"]["digest"]), 64)
