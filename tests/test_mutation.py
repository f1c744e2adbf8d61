"""Switches each control off in turn, in belljar-loose, and fails when no test notices.

It runs by ./dev mutate, or pytest --mutants. Every attack of tests/escape names the sets of controls that
hold it (HELDBY). With a whole set switched off, the attack's own check must fail: the mutant is noticed. With
all of a set but one switched off, it must still pass: that one wall holds alone. Limits are lifted one by one,
and the data cases must notice. A control that no test claims is a failure of the suite.

The walls' own check of themselves (self_check) is switched off with each set: otherwise it would
notice everything first. Its own mutants are the other way round: a control off, self_check on, and
the cell must not start.
"""

import hashlib
import importlib
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest

from service.daemon import UNUSED_UID
from suite import ROOT, build_images, scratch_directory
from test_escape import ATTACKS

pytestmark = pytest.mark.mutation

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
    "judgement": "test_judgement.py::Levels::test_the_default_is_standard",
    "redaction": "test_judgement.py::Redaction::test_nothing_that_leaves_holds_the_secret",
    "guard": "test_guard.py::Refusals::test_what_cannot_be_read_is_refused_where_it_happens",
    "egress_hosts": "test_egress.py::Clients::test_python_reaches_what_it_was_given_and_nothing_else",
    "egress_addresses": "egress/test_attacks.py::Attacks::test_a_redirect_inwards_is_a_new_request_and_refused",
    "egress_server_name": "egress/test_attacks.py::Attacks::test_a_tunnel_is_for_tls_to_the_name_it_was_asked_for",
    "egress_secret_host": "egress/test_secrets.py::Secrets::test_the_broker_has_the_value_and_the_guest_a_placeholder",
    "tool_names": "test_tools.py::Terms::test_only_what_is_listed_is_allowed",
    "tool_arguments": "test_tools.py::Terms::test_arguments_are_held_to_their_rules",
    "tool_question": "test_tools.py::Terms::test_a_call_that_asks_is_denied_where_nobody_can_be_asked",
    "database_read_only": "test_databases.py::Reading::test_what_writes_is_refused",
    "database_question": "test_databases.py::Reading::test_a_write_that_nobody_can_be_asked_about_is_taken_back",
    "artefact_marks": "test_artefacts.py::Tampering::test_another_content_is_not_mounted",
}

# What the inside or the outside check must refuse by itself.
SELF_CHECKED = ["bounding_set", "securebits", "guest_filter", "base_filter", "close_descriptors",
                "working_directory"]
SELF_CHECKED_AS_ROOT = ["user_id"]


def steps():
    """The controls' names, from the product's own table."""
    text = (ROOT / "src/cell/native/launcher/steps.cc").read_text()
    return re.findall(r'"([a-z_0-9]+)"', text.split("kNames[] = {")[1].split("};")[0])


def stages():
    """The stages' names, likewise."""
    text = (ROOT / "src/run/switch_off.cc").read_text()
    return re.findall(r'{"([a-z_]+)"', text.split("kStages[] = {")[1].split("};")[0])


def attacks():
    """The names of the attacks, and the sets of controls that hold each."""
    return [(path.stem, held_by) for path in sorted(ATTACKS.glob("row*.py"))
            for held_by in importlib.import_module(path.stem).HELDBY]


def claimed():
    return {control for _, held_by in attacks() for control in held_by}


class Images:
    """The images of a test of walls, which are made anew when an attack has touched them."""

    def __init__(self, directory, binary):
        self.directory, self.binary, self.untouched = directory, binary, {}

    def users(self):
        return [os.getuid(), UNUSED_UID] if os.getuid() == 0 else [os.getuid()]

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

    def stamps(self):
        return {uid: self.stamp(self.directory / ("images-%d" % uid) / "images") for uid in self.users()}

    def ensure(self):
        """By a run with every control in its place."""
        if self.untouched and self.untouched == self.stamps():
            return
        for uid in self.users():
            state = self.directory / ("images-%d" % uid)
            shutil.rmtree(state, ignore_errors=True)
            build_images(self.binary, state, uid)
            (self.directory / ("images-%d.made" % uid)).touch()
        self.untouched = self.stamps()


class Loosened:
    """Runs tests of other modules with some controls switched off."""

    def __init__(self, loose, folder):
        self.loose, self.folder, self.images = loose, folder, Images(folder, loose)

    def run(self, *words, binary=None):
        """What pytest says of them."""
        env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "--tb=line", "-o", "timeout=240",
             "--binary=%s" % (binary or self.loose), *words], cwd=ROOT, capture_output=True, text=True, check=False,
            timeout=300, env={**env, "BELLJAR_TEST_SHARED": str(self.folder)})

    def pass_without(self, off, *words):
        """Whether all of them pass; that none was found, or that one could not be tried, is a mistake of ours."""
        self.images.ensure()
        done = self.run("--switch-off=" + ",".join(off), *words)
        assert done.returncode in (0, 1) and "rror at setup" not in done.stdout, done.stdout + done.stderr
        return done.returncode == 0

    def attack_is_held(self, row, off):
        return self.pass_without(off, "tests/test_escape.py", "-k", "test_attack and " + row)

    def case_passes(self, case, off):
        return self.pass_without(off, "tests/test_cases.py", "-k", "test_request and " + case)


@pytest.fixture(scope="module")
def tests(loose):
    with scratch_directory() as folder:
        yield Loosened(loose, folder)


@pytest.fixture
def starts(state):
    """Whether a cell of a belljar starts without a control."""
    def starts(binary, off):
        done = subprocess.run([binary, "run", "-c", "print(42)"], capture_output=True, text=True, timeout=60,
                              check=False, env={**os.environ, "BELLJAR_SWITCH_OFF": off, "BELLJAR_STATE": str(state)})
        return done.stdout == "42\n"
    return starts


def named(pairs):
    return ["-".join([row, *(held_by if isinstance(held_by, list) else [held_by])]) for row, held_by in pairs]


@pytest.mark.parametrize("row, held_by", attacks(), ids=named(attacks()))
def test_an_attack_is_not_held_when_all_that_hold_it_are_missing(row, held_by, tests):
    assert not tests.attack_is_held(row, ["self_check", *held_by])


ALONE = [(row, alone, held_by) for row, held_by in attacks() if len(held_by) > 1 for alone in held_by]


@pytest.mark.parametrize("row, alone, held_by", ALONE, ids=named([each[:2] for each in ALONE]))
def test_an_attack_is_held_by_one_wall_alone(row, alone, held_by, tests):
    assert tests.attack_is_held(row, ["self_check", *(control for control in held_by if control != alone)])


@pytest.mark.parametrize("control", [control for control in steps() if control not in NOT_CONTROLS])
def test_an_attack_claims_a_control_or_no_cell_starts_without_it(control, starts, loose):
    assert control in claimed() or not starts(loose, control + ",self_check")


@pytest.mark.parametrize("control", sorted(claimed() | set(LIMITS) | set(STAGES)))
def test_the_product_knows_what_is_claimed(control, loose, state):
    """A name that it does not know would fail every test, and so look noticed."""
    done = subprocess.run([loose, "run", "-c", ""], capture_output=True, text=True, timeout=60, check=False,
                          env={**os.environ, "BELLJAR_SWITCH_OFF": control, "BELLJAR_STATE": str(state)})
    assert "is named" not in done.stderr, done.stderr


def test_belljar_reads_no_names_of_controls_and_belljar_loose_does(starts, binary, loose):
    """A name that is none shows who reads the names at all."""
    assert starts(binary, "no_such_control") and not starts(loose, "no_such_control")


@pytest.mark.parametrize("control", SELF_CHECKED + (SELF_CHECKED_AS_ROOT if os.geteuid() == 0 else []))
def test_no_cell_starts_without_what_it_checks_itself(control, starts, loose):
    assert not starts(loose, control)


@pytest.mark.parametrize("limit, case", LIMITS.items(), ids=LIMITS)
def test_a_case_notices_that_a_limit_is_lifted(limit, case, tests):
    assert tests.case_passes(case, []) and not tests.case_passes(case, [limit])


@pytest.mark.parametrize("stage", stages())
def test_a_test_notices_that_a_stage_is_left_out(stage, tests):
    """That the test passes with everything in its place is for itself to show. What it says must be that it has seen
    something else than it wants, and not that it could not look."""
    tests.images.ensure()
    without, told = tests.folder / stage, tests.folder / (stage + ".xml")
    without.write_text(f'#!/bin/sh\nBELLJAR_SWITCH_OFF={stage} exec "{tests.loose}" "$@"\n')
    without.chmod(0o755)
    done = tests.run("tests/" + STAGES[stage], "--junitxml", str(told), binary=without)
    said = [failure.get("message") for failure in xml.parse(told).iter("failure")]
    assert said and all(message.startswith("AssertionError") for message in said), done.stdout + done.stderr
