"""Sessions behind gVisor that are saved: checkpoints, rollback, pause and resume.

What native cells can save as well is shown by test_checkpoints.py.
"""
import concurrent.futures
import contextlib
import json
import os
import pathlib
import subprocess

import pytest

from suite import OneDaemon, scratch_directory, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.gvisor]


@contextlib.contextmanager
def broken_log(daemon):
    """Meanwhile nothing can be written to the audit log."""
    threads = pathlib.Path("/proc", str(daemon.process.pid), "task")
    files = [word for path in (daemon.state / "audit").glob("pending*") for word in ("-P", path)]
    tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", "-p", str(daemon.process.pid),
                               "-e", "inject=pwrite64:error=EIO", *files])
    try:
        def traced():
            assert tracer.poll() is None, "strace has ended"
            return not any("TracerPid:\t0" in (one / "status").read_text() for one in threads.iterdir())
        wait_for(traced, "every thread is traced")
        yield
    finally:
        tracer.terminate()
        tracer.wait()


@contextlib.contextmanager
def small_disk(place, size):
    """A file system of its own at a directory that is made."""
    place.mkdir(mode=0o700, exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "mode=0700,size=" + size, "belljar-test", place], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


# Starts with the end of its run. Writes of many sizes, so that pieces end anywhere.
NOISE = """
import itertools, os, threading
heard = threading.Event()
def shout():
    for n in itertools.count():
        os.write(1, b"%d %s\\n" % (n, b"x" * (n * 97 % 3000)))
        heard.set()
threading.Timer(0.1, shout).start()
"""


class Gvisor(OneDaemon):
    ENV = {**os.environ, "BELLJAR_LEVEL": ""}

    @classmethod
    def make_daemon(cls):
        terms = cls.enterClassContext(scratch_directory()) / "policy.toml"
        terms.write_text('extends = "relaxed"\nbackend = "gvisor"\n')
        return cls.new_daemon("--policy", str(terms), env=cls.ENV)

    def renew_client(self):
        """After the daemon was started once more."""
        self.client.close()
        self.client = self.daemon.client()

    def run_in(self, session, code):
        result = self.client.post(f"/v1/sessions/{session}/runs", {"code": code}).json()
        self.assertEqual(result["outcome"], "ok", result)
        return result["stdout"]

    def checkpoint(self, session):
        saved = self.client.post(f"/v1/sessions/{session}/checkpoints", {})
        self.assertEqual(saved.status, 200, saved.body)
        return saved.json()["id"]

    def roll_back(self, session, checkpoint):
        back = self.client.post(f"/v1/sessions/{session}/rollback", {"checkpoint": checkpoint})
        self.assertEqual(back.status, 200, back.body)

    def refusal(self, session, what="checkpoints", **more):
        refused = self.client.post(f"/v1/sessions/{session}/{what}", more)
        self.assertEqual(refused.status, 400, refused.body)
        return refused.json()["error"]["message"]

    def recorded(self, session):
        """What the audit log has of it, oldest first."""
        found = self.client.get(f"/v1/audit?session={session}").json()["records"]
        def what(detail):
            return detail.get("state") or next((key for key in ("paused", "resumed") if key in detail), None)
        return [(one["event"], what(one.get("detail", {}))) for one in reversed(found)]

    def saved_images(self):
        return list(pathlib.Path(self.daemon.state).glob("containers/*"))


class Saved(Gvisor):
    def test_threads_processes_pipes_and_files_outside_of_the_workspace_come_back(self):
        session = self.session()
        self.run_in(session, """
import os, queue, subprocess, threading
asked, told = queue.Queue(), queue.Queue()
threading.Thread(target=lambda: [told.put(asked.get() * 2) for _ in range(9)], daemon=True).start()
echo = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
r, w = os.pipe(); os.write(w, b"in the pipe")
open("/tmp/mine", "w").write("mine"); held = open("/tmp/mine")""")
        checkpoint = self.checkpoint(session)
        see = """
asked.put(21); echo.stdin.write(b"hello\\n"); echo.stdin.flush()
print(told.get(), echo.stdout.readline(), os.read(r, 99), held.read(), echo.poll())"""
        expected = "42 b'hello\\n' b'in the pipe' mine None\n"
        self.assertEqual(self.run_in(session, see), expected)
        self.run_in(session, "echo.kill(); echo.wait(); os.remove('/tmp/mine')")
        self.roll_back(session, checkpoint)
        self.assertEqual(self.run_in(session, see), expected)

    def test_other_languages(self):
        for lang, make, spoil, see in (("javascript", "var x = 41", "x = 0", "console.log(x + 1)"),
                                       ("bash", "x=41", "x=0", "echo $((x + 1))")):
            with self.subTest(lang):
                session = self.session(lang=lang)
                self.run_in(session, make)
                checkpoint = self.checkpoint(session)
                self.run_in(session, spoil)
                self.roll_back(session, checkpoint)
                self.assertEqual(self.run_in(session, see), "42\n")
                if lang == "javascript":
                    self.assertIn("random numbers", self.refusal(session, "fork", count=2))

    def test_branches_of_a_shell_have_random_numbers_of_their_own(self):
        session = self.session(lang="bash")
        self.run_in(session, "RANDOM=7")
        forked = self.client.post(f"/v1/sessions/{session}/fork", {"count": 2}).json()["sessions"]
        seen = {self.run_in(one["id"], "echo $RANDOM $RANDOM $RANDOM") for one in forked}
        self.assertEqual(len(seen), 2)

    def test_what_cannot_be_saved_is_named_and_nothing_is_lost(self):
        session = self.session()
        self.run_in(session, "import os; x = 7; f = open('gone', 'w'); os.remove('gone')")
        self.assertIn('"gone"', self.refusal(session))
        self.assertEqual(self.run_in(session, "f.close(); print(x)"), "7\n")
        self.checkpoint(session)
        session = self.session(memory="128M")
        self.run_in(session, "big = bytearray(90 << 20)\nfor i in range(0, 90 << 20, 4096): big[i] = 1")
        self.assertIn("give it more memory", self.refusal(session))
        self.assertEqual(self.run_in(session, "print(len(big) >> 20)"), "90\n")

    def test_what_the_kernel_keeps_of_an_image_is_not_the_sessions(self):
        session = self.session(memory="320M")
        self.run_in(session, "import os; big = os.urandom(120 << 20)")
        for _ in range(3):
            checkpoint = self.checkpoint(session)
            self.assertEqual(self.run_in(session, "print(len(big) >> 20)"), "120\n")
            self.client.delete(f"/v1/sessions/{session}/checkpoints/{checkpoint}")

    def test_a_paused_session_outlives_the_daemon(self):
        session = self.session(name="aside", files={"given": "Zmlyc3Q="}, env={"MINE": "yes"})
        self.run_in(session, "import os; x = 41; f = open('b', 'w+'); f.write('hi'); f.flush()")
        paused = self.client.post(f"/v1/sessions/{session}/pause")
        self.assertEqual((paused.status, paused.json()["state"]), (200, "paused"), paused.body)
        self.assertIn("resume it first", self.refusal(session, "runs", code="1"))
        self.daemon.kill()
        self.daemon.start()
        self.renew_client()
        listed = self.client.get("/v1/sessions").json()["sessions"]
        self.assertEqual([(one["id"], one["state"], one["runs"]) for one in listed],
                         [(session, "paused", 1)])
        again = self.client.post("/v1/sessions", {"name": "aside"})
        self.assertIn("paused session", again.json()["error"]["message"])
        resumed = self.client.post("/v1/sessions/aside/resume")
        self.assertEqual((resumed.status, resumed.json()["id"]), (200, session), resumed.body)
        see = "print(x + 1, f.tell(), open('given').read(), os.environ['MINE'])"
        self.assertEqual(self.run_in(session, see), "42 2 first yes\n")
        self.assertIn("is not paused", self.refusal(session, "resume"))
        self.client.post(f"/v1/sessions/{session}/pause")
        self.assertEqual(self.client.delete(f"/v1/sessions/{session}").status, 200)
        self.assertFalse(list(pathlib.Path(self.daemon.state).glob("paused/*")))
        self.assertEqual(self.recorded(session),
                         [("session", "began"), ("run", None), ("checkpoint", "paused"), ("session", "ended"),
                          ("rollback", "resumed"), ("session", "began"), ("run", None),
                          ("checkpoint", "paused"), ("session", "ended"), ("session", "ended")])

    def test_what_another_belljar_has_paused_is_refused_by_name(self):
        session = self.session()
        self.run_in(session, "x = 7")
        self.client.post(f"/v1/sessions/{session}/pause")
        record = pathlib.Path(self.daemon.state, "paused", session, "session.json")
        ours = record.read_text()
        for text in (json.dumps({**json.loads(ours), "tree": "another"}), ours[:-9], ours):
            record.write_text(text)
            self.daemon.kill()
            said = len(self.daemon.said())
            self.daemon.start()
            self.renew_client()
            warned = self.daemon.said()[said:].count(str(record))
            self.assertEqual(warned, 1 if text == ours[:-9] else 0)
            if warned:
                self.assertEqual(self.client.post(f"/v1/sessions/{session}/resume").status, 404)
            elif text != ours:
                self.assertIn("is another than when this was saved", self.refusal(session, "resume"))
        self.assertEqual(self.client.post(f"/v1/sessions/{session}/resume").status, 200)
        self.assertEqual(self.run_in(session, "print(x)"), "7\n")

    def test_files_of_a_paused_session_that_were_changed_are_refused(self):
        session = self.session()
        self.run_in(session, "open('mine', 'w').write('mine')")
        self.client.post(f"/v1/sessions/{session}/pause")
        place = pathlib.Path(self.daemon.state, "paused", session)
        (blob,) = [path for path in (place / "files").iterdir() if path.name != "manifest"]
        blob.write_text("else")
        self.assertIn("changed", self.refusal(session, "resume"))
        blob.write_text("mine")
        self.assertEqual(self.client.post(f"/v1/sessions/{session}/resume").status, 200)
        self.assertEqual(self.run_in(session, "print(open('mine').read())"), "mine\n")

    def test_what_was_printed_since_the_last_run_is_shown_by_the_next(self):
        session = self.session()
        self.run_in(session, "import subprocess; p = subprocess.Popen(['sh', '-c', 'sleep 1; echo later; echo worse >&2; touch said; sleep 60'])")
        wait_for(lambda: self.client.get(f"/v1/sessions/{session}/files/said").status == 200, "it has printed")
        checkpoint = self.checkpoint(session)
        self.assertEqual(self.run_in(session, "print('now')"), "later\nnow\n")
        self.assertEqual(self.run_in(session, "print('now')"), "now\n")
        self.roll_back(session, checkpoint)
        self.client.post(f"/v1/sessions/{session}/pause")
        self.assertEqual(self.client.post(f"/v1/sessions/{session}/resume").status, 200)
        result = self.client.post(f"/v1/sessions/{session}/runs", {"code": "p.kill(); print('now')"}).json()
        self.assertEqual((result["stdout"], result["stderr"]), ("later\nnow\n", "worse\n"))

    def heard(self, session, unfinished=""):
        """The numbers that a run of NOISE has brought, which follow one another, and the line that it left unfinished."""
        limits = {"output_bytes": "256M", "output_lines": 10_000_000}
        result = self.client.post(f"/v1/sessions/{session}/runs", {"code": "heard.wait(); print('mine')", **limits}).json()
        self.assertEqual(result["outcome"], "ok", result.get("reason"))
        *lines, rest = (unfinished + result["stdout"]).replace("mine\n", "", 1).split("\n")
        numbers = [int(line.split()[0]) for line in lines]
        self.assertEqual(numbers, list(range(numbers[0], numbers[0] + len(numbers))))
        return numbers[0], numbers[-1], rest

    def test_what_prints_all_the_time_is_saved_and_nothing_of_it_is_lost(self):
        session = self.session()
        self.run_in(session, NOISE)
        _, last, rest = self.heard(session)
        for _ in range(3):
            checkpoint, before, rest_then = self.checkpoint(session), last, rest
            first, last, rest = self.heard(session, rest)
            self.assertEqual(first, before + 1)
            self.roll_back(session, checkpoint)
            first, last, rest = self.heard(session, rest_then)
            self.assertEqual(first, before + 1)
            for what in ("pause", "resume"):
                done = self.client.post(f"/v1/sessions/{session}/{what}")
                self.assertEqual(done.status, 200, done.body)
            before = last
            first, last, rest = self.heard(session, rest)
            self.assertEqual(first, before + 1)
        self.client.delete(f"/v1/sessions/{session}")

    def test_its_images_go_with_the_session(self):
        before = set(self.saved_images())
        session = self.session()
        self.checkpoint(session)
        self.assertEqual(len(set(self.saved_images()) - before), 1)
        self.client.delete(f"/v1/sessions/{session}")
        wait_for(lambda: not set(self.saved_images()) - before, "no image is left", 20)


class Bounds(Gvisor):
    """What holds them, taken away one by one, must be missed here."""

    def test_checkpoints_count_as_the_sessions_memory(self):
        session = self.session(memory="256M")
        self.run_in(session, "import os; big = os.urandom(60 << 20)")
        before, made = len(self.saved_images()), []
        while (saved := self.client.post(f"/v1/sessions/{session}/checkpoints")).status == 200:
            made.append(saved.json()["id"])
            self.assertLess(len(made), 5, "they hold more than the session may")
        self.assertIn("its checkpoints would hold more than its limit", saved.json()["error"]["message"])
        self.assertEqual(len(self.saved_images()) - before, len(made))
        self.assertEqual(self.run_in(session, "print(len(big) >> 20)"), "60\n")
        self.client.delete(f"/v1/sessions/{session}/checkpoints/{made[0]}")
        self.checkpoint(session)
        self.client.delete(f"/v1/sessions/{session}")

    def test_files_are_not_taken_while_a_session_is_paused(self):
        session = self.session()
        self.run_in(session, "x = 7")
        taken = []
        with concurrent.futures.ThreadPoolExecutor() as pool:
            paused = pool.submit(self.daemon.client().post, f"/v1/sessions/{session}/pause")
            while self.client.get(f"/v1/sessions/{session}").json()["state"] == "idle" and not paused.done():
                pass
            while not paused.done():
                put = self.client.put(f"/v1/sessions/{session}/files/{len(taken)}", b"mine")
                if put.status >= 400:
                    break
                taken.append(str(len(taken)))
            self.assertEqual(paused.result().status, 200, paused.result().body)
        self.assertEqual(self.client.post(f"/v1/sessions/{session}/resume").status, 200)
        there = self.run_in(session, "import os; print(*os.listdir())").split()
        self.assertFalse(set(taken) - set(there), "taken, and lost")
        self.client.delete(f"/v1/sessions/{session}")

    def test_what_cannot_be_recorded_is_not_done(self):
        session, other = self.session(), self.session()
        self.run_in(session, "x = 7")
        self.client.post(f"/v1/sessions/{other}/pause")
        with broken_log(self.daemon):
            for one, what in ((session, "pause"), (other, "resume")):
                answer = self.client.post(f"/v1/sessions/{one}/{what}")
                self.assertEqual((answer.status, b"Input/output error" in answer.body), (503, True), answer.body)
            self.assertEqual(self.client.delete(f"/v1/sessions/{other}").status, 503)
            states = {one["id"]: one["state"] for one in self.client.get("/v1/sessions").json()["sessions"]}
            self.assertEqual((states[session], states[other]), ("idle", "paused"))
        self.assertEqual(self.run_in(session, "print(x)"), "7\n")
        for one, what in ((session, "pause"), (other, "resume")):
            answer = self.client.post(f"/v1/sessions/{one}/{what}")
            self.assertEqual(answer.status, 200, answer.body)
            self.client.delete(f"/v1/sessions/{one}")

    def test_a_session_is_resumed_once(self):
        session = self.session()
        self.run_in(session, "x = 7")
        self.client.post(f"/v1/sessions/{session}/pause")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            asked = [pool.submit(self.daemon.client().post, f"/v1/sessions/{session}/resume") for _ in range(4)]
        answers = [one.result() for one in asked]
        self.assertEqual(sorted(one.status for one in answers), [200, 400, 400, 400],
                         [one.body for one in answers])
        self.assertEqual(self.run_in(session, "print(x)"), "7\n")
        self.client.delete(f"/v1/sessions/{session}")

    def test_one_that_is_deleted_while_it_is_paused_does_not_come_back(self):
        session = self.session(workspace="512M")
        self.run_in(session, "import os\nfor i in range(250): open(f'f{i}', 'wb').write(os.urandom(1 << 20))")
        half = pathlib.Path(self.daemon.state, "paused", session + ".half")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            paused = pool.submit(self.daemon.client().post, f"/v1/sessions/{session}/pause")
            while not half.exists() and not paused.done():
                pass  # the moment is short
            ended = self.client.delete(f"/v1/sessions/{session}")
        self.assertEqual(ended.status, 200, ended.body)
        self.assertEqual(paused.result().status, 404, paused.result().body)
        self.assertFalse(list(pathlib.Path(self.daemon.state).glob("paused/*")))
        self.assertNotIn(session, [one["id"] for one in self.client.get("/v1/sessions").json()["sessions"]])


class Disks(Gvisor):
    """A daemon whose disk is too small."""

    @classmethod
    def setUpClass(cls):
        pass

    def setUp(self):
        pass

    def test_an_image_that_would_not_fit_is_not_begun(self):
        self.daemon = self.make_daemon()
        with contextlib.ExitStack() as stack:
            stack.callback(self.daemon.__exit__)
            stack.enter_context(small_disk(self.daemon.state, "400M"))
            (self.daemon.state / "images").symlink_to(self.images)
            self.daemon.start()
            self.client = self.daemon.client()
            session = self.session(memory="256M")
            self.run_in(session, "x = 7")
            for what in ("checkpoints", "pause"):
                self.assertIn("MiB left", self.refusal(session, what))
            self.assertEqual(self.saved_images(), [])
            self.assertEqual(self.run_in(session, "print(x)"), "7\n")
