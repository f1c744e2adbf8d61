"""Odd callers of belljar run: what they pass on by being a parent, and output that finds no room."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import unittest

import pytest

from suite import Suite, link_state, own_images

pytestmark = pytest.mark.slow


ORDINARY_UID = 65533  # of nobody on any machine we know
SECONDS = 120  # a guard against a hang; the first run makes the image


class Case(Suite):
    switch = {}

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        cls.home = cls.folder / "home"
        cls.home.mkdir()
        uid = cls.switch.get("user", os.getuid())
        cls.folder.chmod(0o755)
        os.chown(cls.home, uid, uid)
        cls.make_state(uid)

    @classmethod
    def make_state(cls, uid):
        """With the default image of all tests; others that a test makes are its own."""
        link_state(cls.home / "state", own_images(cls.home / "images", cls.images_of(uid), uid), uid)

    @classmethod
    def ask(cls, *arguments, given="", stdout=subprocess.PIPE, **options):
        return subprocess.run([cls.binary, *arguments], input=given, stdout=stdout,
                              stderr=subprocess.PIPE, text=True, cwd=cls.home,
                              env={"HOME": str(cls.home), "BELLJAR_STATE": str(cls.home / "state")},
                              timeout=SECONDS, check=False, **cls.switch, **options)


class Caller(Case):
    """As whoever runs this. A class below repeats it all as an ordinary user."""

    def test_one_that_ignores_the_end_of_children(self):
        done = self.ask("run", "-c", "print(6*7)",
                        preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "42\n", ""))

    def test_output_that_finds_no_room_is_told(self):
        line = '{"code": "print(6*7)"}\n'
        for words in (["run", "-c", "print(6*7)"], ["run", "--json", "-c", "print(6*7)"],
                      ["run", "--jsonl"], ["image", "list"]):
            with self.subTest(words), open("/dev/full", "w", encoding="utf-8") as full:
                done = self.ask(*words, given=line if "--jsonl" in words else "", stdout=full)
                self.assertEqual(done.returncode, 125)
                self.assertRegex(done.stderr, r"^belljar: [^\n]*standard output[^\n]*\n$")

    def test_a_reader_that_has_gone_wanted_no_more(self):
        reading, writing = os.pipe()
        os.close(reading)
        with open(writing, "w", encoding="utf-8") as gone:
            done = self.ask("run", "-c", "print(6*7)", stdout=gone)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_many_that_are_ended_by_a_signal_end_as_one_does(self):
        lines = ['{"id": 1, "code": "print(1)"}\n', '{"id": 2, "code": "import time; time.sleep(60)"}\n']
        env = {"HOME": str(self.home), "BELLJAR_STATE": str(self.home / "state")}
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with subprocess.Popen([self.binary, "run", "--jsonl", "--jobs", "2"], env=env, text=True,
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=self.home,
                                  **self.switch) as process:
                process.stdin.writelines(lines)
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["outcome"], "ok")
                process.send_signal(number)
                answers = [json.loads(line) for line in process.stdout]
            self.assertEqual(process.returncode, 130, number)
            self.assertIn([answer["outcome"] for answer in answers], (["cancelled"], []))

    def test_what_the_caller_has_put_there_is_not_written_by_the_program(self):
        for lang, code, written in (("python", "", 0), ("bash", "true", 0), ("javascript", "", 0),
                                    ("bash", "head -c 8192 /dev/zero > out", 8192)):
            with self.subTest(lang=lang, code=code):
                done = self.ask("run", "--json", "--lang", lang, "--file", "in=/etc/os-release",
                                "-c", code)
                self.assertEqual(json.loads(done.stdout)["usage"]["bytes_written"], written)

    def test_a_short_run_has_used_something(self):
        done = self.ask("run", "--json", "-c", "print(sum(range(100)))")
        usage = json.loads(done.stdout)["usage"]
        self.assertGreaterEqual(usage["processes_peak"], 1)
        self.assertGreater(usage["memory_peak_bytes"], 1 << 20)
        self.assertGreater(usage["cpu_ms"], 0)


# The mounts go with their namespace. What is entered is a folder, and no mount.
ENTER = """set -e
for place in usr etc var proc sys dev; do mkdir -p "$1/$place"; mount --rbind "/$place" "$1/$place"; done
for place in bin lib lib64; do [ ! -L "/$place" ] || cp -P "/$place" "$1/"; done
mkdir -p "$1/home" "$1/tmp"
chmod 1777 "$1/tmp"
mount --bind "$2" "$1/home"
exec chroot "$1" env HOME=/tmp BELLJAR_STATE=/home/state "${@:3}"
"""


class RealTime(Case):
    @unittest.skipIf(os.geteuid() != 0, "only root can ask for it")
    def test_a_kernel_that_takes_none_into_control_groups_is_told_with_what_to_do(self):
        done = subprocess.run(
            ["chrt", "--fifo", "10", self.binary, "run", "-c", "print(6*7)"], capture_output=True,
            stdin=subprocess.DEVNULL, text=True, timeout=SECONDS, check=False,
            env={**os.environ, "BELLJAR_STATE": str(self.home / "state")})
        if done.returncode != 0:  # with real-time group scheduling
            self.assertEqual((done.returncode, done.stdout), (125, ""))
            self.assertRegex(done.stderr, "^belljar: .*real-time scheduling.*start it under")
        else:
            self.assertEqual(done.stdout, "42\n")


class Chroot(Case):
    @classmethod
    def make_state(cls, uid):
        """With an image of its own, for another root directory has no other."""
        cls.ask("run", "-c", "")

    def enter(self, *words):
        with tempfile.TemporaryDirectory() as root:
            os.chmod(root, 0o755)
            shutil.copy(self.binary, root + "/belljar")
            return subprocess.run(
                ["unshare", "-m", "--propagation", "private", "bash", "-c", ENTER, "-", root,
                 str(self.home), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                timeout=SECONDS, check=False)

    @unittest.skipIf(os.geteuid() != 0, "only root can chroot")
    def test_a_root_directory_that_is_no_mount_point_is_told_with_what_to_do(self):
        user = ("setpriv", "--reuid", str(ORDINARY_UID), "--regid", str(ORDINARY_UID), "--clear-groups")
        sentence = r"the root directory is no mount point here .*: enter it by pivot_root"
        done = self.enter("/belljar", "run", "-c", "print(6*7)")
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertRegex(done.stderr.splitlines()[-1], "^belljar: .*" + sentence)
        done = self.enter("/belljar", "doctor")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stdout, r"BAD +cell \(python\) +.*" + sentence)
        os.chown(self.home / "state", ORDINARY_UID, ORDINARY_UID)
        for path in (self.home / "state").rglob("*"):
            os.chown(path, ORDINARY_UID, ORDINARY_UID, follow_symlinks=False)
        done = self.enter(*user, "/belljar", "run", "-c", "print(6*7)")
        self.assertRegex(done.stderr, sentence)


class Images(Case):
    """To build them takes a while, and so only once."""

    def build(self, image, text):
        """An image of a virtualenv with a module `own` of this text, made of the system's Python."""
        version = subprocess.run(["/usr/bin/python3", "-c", "import sys; print(sys.version.split()[0])"],
                                 capture_output=True, text=True, check=True).stdout.strip()
        venv = self.home / image
        site = venv / "lib" / f"python{version.rpartition('.')[0]}" / "site-packages"
        site.mkdir(parents=True)
        (venv / "pyvenv.cfg").write_text(f"home = /usr/bin\nversion = {version}\n", encoding="utf-8")
        (site / "own.py").write_text(text, encoding="utf-8")
        built = self.ask("image", "build", image, "--venv", str(venv), "--preimport", "own")
        self.assertEqual(built.returncode, 0, built.stderr)

    def test_a_virtualenvs_packages_are_there_for_every_python(self):
        self.build("own", "answer = 42\n")
        code = "import own; print(own.answer)"
        for words in (["run", "--image", "own", "-c", code],
                      ["exec", "--image", "own", "--", "python3", "-c", code]):
            done = self.ask(*words)
            self.assertEqual((done.returncode, done.stdout), (0, "42\n"), done.stderr)

    def test_a_module_to_preimport_that_fails_is_named_to_every_line(self):
        self.build("broken", "raise RuntimeError('not today')\n")
        lines = self.ask("run", "--jsonl", "--image", "broken",
                         given='{"code": "print(1)"}\n' * 3).stdout.splitlines()
        self.assertEqual(len(lines), 3)
        for line in lines:
            self.assertIn("preimport own: RuntimeError: not today",
                          json.loads(line)["error"]["message"])


if os.geteuid() == 0:
    CallerAsUser = type("CallerAsUser", (Caller,), {
        "__module__": __name__,
        "switch": {"user": ORDINARY_UID, "group": ORDINARY_UID, "extra_groups": []}})
