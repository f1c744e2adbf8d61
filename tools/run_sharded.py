#!/usr/bin/env python3
"""Runs a GoogleTest program in as many processes as asked for, each with its part of the tests.

Prints what each said, one after the other, and as the last line the totals of all.
Usage: run_sharded.py PROCESSES COMMAND...
"""
import os
import re
import subprocess
import sys


def total(pattern, texts):
    return sum(int(found[1]) for text in texts for found in re.finditer(pattern, text, re.M))


def main():
    processes, command = int(sys.argv[1]), sys.argv[2:]
    running = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                errors="replace",
                                env={**os.environ, "GTEST_TOTAL_SHARDS": str(processes),
                                     "GTEST_SHARD_INDEX": str(index)})
               for index in range(processes)]
    texts = [process.communicate()[0] for process in running]
    for text in texts:
        print(text)
    passed = total(r"^\[  PASSED  \] (\d+) tests?\.", texts)
    failed = total(r"^\[  FAILED  \] (\d+) tests?, listed below", texts)
    # One that died has said nothing of what it had still to run.
    died = [process.returncode for process, text in zip(running, texts)
            if process.returncode != 0 and "listed below" not in text]
    print("%d passed, %d failed" % (passed, failed + len(died)))
    return 1 if failed or died else 0


if __name__ == "__main__":
    sys.exit(main())
