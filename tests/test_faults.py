"""What a daemon needs is taken away from it, and given back.

Each time: a clear error to the caller, nothing that was answered is lost, and all is well again
without a restart.
"""
import contextlib
import os
import pathlib
import resource
import shutil
import sqlite3
import subprocess
import threading
import time
import unittest

import pytest

from suite import Suite, wait_for

pytestmark = pytest.mark.slow

ROOT = os.getuid() == 0
PLENTY = 60  # seconds


class Faults(Suite):
    def setUp(self):
        self.answered = []  # audit indexes

    def run_well(self, client, **more):
        answer = client.post("/v1/runs", {"code": "print(6*7)", **more})
        self.assertEqual(answer.status, 200, answer.body)
        result = answer.json()
        self.assertEqual((result["outcome"], result["stdout"]), ("ok", "42\n"))
        self.answered.append(result["audit"]["index"])

    def until_refused(self, ask):
        """Asks until it fails; the failure is Belljar's own, and says what is the matter."""
        deadline = time.monotonic() + PLENTY
        while time.monotonic() < deadline:
            answer = ask()
            if answer.status == 200:
                body = answer.json()
                if "audit" in body:
                    self.answered.append(body["audit"]["index"])
                continue
            self.assertEqual(answer.status, 503, answer.body)
            return answer.json()["error"]["message"]
        self.fail("it never failed")

    def until_well(self, client):
        def is_well():
            answer = client.post("/v1/runs", {"code": "print(6*7)"})
            if answer.status == 200:
                self.answered.append(answer.json()["audit"]["index"])
            return answer.status == 200
        wait_for(is_well, "all is well again", PLENTY)
        for _ in range(5):
            self.run_well(client)

    def check_nothing_is_lost(self, daemon, client):
        for index in self.answered:
            self.assertEqual(client.get("/v1/audit/%d" % index).json()["event"], "run")
        listed = client.get("/v1/runs?limit=1000").json()["runs"]
        self.assertLessEqual(set(self.answered), {run["index"] for run in listed})
        self.assertEqual(daemon.stop(), 0, daemon.said())

    def verify(self, daemon, prefix=()):
        verified = subprocess.run([*prefix, self.binary, "audit", "verify", "--state",
                                   str(daemon.state)], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
        self.assertEqual(verified.returncode, 0, verified.stdout)


@unittest.skipUnless(ROOT, "mounting needs root")
class Disk(Faults):
    """STATE is a disk of its own, mounted where only the daemon sees it."""

    def daemon(self, mount):
        daemon = self.new_daemon("--pool", "2")
        self.addCleanup(daemon.__exit__)
        self.held = subprocess.Popen(["unshare", "-m", "--propagation", "private", "sh", "-ec",
                                      "%s\nln -s %s %s/images\necho ready\nexec sleep infinity"
                                      % (mount % {"state": daemon.state, "home": daemon.directory},
                                         self.images, daemon.state)],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(self.let_go)
        if self.held.stdout.readline() != "ready\n":
            self.fail("cannot mount: " + self.held.stderr.read())
        daemon.prefix = self.inside()
        return daemon.start()

    def let_go(self):
        self.held.kill()
        self.held.communicate()

    def inside(self, *command):
        return ["nsenter", "-t", str(self.held.pid), "-m", *command]

    def do(self, *command):
        done = subprocess.run(self.inside(*command), stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_full(self):
        daemon = self.daemon("mount -t tmpfs -o size=64m,mode=700 tmpfs %(state)s")
        client = daemon.client()
        self.run_well(client)
        session = client.post("/v1/sessions").json()["id"]
        subprocess.run(self.inside("dd", "if=/dev/zero", "of=%s/fill" % daemon.state, "bs=64k"),
                       stderr=subprocess.DEVNULL)
        says = self.until_refused(lambda: client.post(
            "/v1/runs", {"code": "print('x' * 100000)"}))
        self.assertIn("No space left", says)
        # What needs no disk goes on.
        self.assertEqual(client.get("/healthz").status, 200)
        self.do("rm", "%s/fill" % daemon.state)
        self.until_well(client)
        answer = client.post("/v1/sessions/%s/runs" % session,
                             {"code": "open('f', 'w').write('kept')"})
        self.assertEqual(answer.status, 200, answer.body)
        self.check_nothing_is_lost(daemon, client)
        self.verify(daemon, self.inside())

    def test_a_workspace_that_finds_no_room_harms_no_run(self):
        daemon = self.daemon("mount -t tmpfs -o size=64m,mode=700 tmpfs %(state)s")
        client = daemon.client()
        session = client.post("/v1/sessions", {"idle_timeout": 600}).json()["id"]
        url = "/v1/sessions/%s" % session
        wrote = client.post(url + "/runs", {"code": "open('big', 'wb').write(b'x' * (90 << 20))"})
        self.assertEqual((wrote.status, wrote.json()["outcome"]), (200, "ok"), wrote.body)
        wait_for(lambda: '"session_not_kept"' in daemon.said(), "it is told", PLENTY)
        shrunk = client.post(url + "/runs", {"code": "open('big', 'wb').write(b'small')"})
        self.assertEqual((shrunk.status, shrunk.json()["outcome"]), (200, "ok"), shrunk.body)
        daemon.kill()
        daemon.start()
        self.assertEqual(daemon.client().get(url + "/files/big").body, b"small")

    def test_read_only(self):
        # An open file keeps its disk from being remounted; one that is immutable refuses writes
        # all the same, as every file of a disk does that has gone read-only under its files. But
        # for SQLite's shared memory: that is written as memory is, and never has an error to tell.
        daemon = self.daemon("truncate -s 128M %(home)s/disk\nmkfs.ext4 -q %(home)s/disk\n"
                             "mount -o loop %(home)s/disk %(state)s\nchmod 700 %(state)s")
        client = daemon.client()
        self.run_well(client)
        files = ("find %s -xdev -not -name '*-shm' \\( -type f -o -type d \\) -exec chattr %%s {} +"
                 % daemon.state)
        self.do("sh", "-c", files % "+i")
        try:
            says = self.until_refused(lambda: client.post("/v1/runs", {"code": "print(1)"}))
            self.assertIn("not permitted", says)
            refused = client.post("/v1/sessions")
            self.assertEqual(refused.status, 503, refused.body)
        finally:
            self.do("sh", "-c", files % "-i")
        self.until_well(client)
        self.check_nothing_is_lost(daemon, client)
        self.verify(daemon, self.inside())

    def test_read_only_from_the_start(self):
        daemon = self.new_daemon()
        self.addCleanup(shutil.rmtree, daemon.directory, True)
        refused = subprocess.run(
            ["unshare", "-m", "--propagation", "private", "sh", "-ec",
             'mount -t tmpfs -o ro,mode=0700 tmpfs "$0"; exec "$@"', str(daemon.state), self.binary, "serve",
             "--state", str(daemon.state), "--listen", daemon.address],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=PLENTY)
        self.assertEqual(refused.returncode, 125)
        self.assertIn("Read-only file system", refused.stderr)


class Resources(Faults):
    def start(self, **more):
        daemon = self.new_daemon("--pool", "2", **more)
        self.addCleanup(daemon.__exit__)
        return daemon.start()

    def test_descriptors(self):
        daemon = self.start()
        client = daemon.client()
        self.run_well(client)
        pid = daemon.process.pid
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        # No number at all is left; those that are open stay good.
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (3, before[1]))
        says = self.until_refused(lambda: client.post("/v1/runs", {"code": "print(1)"}))
        self.assertIn("Too many open files", says)
        stranger = threading.Thread(target=lambda: daemon.client().get("/healthz"))
        stranger.start()  # waits in the kernel's queue until there are numbers again
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        self.until_well(client)
        stranger.join(PLENTY)
        self.assertFalse(stranger.is_alive(), "a connection was forgotten")
        self.check_nothing_is_lost(daemon, client)
        self.verify(daemon)

    @unittest.skipUnless(ROOT, "a group of its own needs root")
    def test_processes(self):
        tree = next((path for path in ("/sys/fs/cgroup/pids", "/sys/fs/cgroup")
                     if os.path.exists(path + "/cgroup.procs")), None)
        group = pathlib.Path(tree, "belljar-faults-%d" % os.getpid())
        group.mkdir()
        self.addCleanup(self.remove_group, group)
        daemon = self.start(prefix=["sh", "-c", 'echo $$ > "$0/cgroup.procs"; exec "$@"',
                                    str(group)])
        client = daemon.client()
        self.run_well(client)
        current = int((group / "pids.current").read_text())
        (group / "pids.max").write_text(str(max(1, current - 4)))
        for _ in range(10):  # the helpers that make cells outlive what they could not make
            says = self.until_refused(lambda: client.post("/v1/runs", {"code": "print(1)"}))
            self.assertIn("Resource temporarily unavailable", says)
        (group / "pids.max").write_text("max")
        self.until_well(client)
        self.check_nothing_is_lost(daemon, client)
        self.verify(daemon)

    @staticmethod
    def remove_group(group):
        def removed():
            with contextlib.suppress(OSError):
                for directory, names, _ in os.walk(group, topdown=False):
                    for name in names:
                        os.rmdir(os.path.join(directory, name))
                os.rmdir(group)
            return not group.exists()
        wait_for(removed, "the group is empty", 10)

    def test_a_locked_database(self):
        daemon = self.start()
        client = daemon.client()
        self.run_well(client)
        locker = sqlite3.connect(daemon.state / "belljar.db", isolation_level=None)
        locker.execute("BEGIN EXCLUSIVE")
        try:
            self.run_well(client)  # the log is files; its copy comes later
            refused = client.post("/v1/sessions")
            self.assertEqual(refused.status, 503, refused.body)
            self.assertIn("locked", refused.json()["error"]["message"])
        finally:
            locker.execute("ROLLBACK")
            locker.close()
        self.assertEqual(client.post("/v1/sessions").status, 200)
        self.until_well(client)
        self.check_nothing_is_lost(daemon, client)
        self.verify(daemon)


class Overload(Suite):
    BOMBS = ("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass",
             "while True: print('x' * 1000)",
             "x = []\nwhile True: x.append(bytearray(1 << 20))")

    def flood(self, daemon, token, stop, seen):
        client = daemon.client(token)
        while not stop.is_set():
            for code in self.BOMBS:
                answer = client.post("/v1/runs", {"code": code, "timeout": 2, "memory": "64M"})
                seen.append(answer)

    def test_a_flood_of_one_leaves_another_without_an_error(self):
        with self.new_daemon("--pool", "4", "--jobs", "4") as daemon:
            tokens = []
            for name, more in (("flood", ["--runs", "2"]), ("quiet", [])):
                made = daemon.command("token", "add", name, "--scope", "run", *more)
                self.assertEqual(made.returncode, 0, made.stderr)
                tokens.append(next(word for word in made.stdout.split() if word.startswith("bj_")))
            stop, seen = threading.Event(), []
            threads = [threading.Thread(target=self.flood, args=(daemon, tokens[0], stop, seen))
                       for _ in range(16)]
            [thread.start() for thread in threads]
            try:
                quiet = daemon.client(tokens[1])
                for _ in range(20):
                    answer = quiet.post("/v1/runs", {"code": "print(6*7)"})
                    self.assertEqual(answer.status, 200, answer.body)
                    self.assertEqual(answer.json()["stdout"], "42\n", answer.body)
            finally:
                stop.set()
                [thread.join(PLENTY) for thread in threads]
            statuses = {answer.status for answer in seen}
            self.assertIn(429, statuses, "sixteen at once are more than two")
            self.assertLessEqual(statuses, {200, 429})
            for answer in seen:
                if answer.status == 429:
                    self.assertGreaterEqual(int(answer.headers["Retry-After"]), 1)
