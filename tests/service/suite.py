"""What the test programs of the daemon share: images made once, waiting, and closing lines."""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

from service.daemon import as_user


def wait_until(true, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not true():
        if time.monotonic() > deadline:
            raise AssertionError("it did not come to this: " + what)
        time.sleep(0.02)


def build_images(binary, scratch, uid):
    """One default image for all daemons of a user; and for all suites of one ./dev test."""
    state = pathlib.Path(os.environ.get("BELLJAR_TEST_IMAGES", scratch), "images-%d" % uid)
    state.mkdir(mode=0o700, exist_ok=True)
    os.chown(state, uid, uid)
    built = subprocess.run(
        as_user(uid, [binary, "run", "-c", "1"]), cwd="/", stderr=subprocess.PIPE, text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": str(state), "BELLJAR_STATE": str(state)})
    if built.returncode != 0:
        raise SystemExit("no image for uid %d: %s" % (uid, built.stderr))
    return state / "images"


def run_tests(module, names):
    """The exit status. A test that cannot run here is named in a line of its own."""
    loader = unittest.defaultTestLoader
    suite = (loader.loadTestsFromNames(names, module) if names
             else loader.loadTestsFromModule(module))
    outcome = unittest.TextTestRunner(verbosity=1).run(suite)
    bad = len(outcome.failures) + len(outcome.errors)
    for test, why in outcome.skipped:
        print("SKIP %s: %s" % (".".join(test.id().split(".")[-2:]), why))
    print("%d passed, %d failed" % (outcome.testsRun - bad - len(outcome.skipped), bad))
    return 1 if bad else 0


def main(name, own_images=False):
    """The whole of the test program `name`, which has BINARY and IMAGES."""
    module = sys.modules[name]
    parser = argparse.ArgumentParser(description=module.__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("names", nargs="*")
    arguments = parser.parse_args()
    module.BINARY = os.path.abspath(arguments.binary)
    if own_images:
        os.environ.pop("BELLJAR_TEST_IMAGES", None)
    with tempfile.TemporaryDirectory(prefix="belljar-images-") as scratch:
        module.IMAGES = build_images(module.BINARY, scratch, os.getuid())
        return run_tests(module, arguments.names)
