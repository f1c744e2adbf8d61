#!/usr/bin/env python3
"""Checks that the folders of src/ use one another only as the layout allows.

A folder with a CMakeLists.txt is one library; a folder without one belongs to the nearest
folder above that has one. Three things must agree: the table below, the DEPS of bj_library(),
and the #include lines. The table is written out here on purpose: a new arrow between folders
is a decision, and this is where it is seen in review.

Prints one line per disagreement and exits with 1 if there is any.
"""

import argparse
import pathlib
import re
import sys

ALLOWED = {
    "base": [],
    "tree": ["base"],
    "http": ["base"],
    "client": ["base"],
    "storage": ["base"],
    "database": ["base", "storage"],
    "callers": ["base", "storage"],
    "audit": ["base", "storage"],
    "analysis": ["base"],
    "redact": ["base"],
    "schema": ["base"],
    "policy": ["base", "analysis", "schema"],
    "approval": ["base", "storage", "audit"],
    "skills": ["base", "schema", "policy", "storage", "audit"],
    "journal": ["base"],
    "curl": ["base"],
    "webhook": ["base", "curl"],
    "mcp": ["base", "curl"],
    "broker": ["base", "policy", "http", "mcp", "redact", "database"],
    "config": ["base", "policy", "journal"],
    "snapshot": ["base", "tree"],
    "vault": ["base", "tree", "policy"],
    "artefact": ["base", "tree", "policy"],
    "image": ["base", "tree"],
    "guest": ["base"],
    "isolate": ["base", "policy", "client", "tree", "guest", "image"],
    "monitor": ["base", "policy"],
    "result": ["base", "tree", "policy", "guest", "redact", "schema"],
    "keep": ["base", "policy", "storage", "tree", "result"],
    "session": ["base", "policy", "isolate", "monitor", "guest", "image"],
    "engine": ["base", "analysis", "approval", "artefact", "redact", "policy", "tree", "snapshot", "vault", "audit", "image", "guest", "isolate",
               "keep", "monitor", "result", "session", "skills", "storage", "broker"],
    "server": ["base", "policy", "analysis", "approval", "artefact", "tree", "storage", "audit", "callers", "http", "image", "result",
               "skills", "snapshot", "engine", "journal", "config", "webhook"],
}
EVERYTHING = {"cmd"}  # main() wires, so it sees all

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
    def row(self):
        """The row of the table that governs it: that of its top folder."""
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
        if len(found) == 1:
            libraries[folder] = Library(folder, found[0][0], declared_deps(found[0][1]))
        elif folder in EVERYTHING:
            libraries[folder] = Library(folder, folder, [])
        else:
            problems.append(f"src/{folder}/CMakeLists.txt: one bj_library expected, "
                            f"{len(found)} found")
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
    if library.row in EVERYTHING or library.row == other.row:
        return True
    return other.row in ALLOWED.get(library.row, [])


def check_deps(libraries):
    """DEPS against the table. A DEPS word that names no folder of ours is an outside library."""
    by_name = {library.name: library for library in libraries.values()}
    for library in libraries.values():
        where = f"src/{library.folder}/CMakeLists.txt"
        if library.row not in ALLOWED and library.row not in EVERYTHING:
            yield f"{where}: folder {library.row} is not in the table of tools/check_layers.py"
            continue
        for dep in library.deps:
            other = by_name.get(dep)
            if other and not may_use(library, other):
                yield f"{where}: {library.name} may not depend on {dep}"


def check_includes(src, libraries):
    known = set(ALLOWED) | EVERYTHING | {library.row for library in libraries.values()}
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
            if target.split("/")[0] not in known or "/" not in target:
                continue
            other = owner(target, libraries)
            name = other.name if other else target.split("/")[0]
            if other is library or library.row in EVERYTHING or name in library.deps:
                continue
            yield f"src/{path}: includes \"{target}\", but {name} is not in DEPS of {library.name}"


def check_cycles(libraries):
    by_name = {library.name: library for library in libraries.values()}
    done = set()

    def walk(name, trail):
        if name in trail:
            yield "cycle: " + " -> ".join(trail[trail.index(name):] + [name])
        elif name in by_name and name not in done:
            for dep in by_name[name].deps:
                yield from walk(dep, trail + [name])
            done.add(name)

    for name in by_name:
        yield from walk(name, [])


def check(src):
    """All disagreements below src/, as sentences."""
    libraries, problems = read_libraries(src)
    problems += check_deps(libraries)
    problems += check_includes(src, libraries)
    problems += check_cycles(libraries)
    if not libraries:
        problems.append(f"{src}: no library found")
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
    print(f"layers agree: {len(libraries)} libraries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
