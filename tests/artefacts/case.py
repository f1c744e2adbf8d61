"""What the tests of artefacts share: a state directory for each test, and a policy."""
import hashlib
import json
import os
import pathlib
import subprocess
import tempfile

from suite import Suite, as_user, link_state

SECONDS = 60
OPEN = ('extends = "relaxed"\n[approval]\nown = "allow"\n'
        '[artefacts]\nallow = ["iris", "model*"]\n')
REFUSALS = {"Operation not supported", "Read-only file system", "Operation not permitted", "Permission denied"}


def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


class Place(Suite):
    """Each test in a state directory of its own, without a daemon."""
    uid = None

    def setUp(self):
        self.user = os.getuid() if self.uid is None else self.uid
        self.folder = tempfile.TemporaryDirectory(prefix="belljar-artefacts-")
        self.home = pathlib.Path(self.folder.name)
        self.state = link_state(self.home / "state", self.images_of(self.user))
        (self.home / "open.toml").write_text(OPEN)
        for path in (self.home, self.state):
            os.chown(path, self.user, self.user)
        self.env = {"PATH": "/usr/bin:/bin", "HOME": str(self.home),
                    "BELLJAR_STATE": str(self.state), "BELLJAR_POLICY": str(self.home / "open.toml")}

    def tearDown(self):
        for place, directories, _ in os.walk(self.home):
            for name in directories:
                if not os.path.islink(os.path.join(place, name)):
                    os.chmod(os.path.join(place, name), 0o700)
        self.folder.cleanup()

    def start(self, *arguments, **options):
        return subprocess.Popen(as_user(self.user, [self.binary, *arguments]), env=self.env, cwd="/",
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)

    def belljar(self, *arguments, stdin="", **env):
        return subprocess.run(as_user(self.user, [self.binary, *arguments]), env={**self.env, **env},
                              cwd="/", input=stdin, text=True, capture_output=True, timeout=SECONDS)

    def artefact(self, *arguments):
        return self.belljar("artefact", *arguments)

    def add(self, name, data, *flags):
        """Of bytes a file, of a dictionary a tree; what `--json` says of it."""
        source = self.home / ("source-" + name)
        if isinstance(data, bytes):
            source.write_bytes(data)
        else:
            for path, content in data.items():
                (source / path).parent.mkdir(parents=True, exist_ok=True)
                (source / path).write_bytes(content)
        done = self.artefact("add", name, str(source), "--json", *flags)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def run_json(self, code, *artefacts, flags=()):
        wanted = [word for name in artefacts for word in ("--artefact", name)]
        done = self.belljar("run", "--json", *flags, *wanted, "-c", code)
        return json.loads(done.stdout) if done.stdout else done.stderr

    def content(self, added):
        return self.state / "artefacts/objects" / added["digest"][7:] / "content"
