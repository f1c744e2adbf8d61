"""A real `dockerd` of its own, with gVisor's runsc, in a temporary directory; and what is in it."""
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from service.daemon import UnixConnection
from service.waiting import wait_for

START_SECONDS = 60
STOP_SECONDS = 30
# Its own network stack is not needed, nor are control groups of its own; ptrace works anywhere.
RUNSC = {"path": "/usr/bin/runsc",
         "runtimeArgs": ["--network=none", "--ignore-cgroups", "--platform=ptrace"]}


def lacks():
    """Why there can be no daemon here, or None."""
    if os.geteuid() != 0:
        return "this is not root"
    for program in ("dockerd", "containerd", "runsc", "podman"):
        if not shutil.which(program, path="/usr/sbin:/usr/bin:/sbin:/bin"):
            return "%s is not installed" % program
    return None


class Docker:
    """Starts it; `with` stops it for sure, with all that it has started and mounted."""

    def __init__(self):
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="belljar-docker-"))
        self.socket = self.directory / "docker.sock"
        self.host = "unix://%s" % self.socket
        self.process = None

    def command(self):
        """What is started, and the environment it needs besides."""
        config = self.directory / "daemon.json"
        config.write_text(json.dumps({"runtimes": {"runsc": RUNSC}}))
        return ["dockerd", "--config-file", str(config), "--bridge=none", "--iptables=false",
                "--ip-forward=false", "--data-root", str(self.directory / "data"),
                "--exec-root", str(self.directory / "exec"), "--host", self.host,
                "--pidfile", str(self.directory / "pid")], {}

    def __enter__(self):
        command, more = self.command()
        with (self.directory / "log").open("ab") as log:
            self.process = subprocess.Popen(
                command, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "TMPDIR": str(self.directory), **more},
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        wait_for(lambda: self.answers() or self.process.poll() is not None, command[0] + " starts", START_SECONDS)
        if self.process.poll() is None:
            return self
        words = (self.directory / "log").read_text(errors="replace")
        self.__exit__()
        raise AssertionError(command[0] + " did not start:\n" + words[-3000:])

    def answers(self):
        with contextlib.suppress(OSError):
            return self.ask("GET", "/_ping")[0] == 200
        return False

    def ask(self, method, path, body=None):
        """Status and answer."""
        connection = UnixConnection(str(self.socket))
        with contextlib.closing(connection):
            headers = {} if body is None else {"Content-Type": "application/json"}
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read()
        with contextlib.suppress(ValueError):
            return answer.status, json.loads(text)
        return answer.status, text

    def containers(self):
        return self.ask("GET", "/containers/json?all=1")[1]

    def volumes(self):
        return self.ask("GET", "/volumes")[1]["Volumes"] or []

    def images(self):
        return [tag for image in self.ask("GET", "/images/json")[1] for tag in image["RepoTags"] or []]

    def counts(self):
        return len(self.containers()), len(self.volumes())

    def settles_to(self, counts, seconds=20):
        """Removal goes on after the run has been answered: waits for it; the counts at last."""
        with contextlib.suppress(AssertionError):  # the caller judges them
            wait_for(lambda: self.counts() == counts, "removal", seconds)
        return self.counts()

    def __exit__(self, *_):
        if self.process.poll() is None:
            for container in self.containers():
                self.ask("DELETE", "/containers/%s?force=1&v=1" % container["Id"])
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._end_processes()
        self._unmount()
        shutil.rmtree(self.directory, ignore_errors=True)

    def _end_processes(self):
        """Its containerd, if it had to be killed; and sandboxes whose start had failed, which it forgets.
        Each has this directory, which no one else has, in its command line."""
        for entry in pathlib.Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                words = (entry / "cmdline").read_bytes()
                if str(self.directory).encode() + b"/exec/" in words:
                    os.kill(int(entry.name), signal.SIGKILL)

    def _unmount(self):
        mounts = pathlib.Path("/proc/self/mounts").read_text().splitlines()
        places = [line.split()[1] for line in mounts]
        for place in sorted(places, reverse=True):
            if place.startswith(str(self.directory) + "/"):
                subprocess.run(["umount", "--lazy", place], check=False)


class Podman(Docker):
    """Podman's service, which speaks the same API. It does not heed the runtime that a container asks for, nor
    gives it arguments: its default is a script that does."""

    def command(self):
        runtime = self.directory / "runsc"
        runtime.write_text("#!/bin/sh\nexec %s \"$@\"\n" % " ".join([RUNSC["path"], *RUNSC["runtimeArgs"]]))
        runtime.chmod(0o755)
        config = self.directory / "containers.conf"
        config.write_text('[engine]\nruntime = "runsc"\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n'
                          '[engine.runtimes]\nrunsc = ["%s"]\n' % runtime)
        return ["podman", "--root", str(self.directory / "data"), "--runroot", str(self.directory / "exec"),
                "--storage-driver", "overlay", "system", "service", "--time=0", self.host], {
                    "CONTAINERS_CONF": str(config), "HOME": str(self.directory)}
