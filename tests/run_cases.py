#!/usr/bin/env python3
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

With --daemon a `belljar serve` runs beside them for each identity, and only commands are started:
they must end in the same way, and the daemon must have run programs for them.

Usage: run_cases.py --binary PATH [--filter TEXT] [--as root|user|both] [--daemon]
                    [--backend native|gvisor|docker] [--requests]
"""
import argparse
import base64
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

from service.daemon import Served
from service.docker import cannot_run, daemon_for

CASES = pathlib.Path(__file__).resolve().parent / "cases"
ROOT = CASES.parent.parent
BACKENDS = ROOT / "docs/backends.md"
JOBS = 4
SECONDS = 300  # a guard against a hang of the whole
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

    def __init__(self, name, binary, scratch, off="", images=None, backend="native"):
        self.name, self.home = name, scratch / name
        self.home.mkdir()
        self.binary = binary
        self.switch = {}
        if name == "user" and os.geteuid() == 0:
            os.chown(self.home, ORDINARY_UID, ORDINARY_UID)
            # The build directory may be closed to others.
            self.binary = shutil.copy(binary, scratch / "belljar")
            self.switch = {"user": ORDINARY_UID, "group": ORDINARY_UID, "extra_groups": []}
        if images:
            self.share(pathlib.Path(images) / name)
        state = str(self.home / "state")
        # Whatever it is, it runs: what is judged is tested by itself.
        policy = self.home / "walls.toml"
        policy.write_text(f'backend = "{backend}"\n' +
                          (ROOT / "examples/walls.toml").read_text(encoding="utf-8"), encoding="utf-8")
        policy.chmod(0o644)
        self.env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self.home),
                    "BELLJAR_STATE": state, "LANG": "C.UTF-8",
                    "BELLJAR_POLICY": str(policy)}
        # As an ordinary user there is no control group here that would hold a container's memory.
        self.flags = ["--allow-unenforced", "memory"] if backend != "native" else []
        if "DOCKER_HOST" in os.environ:
            self.env["DOCKER_HOST"] = os.environ["DOCKER_HOST"]
        if off:
            self.env["BELLJAR_SWITCH_OFF"] = off

    def share(self, images):
        """Uses the images of an earlier run, or leaves them for the next one."""
        for directory in (images, self.home / "state"):
            directory.mkdir(mode=0o700, exist_ok=True)
            if self.switch:
                os.chown(directory, ORDINARY_UID, ORDINARY_UID)
        (self.home / "state/images").symlink_to(images)

    def run(self, arguments, stdin=b"", cwd=None):
        return subprocess.run([self.binary, *arguments], input=stdin, capture_output=True,
                              env=self.env, cwd=cwd or self.home, timeout=SECONDS, check=False,
                              **self.switch)

    def accepting(self, words):
        """The words of a command, with the flags that every run of an ordinary user needs here."""
        if self.name != "user" or words[:1] not in (["run"], ["exec"]):
            return words
        return [words[0], *self.flags, *words[1:]]

    def problem(self):
        """Why nothing can run as this identity, or None. Builds the image on the way."""
        result = self.run(["exec", *self.flags, "--", "true"])
        return None if result.returncode == 0 else result.stderr.decode(errors="replace").strip()


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

    def is_for(self, identity):
        return not self.left_out and self.data.get("identity", identity.name) == identity.name

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


def check_requests(identity, cases):
    """Yields each case with its problems, all from one process."""
    requests = [case.request() for case in cases]
    requests += [{**case.request(), "id": case.name + AGAIN} for case in cases if case.twice]
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    try:
        result = identity.run(["run", "--jsonl", "--jobs", str(JOBS), *identity.flags], lines.encode())
    except subprocess.TimeoutExpired:
        yield from ((case, [f"not all were answered within {SECONDS} s"]) for case in cases)
        return
    answers = answers_in(result.stdout)
    for case in cases:
        if case.name in answers:
            problems = run_problems(case.expect, answers[case.name])
            if case.twice:
                problems += differs("stdout the second time", answers[case.name].get("stdout"),
                                    answers.get(case.name + AGAIN, {}).get("stdout"))
            yield case, problems
        else:
            said = result.stderr.decode(errors="replace")
            yield case, [f"no answer; belljar ended with {result.returncode}: {shown(said)}"]


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
    """The case, run in a directory of its own that holds its inputs, and its problems."""
    with tempfile.TemporaryDirectory(dir=identity.home) as directory:
        os.chmod(directory, 0o755)
        for name, content in case.data.get("inputs", {}).items():
            pathlib.Path(directory, name).write_bytes(as_bytes(content))
        try:
            result = identity.run(identity.accepting(case.cli), as_bytes(case.data.get("stdin", "")), directory)
        except subprocess.TimeoutExpired:
            return case, [f"it did not end within {SECONDS} s"]
        return case, command_problems(case.expect, result)


def check_all(identity, cases):
    commands = [case for case in cases if case.cli is not None]
    requests = [case for case in cases if case.cli is None]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        yield from pool.map(lambda case: check_command(identity, case), commands)
    if requests:
        yield from check_requests(identity, requests)


def check_with_daemon(identity, cases):
    """The commands among the cases, while a daemon serves the identity's state."""
    with Served(identity.binary, identity.env, identity.home, identity.switch) as daemon:
        yield from check_all(identity, [case for case in cases if case.cli is not None])
        if daemon.runs() == 0:
            raise SystemExit("the daemon was never asked to run anything")


def check_identity(identity, cases, check=check_all):
    """Prints what fails; returns how many passed and failed."""
    cases = [case for case in cases if case.is_for(identity)]
    problem = identity.problem()
    if problem and identity.name == "user":
        print(f"SKIP cases-as-user: {problem}")
        return 0, 0
    if problem:
        print(f"FAIL {identity.name}: nothing runs: {problem}")
        return 0, len(cases)
    passed = failed = 0
    for case, problems in check(identity, cases):
        passed, failed = passed + (not problems), failed + bool(problems)
        if problems:
            print(f"FAIL {identity.name} {case.name} ({case.data['says']}): {'; '.join(problems)}",
                  flush=True)
    return passed, failed


@contextlib.contextmanager
def scratch_directory():
    with tempfile.TemporaryDirectory(prefix="belljar-cases-") as directory:
        os.chmod(directory, 0o755)  # an ordinary user must get through to its own part
        yield pathlib.Path(directory)


def identities(wanted, backend):
    """The names to run as; says which cannot be had here."""
    if backend == "docker":  # refuses everybody but root: run_docker.py
        return ["root"]
    is_root = os.geteuid() == 0
    if not is_root and wanted != "user":
        print("SKIP cases-as-root: this is not root")
    here = ("root", "user") if is_root else ("user",)
    return [name for name in here if wanted in (name, "both")]


def cases_for(options, identity):
    cases = [Case(path, options.backend, identity) for path in sorted(CASES.rglob("*.toml"))]
    problems = undeclared(cases)
    if problems:
        raise SystemExit("\n".join(problems))
    return [case for case in cases
            if options.filter in case.name and not (options.requests and case.cli is not None)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", required=True)
    parser.add_argument("--filter", default="", help="only cases whose name contains this")
    parser.add_argument("--as", dest="identity", default="both", choices=("root", "user", "both"))
    parser.add_argument("--daemon", action="store_true", help="commands, with a daemon to use")
    parser.add_argument("--switch-off", default="", help="controls to leave out (belljar-loose)")
    parser.add_argument("--requests", action="store_true", help="no commands, only requests")
    parser.add_argument("--backend", default="native", choices=("native", "gvisor", "docker"))
    parser.add_argument("--images", help="a directory for images that several runs share")
    options = parser.parse_args()
    if cannot_run(options.backend):
        return 0
    binary = str(pathlib.Path(options.binary).absolute())
    passed = failed = 0
    with scratch_directory() as scratch, daemon_for(options.backend):
        for name in identities(options.identity, options.backend):
            cases = cases_for(options, name)
            identity = Identity(name, binary, scratch, options.switch_off, options.images,
                                options.backend)
            counts = check_identity(identity, cases,
                                    check_with_daemon if options.daemon else check_all)
            passed, failed = passed + counts[0], failed + counts[1]
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
