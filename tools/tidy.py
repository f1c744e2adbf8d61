#!/usr/bin/env python3
"""Runs clang-tidy over the product's own sources, a few at a time.

Sources that the build joins into one unit are read as one, which takes a quarter of the time.
Generated files, tests and fuzzers are left out: they are checked by being run. A warning of the
compiler does not stop clang-tidy: GCC's are errors in every build.
"""

import argparse
import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def clang_arguments(command):
    """The command without a compiler launcher."""
    words = shlex.split(command)
    while words and not pathlib.Path(words[0]).name.startswith("clang"):
        words = words[1:]
    return [word for word in words if word != "-Werror"]


def is_ours(file, build):
    path = pathlib.Path(file)
    if path.is_relative_to(build):
        return path.is_relative_to(build / "src") and path.parent.name == "Unity"
    return (path.is_relative_to(ROOT / "src")
            and path.suffix == ".cc" and not path.stem.endswith(("_test", "_fuzzer")))


def write_database(build, out):
    """The filtered compile commands in `out`; returns the files in it."""
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if is_ours(entry["file"], build):
            entries[entry["file"]] = {"directory": entry["directory"], "file": entry["file"],
                                      "arguments": clang_arguments(entry["command"])}
    out.mkdir(parents=True, exist_ok=True)
    (out / "compile_commands.json").write_text(json.dumps(list(entries.values()), indent=1))
    return sorted(entries)


def tidy(file, database):
    return subprocess.run(["clang-tidy-14", "--quiet", "-p", str(database), file],
                          capture_output=True, text=True, cwd=ROOT, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/lint")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("files", nargs="*", help="only sources whose path contains one of these")
    options = parser.parse_args()

    database = options.build.resolve().parent / "tidy"
    files = [file for file in write_database(options.build.resolve(), database)
             if not options.files or any(part in file for part in options.files)]
    if not files:
        print("no source to check")
        return 1
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = pool.map(lambda file: (file, tidy(file, database)), files)
        for number, (file, result) in enumerate(results, 1):
            print(f"[{number}/{len(files)}] {file}", flush=True)
            if result.returncode != 0:
                bad += 1
                print(result.stdout + result.stderr, flush=True)
    print(f"{len(files) - bad} clean, {bad} with findings")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
