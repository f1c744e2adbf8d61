#!/usr/bin/env python3
"""Switches each control off in turn, in belljar-loose, and fails when no test notices.

Every attack of tests/escape names the sets of controls that hold it (HELDBY). With a whole set
switched off, the attack's own check must fail: the mutant is noticed. With all of a set but one
switched off, it must still pass: that one wall holds alone. Limits are lifted one by one, and the
data cases must notice. A control that no test claims is a failure of the suite.

The walls' own check of themselves (self_check) is switched off with each set: otherwise it would
notice everything first. Its own mutants are the other way round: a control off, self_check on, and
the cell must not start.
"""

import argparse
import hashlib
import importlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
ESCAPE = ROOT / "tests" / "escape"
sys.path[:0] = [str(ESCAPE), str(ROOT / "tests")]
import run_escape  # pylint: disable=wrong-import-position

# Not walls: what builds a cell or says that it is built. Without them there is no cell.
NOT_CONTROLS = {"none", "clone_init", "runtime_files", "workspace", "vaults", "artefacts", "doors", "descriptors",
                "exec", "sealed", "image_mount", "join_namespaces", "self_check", "mount_namespace"}

# Which data cases show a lifted limit.
LIMITS = {
    "limit_wall": "limits/bounded_wall", "limit_cpu_time": "limits/bounded_cpu_time",
    "limit_memory": "limits/bounded_memory", "limit_processes": "limits/bounded_processes",
    "limit_open_files": "limits/bounded_open_files", "limit_output_lines": "limits/output_lines",
    "limit_output_bytes": "limits/output_bytes", "limit_workspace": "limits/workspace_bytes",
    "limit_workspace_inodes": "limits/workspace_inodes", "limit_file_size": "limits/file_size",
    "limit_file_operations": "limits/file_operations",
}

# Which test shows a stage, or a control of the broker, that is left out: quick ones, since each is run by itself.
STAGES = {
    "judgement": ("run_judgement.py", "Levels.test_the_default_is_standard"),
    "redaction": ("run_judgement.py", "Redaction.test_nothing_that_leaves_holds_the_secret"),
    "guard": ("run_guard.py", "Refusals.test_what_cannot_be_read_is_refused_where_it_happens"),
    "egress_hosts": ("run_egress.py", "Clients.test_python_reaches_what_it_was_given_and_nothing_else"),
    "egress_addresses": ("run_egress.py", "Attacks.test_a_redirect_inwards_is_a_new_request_and_refused"),
    "egress_server_name": ("run_egress.py", "Attacks.test_a_tunnel_is_for_tls_to_the_name_it_was_asked_for"),
    "egress_secret_host": ("run_egress.py", "Secrets.test_the_broker_has_the_value_and_the_guest_a_placeholder"),
    "tool_names": ("run_tools.py", "Terms.test_only_what_is_listed_is_allowed"),
    "tool_arguments": ("run_tools.py", "Terms.test_arguments_are_held_to_their_rules"),
    "tool_question": ("run_tools.py", "Terms.test_a_call_that_asks_is_denied_where_nobody_can_be_asked"),
    "database_read_only": ("run_databases.py", "Reading.test_what_writes_is_refused"),
    "database_question": ("run_databases.py",
                          "Reading.test_a_write_that_nobody_can_be_asked_about_is_taken_back"),
    "artefact_marks": ("run_artefacts.py", "Tampering.test_another_content_is_not_mounted"),
}

PLACE = run_escape.scratch_place()
QUICK_ATTACK = "row00_inventory"  # any will do

# What the inside or the outside check must refuse by itself.
SELF_CHECKED = ["bounding_set", "securebits", "guest_filter", "base_filter", "close_descriptors",
                "working_directory"]
SELF_CHECKED_AS_ROOT = ["user_id"]


def steps():
    """The controls' names, from the product's own table."""
    text = (ROOT / "src/isolate/native/steps.cc").read_text()
    return re.findall(r'"([a-z_0-9]+)"', text.split("kNames[] = {")[1].split("};")[0])


def stages():
    """The stages' names, likewise."""
    text = (ROOT / "src/engine/switch_off.cc").read_text()
    return re.findall(r'{"([a-z_]+)"', text.split("kStages[] = {")[1].split("};")[0])


def attacks():
    for path in sorted(ESCAPE.glob("row*.py")):
        yield path.stem, importlib.import_module(path.stem)


class Images:
    """Images that one run after another uses, as long as nobody has touched them: to make them anew
    each time would take most of the time."""

    def __init__(self, directory):
        self.directory, self.untouched = pathlib.Path(directory), {}
        self.directory.chmod(0o755)

    @staticmethod
    def stamp(images):
        """Changes with any write to any file of the image, and any name that comes or goes."""
        stamp = hashlib.sha256()
        for place, directories, files in os.walk(images / "default" / "rootfs"):
            directories.sort()
            for name in sorted(files):
                status = os.lstat(os.path.join(place, name))
                stamp.update(b"%s %d %d %d %d\n" % (name.encode(), status.st_ino, status.st_size,
                                                   status.st_mtime_ns, status.st_ctime_ns))
        return stamp.hexdigest()

    def are_untouched(self):
        return bool(self.untouched) and self.untouched == self.stamps()

    def stamps(self):
        return {identity: self.stamp(identity) for identity in self.directory.iterdir()}

    def make(self, command):
        """Makes them anew, by a run with every control in its place."""
        for identity in self.directory.iterdir():
            shutil.rmtree(identity)
        for _ in range(2):  # the first use of an image adds the compiled guest to it
            subprocess.run(command, check=True, capture_output=True, timeout=300)
        self.untouched = self.stamps()


class Runner:
    def __init__(self, binary, images):
        self.binary, self.images = binary, images
        self.passed, self.failures = 0, []
        self.since = time.monotonic()

    def judge(self, good, sentence):
        if good:
            self.passed += 1
        else:
            self.failures.append(sentence)
        now = time.monotonic()
        print(f"{'ok  ' if good else 'FAIL'} {sentence} ({now - self.since:.1f} s)", flush=True)
        self.since = now

    def is_held(self, name, off):
        """Whether the named attack is held with some controls switched off."""
        command = ["run_escape.py", "--images", str(self.images.directory)]
        if not self.images.are_untouched():
            self.images.make(self.command(*command, "--filter", QUICK_ATTACK))
        return self.suite(command, name, off)

    def command(self, script, *arguments):
        return [sys.executable, str(ROOT / "tests" / script), "--binary", self.binary, *arguments]

    def suite(self, command, test, off):
        """Whether the named tests pass with some controls switched off."""
        command = self.command(*command)
        command += ["--filter", test, "--switch-off", ",".join(off)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        totals = re.search(r"(\d+) passed, (\d+) failed", done.stdout.rstrip().splitlines()[-1])
        if totals is None or totals[1] == totals[2] == "0":
            sys.exit(f"mutate: {' '.join(command)} ran no test:\n{done.stdout}{done.stderr}")
        return done.returncode == 0

    @staticmethod
    def starts(binary, off):
        done = subprocess.run([binary, "run", "-c", "print(42)"], capture_output=True,
                              env=dict(os.environ, BELLJAR_SWITCH_OFF=off), text=True, timeout=60)
        return done.stdout == "42\n"

    def refuse_in_the_product(self, product):
        """A name that nobody knows shows who reads the names at all."""
        self.judge(self.starts(product, "no_such_control")
                   and not self.starts(self.binary, "no_such_control"),
                   "belljar reads no names of controls, belljar-loose does")

    def insist_on_names(self, controls):
        """A name the product does not know would fail every test, and so look noticed."""
        for control in sorted(controls):
            done = subprocess.run([self.binary, "run", "-c", ""], capture_output=True, text=True,
                                  env=dict(os.environ, BELLJAR_SWITCH_OFF=control), timeout=60)
            if "is named" in done.stderr:
                sys.exit(f"mutate: {done.stderr.strip()}")

    def mutate_attack(self, name, held_by):
        off = ["self_check", *held_by]
        self.judge(not self.is_held(name, off),
                   f"{name} notices that {' and '.join(held_by)} {'is' if len(held_by) == 1 else 'are'} missing")
        if len(held_by) < 2:
            return
        for alone in held_by:
            off = ["self_check", *(control for control in held_by if control != alone)]
            self.judge(self.is_held(name, off), f"{name} is held by {alone} alone")

    def mutate_limits(self):
        """No limit stands between a cell and its image: one image serves all."""
        with tempfile.TemporaryDirectory(prefix="belljar-mutate-", dir=PLACE) as images:
            os.chmod(images, 0o755)
            command = ["run_cases.py", "--images", images]
            for limit, case in LIMITS.items():
                held, lifted = (self.suite(command, case, off) for off in ([], [limit]))
                self.judge(held and not lifted, f"the cases notice that {limit} is lifted")

    def mutate_stages(self, part):
        """No stage stands between a cell and its image: one image serves all."""
        for stage in stages():
            if part in stage and stage not in STAGES:
                self.judge(False, f"a test claims {stage}")
        with tempfile.TemporaryDirectory(prefix="belljar-mutate-", dir=PLACE) as folder:
            os.chmod(folder, 0o755)
            for stage, (suite, test) in STAGES.items():
                if part in stage:
                    self.mutate_stage(stage, suite, test, folder)

    def mutate_stage(self, stage, suite, test, folder):
        # That it passes with everything in its place is for the suite itself to show. What it says must be that it has
        # seen something else than it wants, and not that it could not look.
        loose = pathlib.Path(folder, stage)
        loose.write_text(f'#!/bin/sh\nBELLJAR_SWITCH_OFF={stage} exec "{os.path.abspath(self.binary)}" "$@"\n')
        loose.chmod(0o755)
        done = subprocess.run([sys.executable, str(ROOT / "tests" / suite), "--binary", str(loose), test],
                              capture_output=True, text=True, timeout=300,
                              env={"BELLJAR_TEST_IMAGES": folder, **os.environ})
        noticed = re.search(r" [1-9]\d* failed$", done.stdout.rstrip()) and "\nFAIL: " in done.stderr
        self.judge(bool(noticed), f"a test notices that {stage} is left out")

    def mutate_self_check(self):
        controls = SELF_CHECKED + (SELF_CHECKED_AS_ROOT if os.geteuid() == 0 else [])
        for control in controls:
            self.judge(not self.starts(self.binary, control), f"no cell starts without {control}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", default=str(ROOT / "build/release/bin/belljar-loose"))
    parser.add_argument("--product", default=str(ROOT / "build/release/bin/belljar"))
    parser.add_argument("--filter", default="", help="only attacks and stages whose name contains this")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="belljar-mutate-", dir=PLACE) as images:
        return mutate(Runner(arguments.binary, Images(images)), arguments)


def mutate(runner, arguments):
    claimed = set()
    for _, attack in attacks():
        claimed.update(control for held_by in attack.HELDBY for control in held_by)
    runner.insist_on_names(claimed | set(LIMITS) | set(STAGES))
    for name, attack in attacks():
        for held_by in attack.HELDBY:
            if arguments.filter in name:
                runner.mutate_attack(name, held_by)
    for control in steps():
        if control not in NOT_CONTROLS:
            runner.judge(control in claimed or not runner.starts(runner.binary, control + ",self_check"),
                         f"a test claims {control}, or no cell starts without it")
    if not arguments.filter:
        runner.refuse_in_the_product(arguments.product)
        runner.mutate_self_check()
        runner.mutate_limits()
    runner.mutate_stages(arguments.filter)
    for sentence in runner.failures:  # again: they are far above, and only the end may be kept
        print(f"FAIL {sentence}")
    print(f"{runner.passed} passed, {len(runner.failures)} failed")
    return 1 if runner.failures else 0


if __name__ == "__main__":
    sys.exit(main())
