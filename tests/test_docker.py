"""The docker backend, on a real dockerd with runsc: walls, limits, sessions, refusals, clean-up.

A part of what all backends have in common runs here, on the same daemon; all of it by --backend docker of
test_cases.py, test_escape.py, test_service.py and integration/test_vault.py.
"""
import base64
import http.server
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading

import pytest

from mcp_servers.table import table
from service.daemon import UNUSED_UID, as_user
from service.docker import Podman
from suite import ROOT, Suite, link_state, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.docker]

SECONDS = 120
# The ways in which a limit is told, a row of the attacks, and sessions.
SAME = (("test_cases.py", "-k", "limits and (processes_t or workspace) and test_request"),
        ("test_escape.py", "-k", "row01"),
        ("test_service.py", "-k", "Sessions"))


class State:
    """A state directory, and the command line over it."""

    def __init__(self, suite, host):
        self.binary = suite.binary
        self.folder = tempfile.TemporaryDirectory(prefix="belljar-docker-test-")
        self.path = link_state(pathlib.Path(self.folder.name, "state"), suite.images)
        self.env = {"PATH": "/usr/bin:/bin", "HOME": self.folder.name, "BELLJAR_STATE": str(self.path),
                    "DOCKER_HOST": host}

    def belljar(self, *arguments, stdin="", **more):
        return subprocess.run([self.binary, *arguments], input=stdin, text=True, capture_output=True,
                              timeout=SECONDS, env=self.env, **more)

    def run_lines(self, *requests, backend="docker"):
        lines = "".join(json.dumps({"id": str(i), "level": "relaxed", "backend": backend, **request}) + "\n"
                        for i, request in enumerate(requests))
        done = self.belljar("run", "--jsonl", "--jobs", "2", "--pool", "1", stdin=lines)
        answers = {}
        for line in done.stdout.splitlines():
            answer = json.loads(line)
            answers[answer["id"]] = answer
        if len(answers) != len(requests):
            raise AssertionError(done.stderr)
        return [answers[str(i)] for i in range(len(requests))]

    def close(self):
        self.folder.cleanup()


class OnDocker(Suite):
    FIXTURES = (*Suite.FIXTURES, "docker")


class WithState(OnDocker):
    @classmethod
    def setUpClass(cls):
        cls.state = State(cls, cls.docker.host)

    @classmethod
    def tearDownClass(cls):
        cls.state.close()


@pytest.mark.xdist_group("docker, runs")
class Runs(WithState):
    def test_languages_files_and_streams(self):
        answers = self.state.run_lines(
            {"code": "import sys\nprint(sys.stdin.read(), open('in').read())\nopen('out', 'w').write('new')",
             "stdin": "typed", "files": {"in": base64.b64encode(b"given").decode()}, "fetch": ["out"]},
            {"lang": "bash", "code": "echo $X; cat > /tmp/a < /dev/null; exit 3", "env": {"X": "y"}},
            {"lang": "javascript", "code": "console.error(6 * 7)"},
            {"command": ["sh", "-c", "kill -TERM $$"]})
        python, bash, node, command = answers
        self.assertEqual((python["outcome"], python["stdout"]), ("ok", "typed given\n"), python)
        self.assertEqual(python["files"]["created"], ["out"])
        self.assertEqual(base64.b64decode(python["files"]["fetched"]["out"]), b"new")
        self.assertEqual((bash["outcome"], bash["exit_code"], bash["stdout"]), ("exit", 3, "y\n"), bash)
        self.assertEqual((node["outcome"], node["stderr"]), ("ok", "42\n"), node)
        self.assertEqual((command["outcome"], command["signal"]), ("signal", 15), command)
        self.assertEqual(python["layers"]["backend"], "docker")
        self.assertTrue(python["layers"]["gvisor"])

    def test_artefacts_are_read_and_not_written(self):
        home = pathlib.Path(self.state.folder.name)
        (home / "model").mkdir()
        (home / "model/weights").write_text("1 2 3")
        (home / "policy.toml").write_text('extends = "relaxed"\n[artefacts]\nallow = ["model"]\n')
        self.assertEqual(self.state.belljar("artefact", "add", "model", str(home / "model")).returncode, 0)
        done = self.state.belljar("run", "--backend", "docker", "--policy", str(home / "policy.toml"),
                                  "--artefact", "model", "-c", """
import os
print(open("/artefacts/model/weights").read(), os.listdir("/artefacts"))
for way in (lambda: open("/artefacts/model/new", "w"), lambda: os.chmod("/artefacts/model", 0o777),
            lambda: os.unlink("/artefacts/model/weights")):
    try:
        way()
        print("worked")
    except OSError:
        print("refused")
""")
        self.assertEqual(done.stdout, "1 2 3 ['model']\n" + 3 * "refused\n", done.stderr)
        self.assertEqual(self.state.belljar("artefact", "verify", "model").returncode, 0)

    def test_every_limit_ends_its_run_by_its_name(self):
        answers = self.state.run_lines(
            {"code": "while True: pass", "timeout": 1},
            {"code": "x = bytearray(400 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1", "memory": "64M"},
            {"code": "import os, time\nwhile True:\n    if os.fork() == 0: time.sleep(60)", "processes": 12},
            {"code": "while True: print('x' * 1000)", "output_lines": 50},
            {"lang": "bash", "code": "head -c 4M /dev/zero > f", "workspace": "1M"},
            {"lang": "bash", "code": "head -c 4M /dev/zero > /tmp/f", "workspace": "1M"})
        self.assertEqual([answer["outcome"] for answer in answers],
                         ["timeout", "memory", "processes", "output", "disk", "exit"], answers)

    def test_cpu_is_capped_and_counted(self):
        burn = "import time\nend = time.monotonic() + 1\nwhile time.monotonic() < end: pass"
        (half,) = self.state.run_lines({"code": burn, "cpus": 0.3})
        self.assertEqual(half["outcome"], "ok")
        self.assertLess(half["usage"]["cpu_ms"], 0.7 * half["usage"]["wall_ms"], half["usage"])
        self.assertGreater(half["usage"]["cpu_ms"], 100)

    def test_nothing_of_the_host_is_there(self):
        marker = pathlib.Path(self.state.folder.name, "marker")
        marker.write_text("secret")
        code = """
import json, os, socket
def tries(do):
    try: return str(do())
    except OSError as error: return type(error).__name__
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print(json.dumps({
  "uid": os.getuid(), "kernel": os.uname().release, "caps": int(status["CapEff"], 16),
  "file": tries(lambda: open(%r).read()), "root": tries(lambda: open("/etc/x", "w")),
  "guest": tries(lambda: open("/.belljar/guest.py", "w")), "setuid": tries(lambda: os.setuid(0)),
  "docker": os.path.exists("/var/run/docker.sock"), "devices": sorted(os.listdir("/sys/class/net"))
             if os.path.exists("/sys/class/net") else [],
  "out": tries(lambda: socket.create_connection(("192.0.2.1", 80), 2)),
  "processes": len([n for n in os.listdir("/proc") if n.isdigit()])}))
""" % str(marker)
        (answer,) = self.state.run_lines({"code": code})
        seen = json.loads(answer["stdout"])
        self.assertGreaterEqual(seen["uid"], 0x10000000)
        self.assertNotEqual(seen["kernel"], os.uname().release)
        self.assertEqual(seen["caps"], 0)
        self.assertEqual(seen["file"], "FileNotFoundError")
        self.assertIn(seen["root"], ("OSError", "PermissionError"))
        self.assertIn(seen["guest"], ("OSError", "PermissionError"))
        self.assertEqual(seen["setuid"], "PermissionError")
        self.assertFalse(seen["docker"])
        self.assertIn(seen["devices"], ([], ["lo"]))
        self.assertIn(seen["out"], ("OSError", "ConnectionRefusedError"), seen)
        self.assertLessEqual(seen["processes"], 3)

    def test_the_container_is_made_as_it_must_be(self):
        child = subprocess.Popen([self.binary, "run", "--backend", "docker", "--memory", "128M", "--cpus", "0.5",
                                  "--processes", "20", "-c", "import time\ntime.sleep(60)"],
                                 env=self.state.env, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: any(c["State"] == "running" for c in self.docker.containers()), "a container runs")
            (container,) = self.docker.containers()
            made = self.docker.ask("GET", "/containers/%s/json" % container["Id"])[1]
        finally:
            child.kill()
            child.wait()
        host = made["HostConfig"]
        want = {"Runtime": "runsc", "NetworkMode": "none", "ReadonlyRootfs": True, "CapDrop": ["ALL"],
                "SecurityOpt": ["no-new-privileges"], "Memory": 128 << 20, "MemorySwap": 128 << 20,
                "CpuPeriod": 100000, "CpuQuota": 50000, "PidsLimit": 292, "Privileged": False,
                "AutoRemove": True, "Binds": None}
        self.assertEqual({key: host[key] for key in want}, want)
        self.assertEqual(sorted(made["Config"]["Labels"]), ["belljar.owner", "belljar.process"])
        self.assertEqual({m["Destination"]: m["Type"] for m in made["Mounts"]},
                         dict.fromkeys(("/workspace", "/tmp", "/dev/shm", "/run"), "volume"))

    def test_vaults_are_seen_and_carried_back(self):
        folder = pathlib.Path(self.state.folder.name)
        for name in ("kept", "mine"):
            (folder / name).mkdir(exist_ok=True)
            (folder / name / "a").write_text(name)
        code = """
print(open('/vault/kept/a').read(), open('/vault/mine/a').read())
open('/vault/mine/b', 'w').write('new')
try: open('/vault/kept/b', 'w')
except OSError as error: print(error.strerror)
"""
        (answer,) = self.state.run_lines(
            {"code": code, "vaults": [{"host": str(folder / "mine"), "mode": "rw"},
                                      {"host": str(folder / "kept"), "mode": "ro"}]})
        self.assertEqual(answer["stdout"], "kept mine\nRead-only file system\n", answer)
        self.assertEqual((folder / "mine/b").read_text(), "new")
        self.assertFalse((folder / "kept/b").exists())


@pytest.mark.xdist_group("docker")
class Doors(WithState):
    """Hosts and tools have suites of their own, which run with --backend docker."""

    def test_a_run_reaches_its_host_and_its_tool_and_nothing_else(self):
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Greeter) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            host = "127.0.0.1:%d" % server.server_port
            policy = self.state.path / "doors.toml"
            policy.write_text('extends = "relaxed"\n[network]\nhosts = ["%s"]\n'
                              'unsafe_private_addresses = ["127.0.0.0/8"]\n%s' % (host, table()))
            code = ("import urllib.request, urllib.error\nfrom belljar import tools\n"
                    "print(urllib.request.urlopen('http://%s/').read().decode(), tools.test.add(a=1, b=2))\n"
                    "try: urllib.request.urlopen('http://127.0.0.2/')\n"
                    "except urllib.error.HTTPError as e: print(e.code)\n" % host)
            done = self.state.belljar("run", "--no-daemon", "--json", "--backend", "docker", "--policy",
                                      str(policy), "--allow-host", host, "-c", code)
            server.shutdown()
        result = json.loads(done.stdout)
        self.assertEqual((result["outcome"], result["stdout"]), ("ok", "hello {'sum': 3}\n403\n"), result)
        self.assertEqual(result["usage"]["network_requests"], 3)


class Greeter(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    def log_message(self, *_):
        pass


@pytest.mark.xdist_group("docker, runs")
class Sessions(OnDocker):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="belljar-docker-test-")
        policy = pathlib.Path(cls.folder.name, "policy.toml")
        policy.write_text('extends = "relaxed"\nbackend = "docker"\n')
        cls.daemon = cls.new_daemon("--policy", str(policy), "--pool", "1",
                            env={**os.environ, "DOCKER_HOST": cls.docker.host, "BELLJAR_LEVEL": ""})
        cls.daemon.start()
        cls.client = cls.daemon.client()

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.daemon.__exit__()
        cls.folder.cleanup()

    def test_state_lives_from_run_to_run(self):
        runs = "/v1/sessions/%s/runs" % self.client.post("/v1/sessions", {}).json()["id"]
        self.client.post(runs, {"code": "import math\nx = [1]\nopen('f', 'w').write('kept')"})
        answer = self.client.post(runs, {"code": "x.append(math.floor(2.5))\nprint(x, open('f').read())"}).json()
        self.assertEqual((answer["outcome"], answer["stdout"]), ("ok", "[1, 2] kept\n"), answer)
        self.assertEqual(answer["layers"]["backend"], "docker")

    def test_a_run_that_is_interrupted_leaves_its_session_alive(self):
        session = self.client.post("/v1/sessions", {}).json()["id"]
        runs = "/v1/sessions/%s/runs" % session
        self.client.post(runs, {"code": "x = 5"})
        other = self.daemon.client()
        answers = []
        worker = threading.Thread(target=lambda: answers.append(
            other.post(runs, {"code": "import time\nopen('begun', 'w')\ntime.sleep(60)"}).json()))
        worker.start()
        wait_for(lambda: self.client.get("/v1/sessions/%s/files/begun" % session).status == 200, "it runs")
        self.client.post("/v1/sessions/%s/interrupt" % session)
        worker.join(30)
        self.assertEqual(answers[0]["outcome"], "cancelled", answers)
        self.assertEqual(self.client.post(runs, {"code": "print(x)"}).json()["stdout"], "5\n")
        other.close()

    def test_an_ended_session_leaves_no_container(self):
        session = self.client.post("/v1/sessions", {}).json()["id"]
        self.client.post("/v1/sessions/%s/runs" % session, {"code": "1"})
        ids = {container["Id"] for container in self.docker.containers()}
        self.client.delete("/v1/sessions/%s" % session)
        wait_for(lambda: ids - {c["Id"] for c in self.docker.containers()}, "one of them is gone")


@pytest.mark.xdist_group("docker")
class Refusals(WithState):
    def refused(self, text):
        """What a daemon with this belljar.toml says to a run."""
        config = pathlib.Path(self.state.folder.name, "belljar.toml")
        config.write_text(text)
        env = {**os.environ, "DOCKER_HOST": self.docker.host}
        with self.new_daemon("--config", str(config), "--pool", "1", env=env) as daemon:
            return daemon.client().run("print(1)", backend="docker")

    def test_without_gvisor_nothing_runs(self):
        before = self.docker.counts()
        missing = self.refused('[docker]\nruntime = "nosuch"\n')
        self.assertEqual(missing["outcome"], "refused")
        for part in ('no runtime "nosuch"', "apt-get install runsc", "/etc/docker/daemon.json"):
            self.assertIn(part, missing["reason"])
        weaker = self.refused('[docker]\nruntime = "runc"\n')
        self.assertEqual(weaker["outcome"], "refused")
        self.assertIn("strict_gvisor", weaker["reason"])
        self.assertEqual(self.docker.counts(), before)

    def test_without_docker_the_reason_says_so(self):
        gone = self.refused('[docker]\nsocket = "/nowhere/docker.sock"\n')
        self.assertEqual(gone["outcome"], "refused")
        self.assertIn("no Docker daemon listens on /nowhere/docker.sock", gone["reason"])

    def test_an_ordinary_user_is_told_what_to_do(self):
        with tempfile.TemporaryDirectory(prefix="belljar-docker-test-") as home:
            os.chown(home, UNUSED_UID, UNUSED_UID)
            images = self.images_of(UNUSED_UID)
            done = subprocess.run(
                as_user(UNUSED_UID, [self.binary, "run", "--backend", "docker", "-c", "1"]), cwd="/", text=True,
                capture_output=True, env={"PATH": "/usr/bin:/bin", "HOME": home,
                                          "BELLJAR_STATE": str(images.parent), "DOCKER_HOST": self.docker.host})
        self.assertEqual(done.returncode, 126, done.stderr)
        self.assertIn("the docker backend needs root", done.stderr)


@pytest.mark.xdist_group("docker")
class CleanUp(WithState):
    def test_nothing_is_left_however_a_run_ends(self):
        before = self.docker.settles_to((0, 0))
        self.state.run_lines({"code": "1"}, {"code": "raise SystemExit(3)"},
                             {"code": "while True: pass", "timeout": 0.5},
                             {"code": "import os\nos.kill(os.getpid(), 9)"},
                             {"code": "x = bytearray(300 << 20)", "memory": "64M"})
        self.assertEqual(self.docker.settles_to(before), before)

    def test_kill_nine_leaves_nothing_running(self):
        before = self.docker.settles_to((0, 0))
        child = subprocess.Popen([self.binary, "run", "--backend", "docker", "-c", "import time\ntime.sleep(600)"],
                                 env=self.state.env, stderr=subprocess.DEVNULL)
        wait_for(lambda: any(c["State"] == "running" for c in self.docker.containers()), "a container runs")
        child.send_signal(signal.SIGKILL)
        child.wait()
        self.assertEqual(self.docker.settles_to(before), before)

    def stray(self, owner, process, name):
        """A container that was created and never started, as a Belljar leaves it that is killed then."""
        labels = {"belljar.owner": owner, "belljar.process": process}
        image = next(tag for tag in self.docker.images() if tag.startswith("localhost/belljar/image:"))
        status, made = self.docker.ask("POST", "/containers/create?name=" + name, {
            "Image": image, "Cmd": ["/bin/true"], "Labels": labels,
            "HostConfig": {"Mounts": [{"Type": "volume", "Target": "/workspace",
                                       "VolumeOptions": {"Labels": labels}}]}})
        self.assertEqual(status, 201, made)
        return made["Id"]

    def marks(self):
        """The labels of this state's containers."""
        child = subprocess.Popen([self.binary, "run", "--backend", "docker", "-c", "import time\ntime.sleep(600)"],
                                 env=self.state.env, stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: any(c["State"] == "running" for c in self.docker.containers()), "a container runs")
            labels = self.docker.containers()[0]["Labels"]
        finally:
            child.kill()
            child.wait()
        return labels["belljar.owner"], labels["belljar.process"]

    def test_strays_of_the_dead_are_removed_and_of_nobody_else(self):
        self.docker.settles_to((0, 0))
        owner, dead = self.marks()
        self.docker.settles_to((0, 0))
        number, started, namespace = dead.split(".")
        fields = pathlib.Path("/proc/self/stat").read_text().rsplit(") ", 1)[1].split()
        living = "%d.%s.%s" % (os.getpid(), fields[19], namespace)
        ours = self.stray(owner, dead, "ours")
        others = [self.stray(owner, living, "living"), self.stray("another", dead, "anothers"),
                  self.stray(owner, "%s.%s.1" % (number, started), "elsewhere")]
        try:
            told = self.state.belljar("doctor").stdout
            self.assertIn("container %s; belljar doctor --clean removes it" % ours[:12], told)
            self.assertIn(ours, {container["Id"] for container in self.docker.containers()})
            removed = self.state.belljar("doctor", "--clean").stdout
            self.assertRegex(removed, "removed +container %s" % ours[:12])
            for other in others:
                self.assertNotIn(other[:12], told + removed)
        finally:
            left = {container["Id"] for container in self.docker.containers()}
            for other in others:
                self.docker.ask("DELETE", "/containers/%s?force=1&v=1" % other)
        self.assertEqual(left, set(others))
        self.assertEqual(self.docker.settles_to((0, 0)), (0, 0))

    def test_strays_that_a_daemon_removed_are_told_and_recorded(self):
        policy = pathlib.Path(self.state.folder.name, "policy.toml")
        policy.write_text('extends = "relaxed"\nbackend = "docker"\n')
        env = {**os.environ, "DOCKER_HOST": self.docker.host, "BELLJAR_LEVEL": ""}
        daemon = self.new_daemon("--policy", str(policy), "--pool", "1", env=env)
        try:
            daemon.start()
            daemon.client().run("1")
            labels = self.docker.containers()[0]["Labels"]
            daemon.kill()
            self.docker.settles_to((0, 0))
            left = self.stray(labels["belljar.owner"], labels["belljar.process"], "left")
            daemon.start()
            self.assertEqual(daemon.client().run("1")["outcome"], "ok")
            sentence = "container %s of a Belljar that has ended was removed from Docker" % left[:12]
            self.assertIn(sentence, daemon.said())
            records = daemon.client().get("/v1/audit?event=recovered").json()["records"]
            self.assertIn(sentence, [record["detail"].get("docker") for record in records])
        finally:
            daemon.__exit__()
        self.assertEqual(self.docker.settles_to((0, 0)), (0, 0))

    def test_an_image_that_was_removed_is_brought_again_and_that_is_seen(self):
        self.state.run_lines({"code": "1"})
        self.docker.settles_to((0, 0))
        for image in self.docker.images():
            self.assertEqual(self.docker.ask("DELETE", "/images/" + image)[0], 200)
        done = self.state.belljar("run", "--backend", "docker", "-c", "print(1)")
        self.assertEqual(done.stdout, "1\n", done.stderr)
        self.assertRegex(done.stderr, r"image: bringing it into Docker ([0-9]+) of \1 files, [0-9]+ MB\n")

    def test_doctor_cleans(self):
        owner, dead = self.marks()
        self.docker.settles_to((0, 0))
        ours = self.stray(owner, dead, "old")
        cleaned = self.state.belljar("doctor", "--clean")
        self.assertEqual(cleaned.returncode, 0, cleaned.stderr)
        self.assertIn("container " + ours[:12], cleaned.stdout)
        self.assertEqual(self.docker.settles_to((0, 0)), (0, 0))
        self.assertIn("nothing was left", self.state.belljar("doctor", "--clean").stdout)

    def test_doctor_names_docker_and_its_gvisor(self):
        self.assertRegex(self.state.belljar("doctor").stdout, r"docker +Docker [0-9.]+.*runtime runsc \(gVisor\)")


@pytest.mark.xdist_group("docker")
class OnPodman(OnDocker):
    """The same API, served by another."""

    def setUp(self):
        self.podman = Podman()
        self.podman.__enter__()
        self.addCleanup(self.podman.__exit__)
        self.state = State(self, self.podman.host)
        self.addCleanup(self.state.close)

    def test_runs_limits_and_vaults_and_nothing_is_left(self):
        vault = pathlib.Path(self.state.folder.name, "vault")
        vault.mkdir()
        ran, full, over, kept = self.state.run_lines(
            {"code": "import os\nprint(os.uname().release)"},
            {"lang": "bash", "code": "head -c 4M /dev/zero > f", "workspace": "1M"},
            {"code": "x = bytearray(400 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1", "memory": "64M"},
            {"code": "open('/vault/vault/a', 'w').write('b')", "vaults": [{"host": str(vault), "mode": "rw"}]})
        self.assertEqual([answer["outcome"] for answer in (ran, full, over, kept)],
                         ["ok", "disk", "memory", "ok"], (ran, full, over, kept))
        self.assertRegex(ran["layers"]["daemon"], r"^Podman [0-9.]+$")
        self.assertNotEqual(ran["stdout"].strip(), os.uname().release)
        self.assertEqual((vault / "a").read_text(), "b")
        self.assertEqual(self.podman.settles_to((0, 0)), (0, 0))


@pytest.mark.xdist_group("docker")
class Same(OnDocker):
    def test_what_runs_on_every_backend_ends_here_as_there(self):
        for program, *words in SAME:
            done = subprocess.run(
                [sys.executable, "-m", "pytest", "-q", str(ROOT / "tests" / program), "--binary=" + self.binary,
                 "--backend=docker", *words], text=True, capture_output=True, timeout=SECONDS, cwd=ROOT, check=False,
                env={**os.environ, "DOCKER_HOST": self.docker.host,
                     "BELLJAR_TEST_SHARED": str(self.images.parent.parent)})
            self.assertEqual(done.returncode, 0, program + done.stdout + done.stderr)
