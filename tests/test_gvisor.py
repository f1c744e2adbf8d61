"""Cells that gVisor holds: what a policy demands, what a run leaves, what is refused by name.

That programs, limits, files and sessions are as on any backend is shown by the data cases, the
escape tests and the tests of the daemon, which run with --backend gvisor besides.
"""
import concurrent.futures
import itertools
import json
import os
import pathlib
import random
import signal
import string
import subprocess
import time
import unittest

import pytest

from service.processes import any_left, descendants
from service.host import mounts_besides
from suite import Suite, link_state, wait_for

pytestmark = pytest.mark.gvisor


class OnRunsc(Suite):
    """Commands over a state directory of the class."""
    FIXTURES = (*Suite.FIXTURES, "scratch")

    def setUp(self):
        self.state = self.scratch / "state"
        if not self.state.exists():
            link_state(self.state, self.images)

    def belljar(self, *arguments, **env):
        return subprocess.run([self.binary, *arguments], capture_output=True, text=True, timeout=120,
                              check=False, cwd=self.scratch,
                              env={"PATH": "/usr/bin:/bin", "HOME": str(self.scratch),
                                   "BELLJAR_STATE": str(self.state), **env})

    def policy(self, text):
        path = self.scratch / "policy.toml"
        path.write_text(text)
        return str(path)

    def result_of(self, *arguments, **env):
        ran = self.belljar("run", "--json", *arguments, **env)
        return json.loads(ran.stdout)

    def runtime_config(self, name, case):
        """A configuration with a runtime that does `case` of a shell, and everything else as runsc does it."""
        path = self.scratch / name
        path.write_text('#!/bin/sh\ncase " $* " in\n%s\nesac\nexec /usr/bin/runsc "$@"\n' % case)
        path.chmod(0o755)
        config = self.scratch / (name + ".toml")
        config.write_text('[gvisor]\nruntime = "%s"\n' % path)
        return str(config)


class Demanded(OnRunsc):
    def test_strict_runs_behind_gvisor(self):
        result = self.result_of("--level", "strict", "-c", "import math\nprint(math.isqrt(49))")
        self.assertEqual((result["outcome"], result["stdout"]), ("ok", "7\n"))
        self.assertEqual(result["layers"]["backend"], "gvisor")
        self.assertIn("runsc", result["layers"]["runtime"])

    def test_it_is_another_kernel(self):
        code = "import os\nprint(os.uname().release)"
        inside = self.result_of("--level", "relaxed", "--backend", "gvisor", "-c", code)["stdout"]
        native = self.result_of("--level", "relaxed", "-c", code)["stdout"]
        self.assertEqual(native.strip(), os.uname().release)
        self.assertNotEqual(inside, native)

    def test_strict_refuses_weaker_walls(self):
        result = self.result_of("--level", "strict", "--backend", "native", "-c", "print(1)")
        self.assertEqual(result["outcome"], "refused")
        self.assertIn("strict_gvisor", result.get("reason"))

    def test_a_policy_may_do_without(self):
        terms = self.policy('extends = "strict"\nbackend = "native"\nstrict_gvisor = false\n')
        result = self.result_of("--policy", terms, "-c", "print(1)")
        self.assertEqual((result["outcome"], result["layers"]["backend"]), ("ok", "native"))

    def test_a_policy_of_ones_own_may_demand_it(self):
        terms = self.policy('extends = "relaxed"\nstrict_gvisor = true\n')
        result = self.result_of("--policy", terms, "-c", "print(1)")
        self.assertEqual(result["outcome"], "refused")

    def test_a_refusal_quotes_no_secret_of_the_code(self):
        secret = "ghp_" + "".join(random.choices(string.ascii_letters + string.digits, k=36))
        terms = self.policy('extends = "relaxed"\nstrict_gvisor = true\n')
        result = self.result_of("--policy", terms, "-c", f"open('/etc/{secret}')")
        self.assertEqual(result["outcome"], "refused")
        self.assertIn("[redacted:", result["findings"][0]["message"])
        self.assertNotIn(secret, json.dumps(result))

    def test_a_session_from_before_it_was_demanded_runs_nothing_more(self):
        terms = self.policy('extends = "relaxed"\n')
        with self.new_daemon("--policy", terms, env={**os.environ, "BELLJAR_LEVEL": ""}) as daemon:
            client = daemon.client()
            runs = "/v1/sessions/%s/runs" % client.post("/v1/sessions", {"lang": "python"}).json()["id"]
            self.assertEqual(client.post(runs, {"code": "print(1)"}).json()["stdout"], "1\n")
            self.policy('extends = "relaxed"\nbackend = "gvisor"\nstrict_gvisor = true\n')
            daemon.process.send_signal(signal.SIGHUP)
            wait_for(lambda: client.run("1", backend="native")["outcome"] == "refused", "the policy is read")
            result = client.post(runs, {"code": "print(2)"}).json()
            self.assertEqual((result["outcome"], result["stdout"]), ("refused", ""), result)
            self.assertIn("strict_gvisor", result["reason"])

    def test_two_runs_with_a_seed_print_the_same(self):
        code = "import random, time, os\nprint(random.random(), time.time(), hash('x'), os.urandom(4))"
        said = [self.result_of("--level", "relaxed", "--backend", "gvisor", "--deterministic", "7", "-c",
                          code)["stdout"] for _ in range(2)]
        self.assertEqual(said[0], said[1])
        self.assertTrue(said[0])

    def test_vaults_are_committed_on_success(self):
        vault = self.scratch / "vault"
        vault.mkdir()
        (vault / "in.txt").write_text("before")
        result = self.result_of("--level", "relaxed", "--backend", "gvisor", "--vault", f"{vault}:rw", "-c",
                           "p='/vault/vault/'\nopen(p+'out.txt','w').write(open(p+'in.txt').read()+'!')")
        self.assertEqual(result["outcome"], "ok", result)
        self.assertEqual((vault / "out.txt").read_text(), "before!")


class ByCommand(OnRunsc):
    """belljar run --session and --jsonl: what is asked for is what holds, or it is refused."""

    def test_a_session_is_made_with_the_backend_and_the_level_that_were_asked_for(self):
        with self.new_daemon() as daemon:
            there = {"BELLJAR_STATE": daemon.state, "BELLJAR_SOCKET": daemon.address}
            result = self.result_of("--session", "g", "--backend", "gvisor", "-c", "print(1)", **there)
            self.assertEqual(result["layers"]["backend"], "gvisor", result)
            again = self.result_of("--session", "g", "--backend", "gvisor", "-c", "print(1)", **there)
            self.assertEqual(again["session"]["id"], result["session"]["id"])
            other = self.belljar("run", "--session", "g", "--backend", "native", "-c", "1", **there)
            self.assertEqual((other.returncode, other.stderr), (
                125, 'belljar: session "g" was made with the backend gvisor, and --backend says "native"\n'))
            strict = self.result_of("--session", "s", "--level", "strict", "-c", "import subprocess", **there)
            self.assertNotEqual(strict["outcome"], "ok", strict)
            held = self.result_of("--session", "s", "--level", "strict", "-c", "print(1)", **there)
            self.assertEqual((held["outcome"], held["layers"]["backend"]), ("ok", "gvisor"))
            for shown in (daemon.client().get("/v1/sessions/s").json(),
                          *[one for one in daemon.client().get("/v1/sessions").json()["sessions"]
                            if one["name"] == "s"]):
                self.assertEqual((shown["backend"], shown["level"]), ("gvisor", "strict"))


class Missing(OnRunsc):
    def refusal(self, runtime):
        config = self.scratch / "belljar.toml"
        config.write_text('[gvisor]\nruntime = "%s"\n' % runtime)
        with self.new_daemon("--config", str(config)) as daemon:
            result = daemon.client().run("print(1)", backend="gvisor")
        self.assertEqual(result["outcome"], "refused", result)
        return result["reason"]

    def test_without_gvisor_nothing_runs_and_the_refusal_says_what_to_install(self):
        self.assertIn("apt-get install runsc-of-nobody", self.refusal("runsc-of-nobody"))


@pytest.mark.slow
class Hanging(OnRunsc):
    """Each waits for a time limit to pass."""

    def unfit(self, case):
        """What a daemon says instead of a result."""
        with self.new_daemon("--config", self.runtime_config("unfit", case)) as daemon:
            answer = daemon.client().post("/v1/runs", {"code": "print(1)", "backend": "gvisor"})
        self.assertEqual(answer.status, 503, answer.json())
        return json.dumps(answer.json())

    def test_a_daemon_runs_nothing_in_a_runtime_that_does_not_do_what_it_is_told(self):
        for case, sentence in (('*" exec "*) exit 3;;', "its exec failed"),
                               ('*" kill "*) exec sleep 1234569;;', "its kill did not end within 20 s"),
                               ('*" state "*) exit 0;;', "its state says")):
            self.assertIn(sentence, self.unfit(case))

    @unittest.skipIf(os.geteuid() != 0, "an ordinary user's container is not created first")
    def test_a_run_in_a_runtime_that_hangs_says_what_that_says_of_it(self):
        cases = [("hangs-in-create", '*" create "*) exec sleep 1234570;;',
                  "and the runtime has neither started it nor says its state"),
                 ("never-starts", '*" start "*) exit 0;;', "and the runtime says that it is created")]
        with concurrent.futures.ThreadPoolExecutor() as at_once:
            runs = [at_once.submit(
                self.belljar, "run", "--level", "relaxed", "--backend", "gvisor", "-c", "1",
                BELLJAR_CONFIG=self.runtime_config(name, case)) for name, case, _ in cases]
        for run, (name, _, sentence) in zip(runs, cases):
            self.assertEqual(run.result().returncode, 125, run.result().stderr)
            self.assertIn("within 20 s, " + sentence, run.result().stderr)
            self.assertIn("/%s with the platform" % name, run.result().stderr)


class OtherRuntime(OnRunsc):
    """The backend gvisor is gVisor's: a runtime that is not runsc holds nothing, even if all else in it is runsc."""

    VERSIONS = ("crun version 1.8.1", "runc version 1.1.5")

    def refused(self, version):
        """A configuration whose runtime calls itself so, and the sentence that refuses it."""
        name = version.split()[0] + "-of-a-test"
        config = self.runtime_config(name, '*" --version "*) echo "%s"; exit;;' % version)
        return config, ("the backend gvisor: %s is not gVisor's runsc, by what its --version prints, and no other "
                        "runtime is accepted: name runsc in gvisor.runtime" % (self.scratch / name))

    def test_a_command_is_refused_whatever_has_chosen_the_backend(self):
        by_policy = self.policy('extends = "relaxed"\nbackend = "gvisor"\n')
        for version in self.VERSIONS:
            config, sentence = self.refused(version)
            for chosen in (("--level", "relaxed", "--backend", "gvisor"), ("--level", "strict"), ("--policy", by_policy)):
                ran = self.belljar("run", *chosen, "-c", "print(1)", BELLJAR_CONFIG=config)
                self.assertEqual((ran.returncode, ran.stdout), (126, ""), ran.stderr)
                self.assertIn(sentence, ran.stderr)

    def test_a_daemon_refuses_runs_and_sessions(self):
        for version in self.VERSIONS:
            config, sentence = self.refused(version)
            with self.new_daemon("--config", config) as daemon:
                client = daemon.client()
                result = client.run("print(1)", backend="gvisor")
                session = client.post("/v1/sessions", {"backend": "gvisor"})
                native = client.run("print(1)")
            self.assertEqual((result["outcome"], result["stdout"], result["reason"]), ("refused", "", sentence))
            self.assertGreaterEqual(session.status, 400, session.json())
            self.assertIn(sentence, json.dumps(session.json()))
            self.assertEqual((native["outcome"], native["layers"]["backend"]), ("ok", "native"))


@unittest.skipIf(os.geteuid() != 0, "runsc saves containers of root only")
class Told(OnRunsc):
    """Which commands a runtime is told when a session is saved."""

    def saved(self, case):
        log = self.scratch / "told"
        log.write_text("")
        config = self.runtime_config("tells", '*) for word in "$@"; do case $word in -*|/*) ;; *) '
                                'echo "$word"; break;; esac; done >> %s;;\nesac\ncase " $* " in %s' % (log, case))
        terms = self.policy('extends = "relaxed"\nbackend = "gvisor"\n')
        with self.new_daemon("--config", config, "--policy", terms,
                    env={**os.environ, "BELLJAR_LEVEL": ""}) as daemon:
            client = daemon.client()
            session = "/v1/sessions/" + client.post("/v1/sessions", {}).json()["id"]
            self.assertEqual(client.post(session + "/runs", {"code": "x = 7"}).json()["outcome"], "ok")
            answer = client.post(session + "/checkpoints", {})
            self.assertEqual(answer.status, 200, answer.json())
            self.assertEqual(client.post(session + "/runs", {"code": "print(x)"}).json()["stdout"], "7\n")
        # A state is asked for until it is there.
        words = [word for word, _ in itertools.groupby(log.read_text().split())]
        self.assertEqual(words[:words.index("delete") + 2],
                         ["flags", "create", "state", "start", "state", "exec", "kill", "state", "delete", "state"])
        return [word for word in words[words.index("checkpoint"):] if word not in ("create", "start")]

    def test_what_was_saved_is_removed_as_stopped(self):
        self.assertEqual(self.saved(""), ["checkpoint", "delete", "restore"])

    def test_what_cannot_be_removed_so_is_killed_first(self):
        # The second: the first is that of the trial.
        case = '*" --force "*) ;; *" delete "*) test ! -e deleted || exit 1; touch deleted;;'
        case = case.replace("deleted", str(self.scratch / "deleted-once"))
        self.assertEqual(self.saved(case), ["checkpoint", "delete", "kill", "delete", "restore"])


class LastWords(OnRunsc):
    """What says that it ends is ended."""

    CODE = """import os, time
if os.fork() == 0:
    time.sleep(0.3)
    open('/workspace/late', 'w').close()
    os._exit(0)
payload = b'{"file_operations":0,"exits":%d}'
os.write(3, len(payload).to_bytes(4, 'little') + bytes([0x83]) + payload)
time.sleep(30)
"""

    def test_who_says_that_it_ends_does_not_go_on(self):
        begun = time.monotonic()
        result = self.result_of("--level", "relaxed", "--backend", "gvisor", "-c", self.CODE % 7)
        self.assertEqual((result["outcome"], result["exit_code"]), ("exit", 7))
        self.assertLess(time.monotonic() - begun, 20, "it was waited for")

    def test_outside_of_containers_nobody_is_believed(self):
        code = self.CODE.replace("time.sleep(30)", "os._exit(9)")
        result = self.result_of("--level", "relaxed", "-c", code % 7)
        self.assertEqual((result["outcome"], result["exit_code"]), ("exit", 9))


def name_of(pid):
    """Empty where it has ended since it was listed, as the runtime's own helpers do."""
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except FileNotFoundError:
        return ""


class Left(OnRunsc):
    def gvisor_daemon(self):
        terms = self.policy('extends = "relaxed"\nbackend = "gvisor"\n')
        return self.new_daemon("--policy", terms, env={**os.environ, "BELLJAR_LEVEL": ""})

    def test_killed_it_leaves_no_process_and_no_mount(self):
        mounts = set(mounts_besides("").splitlines())
        daemon = self.gvisor_daemon()
        try:
            daemon.start()
            client = daemon.client()
            self.assertEqual(client.run("print(6*7)")["stdout"], "42\n")
            session = client.post("/v1/sessions", {}).json()["id"]
            client.post(f"/v1/sessions/{session}/runs", {"code": "x = 1"})
            below = descendants(daemon.process.pid)
            names = {name_of(pid) for pid in below}
            self.assertIn("belljar-keeper", names)
            daemon.kill()
            wait_for(lambda: not any_left(below), "no process is left")
            new = set(mounts_besides("").splitlines()) - mounts
            self.assertFalse([line for line in new if "belljar" in line or " /mnt" in line])
        finally:
            daemon.__exit__()

    def test_killed_while_its_runtime_hangs_it_leaves_no_process(self):
        config = self.runtime_config("hangs", '*" create "*|*" run "*) exec sleep 1234571;;')
        process = subprocess.Popen(
            [self.binary, "run", "--level", "relaxed", "--backend", "gvisor", "-c", "1"], stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.scratch), "BELLJAR_STATE": str(self.scratch / "state"),
                 "BELLJAR_CONFIG": config})

        def hangs():
            lines = (pathlib.Path("/proc/%d/cmdline" % pid) for pid in descendants(process.pid))
            return any(b"1234571" in line.read_bytes() for line in lines if line.exists())

        wait_for(hangs, "the runtime hangs")
        below = descendants(process.pid)
        process.kill()
        process.wait()
        wait_for(lambda: not any_left(below), "no process is left")

    def test_a_command_ended_by_its_caller_leaves_nothing(self):
        process = subprocess.Popen(
            [self.binary, "run", "--level", "relaxed", "--backend", "gvisor", "-c",
             "print('up', flush=True)\nimport time\ntime.sleep(60)"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(self.scratch), "BELLJAR_STATE": str(self.scratch / "state")})
        self.assertEqual(process.stdout.readline(), "up\n")
        below = descendants(process.pid)
        self.assertTrue(below)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        wait_for(lambda: not any_left(below), "no process is left")
