"""The command line with a daemon beside it: what it prints and how it ends must not tell the two
apart, as root and as an ordinary user.
"""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

from client_programs import FAULTY, SAME
from service.daemon import Served
from service.processes import descendants
from suite import Suite, link_state, scratch_directory, wait_for

pytestmark = pytest.mark.slow

ORDINARY_UID = 65533  # of nobody on any machine we know
STRANGER_UID = 65532
SECONDS = 120  # a guard against a hang


def cpu_ticks(pid):
    """What the processes below a daemon have used, in hundredths of a second."""
    ticks = 0
    for child in descendants(pid):
        with contextlib.suppress(OSError):
            ticks += int(pathlib.Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11])
    return ticks


class World:
    """One identity's home, where its state has the images of all tests."""

    def __init__(self, suite, switch):
        root = suite.enterClassContext(scratch_directory())
        self.home, self.switch, self.binary = root / "home", switch, suite.binary
        self.home.mkdir()
        (self.home / "in.bin").write_bytes(b"\0\xff")
        uid = switch.get("user", os.getuid())
        os.chown(self.home, uid, uid)
        self.state = link_state(self.home / "state", suite.images_of(uid), uid)
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home),
                    "LANG": "C.UTF-8", "BELLJAR_STATE": str(self.state), "BELLJAR_LEVEL": "relaxed"}

    def serve(self):
        return Served(self.binary, self.env, self.home, self.switch)

    def run(self, *arguments, stdin=b"", env=None):
        return subprocess.run([self.binary, *arguments], input=stdin, capture_output=True,
                              env={**self.env, **(env or {})}, cwd=self.home, timeout=SECONDS,
                              check=False, **self.switch)

    def start(self, *arguments, **more):
        return subprocess.Popen([self.binary, *arguments], env=self.env, cwd=self.home,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **self.switch, **more)


class ClientCase(Suite):
    """As whoever runs this. A class below repeats it all as an ordinary user."""

    switch = {}

    @classmethod
    def setUpClass(cls):
        cls.world = World(cls, cls.switch)

    def setUp(self):
        self.run_it = self.world.run

    def said(self, done):
        return done.returncode, done.stdout, done.stderr

    def failed(self, *arguments, **more):
        """The sentence of a command that must fail, and must fail with one."""
        done = self.run_it(*arguments, **more)
        self.assertEqual((done.returncode, done.stdout), (125, b""), done.stderr)
        self.assertRegex(done.stderr.decode(), r"\Abelljar: [^\n]+\n\Z")
        return done.stderr.decode().removeprefix("belljar: ").rstrip("\n")


class Served1(ClientCase):
    """With one daemon for the whole class."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.daemon = cls.enterClassContext(cls.world.serve())

    @contextlib.contextmanager
    def used(self, times):
        """The daemon runs so many programs meanwhile."""
        before = self.daemon.runs()
        yield
        self.assertEqual(self.daemon.runs() - before, times)


class SameAsWithout(Served1):
    def test_output_and_status(self):
        for name, (arguments, stdin) in SAME.items():
            with self.subTest(name):
                here = self.run_it(arguments[0], "--no-daemon", *arguments[1:], stdin=stdin)
                with self.used(0 if name in FAULTY else 1):
                    there = self.run_it(*arguments, stdin=stdin)
                self.assertEqual(self.said(there), self.said(here))

    def result(self, *arguments, stdin):
        done = self.run_it(*arguments, stdin=stdin)
        self.assertTrue(done.stdout.startswith(b"{"), done)
        return json.loads(done.stdout)

    def test_the_result_object(self):
        for name, (arguments, stdin) in SAME.items():
            if name in FAULTY:
                continue
            flags = ["--json", "--correlation-id", "c", "--fetch", "out", "--fetch", "in"]
            with self.subTest(name):
                here, there = (self.result(arguments[0], *flags, *more, *arguments[1:], stdin=stdin)
                               for more in (["--no-daemon"], []))
                self.assertRegex(there["id"], "^r-[0-9a-f]{24}$")
                self.assertIn("index", there.pop("audit"))
                self.assertEqual(list(here), list(there))
                for result in (here, there):
                    self.assertLessEqual(0, result.pop("usage")["wall_ms"])
                    del result["id"]
                    if result["outcome"] == "output":  # it may have ended before it was killed
                        del result["exit_code"], result["signal"]
                self.assertEqual(there, here)

    def test_fetched_files(self):
        code = "open('out','wb').write(bytes(range(256)))\nopen('b','w')"
        here, there = (json.loads(self.run_it("run", "--json", "--fetch", "out", *more, "-c",
                                              code).stdout)["files"]
                       for more in (["--no-daemon"], []))
        self.assertEqual(there, here)
        self.assertEqual(there["created"], ["b", "out"])

    def test_the_account_has_the_same_lines(self):
        here, there = (self.run_it("run", "--account", *more, "-c", "1").stderr.decode()
                       for more in (["--no-daemon"], []))
        steady = [[line for line in text.splitlines() if not line.startswith("  used")]
                  for text in (here, there)]
        self.assertEqual(steady[0], steady[1])
        self.assertIn("  used", there)

    def test_output_comes_as_it_is_made(self):
        process = self.world.start("run", "-c", "import time; print('now', flush=True); time.sleep(9)")
        with process:
            began = time.monotonic()
            self.assertEqual(process.stdout.readline(), b"now\n")
            self.assertLess(time.monotonic() - began, 8)
            process.send_signal(signal.SIGINT)

    def test_ctrl_c_ends_the_run_in_the_same_way(self):
        # It may be interrupted before it has come to its sleep: where is not told.
        code = ("import time\ntry:\n  print('begun', flush=True)\n  time.sleep(60)\n"
                "except KeyboardInterrupt as ended:\n  print('last words')\n  raise ended.with_traceback(None)")
        ends = []
        for more in (["--no-daemon"], []):
            with self.world.start("run", *more, "-c", code) as process:
                self.assertEqual(process.stdout.readline(), b"begun\n")
                process.send_signal(signal.SIGINT)
                out, err = process.communicate(timeout=SECONDS)
                ends.append((process.returncode, out, err))
        self.assertEqual(ends[1], ends[0])
        self.assertEqual(ends[1][:2], (130, b"last words\n"))
        self.assertTrue(ends[1][2].endswith(b"belljar: cancelled: the caller ended it\n"))

    def test_ctrl_c_with_json_still_gives_the_result(self):
        before = cpu_ticks(self.daemon.process.pid)
        with self.used(1), self.world.start("run", "--json", "-c", "while True: pass") as process:
            wait_for(lambda: cpu_ticks(self.daemon.process.pid) >= before + 50, "it runs", SECONDS)
            process.send_signal(signal.SIGTERM)
            out, _ = process.communicate(timeout=SECONDS)
        self.assertEqual((json.loads(out)["outcome"], process.returncode), ("cancelled", 130))

    def test_no_thread_is_started(self):
        code = "import time; print('begun', flush=True); time.sleep(60)"
        with self.world.start("run", "-c", code) as process:
            self.assertEqual(process.stdout.readline(), b"begun\n")
            self.assertEqual(len(os.listdir(f"/proc/{process.pid}/task")), 1)
            process.send_signal(signal.SIGINT)

    def test_a_reader_that_stands_still_does_not_hold_up_the_run(self):
        code = ("import sys, time\nbegan = time.monotonic()\nprint('x' * 900_000, flush=True)\n"
                "sys.stderr.write(str(time.monotonic() - began < 2))")
        with self.world.start("run", "-c", code) as process:
            time.sleep(3)
            out, err = process.communicate(timeout=SECONDS)
        self.assertEqual((len(out), err, process.returncode), (900_001, b"True", 0))

    def test_a_reader_that_goes_away_does_not_change_the_status(self):
        process = self.world.start("run", "-c", "print('x' * 500_000); exit(5)")
        process.stdout.close()
        with process:
            self.assertEqual((process.wait(SECONDS), process.stderr.read()), (5, b""))

    def test_many_at_once(self):
        processes = [self.world.start("run", "-c", f"print({n})") for n in range(12)]
        answers = [process.communicate(timeout=SECONDS) for process in processes]
        self.assertEqual(answers, [(b"%d\n" % n, b"") for n in range(12)])


class Which(Served1):
    def test_is_used_by_itself_and_by_name(self):
        for arguments, env, times in (
                ([], {}, 1), (["--no-daemon"], {}, 0), (["--daemon", self.daemon.address], {}, 1),
                ([], {"BELLJAR_SOCKET": self.daemon.address}, 1),
                (["--no-daemon"], {"BELLJAR_SOCKET": self.daemon.address}, 0)):
            with self.subTest(arguments=arguments, env=env), self.used(times):
                done = self.run_it("run", *arguments, "-c", "print(1)", env=env)
                self.assertEqual(self.said(done), (0, b"1\n", b""))

    def test_a_state_of_another_name_has_no_daemon(self):
        other = self.world.home / "other"
        if not other.exists():
            other.mkdir(mode=0o700)
            os.chown(other, self.switch.get("user", -1), self.switch.get("group", -1))
            (other / "images").symlink_to(self.world.state / "images")
        with self.used(0):
            for flags, env in ((["--state", str(other)], {}), ([], {"BELLJAR_STATE": str(other)})):
                done = self.run_it("run", *flags, "-c", "print(1)", env=env)
                self.assertEqual(self.said(done), (0, b"1\n", b""))
        with self.used(1):
            self.run_it("run", "--state", str(self.world.state), "-c", "1",
                        env={"BELLJAR_STATE": str(other)})

    def test_a_lock_that_another_daemon_left_does_not_mislead(self):
        other = self.world.home / "left"
        other.mkdir(mode=0o700)
        (other / "images").symlink_to(self.world.state / "images")
        (other / "daemon.lock").write_text(f"1 {self.daemon.address}\n")
        for path in (other, other / "daemon.lock"):
            os.chown(path, self.switch.get("user", -1), self.switch.get("group", -1))
        with self.used(0):
            done = self.run_it("run", "--state", str(other), "-c", "print(1)")
        self.assertEqual(self.said(done), (0, b"1\n", b""))

    def test_that_was_named_must_be_there(self):
        for address, sentence in (
                ("unix:/nowhere/x", "no daemon listens on unix:/nowhere/x: start one with belljar serve"),
                ("127.0.0.1:80", "127.0.0.1:80: write a daemon's address as unix:PATH"),
                ("unix:", None), ("unix:" + "x" * 200, None)):
            with self.subTest(address=address):
                for arguments, env in ((["--daemon", address], {}), ([], {"BELLJAR_SOCKET": address})):
                    told = self.failed("run", *arguments, "-c", "print('never')", env=env)
                    self.assertIn(told, [sentence or told])

    def test_what_it_cannot_take_is_run_here_or_refused(self):
        waived = ["--file-operations", "5", "--allow-unenforced", "file_operations", "--lang", "bash",
                  "-c", "echo ok"]
        with self.used(0):
            self.assertEqual(self.said(self.run_it("run", *waived)), (0, b"ok\n", b""))
            self.assertIn("--allow-unenforced is for whoever starts the daemon",
                          self.failed("run", "--daemon", self.daemon.address, *waived))
            self.assertIn("exclude each other", self.failed(
                "run", "--daemon", self.daemon.address, "--no-daemon", "-c", "1"))

    def test_lines_stay_here(self):
        with self.used(0):
            done = self.run_it("run", "--jsonl", stdin=b'{"id":1,"code":"print(1)"}\n')
            self.assertEqual(json.loads(done.stdout)["stdout"], "1\n")
            self.assertIn("--jsonl runs here", self.failed("run", "--jsonl", "--session", "x"))


class Trust(ClientCase):
    """Somebody else listens where the daemon should be."""

    def setUp(self):
        super().setUp()
        if os.geteuid() != 0:
            self.skipTest("this is not root, and cannot be somebody else")
        self.place = pathlib.Path(tempfile.mkdtemp(prefix="belljar-stranger-"))
        self.addCleanup(shutil.rmtree, self.place)
        self.place.chmod(0o777)
        program = ("import socket, sys\ns = socket.socket(socket.AF_UNIX)\ns.bind(sys.argv[1])\n"
                   "s.listen()\nprint('ready', flush=True)\nwhile True:\n  c, _ = s.accept()\n"
                   "  print(c.recv(9), flush=True)")
        self.path = self.place / "s"
        self.stranger = subprocess.Popen(["/usr/bin/python3", "-c", program, str(self.path)],
                                         stdout=subprocess.PIPE, user=STRANGER_UID,
                                         group=STRANGER_UID, extra_groups=[], cwd="/")
        self.addCleanup(self.stranger.stdout.close)
        self.addCleanup(self.stranger.wait)
        self.addCleanup(self.stranger.kill)
        self.stranger.stdout.readline()
        os.chmod(self.path, 0o777)

    def test_is_not_given_to_a_stranger_that_was_named(self):
        told = self.failed("run", "--daemon", f"unix:{self.path}", "-c", "print('never')")
        self.assertRegex(told, f"whoever listens there is user {STRANGER_UID}, neither you nor root")
        self.assertEqual(self.stranger.stdout.readline(), b"b''\n")

    def test_is_not_given_to_a_stranger_in_the_daemons_place(self):
        lock = self.world.state / "daemon.lock"
        lock.write_text(f"{self.stranger.pid} unix:{self.path}\n")
        self.addCleanup(lock.unlink)
        done = self.run_it("run", "-c", "print('here')")
        self.assertEqual(self.said(done), (0, b"here\n", b""))
        os.chown(lock, STRANGER_UID, STRANGER_UID)
        done = self.run_it("run", "-c", "print('here')")
        self.assertEqual(self.said(done), (0, b"here\n", b""))


class Gone(ClientCase):
    def test_without_a_daemon_all_is_run_here(self):
        for leave in (lambda daemon: None, lambda daemon: daemon.kill()):
            with self.world.serve() as daemon:
                leave(daemon)
            self.assertEqual(self.said(self.run_it("run", "-c", "print(1)")), (0, b"1\n", b""))

    def test_a_daemon_that_is_killed_in_the_middle_is_told_and_nothing_runs_again(self):
        code = "import time; print('begun', flush=True); time.sleep(60)"
        for flags in ([], ["--session", "s"]):
            with self.world.serve() as daemon:
                with self.world.start("run", *flags, "-c", code) as process:
                    self.assertEqual(process.stdout.readline(), b"begun\n")
                    daemon.kill()
                    out, err = process.communicate(timeout=SECONDS)
            self.assertEqual((process.returncode, out), (125, b""))
            self.assertEqual(err, b"belljar: the daemon went away before it had answered; how far "
                                  b"the program got is not known, and it is not run again\n")

    def test_what_needs_a_daemon_says_so(self):
        for arguments in (["run", "--session", "s", "-c", "1"], ["session", "list"],
                          ["session", "rm", "s"], ["session", "get", "s", "x"]):
            told = self.failed(*arguments)
            self.assertRegex(told, r"needs a daemon, and none serves \S+: start one with belljar serve")
        self.assertIn("leave out --no-daemon",
                      self.failed("run", "--session", "s", "--no-daemon", "-c", "1"))


class Sessions(Served1):
    def setUp(self):
        super().setUp()
        self.addCleanup(self.run_it, "session", "rm", "s")

    def ok(self, *arguments, **more):
        done = self.run_it(*arguments, **more)
        self.assertEqual((done.returncode, done.stderr), (0, b""), done.stdout)
        return done.stdout.decode()

    def in_session(self, code, *flags, **more):
        return self.ok("run", "--session", "s", *flags, "-c", code, **more)

    def test_keep_their_state_between_two_commands(self):
        self.assertEqual(self.in_session("import math\nx = 40"), "")
        self.assertEqual(self.in_session("x + 2"), "42\n")
        self.assertEqual(self.in_session("print('p'); 'r'"), "p\n'r'\n")
        self.assertEqual(self.in_session("import sys; sys.stdin.read()", stdin=b"in"), "'in'\n")
        listed = json.loads(self.ok("session", "list", "--json"))["sessions"]
        (session,) = [one for one in listed if one["state"] != "ended"]
        self.assertEqual((session["name"], session["runs"]), ("s", 4))

    def test_give_the_result_object(self):
        result = json.loads(self.in_session("6*7", "--json"))
        self.assertEqual((result["outcome"], result["results"][0]["text/plain"]), ("ok", "42"))
        self.assertIn("id", result["session"])

    def test_end_runs_as_fresh_cells_do(self):
        done = self.run_it("run", "--session", "s", "-c", "1/0")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertRegex(done.stderr.decode(), r"(?s)\ATraceback .*ZeroDivisionError[^\n]*\n\Z")
        done = self.run_it("run", "--session", "s", "--timeout", "0.3", "-c", "while True: pass")
        self.assertEqual(done.returncode, 124)
        self.assertTrue(done.stderr.endswith(b"belljar: timeout: it ran longer than 0.3 s of time\n"))
        self.assertEqual(self.in_session("'alive'"), "'alive'\n")

    def test_outlive_ctrl_c(self):
        self.in_session("x = 'kept'")
        code = "import time; print('begun', flush=True); time.sleep(60)"
        with self.world.start("run", "--session", "s", "-c", code) as process:
            self.assertEqual(process.stdout.readline(), b"begun\n")
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(SECONDS), 130)
        self.assertEqual(self.in_session("x"), "'kept'\n")

    def test_are_made_as_the_flags_say_and_stay_so(self):
        self.in_session("1", "--memory", "128M", "--env", "A=b")
        self.assertEqual(self.in_session("import os; os.environ['A']"), "'b'\n")
        for flags, sentence in (
                (["--memory", "64M"], '--memory is said when a session is made, and "s" is there already'),
                (["--env", "A=c"], '--env is said when a session is made, and "s" is there already'),
                (["--backend", "gvisor"],
                 'session "s" was made with the backend native, and --backend says "gvisor"'),
                (["--level", "strict"],
                 'session "s" was made with the level relaxed, and --level or BELLJAR_LEVEL says "strict"'),
                (["--image", "other"],
                 'session "s" was made with the image default, and --image says "other"'),
                (["--allow-host", "a.example"],
                 '--allow-host is said when a session is made, and "s" is there already'),
                (["--lang", "bash"], 'session "s" speaks python, and this is bash'),
                (["--deterministic", "1"], "--deterministic needs a fresh cell: leave out --session")):
            self.assertEqual(self.failed("run", "--session", "s", *flags, "-c", "1"), sentence)

    def test_speak_their_own_language(self):
        self.in_session("x=5", "--lang", "bash")
        self.assertEqual(self.in_session("echo $x"), "5\n")

    def test_refuse_names_and_bytes_that_they_cannot_have(self):
        for name in ("a b", "a/c", "", "é", "x" * 129, ".", ".."):
            self.assertIn("a session's name has", self.failed("run", "--session=" + name, "-c", "1"))
            self.assertIn("a session's name has", self.failed("session", "show", name))
        self.assertIn("UTF-8", self.failed("run", "--session", "s", "-c", "1", stdin=b"\xff"))
        self.assertIn("s-" + "0" * 24, self.failed("run", "--session", "s-" + "0" * 24, "-c", "1"))

    def test_that_have_ended_are_made_anew(self):
        self.in_session("x = 1\nraise SystemExit")
        self.assertIn("state        ended", self.ok("session", "show", "s"))
        self.assertEqual(self.in_session("'x' in globals()"), "False\n")

    def test_are_shown_listed_and_removed(self):
        listed = self.ok("session", "list")
        self.assertRegex(listed, r"\AID +NAME +LANG +STATE +RUNS +LAST USED\n")
        self.assertNotRegex(listed, " idle ")
        self.in_session("1")
        self.assertRegex(self.ok("session", "list"), r"\n(s-\w{24}) +s +python +idle +1 +\S+\n")
        self.assertRegex(self.ok("session", "show", "s"), r"(?m)^name +s$")
        self.assertEqual(json.loads(self.ok("session", "show", "s", "--json"))["state"], "idle")
        self.assertEqual(self.ok("session", "rm", "s"), "")
        self.assertIn("session: there is no session", self.failed("session", "show", "s"))

    def test_give_and_take_files(self):
        self.in_session("open('made', 'wb').write(bytes(range(256)))")
        done = self.run_it("session", "get", "s", "made")
        self.assertEqual(self.said(done), (0, bytes(range(256)), b""))
        self.ok("session", "get", "s", "made", "made.copy")
        self.assertEqual((self.world.home / "made.copy").read_bytes(), bytes(range(256)))
        self.assertEqual(self.ok("session", "put", "s", "d/ü 1", stdin=b"\0\xff"), "")
        self.assertEqual(self.ok("session", "put", "s", "in", "in.bin"), "")
        self.assertEqual(self.in_session("open('d/ü 1','rb').read() == open('in','rb').read()"),
                         "True\n")
        self.assertEqual(self.ok("session", "files", "s").split("\n"),
                         ["           2 d/ü 1", "           2 in", "         256 made", ""])
        for path in ("none", "../x", "/etc/passwd"):
            self.failed("session", "get", "s", path)

    def test_are_interrupted_from_elsewhere(self):
        code = "import time; print('begun', flush=True); time.sleep(60)"
        with self.world.start("run", "--session", "s", "-c", code) as process:
            self.assertEqual(process.stdout.readline(), b"begun\n")
            self.assertEqual(self.ok("session", "interrupt", "s"), "")
            self.assertEqual(process.wait(SECONDS), 130)
        self.failed("session", "interrupt", "s")

    def test_that_are_not_there_cannot_be_forked_or_rolled_back(self):
        for arguments in (["checkpoint", "no"], ["checkpoints", "no"], ["rollback", "no", "c-1"],
                          ["fork", "no", "3"]):
            self.assertTrue(self.failed("session", *arguments).startswith("session: "))
        self.assertIn("COUNT", self.failed("session", "fork", "no", "101"))


if os.geteuid() == 0:
    for case in (SameAsWithout, Which, Trust, Gone, Sessions):
        name = f"{case.__name__}AsUser"
        globals()[name] = type(name, (case,), {
            "__module__": __name__,
            "switch": {"user": ORDINARY_UID, "group": ORDINARY_UID, "extra_groups": []}})
    del case  # or it would be run a second time under this name
