#!/usr/bin/env python3
"""Cells that gVisor holds: what a policy demands, what a run leaves, what is refused by name.

That programs, limits, files and sessions are as on any backend is shown by the data cases, the
escape tests and the tests of the daemon, which run with --backend gvisor besides.

Usage: run_gvisor.py --binary PATH [NAME...]
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service.daemon import Daemon, descendants
from service.suite import build_images, run_tests

BINARY = SCRATCH = IMAGES = None


def belljar(*arguments, **env):
    state = SCRATCH / "state"
    if not state.exists():
        state.mkdir(mode=0o700)
        (state / "images").symlink_to(IMAGES)
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=120,
                          check=False, cwd=SCRATCH,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(SCRATCH),
                               "BELLJAR_STATE": str(state), **env})


def policy(text):
    path = SCRATCH / "policy.toml"
    path.write_text(text)
    return str(path)


def result_of(*arguments, **env):
    ran = belljar("run", "--json", *arguments, **env)
    return json.loads(ran.stdout)


class Demanded(unittest.TestCase):
    def test_strict_runs_behind_gvisor(self):
        result = result_of("--level", "strict", "-c", "import math\nprint(math.isqrt(49))")
        self.assertEqual((result["outcome"], result["stdout"]), ("ok", "7\n"))
        self.assertEqual(result["layers"]["backend"], "gvisor")
        self.assertIn("runsc", result["layers"]["runtime"])

    def test_it_is_another_kernel(self):
        code = "import os\nprint(os.uname().release)"
        inside = result_of("--level", "relaxed", "--backend", "gvisor", "-c", code)["stdout"]
        native = result_of("--level", "relaxed", "-c", code)["stdout"]
        self.assertEqual(native.strip(), os.uname().release)
        self.assertNotEqual(inside, native)

    def test_strict_refuses_weaker_walls(self):
        result = result_of("--level", "strict", "--backend", "native", "-c", "print(1)")
        self.assertEqual(result["outcome"], "refused")
        self.assertIn("strict_gvisor", result["reason"])

    def test_a_policy_may_do_without(self):
        terms = policy('extends = "strict"\nbackend = "native"\nstrict_gvisor = false\n')
        result = result_of("--policy", terms, "-c", "print(1)")
        self.assertEqual((result["outcome"], result["layers"]["backend"]), ("ok", "native"))

    def test_a_policy_of_ones_own_may_demand_it(self):
        terms = policy('extends = "relaxed"\nstrict_gvisor = true\n')
        result = result_of("--policy", terms, "-c", "print(1)")
        self.assertEqual(result["outcome"], "refused")

    def test_two_runs_with_a_seed_print_the_same(self):
        code = "import random, time, os\nprint(random.random(), time.time(), hash('x'), os.urandom(4))"
        said = [result_of("--level", "relaxed", "--backend", "gvisor", "--deterministic", "7", "-c",
                          code)["stdout"] for _ in range(2)]
        self.assertEqual(said[0], said[1])
        self.assertTrue(said[0])

    def test_vaults_are_committed_on_success(self):
        vault = SCRATCH / "vault"
        vault.mkdir()
        (vault / "in.txt").write_text("before")
        result = result_of("--level", "relaxed", "--backend", "gvisor", "--vault", f"{vault}:rw", "-c",
                           "p='/vault/vault/'\nopen(p+'out.txt','w').write(open(p+'in.txt').read()+'!')")
        self.assertEqual(result["outcome"], "ok", result)
        self.assertEqual((vault / "out.txt").read_text(), "before!")


class Missing(unittest.TestCase):
    def refusal(self, runtime):
        config = SCRATCH / "belljar.toml"
        config.write_text('[gvisor]\nruntime = "%s"\n' % runtime)
        with Daemon(BINARY, IMAGES, "--config", str(config)) as daemon:
            result = daemon.client().run("print(1)", backend="gvisor")
        self.assertEqual(result["outcome"], "refused", result)
        return result["reason"]

    def test_without_gvisor_nothing_runs_and_the_refusal_says_what_to_install(self):
        self.assertIn("apt-get install runsc-of-nobody", self.refusal("runsc-of-nobody"))

    def test_a_runtime_that_is_not_gvisor_is_not_taken_for_it(self):
        other = SCRATCH / "crun"
        other.write_text("#!/bin/sh\necho crun version 1.8.1\n")
        other.chmod(0o755)
        self.assertIn("is not gVisor", self.refusal(other))


class Left(unittest.TestCase):
    def new_daemon(self):
        terms = policy('extends = "relaxed"\nbackend = "gvisor"\n')
        return Daemon(BINARY, IMAGES, "--policy", terms, env={**os.environ, "BELLJAR_LEVEL": ""})

    def test_killed_it_leaves_no_process_and_no_mount(self):
        mounts = set(pathlib.Path("/proc/self/mountinfo").read_text().splitlines())
        daemon = self.new_daemon()
        try:
            daemon.start()
            client = daemon.client()
            self.assertEqual(client.run("print(6*7)")["stdout"], "42\n")
            session = client.post("/v1/sessions", {}).json()["id"]
            client.post(f"/v1/sessions/{session}/runs", {"code": "x = 1"})
            below = descendants(daemon.process.pid)
            names = {pathlib.Path(f"/proc/{pid}/comm").read_text().strip() for pid in below}
            self.assertIn("belljar-keeper", names)
            daemon.kill()
            deadline = time.monotonic() + 20
            while any(os.path.exists("/proc/%d" % pid) for pid in below):
                self.assertLess(time.monotonic(), deadline, "processes are left")
                time.sleep(0.02)
            new = set(pathlib.Path("/proc/self/mountinfo").read_text().splitlines()) - mounts
            self.assertFalse([line for line in new if "belljar" in line or " /mnt" in line])
        finally:
            daemon.__exit__()

    def test_a_session_says_why_it_cannot_be_saved_and_lives_on(self):
        with self.new_daemon() as daemon:
            client = daemon.client()
            session = client.post("/v1/sessions", {}).json()["id"]
            client.post(f"/v1/sessions/{session}/runs", {"code": "x = 41"})
            refused = client.post(f"/v1/sessions/{session}/checkpoints", {})
            self.assertEqual(refused.status, 400, refused.body)
            self.assertIn("gvisor cannot be saved", refused.json()["error"]["message"])
            again = client.post(f"/v1/sessions/{session}/runs", {"code": "print(x + 1)"}).json()
            self.assertEqual(again["stdout"], "42\n")

    def test_a_command_ended_by_its_caller_leaves_nothing(self):
        process = subprocess.Popen(
            [BINARY, "run", "--level", "relaxed", "--backend", "gvisor", "-c",
             "print('up', flush=True)\nimport time\ntime.sleep(60)"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(SCRATCH), "BELLJAR_STATE": str(SCRATCH / "state")})
        self.assertEqual(process.stdout.readline(), "up\n")
        below = descendants(process.pid)
        self.assertTrue(below)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        deadline = time.monotonic() + 20
        while any(os.path.exists("/proc/%d" % pid) for pid in below):
            self.assertLess(time.monotonic(), deadline, "processes are left")
            time.sleep(0.02)


def main():
    global BINARY, SCRATCH, IMAGES
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    BINARY = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="belljar-gvisor-") as scratch:
        SCRATCH = pathlib.Path(scratch)
        IMAGES = build_images(BINARY, SCRATCH, os.getuid())
        return run_tests(sys.modules[__name__], options.names)


if __name__ == "__main__":
    sys.exit(main())
