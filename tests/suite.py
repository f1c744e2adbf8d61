"""What the test classes of a running belljar share: who they get binary and image from, a state folder, a daemon.

The attributes of Suite are set by a fixture of conftest.py before setUpClass; so a class works alike under
`pytest -k` and beside others under xdist.
"""
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from service.daemon import Daemon, as_user
from service.waiting import wait_for  # pylint: disable=unused-import

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 60  # a guard against a hang of one command


def build_images(binary, state, uid):
    """The images of a new state directory of a user."""
    state.mkdir(mode=0o700, exist_ok=True)
    os.chown(state, uid, uid)
    for _ in range(2):  # the first use of an image adds the compiled guest to it
        built = subprocess.run(
            as_user(uid, [binary, "run", "-c", "1"]), cwd="/", stderr=subprocess.PIPE, text=True, check=False,
            env={"PATH": "/usr/bin:/bin", "HOME": str(state), "BELLJAR_STATE": str(state)})
        if built.returncode != 0:
            raise AssertionError("no image for uid %d: %s" % (uid, built.stderr))
    return state / "images"


def link_state(path, images, uid=None):
    """A new state directory of a user, which has the images of all tests."""
    path.mkdir(mode=0o700)
    (path / "images").symlink_to(images)
    if uid is not None:
        os.chown(path, uid, uid)
    return path


def own_images(path, images, uid=None):
    """A directory of images that others do not see, with the default one of all tests."""
    path.mkdir(mode=0o700)
    (path / "default").symlink_to(images / "default")
    if uid is not None:
        os.chown(path, uid, uid)
    return path


class Suite(unittest.TestCase):
    """`binary` is where every user can reach it; `images` are this user's, images_of(uid) another's; `walls` is the
    backend of --backend; `scratch` is a directory for the class, which every user may enter."""
    binary = images = images_of = walls = scratch = loose = None
    FIXTURES = ("binary", "images", "images_of", "walls")

    @classmethod
    def new_daemon(cls, *flags, uid=None, **more):
        """Not started. As its user it has images of its own."""
        return Daemon(cls.binary, cls.images if uid is None else cls.images_of(uid), *flags, uid=uid, **more)


    @classmethod
    def backend_daemon(cls, *flags):
        """Not started. Its cells are built by --backend."""
        if cls.walls.native:
            return cls.new_daemon(*flags)
        return cls.new_daemon("--policy", str(cls.walls.relaxed), *flags,
                              env={**os.environ, **cls.walls.env, "BELLJAR_LEVEL": ""})


class Commands(Suite):
    """Each test in a state directory of its own, without a daemon."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="belljar-test-")
        self.addCleanup(folder.cleanup)
        self.home = pathlib.Path(folder.name)
        self.state = link_state(self.home / "state", self.images)
        self.env = {"PATH": "/usr/bin:/bin", "HOME": str(self.home), "BELLJAR_STATE": str(self.state)}

    def belljar(self, *arguments, stdin="", level=None, **more):
        env = {**self.env, **({"BELLJAR_LEVEL": level} if level else {})}
        return subprocess.run([self.binary, *arguments], env=env, input=stdin, text=True, capture_output=True,
                              timeout=SECONDS, **more)

    def run_json(self, *arguments, **more):
        """Exit status and result."""
        done = self.belljar("run", "--json", *arguments, **more)
        return done.returncode, json.loads(done.stdout)


class WithDaemon(Suite):
    """How a class starts its daemon: with FLAGS, in ENV; and what is asked of it."""
    FLAGS, ENV = (), None

    @classmethod
    def make_daemon(cls):
        return cls.new_daemon(*cls.FLAGS, env=cls.ENV)

    def belljar(self, *arguments, state=None, stdin="", **more):
        """A command over the daemon's state, or another."""
        state = str(state or self.daemon.state)
        env = {"PATH": "/usr/bin:/bin", "HOME": state, "BELLJAR_STATE": state}
        return subprocess.run([self.binary, *arguments], env=env, input=stdin, text=True, capture_output=True,
                              timeout=SECONDS, **more)

    def token(self, name, *flags):
        made = self.daemon.command("token", "add", name, *flags)
        self.assertEqual(made.returncode, 0, made.stderr)
        return token_in(made)

    def session(self, **wish):
        answer = self.client.post("/v1/sessions", wish)
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()["id"]

    def run_in(self, session, code, **more):
        answer = self.client.post("/v1/sessions/%s/runs" % session, {"code": code, **more})
        self.assertEqual(answer.status, 200, answer.body)
        return answer.json()


class OneDaemon(WithDaemon):
    """Tests that share a daemon, because they change nothing that another would see."""

    @classmethod
    def setUpClass(cls):
        cls.daemon = cls.make_daemon()
        cls.addClassCleanup(cls.daemon.__exit__)
        cls.daemon.start()

    def setUp(self):
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)


class OwnDaemon(WithDaemon):
    """Each test with a daemon of its own."""

    def setUp(self):
        self.daemon = self.make_daemon()
        self.addCleanup(self.daemon.__exit__)
        self.daemon.start()
        self.client = self.daemon.client()
        self.addCleanup(lambda: self.client.close())  # it may be another by then


class OnBackend(OneDaemon):
    """A daemon whose cells are built by --backend."""

    @classmethod
    def make_daemon(cls):
        return cls.backend_daemon(*cls.FLAGS)


def token_in(done):
    """The token that `belljar token add` has printed."""
    return re.search(r"bj_\S+", done.stdout).group(0)


@contextlib.contextmanager
def scratch_directory():
    """Every user may enter it."""
    path = pathlib.Path(tempfile.mkdtemp(prefix="belljar-test-"))
    path.chmod(0o755)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
