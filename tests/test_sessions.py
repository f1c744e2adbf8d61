"""What becomes of a session after its runs: floods, names, ends; by a real `belljar serve`."""


import pytest
from suite import OnBackend, Suite, wait_for

pytestmark = pytest.mark.slow


class Floods(OnBackend):
    """Too much output ends a run, not the session that it ran in."""

    def flood(self, session, code, **more):
        result = self.run_in(session, code, **more)
        self.assertEqual((result["outcome"], result["session"]["state"]), ("output", "idle"), result)
        return result

    def test_a_session_outlives_a_line_that_is_too_long(self):
        session = self.session()
        self.run_in(session, "z = 5")
        result = self.flood(session, "print('x' * 10_000_000)")
        self.assertEqual((len(result["stdout"]), result["truncated"]["stdout"]), (1 << 20, True))
        self.assertEqual(self.run_in(session, "print(z)")["stdout"], "5\n")

    def test_a_session_outlives_endless_lines_and_the_next_run_sees_none_of_them(self):
        session = self.session()
        self.run_in(session, "z = 5")
        self.flood(session, "while True: print('y' * 50)", output_lines=20)
        self.assertEqual(self.run_in(session, "print(z)")["stdout"], "5\n")

    def test_a_run_that_has_printed_a_little_too_much_leaves_nothing_to_the_next(self):
        session = self.session()
        for _ in range(10):
            self.flood(session, "print('\\n'.join(map(str, range(1200))))")
            self.assertEqual(self.run_in(session, "print(1)")["stdout"], "1\n")

    def test_a_run_that_prints_on_after_its_interrupts_ends_the_session(self):
        session = self.session()
        result = self.run_in(session, "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                                      "while True: print('y' * 50)")
        self.assertEqual((result["outcome"], result["session"]["state"]), ("output", "ended"))

    def test_javascript_and_bash_sessions_outlive_it_too(self):
        for lang, keep, flood, show in (
                ("javascript", "const z = 5", "while (true) console.log('y'.repeat(50))",
                 "console.log(z)"),
                ("bash", "z=5", "while :; do echo yyyyyyyyyyyyyyyy; done", "echo $z"),
                ("bash", "z=5", "yes", "echo $z")):
            with self.subTest(lang=lang, flood=flood):
                session = self.session(lang=lang)
                self.run_in(session, keep)
                self.flood(session, flood)
                self.assertEqual(self.run_in(session, show)["stdout"], "5\n")


class Interrupts(OnBackend):
    """A run that waits for another program is interrupted like one that does something itself."""

    def out_of_time(self, lang, keep, code, show):
        session = self.session(lang=lang)
        self.run_in(session, keep)
        result = self.run_in(session, code, timeout=0.3)
        self.assertEqual((result["outcome"], result["session"]["state"]), ("timeout", "idle"), result)
        self.assertEqual(self.run_in(session, show)["stdout"], "5\n")

    def test_python_in_system(self):
        self.out_of_time("python", "z = 5", "import os\nos.system('sleep 60')", "print(z)")

    def test_python_in_one_system_after_the_other(self):
        self.out_of_time("python", "z = 5", "import os\nfor _ in range(2): os.system('sleep 60')",
                         "print(z)")

    def test_javascript_in_exec_sync(self):
        self.out_of_time("javascript", "const z = 5",
                         "require('child_process').execSync('sleep 60')", "console.log(z)")

    def test_javascript_that_listens_itself(self):
        self.out_of_time("javascript", "const z = 5",
                         "process.on('SIGINT', () => {}); await new Promise(() => {})",
                         "console.log(z)")

    def test_what_runs_in_the_background_goes_on(self):
        session = self.session()
        self.run_in(session, "import subprocess\np = subprocess.Popen(['sleep', '60'])")
        self.run_in(session, "while True: pass", timeout=0.3)
        self.assertEqual(self.run_in(session, "print(p.poll())\np.kill()")["stdout"], "None\n")


class Names(OnBackend):
    def ended(self, name):
        """A session that its program has ended."""
        session = self.session(name=name)
        self.run_in(session, "open('kept.txt', 'w').write('here')\nraise SystemExit")
        wait_for(lambda: self.client.get("/v1/sessions/" + session).json()["state"] == "ended", "it has ended", 20)
        return session

    def test_one_that_has_ended_is_found_by_its_name(self):
        session = self.ended("by-name")
        shown = self.client.get("/v1/sessions/by-name").json()
        self.assertEqual((shown["id"], shown["state"]), (session, "ended"), shown)
        self.assertEqual(self.client.get("/v1/sessions/by-name/files/kept.txt").body, b"here")
        gone = self.client.post("/v1/sessions/by-name/runs", {"code": "1"})
        self.assertEqual(gone.status, 404)
        self.assertIn('"by-name" has ended: its program has ended', gone.json()["error"]["message"])

    def test_a_name_stands_for_the_newest_and_first_for_one_that_lives(self):
        self.ended("again")
        newer = self.ended("again")
        self.assertEqual(self.client.get("/v1/sessions/again").json()["id"], newer)
        living = self.session(name="again")
        self.assertEqual(self.client.get("/v1/sessions/again").json()["id"], living)
        self.client.delete("/v1/sessions/again")
        self.assertEqual(self.client.get("/v1/sessions/again").status, 404)

    def test_what_is_kept_is_not_removed_by_a_name(self):
        session = self.ended("kept")
        refused = self.client.delete("/v1/sessions/kept")
        self.assertEqual(refused.status, 404)
        self.assertIn(session, refused.json()["error"]["message"])
        self.assertEqual(self.client.delete("/v1/sessions/" + session).status, 200)
        self.assertEqual(self.client.get("/v1/sessions/kept").status, 404)

    def test_names_that_no_path_can_hold_are_refused(self):
        for name in (".", ".."):
            answer = self.client.post("/v1/sessions", {"name": name})
            self.assertEqual(answer.status, 400, answer.body)
            self.assertIn("as a part of a path", answer.json()["error"]["message"])

    def test_a_key_that_is_given_twice_is_refused(self):
        session = self.session()
        for path, body in (("", b'{"name":"a","name":"b"}'),
                           ("/%s/fork" % session, b'{"count":1,"count":2}'),
                           ("/%s/rollback" % session, b'{"checkpoint":"a","checkpoint":"b"}')):
            answer = self.client.ask("POST", "/v1/sessions" + path, body)
            self.assertEqual(answer.status, 400, answer.body)
            self.assertIn("is given twice", answer.json()["error"]["message"])


class History(OnBackend):
    def test_times_are_taken_as_other_programs_write_them(self):
        self.client.run("1", id="timed")
        for since in ("2020-01-01T00:00:00.123456%2B00:00", "2020-01-01T02:00:00-05:30"):
            runs = self.client.get("/v1/runs?since=" + since).json()["runs"]
            self.assertIn("timed", [run["id"] for run in runs])
            self.assertEqual(self.client.get("/v1/runs?until=" + since).json()["runs"], [])

    def test_a_filter_that_is_given_twice_is_refused(self):
        answer = self.client.get("/v1/runs?limit=2&limit=3")
        self.assertEqual(answer.status, 400)
        self.assertIn('"limit" is given twice', answer.json()["error"]["message"])

    def test_a_session_without_a_name_is_no_wish_for_a_fresh_cell(self):
        answer = self.client.post("/v1/runs", {"code": "1", "session": ""})
        self.assertEqual(answer.status, 400, answer.body)


class State(Suite):
    def test_an_address_that_is_none_is_told_before_anything_is_made(self):
        with self.backend_daemon() as daemon:
            for address in ("foo", "unix:", "127.0.0.1:99999", "unix:/" + "x" * 120):
                done = daemon.command("serve", "--listen", address, state=daemon.directory / "none")
                self.assertEqual(done.returncode, 125)
                self.assertRegex(done.stderr, r"\Abelljar: listen: [^\n]+\n\Z")
            self.assertFalse((daemon.directory / "none").exists())

    def test_a_state_directory_is_made_for_one_owner(self):
        with self.backend_daemon() as daemon:
            daemon.stop()
            parent = daemon.state / "deep"
            parent.mkdir()
            settings = daemon.directory / "belljar.toml"  # it goes no further than to its database
            settings.write_text('database = "postgresql://nobody@/x?host=/nonexistent"\n')
            daemon.state, daemon.flags = parent / "own", ["--config", str(settings)]
            with self.assertRaisesRegex(AssertionError, "nonexistent"):
                daemon.start()
            self.assertEqual(daemon.state.stat().st_mode & 0o777, 0o700)
