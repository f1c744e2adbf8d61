"""The attacks of tests/escape against a belljar, as root and as an ordinary user.

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

Each attack has a `belljar run --jsonl` of its own. The host is looked at before it starts and after it has
ended; only then are the checks made, and the host must be as it was. Controls are tests of their own, and
left out where a control is switched off (--switch-off, with --binary belljar-loose).

With --backend another one builds the walls. What an attacker sees behind them is another kernel's
matter; so the rows are judged by what the host sees: the canary's text must be in nothing that came
out, whatever the run did, and the host must be as it was.
"""
import ctypes
import dataclasses
import importlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import traceback

import pytest

from service.host import Host
from service.lines import Lines, SECONDS

ATTACKS = pathlib.Path(__file__).resolve().parent / "escape"
SUBREAPER = 36
sys.path.insert(0, str(ATTACKS))


def start_lines(host, *arguments):
    return Lines(host.start(["run", "--jsonl", *host.flags, *arguments], stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))


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
        return start_lines(self.host, *arguments)

    @staticmethod
    def seen(result):
        """The JSON object on the last line of a result's stdout, or None."""
        lines = (result.get("stdout") or "").strip().splitlines()
        try:
            value = json.loads(lines[-1])
        except (IndexError, ValueError):
            return None
        return value if isinstance(value, dict) else None


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


def scratch_place():
    """Memory where there is enough of it: an image has thousands of files."""
    try:
        room = os.statvfs("/dev/shm")
    except OSError:
        return None
    return "/dev/shm" if room.f_bavail * room.f_frsize > 2 << 30 else None


def rows(backend):
    """The names of the attacks; without those that look for a guest where only native cells have one."""
    names = sorted(path.stem for path in ATTACKS.glob("row*.py"))
    return [name for name in names
            if backend == "native" or not getattr(importlib.import_module(name), "NATIVE_ONLY", False)]


def identities(backend):
    if backend == "docker":  # refuses anybody but root
        return ["root"]
    return ["root", "user"] if os.getuid() == 0 else ["user"]


def marks_for(row, name):
    """A part of the attacks is tried behind every backend, for the time it takes."""
    return [pytest.mark.everywhere] if name == "root" and row.startswith("row1") else []


def pytest_generate_tests(metafunc):
    """A test for each attack and identity: row39_process_bombs-root."""
    option = metafunc.config.option
    if metafunc.function is test_control:
        controls = [name for name in rows(option.backend) if hasattr(importlib.import_module(name), "control")]
        metafunc.parametrize("row", controls if option.backend == "native" and not option.switch_off else [])
    elif metafunc.function is test_attack:
        chosen = [(row, name) for row in rows(option.backend) for name in identities(option.backend)]
        metafunc.parametrize("row, host", indirect=["host"], argvalues=[
            pytest.param(*pair, id="-".join(pair), marks=marks_for(*pair)) for pair in chosen])


@pytest.fixture(scope="module")
def scratch_of_attacks():
    path = pathlib.Path(tempfile.mkdtemp(prefix="belljar-escape-", dir=scratch_place()))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def hosts(pytestconfig, binary, images_of, walls, scratch_of_attacks):
    """What a supervisor leaves behind comes to this process meanwhile, and can be counted."""
    libc, made = ctypes.CDLL(None), {}
    libc.prctl(SUBREAPER, 1, 0, 0, 0)

    def host(name):
        if name not in made:
            made[name] = Host(name, binary, scratch_of_attacks, images_of, walls, pytestconfig.option.switch_off)
        return made[name]
    yield host
    libc.prctl(SUBREAPER, 0, 0, 0, 0)


@pytest.fixture
def host(request, hosts):
    return hosts(request.param)


def difference(host):
    """What of the host has changed."""
    before, after = dataclasses.asdict(host.before), dataclasses.asdict(host.after)
    return {key: (before[key], after[key]) for key in before if before[key] != after[key]}


@pytest.mark.alone
def test_attack(row, host):
    module = importlib.import_module(row)
    prelude = (ATTACKS / "prelude.py").read_text() + f"\nCANARY = {str(host.canary)!r}\n"
    host.before = host.snapshot()
    lines = start_lines(host)
    tried = attack(Bench(host, lines, prelude), module)
    status = lines.close()
    host.after = host.snapshot()
    error, result = judge(module, tried, host)
    if error is not None and is_skip(error):
        pytest.skip(str(error))
    assert error is None, explain(error, result)
    assert status == 0, "".join(lines.errors)
    assert not difference(host)


@pytest.mark.alone
def test_control(row):
    words = run_control(importlib.import_module(row))
    if words is not None and words.startswith("SKIP "):
        pytest.skip(words[5:])
    assert words is None, words
