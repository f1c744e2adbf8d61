"""The host that attacks are tried on: who runs belljar, a file no cell may read, and what a cell could change."""
import dataclasses
import hashlib
import os
import pathlib
import platform
import secrets
import subprocess
import time

WALLS = pathlib.Path(__file__).resolve().parents[2] / "examples" / "walls.toml"
UNUSED_UID = 65533


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def descendants(pid):
    """Living processes below one, found through their parents."""
    children = {}
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
        except OSError:
            continue
        if state != "Z":
            children.setdefault(int(parent), []).append(int(entry.name))
    found, waiting = [], [pid]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def await_no_descendants(standing=frozenset()):
    """How many processes are left of what has ended, besides those; the kernel, and a Docker daemon that
    removes a container, get a moment to bury them."""
    deadline = time.monotonic() + (10 if standing else 3)
    while (left := len(set(descendants(os.getpid())) - standing)) and time.monotonic() < deadline:
        time.sleep(0.01)
    return left


def groups_of(pids):
    """Control groups that belong to the supervisors `pids`."""
    names = {f"belljar-{pid}" for pid in pids}
    # os.walk, unlike rglob, does not mind directories that vanish under its eyes.
    return sorted(os.path.join(at, name) for at, folders, _ in os.walk("/sys/fs/cgroup")
                  for name in folders if "-".join(name.split("-")[:2]) in names)


def mounts_besides(own):
    """The host's mounts, without those of Docker daemons that other suites have meanwhile (docker.py)."""
    of_docker = "/belljar-docker-"
    lines = pathlib.Path("/proc/self/mountinfo").read_text().splitlines()
    return "\n".join(line for line in lines
                     if of_docker not in line.split()[4] or (own and own in line.split()[4]))


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
    def __init__(self, identity, binary, scratch, off, images=None, backend="native", docker=None):
        self.identity, self.binary, self.off = identity, binary, off
        self.docker = docker
        self.standing = frozenset(descendants(os.getpid()))  # a Docker daemon, before it has run anything
        self.uid = UNUSED_UID if os.getuid() == 0 and identity == "user" else os.getuid()
        self.home = scratch / identity
        self.home.mkdir(mode=0o700)
        os.chown(self.home, self.uid, self.uid)
        if images:
            self.share(pathlib.Path(images) / identity)
        self.policy = self.home / "walls.toml"
        self.backend = backend
        # As an ordinary user no control group holds the memory of a container.
        self.flags = ["--allow-unenforced", "memory"] if backend != "native" else []
        self.policy.write_text(f'backend = "{backend}"\n' + WALLS.read_text())
        self.policy.chmod(0o644)
        self.config = self.home / "belljar.toml"
        self.config.write_text("")  # and not that of the machine
        self.config.chmod(0o644)
        self.canary = scratch / f"canary-{identity}"
        self.canary_text = "canary " + secrets.token_hex(16)
        self.canary.write_text(self.canary_text + "\n")
        os.chown(self.canary, self.uid, self.uid)
        self.rootfs = self.home / "state/images/default/rootfs"
        self.pids = []
        self.before = self.after = None

    digest = staticmethod(digest)

    def share(self, images):
        """Uses the images of an earlier run, or leaves them for the next one."""
        for directory in (images, self.home / "state"):
            directory.mkdir(mode=0o700, exist_ok=True)
            os.chown(directory, self.uid, self.uid)
        (self.home / "state/images").symlink_to(images)

    def command(self, arguments):
        """argv that runs belljar with this identity, in an environment of its own."""
        command = ["env", "-i", f"HOME={self.home}", f"BELLJAR_STATE={self.home}/state",
                   f"BELLJAR_CONFIG={self.config}",
                   f"BELLJAR_POLICY={self.policy}",  # whatever would be judged, the walls hold
                   "PATH=/usr/bin:/bin", f"DOCKER_HOST={os.environ.get('DOCKER_HOST', '')}",
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
