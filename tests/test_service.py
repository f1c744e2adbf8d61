"""The daemon as its callers see it: a real `belljar serve`, spoken to over its socket.

With --backend another one builds the walls of all cells.
"""
import contextlib
import json
import os
import pathlib
import subprocess
import threading
import time

import pytest

from service.daemon import as_user
from service.processes import any_left, descendants
from suite import OnBackend, Suite, wait_for


class Runs(OnBackend):
    def test_a_run_gives_the_result_of_the_contract(self):
        result = self.client.run("print(6*7)", correlation_id="c1")
        self.assertEqual((result["outcome"], result["stdout"], result["correlation_id"]),
                         ("ok", "42\n", "c1"))
        self.assertTrue(result["id"])
        self.assertIn("hash", result["audit"])
        self.assertEqual(result["layers"]["backend"], self.walls.backend)

    def test_an_id_of_the_callers_comes_back(self):
        self.assertEqual(self.client.run("1", id="mine")["id"], "mine")

    def test_outcomes_are_told_as_on_the_command_line(self):
        self.assertEqual(self.client.run("1/0")["outcome"], "exception")
        self.assertEqual(self.client.run("while 1: pass", timeout=0.3)["outcome"], "timeout")

    def test_bad_requests_are_refused_in_one_sentence(self):
        for body, says in ((b"{", "JSON"), (b'{"code":"1","nope":1}', "nope"),
                           (b'{"code":1}', "code"), (b"[]", "object")):
            answer = self.client.ask("POST", "/v1/runs", body)
            self.assertEqual(answer.status, 400, answer.body)
            self.assertIn(says, answer.json()["error"]["message"])

    def test_output_streams_as_it_is_made(self):
        body = json.dumps({"code": "import time\nprint('a')\ntime.sleep(0.3)\nprint('é')"}).encode()
        response = self.client.ask("POST", "/v1/runs", body, stream=True,
                                   headers={"Accept": "application/x-ndjson"})
        began, lines = time.monotonic(), []
        for line in response:
            lines.append((time.monotonic() - began, json.loads(line)))
        self.assertEqual("".join(event.get("stdout", "") for _, event in lines), "a\né\n")
        self.assertEqual(lines[-1][1]["result"]["outcome"], "ok")
        self.assertLess(lines[0][0], lines[-1][0] - 0.1)

    def test_events_come_as_server_sent_events_when_asked_for(self):
        body = json.dumps({"code": "print(1)"}).encode()
        response = self.client.ask("POST", "/v1/runs", body, stream=True,
                                   headers={"Accept": "text/event-stream"})
        self.assertIn("text/event-stream", response.headers["Content-Type"])
        self.assertIn(b"data: ", response.read())

    def test_a_caller_that_goes_away_cancels_its_run(self):
        other = self.daemon.client()
        body = json.dumps({"code": "import time\nprint(1)\ntime.sleep(60)", "timeout": 60}).encode()
        response = other.ask("POST", "/v1/runs", body, stream=True,
                             headers={"Accept": "application/x-ndjson"})
        response.readline()
        other.connection.sock.close()
        response.close()
        marker = self.client.run("print('still serving')")
        self.assertEqual(marker["stdout"], "still serving\n")
        wait_for(lambda: self.client.get("/v1/runs?outcome=cancelled").json()["runs"], "the run is cancelled", 20)

    def test_the_second_run_of_a_caller_at_once_has_less_of_the_cpus(self):
        def weights():
            below = "belljar-%d*/cell-*/cpu." % self.daemon.process.pid
            found = set()
            for name in ("shares", "weight"):
                with contextlib.suppress(OSError):  # a cell may go while it is looked at
                    for file in pathlib.Path("/sys/fs/cgroup").rglob(below + name):
                        with contextlib.suppress(OSError):
                            found.add(file.read_text().strip())
            return found

        if not any(weights() for _ in range(20)):
            self.skipTest("missing: control groups for CPUs")
        clients, seen = [self.daemon.client() for _ in range(2)], set()

        def has_less():
            seen.update(weights())
            return seen & {"256", "25"}
        for client in clients:
            self.addCleanup(client.close)  # which cancels its run
            client.connection.request("POST", "/v1/runs", json.dumps({"code": "import time; time.sleep(25)"}))
        wait_for(has_less, "a smaller weight", 20)
        self.assertTrue(seen & {"256", "25"}, seen)

    def test_history_has_what_was_answered(self):
        result = self.client.run("print('remember')", id="remember-me", correlation_id="corr-9")
        shown = self.client.get("/v1/runs/remember-me").json()
        self.assertEqual(shown["result"]["stdout"], "remember\n")
        self.assertEqual(shown["index"], result["audit"]["index"])
        listed = self.client.get("/v1/runs?correlation_id=corr-9").json()["runs"]
        self.assertEqual([run["id"] for run in listed], ["remember-me"])
        self.assertEqual(self.client.get("/v1/runs/never").status, 404)
        self.assertEqual(self.client.get("/v1/runs?nope=1").status, 400)

    def test_a_filter_that_can_find_nothing_names_what_there_is(self):
        for path, words in (("runs?outcome=zzz", 'no outcome "zzz"; there are ok, exit, exception'),
                            ("runs?event=run", "no filter"), ("audit?event=zzz", "run, limit"),
                            ("audit?outcome=zzz&event=run", "denied, cancelled"),
                            ("approvals?state=zzz", "waiting, approved")):
            answer = self.client.get("/v1/" + path)
            self.assertEqual(answer.status, 400, path)
            self.assertIn(words, answer.json()["error"]["message"])
        self.assertEqual(self.client.get("/v1/runs?outcome=memory").json(), {"runs": []})

    def test_traceparent_and_correlation_are_carried_into_the_log(self):
        trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        body = json.dumps({"code": "1"}).encode()
        answer = self.client.ask("POST", "/v1/runs", body, headers={"traceparent": trace})
        index = answer.json()["audit"]["index"]
        record = self.client.get("/v1/audit/%d" % index).json()
        self.assertEqual(record["traceparent"], trace)

    def test_what_is_not_there_says_so(self):
        self.assertEqual(self.client.get("/v1/nothing").status, 404)
        self.assertEqual(self.client.ask("PATCH", "/v1/runs").status, 405)

    def test_openapi_names_every_call(self):
        paths = self.client.get("/openapi.json").json()["paths"]
        self.assertIn("/v1/runs", paths)
        self.assertIn("post", paths["/v1/sessions/{id}/runs"])

    def test_openapi_says_the_version(self):
        api = self.client.get("/openapi.json")
        self.assertEqual(api.headers["Content-Type"], "application/json")
        said = subprocess.run([self.binary, "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(said.stdout.split()[-1], api.json()["info"]["version"])

    def test_openapi_names_what_a_session_is_made_with(self):
        schemas = self.client.get("/openapi.json").json()["components"]["schemas"]
        self.assertLessEqual({"backend", "level", "workspace_inodes", "allow_hosts", "idle_timeout"},
                             schemas["SessionWish"]["properties"].keys())
        self.assertLessEqual({"backend", "level"}, schemas["Session"]["properties"].keys())

    def test_openapi_is_true_of_requests_and_results(self):
        api = self.client.get("/openapi.json").json()
        schemas = api["components"]["schemas"]
        self.assertIs(schemas["Request"]["additionalProperties"], False)
        self.assertLessEqual({"memory", "env", "files", "fetch", "args", "output_bytes", "stdin_base64"},
                             schemas["Request"]["properties"].keys())
        result = self.client.run("print(1)")
        self.assertLessEqual(set(schemas["Result"]["required"]), result.keys())
        self.assertLessEqual(result.keys(), schemas["Result"]["properties"].keys())
        self.assertIn(result["outcome"], schemas["Result"]["properties"]["outcome"]["enum"])
        runs = api["paths"]["/v1/runs"]
        for filtered in runs["get"]["parameters"]:
            if filtered["name"] not in ("since", "until"):
                value = "ok" if filtered["name"] == "outcome" else 1
                answer = self.client.get("/v1/runs?%s=%s" % (filtered["name"], value))
                self.assertEqual(answer.status, 200, filtered)
        self.assertIn("application/x-ndjson", runs["post"]["responses"]["200"]["content"])

    def test_metrics_count_runs(self):
        self.client.run("1")
        self.assertIn(b'belljar_runs_total{outcome="ok"}', self.client.get("/metrics").body)


@pytest.mark.everywhere
class Sessions(OnBackend):
    def test_python_keeps_what_it_has(self):
        session = self.session()
        self.run_in(session, "import os\nx = 40\ndef f(n): return x + n\nos.chdir('/tmp')\n"
                             "log = open('/workspace/log', 'w')")
        result = self.run_in(session, "log.write('hi'); log.flush()\nprint(f(2), os.getcwd())")
        self.assertEqual(result["stdout"], "42 /tmp\n")
        self.assertEqual(self.client.get("/v1/sessions/%s/files/log" % session).body, b"hi")

    def test_the_last_expression_and_displays_come_back(self):
        session = self.session()
        result = self.run_in(session, "[1, 2]")
        self.assertEqual(result["results"][0]["text/plain"], "[1, 2]")

    def test_await_at_top_level(self):
        session = self.session()
        result = self.run_in(session, "import asyncio\nawait asyncio.sleep(0.01)\nprint('slept')")
        self.assertEqual((result["outcome"], result["stdout"]), ("ok", "slept\n"))

    def test_an_exception_leaves_the_session_usable(self):
        session = self.session()
        result = self.run_in(session, "y = 1\n1/0")
        self.assertEqual((result["outcome"], result["error"]["type"]),
                         ("exception", "ZeroDivisionError"))
        self.assertEqual(self.run_in(session, "print(y)")["stdout"], "1\n")

    def test_a_timeout_interrupts_and_the_session_lives(self):
        session = self.session()
        self.run_in(session, "z = 5")
        result = self.run_in(session, "while True: pass", timeout=0.3)
        self.assertEqual((result["outcome"], result["session"]["state"]), ("timeout", "idle"))
        self.assertEqual(self.run_in(session, "print(z)")["stdout"], "5\n")

    def test_a_run_that_ignores_the_interrupt_ends_the_session_and_says_so(self):
        session = self.session()
        result = self.run_in(session, "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                                      "while True: pass", timeout=0.3)
        self.assertEqual((result["outcome"], result["session"]["state"]), ("timeout", "ended"))
        gone = self.client.post("/v1/sessions/%s/runs" % session, {"code": "1"})
        self.assertEqual(gone.status, 404)
        self.assertIn("ended", gone.json()["error"]["message"])

    def test_interrupt_by_the_caller(self):
        session = self.session()
        results = []
        runner = self.daemon.client()
        thread = threading.Thread(target=lambda: results.append(runner.post(
            "/v1/sessions/%s/runs" % session, {"code": "import time\ntime.sleep(30)"}).json()))
        thread.start()
        wait_for(lambda: self.client.post("/v1/sessions/%s/interrupt" % session).status == 200, "it runs", 20)
        thread.join(20)
        runner.close()
        self.assertEqual(results[0]["outcome"], "cancelled")
        self.assertEqual(self.run_in(session, "print(1)")["stdout"], "1\n")
        found = self.client.get("/v1/audit?event=interrupt&session=%s" % session).json()["records"]
        self.assertEqual(len(found), 1)

    def test_a_run_whose_session_is_deleted_was_cancelled(self):
        session, runner, results = self.session(), self.daemon.client(), []
        thread = threading.Thread(target=lambda: results.append(runner.post(
            "/v1/sessions/%s/runs" % session, {"code": "import time\nopen('begun', 'w')\ntime.sleep(60)"}).json()))
        thread.start()
        wait_for(lambda: self.client.get("/v1/sessions/%s/files/begun" % session).status == 200, "it runs")
        self.assertEqual(self.client.delete("/v1/sessions/" + session).status, 200)
        thread.join()
        runner.close()
        self.assertEqual(results[0]["outcome"], "cancelled", results[0])

    def test_runs_of_one_session_come_one_after_the_other(self):
        session = self.session()
        self.run_in(session, "seen = []")

        def add(n):
            client = self.daemon.client()
            client.post("/v1/sessions/%s/runs" % session,
                        {"code": "seen.append(len(seen))\nimport time; time.sleep(0.02)"})
            client.close()
        threads = [threading.Thread(target=add, args=(n,)) for n in range(6)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        self.assertEqual(self.run_in(session, "print(seen)")["stdout"], "[0, 1, 2, 3, 4, 5]\n")

    def test_exit_ends_the_session(self):
        session = self.session()
        result = self.run_in(session, "import sys\nsys.exit(3)")
        self.assertEqual((result["outcome"], result["exit_code"], result["session"]["state"]),
                         ("exit", 3, "ended"))

    def test_javascript_keeps_its_state(self):
        session = self.session(lang="javascript")
        self.run_in(session, "const a = 40; function f(n) { return a + n }")
        self.assertEqual(self.run_in(session, "console.log(f(2))")["stdout"], "42\n")

    def test_bash_keeps_its_state(self):
        session = self.session(lang="bash")
        self.run_in(session, "a=40; f() { echo $((a + $1)); }; cd /tmp")
        self.assertEqual(self.run_in(session, "f 2; pwd")["stdout"], "42\n/tmp\n")

    def test_stdin_belongs_to_a_run(self):
        session = self.session()
        self.assertEqual(self.run_in(session, "print(input())", stdin="hello\n")["stdout"],
                         "hello\n")
        result = self.run_in(session, "input()")
        self.assertEqual(result["outcome"], "exception")
        self.assertEqual(self.run_in(session, "print(2)")["stdout"], "2\n")

    def test_what_a_cell_is_built_to_cannot_be_changed_by_a_run(self):
        session = self.session()
        answer = self.client.post("/v1/sessions/%s/runs" % session, {"code": "1", "memory": "1G"})
        self.assertEqual(answer.status, 400)
        self.assertIn("memory", answer.json()["error"]["message"])

    def test_a_budget_of_time_is_for_all_runs_together(self):
        session = self.session(wall_budget=0.5)
        result = self.run_in(session, "import time\ntime.sleep(5)")
        self.assertEqual((result["outcome"], result["session"]["state"]), ("timeout", "ended"))

    def test_nobody_uses_it_and_it_ends(self):
        session = self.session(idle_timeout=0.2)
        def shown():
            return self.client.get("/v1/sessions/" + session).json()
        wait_for(lambda: shown()["state"] == "ended", "it has ended", 20)
        self.assertIn("nobody", shown()["reason"])
        self.assertEqual(shown()["backend"], self.walls.backend)

    def test_create_list_show_delete(self):
        session = self.session(name="mine")
        listed = {one["id"]: one for one in self.client.get("/v1/sessions").json()["sessions"]}
        self.assertEqual(listed[session]["backend"], self.walls.backend)
        self.assertEqual(self.client.get("/v1/sessions/mine").json()["id"], session)
        self.assertEqual(self.client.post("/v1/sessions", {"name": "mine"}).status, 400)
        self.assertEqual(self.client.delete("/v1/sessions/mine").status, 200)
        self.assertEqual(self.client.get("/v1/sessions/" + session).json()["state"], "ended")

    def test_a_fresh_run_can_name_a_session(self):
        session = self.session()
        self.run_in(session, "w = 7")
        self.assertEqual(self.client.run("print(w)", session=session)["stdout"], "7\n")

    def test_a_run_in_a_session_cannot_name_another(self):
        session, other = self.session(name="this"), self.session()
        path = "/v1/sessions/%s/runs" % session
        self.assertEqual(self.client.post(path, {"code": "1", "session": other}).status, 400)
        for same in (session, "this"):
            self.assertEqual(self.client.post(path, {"code": "1", "session": same}).status, 200)


class Callers(Suite):
    def test_one_caller_never_sees_another(self):
        with self.backend_daemon() as daemon:
            tokens = []
            for name in ("ann", "bob"):
                made = daemon.command("token", "add", name, "--scope", "run", "--scope", "sessions")
                self.assertEqual(made.returncode, 0, made.stderr)
                tokens.append(next(word for word in made.stdout.split() if word.startswith("bj_")))
            ann, bob = (daemon.client(token) for token in tokens)
            session = ann.post("/v1/sessions").json()["id"]
            ann.run("print(1)", id="anns")
            self.assertEqual(bob.get("/v1/sessions").json()["sessions"], [])
            for path in ("/v1/sessions/" + session, "/v1/sessions/%s/files" % session,
                         "/v1/runs/anns"):
                self.assertEqual(bob.get(path).status, 404, path)
            self.assertEqual(bob.post("/v1/sessions/%s/runs" % session, {"code": "1"}).status, 404)
            self.assertEqual(bob.delete("/v1/sessions/" + session).status, 404)
            self.assertEqual(bob.get("/v1/runs").json()["runs"], [])
            self.assertEqual(bob.get("/v1/audit").status, 403)
            self.assertEqual(daemon.client("bj_wrong").get("/v1/runs").status, 401)
            self.assertEqual(ann.get("/v1/sessions/" + session).status, 200)

    def test_a_user_of_the_sockets_group_is_known_by_its_uid(self):
        if os.getuid() != 0:
            self.skipTest("it takes root to be several users")
        uid = 54321

        def ask(daemon):
            return subprocess.run(as_user(uid, ["curl", "-sS", "--unix-socket", daemon.address[5:],
                                                "http://localhost/v1/runs", "-d", '{"code":"1"}']),
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        with self.backend_daemon("--socket-group", str(uid)) as daemon:
            os.chmod(daemon.directory, 0o755)
            self.assertIn('"denied"', ask(daemon).stdout)
            made = daemon.command("token", "add", "uid:%d" % uid)
            self.assertEqual(made.returncode, 0, made.stderr)
            wait_for(lambda: '"outcome":"ok"' in ask(daemon).stdout, "it is let in")
        with self.backend_daemon() as daemon:
            os.chmod(daemon.directory, 0o755)
            self.assertNotEqual(ask(daemon).returncode, 0, "strangers do not even get that far")

    def test_quotas_are_told_with_a_time_to_come_back(self):
        with self.backend_daemon() as daemon:
            made = daemon.command("token", "add", "few", "--scope", "run", "--per-minute", "2")
            token = next(word for word in made.stdout.split() if word.startswith("bj_"))
            few = daemon.client(token)
            answers = [few.post("/v1/runs", {"code": "1"}) for _ in range(4)]
            self.assertEqual([answer.status for answer in answers], [200, 200, 429, 429])
            again = int(answers[-1].headers["Retry-After"])
            self.assertIn("try again in %d s" % again, answers[-1].json()["error"]["message"])
            self.assertGreater(again, 50)


class Survival(Suite):
    def test_killed_it_leaves_nothing_and_the_log_verifies(self):
        daemon = self.backend_daemon()
        try:
            daemon.start()
            client = daemon.client()
            session = client.post("/v1/sessions").json()["id"]
            answered = [client.run("print(%d)" % n)["audit"]["index"] for n in range(20)]
            below = descendants(daemon.process.pid)
            self.assertTrue(below)
            daemon.kill()
            wait_for(lambda: not any_left(below), "no process is left")
            daemon.start()
            client = daemon.client()
            self.assertEqual(client.get("/v1/sessions/" + session).json()["state"], "ended")
            for index in answered:
                self.assertEqual(client.get("/v1/audit/%d" % index).json()["event"], "run")
            self.assertEqual(daemon.stop(), 0)
            verified = daemon.command("audit", "verify")
            self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        finally:
            daemon.__exit__()

    def test_a_second_daemon_on_the_same_state_is_refused(self):
        with self.backend_daemon() as daemon:
            second = daemon.command("serve", "--listen", "unix:%s" % (daemon.directory / "b.sock"))
            self.assertEqual(second.returncode, 125)
            self.assertIn("another daemon", second.stderr)

    def test_told_to_end_it_answers_what_runs(self):
        daemon = self.backend_daemon()
        try:
            daemon.start()
            results = []
            client = daemon.client()
            body = {"code": "import time\nprint('up', flush=True)\ntime.sleep(1)\nprint(9)"}
            response = client.ask("POST", "/v1/runs", json.dumps(body).encode(), stream=True,
                                  headers={"Accept": "application/x-ndjson"})
            self.assertIn("up", response.readline().decode())
            thread = threading.Thread(target=lambda: results.extend(json.loads(line) for line in response))
            thread.start()
            self.assertEqual(daemon.stop(), 0)
            thread.join(20)
            self.assertEqual(results[-1]["result"]["stdout"], "up\n9\n")
        finally:
            daemon.__exit__()
