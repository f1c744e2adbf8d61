"""Runs the data cases in tests/cases: what a caller asks for, and what it must get.

A case is one TOML file. `says` is the claim. Then either the fields of a request (lang, code,
command, args, env, stdin, files, fetch, ...; limits in a table of their own), or `cli`, the
arguments of the command line, with `stdin` and `inputs`, files for it to find. `expect` is what
must come out:

  of a run       outcome exit_code signal reason error_type error_message correlation_id
                 max_wall_ms
                 files_created files_changed files_deleted fetched fetch_refused
                 truncated_stdout truncated_stderr replaced_stdout replaced_stderr
  of a fault     error_kind error_message
  of a command   status; answers: for --jsonl, an expectation for each id
  of both        stdout stderr, exactly; also stdout_contains, stdout_regex, stdout_bytes (how many)
                 and the like; in the same way reason_contains and error_message_contains

What `expect` does not name must be quiet: a run that is `ok` has exit code 0, an empty stderr and
no file changes, and no run has replaced or truncated output (truncated by the output limit
excepted) that its case does not announce. max_wall_ms only guards against a hang.

Texts may be long: { repeat = "x", times = 9 } stands for xxxxxxxxx, and also repeats lists;
{ numbered = "V", times = 2 } stands for V0 = "0", V1 = "1"; { base64 = "..." } stands for bytes
(where bytes can be: inputs, stdin and stdout of a command). `extra` holds keys of a request that
must be refused. `twice` runs the request twice, and both must print the same.

With --backend another one builds the walls. Where they bring a difference, the case declares it:
`differs.gvisor` (or docker; gvisor-user for one identity alone) holds `why` and the keys of `expect`
that are others there, or an `expect` in place of the whole, and `limits` that are others; or `left_out`,
where the claim is about nothing there. The table in docs/backends.md names each such case with these
words, and that both say the same is checked.

Each case runs as root and as an ordinary user, if this is root. `identity` limits a case to one
of them, and `why` says why. Requests go through one `belljar run --jsonl` for each identity, with
its warm pool; commands are started one by one, and so never use it.

The commands run once more while a `belljar serve` runs beside them, and must end in the same way.
"""
import base64
import contextlib
import json
import os
import pathlib
import re
import subprocess
import tempfile
import tomllib

import pytest

from service.daemon import Served
from service.lines import Lines
from suite import ROOT, link_state, scratch_directory

CASES = pathlib.Path(__file__).resolve().parent / "cases"
BACKENDS = ROOT / "docs/backends.md"
JOBS = 4
SECONDS = 120  # a guard against a hang
ORDINARY_UID = 65533  # of nobody on any machine we know
CASE_KEYS = {"says", "identity", "why", "expect", "limits", "cli", "inputs", "stdin", "differs"}
REQUEST_KEYS = {"lang", "code", "command", "args", "env", "files", "fetch", "deterministic",
                "image", "backend", "correlation_id", "extra", "twice"}
AGAIN = " again"
DAEMON_ID = re.compile("r-[0-9a-f]{24}")
WAYS = ("", "_contains", "_regex", "_bytes")
TEXTS = ("stdout", "stderr", "reason", "error_message")
EXPECT_KEYS = {text + way for text in TEXTS for way in WAYS} | {
    "outcome", "exit_code", "signal", "error_type", "error_kind", "max_wall_ms", "status",
    "answers", "correlation_id", "files_created", "files_changed", "files_deleted", "fetched",
    "fetch_refused",
    "truncated_stdout", "truncated_stderr", "replaced_stdout", "replaced_stderr"}


class Identity:
    """Who runs belljar, with a scratch directory that this user owns."""

    def __init__(self, name, binary, scratch, images_of, walls, off=""):
        self.name, self.home, self.binary = name, scratch / name, binary
        self.home.mkdir()
        self.switch, uid = {}, os.geteuid()
        if name == "user" and os.geteuid() == 0:
            uid = ORDINARY_UID
            self.switch = {"user": ORDINARY_UID, "group": ORDINARY_UID, "extra_groups": []}
        os.chown(self.home, uid, uid)
        state = link_state(self.home / "state", images_of(uid), uid)
        # Whatever it is, it runs: what is judged is tested by itself.
        policy = self.home / "walls.toml"
        policy.write_text(walls.policy + (ROOT / "examples/walls.toml").read_text(encoding="utf-8"), encoding="utf-8")
        policy.chmod(0o644)
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home), "BELLJAR_STATE": str(state),
                    "LANG": "C.UTF-8", "BELLJAR_POLICY": str(policy), **walls.env}
        # As an ordinary user there is no control group here that would hold a container's memory.
        self.flags = walls.flags
        if off:
            self.env["BELLJAR_SWITCH_OFF"] = off
        self.lines = None

    def run(self, arguments, stdin=b"", cwd=None):
        return subprocess.run([self.binary, *arguments], input=stdin, capture_output=True,
                              env=self.env, cwd=cwd or self.home, timeout=SECONDS, check=False,
                              **self.switch)

    def accepting(self, words):
        """The words of a command, with the flags that every run of an ordinary user needs here."""
        if self.name != "user" or words[:1] not in (["run"], ["exec"]):
            return words
        return [words[0], *self.flags, *words[1:]]

    def ask(self, request):
        """The answer to a request, by a process that answers all of them."""
        if self.lines is None:
            self.lines = Lines(subprocess.Popen(
                [self.binary, "run", "--jsonl", "--jobs", str(JOBS), *self.flags], env=self.env, cwd=self.home,
                encoding="utf-8", stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **self.switch))
        return self.lines.run(request, SECONDS)

    def close(self):
        if self.lines is not None:
            self.lines.close()


class Case:
    def __init__(self, path, backend, identity):
        self.name = str(path.relative_to(CASES).with_suffix(""))
        with path.open("rb") as file:
            self.data = expand(tomllib.load(file))
        differences = self.data.get("differs", {})
        difference = differences.get(f"{backend}-{identity}", differences.get(backend, {}))
        self.left_out = difference.get("left_out", False)
        self.limits = {**self.data.get("limits", {}), **difference.get("limits", {})}
        self.expect = {**difference.get("expect", self.data["expect"]),
                       **{key: value for key, value in difference.items()
                          if key not in ("why", "left_out", "expect", "limits")}}
        self.cli = self.data.get("cli")
        self.twice = self.data.get("twice", False)
        unknown = set(self.data) - CASE_KEYS - REQUEST_KEYS
        for expect in (self.expect, *self.expect.get("answers", {}).values()):
            unknown |= set(expect) - EXPECT_KEYS
        if unknown or not self.data.get("says"):
            raise SystemExit(f"{path}: unknown keys {sorted(unknown)}, or nothing in `says`")
        if any(not told.get("why") for told in self.data.get("differs", {}).values()):
            raise SystemExit(f"{path}: what differs says why")
        if ("identity" in self.data) != ("why" in self.data):
            raise SystemExit(f"{path}: `identity` and `why` go together")

    def is_for(self, name):
        return not self.left_out and self.data.get("identity", name) == name

    def request(self):
        request = {key: value for key, value in self.data.items()
                   if key in REQUEST_KEYS | {"stdin"} and key not in ("extra", "twice")}
        if "files" in request:
            request["files"] = {path: base64.b64encode(as_bytes(content)).decode()
                                for path, content in request["files"].items()}
        return {"id": self.name, **request, **self.limits, **self.data.get("extra", {})}


def undeclared(cases):
    """What docs/backends.md and the cases say differently about what differs."""
    rows = re.findall(r"^\| `([a-z_]+/[a-z_]+)` \| ([a-z, -]+) \|", BACKENDS.read_text(encoding="utf-8"),
                      re.MULTILINE)
    told = {(name, where) for name, places in rows for where in places.split(", ")}
    differ = {(case.name, where) for case in cases for where in case.data.get("differs", {})}
    return ([f"{name}: differs ({where}), and {BACKENDS.name} does not say so"
             for name, where in sorted(differ - told)] +
            [f"{name}: in {BACKENDS.name} ({where}), and does not differ"
             for name, where in sorted(told - differ)])


def expand(value):
    """Replaces what stands for something long, or for bytes, by that."""
    if isinstance(value, list):
        return [expand(item) for item in value]
    if not isinstance(value, dict):
        return value
    if set(value) == {"repeat", "times"}:
        return value["repeat"] * value["times"]
    if set(value) == {"numbered", "times"}:
        return {f"{value['numbered']}{i}": str(i) for i in range(value["times"])}
    if set(value) == {"base64"}:
        return base64.b64decode(value["base64"], validate=True)
    return {key: expand(item) for key, item in value.items()}


def as_bytes(value):
    return value if isinstance(value, bytes) else value.encode("utf-8", "surrogatepass")


def shown(value):
    text = repr(value)
    return text if len(text) <= 240 else f"{text[:160]} ... {text[-60:]} ({len(text)} long)"


def differs(what, want, got):
    return [] if want == got else [f"{what}: want {shown(want)}, got {shown(got)}"]


def text_problems(expect, name, got):
    """What is wrong with one text, by each way in which the case looks at it."""
    problems = []
    if name in expect:
        want = expect[name]
        problems += differs(name, want, as_bytes(got) if isinstance(want, bytes) else got)
    parts = expect.get(name + "_contains", [])
    for part in [parts] if isinstance(parts, str) else parts:
        if part not in got:
            problems.append(f"{name}: want {shown(part)} in it, got {shown(got)}")
    pattern = expect.get(name + "_regex")
    if pattern is not None and not re.fullmatch(pattern, got, re.DOTALL):
        problems.append(f"{name}: want all of it to match {shown(pattern)}, got {shown(got)}")
    if name + "_bytes" in expect:
        problems += differs(f"bytes of {name}", expect[name + "_bytes"], len(as_bytes(got)))
    return problems


def names(expect, text):
    return any(text + way in expect for way in WAYS)


def fault_problems(expect, answer):
    error = answer["error"]
    return (differs("error_kind", expect.get("error_kind"), error["kind"]) +
            text_problems(expect, "error_message", error["message"]))


def stream_problems(expect, answer):
    problems = []
    for stream in ("stdout", "stderr"):
        problems += text_problems(expect, stream, answer[stream])
        problems += differs(f"replaced_{stream}", expect.get(f"replaced_{stream}", 0),
                            answer["replaced"][stream])
        if answer["outcome"] != "output" or f"truncated_{stream}" in expect:
            problems += differs(f"truncated_{stream}", expect.get(f"truncated_{stream}", False),
                                answer["truncated"][stream])
    if answer["outcome"] == "ok" and not names(expect, "stderr"):
        problems += differs("stderr", "", answer["stderr"])
    return problems


def file_problems(expect, answer):
    problems = []
    for change in ("created", "changed", "deleted"):
        if answer["outcome"] == "ok" or f"files_{change}" in expect:
            problems += differs(f"files_{change}", expect.get(f"files_{change}", []),
                                answer["files"][change])
    fetched = {path: base64.b64decode(content)
               for path, content in answer["files"].get("fetched", {}).items()}
    wanted = {path: as_bytes(content) for path, content in expect.get("fetched", {}).items()}
    problems += differs("fetched", wanted, fetched)
    problems += differs("fetch_refused", expect.get("fetch_refused", {}),
                        answer["files"].get("fetch_refused", {}))
    return problems


def run_problems(expect, answer):
    if "outcome" not in answer:
        if "error_kind" in expect:
            return fault_problems(expect, answer)
        return [f"want outcome {expect.get('outcome')!r}, got the fault {answer['error']}"]
    problems = differs("outcome", expect.get("outcome"), answer["outcome"])
    defaults = {"exit_code": 0, "signal": None} if answer["outcome"] == "ok" else {}
    for key, value in {**defaults, **expect}.items():
        if key in ("exit_code", "signal", "correlation_id"):
            problems += differs(key, value, answer[key])
    error = answer["error"] or {"type": "", "message": ""}
    if "error_type" in expect:
        problems += differs("error_type", expect["error_type"], error["type"])
    problems += text_problems(expect, "error_message", error["message"])
    problems += text_problems(expect, "reason", answer.get("reason", ""))
    problems += stream_problems(expect, answer) + file_problems(expect, answer)
    if answer["usage"]["wall_ms"] > expect.get("max_wall_ms", 20_000):
        problems.append(f"it took {answer['usage']['wall_ms']:.0f} ms")
    return problems


def answers_in(output):
    """The answers by id. One that a daemon has given counts as none."""
    return {"" if DAEMON_ID.fullmatch(str(answer["id"])) else answer["id"]: answer
            for answer in map(json.loads, output.splitlines())}


def command_problems(expect, result):
    problems = differs("status", expect["status"], result.returncode)
    if "answers" in expect:
        answers = answers_in(result.stdout)
        problems += differs("ids answered", sorted(expect["answers"]), sorted(answers))
        for name in set(expect["answers"]) & set(answers):
            found = run_problems(expect["answers"][name], answers[name])
            problems += [f"answer {name!r}: {problem}" for problem in found]
    for stream in ("stdout", "stderr"):
        text = getattr(result, stream).decode("utf-8", "surrogateescape")
        if isinstance(expect.get(stream), bytes):
            problems += differs(stream, expect[stream], getattr(result, stream))
        else:
            problems += text_problems(expect, stream, text)
    if not names(expect, "stderr"):
        problems += differs("stderr", b"", result.stderr)
    return problems


def check_command(identity, case):
    """The problems of a case that is run in a directory of its own, which holds its inputs."""
    with tempfile.TemporaryDirectory(dir=identity.home) as directory:
        os.chmod(directory, 0o755)
        for name, content in case.data.get("inputs", {}).items():
            pathlib.Path(directory, name).write_bytes(as_bytes(content))
        result = identity.run(identity.accepting(case.cli), as_bytes(case.data.get("stdin", "")), directory)
        return command_problems(case.expect, result)


def identities(backend):
    if backend == "docker":  # refuses anybody but root
        return ["root"]
    return ["root", "user"] if os.geteuid() == 0 else ["user"]


def marks_for(name, case):
    """Each limit holds everywhere; the other cases take too long to be run behind every backend."""
    return [pytest.mark.everywhere] if name == "root" and case.cli is None and case.name.startswith("limits/") else []


def pytest_generate_tests(metafunc):
    """A test for each case and identity, by the case's path: limits/timeout-root."""
    backend = metafunc.config.option.backend
    if "case" in metafunc.fixturenames:
        chosen = [(name, Case(path, backend, name)) for path in sorted(CASES.rglob("*.toml"))
                  for name in identities(backend)]
        chosen = [(name, case) for name, case in chosen if case.is_for(name)
                  and (case.cli is None) == (metafunc.function is test_request)]
        metafunc.parametrize("who, case", indirect=["who"], argvalues=[
            pytest.param(name, case, id=f"{case.name}-{name}", marks=marks_for(name, case)) for name, case in chosen])
    elif "who" in metafunc.fixturenames:
        metafunc.parametrize("who", identities(backend), indirect=True)


@pytest.fixture(scope="module")
def everyone(pytestconfig, binary, images_of, walls):
    """Identities by name, with a state directory each; those beside a daemon have another."""
    made = {}
    with scratch_directory() as scratch:
        def identity(name, place):
            if (name, place) not in made:
                (scratch / place).mkdir(exist_ok=True)
                made[name, place] = Identity(name, binary, scratch / place, images_of, walls,
                                             pytestconfig.option.switch_off)
            return made[name, place]
        yield identity
        for one in made.values():
            one.close()


@pytest.fixture
def who(request, everyone):
    return everyone(request.param, "alone")


@pytest.fixture(scope="module")
def served(everyone):
    """An identity beside whom a daemon serves, and the daemon."""
    with contextlib.ExitStack() as daemons:
        started = {}

        def serve(name):
            if name not in started:
                one = everyone(name, "served")
                started[name] = one, daemons.enter_context(Served(one.binary, one.env, one.home, one.switch))
            return started[name]
        yield serve


def test_request(who, case):
    answer = who.ask(case.request())
    problems = run_problems(case.expect, answer)
    if case.twice:
        again = who.ask({**case.request(), "id": case.name + AGAIN})
        problems += differs("stdout the second time", answer.get("stdout"), again.get("stdout"))
    assert not problems, f"{case.data['says']}: {'; '.join(problems)}"


def test_command(who, case):
    problems = check_command(who, case)
    assert not problems, f"{case.data['says']}: {'; '.join(problems)}"


@pytest.mark.slow
def test_command_beside_a_daemon(who, case, served):
    problems = check_command(served(who.name)[0], case)
    assert not problems, f"{case.data['says']}: {'; '.join(problems)}"


@pytest.mark.slow
def test_commands_beside_a_daemon_are_run_by_it(who, served):
    one, daemon = served(who.name)
    before = daemon.runs()
    assert one.run(one.accepting(["run", "-c", "print(1)"])).stdout == b"1\n"
    assert daemon.runs() == before + 1


def test_what_differs_is_told_in_the_documents(backend):
    """By docs/backends.md and by the cases."""
    cases = [Case(path, backend, "root") for path in sorted(CASES.rglob("*.toml"))]
    assert not undeclared(cases)
