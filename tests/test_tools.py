"""Tools of MCP servers called from cells: by language, transport and revision; limits; hostile servers.

With --backend another one builds the walls of all cells.
"""
import base64
import contextlib
import json
import os
import pathlib

import pytest

from mcp_servers.http_server import serve
from mcp_servers.table import table
from suite import Commands, wait_for

pytestmark = pytest.mark.slow

SECRET = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"


class Alone(Commands):
    """Without a daemon."""

    def run_code(self, code, *tables, lang="python", extends="standard", env=None, **more):
        path = pathlib.Path(self.home, "policy.toml")
        path.write_text('extends = "%s"\n%sstrict_gvisor = false\n%s' %
                        (extends, self.walls.policy, "\n".join(tables)))
        self.env = {"PATH": "/usr/bin:/bin", "BELLJAR_STATE": str(self.state), **self.walls.env, **(env or {})}
        done = self.belljar("run", "--no-daemon", "--jsonl", "--policy", str(path),
                            stdin=json.dumps({"code": code, "lang": lang, **more}) + "\n")
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout)

    def prints(self, code, *tables, **more):
        result = self.run_code(code, *tables, **more)
        self.assertEqual(result["outcome"], "ok", result)
        return result["stdout"]


@pytest.mark.everywhere
class Languages(Alone):
    def test_python_at_every_level(self):
        code = """
from belljar import tools
print(dir(tools), tools.test.add(a=1, b=2), tools.test.echo(text="hello"), tools.test.picture()[1]["type"])
try:
    tools.test.fail()
except tools.ToolError as error:
    print(error.kind, error)
"""
        for level in ("strict", "standard", "relaxed"):
            result = self.run_code(code, table(), extends=level)
            self.assertEqual(result["stdout"],
                             "['Denied', 'ToolError', 'test'] {'sum': 3} hello image\n"
                             "error it did not work\n", result)
            self.assertEqual(result["usage"]["network_requests"], 4)

    def test_python_functions_have_the_signatures_of_their_schemas(self):
        said = self.prints("""
import inspect
from belljar import tools
print(inspect.signature(tools.test.add), tools.test.add.__doc__)
for arguments in ({"a": 1}, {"a": 1, "b": 2, "c": 3}):
    try:
        tools.test.add(**arguments)
    except TypeError as error:
        print(error)
try:
    tools.test.nothing
except AttributeError as error:
    print(str(error)[:45], isinstance(error, tools.Denied), error.kind, hasattr(tools, "nobody"))
try:
    tools.test.echo(text="half \\ud800")
except ValueError as error:
    print(str(error)[:29])
""", table(), extends="relaxed")
        self.assertEqual(said, "(*, a: int, b: int) -> dict Adds two numbers.\n"
                               "add() needs the argument 'b'\n"
                               "add() has no argument 'c'; it has: a, b\n"
                               "the policy allows no tool 'nothing' of test;  True denied False\n"
                               "a text holds half a character\n")

    def test_python_judges_arguments_before_anything_is_sent(self):
        said = self.prints("""
import inspect, belljar
from belljar import tools
nothing = belljar.ask
belljar.ask = lambda method, params: {"content": [{"type": "text", "text": str(params["arguments"])}]}
kinds = {"text": "string", "whole": "integer", "real": "number", "flag": "boolean", "items": "array",
         "either": ["string", "null"], "from": "string", "class": "string", "odd": "strange"}
tool = belljar.Tool("test", {"name": "t", "inputSchema": {"properties": {
    **{name: {"type": kind} for name, kind in kinds.items()}, "state": {"enum": ["open", 1]}}}})
print(inspect.signature(tool))
def attempt(*unnamed, **arguments):
    try:
        return tool(*unnamed, **arguments)
    except (TypeError, ValueError) as error:
        return "%s %s" % (type(error).__name__, error)
for arguments in ({"text": "a", "whole": 2, "real": 3, "flag": True, "items": (1, 2), "either": None, "odd": 1},
                  {"whole": 4.0, "state": 1, "from": "x", "new": 1}, {"text": 1}, {"whole": True}, {"whole": 1.5},
                  {"real": "1"}, {"flag": 0}, {"items": "ab"}, {"either": 7}, {"state": "shut"}, {"state": True},
                  {"real": float("nan")}, {"items": [1, {"a": float("inf")}]}, {"whole": 2 ** 64},
                  {"whole": 2 ** 64 - 1}, {"whole": -2 ** 63 - 1}):
    print(attempt(**arguments))
print(attempt("me"))
belljar.ask = nothing
print(list(tools), [name for name in tools.test][:2])
try:
    belljar.ask("tools/call", {"server": "test", "tool": "echo", "arguments": {"text": float("nan")}})
except ValueError as error:
    print("ValueError")
""", table(), extends="relaxed").splitlines()
        self.assertEqual(said, [
            "(*, text: str = None, whole: int = None, real: float = None, flag: bool = None, items: list = None, "
            "either: Optional[str] = None, odd: object = None, state: object = None, **others)",
            "{'text': 'a', 'whole': 2, 'real': 3, 'flag': True, 'items': (1, 2), 'either': None, 'odd': 1}",
            "{'whole': 4.0, 'state': 1, 'from': 'x', 'new': 1}",
            "TypeError the argument 'text' of t() is of the type int, and no string",
            "TypeError the argument 'whole' of t() is of the type bool, and no integer",
            "TypeError the argument 'whole' of t() is of the type float, and no integer",
            "TypeError the argument 'real' of t() is of the type str, and no number",
            "TypeError the argument 'flag' of t() is of the type int, and no boolean",
            "TypeError the argument 'items' of t() is of the type str, and no array",
            "TypeError the argument 'either' of t() is of the type int, and no string or null",
            "TypeError the argument 'state' of t() is none of: \"open\", 1",
            "TypeError the argument 'state' of t() is none of: \"open\", 1",
            *["ValueError the argument %r of t() holds the number %s, which JSON or Belljar cannot carry; give it "
              "as a text" % each for each in (("real", "nan"), ("items", "inf"), ("whole", hex(2 ** 64)))],
            "{'whole': 18446744073709551615}",
            "ValueError the argument 'whole' of t() holds the number -0x8000000000000001, which JSON or Belljar "
            "cannot carry; give it as a text",
            "TypeError the arguments of t() are given by name: " + ", ".join(
                name + "=..." for name in ("text", "whole", "real", "flag", "items", "either", "from", "class", "odd",
                                           "state")),
            "['test'] ['add', 'echo']", "ValueError"])

    def test_numbers_that_would_be_changed_are_refused_by_name(self):
        said = self.prints("""
import json, socket
line = socket.socket(socket.AF_UNIX)
line.connect("/run/belljar/tools.sock")
for number in (10 ** 22, 10 ** 400, -2 ** 63 - 1, 2 ** 64 - 1):
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
               "params": {"server": "test", "tool": "add", "arguments": {"a": number, "b": 0}}}
    line.sendall(json.dumps(request).encode() + b"\\n")
    answer = json.loads(line.makefile().readline())
    print(answer["error"]["message"] if "error" in answer else answer["result"]["structuredContent"])
""", table(), extends="relaxed").splitlines()
        for line in said[:3]:
            self.assertTrue(line.startswith('the number of "a" is beyond 64 bits'), said)
        self.assertEqual(said[3], "{'sum': 18446744073709551615}")

    def test_python_threads_and_children(self):
        said = self.prints("""
import concurrent.futures, os, subprocess, sys
from belljar import tools
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    print(sum(each["sum"] for each in pool.map(lambda i: tools.test.add(a=i, b=1), range(50))))
if os.fork() == 0:
    print(tools.test.echo(text="forked"), flush=True)
    os._exit(0)
os.wait()
print(tools.test.echo(text="parent"), flush=True)
subprocess.run([sys.executable, "-c", "from belljar import tools; print(tools.test.echo(text='child'))"])
""", table(), extends="relaxed")
        self.assertEqual(said, "1275\nforked\nparent\nchild\n")

    def test_javascript(self):
        said = self.prints("""
const { tools } = require('belljar');
(async () => {
  console.log(await tools.test.add({ a: 1, b: 2 }), await tools.servers());
  for (const call of [() => tools.test.fail(), () => tools.test.delete_all(), () => tools.other.x()]) {
    try { await call(); } catch (error) { console.log(error.name, error instanceof tools.ToolError); }
  }
  const all = await Promise.all([...Array(30).keys()].map((i) => tools.test.echo({ text: 'n' + i })));
  console.log(all.length, all[29]);
})();
""", table(allow=["add", "echo", "fail"]), lang="javascript")
        self.assertEqual(said, "{ sum: 3 } [ 'test' ]\nToolError true\nDenied true\nDenied true\n30 n29\n")

    def test_javascript_modules(self):
        module = base64.b64encode(b"import { tools } from 'belljar'; export const { add } = tools.test;").decode()
        said = self.prints("""
import belljar, { tools, Denied } from 'belljar';
import * as all from 'belljar';
import { createRequire } from 'node:module';
import { execFileSync } from 'node:child_process';
import { add } from './inner/own.mjs';
const again = await import('belljar');
console.log(await tools.test.add({ a: 1, b: 2 }), await add({ a: 3, b: 4 }), Object.keys(all).sort().join());
console.log([belljar, again.default, createRequire(import.meta.url)('belljar')].every((each) => each.tools === tools));
try { await tools.test.delete_all(); } catch (error) { console.log(error instanceof Denied); }
const child = "import { tools } from 'belljar'; console.log(await tools.test.echo({ text: 'child' }))";
console.log(execFileSync(process.execPath, ['--input-type=module', '-e', child]).toString());
""", table(allow=["add", "echo"]), lang="javascript", extends="relaxed", files={"inner/own.mjs": module})
        self.assertEqual(said, "{ sum: 3 } { sum: 7 } DatabaseError,Denied,ToolError,databases,default,tools\n"
                               "true\ntrue\nchild\n\n")

    def test_javascript_modules_at_every_level(self):
        for level in ("strict", "standard", "relaxed"):
            said = self.prints("import { tools } from 'belljar'; console.log(await tools.test.echo({ text: 'x' }))",
                               table(), lang="javascript", extends=level)
            self.assertEqual(said, "x\n", level)

    def test_bash(self):
        said = self.prints("""
belljar-tools list; belljar-tools list test | head -2
belljar-tools call test add '{"a": 1, "b": 2}'
echo '{"text": "by standard input"}' | belljar-tools call test echo -
belljar-tools call test picture
belljar-tools describe test add | head -c 14; echo
belljar-tools call test fail; echo $?
belljar-tools call test delete_all; echo $?
belljar-tools call test add '[]'; echo $?
""", table(allow=["add", "echo", "fail", "picture"]), lang="bash", extends="relaxed")
        self.assertEqual(said, 'test\nadd\necho\n{"sum":3}\nby standard input\n'
                               '[{"type":"text","text":"see"},{"type":"image","data":"AAAA","mimeType":"image/png"}]\n'
                               '{"name":"add",\n1\n126\n2\n')

    def test_the_socket_is_not_the_programs_to_replace(self):
        said = self.prints("""
import os
from belljar import tools
socket = os.environ["BELLJAR_TOOLS"]
def attempt(what):
    try:
        what(); return "done"
    except OSError:
        return "no"
print(attempt(lambda: os.unlink(socket)), attempt(lambda: os.rename(socket, "/tmp/socket")),
      attempt(lambda: os.rename("/run/belljar", "/run/other")), attempt(lambda: open("/run/belljar/x", "w")),
      tools.test.echo(text="still there"))
""", table(), extends="relaxed")
        self.assertEqual(said, "no no no no still there\n")

    def test_nothing_is_there_without_tools(self):
        result = self.run_code("import os\nprint(os.path.exists('/run/belljar/tools.sock'))\nimport belljar",
                               extends="relaxed")
        self.assertEqual((result["outcome"], result["stdout"]), ("exception", "False\n"), result)
        self.assertEqual(result["error"]["type"], "ModuleNotFoundError")


class Terms(Alone):
    """What a policy says."""

    CALL = """
from belljar import tools
def attempt(name, /, **arguments):
    from belljar import ask
    try:
        return ask("tools/call", {"server": "test", "tool": name, "arguments": arguments})["content"][0]["text"]
    except tools.ToolError as error:
        return "%s: %s" % (error.kind, error)
"""

    def attempts(self, code, *tables, **more):
        return self.prints(self.CALL + code, *tables, extends="relaxed", **more).splitlines()

    def test_only_what_is_listed_is_allowed(self):
        said = self.attempts("print(attempt('echo', text='x'))\nprint(attempt('delete_all'))\n"
                             "print('delete_all' in dir(tools.test))", table(allow=["e*"]))
        self.assertEqual(said, ["x", "denied: the policy does not allow this tool of test", "False"])

    def test_arguments_are_held_to_their_rules(self):
        rules = '[[tools.test.rules]]\ntool = "echo"\nargument = "text"\nin = ["docs/*"]\n'
        said = self.attempts("print(attempt('echo', text='docs/a'))\nprint(attempt('echo', text='etc/a'))\n"
                             "print(attempt('echo', other=1))", table() + rules)
        self.assertEqual(said[0], "docs/a")
        self.assertIn("denied: the policy does not allow this value", said[1])
        self.assertIn("denied: the policy wants the argument", said[2])

    def test_sizes_counts_and_times_are_limited(self):
        said = self.attempts(
            "print(attempt('echo', text='x' * 2000)[:30])\nprint(attempt('large', bytes=5000)[:30])\n"
            "print(attempt('sleep', seconds=5))\nprint(attempt('echo', text='fits'))\n"
            "print(attempt('echo', text='one more'))",
            table(argument_bytes="1K", result_bytes="4K", timeout="1s", max_calls=4))
        self.assertEqual(said[0], "invalid: the arguments take 20")
        self.assertEqual(said[1], "exhausted: the result takes 50")
        self.assertEqual(said[2], "exhausted: test: the server did not answer in time")
        self.assertIn("all 4 calls of test", said[4])

    def test_calls_in_a_minute_are_limited(self):
        said = self.attempts("for i in range(4): print(attempt('echo', text='x'))",
                             table(calls_per_minute=2))
        self.assertEqual(said[:2], ["x", "x"])
        self.assertIn("the policy allows 2 calls of test in a minute", said[2])

    def test_results_are_redacted_before_the_program_has_them(self):
        said = self.attempts("text = attempt('echo', text='a %s b')\nprint('ghp_' in text, text[:11])" % SECRET,
                             table())
        self.assertEqual(said, ["False a [redacted"])

    def test_secrets_come_from_the_daemon_and_not_from_the_policy(self):
        said = self.attempts("print(attempt('env', name='TOKEN'), attempt('env', name='OTHER'), "
                             "attempt('env', name='PLAIN'))",
                             table(**{"pass": ["TOKEN"]}, env='{ PLAIN = "yes" }'),
                             env={"TOKEN": "given", "OTHER": "kept"})
        self.assertEqual(said, ["given nothing yes"])
        self.assertIn("TOKEN is not set", self.attempts("print(attempt('env', name='TOKEN'))",
                                                        table(**{"pass": ["TOKEN"]}))[0])

    def test_a_call_that_asks_is_denied_where_nobody_can_be_asked(self):
        said = self.attempts("print(attempt('create_issue', title='x'))", table(ask=["create_*"]))
        self.assertIn("denied: the policy asks a person", said[0])


# The same call of every server there is.
AT_ONCE = """
import concurrent.futures
from belljar import ask, tools
def attempt(name):
    try:
        params = {"server": name, "tool": "add", "arguments": {"a": 1, "b": 2}}
        return name, ask("tools/call", params)["content"][0]["text"]
    except tools.ToolError as error:
        return name, "%s: %s" % (error.kind, error)
with concurrent.futures.ThreadPoolExecutor(16) as pool:
    for name, said in pool.map(attempt, list(tools)):
        print(name, said)
"""


class Servers(Alone):
    """Transports, revisions, and servers that do not keep to anything."""

    CODE = Terms.CALL + "print(attempt('add', a=1, b=2))\nprint(len(list(tools.test)))"

    def test_every_revision_by_standard_input_and_output(self):
        log = pathlib.Path(self.home, "log")
        for era, greeted in (("modern", "server/discover"), ("legacy", "initialize"),
                             ("2025-06-18", "initialize")):
            log.write_text("")
            said = self.prints(self.CODE, table(words=["--era", era, "--log", str(log)]), extends="relaxed")
            self.assertEqual(said, "3\n9\n", era)
            methods = [json.loads(line).get("method") for line in log.read_text().splitlines()]
            self.assertIn(greeted, methods)
            self.assertEqual("notifications/initialized" in methods, era != "modern")

    def test_a_revision_that_is_not_ours_is_refused_by_name(self):
        said = self.prints(self.CODE.split("print(len")[0], table(words=["--era", "2024-11-05"]), extends="relaxed")
        self.assertIn("speaks none of the revisions 2026-07-28, 2025-11-25 and 2025-06-18", said)

    def test_a_program_that_cannot_be_executed_is_no_denial(self):
        policy = '[tools.test]\ncommand = ["/etc/passwd"]\nallow = ["*"]\n'
        said = self.prints("""
from belljar import tools
try:
    tools.test.echo(text="x")
except tools.ToolError as error:
    print(error.kind, isinstance(error, tools.Denied))
""", policy)
        self.assertEqual(said, "unavailable False\n")

    def test_every_revision_by_http(self):
        kinds = [(era, style) for era in ("2026-07-28", "2025-11-25", "2025-06-18")
                 for style in ("json", "sse")]
        with contextlib.ExitStack() as stack:
            servers = [stack.enter_context(serve(era=era, style=style)) for era, style in kinds]
            said = self.prints(AT_ONCE, *[table("s%d" % i, url=each.url)
                                          for i, each in enumerate(servers)], extends="relaxed")
            self.assertEqual(said, "".join("s%d 3\n" % i for i in range(len(kinds))))
            for (era, style), server in zip(kinds, servers):
                (headers, _), = [each for each in server.seen if each[1].get("method") == "tools/call"]
                self.assertEqual(headers.get("MCP-Protocol-Version"), era, style)

    def test_headers_come_from_a_file(self):
        secret = pathlib.Path(self.home, "header")
        secret.write_text("Bearer abc\n")
        with serve(token="Bearer abc") as server:
            terms = table(url=server.url, headers='{ Authorization = "file:%s" }' % secret)
            self.assertEqual(self.prints(self.CODE, terms, extends="relaxed"), "3\n9\n")
            refused = self.prints(self.CODE.split("print(len")[0], table(url=server.url), extends="relaxed")
            self.assertIn("wants other credentials (HTTP 401)", refused)

    def test_hostile_servers_are_a_clear_error_and_nothing_else(self):
        late = "exhausted: %s: the server did not answer in time"
        malformed = "invalid: %s: the server's answer is malformed: "
        expected = {
            "hang": late, "die": "unavailable: %s: the server has ended",
            "leaves-and-dies": "unavailable: %s: the server has ended",
            "endless": "unavailable: %s: the server has failed: a line of more than",
            "deep": malformed, "nan": malformed, "bytes": malformed,
            "both": malformed + "it is no message of JSON-RPC: it has both a result and an error",
            "text-id": malformed + "it is no message of JSON-RPC: its id is not the number",
            "real-id": malformed + "it is no message of JSON-RPC: its id is not the number",
            "huge": "invalid: %s: the server's answer cannot be told: its number at "
                    '"result.structuredContent.sum" is beyond 64 bits', "garbage": "unavailable: %s: the server has failed: ",
            "flood": "unavailable: %s: the server has failed: it sends a flood",
            "other-id": late, "shape": "invalid: %s: the server's answer is malformed", "asks": "-32601"}
        said = self.prints(AT_ONCE, *[table(way, words=["--hostile", way], timeout="4s")
                                      for way in expected], table("honest"), extends="relaxed")
        self.compare(said, expected)

    def compare(self, said, expected):
        for line in said.splitlines():
            way, _, words = line.partition(" ")
            start = expected.get(way, "3")
            self.assertTrue(words.startswith(start % way if "%s" in start else start), line)
        self.assertEqual(len(said.splitlines()), len(expected) + 1, said)

    def test_hostile_servers_by_http(self):
        expected = {"hang": "exhausted: %s: the server did not answer in time",
                    "short": "unavailable: %s: the server cannot be reached",
                    "long": "invalid: %s: the server's answer is malformed: malformed JSON at byte",
                    "endless": "unavailable: %s: the server has failed: an event of more",
                    "redirect": "unavailable: %s: the server gave no answer (HTTP 302)"}
        with contextlib.ExitStack() as stack:
            tables = [table(way, timeout="4s", url=stack.enter_context(serve(way=way, hang_seconds=6)).url)
                      for way in expected]
            honest = stack.enter_context(serve())
            self.compare(self.prints(AT_ONCE, *tables, table("honest", url=honest.url), extends="relaxed"),
                         expected)

    def test_a_session_that_a_server_forgets_is_begun_again(self):
        code = Terms.CALL + "print(attempt('add', a=1, b=2))\nprint(attempt('add', a=1, b=2))"
        with serve(era="2025-11-25", way="forget") as server:
            said = self.prints(code, table(url=server.url), extends="relaxed")
            self.assertIn("does not know the session any more", said)
            self.assertTrue(said.endswith("\n3\n"), said)

    def test_a_server_that_dies_is_started_again_and_with_pauses(self):
        code = Terms.CALL + "for i in range(5): print(attempt('add', a=1, b=2))"
        said = self.prints(code, table(words=["--hostile", "die"]), extends="relaxed").splitlines()
        self.assertIn("the server has ended", said[1])
        self.assertIn("it is tried again in", said[-1])

    def test_no_server_outlives_its_cells(self):
        mark = "BELLJAR_TEST_%d" % os.getpid()
        self.prints(self.CODE, table(env='{ %s = "1" }' % mark), extends="relaxed")
        self.assertEqual(with_variable(mark), [])


    def test_what_a_server_has_started_ends_with_it(self):
        mark = "BELLJAR_TEST_%d" % os.getpid()
        for way in ("leaves", "leaves-and-dies"):
            self.prints(self.CODE, table(words=["--hostile", way], env='{ %s = "1" }' % mark), extends="relaxed")
            self.assertEqual(with_variable(mark), [], way)

    def test_what_a_server_has_started_ends_with_a_daemon_that_is_killed(self):
        mark = "BELLJAR_TEST_%d" % os.getpid()
        policy = pathlib.Path(self.home, "policy.toml")
        policy.write_text('extends = "relaxed"\n' + self.walls.policy +
                          table(words=["--hostile", "leaves"], env='{ %s = "1" }' % mark))
        with self.new_daemon("--policy", str(policy),
                    env={**os.environ, "BELLJAR_LEVEL": "", **self.walls.env}) as daemon:
            said = daemon.client().run(self.CODE)["stdout"]
            self.assertEqual(said, "3\n9\n")
            self.assertGreater(len(with_variable(mark)), 2)
            daemon.kill()
            wait_for(lambda: not with_variable(mark), "no process is left")


def with_variable(name):
    """Processes that have the variable."""
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if (name + "=").encode() in path.read_bytes():
                found.append(path.parent.name)
        except OSError:
            pass
    return found
