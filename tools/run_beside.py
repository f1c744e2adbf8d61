#!/usr/bin/env python3
"""Runs test programs beside each other and adds up what they say.

Most of them wait more than they compute, for programs that sleep and daemons that start. Each prints
into a log of its own; what failed is shown whole enough to be understood, what was skipped is passed
on, and the last line is "N passed, M failed" for all. A program that prints no totals has failed.

Tests with short clocks can fail for no other reason than their neighbours. So a program that failed
is run once more when all the others have ended, and by itself: what fails then has failed. What passes
then is not forgotten: its first failure is shown all the same, and a line "UNSTEADY NAME: ..." names it.

Usage: run_beside.py --jobs N --logs DIRECTORY -- NAME COMMAND... [-- NAME COMMAND...]...
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import time

TOTALS = re.compile(r"^(\d+) passed, (\d+) failed$", re.MULTILINE)
SKIP = re.compile(r"^(?:SKIP [^:\n]+: .*|\[  SKIPPED \] [^ ]+\.[^ ]+.*)$", re.MULTILINE)
SHOWN = 60  # lines of what failed


class Outcome:
    def __init__(self, name, status, text, seconds):
        self.name, self.text, self.seconds = name, text, seconds
        totals = TOTALS.findall(text)
        self.passed, self.failed = (int(count) for count in totals[-1]) if totals else (0, 0)
        self.good = status == 0 and self.passed > 0 and self.failed == 0
        if not self.good and self.failed == 0:
            self.failed = 1

    def tell(self):
        print(f"{self.name}: {'ok' if self.good else 'FAILED'}, {self.passed} passed, "
              f"{self.failed} failed: {self.seconds:.1f} s", flush=True)
        for line in SKIP.findall(self.text):
            print(line)
        if not self.good:
            print("\n".join("    " + line for line in self.text.splitlines()[-SHOWN:]), flush=True)


def programs(arguments):
    """[(name, command)] of what stands between the dashes."""
    found = []
    for argument in arguments:
        if argument == "--":
            found.append([])
        else:
            found[-1].append(argument)
    return [(words[0], words[1:]) for words in found]


def run(logs, name, command, attempt="beside others"):
    start = time.monotonic()
    log = logs / f"{name} {attempt}.log".replace(" ", "_")
    with log.open("wb") as output:
        status = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output,
                                stderr=subprocess.STDOUT, check=False).returncode
    return Outcome(name, status, log.read_text(errors="replace"), time.monotonic() - start)


def judged(options, found):
    """The outcome of each program: of the second attempt where there was one."""
    commands, again = dict(found), []
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        started = [pool.submit(run, options.logs, *program) for program in found]
        for done in concurrent.futures.as_completed(started):
            outcome = done.result()
            outcome.tell()
            if outcome.good:
                yield outcome
            else:
                again.append(outcome.name)
    for name in again:
        outcome = run(options.logs, name, commands[name], "by itself")
        outcome.tell()
        if outcome.good:
            print(f"UNSTEADY {name}: it failed beside others and passed by itself")
        yield outcome


def main(arguments):
    at = arguments.index("--") if "--" in arguments else len(arguments)
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, required=True)
    parser.add_argument("--logs", type=pathlib.Path, required=True)
    options = parser.parse_args(arguments[:at])
    options.logs.mkdir(parents=True, exist_ok=True)
    passed = failed = 0
    for outcome in judged(options, programs(arguments[at:])):
        passed, failed = passed + outcome.passed, failed + outcome.failed
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
