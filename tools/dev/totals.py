#!/usr/bin/env python3
"""Reads what tests have said in JUnit XML: adds up, names what could not run, and judges GoogleTest's skips.

Usage: totals.py FOLDER [--pinned FILE] [--failed N]

A file of the folder is what one ctest, pytest or GoogleTest program has written. Those of C++ tests are named after
their step (unit, slow, asan, tsan), which stands before the names of their skipped tests in tests/skips.txt; pytest
judges its own. `--failed` are steps that failed without a test of their own. The last line is "N passed, N failed",
and ", N skipped" where there are any.
"""
import argparse
import os
import pathlib
import sys
import xml.etree.ElementTree as xml

CXX_STEPS = ("unit", "slow", "asan", "tsan")


def verdict(case):
    """passed, failed, skipped, or None where the test is disabled."""
    skipped = case.find("skipped")
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    if skipped is not None:
        # ctest calls a program that is not there skipped, too.
        return "failed" if "Unable to find" in (skipped.get("message") or "") else "skipped"
    return None if case.get("status") in ("notrun", "disabled") else "passed"


def name_of(case):
    """As GoogleTest says it where it is GoogleTest's, else as in a file of Python."""
    suite, name = case.get("classname", ""), case.get("name")
    return name if suite in ("", name) else f"{suite}.{name}"


def reason(case):
    text = case.find("skipped").get("message") or ""
    return "" if text.startswith("SKIP_REGULAR") or not text else text.splitlines()[-1]


def read(folder):
    """(step, verdict, test) of each test that was run."""
    for file in sorted(folder.rglob("*.xml")):
        step = file.relative_to(folder).parts[0].removesuffix(".xml")
        try:
            cases = xml.parse(file).iter("testcase")
        except xml.ParseError:  # a program that died in the midst of it
            yield step, "failed", xml.Element("testcase", name=str(file))
            continue
        for case in cases:
            if (said := verdict(case)) is not None:
                yield step, said, case


def expected(pinned, steps):
    """The pinned names of these steps, for this kind of caller."""
    other = "user: " if os.geteuid() == 0 else "root: "
    lines = (line.partition("#")[0].strip() for line in pinned.read_text().splitlines())
    names = {line.removeprefix("root: ").removeprefix("user: ") for line in lines
             if line and not line.startswith(other)}
    return {name for name in names if name.split("/")[0] in steps}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--pinned", type=pathlib.Path)
    parser.add_argument("--failed", type=int, default=0)
    options = parser.parse_args()
    tests = list(read(options.folder))
    counts = {kind: sum(said == kind for _, said, _ in tests) for kind in ("passed", "failed", "skipped")}
    counts["failed"] += options.failed
    for step, said, case in tests:
        if said == "failed":
            print(f"failed: {step}: {name_of(case)}")
        elif said == "skipped":
            print(f"could not run here: {step}: {name_of(case)} {reason(case)}".rstrip())
    surprises = []
    if options.pinned:
        steps = {step for step, _, _ in tests if step in CXX_STEPS}
        skipped = {f"{step}/{name_of(case)}" for step, said, case in tests if said == "skipped" and step in steps}
        pinned = expected(options.pinned, steps)
        surprises = ([f"skipped, but not pinned in {options.pinned}: {name}" for name in sorted(skipped - pinned)] +
                     [f"pinned in {options.pinned}, but it ran or is gone: {name}" for name in sorted(pinned - skipped)])
    for line in surprises:
        print(line)
    print(f"{counts['passed']} passed, {counts['failed'] + len(surprises)} failed" +
          (f", {counts['skipped']} skipped" if counts["skipped"] else ""))
    return 1 if counts["failed"] or surprises or not counts["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
