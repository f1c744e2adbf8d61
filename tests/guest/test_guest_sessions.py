"""Sessions of the guests: statements are sent to a living interpreter over a socket pair, outside of any
cell, and what it shows, prints and says must be what session_cases.py states.

Each case is a list of steps in one session. A step is a statement's code and what is expected of it:
  out, err        what is printed: exactly; for err a text it must hold
  plain           text/plain of the result; None: there must be no result
  json            application/json of the result
  shows           the MIME types of each display, the result included
  error, trace    type in the ERROR frame, and texts its traceback must hold; `hides`: must not
  status, code    in DONE; ok and 0 unless there is an error
  stdin, args, quota   given to the statement
  interrupt       SIGINT is sent once the statement has printed "go"
  between         SIGINT is sent before the statement, while nothing runs
  ends            the process ends after this with that status; "says nothing": without a DONE

Python cases run by the guest as it is, and by one with the native module _belljar; few of them by a compiled one and
by one that went through its zygote.
"""
import json
import os
import pathlib
import select
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import time

import pytest

import bootstrap
import session_cases

BOOTSTRAP = bootstrap.folder()
SESSION, STATEMENT, HELLO, ERROR, QUOTA, READY, DONE, DISPLAY = (
    0x02, 0x03, 0x81, 0x82, 0x84, 0x85, 0x86, 0x87)
CONTROL = 3
SECONDS = 60
MAX_FRAME_BYTES, MAX_DISPLAY_BYTES, MAX_RUN_BYTES, MAX_DISPLAYS = 256 << 10, 4 << 20, 16 << 20, 256
SUFFIX = {"python": "py", "javascript": "js", "bash": "sh"}
STAND_IN = "def zygote(fd):\n    return True\n"


class Ended(Exception):
    """The guest's end of the stream is closed."""


class Guest:
    """One living guest, and the supervisor's side of its session."""

    def __init__(self, language, argv, directory):
        self.language, self.n, self.buffer = language, 0, b""
        self.ours, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            argv, cwd=directory, env={"LANG": "C.UTF-8", "PATH": "/usr/bin:/bin", "STALE": "1"},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            pass_fds=[CONTROL],
            preexec_fn=lambda: os.dup2(theirs.fileno(), CONTROL, inheritable=True))
        theirs.close()
        self.printed = {"out": b"", "err": b""}
        for stream in (self.process.stdout, self.process.stderr):
            os.set_blocking(stream.fileno(), False)
        self.expect(HELLO)
        self.send(SESSION, {"v": 1, "lang": language, "workspace": directory,
                            "env": {"PATH": "/usr/bin:/bin", "HOME": directory, "LANG": "C.UTF-8"}})
        self.expect(READY)

    def send(self, kind, message):
        payload = json.dumps(message).encode()
        self.ours.sendall(struct.pack("<IB", len(payload), kind) + payload)

    def expect(self, kind):
        found, message = self.next_frame()
        assert found == kind, "frame %#x %r instead of %#x" % (found, message, kind)
        return message

    def drain(self):
        """Takes what is in the pipes now."""
        streams = (("out", self.process.stdout), ("err", self.process.stderr))
        for name, stream in streams:
            self.printed[name] += stream.read() or b""

    def next_frame(self, until=lambda: False):
        """The next frame, or None as soon as `until` holds. Output is read meanwhile."""
        deadline = time.monotonic() + SECONDS
        fds = [self.ours, self.process.stdout, self.process.stderr]
        while not until():
            frame = self.take_frame()
            if frame is not None:
                return frame
            if time.monotonic() > deadline:
                raise AssertionError("nothing comes: %r" % self.printed)
            ready = select.select(fds, [], [], 0.01)[0]
            self.drain()
            if self.ours in ready:
                chunk = self.ours.recv(1 << 20)
                if not chunk:
                    raise Ended()
                self.buffer += chunk
            fds = [fd for fd in fds if fd is self.ours or fd not in ready or self.alive()]
        return None

    def is_at_work_or_asleep(self):
        """Whether it has come from its print to what is to be interrupted: it sleeps, or has used processor time since."""
        def look():
            fields = pathlib.Path("/proc/%d/stat" % self.process.pid).read_text().rpartition(")")[2].split()
            return fields[0], int(fields[11]) + int(fields[12])
        _, before = look()
        seen = []  # asleep at one look, it may only wait for another of its threads

        def has_come():
            seen.append(look())
            asleep = len(seen) >= 6 and set(seen[-6:]) == {("S", seen[-1][1])}
            return asleep or seen[-1][1] >= before + 10
        return has_come

    def alive(self):
        return self.process.poll() is None

    def take_frame(self):
        if len(self.buffer) < 5:
            return None
        size, kind = struct.unpack("<IB", self.buffer[:5])
        limit = MAX_DISPLAY_BYTES if kind == DISPLAY else MAX_FRAME_BYTES
        assert size <= limit, "a frame of %d bytes" % size
        if len(self.buffer) < 5 + size:
            return None
        payload, self.buffer = self.buffer[5:5 + size], self.buffer[5 + size:]
        return kind, json.loads(payload.decode("utf-8"))

    def run(self, code, wants):
        """One statement: its frames before DONE, what was printed, and DONE or None."""
        self.n += 1
        name = "cell-%d.%s" % (self.n, SUFFIX[self.language])
        if wants.get("between"):
            self.process.send_signal(signal.SIGINT)
        self.printed = {"out": b"", "err": b""}
        self.send(STATEMENT, {"n": self.n, "code": code, "name": name, "args": wants.get("args", []),
                         "stdin": wants.get("stdin"), "file_operations": wants.get("quota", 0)})
        frames = []
        if wants.get("interrupt"):
            self.next_frame(until=lambda: b"go\n" in self.printed["out"])
            self.next_frame(until=self.is_at_work_or_asleep())
            self.process.send_signal(signal.SIGINT)
        try:
            while not frames or frames[-1][0] != DONE:
                frames.append(self.next_frame())
        except Ended:
            return frames, None
        self.drain()
        return frames[:-1], frames[-1][1]

    def last_words(self):
        select.select([self.process.stderr], [], [], 0.2)
        self.drain()
        return self.printed["err"].decode()

    def end(self):
        self.ours.close()
        try:
            return self.process.wait(SECONDS)
        finally:
            self.process.kill()
            for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
                stream.close()


def problems_with_displays(frames, n, wants):
    displays = [message for kind, message in frames if kind == DISPLAY]
    results = [message["bundle"] for message in displays if message["result"]]
    if any(message["n"] != n for message in displays) or len(results) > 1:
        yield "displays are misnumbered, or there are two results"
    if len(displays) > MAX_DISPLAYS or sum(
            len(json.dumps(message)) for message in displays) > MAX_RUN_BYTES:
        yield "too much is displayed"
    if any("text/plain" not in bundle for bundle in results):
        yield "a result without a text"
    if "shows" in wants and [sorted(message["bundle"]) for message in displays] != [
            sorted(mimes) for mimes in wants["shows"]]:
        yield "shows %r" % [sorted(message["bundle"]) for message in displays]
    result = results[0] if results else {}
    for key, mime in (("plain", "text/plain"), ("json", "application/json")):
        if key in wants and result.get(mime) != wants[key]:
            yield "%s is %r" % (key, str(result.get(mime))[:300])
    if wants.get("notes") and not any(
            wants["notes"] in message["bundle"].get("text/plain", "") for message in displays):
        yield "no display says %r: %s" % (wants["notes"], str(displays[-1:])[:300])


def problems_with_error(frames, printed, wants):
    errors = [message for kind, message in frames if kind == ERROR]
    said = errors[0]["type"] if errors else None
    if said != wants.get("error") or len(errors) > 1:
        yield "ERROR says %r, not %r: %r" % (said, wants.get("error"), errors)
        return
    trace = errors[0]["traceback"] if errors else ""
    for text in wants.get("trace", ()):
        if text not in trace or text not in printed["err"].decode():
            yield "%r is not in the traceback, or not printed:\n%s" % (text, trace)
    for text in tuple(wants.get("hides", ())) + ("bootstrap/", "node:inspector"):
        if text in trace:
            yield "%r is in the traceback:\n%s" % (text, trace)


def problems_with_done(done, n, wants):
    failed = wants.get("error") is not None
    expected = {"n": n, "status": wants.get("status", "exception" if failed else "ok"),
                "exit_code": wants.get("code", 1 if failed else 0)}
    if done is None or {key: done[key] for key in expected} != expected:
        yield "DONE says %r instead of %r" % (done, expected)
    if done and "operations" in wants and done["file_operations"] != wants["operations"]:
        yield "%d file operations" % done["file_operations"]


def check_step(guest, code, wants):
    frames, done = guest.run(code, wants)
    problems = list(problems_with_displays(frames, guest.n, wants))
    problems += problems_with_error(frames, guest.printed, wants)
    if wants.get("ends") == "says nothing":
        problems += ["DONE was said"] if done else []
    else:
        problems += problems_with_done(done, guest.n, wants)
    if "quota" in wants and (QUOTA in dict(frames)) != (wants.get("ends") is not None):
        problems.append("QUOTA is missing or unexpected")
    out, err = guest.printed["out"].decode(), guest.printed["err"].decode()
    if out != wants.get("out", "go\n" if wants.get("interrupt") else ""):
        problems.append("prints %r" % out[:500])
    if wants.get("err", "") not in err or (err and not wants.keys() & {"err", "error"}):
        problems.append("prints to stderr %r" % err[:500])
    if "ends" in wants and isinstance(wants["ends"], int) and guest.end() != wants["ends"]:
        problems.append("the process ends with %r" % guest.process.returncode)
    return ["after %r: %s" % (code[:200], problem) for problem in problems]


def check(language, argv, steps, files):
    """The problems of one case, which has a session and a workspace of its own."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in files.items():
            path = pathlib.Path(directory, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        guest = None
        try:
            guest = Guest(language, [word.replace("DIRECTORY", directory) for word in argv],
                          directory)
            problems = []
            for code, wants in steps:
                problems += check_step(guest, code, wants)
            return problems
        except (AssertionError, Ended, OSError) as error:
            said = guest.last_words() if guest is not None else ""
            return ["%s %s %s" % (type(error).__name__, error, said)]
        finally:
            if guest is not None:
                guest.end()


def python_argv(interpreter, guest, extra=()):
    paths = subprocess.check_output(
        [interpreter, "-E", "-s", "-S", "-c", "import sys; print('\\n'.join(sys.path[1:]))"],
        text=True)
    words = [word for path in paths.split() for word in ("--path", path)]
    return [interpreter, "-I", "-S", str(guest)] + words + list(extra)


def compiled(interpreter, target):
    subprocess.check_call([interpreter, str(BOOTSTRAP / "compile.py"), str(BOOTSTRAP), str(target)])
    return target


def beside_module(module, directory):
    """The guest where it finds the native module."""
    for source in list(BOOTSTRAP.glob("*.py")) + [pathlib.Path(module)]:
        shutil.copy2(source, directory)
    return pathlib.Path(directory, "guest.py")


PYTHON, NODE = "/usr/bin/python3", "/usr/bin/node"


def version_of(python):
    text = subprocess.check_output([python, "-c", "import sys; print(*sys.version_info[:2])"])
    return tuple(int(number) for number in text.split())


def every(_):
    return True


def few(name):
    return name in session_cases.FEW


# A guest: its language, and which of the language's cases it runs.
VARIANTS = {"python": ("python", every), "compiled": ("python", few), "zygote": ("python", few),
            "native": ("python", every), "node": ("javascript", every), "bash": ("bash", every)}


def argv_of(variant, build, scratch):
    """What starts the guest; what that needs is made in `scratch`."""
    if variant == "compiled":
        return python_argv(PYTHON, compiled(PYTHON, scratch / "guest.pyc"))
    if variant == "zygote":
        (scratch / "_belljar.py").write_text(STAND_IN)
        return python_argv(PYTHON, BOOTSTRAP / "guest.py", ["--path", str(scratch), "--zygote"])
    if variant == "native":
        return python_argv(PYTHON, beside_module(build / "src/cell/guest/_belljar.abi3.so", scratch))
    if variant == "node":
        return [NODE, str(BOOTSTRAP / "guest.js")]
    if variant == "bash":
        return [str(build / "bin/bash_guest"), "DIRECTORY/.statements"]
    return python_argv(PYTHON, BOOTSTRAP / "guest.py")


def pytest_generate_tests(metafunc):
    version = version_of(PYTHON)
    chosen = [(variant, case) for variant, (language, includes) in VARIANTS.items()
              for case in session_cases.cases(language, version, False) if includes(case.name)]
    metafunc.parametrize("variant, case", chosen, ids=[f"{variant}: {case.name}" for variant, case in chosen])


@pytest.fixture(scope="module")
def argv(build, scratch_of_module):
    made = {}

    def argv(variant):
        if variant not in made:
            (scratch_of_module / variant).mkdir()
            made[variant] = argv_of(variant, build, scratch_of_module / variant)
        return made[variant]
    return argv


def test_session(variant, case, argv, control_number):
    if variant == "node" and not os.path.exists(NODE):
        pytest.skip("missing: " + NODE)
    problems = check(VARIANTS[variant][0], argv(variant), case.steps, case.files)
    assert not problems, "\n  ".join(problems)
