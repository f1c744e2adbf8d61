#!/usr/bin/env python3
"""Runs clang-tidy over the product's own sources, a few at a time.

Most of its time goes into headers. So sources that the build joins into one unit are read as one,
and of these units four at a time: they are libraries, each with a namespace of its own. Generated
files, tests and fuzzers are left out: they are checked by being run. A warning of the compiler does
not stop clang-tidy: GCC's are errors in every build.
"""

import argparse
import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
AT_ONCE = 4


def clang_arguments(command):
    """The command without a compiler launcher."""
    words = shlex.split(command)
    while words and not pathlib.Path(words[0]).name.startswith("clang"):
        words = words[1:]
    return [word for word in words if word != "-Werror"]


def is_ours(entry, build):
    path = pathlib.Path(entry["file"])
    joined = path.is_relative_to(build / "src") and path.parent.name == "Unity"
    return " -o src/" in entry["command"] and (joined or path.is_relative_to(ROOT / "src"))


def join(units, file):
    """One unit that includes all of `units`, with everything that any of them is compiled with."""
    file.write_text("".join('#include "%s"\n' % unit["file"] for unit in units))
    first, more = units[0], []
    for unit in units[1:]:
        words = unit["arguments"]
        more += [word for word in words if word.startswith(("-I", "-D")) and word not in more]
        more += ["-I" + place for option, place in zip(words, words[1:]) if option == "-isystem"]
    words = [str(file) if word == first["file"] else word for word in first["arguments"]]
    return {"directory": first["directory"], "file": str(file),
            "arguments": words[:1] + more + words[1:]}


def write_database(build, out):
    """Compile commands for what is to be read, in `out`; returns the files in it."""
    out.mkdir(parents=True, exist_ok=True)
    entries = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if is_ours(entry, build):
            entries[entry["file"]] = {"directory": entry["directory"], "file": entry["file"],
                                      "arguments": clang_arguments(entry["command"])}
    libraries = [entry for entry in entries.values() if "-include-pch" in entry["arguments"]
                 and pathlib.Path(entry["file"]).parent.name == "Unity"]
    # Far apart in the list: the units of one library share a namespace.
    groups = -(-len(libraries) // AT_ONCE)
    for group in range(groups):
        units = libraries[group::groups]
        for unit in units:
            del entries[unit["file"]]
        joined = join(units, out / ("unit_%d.cc" % group))
        entries[joined["file"]] = joined
    (out / "compile_commands.json").write_text(json.dumps(list(entries.values()), indent=1))
    return sorted(entries)


def tidy(file, database):
    return subprocess.run(["clang-tidy-14", "--quiet", "-p", str(database), file],
                          capture_output=True, text=True, cwd=ROOT, check=False)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/lint")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()

    database = options.build.resolve().parent / "tidy"
    files = write_database(options.build.resolve(), database)
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
