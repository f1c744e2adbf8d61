#!/usr/bin/env python3
"""Runs the examples in a cell and compares with what they can do outside.

Inside, every probe of a tour must be refused. Outside, at least one must reach what it asks
for: a probe that fails everywhere proves nothing. The last line is "N passed, N failed".
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"
# file, interpreter outside, number of probes
TOURS = (("tour.py", "/usr/bin/python3", 8),
         ("tour.sh", "bash", 5),
         ("tour.js", "node", 5))


def run(command):
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False,
                          stdin=subprocess.DEVNULL)


def endings(text):
    """How the probes of a tour ended, in order."""
    return [ending for line in text.splitlines()
            for ending in ("refused:", "REACHED:", "could not be tried:") if ending in line]


def inside_problem(binary, name, probes):
    """Why the tour inside is not as it must be, or None."""
    result = run([binary, "run", "--policy", str(EXAMPLES / "walls.toml"), str(EXAMPLES / name)])
    if result.returncode != 0:
        return f"exit status {result.returncode}\n{result.stdout}{result.stderr}"
    if endings(result.stdout) != ["refused:"] * probes:
        return f"not exactly {probes} refusals\n{result.stdout}{result.stderr}"
    return None


def outside_problem(interpreter, name):
    result = run([interpreter, str(EXAMPLES / name)])
    if result.returncode != 0 or "REACHED:" not in endings(result.stdout):
        return f"reached nothing outside\n{result.stdout}{result.stderr}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    binary = str(pathlib.Path(parser.parse_args().binary).absolute())
    passed = failed = 0
    own = run([binary, "policy", "test", str(EXAMPLES / "walls.toml")])
    print(f"{'FAIL' if own.returncode else 'ok  '} walls.toml: {own.stdout}", end="")
    passed, failed = passed + (own.returncode == 0), failed + (own.returncode != 0)
    for name, interpreter, probes in TOURS:
        checks = {f"{name} inside": inside_problem(binary, name, probes)}
        if shutil.which(interpreter):
            checks[f"{name} outside"] = outside_problem(interpreter, name)
        else:
            print(f"SKIP examples/{name}-outside: no {interpreter}")
        for check, problem in checks.items():
            print(f"FAIL {check}: {problem}" if problem else f"ok   {check}", flush=True)
            passed, failed = passed + (not problem), failed + bool(problem)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
