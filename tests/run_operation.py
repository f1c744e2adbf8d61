#!/usr/bin/env python3
"""Operating a daemon: stopping it in order, changing its configuration, reading its log lines.

Usage: run_operation.py --binary PATH [NAME...]
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service.daemon import Daemon, descendants
from service.suite import build_images, run_tests, wait_until

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARY = None
IMAGES = None
TRACE_ID = "0af7651916cd43dd8448eb211c80319c"
TRACE = "00-%s-b7ad6b7169203331-01" % TRACE_ID


def new_daemon(*flags, **more):
    return Daemon(BINARY, IMAGES, "--pool", "2", *flags, **more)


def lines(daemon):
    """The log, each line parsed: one that is no JSON object fails the test."""
    text = daemon.said()
    return [json.loads(line) for line in text.splitlines() if not line.startswith("image: ")]


def wait_for(daemon, event, count=1):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        found = [line for line in lines(daemon) if line["event"] == event]
        if len(found) >= count:
            return found[-1]
        time.sleep(0.02)
    raise AssertionError("no %s in:\n%s" % (event, daemon.said()))


class Running(threading.Thread):
    """A run that a client waits for."""

    def __init__(self, daemon, code, path="/v1/runs", **more):
        super().__init__()
        self.client, self.path = daemon.client(), path
        self.body = {"code": code, **more}
        self.answer = None
        self.start()

    def run(self):
        self.answer = self.client.post(self.path, self.body)

    def result(self):
        self.join(60)
        return self.answer.json()


def await_runs(daemon, count):
    """Until so many programs have begun: each makes itself known by a session of its own."""
    client = daemon.client()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        states = [one["state"] for one in client.get("/v1/sessions").json()["sessions"]]
        if states.count("running") >= count:
            return
        time.sleep(0.02)
    raise AssertionError("the run did not begin")


class Draining(unittest.TestCase):
    def sleeper(self, daemon, seconds, code="import time\ntime.sleep(%s)\nprint('done')",
                beside=0):
        session = daemon.client().post("/v1/sessions").json()["id"]
        running = Running(daemon, code % seconds, "/v1/sessions/%s/runs" % session)
        await_runs(daemon, beside + 1)
        return running

    def test_what_runs_finishes_what_comes_gets_503_and_the_log_is_sealed(self):
        daemon = new_daemon("--grace", "20s")
        try:
            daemon.start()
            client = daemon.client()
            running = self.sleeper(daemon, 1.5)
            daemon.process.send_signal(signal.SIGTERM)
            wait_for(daemon, "stopping")
            refused = client.post("/v1/runs", {"code": "1"})
            self.assertEqual(refused.status, 503, refused.body)
            self.assertEqual(daemon.client().get("/healthz").status, 503)
            self.assertEqual(running.result()["stdout"], "done\n")
            self.assertEqual(daemon.process.wait(20), 0, daemon.said())
            self.assert_sealed(daemon)
            self.assertFalse(os.path.exists(daemon.address[5:]), "the socket is left")
        finally:
            daemon.__exit__()

    def test_at_the_grace_runs_are_cut_and_answered(self):
        daemon = new_daemon("--grace", "300ms")
        try:
            daemon.start()
            running = self.sleeper(daemon, 60)
            stubborn = self.sleeper(
                daemon, 60, "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\n"
                            "open('kept', 'w').write('kept')\nend = time.time() + %s\n"
                            "while time.time() < end: pass", beside=1)
            began = time.monotonic()
            daemon.process.send_signal(signal.SIGTERM)
            self.assertEqual(running.result()["outcome"], "cancelled")
            self.assertEqual(running.result()["reason"], "the service was stopped")
            self.assertEqual(stubborn.result()["outcome"], "cancelled")
            self.assertEqual(daemon.process.wait(20), 0, daemon.said())
            self.assertLess(time.monotonic() - began, 10)
            self.assert_sealed(daemon)
        finally:
            daemon.__exit__()

    def test_a_second_signal_ends_the_grace(self):
        daemon = new_daemon("--grace", "60s")
        try:
            daemon.start()
            running = self.sleeper(daemon, 60)
            daemon.process.send_signal(signal.SIGTERM)
            wait_for(daemon, "stopping")
            daemon.process.send_signal(signal.SIGTERM)
            self.assertEqual(running.result()["outcome"], "cancelled")
            self.assertEqual(daemon.process.wait(20), 0)
        finally:
            daemon.__exit__()

    def assert_sealed(self, daemon):
        verified = daemon.command("audit", "verify")
        self.assertEqual(verified.returncode, 0, verified.stdout + verified.stderr)
        listed = daemon.command("audit", "list", "--json", "--limit", "1")
        self.assertEqual(listed.returncode, 0, listed.stderr)
        last = json.loads(listed.stdout)[0]
        self.assertEqual(last["event"], "stop")
        # Under the signed checkpoint, not only in the files of what waits for one.
        size = int((daemon.state / "audit/checkpoint").read_text().splitlines()[1])
        self.assertEqual(size, last["index"] + 1)

    def test_systemd_is_told(self):
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, "notify")
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
                manager.bind(path)
                manager.settimeout(20)
                daemon = new_daemon(env={**os.environ, "NOTIFY_SOCKET": path})
                try:
                    daemon.start()
                    self.assertEqual(manager.recv(100), b"READY=1")
                    daemon.process.send_signal(signal.SIGHUP)
                    self.assertTrue(manager.recv(100).startswith(b"RELOADING=1\nMONOTONIC_USEC="))
                    self.assertEqual(manager.recv(100), b"READY=1")
                    self.assertEqual(daemon.stop(), 0)
                    self.assertEqual(manager.recv(100), b"STOPPING=1")
                finally:
                    daemon.__exit__()


class Configuration(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.file = pathlib.Path(scratch.name, "belljar.toml")

    def check(self, *flags, text=None):
        if text is not None:
            self.file.write_text(text)
        return subprocess.run([BINARY, "serve", "--check", "--config", str(self.file), *flags],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)

    def test_flags_win_over_the_file_and_the_file_over_the_defaults(self):
        shown = self.check("--grace", "1s", text='grace = "3s"\njobs = 7\n').stdout
        self.assertIn('grace = "1s"\n', shown)
        self.assertIn("jobs = 7\n", shown)
        self.assertIn("pool = 64\n", shown)

    def test_the_daemon_may_open_as_many_files_as_the_hard_limit_allows(self):
        with new_daemon(prefix=("prlimit", "--nofile=256:2000")) as daemon:
            limits = resource.prlimit(daemon.process.pid, resource.RLIMIT_NOFILE)
            self.assertEqual(limits, (2000, 2000))
            inside = daemon.client().run("import resource as r; print(r.getrlimit(r.RLIMIT_NOFILE))")
            self.assertEqual(inside["stdout"], "(512, 512)\n", "cells have a limit of their own")

    def test_a_mistake_names_itself_and_ends_the_start(self):
        for text, says in (("[log]\ndetial = 1", 'did you mean "log.detail"?'),
                           ('grace = "soon"', '"grace"'), ("grace = ", "belljar.toml:1")):
            checked = self.check(text=text)
            self.assertEqual(checked.returncode, 125)
            self.assertIn(says, checked.stderr)
        missing = subprocess.run([BINARY, "serve", "--config", "/no/such.toml"],
                                 stderr=subprocess.PIPE, text=True)
        self.assertEqual(missing.returncode, 125)
        self.assertIn("/no/such.toml", missing.stderr)

    def test_the_sample_has_every_key_and_says_the_defaults(self):
        sample = (ROOT / "packaging/belljar.toml").read_text()
        plain = self.check(text="").stdout
        as_it_is = self.check(text=sample)
        self.assertEqual(as_it_is.stdout, plain, as_it_is.stderr)
        # Every key stands in it behind "# ", with its default: without that it says the same.
        said = "\n".join(re.sub(r"^# (?=[a-z_]+ = )", "", line) for line in sample.splitlines())
        spoken = self.check(text=said)
        self.assertEqual(spoken.returncode, 0, spoken.stderr)
        self.assertEqual(spoken.stdout, plain)
        section, keys = "", []
        for line in said.splitlines():
            if line.startswith("["):
                section = line.strip("[]") + "."
            elif re.match("[a-z_]+ = ", line):
                keys.append(section + line.split(" = ")[0])
        self.assertEqual(sorted(keys), sorted(line.split(" = ")[0] for line in plain.splitlines()))

    def test_sighup_takes_over_what_can_change_and_names_what_cannot(self):
        self.file.write_text('[limits]\ntimeout = "20s"\n')
        with new_daemon("--config", str(self.file)) as daemon:
            client = daemon.client()
            self.file.write_text('jobs = 3\n[limits]\ntimeout = "300ms"\n[log]\ndetail="minimal"\n')
            daemon.process.send_signal(signal.SIGHUP)
            wait_for(daemon, "reloaded")
            self.assertEqual(wait_for(daemon, "not_reloaded")["key"], "jobs")
            self.assertEqual(len(client.get("/v1/audit?event=policy").json()["records"]), 1)
            result = client.run("import time\ntime.sleep(20)")
            self.assertEqual(result["outcome"], "timeout")
            self.assertEqual([line for line in lines(daemon) if line["event"] == "run"], [])

    def test_a_bad_file_keeps_the_old_configuration_and_says_why(self):
        self.file.write_text('[limits]\ntimeout = "300ms"\n')
        with new_daemon("--config", str(self.file)) as daemon:
            client = daemon.client()
            for text in ("[limits]\ntimeuot = 5", "[limits\n", '[limits]\nmemory = "1"\n'):
                before = len([1 for line in lines(daemon) if line["event"] == "reload_failed"])
                self.file.write_text(text)
                daemon.process.send_signal(signal.SIGHUP)
                failed = wait_for(daemon, "reload_failed", before + 1)
                self.assertIn("the old configuration stays", failed["message"])
                self.assertEqual(client.run("import time\ntime.sleep(20)")["outcome"], "timeout")

    def test_sessions_live_as_long_as_is_said(self):
        self.file.write_text('session_timeout = "200ms"\n')
        with new_daemon("--config", str(self.file)) as daemon:
            client = daemon.client()
            brief = client.post("/v1/sessions").json()["id"]
            longer = client.post("/v1/sessions", {"idle_timeout": 600}).json()["id"]
            deadline = time.monotonic() + 20
            while client.get("/v1/sessions/" + brief).json()["state"] != "ended":
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.05)
            self.assertEqual(client.get("/v1/sessions/" + longer).json()["state"], "idle")

    def test_kept_workspaces_go_when_their_time_is_over(self):
        with new_daemon("--keep-workspaces", "1s") as daemon:
            client = daemon.client()
            session = client.post("/v1/sessions", {"idle_timeout": 0.2}).json()["id"]
            client.put("/v1/sessions/%s/files/a" % session, b"1")
            deadline = time.monotonic() + 20
            seen = set()
            while time.monotonic() < deadline:
                answer = client.get("/v1/sessions/" + session)
                seen.add(answer.json().get("state"))
                # That it was there is remembered a while longer; its files are not.
                if "workspace" not in answer.json() and "ended" in seen:
                    break
                time.sleep(0.05)
            self.assertEqual(client.get("/v1/sessions/%s/files/a" % session).status, 404)
            # Its time is over; who removes it looks once a second.
            wait_until(lambda: not os.listdir(daemon.state / "workspaces"), "the workspace is removed")


class Unit(unittest.TestCase):
    """The systemd unit takes away no more than the making of cells can do without."""

    def directives(self):
        text = (ROOT / "packaging/belljar.service").read_text()
        return dict(line.split("=", 1) for line in text.splitlines() if re.match("[A-Z]\\w+=", line))

    def test_it_leaves_the_daemon_time_to_drain(self):
        unit = self.directives()
        self.assertEqual((unit["Type"], unit["Delegate"]), ("notify", "yes"))
        self.assertEqual(unit["OOMPolicy"], "continue")
        grace = float(re.search('(?m)^# grace = "([0-9]+)s"', (ROOT / "packaging/belljar.toml")
                                .read_text()).group(1))
        self.assertGreater(float(unit["TimeoutStopSec"]), grace + 5)

    @unittest.skipUnless(os.getuid() == 0, "taking capabilities away needs root")
    def test_cells_are_made_without_what_it_takes_away(self):
        unit = self.directives()
        dropped = unit["CapabilityBoundingSet"].lstrip("~").lower().replace("cap_", "").split()
        without = ["setpriv", "--no-new-privs", "--bounding-set",
                   ",".join("-" + name for name in dropped)]
        self.assertEqual(unit["NoNewPrivileges"], "yes")
        with new_daemon(prefix=without) as daemon:
            client = daemon.client()
            self.assertEqual(client.run("print(6*7)")["stdout"], "42\n")
            self.assertEqual(client.run("echo hi", lang="bash")["stdout"], "hi\n")
            session = client.post("/v1/sessions").json()["id"]
            ran = client.post("/v1/sessions/%s/runs" % session, {"code": "print(1)"}).json()
            self.assertEqual(ran["stdout"], "1\n")


def cpus_of_threads(pid):
    """The CPUs that each thread of a process may use; of one that has ended, none are told."""
    found = []
    with contextlib.suppress(OSError):
        for thread in os.listdir("/proc/%d/task" % pid):
            with contextlib.suppress(ProcessLookupError):
                found.append(os.sched_getaffinity(int(thread)))
    return found


def opened_by(pid):
    paths = []
    for descriptor in os.listdir("/proc/%d/fd" % pid):
        with contextlib.suppress(FileNotFoundError):
            paths.append(os.readlink("/proc/%d/fd/%s" % (pid, descriptor)))
    return paths


class Statements(threading.Thread):
    """Statements of one session, one after the other, that say which CPUs the guest may use."""

    CODE = "import os\nsorted(os.sched_getaffinity(0))"

    def __init__(self, daemon, count):
        super().__init__()
        self.client, self.count, self.seen = daemon.client(), count, []
        self.path = "/v1/sessions/%s/runs" % self.client.post("/v1/sessions").json()["id"]
        self.start()

    def run(self):
        for _ in range(self.count):
            answer = self.client.post(self.path, {"code": self.CODE}).json()
            self.seen.append(set(json.loads(answer["results"][0]["text/plain"])))
        self.client.close()


class HostCpus(unittest.TestCase):
    """The daemon leaves the host's CPUs as they are: how they idle, and which of them it may use."""

    def test_threads_and_cells_keep_the_cpus_that_the_daemon_was_started_with(self):
        own = os.sched_getaffinity(0)
        for cpus, prefix in ((own, ()), ({max(own)}, ("taskset", "-c", str(max(own))))):
            with self.subTest(cpus=cpus), new_daemon(prefix=prefix) as daemon:
                statements = Statements(daemon, 500)
                while statements.is_alive():
                    for pid in (daemon.process.pid, *descendants(daemon.process.pid)):
                        for kept in cpus_of_threads(pid):
                            self.assertEqual(kept, cpus, pid)
                self.assertEqual(statements.seen, [cpus] * 500)

    def test_it_does_not_keep_idle_cpus_from_sleeping(self):
        with new_daemon() as daemon:
            statements = Statements(daemon, 50)
            while statements.is_alive():
                self.assertNotIn("/dev/cpu_dma_latency", opened_by(daemon.process.pid))
            self.assertEqual(len(statements.seen), 50)


class Logs(unittest.TestCase):
    SECRET_CODE, SECRET_OUTPUT = "unlikely_name", "zebra-crossing"

    def run_one(self, *flags):
        """The lines of a daemon in which one run has a secret in its code and one in its output."""
        daemon = new_daemon(*flags)
        try:
            daemon.start()
            client = daemon.client()
            body = json.dumps({"code": "%s = 1\nprint('zebra' + '-crossing')" % self.SECRET_CODE,
                               "id": "one", "correlation_id": "corr-7"}).encode()
            answer = client.ask("POST", "/v1/runs", body, headers={"traceparent": TRACE}).json()
            record = client.get("/v1/audit/%d" % answer["audit"]["index"]).json()
            shown = client.get("/v1/runs?correlation_id=corr-7").json()["runs"]
            self.assertEqual(daemon.stop(), 0)
            return answer, record, shown, lines(daemon), daemon.said()
        finally:
            daemon.__exit__()

    def test_trace_and_correlation_go_through_log_audit_and_result(self):
        answer, record, shown, log, _ = self.run_one()
        self.assertEqual((answer["correlation_id"], answer["traceparent"]), ("corr-7", TRACE))
        self.assertEqual((record["correlation_id"], record["traceparent"]), ("corr-7", TRACE))
        self.assertEqual(len(shown), 1)
        run = next(line for line in log if line["event"] == "run")
        self.assertEqual((run["correlation_id"], run["trace_id"], run["id"], run["outcome"]),
                         ("corr-7", TRACE_ID, "one", "ok"))
        self.assertEqual(run["audit"], answer["audit"]["index"])
        self.assertTrue(run["caller"])

    def test_code_and_output_are_logged_only_when_verbose(self):
        for flags, there in ((("--log-detail", "minimal"), False), ((), False),
                             (("--log-detail", "verbose"), True)):
            *_, log, text = self.run_one(*flags)
            self.assertEqual(self.SECRET_CODE in text, there, flags)
            self.assertEqual(self.SECRET_OUTPUT in text, there, flags)
            self.assertNotIn("\x1b", text)
            for line in log:
                self.assertLessEqual({"time", "level", "event"}, set(line))

    def test_minimal_tells_of_the_daemon_and_not_of_its_callers(self):
        *_, log, text = self.run_one("--log-detail", "minimal")
        events = {line["event"] for line in log}
        self.assertLessEqual({"listening", "stopping", "stopped"}, events)
        self.assertFalse({"run", "request"} & events)
        self.assertNotIn("corr-7", text)

    def test_a_file_takes_the_lines_and_text_is_for_people(self):
        daemon = new_daemon("--log-format", "text")
        daemon.flags += ["--log-file", str(daemon.directory / "log")]
        try:
            daemon.start()
            daemon.client().run("1")
            self.assertEqual(daemon.stop(), 0)
            text = (daemon.directory / "log").read_text()
            self.assertRegex(text, r"(?m)^\S+Z info run id=\"r-[0-9a-f]+\" caller=")
            self.assertEqual((daemon.directory / "log").stat().st_mode & 0o777, 0o600)
            self.assertEqual(daemon.said(), "")
        finally:
            daemon.__exit__()

    def test_a_log_that_nobody_reads_holds_up_nothing(self):
        read_end, write_end = os.pipe()
        try:
            daemon = new_daemon()
            command = [BINARY, "serve", "--state", str(daemon.state), "--listen", daemon.address,
                       "--pool", "2", "--log-detail", "verbose"]
            daemon.process = subprocess.Popen(command, stderr=write_end)
            deadline = time.monotonic() + 30
            while not os.path.exists(daemon.address[5:]):
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.02)
            client = daemon.client()
            for _ in range(40):  # more than the pipe holds
                self.assertEqual(client.run("print('x' * 8000)")["outcome"], "ok")
            daemon.kill()
        finally:
            os.close(read_end)
            os.close(write_end)
            daemon.__exit__()


def main():
    global BINARY, IMAGES
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    BINARY = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="belljar-images-") as scratch:
        IMAGES = build_images(BINARY, scratch, os.getuid())
        return run_tests(sys.modules[__name__], options.names)


if __name__ == "__main__":
    sys.exit(main())
