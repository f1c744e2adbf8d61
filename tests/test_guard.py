"""The guard in the Python interpreter: what it refuses, in which words, and what still works.

What the guard must stop is what no reading of the text can see. So the programs of these tests
write a module that came on standard input, and import it.
"""
import json
import os
import pathlib
import socket
import subprocess

from suite import Commands, Suite

HERE = pathlib.Path(__file__).resolve().parent
UNSEEN = "import sys\nopen('unseen.py', 'w').write(sys.stdin.read())\nimport unseen\n"

# What is refused, and by which rule.
REFUSED = [
    ("import socket", "py-import"),
    ("import urllib.request", "py-import"),
    ("from concurrent.futures import process", "py-import"),
    ("__import__('sub' + 'process')", "py-import"),
    ("import os\nos.system('id')", "py-member"),
    ("import os\ngetattr(os, 'fo' + 'rk')()", "py-member"),
    ("from os import execv", "py-member"),
    ("import os.path as p\np.os", "py-member"),
    ("import sys\nsys.modules", "py-member"),
    ("import sys\nsys._getframe()", "py-member"),
    ("import sys\nsys.settrace(print)", "py-member"),
    ("import random\nrandom._os.system('id')", "py-process"),
    ("import random\nrandom._os.fork()", "py-process"),
    ("import random\nrandom._os.execv('/bin/true', ['true'])", "py-process"),
    ("import random\nrandom._os.posix_spawn('/bin/true', ['true'], {})", "py-process"),
    ("import random\nrandom._os.kill(1, 9)", "py-process"),
    ("import asyncio\nasyncio.run(asyncio.create_subprocess_exec('id'))", "py-process"),
    ("import asyncio.base_events as b\nb.socket.socket()", "py-network"),
    ("import asyncio.base_events as b\nb.socket.create_connection(('127.0.0.1', 1))", "py-network"),
    ("import asyncio\nasyncio.run(asyncio.open_connection('127.0.0.1', 1))", "py-network"),
    ("import uuid\nuuid.sys.modules['_frozen_importlib']._gcd_import('ctypes').CDLL(None)",
     "py-native"),
    ("eval('1')", "py-eval"),
    ("exec('1')", "py-eval"),
    ("compile('1', '', 'eval')", "py-eval"),
    ("breakpoint()", "py-eval"),
    ("print.__self__.eval('1')", "py-eval"),
    ("(lambda: 0).__code__.replace(co_name='x')", "py-code-object"),
    ("type(lambda: 0)((lambda: 0).__code__, {})", "py-code-object"),
    ("import logging.config as c\nc.logging.sys.modules['_frozen_importlib']._gcd_import("
     "'pickle').loads(b'cbuiltins\\nprint\\n.')", "py-deserialise"),
    ("open('/etc/passwd')", "py-file-outside"),
    ("import pathlib\npathlib.Path('/proc/self/maps').read_text()", "py-file-outside"),
    ("open('../etc/passwd')", "py-file-outside"),
    ("open(b'/root/.ssh/id_rsa')", "py-file-outside"),
    ("import os\nos.listdir('/etc')", "py-file-outside"),
    ("import os\nos.chdir('/etc')\nopen('passwd')", "py-file-outside"),
    ("import pathlib\npathlib.Path('link').symlink_to('/etc/passwd')", "py-file-outside"),
    ("import sqlite3\nsqlite3.connect('/etc/x.db')", "py-file-outside"),
    ("open('/usr/lib/x', 'w')", "py-file-outside"),
    ("import shelve", "py-import"),
    # Ways around the doors.
    ("print.__self__.__import__('smtplib')", "py-import"),
    ("__package__ = 'os'\nfrom . import system", "py-member"),
    ("__import__('', {'__package__': 'socket', '__spec__': None}, None, ('socket',), 1)", "py-import"),
    ("__builtins__ = print.__self__\ndef f():\n    return eval('1')\nf()", "py-eval"),
    ("import os\nos.fork = 1", "py-member"),
    # ... around the hook's idea of a library that is being loaded
    ("import json\njson.__loader__.get_data('/etc/passwd')", "py-file-outside"),
    ("import random\nrandom._os.sys.modules['_frozen_importlib']._call_with_frames_removed("
     "open, '/etc/passwd')", "py-file-outside"),
    ("import random\np = random._os.sys.path\np[0] = '.'\nopen('zz.py', 'w').write('import ctypes')\n"
     "import zz", "py-import"),
    ("import random\nrandom._os.sys.path.insert(0, '//workspace')\n"
     "open('zz.py', 'w').write('import ctypes')\nimport zz", "py-import"),
    # ... around its idea of a name
    ("open('/dev/fd/../root/etc/passwd')", "py-file-outside"),
    ("import os\nos.mkdir('pipe:')\nopen('pipe:/../../etc/passwd')", "py-file-outside"),
    ("import io\nclass P(int):\n    def __fspath__(self):\n        return '/etc/passwd'\n"
     "io.FileIO(P(1 << 70))", "py-file-outside"),
    ("import os\nos.listdir(memoryview(b'/etc'))", "py-file-outside"),
    ("import os\nos.chdir('/etc')\nos.listdir()", "py-file-outside"),
    ("import os\nos.mkdir('d')\nos.chdir('d')\nos.rmdir('/workspace/d')\n"
     "open('../../etc/passwd')", "py-file-outside"),
    ("import os\nos.makedirs('a/b')\nos.chdir('a/b')\nimport pathlib\n"
     "pathlib.Path('/workspace/l').symlink_to('../etc/passwd')", "py-file-outside"),
    ("import os, random\nos.makedirs('a/b/c/d')\nos.chdir('a/b/c/d')\nr = random._os\n"
     "r.open('../../etc/passwd', 0, dir_fd=r.open('/usr/lib', 0))", "py-file-outside"),
    ("import os, random\nos.makedirs('a/b/c/d')\nos.chdir('a/b/c/d')\nr = random._os\n"
     "r.open(b'../../etc/passwd', 0, dir_fd=r.open('/usr/lib', 0))", "py-file-outside"),
    ("import sqlite3\nsqlite3.connect('file:/run/z.db', uri=True)", "py-file-outside"),
    ("import sqlite3\nsqlite3.connect(':memory:').enable_load_extension(True)", "py-native"),
    ("import asyncio.base_events as b\nb.subprocess._fork_exec()", "py-process"),
    ("import readline", "py-import"),
]

# The guard is not for programs to change.
SEALED = [
    "import random\nrandom._os.sys.modules['_belljar']",
    "import gc\nb = [o for o in gc.get_objects() if getattr(o, '__name__', '') == '_belljar'][0]\n"
    "b.guard(0, print, print, (), (), ())",
    "import gc\nb = [o for o in gc.get_objects() if getattr(o, '__name__', '') == '_belljar'][0]\n"
    "b.door('__import__', print, print)",
    "import os\ntype(os).__getattr__.__globals__",
]

# What works as if there were no guard. Each prints "fine".
FREE = [
    "import asyncio\nasyncio.run(asyncio.sleep(0.001))\nprint('fine')",
    "import collections, dataclasses, enum, functools, typing\n"
    "P = collections.namedtuple('P', 'a b')\n"
    "D = dataclasses.make_dataclass('D', ['x'])\nassert D(1).x == P(1, 2).a\nprint('fine')",
    "import json, csv, re, io, datetime, zoneinfo, decimal, statistics\n"
    "zoneinfo.ZoneInfo('Europe/Berlin')\nprint('fine')",
    "import tempfile, pathlib, os\nwith tempfile.TemporaryDirectory() as d:\n"
    "    p = pathlib.Path(d, 'x')\n    p.write_text('fine')\n    print(p.read_text())",
    "import os, sys\nassert os.path.join('a', 'b') == 'a/b' and sys.maxsize > 1\n"
    "os.makedirs('a/b')\nassert os.listdir('a') == ['b']\nos.environ['X'] = '1'\n"
    "assert os.getenv('X') == '1'\nprint('fine')",
    "from os import *\nassert getcwd() == '/workspace' and path.isdir('.')\nprint('fine')",
    "import sys, io, contextlib\nb = io.StringIO()\nwith contextlib.redirect_stdout(b):\n"
    "    print('fine')\nold, sys.stdout = sys.stdout, b\nprint('x')\nsys.stdout = old\n"
    "print(b.getvalue().split()[0])",
    "import sqlite3\nc = sqlite3.connect(':memory:')\nc.execute('create table t(x)')\n"
    "sqlite3.connect('here.db').execute('create table t(x)')\nprint('fine')",
    "import threading, queue, concurrent.futures\n"
    "with concurrent.futures.ThreadPoolExecutor() as e:\n    print(e.submit(lambda: 'fine').result())",
    "import unittest, doctest, logging, argparse, ast, inspect, timeit\n"
    "logging.warning('x')\nassert ast.literal_eval('[1]') == [1]\n"
    "assert timeit.timeit('1', number=1) >= 0\nprint('fine')",
    "import os\nassert not hasattr(os, 'fork')\nprint('fine')",
    "try:\n    import socket\nexcept ImportError:\n    print('fine')",
    "try:\n    open('/etc/passwd')\nexcept PermissionError:\n    print('fine')",
    "try:\n    eval('1')\nexcept SecurityError:\n    print('fine')",
    "import abc, pprint, secrets, uuid, hashlib\nuuid.uuid4(), secrets.token_hex()\n"
    "class A(abc.ABC):\n    pass\nassert type(A()).__name__ == 'A'\nprint('fine')",
    "open('beside.py', 'w').write('x = \"fine\"')\nimport beside\nprint(beside.x)",
    "from unittest import mock\nimport os, sys\nwith mock.patch.object(os, 'getcwd', lambda: 'fine'):\n"
    "    said = os.getcwd()\nassert os.getcwd() == '/workspace'\nsys.ps1 = 1\ndel sys.ps1\nprint(said)",
    "try:\n    from os import sched_yield\nexcept ImportError:\n    print('fine')",
    "import pathlib, os\nos.makedirs('a/b')\npathlib.Path('t').write_text('fine')\n"
    "link = pathlib.Path('a/b/l')\nlink.symlink_to('../../t')\nprint(link.read_text())\n"
    "link.rename('a/m')\nos.remove('a/m')",
    "import errno\ntry:\n    open('/etc/passwd')\nexcept OSError as error:\n"
    "    print('fine' if error.errno == errno.EACCES else error.errno)",
    "import os\ntry:\n    os.startfile\nexcept AttributeError as error:\n"
    "    print('fine' if type(error) is AttributeError else type(error))",
    "import os\ntry:\n    import os.foo\nexcept ModuleNotFoundError:\n    print('fine')",
    "import datetime, time\ndatetime.datetime.strptime('1', '%d')\ntime.strptime('1', '%d')\nprint('fine')",
    "import sys, io\nsys.stdout.reconfigure(encoding='utf-8')\nprint('fine')",
    "import traceback, io, os\nout = io.StringIO()\ntry:\n    os.fork()\n"
    "except AttributeError:\n    traceback.print_exc(file=out)\n"
    "print('fine' if 'guard.py' not in out.getvalue() else out.getvalue())",
    "import os, tempfile\nd = tempfile.TemporaryDirectory()\n"
    "os.makedirs(d.name + '/x/y')\nopen(d.name + '/x/y/z', 'w').close()\nd.cleanup()\n"
    "print('fine' if not os.path.exists(d.name) else 'left')",
    "import os.path as p, posixpath\nprint('fine' if p.join('a', 'b') == posixpath.join('a', 'b') else '')",
]

NUMPY = ("import numpy as np\nnp.save('x.npy', np.arange(3))\nassert np.load('x.npy').sum() == 3\n"
         "print('fine')")


class Guarded(Commands):
    def run_unseen(self, codes, *flags):
        """The results of programs that nobody can read beforehand."""
        lines = "".join(json.dumps({"id": i, "code": UNSEEN, "stdin": code}) + "\n"
                        for i, code in enumerate(codes))
        done = self.belljar("run", "--jsonl", *flags, stdin=lines)
        results = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual(len(results), len(codes), done.stderr)
        return sorted(results, key=lambda result: result["id"])

    def policy(self, text, extends="standard"):
        path = pathlib.Path(self.home, "policy.toml")
        path.write_text('extends = "%s"\n' % extends + text)
        return "--policy", str(path)


class Refusals(Guarded):
    def test_what_cannot_be_read_is_refused_where_it_happens(self):
        for (code, rule), result in zip(REFUSED, self.run_unseen([code for code, _ in REFUSED])):
            with self.subTest(code):
                error = result["error"]
                self.assertEqual((result["outcome"], error and error["type"]),
                                 ("exception", "SecurityError"), result)
                self.assertTrue(error["message"].startswith(rule + ": "), error["message"])
                self.assertIn("to allow it, ", error["message"])
                self.assertGreaterEqual(result["usage"]["refusals"], 1)
                self.assertNotIn("guard.py", error["traceback"])

    def test_programs_cannot_set_the_guard(self):
        for code, result in zip(SEALED, self.run_unseen(SEALED)):
            with self.subTest(code):
                self.assertEqual(result["outcome"], "exception", result)

    def test_libraries_and_harmless_programs_keep_working(self):
        programs = FREE + ([NUMPY] if self.has_numpy() else [])
        for code, result in zip(programs, self.run_unseen(programs)):
            with self.subTest(code):
                self.assertEqual((result["outcome"], result["stdout"]), ("ok", "fine\n"), result)

    def has_numpy(self):
        return self.belljar("run", "-c", "import numpy").returncode == 0

    def test_a_module_that_is_missing_is_missing(self):
        result, = self.run_unseen(["import no_such_thing"])
        self.assertEqual(result["error"]["type"], "ModuleNotFoundError")
        self.assertEqual(result["usage"]["refusals"], 0)

    def test_strict_takes_listed_modules_only(self):
        codes = ["import threading", "import math\nprint(math.pi > 3)", "(lambda: 0).__code__"]
        note = '{ files = false, network = false, memory = false, note = "of the test" }'
        results = self.run_unseen(codes, *self.policy(
            '[python]\nallowed = ["sys", "math", "unseen"]\n[modules.python]\nunseen = ' + note,
            extends="strict"))
        self.assertEqual([result["outcome"] for result in results], ["exception", "ok", "exception"])
        self.assertIn("import threading", results[0]["error"]["message"])
        self.assertIn("py-introspection", results[2]["error"]["message"])

    def test_relaxed_has_none(self):
        code = "import os, socket\nos.system('true')\nprint(os.listdir('/etc') and eval('42'))"
        result, = self.run_unseen([code], "--level", "relaxed")
        self.assertEqual((result["stdout"], result["usage"].get("refusals")), ("42\n", None))

    def test_relaxed_finds_nothing_of_the_one_that_its_cell_has_rehearsed(self):
        code = ("import _posixsubprocess, builtins, sys\n"
                "print(len(sys.path_hooks), _posixsubprocess.fork_exec.__module__,"
                " __builtins__ is builtins, '_belljar' in sys.modules)")
        pause = {"id": "pause", "code": "import time\ntime.sleep(0.5)"}  # cells rehearse meanwhile
        lines = [pause] + [{"id": "%d" % i, "code": code} for i in range(4)]
        done = self.belljar("run", "--jsonl", "--jobs", "1", "--level", "relaxed",
                            stdin="".join(json.dumps(line) + "\n" for line in lines))
        results = [json.loads(line)["stdout"] for line in done.stdout.splitlines()]
        self.assertEqual(results, [""] + ["2 _posixsubprocess True True\n"] * 4)

    def test_compiled_files_beside_a_program_are_not_believed(self):
        code = ("import pathlib, py_compile\npathlib.Path('late.py').write_text('import socket')\n"
                "py_compile.compile('late.py', 'late.pyc')\npathlib.Path('late.py').unlink()\n"
                "import late")
        result, = self.run_unseen([code])
        self.assertEqual(result["error"]["type"], "ModuleNotFoundError", result)


class Allowed(Guarded):
    def test_what_a_policy_file_allows_is_let_through(self):
        note = '{ files = false, network = true, memory = false, note = "sockets" }'
        terms = self.policy('[python]\nallowed = ["socket", "urllib.parse"]\n'
                            '[rules]\npy-file-outside = "warn"\n[modules.python]\nsocket = ' + note)
        codes = ["import socket\nsocket.socket()", "import os\nprint(os.listdir('/etc'))",
                 "import subprocess"]
        rules = [result["error"] and result["error"]["message"].split(":")[0]
                 for result in self.run_unseen(codes, *terms)]
        self.assertEqual(rules, ["py-network", None, "py-import"])

    def test_a_policy_may_do_without(self):
        result, = self.run_unseen(["import socket\nprint(eval('42'))"], *self.policy(
            "[python]\nguard = false\n"))
        self.assertEqual(result["stdout"], "42\n")

    def test_what_a_person_has_granted_is_let_through_and_nothing_else(self):
        code = UNSEEN + "print(eval('6*7'))\n"
        for unseen, outcome in (("1", "ok"), ("import socket", "exception")):
            self.belljar("run", "--json", "-c", code, stdin=unseen)
            questions = json.loads(self.belljar("approvals", "list", "--json").stdout)["approvals"]
            waiting = [question["id"] for question in questions if question["state"] == "waiting"]
            self.assertEqual(self.belljar("approvals", "approve", waiting[0], "--yes").returncode, 0)
            result = json.loads(self.belljar("run", "--json", "-c", code, stdin=unseen).stdout)
            self.assertEqual(result["outcome"], outcome, result)


class Sessions(Suite):
    def test_the_guard_stays_from_run_to_run(self):
        unseen = ("import random\nimport os\ndef fork():\n    random._os.fork()\n"
                  "def here():\n    return os.getcwd()\n")
        with self.new_daemon(env={**os.environ, "BELLJAR_LEVEL": ""}) as daemon:
            client = daemon.client()
            path = "/v1/sessions/%s/runs" % client.post("/v1/sessions", {}).json()["id"]

            def run(code, **more):
                result = client.post(path, {"code": code, **more}).json()
                said = result["error"]["message"].split(":")[0] if result["error"] else "ok"
                return said, result["usage"]["refusals"]

            self.assertEqual(run(UNSEEN, stdin=unseen), ("ok", 0))
            self.assertEqual(run("unseen.fork()"), ("py-process", 1))
            self.assertEqual(run("here = unseen.here()"), ("ok", 0))
            self.assertEqual(run("for _ in range(3):\n    try:\n        unseen.fork()\n"
                                 "    except PermissionError:\n        pass"), ("ok", 3))

    def test_sessions_that_go_back_or_part_have_it_too(self):
        unseen = "import random\ndef fork():\n    random._os.fork()\n"
        with self.new_daemon(env={**os.environ, "BELLJAR_LEVEL": ""}) as daemon:
            client = daemon.client()
            path = "/v1/sessions/" + client.post("/v1/sessions", {}).json()["id"]

            def fork_in(session):
                result = client.post(session + "/runs", {"code": "unseen.fork()"}).json()
                return result["error"]["message"].split(":")[0], result["usage"]["refusals"]

            client.post(path + "/runs", {"code": UNSEEN, "stdin": unseen})
            saved = client.post(path + "/checkpoints", {}).json()["id"]
            self.assertEqual(fork_in(path), ("py-process", 1))
            self.assertEqual(client.post(path + "/rollback", {"checkpoint": saved}).status, 200)
            for _ in range(2):
                self.assertEqual(fork_in(path), ("py-process", 1))
            branches = client.post(path + "/fork", {"count": 2}).json()["sessions"]
            for branch in branches * 2:
                self.assertEqual(fork_in("/v1/sessions/" + branch["id"]), ("py-process", 1))


# Makes a bytearray of all memory out of a constant that is none, and empties the list of audit
# hooks with it. {offset}: from the empty tuple to the head of that list.
CORRUPTS = """
import random, struct
whole = struct.pack('<7Q', 1 << 30, id(bytearray), 2**63 - 1, 2**63 - 1, 0, 0, 0)
slot = struct.pack('<Q', id(whole) + 32)
code = (lambda: None).__code__.replace(co_consts=(None, 1.5, 'a tuple of its own'))
away = (id(slot) + 32 - id(code.co_consts) - 24) // 8 & 0xffffffff
a, b, c, d = away.to_bytes(4, 'big')
def f(): pass
f.__code__ = code.replace(co_code=bytes([151, 0, 144, a, 144, b, 144, c, 100, d, 83, 0]))
memory = f()
head = id(()) + {offset}
memory[head:head + 8] = bytes(8)
os = random._os
print('past the guard:', 'passwd' in os.listdir('/etc'), os.system('true') == 0)
"""
HELD = """
import sys
def held(what, attempt):
    try:
        attempt()
        print('NOT HELD:', what)
    except OSError:
        print('held:', what)
socket = __import__('asyncio').base_events.socket
held('network', lambda: socket.create_connection(('127.0.0.1', {port}), 2))
held('host file', lambda: open('{secret}'))
held('image', lambda: open('/usr/bin/x', 'w'))
held('host process', lambda: os.kill({pid}, 0))
held('other root', lambda: os.chroot('/'))
"""
FIND_HEAD = """
import ctypes
hook = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p)(lambda *_: 0)
ctypes.pythonapi.PySys_AddAuditHook(hook, ctypes.c_void_p(0xb311))
start = ctypes.addressof(ctypes.c_char.in_dll(ctypes.pythonapi, '_PyRuntime'))
maps = [line.split()[0].split('-') for line in open('/proc/self/maps') if ' r' in line]
maps = [(int(a, 16), int(b, 16)) for a, b in maps]
def word(address):
    return ctypes.c_uint64.from_address(address).value
for at in range(start, start + 4096, 8):
    entry = word(at)
    if entry % 8 == 0 and any(a <= entry < b - 24 for a, b in maps) and word(entry + 16) == 0xb311:
        print(at - id(()))
        break
"""


class Broken(Guarded):
    """The guard is no wall: a program that corrupts memory is past it, and meets the cell."""

    def test_a_program_that_breaks_the_guard_is_held_by_the_cell(self):
        python = subprocess.run(["/usr/bin/python3", "-c", FIND_HEAD], capture_output=True, text=True)
        self.assertTrue(python.stdout.strip(), python.stderr)
        secret = pathlib.Path(self.home, "secret")
        secret.write_text("of the host")
        with socket.create_server(("127.0.0.1", 0)) as server:
            code = CORRUPTS.format(offset=python.stdout.strip()) + HELD.format(
                port=server.getsockname()[1], secret=secret, pid=os.getpid())
            result, = self.run_unseen([code], *self.policy('[rules]\npy-code-object = "warn"\n'))
        self.assertEqual(result["stdout"].splitlines(), [
            "past the guard: True True", "held: network", "held: host file", "held: image",
            "held: host process", "held: other root"], result)
