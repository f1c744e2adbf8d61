"""Tests of the parts of ./dev: what it reads out of logs, installs, prints and returns.

Each test sources the real tools/dev/*.sh in a bash of its own and replaces only the outside
world (dpkg-query, apt-get, sudo, the user) by shell functions or small scripts.
"""

import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import types
import unittest

from skips import Skips

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRELUDE = f"""
set -uo pipefail
root=$PWD logs=build/logs
for part in progress packages build steps; do source {ROOT}/tools/dev/$part.sh; done
"""


class DevCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def bash(self, script):
        return subprocess.run(["bash", "-c", PRELUDE + script], cwd=self.folder, text=True,
                              capture_output=True, stdin=subprocess.DEVNULL, check=False)

    def write(self, name, text):
        (self.folder / name).write_text(text)


class Attempt(DevCase):
    def test_a_failure_names_command_log_and_remedy(self):
        run = self.bash("attempt it $logs/it.log 'try harder' bash -c 'echo the cause; exit 1'; echo $?")
        self.assertEqual(run.stdout, "1\n")
        self.assertIn("    the cause", run.stderr)
        self.assertIn("this command failed: bash -c echo the cause; exit 1", run.stderr)
        self.assertIn(f"full log:   {self.folder}/build/logs/it.log", run.stderr)
        self.assertIn("what to do: try harder", run.stderr)


class Names(DevCase):
    def test_a_test_may_be_named_by_its_path(self):
        for name, plain in (("tests/cases/limits/timeout.toml", "limits/timeout"), ("fork_bomb", "fork_bomb"),
                            ("tests/escape/row39_process_bombs.py", "row39_process_bombs"),
                            ("tests/test_skills.py::Storing::test_x", "Storing.test_x"),
                            ("Suite.Test", "Suite.Test"), ("tests/test_skills.py", "test_skills")):
            self.assertEqual(self.bash(f"plain '{name}'").stdout, plain + "\n")


TOTALS = ROOT / "tools/dev/totals.py"
GOOGLETEST = """<testsuites><testsuite name="A">
<testcase name="Passes" classname="A" status="run" result="completed"/>
<testcase name="Skips" classname="A" status="run" result="skipped"><skipped message="f.cc:3&#x0A;no kernel"/></testcase>
<testcase name="DISABLED_Rests" classname="A" status="notrun" result="suppressed"/>
<testcase name="Fails" classname="A" status="run" result="completed"><failure message="no"/></testcase>
</testsuite></testsuites>"""
CTEST = """<testsuite name="ctest">
<testcase name="A.Passes" classname="A.Passes" status="run"/>
<testcase name="A.Fails" classname="A.Fails" status="fail"><failure message=""/></testcase>
<testcase name="A.Skips" classname="A.Skips" status="notrun"><skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase>
<testcase name="B_NOT_BUILT" classname="B" status="notrun"><skipped message="Unable to find executable: b"/></testcase>
</testsuite>"""
PYTEST = """<testsuites><testsuite name="pytest">
<testcase classname="tests.test_a.A" name="test_passes"/>
<testcase classname="tests.test_a.A" name="test_fails"><failure message="no"/></testcase>
<testcase classname="tests.test_a.A" name="test_errs"><error message="no"/></testcase>
<testcase classname="tests.test_a" name="test_skips"><skipped type="pytest.skip" message="missing: x"/></testcase>
</testsuite></testsuites>"""


class TotalsCase(DevCase):
    def total(self, *options, **files):
        folder = self.folder / "junit"
        folder.mkdir(exist_ok=True)
        for name, text in files.items():
            (folder / (name + ".xml")).write_text(text)
        run = subprocess.run([sys.executable, TOTALS, folder, *options], capture_output=True, text=True, check=False)
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout.splitlines()


class Totals(TotalsCase):
    def test_googletests_are_read(self):
        self.assertEqual(self.total(unit=GOOGLETEST)[1], [
            "could not run here: unit: A.Skips no kernel", "failed: unit: A.Fails", "1 passed, 1 failed, 1 skipped"])

    def test_those_of_ctest_are_read_and_a_program_that_is_not_there_has_failed(self):
        self.assertEqual(self.total(unit=CTEST)[1], [
            "failed: unit: A.Fails", "could not run here: unit: A.Skips", "failed: unit: B.B_NOT_BUILT",
            "1 passed, 2 failed, 1 skipped"])

    def test_those_of_pytest_are_read(self):
        status, told = self.total(python=PYTEST)
        self.assertEqual((status, told[-1]), (1, "1 passed, 2 failed, 1 skipped"))
        self.assertIn("could not run here: python: tests.test_a.test_skips missing: x", told)

    def test_all_files_are_added_up(self):
        self.assertEqual(self.total(unit=CTEST, python=PYTEST)[1][-1], "2 passed, 4 failed, 2 skipped")

    def test_a_program_that_died_while_it_wrote_has_failed(self):
        self.assertEqual(self.total(asan=GOOGLETEST[:200])[0], 1)

    def test_nothing_passed_is_a_failure(self):
        self.assertEqual(self.total(), (1, ["0 passed, 0 failed"]))

    def test_steps_without_tests_count(self):
        good = "<testsuite><testcase name='a'/></testsuite>"
        self.assertEqual(self.total(python=good), (0, ["1 passed, 0 failed"]))
        self.assertEqual(self.total("--failed", "2", python=good), (1, ["1 passed, 2 failed"]))


class SkipsOfGoogleTest(TotalsCase):
    SKIPS = ('<testsuite><testcase name="P" classname="P"/><testcase name="A.B" classname="A.B">'
             '<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/></testcase></testsuite>')

    def judge(self, pinned, **files):
        self.write("pinned", pinned)
        return self.total("--pinned", str(self.folder / "pinned"), **files)

    def test_the_pinned_set_passes(self):
        self.assertEqual(self.judge("# why\nunit/A.B\nasan/C.D\ntest_x.py::X\n", unit=self.SKIPS)[0], 0)

    def test_a_new_skip_fails(self):
        status, told = self.judge("", unit=self.SKIPS)
        self.assertEqual((status, told[-1]), (1, "1 passed, 1 failed, 1 skipped"))
        self.assertRegex(told[-2], "skipped, but not pinned in .*: unit/A.B")

    def test_a_skip_that_has_gone_fails(self):
        status, told = self.judge("unit/A.B\nunit/E.F\n", unit=self.SKIPS)
        self.assertEqual(status, 1)
        self.assertRegex(told[-2], "pinned in .*, but it ran or is gone: unit/E.F")

    def test_lines_for_the_other_kind_of_user_are_ignored(self):
        other = "user" if os.geteuid() == 0 else "root"
        self.assertEqual(self.judge("unit/A.B\n%s: unit/E.F\n" % other, unit=self.SKIPS)[0], 0)


class SkipsOfPytest(DevCase):
    """What the plugin of tests/conftest.py makes of reports."""

    def surprises(self, pinned, **outcomes):
        self.write("pinned", pinned)
        skips = Skips(self.folder / "pinned", "native")
        for name, skipped in outcomes.items():
            skips.pytest_runtest_logreport(types.SimpleNamespace(
                nodeid="tests/t.py::C::%s@tests/t.py::C" % name, skipped=skipped, longrepr=("t.py", 1, "Skipped: why")))
        return list(skips.surprises())

    def test_the_pinned_set_passes_and_what_was_not_tried_is_not_missed(self):
        self.assertEqual(self.surprises("t.py::C::a\nother.py::C::a\n", a=True, b=False), [])

    def test_a_class_or_a_module_stands_for_its_tests(self):
        self.assertEqual(self.surprises("t.py::C\n", a=True, b=True), [])
        self.assertEqual(self.surprises("t.py\n", a=True, b=True), [])

    def test_a_new_skip_fails(self):
        self.assertEqual(self.surprises("", a=True), ["skipped, but not pinned: t.py::C::a (Skipped: why)"])

    def test_a_skip_that_has_gone_fails(self):
        self.assertEqual(self.surprises("t.py::C::a\n", a=False), ["pinned, but it ran: t.py::C::a"])

    def test_lines_for_the_other_kind_of_user_are_ignored(self):
        other, mine = ("user", "root") if os.geteuid() == 0 else ("root", "user")
        self.assertEqual(self.surprises("%s: t.py::C::a\n" % other, a=False), [])
        self.assertEqual(self.surprises("%s: t.py::C::a\n" % mine, a=True), [])


class Packages(DevCase):
    WORLD = """
    dpkg-query() { printf 'g++ ii \\ncmake rc \\n'; }
    build_packages=(g++ cmake libfmt-dev)
    apt-get() { :; }
    need_parsers() { :; }
    """

    def test_removed_and_unknown_packages_are_missing(self):
        run = self.bash(self.WORLD + "missing g++ cmake libfmt-dev")
        self.assertEqual(run.stdout.split(), ["cmake", "libfmt-dev"])

    def test_nothing_is_installed_when_nothing_is_missing(self):
        run = self.bash(self.WORLD + "build_packages=(g++); install_as_root() { echo no; }\n"
                                     "is_root() { true; }; need build; echo $?")
        self.assertEqual(run.stdout, "0\n")

    def test_without_root_and_sudo_one_sentence_tells_the_command(self):
        run = self.bash(self.WORLD + "is_root() { false; }\n"
                                     "command() { [[ $2 != sudo ]]; }; need build; echo not here")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertTrue(run.stderr.endswith(
            "./dev: as root, run: apt-get update && apt-get install -y --no-install-recommends "
            "cmake libfmt-dev\n"), run.stderr)

    def test_root_installs_exactly_what_is_missing(self):
        fake = self.folder / "apt-get"
        fake.write_text('#!/bin/bash\necho "$@" >>calls\n')
        fake.chmod(0o755)
        run = self.bash(self.WORLD.replace("apt-get() { :; }", "PATH=$PWD:$PATH")
                        + "is_root() { true; }; need build")
        self.assertEqual(run.returncode, 0, run.stderr)
        calls = (self.folder / "calls").read_text().splitlines()
        self.assertEqual(calls[0], "update")
        self.assertTrue(calls[1].endswith(" cmake libfmt-dev"), calls)

    def test_a_failed_install_ends_with_the_reason(self):
        fake = self.folder / "apt-get"
        fake.write_text('#!/bin/bash\necho "E: no network"; exit 100\n')
        fake.chmod(0o755)
        run = self.bash(self.WORLD.replace("apt-get() { :; }", "PATH=$PWD:$PATH")
                        + "is_root() { true; }; need build; echo not here")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertIn("E: no network", run.stderr)
        self.assertIn("this command failed: apt-get update", run.stderr)


class Steps(DevCase):
    def run_steps(self, steps):
        (self.folder / "tests").mkdir()
        self.write("tests/skips.txt", "")
        return self.bash(f"""
            tell() {{ echo "<testsuite>$2</testsuite>" >"$junit/$1.xml"; }}
            one='<testcase name="a"/>' no='<testcase name="b"><failure/></testcase>'
            good() {{ tell "$RANDOM" "$one$one$one"; }}
            bad() {{ tell bad "$one$no"; return 1; }}
            broken() {{ return 1; }}
            run_steps {steps}""")

    def totals(self, run):
        return re.findall(r"^\d+ passed, \d+ failed$", run.stdout, re.MULTILINE)

    def test_the_totals_are_the_last_line(self):
        run = self.run_steps("'good|one|go on' 'broken|two|go on'")
        self.assertEqual(run.stdout.splitlines()[-1], "3 passed, 1 failed")

    def test_totals_are_summed_in_exactly_one_line(self):
        run = self.run_steps("'good|one|go on' 'good|two|go on'")
        self.assertEqual((run.returncode, self.totals(run)), (0, ["6 passed, 0 failed"]))

    def test_a_failing_step_fails_the_run_and_the_next_still_runs(self):
        run = self.run_steps("'bad|one|go on' 'good|two|go on'")
        self.assertEqual((run.returncode, self.totals(run)), (1, ["4 passed, 1 failed"]))
        self.assertRegex(run.stdout, r"one +\d+\.\d  FAILED\ntwo +\d+\.\d  ok\n")

    def test_a_broken_build_stops_the_run_and_counts_as_one(self):
        run = self.run_steps("'broken|one|stop' 'good|two|go on'")
        self.assertEqual((run.returncode, self.totals(run)), (1, ["0 passed, 1 failed"]))
        self.assertNotIn("== two", run.stdout)


class Command(unittest.TestCase):
    def dev(self, *arguments):
        return subprocess.run([ROOT / "dev", *arguments], text=True, capture_output=True,
                              stdin=subprocess.DEVNULL, check=False)

    def test_an_unknown_command_or_argument_is_named(self):
        for arguments, told in ((["bild"], "unknown command 'bild'"),
                                (["test", "--ful"], "test: unexpected argument '--ful'"),
                                (["test", "--full", "x"], "test: unexpected argument 'x'"),
                                (["clean", "all"], "clean: unexpected argument 'all'"),
                                (["fuzz", "1", "2"], "fuzz: unexpected argument '2'")):
            run = self.dev(*arguments)
            self.assertEqual(run.returncode, 1)
            self.assertEqual(run.stderr, f"./dev: {told}; see ./dev help\n")

    def test_help_names_every_command(self):
        text = self.dev("help").stdout
        source = (ROOT / "dev").read_text()
        for name in re.findall(r"^command_(\w+)\(\)", source, re.MULTILINE):
            self.assertIn(f"\n  {name} ", text)

    def test_the_continuous_build_calls_the_full_test(self):
        lines = (ROOT / ".ci/run").read_text().splitlines()
        self.assertEqual(lines[1:], ['exec "$(dirname "$0")/../dev" test --full'])


class Unwritable(DevCase):
    def test_a_build_directory_of_another_user_is_told_in_one_sentence(self):
        (self.folder / "build").write_text("")  # in the way, also for root
        run = self.bash("progress it $logs/it.log true; echo not here")
        self.assertEqual((run.returncode, run.stdout), (1, ""))
        self.assertRegex(run.stderr, r"^\./dev: cannot write .*/build/logs/it.log: "
                                     r"run this as \w+, or remove build/ as that user\n$")


class Interrupt(DevCase):
    def test_an_interrupt_ends_the_command_and_all_it_started(self):
        os.mkfifo(self.folder / "pid")
        script = PRELUDE + "progress it log bash -c 'sleep 600 & echo $! >pid; wait'"
        dev = subprocess.Popen(["bash", "-c", script], cwd=self.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        grandchild = os.pidfd_open(int((self.folder / "pid").read_text()))
        self.addCleanup(os.close, grandchild)
        dev.send_signal(signal.SIGTERM)
        self.assertEqual(dev.wait(timeout=10), 130)
        # A pidfd is readable once its process has ended.
        self.assertEqual(select.select([grandchild], [], [], 10)[0], [grandchild])
