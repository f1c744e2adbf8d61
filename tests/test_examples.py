"""Runs the examples in a cell and compares with what they can do outside.

Inside, every probe of a tour must be refused. Outside, at least one must reach what it asks
for: a probe that fails everywhere proves nothing.
"""
import shutil
import subprocess

import pytest

from suite import ROOT

EXAMPLES = ROOT / "examples"
# file, interpreter outside, number of probes
TOURS = (("tour.py", "/usr/bin/python3", 8),
         ("tour.sh", "bash", 5),
         ("tour.js", "node", 5))


def run(command, cwd=None):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                          stdin=subprocess.DEVNULL, cwd=cwd)


def endings(text):
    """How the probes of a tour ended, in order."""
    return [ending for line in text.splitlines()
            for ending in ("refused:", "REACHED:", "could not be tried:") if ending in line]


@pytest.fixture
def tour(name, binary, state, monkeypatch):
    monkeypatch.setenv("BELLJAR_STATE", str(state))
    return [binary, "run", "--policy", str(EXAMPLES / "walls.toml"), str(EXAMPLES / name)]


def test_the_policy_passes_its_own_examples(binary):
    done = run([binary, "policy", "test", str(EXAMPLES / "walls.toml")])
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name, probes", [(name, probes) for name, _, probes in TOURS])
def test_inside_every_probe_is_refused(name, probes, tour):
    result = run(tour)
    assert result.returncode == 0, result.stdout + result.stderr
    assert endings(result.stdout) == ["refused:"] * probes, result.stdout + result.stderr


@pytest.mark.parametrize("name, interpreter", [(name, interpreter) for name, interpreter, _ in TOURS])
def test_outside_something_is_reached(name, interpreter, scratch):
    if not shutil.which(interpreter):
        pytest.skip("missing: " + interpreter)
    result = run([interpreter, str(EXAMPLES / name)], cwd=scratch)  # a tour writes a file
    assert result.returncode == 0 and "REACHED:" in endings(result.stdout), result.stdout + result.stderr
