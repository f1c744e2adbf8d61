"""Fidelity of the guests: every program in programs/ runs twice, by the plain interpreter and by
the guest over a socket pair, and stdout, stderr, exit status and the files left behind must agree.

A program says in a comment that starts with `#:` or `//:` (one JSON object) what it needs:
  stdin, args, env, files   what both runs are given
  stdout                    a path to use as stdout instead of a pipe
  error                     the type in the ERROR frame; without it there must be no such frame
  ends                      "hard": killed, or left by _exit, so that the guest cannot say a word
  whole                     stream sizes the guest must reach where plain Node loses output
  stderr                    compare only that both contain this text
  since, until              Python versions [from, before) that have the feature

Three things may differ: the directory before main.py, addresses and ids, and how often a deep
recursion repeated (the guest needs a frame or two). Of a JavaScript stack only the program's own
frames count; the others are Node's loader.

After the programs come the guests' own manners: what plain interpreters do not have.

Each runs three times: as it is; `kept`, where the guest of a Python program gets the code beside the text, as a
cell would have kept it; and, with ./dev test --full, `warm`, by a guest that went through its zygote (with a
stand-in for the native module that forks), so with many modules already imported.
"""
import json
import os
import pathlib
import re
import socket
import struct
import subprocess
import tempfile
import threading

import pytest

import bootstrap

HERE = pathlib.Path(__file__).resolve().parent
BOOTSTRAP = bootstrap.folder()
HELLO, ERROR, COUNT = 0x81, 0x82, 0x83
CONTROL = 3
SECONDS = 60
WARM_MODULES = ("asyncio concurrent.futures dataclasses inspect logging multiprocessing random "
                "subprocess tempfile threading typing unittest uuid").split()
STAND_IN = """import sys


def zygote(fd):
    if "random" in sys.modules:
        sys.modules["random"].seed(1)
    return True
"""
DECOY = "raise SystemExit('a file of the same name is not the program')\n"


class Outcome:
    def __init__(self, status, stdout, stderr, files):
        self.status, self.stdout, self.stderr, self.files = status, stdout, stderr, files


class Language:
    """How one kind of program is run plainly and by its guest."""

    def __init__(self, name, interpreter, guest):
        self.name, self.interpreter, self.kept = name, interpreter, False
        if name == "python":
            self.plain = [interpreter, "-E", "-s"]
            paths = subprocess.check_output(
                self.plain + ["-c", "import sys; print('\\n'.join(sys.path[1:]))"], text=True)
            extra = [word for path in paths.split() for word in ("--path", path)]
            self.guest = [interpreter, "-I", "-S", guest or str(BOOTSTRAP / "guest.py")] + extra
        else:
            self.plain = [interpreter]
            self.guest = [interpreter, str(BOOTSTRAP / "guest.js")]

    def version(self):
        text = subprocess.check_output([self.interpreter, "--version"], text=True)
        return [int(number) for number in re.findall(r"\d+", text)[:2]]


def directives(source):
    for line in source.decode("utf-8", "replace").splitlines():
        match = re.match(r"(?:#|//): (\{.*\})$", line)
        if match:
            return json.loads(match.group(1))
    return {}


def environment(wants, directory):
    base = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": directory}
    return {**base, **wants.get("env", {})}


def files_in(directory, without):
    return {str(path.relative_to(directory)): path.read_bytes()
            for path in sorted(pathlib.Path(directory).rglob("*"))
            if path.is_file() and "__pycache__" not in path.parts and path.name not in without}


def spawn(argv, directory, wants, env, control=None):
    def take_control():
        os.dup2(control.fileno(), CONTROL, inheritable=True)

    stdout = open(wants["stdout"], "wb") if "stdout" in wants else subprocess.PIPE
    return subprocess.Popen(
        argv, cwd=directory, env=env, stdin=subprocess.PIPE, stdout=stdout,
        stderr=subprocess.PIPE, pass_fds=[CONTROL] if control else [],
        preexec_fn=take_control if control else None)


def collect(process, wants, directory, without):
    try:
        stdout, stderr = process.communicate(wants.get("stdin", "").encode(), SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        stdout, stderr = process.communicate()
        stderr = (stderr or b"") + b"\n(timed out)"
    return Outcome(process.returncode, stdout or b"", stderr, files_in(directory, without))


def run_plainly(language, name, source, wants, directory):
    pathlib.Path(directory, name).write_bytes(source)
    argv = language.plain + [name] + wants.get("args", [])
    process = spawn(argv, directory, wants, environment(wants, directory))
    return collect(process, wants, directory, {name})


def compiled(python, source):
    """What a cell would keep of a program, and the guest be given instead of its text."""
    with tempfile.TemporaryDirectory() as directory:
        subprocess.run([python.interpreter, "-I", str(BOOTSTRAP / "syntax.py"), "keep"],
                       cwd=directory, input=source, capture_output=True, timeout=SECONDS, check=True)
        kept = pathlib.Path(directory, "main.code")
        return kept.read_bytes() if kept.exists() else None


def run_message(language, name, source, wants, directory):
    message = {"v": 1, "lang": language.name, "code": source.decode("utf-8"), "name": name,
               "args": wants.get("args", []), "env": environment(wants, directory),
               "file_operations": 100000}
    kept = compiled(language, source) if language.kept else None
    if kept is not None:
        message["compiled"] = kept.hex()
    payload = json.dumps(message).encode()
    return struct.pack("<IB", len(payload), 0x01) + payload


def parse_frames(stream):
    frames = []
    while stream:
        size, kind = struct.unpack("<IB", stream[:5])
        assert len(stream) >= 5 + size and size <= 256 << 10, "a frame is cut off or too long"
        frames.append((kind, json.loads(stream[5:5 + size])))
        stream = stream[5 + size:]
    return frames


def converse(ours, message, received):
    """The supervisor's side, in a thread: HELLO, then RUN, then whatever comes."""
    sent = False
    while True:
        chunk = ours.recv(1 << 16)
        if not chunk:
            return
        received += chunk
        if not sent and len(received) >= 5:
            sent = True
            ours.sendall(message)


def run_by_guest(language, name, source, wants, directory):
    if wants.get("decoy"):
        pathlib.Path(directory, name).write_text(DECOY)
    # An ES module arrives as main.js, and its guest finds out.
    name = name.replace(".mjs", ".js")
    ours, theirs = socket.socketpair()
    # Nothing of this process's environment but what an interpreter needs to start.
    process = spawn(language.guest + ["--workspace", directory], directory, wants,
                    {"LANG": "C.UTF-8", "STALE": "1"}, theirs)
    theirs.close()
    received = bytearray()
    message = run_message(language, name, source, wants, directory)
    supervisor = threading.Thread(target=converse, args=(ours, message, received))
    supervisor.start()
    outcome = collect(process, wants, directory, {name} if wants.get("decoy") else set())
    supervisor.join(SECONDS)
    ours.close()
    return outcome, parse_frames(bytes(received))


def normalised(data, directory, language):
    text = data.decode("utf-8", "surrogateescape")
    text = text.replace("file://" + directory + "/", "").replace(directory + "/", "")
    text = re.sub(r"0x[0-9a-f]+", "0x…", text)
    text = re.sub(r"\[Previous line repeated \d+ more times\]", "[Previous line repeated …]", text)
    text = re.sub(r"\(?pid[ =:]+\d+\)?|^Ran (.*) in [\d.]+s$", "…", text, flags=re.MULTILINE)
    text = re.sub(r"line \d+, in (\S+)(?=\n.*multiprocessing)", r"in \1", text)
    if language.name == "javascript":
        loader = r"^ +(at .*node:.*|\.\.\. \d+ lines matching cause.*)\n"
        text = re.sub(loader, "", text, flags=re.MULTILINE)
        text = re.sub(r"^node:internal.*\n.*\n *\^\n\n", "", text, flags=re.MULTILINE)
    return text


def check_frames(frames, wants, language):
    kinds = [kind for kind, _ in frames]
    if kinds[:1] != [HELLO] or len(set(kinds)) != len(kinds):
        return "frames " + repr(kinds)
    hard = wants.get("ends") == "hard"
    if (COUNT in kinds) != (language.name == "python" and not hard):
        return "COUNT is missing or unexpected"
    error = dict(frames).get(ERROR, {})
    if re.search(r"guest\.(py|js)", error.get("traceback", "")):
        return "the guest's own frames are in the traceback"
    said = error.get("type")
    if said != wants.get("error"):
        return "ERROR says %r, not %r" % (said, wants.get("error"))
    return None


def differences(plain, guest, frames, wants, language, places):
    problems = []
    if plain.status != guest.status:
        problems.append("status: plain %r, guest %r" % (plain.status, guest.status))
    for stream, size in wants.get("whole", {}).items():
        if len(getattr(guest, stream)) != size:
            problems.append("%s: %d bytes" % (stream, len(getattr(guest, stream))))
    for stream in ("stdout", "stderr"):
        if stream in wants.get("whole", {}):
            continue
        expected = normalised(getattr(plain, stream), places[0], language)
        actual = normalised(getattr(guest, stream), places[1], language)
        if stream in wants and stream == "stderr":
            if wants[stream] in expected and wants[stream] in actual:
                continue
        if expected != actual:
            problems.append("%s:\n--- plain\n%s\n--- guest\n%s" % (
                stream, expected[-1500:], actual[-1500:]))
    if plain.files != guest.files:
        problems.append("files: plain %r, guest %r" % (plain.files, guest.files))
    problem = check_frames(frames, wants, language)
    return problems + ([problem] if problem else [])


def is_for(version, wants):
    """Whether an interpreter of this version is neither too old nor too new."""
    return wants.get("since", version) <= version < wants.get("until", [9, 9])


def check(language, path):
    """The list of differences."""
    source = path.read_bytes()
    wants = directives(source)
    name = "main" + path.suffix
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        for directory in (first, second):
            for file, text in wants.get("files", {}).items():
                pathlib.Path(directory, file).write_text(text)
        plain = run_plainly(language, name, source, wants, first)
        guest, frames = run_by_guest(language, name, source, wants, second)
        return differences(plain, guest, frames, wants, language, (first, second))


def ask(language, extra, request, wants=None, read_first_line=False):
    """One conversation in an empty workspace: status, stdout, stderr, frames."""
    with tempfile.TemporaryDirectory() as directory:
        pathlib.Path(directory, "_belljar.py").write_text(STAND_IN)
        ours, theirs = socket.socketpair()
        argv = language.guest + ["--workspace", directory, "--path", directory] + extra
        process = spawn(argv, directory, wants or {}, {"LANG": "C.UTF-8"}, theirs)
        theirs.close()
        received = bytearray()
        supervisor = threading.Thread(target=converse, args=(ours, request, received))
        supervisor.start()
        first = process.stdout.readline() if read_first_line else b""
        outcome = collect(process, {}, directory, set())
        supervisor.join(SECONDS)
        ours.close()
        return outcome.status, first + outcome.stdout, outcome.stderr, parse_frames(bytes(received))


def python_request(code, **changes):
    message = {"v": 1, "lang": "python", "code": code, "name": "main.py", "args": [], "env": {},
               "file_operations": 100000, **changes}
    payload = json.dumps(message).encode()
    return struct.pack("<IB", len(payload), 0x01) + payload


def stops_at_its_quota(python):
    code = "for i in range(100):\n    open('/dev/null').close()\n    print(i, flush=True)"
    status, stdout, _, frames = ask(python, [], python_request(code, file_operations=5))
    return (status, stdout, frames[1:]) == (
        1, b"0\n1\n2\n3\n4\n", [(0x84, {"limit": "file_operations"})])


def counts_file_operations(python):
    code = "for i in range(7):\n    open('/dev/null').close()"
    frames = ask(python, [], python_request(code))[3]
    return frames[1:] == [(COUNT, {"file_operations": 7, "exits": 0})]


def gives_exactly_the_environment(python):
    code = "import os; print(dict(os.environ), open('/proc/self/environ').read().count('SECRET'))"
    return ask(python, [], python_request(code, env={"ONLY": "this"}))[1] == b"{'ONLY': 'this'} 0\n"


def shows_a_line_when_it_is_printed(python):
    # The program ends when its stdin does, which is after its first line has been read.
    code = "import sys\nprint('early')\nsys.stdin.read()\nprint('late')"
    return ask(python, [], python_request(code), read_first_line=True)[1] == b"early\nlate\n"


def refuses_a_malformed_run(python):
    bad = [struct.pack("<IB", 2, 0x01) + b"{}", struct.pack("<IB", 0, 0x07),
           struct.pack("<IB", (64 << 20) + 1, 0x01), struct.pack("<IB", 1, 0x01) + b"{",
           python_request("1", v=2), python_request("1", lang="bash")]
    return all(ask(python, [], request)[0] == 5 for request in bad)


def ends_a_zygote_that_cannot_import(python):
    status, _, stderr, frames = ask(
        python, ["--zygote", "--preimport", "no_such_module"], python_request("1"))
    return (status, frames) == (3, []) and b"preimport no_such_module: ModuleNotFound" in stderr


def reseeds_after_a_zygote(python):
    code = "import random; x = random.random(); random.seed(1); print(x == random.random())"
    extra = ["--zygote", "--preimport", "random"]
    return ask(python, extra, python_request(code))[1] == b"False\n"


def keeps_children_off_the_control_stream(python):
    code = ("import os, stat\npid = os.fork()\nif pid == 0:\n    try:\n        os.fstat(3)\n"
            "    except OSError:\n        os._exit(9)\nprint(os.waitpid(pid, 0)[1] >> 8)")
    return ask(python, [], python_request(code))[1] == b"9\n"


# The code of a function that is nothing without another one around it.
CLOSURE = """import marshal, sys
def codes(code):
    return [each for each in code.co_consts if hasattr(each, "co_code")]
outer, = codes(compile("def f(x): return lambda: x", "main.py", "exec"))
sys.stdout.buffer.write(marshal.dumps(codes(outer)[0]))
"""


def runs_what_is_kept_and_not_the_text(python):
    kept = compiled(python, b"print('kept')")
    return ask(python, [], python_request("print('text')", compiled=kept.hex()))[1] == b"kept\n"


def compiles_the_text_where_what_is_kept_is_of_no_use(python):
    """Of another interpreter, cut off, no code, no digits, the code of a function."""
    kept = compiled(python, b"print('kept')")
    made = subprocess.check_output([python.interpreter, "-c", CLOSURE])
    bad = [b"\0\0\0\0" + kept[4:], kept[:-5], kept[:4], kept[:4] + b"i\1\0\0\0",
           kept[:4] + made, kept.replace(b"main.py", b"main.js")]
    digits = [data.hex() for data in bad] + ["xyz", kept.hex()[:-1], 7, None, []]
    return all(ask(python, [], python_request("print('text')", compiled=each))[1] == b"text\n"
               for each in digits)


def keeps_no_code_that_would_not_run_as_the_text_does(python):
    """Warnings that compiling gives; sets that are gone through in another order."""
    changed = [b"x = 1\nx is 1", b"def f(:", b"\0"]
    if python.version() >= [3, 11]:  # older ones keep sets as they find them
        changed += [b"for x in {8, 0}: print(x)", b"def f():\n return [y for y in {8, 0}]"]
    same = [b"", b"print(1)", b"7 in {1, 2, 7}", b"'b' in {'a', 'b', ('c', 8)}", b"1e999 - 1e999"]
    return ([compiled(python, source) for source in changed] == [None] * len(changed) and
            None not in [compiled(python, source) for source in same])


MANNERS = [stops_at_its_quota, counts_file_operations, gives_exactly_the_environment,
           shows_a_line_when_it_is_printed, refuses_a_malformed_run,
           ends_a_zygote_that_cannot_import, reseeds_after_a_zygote,
           keeps_children_off_the_control_stream, runs_what_is_kept_and_not_the_text,
           compiles_the_text_where_what_is_kept_is_of_no_use,
           keeps_no_code_that_would_not_run_as_the_text_does]


PYTHON, NODE = "/usr/bin/python3", "/usr/bin/node"
WAYS = [pytest.param("plain"), pytest.param("kept"), pytest.param("warm", marks=pytest.mark.slow)]


def programs():
    """Those that the interpreters here can run."""
    version = Language("python", PYTHON, None).version()
    for path in sorted((HERE / "programs").iterdir()):
        if path.suffix == ".py" and is_for(version, directives(path.read_bytes())) or path.suffix in (".js", ".mjs"):
            yield path


@pytest.fixture(scope="module", params=WAYS)
def python(request, scratch_of_module):
    language = Language("python", PYTHON, None)
    language.kept = request.param == "kept"
    if request.param == "warm":
        directory = scratch_of_module
        (directory / "_belljar.py").write_text(STAND_IN)
        language.guest += ["--path", str(directory), "--zygote"]
        language.guest += [word for name in WARM_MODULES for word in ("--preimport", name)]
    return language


@pytest.mark.parametrize("program", programs(), ids=lambda path: path.name)
def test_program(python, program, control_number):
    if program.suffix == ".py":
        problems = check(python, program)
    elif os.path.exists(NODE):
        problems = check(Language("javascript", NODE, None), program)
    else:
        pytest.skip("missing: " + NODE)
    assert not problems, "\n".join(problems)


@pytest.mark.parametrize("claim", MANNERS, ids=lambda claim: claim.__name__)
def test_manners(python, claim, control_number):
    assert claim(python)
