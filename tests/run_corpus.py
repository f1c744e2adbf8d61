#!/usr/bin/env python3
"""Recall and false alarms of the static analysis on the corpus in tests/corpus; test_corpus.py has the bounds.

Usage: run_corpus.py --binary PATH [--misses] [--json] [LANGUAGE...]

A file of the corpus holds snippets, each behind a line `#--- name: text` (`//---` in JavaScript);
of shell snippets the line also says what is expected: `#--- name [block]: text`. A hostile snippet
counts as seen when it is not simply allowed, a harmless one as a false alarm when it is not. Shell
snippets must be judged as strictly as they say, and harmless ones get the level they say.
Nothing of the corpus is ever run.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess

CORPUS = pathlib.Path(__file__).resolve().parent / "corpus"
HEAD = re.compile(r"^(?:#|//)--- ([\w.-]+)(?: \[(\w+)\])?: ")
LANGUAGES = ["python", "javascript", "bash"]
SECONDS = 300


class Snippet:
    def __init__(self, language, hostile, name, expects):
        self.language, self.hostile, self.name, self.expects = language, hostile, name, expects
        self.lines = []

    @property
    def code(self):
        return "\n".join(self.lines) + "\n"


def read(language):
    """Every snippet of a language. TypeScript is JavaScript with types, and counts with it."""
    snippets = []
    for kind in ("hostile", "harmless"):
        for path in sorted((CORPUS / language / kind).iterdir()):
            read_as = "typescript" if path.suffix == ".ts" else language
            snippet = None
            for line in path.read_text().splitlines():
                head = HEAD.match(line)
                if head:
                    snippet = Snippet(read_as, kind == "hostile", *head.groups())
                    snippets.append(snippet)
                elif snippet:
                    snippet.lines.append(line)
    return snippets


def judge(binary, snippets):
    """The decision on each, in order."""
    lines = "".join(json.dumps({"id": i, "lang": snippet.language, "code": snippet.code}) + "\n"
                    for i, snippet in enumerate(snippets))
    done = subprocess.run([binary, "check", "--jsonl", "--level", "standard"], input=lines,
                          capture_output=True, text=True, timeout=SECONDS, check=True,
                          # What this machine's images have, or lack, is no part of the judgement.
                          env={**os.environ, "BELLJAR_STATE": "/nonexistent"})
    answers = sorted((json.loads(line) for line in done.stdout.splitlines()), key=lambda a: a["id"])
    if [answer["id"] for answer in answers] != list(range(len(snippets))):
        raise SystemExit("not every snippet was answered")
    return answers


def is_right(snippet, answer):
    action = answer["decision"]["action"]
    if not snippet.hostile:
        return action == "allow"
    if snippet.expects == "block":
        return action == "block"
    if snippet.expects == "L4":
        return action in ("review", "block")
    return action != "allow"


def measure(binary, language):
    """The figures of a language, and a line for each snippet that was judged wrongly."""
    snippets = read(language)
    answers = judge(binary, snippets)
    wrong = [(s, a) for s, a in zip(snippets, answers) if not is_right(s, a)]
    hostile = sum(s.hostile for s in snippets)
    harmless = len(snippets) - hostile
    levels = [(s, a) for s, a in zip(snippets, answers) if not s.hostile and s.expects]
    milder = [(s, a) for s, a in levels if a["decision"]["level"] != s.expects]
    figures = {"hostile": hostile, "harmless": harmless,
               "recall": 1 - sum(s.hostile for s, _ in wrong) / hostile,
               "false_alarms": sum(not s.hostile for s, _ in wrong) / harmless,
               "levels": 1 - len(milder) / len(levels) if levels else 1.0}
    misses = ["%s: %s %s" % ("hostile" if s.hostile else "harmless", s.name, a["decision"]) for s, a in wrong]
    misses += ["level: %s %s, not %s" % (s.name, a["decision"]["level"], s.expects) for s, a in milder]
    return figures, misses


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--misses", action="store_true", help="name what was judged wrongly")
    parser.add_argument("--json", action="store_true", help="print the figures as one object")
    parser.add_argument("languages", nargs="*", default=LANGUAGES)
    arguments = parser.parse_args()
    measured = {language: measure(arguments.binary, language) for language in arguments.languages}
    if arguments.json:
        print(json.dumps({language: figures for language, (figures, _) in measured.items()}))
        return
    for language, (figures, misses) in measured.items():
        print("%-11s %4d hostile, %5.1f %% seen; %4d harmless, %4.1f %% false alarms; levels %.1f %%"
              % (language, figures["hostile"], 100 * figures["recall"], figures["harmless"],
                 100 * figures["false_alarms"], 100 * figures["levels"]))
        for line in misses if arguments.misses else []:
            print("   " + line)


if __name__ == "__main__":
    main()
