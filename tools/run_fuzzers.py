#!/usr/bin/env python3
"""Runs every fuzzer of a folder for a stated time, a few at a time.

Seeds come from tests/fuzz/corpus/NAME, where there are any; what a fuzzer learns is kept in
build/asan/corpus/NAME and used by the next run. A long run of the analysis begins with the
programs of tests/corpus too. An input that breaks a fuzzer is kept in
build/asan/crashes/ and named. The last line is "N passed, N failed".
"""

import argparse
import concurrent.futures
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LONG = 30  # seconds; reading the corpus takes most of a shorter run


def fixed_addresses():
    """A prefix that switches address randomisation off where that is permitted: some kernels
    randomise more than the sanitizers' shadow memory allows for."""
    prefix = ["setarch", "-R"]
    if shutil.which("setarch") is None:
        return []
    probe = subprocess.run(prefix + ["true"], capture_output=True, check=False)
    return prefix if probe.returncode == 0 else []


def plant(corpus):
    """The programs of tests/corpus as inputs of what reads programs: a byte for the language, the
    text."""
    for byte, language in ((0, "python"), (1, "javascript"), (3, "bash")):
        for program in sorted((ROOT / "tests/corpus" / language).rglob("*.*")):
            text = program.read_bytes()[:4000]
            (corpus / f"{language}-{program.name}").write_bytes(bytes([byte]) + text)


def fuzz(program, seconds, prefix):
    name = program.name.removesuffix("_fuzzer")
    work = program.parent.parent
    corpus, crashes = work / "corpus" / name, work / "crashes"
    corpus.mkdir(parents=True, exist_ok=True)
    crashes.mkdir(parents=True, exist_ok=True)
    if name == "analysis" and seconds >= LONG:
        plant(corpus)
    seeds = ROOT / "tests/fuzz/corpus" / name
    command = [*prefix, str(program), f"-max_total_time={seconds}", "-timeout=10",
               "-rss_limit_mb=2048", "-print_final_stats=1", "-verbosity=1",
               f"-artifact_prefix={crashes}/{name}-", str(corpus)]
    if seeds.is_dir():
        command.append(str(seeds))
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              timeout=seconds + 120, check=False)
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, 124, late.stdout or b"")


def executions(output):
    """How many inputs libFuzzer says it ran; 0 if it did not say."""
    for line in output.splitlines():
        if line.startswith("stat::number_of_executed_units:"):
            return int(line.split()[-1])
    return 0


def report(program, result):
    """Prints how one fuzzer did; true if it ran inputs and survived them all."""
    output = result.stdout.decode(errors="replace")
    count = executions(output)
    if result.returncode == 0 and count > 0:
        print(f"ok   {program.name}: {count} inputs", flush=True)
        return True
    print("\n".join(output.splitlines()[-60:]))
    print(f"FAIL {program.name}: exit status {result.returncode} after {count} inputs", flush=True)
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", type=pathlib.Path, default=ROOT / "build/asan/bin")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--long", nargs="*", default=[], metavar="NAME",
                        help="these run for %d seconds at the least" % LONG)
    options = parser.parse_args()

    def seconds(program):
        is_long = program.name.removesuffix("_fuzzer") in options.long
        return max(options.seconds, LONG) if is_long else options.seconds

    # Those that take longest first, so that no job waits for one of them at the end.
    programs = sorted(options.bin.resolve().glob("*_fuzzer"),
                      key=lambda program: (-seconds(program), program.name))
    absent = set(options.long) - {program.name.removesuffix("_fuzzer") for program in programs}
    if absent:
        print("there is no fuzzer %s" % ", ".join(sorted(absent)))
        return 1
    prefix = fixed_addresses()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda program: fuzz(program, seconds(program), prefix), programs)
        good = [report(program, result) for program, result in zip(programs, results)]
    print(f"{good.count(True)} passed, {good.count(False)} failed")
    return 0 if good and all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
