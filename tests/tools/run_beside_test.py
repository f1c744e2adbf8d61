#!/usr/bin/env python3
"""tools/run_beside.py: totals of several programs, and no failure that is not seen."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from totals import main  # noqa: E402

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "run_beside.py"


def beside(*programs):
    with tempfile.TemporaryDirectory() as logs:
        words = [word for name, script in programs for word in ("--", name, "sh", "-c", script)]
        return subprocess.run([sys.executable, str(TOOL), "--jobs", "2", "--logs", logs, *words],
                              capture_output=True, text=True, timeout=60, check=False)


class RunBeside(unittest.TestCase):
    def test_adds_up(self):
        ran = beside(("a", "echo '3 passed, 0 failed'"), ("b", "echo '4 passed, 0 failed'"))
        self.assertEqual(ran.returncode, 0)
        self.assertEqual(ran.stdout.splitlines()[-1], "7 passed, 0 failed")

    def test_a_failure_is_shown_and_counted(self):
        ran = beside(("a", "echo '3 passed, 0 failed'"),
                     ("b", "echo 'FAIL: this one'; echo '1 passed, 2 failed'; exit 1"))
        self.assertEqual(ran.returncode, 1)
        self.assertIn("    FAIL: this one", ran.stdout)
        self.assertEqual(ran.stdout.splitlines()[-1], "4 passed, 2 failed")

    def test_what_passes_only_by_itself_is_named(self):
        with tempfile.TemporaryDirectory() as place:
            once = os.path.join(place, "once")
            ran = beside(("a", "echo '3 passed, 0 failed'"),
                         ("b", f"mkdir {once} || exec echo '2 passed, 0 failed'; echo 'FAIL: too late';"
                               "echo '1 passed, 1 failed'; exit 1"))
        self.assertEqual(ran.returncode, 0)
        self.assertIn("    FAIL: too late", ran.stdout)
        self.assertIn("UNSTEADY b: it failed beside others and passed by itself", ran.stdout.splitlines())
        self.assertEqual(ran.stdout.splitlines()[-1], "5 passed, 0 failed")

    def test_the_second_attempt_has_no_neighbours(self):
        with tempfile.TemporaryDirectory() as place:
            alone = f"mkdir {place}/a || exit 9; sleep 0.1; rmdir {place}/a; echo '0 passed, 1 failed'; exit 1"
            ran = beside(("a", f"test -e {place}/first && {{ {alone}; }}; exit 1"),
                         ("b", f"test -e {place}/first && {{ {alone}; }}; touch {place}/first; exit 1"))
        self.assertEqual(ran.stdout.splitlines()[-1], "0 passed, 2 failed")
        self.assertNotIn("cannot create", ran.stdout + ran.stderr)

    def test_a_bad_status_or_no_totals_is_a_failure(self):
        for script in ("echo '3 passed, 0 failed'; exit 3", "true", "echo '0 passed, 0 failed'"):
            ran = beside(("a", script))
            self.assertEqual(ran.returncode, 1, script)
            self.assertTrue(ran.stdout.endswith(" 1 failed\n"), ran.stdout)

    def test_what_was_skipped_is_passed_on(self):
        for line in ("SKIP x.y: no kernel", "[  SKIPPED ] Suite.Name (0 ms)"):
            ran = beside(("a", f"echo '{line}'; echo '1 passed, 0 failed'"))
            self.assertIn(line, ran.stdout.splitlines())

    def test_programs_run_beside_each_other(self):
        with tempfile.TemporaryDirectory() as place:
            fifo = os.path.join(place, "fifo")
            os.mkfifo(fifo)  # each waits for the other
            ran = beside(("a", f"echo x >{fifo}; echo '1 passed, 0 failed'"),
                         ("b", f"read x <{fifo}; echo '1 passed, 0 failed'"))
        self.assertEqual(ran.stdout.splitlines()[-1], "2 passed, 0 failed")


if __name__ == "__main__":
    main()
