"""What the tests of vaults share: homes with an image, and a directory to show.

With --backend another one builds the walls. On docker no one but root is tried, since it refuses others.
"""
import json
import os
import pathlib
import subprocess
import tempfile

from suite import Suite, link_state

ORDINARY_UID = 65533  # of nobody on any machine we know
SECONDS = 120  # a guard against a hang
# Vaults lie in memory where that is possible: every commit waits for the disk.
VAULTS = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None


def tree(root):
    """Everything below a directory: path to content, link target or None for a directory."""
    found = {}
    for at, folders, files in os.walk(root):
        for name in folders + files:
            path = pathlib.Path(at, name)
            key = str(path.relative_to(root))
            if path.is_symlink():
                found[key] = "-> " + os.readlink(path)
            else:
                found[key] = None if path.is_dir() else path.read_text()
    return found


class VaultCase(Suite):
    """As whoever runs this. A class below repeats it all as an ordinary user."""

    uid = os.getuid()

    def setUp(self):
        self.switch = {}
        if self.uid != os.getuid():
            self.switch = {"user": self.uid, "group": self.uid, "extra_groups": []}
            if self.walls.backend == "docker":
                self.skipTest("the docker backend is root's alone")
        home = tempfile.TemporaryDirectory(prefix="belljar-vault-")
        self.addCleanup(home.cleanup)
        self.home = pathlib.Path(home.name)
        self.give(self.home)
        self.state = link_state(self.home / "state", self.images_of(self.uid), self.uid)
        folder = tempfile.TemporaryDirectory(dir=VAULTS, prefix="belljar-vault-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o755)
        self.vault = self.make("data")

    def make(self, name):
        path = self.folder / name
        path.mkdir()
        self.give(path)
        return path

    def give(self, path):
        os.chown(path, self.uid, self.uid, follow_symlinks=False)

    def write(self, path, text, mode=0o644):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(mode)
        for each in (path, *path.parents):
            if each == self.folder:
                break
            self.give(each)

    def start(self, *arguments, **options):
        env = {"HOME": str(self.home), "BELLJAR_STATE": str(self.state), "PATH": "/usr/bin:/bin",
               "BELLJAR_POLICY": str(self.walls.relaxed), **self.walls.env}
        given = [arguments[0], *self.walls.flags, *arguments[1:]] if arguments[0] in ("run", "exec") else arguments
        return subprocess.Popen([self.binary, *given], env=env, cwd=self.folder, text=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, **self.switch, **options)

    def belljar(self, *arguments):
        process = self.start(*arguments)
        out, err = process.communicate(timeout=SECONDS)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def run_in(self, vaults, code, *flags):
        """The result object of a program with these vaults."""
        given = [flag for vault in vaults for flag in ("--vault", vault)]
        done = self.belljar("run", "--json", *given, *flags, "-c", code)
        self.assertTrue(done.stdout.startswith("{"), done.stderr)
        return {**json.loads(done.stdout), "status": done.returncode}

    def refused(self, vaults, *flags):
        """The sentence of a run that must not begin."""
        given = [flag for vault in vaults for flag in ("--vault", str(vault))]
        done = self.belljar("run", *given, *flags, "-c", "print('ran')")
        self.assertEqual((done.returncode, done.stdout), (125, ""), done.stderr)
        self.assertRegex(done.stderr, r"\A(image: [^\n]*\n)*belljar: [^\n]+\n\Z")
        return done.stderr.splitlines()[-1].removeprefix("belljar: ")

    def rw(self, vault=None):
        return f"{vault or self.vault}:rw"


def as_user_too(cases, names):
    """Repeats cases as an ordinary user, if this is root."""
    for case in cases if os.geteuid() == 0 else ():
        name = f"{case.__name__}AsUser"
        names[name] = type(name, (case,), {"__module__": case.__module__, "uid": ORDINARY_UID})
