"""`kill -9` of a daemon under load, again and again: nothing is left, and nothing is lost."""
import contextlib
import http.client
import json
import os
import pathlib
import random
import threading
import time
import unittest

import pytest

from service.daemon import UNUSED_UID
from service.host import mounts_besides
from service.processes import descendants
from suite import Suite, wait_for

pytestmark = pytest.mark.slow

ROUNDS = 50
USER_ROUNDS = 5
GONE = (OSError, http.client.HTTPException, ValueError, KeyError)


def groups_of(pid):
    """Control groups that a daemon made, in every tree, v1 and v2."""
    found = []
    for directory, names, _ in os.walk("/sys/fs/cgroup"):
        found += [os.path.join(directory, name) for name in names if name == "belljar-%d" % pid]
    return found


def started_at(pid):
    """With its pid, what tells one process from all others; None when it has gone, or has ended
    and only waits for the machine's init to take note of it."""
    with contextlib.suppress(OSError, IndexError):
        stat = pathlib.Path("/proc/%d/stat" % pid).read_text().rpartition(")")[2].split()
        return None if stat[:2] == ["Z", "1"] else stat[19]


def alive(processes):
    return [pid for pid, start in processes if start and started_at(pid) == start]


class Answered:
    """What the clients of one daemon have been told."""

    def __init__(self):
        self.lock = threading.Lock()
        self.runs = []      # (run id, audit index)
        self.sessions = {}  # id: the newest number that a run wrote and was answered
        self.stopped = threading.Event()


def run_again_and_again(daemon, token, told):
    with contextlib.suppress(*GONE):
        client = daemon.client(token)
        while not told.stopped.is_set():
            result = client.run("print(sum(range(1000)))")
            with told.lock:
                told.runs.append((result["id"], result["audit"]["index"]))


def stream(daemon, token, told):
    with contextlib.suppress(*GONE):
        client = daemon.client(token)
        while not told.stopped.is_set():
            body = json.dumps({"code": "for i in range(50): print(i, flush=True)"}).encode()
            response = client.ask("POST", "/v1/runs", body, stream=True,
                                  headers={"Accept": "application/x-ndjson"})
            last = json.loads(response.read().splitlines()[-1])["result"]
            with told.lock:
                told.runs.append((last["id"], last["audit"]["index"]))


def use_sessions(daemon, token, told):
    with contextlib.suppress(*GONE):
        client = daemon.client(token)
        while not told.stopped.is_set():
            session = client.post("/v1/sessions", {"lang": "python"}).json()["id"]
            with told.lock:
                told.sessions[session] = 0
            for number in range(1, 8):
                answer = client.post("/v1/sessions/%s/runs" % session, {
                    "code": "open('deep', 'w').close()\nimport os\nos.makedirs('d', exist_ok=True)\n"
                            "open('d/n', 'w').write('%d')" % number}).json()
                with told.lock:
                    told.runs.append((answer["id"], answer["audit"]["index"]))
                    told.sessions[session] = number


class Kills(Suite):
    def setUp(self):
        self.mounts_before = mounts_besides("")

    def load(self, daemon, tokens, seconds):
        """Clients at work until the daemon is killed; what they were told, and what it had."""
        told = Answered()
        work = (run_again_and_again, stream, use_sessions, use_sessions)
        threads = [threading.Thread(target=what, args=(daemon, token, told))
                   for what, token in zip(work, tokens)]
        [thread.start() for thread in threads]
        time.sleep(seconds)
        below = [(pid, started_at(pid)) for pid in descendants(daemon.process.pid)]
        dead = daemon.process.pid
        told.stopped.set()
        daemon.kill()
        [thread.join(60) for thread in threads]
        self.assertFalse([thread for thread in threads if thread.is_alive()], "a client hangs")
        return told, dead, below

    def check_nothing_is_left(self, dead, below):
        wait_for(lambda: not alive(below), "no process is left")
        self.assertEqual(groups_of(dead), [], "control groups are left")
        self.assertEqual(mounts_besides(""), self.mounts_before, "mounts are left")

    def check_what_was_answered(self, client, told):
        for run, index in told.runs:
            record = client.get("/v1/audit/%d" % index).json()
            self.assertEqual((record["event"], record["run_id"]), ("run", run))

    def check_sessions(self, daemon, tokens, told):
        clients = {token: daemon.client(token) for token in set(tokens)}
        listed = {one["id"]: one for client in clients.values()
                  for one in client.get("/v1/sessions").json()["sessions"]}
        for session, number in told.sessions.items():
            self.assertIn(session, listed, "a session is lost")
            self.assertEqual(listed[session]["state"], "ended")
            self.assertIn("ended without saying so", listed[session]["reason"])
            self.assertIn("kept_until", listed[session]["workspace"])
            owner = next(client for client in clients.values()
                         if client.get("/v1/sessions/" + session).status == 200)
            shown = owner.get("/v1/sessions/" + session).json()
            self.assertEqual((shown["state"], shown["reason"]),
                             ("ended", listed[session]["reason"]))
            if number > 0:
                kept = owner.get("/v1/sessions/%s/files/d/n" % session)
                self.assertEqual(kept.status, 200, kept.body)
                # The kill may have come when the next run had been done but not answered.
                self.assertIn(int(kept.body), (number, number + 1))
            gone = owner.post("/v1/sessions/%s/runs" % session, {"code": "1"})
            self.assertEqual(gone.status, 404)
            self.assertIn("has ended", gone.json()["error"]["message"])
            self.assertEqual(owner.delete("/v1/sessions/" + session).status, 200)
            self.assertEqual(owner.get("/v1/sessions/" + session).status, 404)
        # Those that were made, but not answered, when the kill came.
        for client in clients.values():
            for one in client.get("/v1/sessions").json()["sessions"]:
                self.assertEqual(one["state"], "ended")
                self.assertEqual(client.delete("/v1/sessions/" + one["id"]).status, 200)
        return len(told.sessions)

    def survive(self, uid, rounds):
        daemon = self.new_daemon("--pool", "4", uid=uid)
        chance = random.Random(7)
        runs = sessions = 0
        last = None
        try:
            daemon.start()
            made = [daemon.command("token", "add", name, "--scope", "run", "--scope", "sessions")
                    for name in ("ann", "bob")]
            ann, bob = [next(word for word in one.stdout.split() if word.startswith("bj_"))
                        for one in made]
            tokens = (ann, bob, ann, bob)
            for _ in range(rounds):
                told, dead, below = self.load(daemon, tokens, chance.uniform(0.02, 0.4))
                daemon.start()
                # The daemon's own user may read every record.
                with contextlib.closing(daemon.client(self.admin(daemon))) as admin:
                    self.check_what_was_answered(admin, told)
                sessions += self.check_sessions(daemon, tokens, told)
                self.assertEqual(os.listdir(daemon.state / "workspaces"), [], "files are left")
                verified = daemon.command("audit", "verify")
                self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
                # Kernels take a second to take many namespaces apart: looked at a round later.
                if last:
                    self.check_nothing_is_left(*last)
                last = (dead, below)
                runs += len(told.runs)
            self.check_nothing_is_left(*last)
            self.assertEqual(daemon.stop(), 0)
            self.assertGreater(runs, rounds)
            self.assertGreater(sessions, rounds // 2)
            print("killed %d times: %d answered runs, %d sessions" % (rounds, runs, sessions))
        finally:
            daemon.__exit__()
        self.assertEqual(mounts_besides(""), self.mounts_before)

    @staticmethod
    def admin(daemon):
        return (daemon.state / "token").read_text().strip()

    def test_as_root_or_whoever_runs_this(self):
        self.survive(os.getuid(), ROUNDS)

    @unittest.skipIf(os.getuid() != 0, "this is an ordinary user already")
    def test_as_an_ordinary_user(self):
        self.survive(UNUSED_UID, USER_ROUNDS)


class Keeping(Suite):
    """Sessions that end in order, but not because their caller said so."""

    def ended(self, client, session):
        def shown():
            found = client.get("/v1/sessions/" + session).json()
            return found if found["state"] == "ended" and "workspace" in found else None
        return wait_for(shown, "it has ended", 20)

    def test_files_of_a_session_that_ended_unasked_can_be_read(self):
        with self.new_daemon("--pool", "2") as daemon:
            client = daemon.client()
            idle = client.post("/v1/sessions", {"idle_timeout": 0.3}).json()["id"]
            client.put("/v1/sessions/%s/files/a/b" % idle, b"by hand")
            killed = client.post("/v1/sessions").json()["id"]
            client.post("/v1/sessions/%s/runs" % killed, {
                "code": "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                        "open('x', 'w').write('before the end')\nwhile True: pass", "timeout": 0.3})
            for session, path, content in ((idle, "a/b", b"by hand"),
                                           (killed, "x", b"before the end")):
                shown = self.ended(client, session)
                self.assertEqual(shown["workspace"]["files"], 1, shown)
                url = "/v1/sessions/%s/files" % session
                self.assertEqual(client.get(url + "/" + path).body, content)
                self.assertEqual([one["path"] for one in client.get(url).json()["files"]], [path])
                self.assertEqual(client.put(url + "/new", b"1").status, 404)

    def test_what_its_caller_ended_is_gone_at_once(self):
        with self.new_daemon("--pool", "2") as daemon:
            client = daemon.client()
            session = client.post("/v1/sessions").json()["id"]
            client.put("/v1/sessions/%s/files/a" % session, b"1")
            self.assertEqual(os.listdir(daemon.state / "workspaces"), [session])
            client.delete("/v1/sessions/" + session)
            self.assertEqual(os.listdir(daemon.state / "workspaces"), [])
            self.assertEqual(client.get("/v1/sessions/%s/files/a" % session).status, 404)
            self.assertEqual(client.get("/v1/sessions").json()["sessions"], [])

    def test_a_daemon_that_stops_in_order_keeps_them_too(self):
        daemon = self.new_daemon("--pool", "2")
        try:
            daemon.start()
            client = daemon.client()
            session = client.post("/v1/sessions").json()["id"]
            client.post("/v1/sessions/%s/runs" % session, {"code": "open('x', 'w').write('y')"})
            self.assertEqual(daemon.stop(), 0)
            daemon.start()
            client = daemon.client()
            shown = client.get("/v1/sessions/" + session).json()
            self.assertEqual((shown["state"], shown["reason"]), ("ended", "Belljar stopped"))
            self.assertEqual(client.get("/v1/sessions/%s/files/x" % session).body, b"y")
        finally:
            daemon.__exit__()
