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
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PRELUDE = f"""
set -uo pipefail
root=$PWD logs=build/logs
for part in progress packages build totals steps; do source {ROOT}/tools/dev/$part.sh; done
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


class Totals(DevCase):
    def parse(self, text):
        self.write("log", text)
        return self.bash("parse_totals log").stdout.strip()

    def test_googletest_totals_are_read(self):
        self.assertEqual(self.parse("[  PASSED  ] 41 tests.\n[  FAILED  ] 2 tests, listed below:\n"
                                    "[  FAILED  ] A.B\n[  FAILED  ] A.C\n"), "41 2")
        self.assertEqual(self.parse("[  PASSED  ] 1 test.\n"), "1 0")
        self.assertEqual(self.parse("[  FAILED  ] 1 test, listed below:\n"), "0 1")

    def test_a_scripts_totals_are_read_from_its_own_line_only(self):
        self.assertEqual(self.parse("so far 3 passed, 1 failed today\n7 passed, 0 failed\n"), "7 0")

    def test_a_log_without_totals_has_none(self):
        self.assertEqual(self.parse("[ RUN      ] A.B\nSegmentation fault\n"), "")

    def test_skips_are_named_once(self):
        self.write("log", "[  SKIPPED ] A.B (0 ms)\n[  SKIPPED ] 1 test, listed below:\n"
                          "[  SKIPPED ] A.B\nSKIP escape/kvm: no /dev/kvm\nSKIPPING nothing: x\n")
        self.assertEqual(self.bash("parse_skips log").stdout,
                         "A.B\nescape/kvm: no /dev/kvm\n")


class Counted(DevCase):
    def counted(self, program):
        run = self.bash(f"counted it it bash -c '{program}'; echo \"$? $passed $failed\"")
        return run.stdout.strip(), run.stderr

    def test_a_passing_program_adds_its_totals(self):
        self.assertEqual(self.counted('echo "5 passed, 0 failed"')[0], "0 5 0")

    def test_failures_fail_it_whatever_its_status(self):
        self.assertEqual(self.counted('echo "5 passed, 2 failed"')[0], "1 5 2")

    def test_a_bad_status_fails_it_whatever_its_totals(self):
        self.assertEqual(self.counted('echo "5 passed, 0 failed"; exit 3')[0], "1 5 1")

    def test_silence_is_a_failure(self):
        result, told = self.counted("true")
        self.assertEqual(result, "1 0 1")
        self.assertIn("no totals were printed", told)

    def test_nothing_passed_is_a_failure(self):
        self.assertEqual(self.counted('echo "0 passed, 0 failed"')[0], "1 0 1")

    def test_a_failure_names_command_log_and_remedy(self):
        told = self.counted("echo the cause; exit 1")[1]
        self.assertIn("    the cause", told)
        self.assertIn("this command failed: bash -c echo the cause; exit 1", told)
        self.assertIn(f"full log:   {self.folder}/build/logs/it.log", told)
        self.assertIn("what to do: ", told)

    def test_what_passed_only_at_the_second_attempt_is_told_at_the_end(self):
        run = self.bash("""counted it it printf 'UNSTEADY x: late\\n1 passed, 0 failed\\n'; tell_unsteady""")
        self.assertEqual(run.stdout.splitlines()[-1], "unsteady: x: late")


class Skips(DevCase):
    def judge(self, skipped, pinned, mode="quick", user="true"):
        self.write("pinned", pinned)
        run = self.bash(f"is_root() {{ {user}; }}; skipped=({skipped}); judge_skips pinned {mode}")
        return run.returncode, run.stdout

    def test_the_pinned_set_passes_in_any_order(self):
        self.assertEqual(self.judge("B 'A: why'", "A\nB\n"), (0, ""))
        self.assertEqual(self.judge("", ""), (0, ""))

    def test_a_new_skip_fails(self):
        status, told = self.judge("A B", "A\n")
        self.assertEqual(status, 1)
        self.assertIn("skipped, but not pinned: B", told)

    def test_a_skip_that_has_gone_fails(self):
        status, told = self.judge("", "A\n")
        self.assertEqual(status, 1)
        self.assertIn("pinned, but it ran or is gone: A", told)

    def test_lines_for_the_other_kind_of_user_are_ignored(self):
        self.assertEqual(self.judge("A", "root: A\nuser: B\n"), (0, ""))
        self.assertEqual(self.judge("B", "root: A\nuser: B\n", user="false"), (0, ""))

    def test_sanitizer_lines_count_only_in_a_full_run(self):
        self.assertEqual(self.judge("", "tsan/A\n"), (0, ""))
        self.assertEqual(self.judge("", "tsan/A\n", mode="full")[0], 1)


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
            good() {{ counted good good echo '3 passed, 0 failed'; }}
            bad() {{ counted bad bad echo '1 passed, 1 failed'; }}
            broken() {{ return 1; }}
            run_steps quick {steps}""")

    def totals(self, run):
        return re.findall(r"^\d+ passed, \d+ failed$", run.stdout, re.MULTILINE)

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
