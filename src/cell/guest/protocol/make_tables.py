#!/usr/bin/env python3
"""Writes what several languages know of the guest as constants, from the one table of each thing.

    frames.toml         frames.inc (C++), frames.py, frames.js
    guard_rules.toml    guard_rules.inc (C++), guard_rules.py

The C++ headers beside this file include the .inc files; the .py and .js files are parts of the guests
in bootstrap/ and lie beside them in a cell. CMake runs this when a table has changed.

Usage: make_tables.py FOLDER
"""
import pathlib
import re
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20}
SENDERS = ("supervisor", "guest", "session guest")
LARGEST_NUMBER = 0xff
MADE = "Made from %s by make_tables.py when Belljar is built."


class Mistake(Exception):
    """A table that makes no sense, in a sentence."""


def read(name):
    return tomllib.loads((HERE / name).read_text(encoding="utf-8"))


def bytes_of(limit):
    """A number, or a text such as "4 MiB", as a number."""
    if isinstance(limit, int):
        return limit
    number, _, unit = limit.partition(" ")
    if not number.isdecimal() or unit not in UNITS:
        raise Mistake("%r is no size" % limit)
    return int(number) * UNITS[unit]


def constant(name):
    """kMaxRunBytes of max_run_bytes or MAX_RUN_BYTES."""
    return "k" + "".join(word.capitalize() for word in re.split("[_ -]", name.lower()))


def check_frames(table):
    numbers = [frame["number"] for frame in table["frames"].values()]
    if len(set(numbers)) < len(numbers) or not all(0 < number <= LARGEST_NUMBER for number in numbers):
        raise Mistake("each frame has a number of its own, of one byte")
    for name, frame in table["frames"].items():
        if set(frame) != {"number", "from", "limit"}:
            raise Mistake("%s: a frame has number, from and limit" % name)
        if not frame["from"] or not set(frame["from"]) <= set(SENDERS):
            raise Mistake("%s: a frame comes from some of %s" % (name, ", ".join(SENDERS)))
        if frame["limit"] not in table["limits"]:
            raise Mistake("%s: there is no limit %s" % (name, frame["limit"]))


def frames_cpp(table):
    limits = ["constexpr std::size_t %s = %d;" % (constant(name), bytes_of(limit))
              for name, limit in table["limits"].items()]
    types = ["  %s = %#04x," % (constant(name), frame["number"]) for name, frame in table["frames"].items()]
    rules = ["    {FrameType::%s, %s, %s}," % (
        constant(name), " | ".join("BitOf(Sender::%s)" % constant(sender) for sender in frame["from"]),
        constant(frame["limit"])) for name, frame in table["frames"].items()]
    return "\n".join(
        ["// " + MADE % "frames.toml", "constexpr int kProtocolVersion = %d;" % table["version"], *limits,
         "", "enum class FrameType : std::uint8_t {", *types, "};",
         "", "constexpr FrameRule kFrameRules[] = {", *rules, "};", ""])


def frames_python(table):
    return "\n".join(
        ['"""The frames of the guest protocol. %s"""' % MADE % "frames.toml", "VERSION = %d" % table["version"],
         *("%s = %d" % (name.upper(), bytes_of(limit)) for name, limit in table["limits"].items()),
         *("%s = %#04x" % (name, frame["number"]) for name, frame in table["frames"].items()), ""])


def frames_javascript(table):
    return "\n".join(
        ["// The frames of the guest protocol. %s" % MADE % "frames.toml", "'use strict';", "",
         "module.exports = {", "  kProtocolVersion: %d," % table["version"],
         *("  %s: %d," % (constant(name), bytes_of(limit)) for name, limit in table["limits"].items()),
         "  Type: {", *("    %s: %#04x," % (name, frame["number"]) for name, frame in table["frames"].items()),
         "  },", "};", ""])


def check_guard_rules(table):
    for name, rule in table["rules"].items():
        if not re.fullmatch("py(-[a-z]+)+", name) or set(rule) != {"class", "held_by"}:
            raise Mistake("%s: a rule of Python has class and held_by" % name)
        if rule["held_by"] not in ("doors", "hook"):
            raise Mistake("%s: a rule is held by doors or by the hook" % name)


def kinds_of(table):
    """What the hook knows by number, in its order: names without "py-", and the rules."""
    return {name.removeprefix("py-"): name for name, rule in table["rules"].items() if rule["held_by"] == "hook"}


def guard_rules_cpp(table):
    return "\n".join(
        ["// " + MADE % "guard_rules.toml", "enum class GuardKind : unsigned {",
         *("  %s," % constant(name) for name in kinds_of(table)), "};",
         "", "constexpr GuardRule kGuardRules[] = {",
         *('    {"%s", "%s"},' % (name, rule["class"]) for name, rule in table["rules"].items()), "};", ""])


def guard_rules_python(table):
    kinds = kinds_of(table)
    return "\n".join(
        ['"""The rules that the guard holds. %s"""' % MADE % "guard_rules.toml",
         "# What the hook calls its kinds by number: the rule, and the class that it is a case of.",
         "KINDS = (", *('    ("%s", "%s"),' % (rule, table["rules"][rule]["class"]) for rule in kinds.values()), ")",
         *("%s = %d" % (name.replace("-", "_").upper(), number) for number, name in enumerate(kinds)), ""])


def tables():
    """The text of each file, by its name."""
    frames, rules = read("frames.toml"), read("guard_rules.toml")
    check_frames(frames)
    check_guard_rules(rules)
    return {"frames.inc": frames_cpp(frames), "frames.py": frames_python(frames),
            "frames.js": frames_javascript(frames), "guard_rules.inc": guard_rules_cpp(rules),
            "guard_rules.py": guard_rules_python(rules)}


def main():
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    try:
        made = tables()
    except Mistake as mistake:
        raise SystemExit("make_tables.py: %s" % mistake) from None
    for name, text in made.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
