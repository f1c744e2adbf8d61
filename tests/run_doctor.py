#!/usr/bin/env python3
"""belljar doctor: what it says of gVisor, present, missing and hanging, and what it clears away.

Usage: run_doctor.py --binary PATH [NAME...]
"""
import argparse
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from service.suite import build_images, run_tests, wait_until

BINARY = SCRATCH = IMAGES = None


def belljar(*arguments, **env):
    state = SCRATCH / "state"
    if not state.exists():
        state.mkdir(mode=0o700)
        (state / "images").symlink_to(IMAGES)
    return subprocess.run([BINARY, *arguments], capture_output=True, text=True, timeout=120,
                          check=False, cwd=SCRATCH,
                          env={"PATH": "/usr/bin:/bin", "HOME": str(SCRATCH),
                               "BELLJAR_STATE": str(state), **env})


def command_lines():
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            yield (process / "cmdline").read_bytes()
        except OSError:
            pass


def own_groups():
    """The directories of this process's control groups that it may make others in."""
    for line in pathlib.Path("/proc/self/cgroup").read_text().splitlines():
        _, names, path = line.split(":", 2)
        for point in (names.removeprefix("name="),) if names else ("unified", ""):
            group = pathlib.Path("/sys/fs/cgroup", point, path.lstrip("/"))
            if (group / "cgroup.procs").exists() and os.access(group, os.W_OK):
                yield group
                break


class Docker(unittest.TestCase):
    def test_one_that_is_set_and_cannot_be_used_is_bad(self):
        config = SCRATCH / "docker.toml"
        for text, good in (("", True), ('[docker]\nsocket = "/nowhere"\n', False)):
            config.write_text(text)
            done = belljar("doctor", "--json", BELLJAR_CONFIG=str(config), DOCKER_HOST="unix:///nowhere")
            (found,) = [one for one in json.loads(done.stdout)["findings"] if one["name"] == "docker"]
            self.assertEqual((found["good"], done.returncode == 0), (good, good), found)
            self.assertEqual(found["text"].startswith("not used: "), good)


class Runtimes(unittest.TestCase):
    """What doctor says of a runtime."""

    def doctor(self, runtime=None):
        config = SCRATCH / "doctor.toml"
        config.write_text('[gvisor]\nruntime = "%s"\n' % runtime if runtime else "")
        done = belljar("doctor", "--json", BELLJAR_CONFIG=str(config))
        (found,) = [one for one in json.loads(done.stdout)["findings"] if one["name"] == "gvisor"]
        return done.returncode, found["good"], found["text"]

    def runtime(self, rest):
        """A runtime that says what runsc says of itself, and then does `rest`."""
        path = SCRATCH / "runtime-of-a-test"
        path.write_text("#!/bin/sh\ncase $1 in\n"
                        "--version) echo 'runsc version of-a-test';;\n"
                        "flags) echo 'specifies which platform to use: ptrace (default)';;\n"
                        "*) %s;;\nesac\n" % rest)
        path.chmod(0o755)
        return path


class Gvisor(Runtimes):
    """What is there, and what is not."""

    def test_it_names_version_and_platform_and_runs_a_program(self):
        status, good, text = self.doctor()
        self.assertTrue(good, text)
        self.assertRegex(text, r"^runsc \S+, platform (systrap|ptrace) \(gVisor\): does all that it is told, "
                               r"and a program ran in it in [0-9.]+ ms$")

    def test_a_runtime_that_is_not_gvisor_is_bad(self):
        path = SCRATCH / "crun-of-a-test"
        path.write_text("#!/bin/sh\necho 'crun version 1.8.1'\n")
        path.chmod(0o755)
        status, good, text = self.doctor(path)
        self.assertEqual((status, good), (1, False))
        self.assertIn("%s is not gVisor's runsc" % path, text)

    def test_one_that_was_named_and_is_not_there_is_bad(self):
        status, good, text = self.doctor("/nowhere/runsc")
        self.assertEqual((status, good), (1, False))
        self.assertIn("/nowhere/runsc", text)


class Hanging(Runtimes):
    """Each waits for a time limit to pass."""

    def test_one_that_hangs_is_told_by_name_and_ended(self):
        path = self.runtime("sleep 1234567")
        status, good, text = self.doctor(path)
        self.assertEqual((status, good), (1, False))
        self.assertIn("%s with the platform ptrace: its %s did not end within 10 s: name another gvisor.platform"
                      % (path, "create" if os.geteuid() == 0 else "run"), text)
        self.nothing_is_left("1234567")

    def nothing_is_left(self, word):
        """What was killed is gone as soon as its keeper has ended, which nobody waits for."""
        wait_until(lambda: not any(word.encode() in one for one in command_lines()), "no process is left")

    def between(self, case):
        """What lies between us and the real runtime, and answers by itself where `case` says so."""
        return self.runtime('case " $* " in\n%s\nesac\nexec /usr/bin/runsc "$@"' % case)

    def test_one_that_hangs_later_is_named_with_the_command(self):
        for command in ("exec", "kill"):
            path = self.between('*" %s "*) exec sleep 1234568;;' % command)
            status, good, text = self.doctor(path)
            self.assertEqual((status, good), (1, False), text)
            self.assertIn("%s with the platform ptrace: its %s did not end within 10 s: name" % (path, command), text)
            self.nothing_is_left("1234568")

    def test_nothing_is_taken_on_its_word(self):
        said = "echo '{\"status\":\"%s\"}'; exit"
        for case, sentence in (
                ('*" exec "*) exit 0;;', "its exec says that a program ended well which never spoke"),
                ('*" exec "*) echo no room >&2; exit 1;;', "its exec failed: no room"),
                ('*" delete "*) exit 0;;', "its delete left a container that is stopped"),
                ('*" kill "*) touch killed; exit 0;;\n*" state "*) test ! -e killed || { %s; };;' % (said % "stopped"),
                 "its state says that a container has stopped which still runs")):
            status, good, text = self.doctor(self.between(case))
            self.assertEqual((status, good), (1, False), text)
            self.assertIn(sentence, text)

    def test_one_that_does_not_even_say_its_version_is_bad(self):
        path = SCRATCH / "silent-runtime"
        path.write_text("#!/bin/sh\nexec sleep 7654321\n")
        path.chmod(0o755)
        status, good, text = self.doctor(path)
        self.assertEqual((status, good), (1, False))
        self.assertIn("%s did not answer in time" % path, text)


class Strays(unittest.TestCase):
    def test_of_all_kinds_are_removed_and_nobody_needs_docker(self):
        ended = subprocess.Popen(["true"])
        ended.wait()
        state = SCRATCH / "doctored"
        state.mkdir(mode=0o700)
        (state / "images").symlink_to(IMAGES)
        dead = state / "belljar.sock"
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(dead))
        (state / "daemon.lock").write_text("%d unix:%s\n" % (ended.pid, dead))
        (state / "daemon.lock").chmod(0o600)
        (state / "containers" / "left").mkdir(parents=True)
        (state / "paused" / "s-1.half").mkdir(parents=True)
        # In groups of their own: every Belljar that starts removes those beside its own.
        groups = [path / ("of-a-test-%d" % os.getpid()) / ("belljar-%d" % ended.pid) for path in own_groups()]
        for group in groups:
            group.mkdir(parents=True)
            self.addCleanup(group.parent.rmdir)
        config = SCRATCH / "no-docker.toml"
        config.write_text("")
        env = {"BELLJAR_STATE": str(state), "BELLJAR_CONFIG": str(config), "DOCKER_HOST": "unix:///nowhere"}
        told = belljar("doctor", **env).stdout
        cleaned = belljar("doctor", "--clean", **env)
        self.assertEqual(cleaned.returncode, 0, cleaned.stdout)
        left = [dead, state / "containers/left", state / "paused/s-1.half"]
        for path in left:
            self.assertIn(str(path) + "; belljar doctor --clean removes it", told)
            self.assertRegex(cleaned.stdout, "ok +removed .*%s\n" % path)
            self.assertFalse(os.path.lexists(path), path)
        for group in groups:
            self.assertIn("control group %s; belljar doctor --clean removes it" % group, told)
            self.assertFalse(group.exists())
        again = belljar("doctor", "--clean", **env)
        self.assertEqual((again.returncode, str(state) in again.stdout), (0, False), again.stdout)


def main():
    global BINARY, SCRATCH, IMAGES
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    BINARY = os.path.abspath(options.binary)
    with tempfile.TemporaryDirectory(prefix="belljar-doctor-") as scratch:
        SCRATCH = pathlib.Path(scratch)
        IMAGES = build_images(BINARY, SCRATCH, os.getuid())
        return run_tests(sys.modules[__name__], options.names)


if __name__ == "__main__":
    sys.exit(main())
