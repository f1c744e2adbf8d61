#!/usr/bin/env python3
"""Runs the attacks of tests/escape against a belljar binary, as root and as an ordinary user.

One file there is one row of the attack matrix, with these names:

  ROW, SAYS            number and claim
  LANG                 of the guest program ("python")
  ATTACK               its text. prelude.py is put before it when it is Python, and the constant
                       CANARY: the path of a host file that no cell may ever read. Its last line
                       on stdout is one JSON object: what the attacker saw
  REQUEST              more keys of the request ({})
  NATIVE_ONLY          true: it looks for the guest's processes on the host
  HELDBY               sets of controls: with self_check and all of one set switched off, check()
                       fails; with one of the set left on, it still passes
  check(seen, result, host)
                       asserts about that object (None when none was printed), the whole result,
                       and the host: .identity, .canary, .canary_text, .rootfs, .digest(path) and
                       the snapshots .before and .after (fields of Snapshot in service/host.py)
  control()            the essential step outside a cell, called in a process of its own: it must
                       do something there, or the attack proves nothing. May raise prelude.Skip
  run(bench)           instead of one run of ATTACK: bench.run(request), bench.cli(args),
                       bench.start_jsonl(). What it returns, (seen, result), goes to check()

All attacks of an identity go through one `belljar run --jsonl`. The host is looked at before it
starts and after it has ended; only then are the checks made. Controls run first, and not at all
when a control is switched off. The last line is "N passed, M failed".

With --backend another one builds the walls. What an attacker sees behind them is another kernel's
matter; so the rows are judged by what the host sees: the canary's text must be in nothing that came
out, whatever the run did, and the host must be as it was.
"""

import argparse
import concurrent.futures
import ctypes
import dataclasses
import importlib
import itertools
import json
import os
import pathlib
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

from service.docker import cannot_run, daemon_for
from service.host import Host

ATTACKS = pathlib.Path(__file__).resolve().parent / "escape"
SECONDS = 60
SUBREAPER = 36
sys.path.insert(0, str(ATTACKS))


class Lines:
    """A running `belljar run --jsonl`. Answers find their request by id, from any thread."""

    def __init__(self, host, *arguments):
        self.process = host.start(["run", "--jsonl", *host.flags, *arguments], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.ids = itertools.count(1)
        self.lock = threading.Lock()
        self.answers = {}
        self.unclaimed = queue.Queue()  # answers to lines sent by send(), without a known id
        self.errors = []
        self.threads = [threading.Thread(target=target, daemon=True)
                        for target in (self._read, self._read_errors)]
        for thread in self.threads:
            thread.start()

    def _read(self):
        for line in self.process.stdout:
            answer = json.loads(line)
            with self.lock:
                waiting = self.answers.pop(answer.get("id"), self.unclaimed)
            waiting.put(answer)
        with self.lock:
            for waiting in self.answers.values():
                waiting.put(None)

    def _read_errors(self):
        self.errors.extend(self.process.stderr)

    def send(self, line):
        with self.lock:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()

    def run(self, request, seconds=SECONDS):
        name = request.get("id", f"r{next(self.ids)}")
        mine = queue.Queue()
        with self.lock:
            self.answers[name] = mine
        self.send(json.dumps({**request, "id": name}))
        try:
            answer = mine.get(timeout=seconds)
        except queue.Empty:
            raise AssertionError(f"no answer within {seconds} s") from None
        assert answer is not None, "belljar ended: " + "".join(self.errors)
        return answer

    def close(self):
        """Ends it by the end of its input; returns its exit status."""
        self.process.stdin.close()
        try:
            return self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


class Bench:
    """What an attack with a run() of its own works with."""

    def __init__(self, host, lines, prelude):
        self.host, self.identity = host, host.identity
        self._lines, self._prelude = lines, prelude

    def program(self, attack, lang="python"):
        """An ATTACK text with the prelude before it."""
        return self._prelude + attack if lang == "python" else attack

    def run(self, request, seconds=SECONDS):
        return self._lines.run(request, seconds)

    def cli(self, arguments, **options):
        process = self.host.start(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  stdin=options.pop("stdin", subprocess.DEVNULL), text=True,
                                  **options)
        out, err = process.communicate(timeout=SECONDS)
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)

    def start_jsonl(self, *arguments):
        return Lines(self.host, *arguments)

    @staticmethod
    def seen(result):
        """The JSON object on the last line of a result's stdout, or None."""
        lines = (result.get("stdout") or "").strip().splitlines()
        try:
            value = json.loads(lines[-1])
        except (IndexError, ValueError):
            return None
        return value if isinstance(value, dict) else None


def timed(action, *arguments):
    start = time.monotonic()
    value = action(*arguments)
    return value, round(time.monotonic() - start, 3)


class DidNotRun(AssertionError):
    """A fault instead of a run: it proves nothing about walls."""


def attack(bench, module):
    """(seen, result), or the exception that came instead."""
    try:
        if hasattr(module, "run"):
            value = module.run(bench)
            return value if isinstance(value, tuple) else (value, None)
        lang = getattr(module, "LANG", "python")
        result = bench.run({"lang": lang, "code": bench.program(module.ATTACK, lang),
                            **getattr(module, "REQUEST", {})})
        if "outcome" not in result:
            raise DidNotRun(f"it did not run: {result['error']['message']}")
        return bench.seen(result), result
    except Exception as error:  # pylint: disable=broad-except
        return error


def explain(error, result=None):
    """One line: the assertion that failed, where, and what belljar said of the run."""
    frames = [frame for frame in traceback.extract_tb(error.__traceback__)
              if not frame.filename.endswith("prelude.py")]
    place = f"{frames[-1].name}:{frames[-1].lineno}: {frames[-1].line}" if frames else ""
    told = ""
    if isinstance(result, dict):
        told = " | " + json.dumps({key: result[key] for key in
                                   ("outcome", "signal", "reason", "error", "stderr")
                                   if result.get(key)})[-600:]
    return f"{type(error).__name__}: {error} [{place}]{told}"


def is_skip(error):
    return type(error).__name__ == "Skip"


def leaked(tried, host):
    """What is wrong when the canary's text has come out of a cell, or nothing has run in one."""
    result = tried[1] if isinstance(tried, tuple) else None
    if isinstance(result, dict) and "cannot be held" in (result.get("reason") or ""):
        return AssertionError("it did not run: " + result["reason"])
    if isinstance(tried, DidNotRun):
        return tried
    text = host.canary_text.split()[1]
    if text not in json.dumps(tried if isinstance(tried, tuple) else str(tried), default=str):
        return None
    return AssertionError("the canary was read")


def judge(module, tried, host):
    """(None, None) when the attack was held, else the exception that says why not, and the run."""
    if host.backend != "native":
        return leaked(tried, host), None
    if isinstance(tried, Exception):
        return tried, None
    try:
        if hasattr(module, "check"):
            module.check(*tried, host)
    except Exception as error:  # pylint: disable=broad-except
        return error, tried[1]
    return None, None


def run_control(module):
    """Calls control() in a child of its own; returns what to report, or None."""
    reader, writer = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(reader)
        signal.alarm(SECONDS)
        words = ""
        try:
            module.control()
        except BaseException as error:  # pylint: disable=broad-except
            words = ("SKIP " if is_skip(error) else "FAIL ") + (
                str(error) if is_skip(error) else explain(error))
        os.write(writer, words.encode()[:60000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        words = pipe.read().decode()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    return words or (f"FAIL ended with status {status}" if status else None)


class Report:
    def __init__(self, quiet):
        self.quiet, self.tests = quiet, []

    def add(self, name, status, message="", seconds=None):
        self.tests.append({"name": name, "status": status, "message": message,
                           "seconds": seconds})
        if status != "passed" and not self.quiet:
            word = "SKIP" if status == "skipped" else "FAIL"
            print(f"{word} escape/{name}: {message}", flush=True)

    def count(self, status):
        return sum(test["status"] == status for test in self.tests)

    def finish(self):
        passed, failed = self.count("passed"), self.count("failed")
        if self.quiet:
            print(json.dumps({"passed": passed, "failed": failed,
                              "skipped": self.count("skipped"), "tests": self.tests}))
        else:
            print(f"{passed} passed, {failed} failed")
        return 1 if failed or not passed else 0


def check_host(host, report):
    """The host after everything must be the host before it."""
    before, after = dataclasses.asdict(host.before), dataclasses.asdict(host.after)
    changed = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
    name = f"host_unchanged[{host.identity}]"
    report.add(name, "failed" if changed else "passed", f"changed: {changed}"[:2000])


def has_image(host, report):
    if host.rootfs.exists():
        return True
    build = subprocess.run(host.command(["image", "build", "default"]), cwd="/",
                           capture_output=True, text=True, timeout=SECONDS, check=False)
    if build.returncode != 0:
        report.add(f"image[{host.identity}]", "failed", build.stderr)
    return build.returncode == 0


def run_identity(host, modules, report):
    if not has_image(host, report):
        return
    prelude = (ATTACKS / "prelude.py").read_text() + f"\nCANARY = {str(host.canary)!r}\n"
    host.before = host.snapshot()
    lines = Lines(host)
    bench = Bench(host, lines, prelude)
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        tried = list(pool.map(lambda module: timed(attack, bench, module), modules))
    status = lines.close()
    if status != 0:
        report.add(f"jsonl[{host.identity}]", "failed",
                   f"exit status {status}: {''.join(lines.errors)}")
    host.after = host.snapshot()
    for module, (outcome, seconds) in zip(modules, tried):
        error, result = judge(module, outcome, host)
        name = f"{module.__name__}[{host.identity}]"
        if error is None:
            report.add(name, "passed", seconds=seconds)
        elif is_skip(error):
            report.add(name, "skipped", str(error))
        else:
            report.add(name, "failed", explain(error, result), seconds)
    check_host(host, report)


def run_controls(modules, report):
    for module in modules:
        if hasattr(module, "control"):
            words, seconds = timed(run_control, module)
            name = f"{module.__name__}[control]"
            if words is None:
                report.add(name, "passed", seconds=seconds)
            else:
                report.add(name, "skipped" if words[:4] == "SKIP" else "failed", words[5:],
                           seconds)


def scratch_place():
    """Memory where there is enough of it: an image has thousands of files."""
    try:
        room = os.statvfs("/dev/shm")
    except OSError:
        return None
    return "/dev/shm" if room.f_bavail * room.f_frsize > 2 << 30 else None


def load(text):
    names = sorted(path.stem for path in ATTACKS.glob("row*.py"))
    return [importlib.import_module(name) for name in names if text in name]


def meant_for(backend, modules):
    """Without the rows that look for a guest where only native cells have one."""
    if backend == "native":
        return modules
    return [module for module in modules if not getattr(module, "NATIVE_ONLY", False)]


def identities_for(options):
    if options.backend == "docker":  # refuses everybody but root: run_docker.py
        return ("root",)
    return ("root", "user") if options.identity == "both" else (options.identity,)


def run_all(options, modules, scratch, report):
    binary = shutil.copy(options.binary, scratch / "belljar")  # its folder may be closed to others
    if not options.switch_off and options.backend == "native":
        run_controls(modules, report)
    with daemon_for(options.backend) as docker:
        for identity in identities_for(options):
            if identity == "root" and os.getuid() != 0:
                report.add("as[root]", "skipped", "this is not root")
                continue
            host = Host(identity, binary, scratch, options.switch_off, options.images,
                        options.backend, docker)
            run_identity(host, modules, report)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--filter", default="", help="only files whose name contains this")
    parser.add_argument("--as", dest="identity", choices=("root", "user", "both"), default="both")
    parser.add_argument("--switch-off", default="", help="controls to leave out (belljar-loose)")
    parser.add_argument("--images", help="a directory whose images are used, and made if missing")
    parser.add_argument("--backend", default="native", choices=("native", "gvisor", "docker"))
    parser.add_argument("--json", action="store_true", help="one JSON object instead of lines")
    options = parser.parse_args()
    if cannot_run(options.backend):
        return 0
    report = Report(options.json)
    modules = meant_for(options.backend, load(options.filter))
    # What a supervisor leaves behind comes to us and can be counted.
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="belljar-escape-", dir=scratch_place()))
    scratch.chmod(0o755)
    try:
        run_all(options, modules, scratch, report)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return report.finish()


if __name__ == "__main__":
    sys.exit(main())
