"""Fixtures of all Python tests, the options they read, and the set of tests that may be skipped.

One `pytest` makes the images of each user once, in a directory that all its xdist workers share. A class of tests
runs in one worker, since it may share a daemon; parametrised tests go to whoever is free.
"""
import contextlib
import fcntl
import hashlib
import os
import pathlib
import shutil
import tempfile

import pytest

from databases.postgres import Postgres
from egress.case import pages
from egress.world import World
from service.daemon import Daemon, ORDINARY_UID
from service.docker import Docker
from service.walls import Walls, missing_for
from skips import Skips
from suite import ROOT, Suite, build_images, link_state, scratch_directory

BACKENDS = ("native", "gvisor", "docker")


def pytest_addoption(parser):
    group = parser.getgroup("belljar")
    group.addoption("--binary", default=str(ROOT / "build/bin/belljar"), help="the belljar that is tested")
    group.addoption("--loose", default=str(ROOT / "build/release/bin/belljar-loose"),
                    help="the build whose controls can be switched off")
    group.addoption("--build", default=str(ROOT / "build/release"), help="where other programs of the tests are")
    group.addoption("--backend", default="native", choices=BACKENDS, help="what builds the walls of cells")
    group.addoption("--mutants", action="store_true", help="tests that see whether others notice what is missing")
    group.addoption("--switch-off", default="", help="controls that cells and attacks do without (a loose binary)")


def pytest_configure(config):
    if hasattr(config, "workerinput"):
        config.belljar_shared = config.workerinput["belljar_shared"]
        return
    given = os.environ.get("BELLJAR_TEST_SHARED")
    config.belljar_shared = given or tempfile.mkdtemp(prefix="belljar-tests-")
    os.chmod(config.belljar_shared, 0o755)
    if not given:
        config.add_cleanup(lambda: shutil.rmtree(config.belljar_shared, ignore_errors=True))
    if not config.option.collectonly and not config.option.switch_off:
        config.pluginmanager.register(Skips(ROOT / "tests/skips.txt", config.option.backend), "belljar-skips")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """With -n a class stays in one worker, unless --dist says otherwise."""
    if getattr(config.option, "numprocesses", None) and config.option.dist == "no":
        config.option.dist = "loadgroup"


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node):
    node.workerinput["belljar_shared"] = node.config.belljar_shared


def pytest_collection_modifyitems(config, items):
    if not config.option.mutants:
        left_out = [item for item in items if item.get_closest_marker("mutation")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("mutation")]
    # Those that take longest first, so that no worker waits for one of them at the end.
    items.sort(key=lambda item: 0 if item.get_closest_marker("docker") else 1 if item.get_closest_marker("slow") else 2)
    for item in items:
        if item.cls is not None and issubclass(item.cls, Suite) and not item.get_closest_marker("xdist_group"):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.rpartition("::")[0]))


NEEDS = {"root": lambda: None if os.geteuid() == 0 else "root",
         "user": lambda: "an ordinary user" if os.geteuid() == 0 else None,
         "gvisor": lambda: None if shutil.which("runsc", path="/usr/bin:/usr/local/bin") else "runsc",
         "docker": lambda: missing_for("docker")}


def pytest_runtest_setup(item):
    for name, missing in NEEDS.items():
        if item.get_closest_marker(name) and missing():
            pytest.skip("missing: " + missing())


@pytest.fixture(scope="session")
def shared(pytestconfig):
    """A directory of all workers, which every user may enter."""
    return pathlib.Path(pytestconfig.belljar_shared)


@contextlib.contextmanager
def locked(path):
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def reachable(source, shared):
    """A copy where every user can run it: the build directory may be closed to others."""
    source = pathlib.Path(source).resolve()
    changed = source.stat().st_mtime_ns
    copy = shared / hashlib.sha256(b"%s %d" % (bytes(source), changed)).hexdigest()[:12] / source.name
    with locked(shared / "binaries.lock"):
        if not copy.exists():
            copy.parent.mkdir()
            shutil.copy(source, copy)
    return str(copy)


@pytest.fixture(scope="session")
def binary(pytestconfig, shared):
    return reachable(pytestconfig.option.binary, shared)


@pytest.fixture(scope="session")
def build(pytestconfig):
    return pathlib.Path(pytestconfig.option.build).resolve()


@pytest.fixture(scope="session")
def loose(pytestconfig, shared):
    return reachable(pytestconfig.option.loose, shared)


@pytest.fixture(scope="session")
def images_of(binary, shared):
    """The images of a user, which are made once for all workers."""
    def images(uid):
        state = shared / ("images-%d" % uid)
        with locked(shared / ("images-%d.lock" % uid)):
            if not (shared / ("images-%d.made" % uid)).exists():
                build_images(binary, state, uid)
                (shared / ("images-%d.made" % uid)).touch()
        return state / "images"
    return images


@pytest.fixture(scope="session")
def images(images_of):
    return images_of(os.getuid())


@pytest.fixture(scope="session", name="as_user")
def ordinary_user():
    """The uid of an ordinary user to run as: nobody's on any machine we know, or this user's own."""
    return ORDINARY_UID


@pytest.fixture(scope="session")
def backend(pytestconfig):
    return pytestconfig.option.backend


@pytest.fixture(scope="session")
def walls(backend, shared):
    """What the backend needs: for docker a daemon of this worker's own."""
    missing = missing_for(backend)
    if missing:
        pytest.skip("missing: " + missing)
    with Walls(backend) as built:
        built.write_policy(shared)
        yield built


@pytest.fixture(scope="session")
def docker():
    """A dockerd of this worker's own."""
    missing = missing_for("docker")
    if missing:
        pytest.skip("missing: " + missing)
    with Docker() as started:
        yield started


@pytest.fixture(scope="session")
def world():
    """The small internet of egress/world.py."""
    with contextlib.closing(World(pages)) as built:
        yield built


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL of this worker's own."""
    with contextlib.closing(Postgres()) as started:
        yield started


@pytest.fixture(scope="class")
def scratch():
    """A directory for a class of tests, which every user may enter."""
    with scratch_directory() as path:
        yield path


@pytest.fixture
def state(images):
    """A new state directory, with the images of all tests."""
    with scratch_directory() as path:
        yield link_state(path / "state", images)


@pytest.fixture
def daemon(binary, images):
    """Starts a daemon with the given flags on a new state directory, and ends it."""
    with contextlib.ExitStack() as started:
        yield lambda *flags, **more: started.enter_context(Daemon(binary, images, *flags, **more))


@pytest.fixture(scope="class", autouse=True)
def given(request):
    """Before its setUpClass a class of tests learns what the fixtures it names hold."""
    if request.cls is not None and issubclass(request.cls, Suite):
        for name in request.cls.FIXTURES:
            value = request.getfixturevalue(name)
            setattr(request.cls, name, staticmethod(value) if callable(value) else value)
