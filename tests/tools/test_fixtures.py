"""What the fixtures of tests/conftest.py promise to a test that is a function."""
import os
import stat
import subprocess

from service import daemon as daemons
from suite import wait_for


def test_a_daemon_has_the_flags_and_the_images_of_all_tests(daemon, images):
    started = daemon("--level", "strict")
    assert started.client().run("import threading")["outcome"] == "refused"
    assert (started.state / "images").resolve() == images


def test_a_daemon_is_not_another(daemon):
    one, other = daemon(), daemon()
    assert one.state != other.state and one.process.pid != other.process.pid


def test_a_state_is_its_owners_and_has_an_image(state):
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert (state / "images/default/rootfs").is_dir()


def test_an_ordinary_user_can_run_the_binary(as_user, binary):
    ran = subprocess.run(daemons.as_user(as_user, [binary, "--version"]), capture_output=True, text=True, cwd="/", check=False)
    assert as_user != 0 and ran.returncode == 0, ran.stderr


def test_the_images_of_a_user_are_its_own_and_made_once(as_user, images_of):
    assert images_of(as_user) == images_of(as_user)
    assert images_of(as_user).stat().st_uid == as_user
    assert images_of(os.getuid()).stat().st_uid == os.getuid()


def test_waiting_gives_what_the_condition_gave_and_says_what_never_came():
    tries = iter([None, [], "there"])
    assert wait_for(lambda: next(tries)) == "there"
    try:
        wait_for(lambda: False, "the moon", seconds=0)
    except AssertionError as error:
        assert str(error) == "it did not come to this: the moon"
    else:
        raise AssertionError("it waited for nothing")
