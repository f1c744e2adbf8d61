#!/usr/bin/env python3
"""Checks that the rooms of src/, and the libraries in them, use one another only as house rules allow.

The nine folders of src/ are rooms. A folder with a CMakeLists.txt that has a bj_library() is one
library and one namespace; a folder without one belongs to the nearest folder above that has one.
Four things must agree: the table of rooms, the table of libraries of one room, the DEPS of
bj_library(), and the #include lines. The tables are written out here on purpose: a new arrow is a
decision, and this is where it is seen in review.

Prints one line per disagreement and exits with 1 if there is any.
"""

import argparse
import pathlib
import re
import sys

# Each room and the rooms it may use: the way of a request, from what knows nothing of it on.
ROOMS = {
    "foundation": [],
    "request": ["foundation"],
    "record": ["foundation", "request"],
    "judgement": ["foundation", "request", "record"],
    "cell": ["foundation", "request"],  # no analyser is linked into what holds untrusted code
    "resource": ["foundation", "request", "record", "judgement"],
    "run": ["foundation", "request", "record", "judgement", "cell", "resource"],
    "service": ["foundation", "request", "record", "judgement", "cell", "resource", "run"],
    "door": ["foundation", "request", "record", "judgement", "cell", "resource", "run", "service"],
}

# Which libraries of its own room a library may use. One that is not named may use none.
WITHIN = {
    "foundation/storage": ["foundation/base"],
    "foundation/schema": ["foundation/base"],
    "foundation/log": ["foundation/base"],
    "foundation/http/server": ["foundation/base"],
    "foundation/http/client": ["foundation/base"],
    "foundation/tree": ["foundation/base"],
    "judgement/policy": ["judgement/analysis"],
    "cell": ["cell/guest/protocol", "cell/image"],
    "cell/native": ["cell", "cell/guest/protocol", "cell/image"],
    "cell/oci": ["cell", "cell/guest/protocol", "cell/image", "cell/native"],
    "cell/docker": ["cell", "cell/guest/protocol", "cell/image", "cell/native", "cell/oci"],
    "cell/pool": ["cell", "cell/guest/protocol", "cell/limits"],
    "resource/database": ["resource", "resource/mcp"],
    "resource/egress": ["resource"],
    "resource/tools": ["resource", "resource/database", "resource/mcp"],
    "run": ["run/snapshot"],
    "service": ["service/callers", "service/config", "service/webhook"],
    "door/cli": ["door/api"],  # main() wires
}

# Folders of programs that share an address space with user code. They may use the listed folders,
# and link nothing of the supervisor's.
GUESTS = {"cell/guest": ["foundation/base", "cell", "cell/guest/protocol", "cell/native"]}

KEYWORDS = ("SOURCES", "DEPS", "TESTS", "SLOW_TESTS")
LIBRARY = re.compile(r"\bbj_library\s*\(\s*(\S+)([^)]*)\)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">]', re.MULTILINE)


class Library:
    """One CMake library: the folder it stands for (relative to src/), its name and its DEPS."""

    def __init__(self, folder, name, deps):
        self.folder = folder
        self.name = name
        self.deps = deps

    @property
    def room(self):
        return self.folder.split("/")[0]


def declared_deps(arguments):
    """The words after DEPS, up to the next keyword."""
    deps, section = [], None
    for word in arguments.split():
        if word in KEYWORDS:
            section = word
        elif section == "DEPS":
            deps.append(word)
    return deps


def read_libraries(src):
    """Every library below src/, keyed by folder, and the problems met on the way."""
    libraries, problems = {}, []
    for file in sorted(src.glob("*/**/CMakeLists.txt")):
        folder = file.parent.relative_to(src).as_posix()
        text = re.sub(r"#.*", "", file.read_text())
        found = LIBRARY.findall(text)
        if len(found) > 1:
            problems.append(f"src/{folder}/CMakeLists.txt: at most one bj_library expected, "
                            f"{len(found)} found")
        elif found:
            libraries[folder] = Library(folder, found[0][0], declared_deps(found[0][1]))
        elif folder in GUESTS:
            libraries[folder] = Library(folder, folder.replace("/", "_"), None)
    return libraries, problems


def owner(path, libraries):
    """The library that a path below src/ belongs to: the longest folder that has one."""
    parts = path.split("/")[:-1]
    for length in range(len(parts), 0, -1):
        folder = "/".join(parts[:length])
        if folder in libraries:
            return libraries[folder]
    return None


def may_use(library, other):
    if library.folder in GUESTS:
        return other.folder in GUESTS[library.folder]
    if library.room == other.room:
        return library is other or other.folder in WITHIN.get(library.folder, [])
    return other.room in ROOMS.get(library.room, [])


def check_deps(libraries):
    """DEPS against the tables. A DEPS word that names no library of ours is an outside one."""
    by_name = {library.name: library for library in libraries.values()}
    for library in libraries.values():
        where = f"src/{library.folder}/CMakeLists.txt"
        if library.room not in ROOMS:
            yield f"{where}: {library.room} is no room in the table of tools/check_layers.py"
            continue
        for dep in library.deps or []:
            other = by_name.get(dep)
            if other and not may_use(library, other):
                yield f"{where}: {library.name} may not depend on {dep}"


def may_include(library, other):
    if library is other:
        return True
    if library.deps is None:
        return may_use(library, other)
    # The supervisor's side and the guest's agree on some layouts by a header.
    if other.folder in GUESTS:
        return library.room == "cell"
    return other.name in library.deps


def check_includes(src, libraries):
    for file in sorted(path for path in src.rglob("*") if path.suffix in (".h", ".cc", ".c")):
        path = file.relative_to(src).as_posix()
        library = owner(path, libraries)
        if library is None:
            yield f"src/{path}: no CMakeLists.txt with a bj_library in its folder or above"
            continue
        for target in INCLUDE.findall(file.read_text(errors="replace")):
            if ".." in target.split("/"):
                yield f"src/{path}: \"{target}\": write includes from src/ on"
                continue
            if target.split("/")[0] not in ROOMS or "/" not in target:
                continue
            other = owner(target, libraries)
            if other is None or not may_include(library, other):
                name = other.name if other else target.split("/")[0]
                yield (f"src/{path}: includes \"{target}\", but {name} is not in DEPS of "
                       f"{library.name}")


def check_cycles(libraries):
    by_name = {library.name: library for library in libraries.values()}
    done = set()

    def walk(name, trail):
        if name in trail:
            yield "cycle: " + " -> ".join(trail[trail.index(name):] + [name])
        elif name in by_name and name not in done:
            for dep in by_name[name].deps or []:
                yield from walk(dep, trail + [name])
            done.add(name)

    for name in by_name:
        yield from walk(name, [])


def check(src):
    """All disagreements below src/, as sentences."""
    libraries, problems = read_libraries(src)
    if not libraries:
        problems.append(f"{src}: no folder with a bj_library")
    problems += check_deps(libraries)
    problems += check_includes(src, libraries)
    problems += check_cycles(libraries)
    return problems, libraries


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = pathlib.Path(__file__).resolve().parent.parent / "src"
    parser.add_argument("src", nargs="?", type=pathlib.Path, default=default)
    problems, libraries = check(parser.parse_args().src)
    for problem in problems:
        print(problem)
    if problems:
        return 1
    print(f"layers agree: {len(libraries)} libraries in {len(ROOMS)} rooms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
