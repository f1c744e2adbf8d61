"""Replay as users see it: a recorded run again, what differs, and what is refused."""
import json
import pathlib
import tempfile

from suite import OneDaemon, WithDaemon


class Replay(OneDaemon):
    """One daemon for all: its log only grows."""

    def run_code(self, code, **more):
        result = self.client.run(code, **more)
        self.assertIn("outcome", result, result)
        return result

    def replay(self, run, *flags):
        return self.belljar("replay", run["id"], *flags)

    def test_a_deterministic_run_is_the_same_again(self):
        run = self.run_code("import random, sys\nprint(random.random(), input(), sys.argv[1:])\n"
                            "open('made', 'w').write('x'); print(open('given').read())\n",
                            deterministic=7, stdin="typed\n", args=["a", "b"],
                            files={"given": "aGVsbG8="}, fetch=["made"], timeout=9)
        self.assertEqual(run["outcome"], "ok", run)
        done = self.replay(run)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^replay of %s, recorded 20\S+: nothing differs\n$" % run["id"])

    def test_what_differs_is_shown_as_a_diff(self):
        run = self.run_code("import uuid\nprint('first')\nprint(uuid.uuid4())\nprint('last')\n")
        done = self.replay(run)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        lines = done.stdout.splitlines()
        self.assertTrue(lines[0].endswith(": it differs"), lines[0])
        self.assertIn("the first run was not deterministic", lines[1])
        self.assertEqual(lines[2:5], ["--- stdout, recorded", "+++ stdout, replayed",
                                      "@@ -1,3 +1,3 @@"])
        self.assertEqual([line[0] for line in lines[5:]], [" ", "-", "+", " "])
        self.assertEqual(lines[6][1:], run["stdout"].splitlines()[1])

    def test_outcome_and_files_are_compared(self):
        # A seed fixes the clock, so the two runs part ways.
        code = ("import time, sys\nold = time.time() < 1.71e9\n"
                "open('then' if old else 'now', 'w')\nsys.exit(3 if old else 0)\n")
        done = self.replay(self.run_code(code), "--json")
        self.assertEqual(done.returncode, 1, done.stderr)
        answer = json.loads(done.stdout)
        self.assertFalse(answer["same"])
        found = {each["what"]: each for each in answer["differences"]}
        self.assertEqual(sorted(found), ["exit_code", "files created", "outcome"])
        self.assertEqual((found["outcome"]["recorded"], found["outcome"]["replayed"]),
                         ("ok", "exit"))
        self.assertIn("-now\n+then\n", found["files created"]["diff"])

    def test_output_is_compared_as_it_was_answered(self):
        run = self.run_code("print('ghp_' + '0123456789abcdefghijABCDEFGHIJ012345')")
        self.assertIn("[redacted:", run["stdout"])
        self.assertEqual(self.replay(run).returncode, 0)

    def test_refusals_and_commands_can_be_replayed(self):
        refused = self.run_code("import socket", level="standard")
        self.assertEqual(refused["outcome"], "refused", refused)
        self.assertEqual(self.replay(refused).returncode, 0)
        command = self.client.post("/v1/runs", {"command": ["sh", "-c", "echo $0 $X", "zero"],
                                                "env": {"X": "1"}}).json()
        self.assertEqual(command["stdout"], "zero 1\n")
        self.assertEqual(self.replay(command).returncode, 0)

    def test_it_is_a_record_that_names_the_first(self):
        run = self.run_code("print(1)")
        answer = self.client.post("/v1/runs/%s/replay" % run["id"])
        self.assertEqual(answer.status, 200, answer.body)
        record = self.client.get("/v1/audit?event=replay").json()["records"][0]
        self.assertEqual(record["run_id"], answer.json()["id"])
        self.assertEqual((record["detail"]["of"], record["detail"]["of_index"],
                          record["detail"]["same"]), (run["id"], run["audit"]["index"], True))
        again = self.belljar("replay", record["run_id"])
        self.assertEqual(again.returncode, 125)
        self.assertIn("it is a replay itself, of %s" % run["id"], again.stderr)

    def test_secrets_are_not_kept_and_have_to_be_given(self):
        run = self.run_code("import os; print(len(os.environ['DB_PASSWORD']))",
                            env={"DB_PASSWORD": "hunter2", "PLAIN": "x"})
        self.assertEqual(run["stdout"], "7\n", run)
        done = self.replay(run)
        self.assertEqual(done.returncode, 125, done.stdout)
        self.assertIn("secrets are not kept; give the value of DB_PASSWORD", done.stderr)
        self.assertEqual(self.replay(run, "--env", "DB_PASSWORD=hunter2").returncode, 0)
        self.assertEqual(self.replay(run, "--env", "DB_PASSWORD=longer-one").returncode, 1)
        self.assertEqual(self.replay(run, "--env", "PLAIN=y").returncode, 125)
        bodies = b"".join(path.read_bytes() for path in self.daemon.state.rglob("*")
                          if path.is_file() and "images" not in path.parts)
        self.assertNotIn(b"hunter2", bodies)

    def test_runs_in_sessions_are_refused(self):
        made = self.client.post("/v1/sessions", {}).json()
        run = self.client.post("/v1/sessions/%s/runs" % made["id"], {"code": "1"}).json()
        done = self.replay(run)
        self.assertEqual(done.returncode, 125)
        self.assertIn("it ran in a session", done.stderr)

    def test_what_is_not_there_is_told(self):
        done = self.belljar("replay", "r-nothing")
        self.assertEqual(done.returncode, 125)
        self.assertEqual(done.stderr, 'belljar: the log has no run "r-nothing"\n')

    def test_vaults_are_shown_and_not_written_to(self):
        with tempfile.TemporaryDirectory(prefix="belljar-vault-") as folder:
            vault = pathlib.Path(folder, "data")
            vault.mkdir()
            name = "/vault/data/count"
            code = "with open('%s', 'a') as f: f.write('x')\nprint('written')" % name
            run = self.run_code(code, vaults=[{"host": str(vault), "mode": "rw"}])
            self.assertEqual((vault / "count").read_text(), "x", run)
            done = self.replay(run)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("what was written to them was dropped", done.stdout)
            self.assertEqual((vault / "count").read_text(), "x")

    def test_others_cannot_replay_it(self):
        run = self.run_code("print(1)")
        made = self.belljar("token", "add", "other", "--scope", "run", "--json")
        self.assertEqual(made.returncode, 0, made.stderr)
        other = self.daemon.client(token=json.loads(made.stdout)["token"])
        answer = other.post("/v1/runs/%s/replay" % run["id"])
        self.assertEqual(answer.status, 404, answer.body)


class OnItsOwn(WithDaemon):
    def test_without_a_daemon_the_log_is_opened_here(self):
        with self.new_daemon("--level", "standard", "--levels", "strict") as daemon:
            run = daemon.client().run("print(40 + 2)", level="strict")
            eval_run = daemon.client().run("print(6 * 7)")
            self.assertEqual((run["outcome"], eval_run["outcome"]), ("ok", "ok"), run)
            daemon.stop()
            for each in (run, eval_run):
                done = self.belljar("replay", each["id"], state=daemon.state)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            proved = self.belljar("audit", "verify", state=daemon.state)
            self.assertEqual(proved.returncode, 0, proved.stdout + proved.stderr)

    def test_the_policy_of_then_is_used_and_needs_admin_once_it_is_not_todays(self):
        with tempfile.TemporaryDirectory(prefix="belljar-policy-") as folder:
            policy = pathlib.Path(folder, "own.toml")
            policy.write_text('extends = "standard"\n[rules]\npy-eval = "allow"\n')
            with self.new_daemon("--policy", str(policy), env={}) as daemon:
                token = json.loads(self.belljar("token", "add", "plain", "--scope", "run", "--json",
                                                state=daemon.state).stdout)["token"]
                plain = daemon.client(token=token)
                run = plain.run("print(eval('6*7'))")
                self.assertEqual(run["outcome"], "ok", run)
                path = "/v1/runs/%s/replay" % run["id"]
                self.assertTrue(plain.post(path).json()["same"])
                daemon.stop()
                policy.write_text('extends = "standard"\n[rules]\npy-eval = "block"\n')
                daemon.start()
                answer = daemon.client(token=token).post(path)
                self.assertEqual(answer.status, 403, answer.body)
                answer = daemon.client().post(path).json()
                self.assertTrue(answer["same"], answer)
                self.assertIn("as it was then", answer["notes"][-1])

    def test_without_bodies_there_is_nothing_to_replay(self):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
            config.write('[retention]\nbodies = "0"\n')
            config.flush()
            self.replay_without_bodies(config.name)

    def replay_without_bodies(self, config):
        with self.new_daemon("--config", config) as daemon:
            run = daemon.client().run("print(1)")
            done = self.belljar("replay", run["id"], state=daemon.state)
            self.assertEqual(done.returncode, 125)
            self.assertIn("is not kept any more, or never was (retention.bodies)", done.stderr)

    def test_a_replay_is_no_way_around_a_person(self):
        with self.new_daemon(env={"BELLJAR_LEVEL": "standard"}) as daemon:
            client = daemon.client()
            question = client.run("print(eval('6*7'))")["decision"]["approval"]["id"]
            client.post("/v1/approvals/%s/approve" % question)
            run = client.run("print(eval('6*7'))")
            self.assertEqual(run["outcome"], "ok", run)
            done = self.belljar("replay", run["id"], state=daemon.state)
            self.assertEqual(done.returncode, 125, done.stdout)
            self.assertIn("ran because a person said yes", done.stderr)
            waiting = client.get("/v1/approvals?state=waiting").json()["approvals"][0]["id"]
            self.assertIn(waiting, done.stderr)
            client.post("/v1/approvals/%s/approve" % waiting)
            self.assertEqual(self.belljar("replay", run["id"], state=daemon.state).returncode, 0)
