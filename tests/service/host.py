"""The host that attacks are tried on: who runs belljar, a file no cell may read, and what a cell could change."""
import contextlib
import dataclasses
import hashlib
import os
import pathlib
import platform
import secrets
import subprocess

from service.daemon import UNUSED_UID
from service.processes import living_descendants
from service.waiting import wait_for
from suite import link_state

WALLS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "walls.toml"


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def await_no_descendants(standing=frozenset()):
    """How many processes are left of what has ended, besides those; the kernel, and a Docker daemon that
    removes a container, get a moment to bury them."""
    def left():
        return set(living_descendants(os.getpid())) - standing
    with contextlib.suppress(AssertionError):  # the caller judges them
        wait_for(lambda: not left(), "no process is left", 10 if standing else 3, pause=0.01)
    return len(left())


def groups_of(pids):
    """Control groups that belong to the supervisors `pids`."""
    names = {f"belljar-{pid}" for pid in pids}
    # os.walk, unlike rglob, does not mind directories that vanish under its eyes.
    return sorted(os.path.join(at, name) for at, folders, _ in os.walk("/sys/fs/cgroup")
                  for name in folders if "-".join(name.split("-")[:2]) in names)


def mounts_besides(own):
    """The host's mounts, without those that other tests have meanwhile: of Docker daemons (docker.py), and disks."""
    of_docker = "/belljar-docker-"
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return "\n".join(line for line in lines
                     if (of_docker not in line.split()[4] or (own and own in line.split()[4]))
                     and " belljar-test " not in line)


@dataclasses.dataclass
class Snapshot:
    """The host, as far as a cell could change it."""
    mounts: str
    hostname: str
    cells_left: int      # processes below the supervisors, which have ended
    image_python: str    # sha256
    canary: str          # sha256
    cgroups: list        # of our supervisors
    containers: tuple    # of a Docker daemon of ours: how many, and how many volumes


class Host:
    def __init__(self, identity, binary, scratch, images_of, walls, off=""):
        self.identity, self.binary, self.off = identity, binary, off
        self.backend, self.flags, self.env, self.docker = walls.backend, walls.flags, walls.env, walls.docker
        self.standing = frozenset(living_descendants(os.getpid()))  # what other tests have started
        self.uid = UNUSED_UID if os.getuid() == 0 and identity == "user" else os.getuid()
        self.home = scratch / identity
        self.home.mkdir(mode=0o700)
        os.chown(self.home, self.uid, self.uid)
        link_state(self.home / "state", images_of(self.uid), self.uid)
        self.policy = self.home / "walls.toml"
        self.policy.write_text(walls.policy + WALLS.read_text())
        self.policy.chmod(0o644)
        self.canary = scratch / f"canary-{identity}"
        self.canary_text = "canary " + secrets.token_hex(16)
        self.canary.write_text(self.canary_text + "\n")
        os.chown(self.canary, self.uid, self.uid)
        self.rootfs = self.home / "state/images/default/rootfs"
        self.pids = []
        self.before = self.after = None

    digest = staticmethod(digest)

    def command(self, arguments):
        """argv that runs belljar with this identity, in an environment of its own."""
        command = ["env", "-i", f"HOME={self.home}", f"BELLJAR_STATE={self.home}/state",
                   f"BELLJAR_POLICY={self.policy}",  # whatever would be judged, the walls hold
                   "PATH=/usr/bin:/bin", *(f"{name}={value}" for name, value in self.env.items()),
                   self.binary, *arguments[:1]]
        if self.off and arguments[0] in ("run", "exec"):
            command += ["--switch-off", self.off]
        if self.uid != os.getuid():
            command = ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", "--clear-groups",
                       *command]
        return command + list(arguments[1:])

    def start(self, arguments, under=(), **options):
        # setpriv and env replace themselves, and so must what is named by `under`: the pid is belljar's.
        process = subprocess.Popen([*under, *self.command(arguments)], cwd="/", **options)
        self.pids.append(process.pid)
        return process

    @staticmethod
    def has_process(name):
        """Whether a process of that name lives: attacks rename themselves when they have begun."""
        for path in pathlib.Path("/proc").glob("[0-9]*/comm"):
            try:
                if path.read_text().strip() == name:
                    return True
            except OSError:
                continue
        return False

    def snapshot(self):
        python = os.path.realpath(self.rootfs / "usr/bin/python3")
        left = await_no_descendants(self.standing)
        containers = self.docker.settles_to((0, 0)) if self.docker else (0, 0)
        own = str(self.docker.directory) if self.docker else ""
        return Snapshot(mounts_besides(own), platform.node(), left, digest(python), digest(self.canary),
                        groups_of(self.pids), containers)
