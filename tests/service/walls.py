"""Which backend builds the walls of a suite's cells; for docker, with a dockerd of its own unless $DOCKER_HOST names one."""
import contextlib
import os

from service.docker import Docker, lacks


def missing_for(backend):
    """What a backend lacks here, or None."""
    return lacks() if backend == "docker" else None


class Walls:
    """`with` has what the backend needs; `policy`, `flags` and `env` are for the suite's policies and daemons."""

    def __init__(self, backend):
        self.backend = backend
        self.native = backend == "native"
        self.policy = 'backend = "%s"\n' % backend
        # An ordinary user may have no control group to hold a container's memory by.
        self.flags = [] if self.native else ["--allow-unenforced", "memory"]
        self.docker = None
        self.relaxed = None
        self.env = {}
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        if self.backend == "docker" and "DOCKER_HOST" in os.environ:  # the caller has one
            self.env = {"DOCKER_HOST": os.environ["DOCKER_HOST"]}
        elif self.backend == "docker":
            self.docker = self.stack.enter_context(Docker())
            self.env = {"DOCKER_HOST": self.docker.host}
        return self

    def write_policy(self, folder):
        """`relaxed` is a policy that lets everything run, in these walls."""
        self.relaxed = folder / ("relaxed-%s.toml" % self.backend)
        if not self.relaxed.exists():
            self.relaxed.write_text('extends = "relaxed"\nbackend = "%s"\n' % self.backend)

    def __exit__(self, *_):
        self.stack.close()

    def roots(self, daemon):
        """The processes that cells' processes are below."""
        if self.docker is None:
            return [daemon.process.pid]
        containers = [each["Id"] for each in self.docker.containers()]
        return [self.docker.ask("GET", "/containers/%s/json" % each)[1]["State"]["Pid"] for each in containers]
