"""What test_guest_sessions.py holds the guests to: cases of steps, as data. Its docstring has the words."""
import collections

Case = collections.namedtuple("Case", "name steps files")
PLAIN, HTML, JSON, PNG = "text/plain", "text/html", "application/json", "image/png"
NO_INPUT = "input() was called, but this run was given no stdin"
PNG_BYTES = "b'\\x89PNG fake'"

# As much of matplotlib as plt.show() and open figures need; --real tries the real one.
MATPLOTLIB = {
    "matplotlib/__init__.py": "rcParams = {'backend': 'none'}\n",
    "matplotlib/backends/__init__.py": "",
    "matplotlib/backends/backend_agg.py": "FigureCanvas = object\n",
    "matplotlib/figure.py": (
        "class Figure:\n"
        "    def __init__(self): self.axes, self.lines, self.canvas = [1], [], self\n"
        "    figure = property(lambda self: self)\n"
        "    def savefig(self, file, format, bbox_inches): file.write(" + PNG_BYTES + ")\n"
        "    def __repr__(self): return '<Figure>'\n"),
    "matplotlib/_pylab_helpers.py": (
        "class Gcf:\n    figs = []\n"
        "    @classmethod\n    def get_all_fig_managers(cls): return list(cls.figs)\n"
        "    @classmethod\n    def destroy_all(cls): cls.figs.clear()\n"),
    "matplotlib/pyplot.py": (
        "import importlib, matplotlib\nfrom matplotlib._pylab_helpers import Gcf\n"
        "from matplotlib.figure import Figure\n"
        "def figure():\n    Gcf.figs.append(Figure())\n    return Gcf.figs[-1]\n"
        "def show():\n    name = matplotlib.rcParams['backend'].replace('module://', '')\n"
        "    importlib.import_module(name).show()\n"),
}
PANDAS = {"pandas.py": (
    "class Column(list):\n    tolist = lambda self: list(self)\n"
    "class Place:\n    def __init__(self, columns): self.columns = columns\n"
    "    def __getitem__(self, at): return Column(self.columns[at[1]])\n"
    "class DataFrame:\n"
    "    def __init__(self, data):\n        self.columns = list(data)\n"
    "        self.iloc = Place(list(data.values()))\n"
    "        self.size = sum(len(column) for column in data.values())\n"
    "    def __repr__(self): return 'a frame'\n"
    "    def _repr_html_(self): return '<table>'\n")}

PYTHON = [
    ("variables, functions and imports survive", [
        ("import math\nx = 2\ndef twice(n):\n    return 2 * n", {"plain": None}),
        ("print(twice(x), math.floor(2.5))", {"out": "4 2\n"})], {}),
    ("the value of a last expression is the result", [
        ("x = 1\nx + 1", {"plain": "2", "shows": [[PLAIN]]}), ("None", {"plain": None}),
        ("'€\\ud800'", {"plain": "'€\\ud800'"}), ("x + 1;", {"plain": None}),
        ("(x +\n 1)  # ;", {"plain": "2"}), ("if x: 5", {"plain": None})], {}),
    ("a line that only sets a name shows nothing, and one that looks like it does", [
        ("x = 3", {"plain": None}), ("x == 3", {"plain": "True"}), ("x <= 2", {"plain": "False"}),
        ("x += 1", {"plain": None}), ("x **= 2", {"plain": None}), ("x", {"plain": "16"}),
        ("x = y = 'a;b'", {"plain": None}), ("x = 2; x", {"plain": "2"}),
        ("x = 2\nx", {"plain": "2"}), ("x = 2\rx;", {"plain": None}), ("(x := 5)", {"plain": "5"}),
        ("dict(a=1)", {"plain": "{'a': 1}"}), ("import asyncio", {}),
        ("x = await asyncio.sleep(0, 7)", {"plain": None}), ("x", {"plain": "7"}),
        ("None = 1", {"error": "SyntaxError", "trace": ["line 1\n    None = 1"]}),
        ("x = (yield)", {"error": "SyntaxError", "trace": ["line 1\n    x = (yield)"]}),
        ("x = 1 +", {"error": "SyntaxError"}), ("x = = 1", {"error": "SyntaxError"})], {}),
    ("the last results have names, unless the program has", [
        ("1", {}), ("2", {}), ("3", {}), ("(_, __, ___)", {"plain": "(3, 2, 1)"}),
        ("_ = 'mine'", {}), ("7", {}), ("_", {"plain": "'mine'"})], {}),
    ("lists and dicts that are JSON are also shown so", [
        ("{'a': [1, None, 2.5, 'é']}", {"json": {"a": [1, None, 2.5, "é"]}}),
        ("{1: 2}", {"shows": [[PLAIN]]}), ("[float('nan')]", {"shows": [[PLAIN]]}),
        ("x = []\nx.append(x)\nx", {"shows": [[PLAIN]], "plain": "[[...]]"}),
        ("x = 1\nfor i in range(100): x = [x]\nx", {"shows": [[PLAIN]]}),
        ("['\\ud800']", {"json": ["?"]})], {}),
    ("texts of large values are cut", [
        ("len(repr(list(range(5000)))) > 20000", {"plain": "True"}),
        ("s = list(range(5000))\ns", {"notes": "(5000 items in all)"}),
        ("'x' * 10**7", {"notes": "(10000000 in all)"}),
        ("class R:\n    def __repr__(self): return 'r' * 10**6\nR()",
         {"notes": "(1000000 characters in all)"})], {}),
    ("a traceback shows the lines of earlier statements", [
        ("def f(n):\n    return 1 / n", {}),
        ("def g():\n    f(0)  # here", {}),
        ("g()", {"error": "ZeroDivisionError", "trace": [
            'File "cell-3.py", line 1, in <module>\n    g()',
            'File "cell-2.py", line 2, in g\n    f(0)  # here',
            'File "cell-1.py", line 2, in f\n    return 1 / n']}),
        ("import traceback\ntry:\n    g()\nexcept Exception:\n    traceback.print_exc()",
         {"err": "f(0)  # here"}), ("import inspect\ninspect.getsource(f)",
                                    {"plain": "'def f(n):\\n    return 1 / n\\n'"})], {}),
    ("a chained exception shows no frame of the guest", [
        ("try:\n    input()\nexcept EOFError as e:\n    raise KeyError(1) from e",
         {"error": "KeyError", "trace": ["The above exception was the direct cause", NO_INPUT]})],
     {}),
    ("a syntax error is shown as CPython shows it, and nothing runs", [
        ("print('no')\nx = = 1", {"error": "SyntaxError", "trace": [
            'File "cell-1.py", line 2\n    x = = 1\n', "SyntaxError: invalid syntax"]}),
        ("print('no')\nreturn 5", {"error": "SyntaxError", "trace": [
            "    return 5\n", "SyntaxError: 'return' outside function"]}),
        ("if 1:\nprint(1)", {"error": "IndentationError"})], {"cell-2.py": "a decoy\n" * 9}),
    ("what is imported from __future__ holds for later statements", [
        ("from __future__ import annotations", {}),
        ("def f(a: nothing_of_this_name): pass\nf.__annotations__",
         {"plain": "{'a': 'nothing_of_this_name'}"})], {}),
    ("it is __main__", [
        ("if __name__ == '__main__':\n    print('main')", {"out": "main\n"}),
        ("import pickle\nclass A:\n    def __eq__(self, other): return True\n"
         "pickle.loads(pickle.dumps(A())) == A()", {"plain": "True"}),
        ("import dataclasses\n@dataclasses.dataclass\nclass D:\n    a: int\nD(3)",
         {"plain": "D(a=3)"}),
        ("import multiprocessing\ndef work(n):\n    return A(), n + 1\n"
         "with multiprocessing.get_context('fork').Pool(2) as pool:\n"
         "    print([n for _, n in pool.map(work, [1, 2])])", {"out": "[2, 3]\n"}),
        ("import sys, __main__\n__main__.A is A", {"plain": "True"})], {}),
    ("the working directory and open files survive", [
        ("import os\nf = open('note', 'w')\nf.write('one')\nos.mkdir('d')\nos.chdir('d');",
         {"plain": None}),
        ("f.write('two')\nf.close()\nopen('../note').read(), os.path.basename(os.getcwd())",
         {"plain": "('onetwo', 'd')"})], {}),
    ("threads go on between statements, and print into the next", [
        ("import threading, time\ndone = threading.Event()\n"
         "def work():\n    done.wait()\n    print('late')\nt = threading.Thread(target=work)\n"
         "t.start()", {}),
        ("done.set()\nt.join()", {"out": "late\n"})], {}),
    ("await works at the top", [
        ("import asyncio\nasync def f(n):\n    await asyncio.sleep(0)\n    return n", {}),
        ("await f(7)", {"plain": "7"}), ("x = await f(1)\nx + await f(2)", {"plain": "3"}),
        ("async def bad():\n    raise KeyError('k')\nawait bad()", {
            "error": "KeyError", "trace": ["in <module>\n    await bad()", "in bad\n"],
            "hides": ["asyncio/"]}),
        ("asyncio.run(f(5))", {"plain": "5"}), ("await f(6)", {"plain": "6"}),
        ("async with asyncio.Lock():\n    print('in')", {"out": "in\n"}),
        ("[n async for n in agen()] if 0 else await f(8)", {"plain": "8"})], {}),
    ("tasks go on during later statements", [
        ("import asyncio\nseen = []\nasync def tick():\n    while True:\n        seen.append(1)\n"
         "        await asyncio.sleep(0.001)\ntask = asyncio.ensure_future(tick())\n"
         "await asyncio.sleep(0)", {}),
        ("before = len(seen)\nawait asyncio.sleep(0.05)\nlen(seen) > before", {"plain": "True"}),
        ("task.cancel()", {"plain": "True"})], {}),
    ("input wants stdin", [
        ("input()", {"error": "EOFError", "trace": ["line 1, in <module>\n    input()", NO_INPUT]}),
        ("input('? ') + input()", {"stdin": "a\nb\n", "plain": "'ab'", "out": "? "}),
        ("import sys\nsys.stdin.read()", {"plain": "''"}),
        ("sys.stdin.read()", {"stdin": "é" * 100000, "notes": "é"}),
        ("import subprocess\nsubprocess.run(['cat']);", {"stdin": "to the child", "out":
                                                         "to the child"}),
        ("input()", {"error": "EOFError", "trace": [NO_INPUT]}),
        ("input()", {"stdin": "", "error": "EOFError", "trace": ["EOF when reading a line"]})], {}),
    ("arguments are the statement's", [
        ("import sys\nsys.argv", {"args": ["a", "b c"], "json": ["cell-1.py", "a", "b c"]}),
        ("sys.argv", {"json": ["cell-2.py"]})], {}),
    ("SIGINT interrupts what a statement does, and the session lives", [
        ("import threading, time\nthreading.Timer(0.05, print, ['go']).start()\ntime.sleep(60)", {
            "interrupt": True, "error": "KeyboardInterrupt", "trace": ["line 3, in <module>\n    time.sleep(60)"]}),
        ("print('go')\nwhile True: pass", {"interrupt": True, "error": "KeyboardInterrupt"}),
        ("import asyncio\nasyncio.get_running_loop().call_later(0.01, print, 'go')\n"
         "await asyncio.sleep(60)", {
            "interrupt": True, "error": "KeyboardInterrupt", "trace": ["await asyncio.sleep(60)"]}),
        ("import os, sys\nr, w = os.pipe()\nsys.stdin = os.fdopen(r)\n"
         "threading.Timer(0.05, print, ['go']).start()\ninput()", {
            "interrupt": True, "error": "KeyboardInterrupt", "trace": ["    input()"]}),
        ("import subprocess\nprint('go')\nsubprocess.run(['sleep', '60'])", {
            "interrupt": True, "error": "KeyboardInterrupt"}),
        ("time.sleep(0.01)\n'alive'", {"plain": "'alive'"})], {}),
    ("SIGINT between statements is nobody's", [
        ("x = 5", {}), ("x", {"between": True, "plain": "5"}),
        ("import signal\nsignal.getsignal(signal.SIGINT) is signal.default_int_handler",
         {"between": True, "plain": "True"})], {}),
    ("a program's own handler of SIGINT is its own", [
        ("import signal, time\nhits = []\nsignal.signal(2, lambda *a: hits.append(1));", {}),
        ("print('go')\nwhile not hits: time.sleep(0.01)\nhits", {"interrupt": True, "json": [1]})],
     {}),
    ("exit ends the session, after what exit functions print", [
        ("import atexit\natexit.register(print, 'bye');", {}),
        ("print('x', end='')\nimport sys\nsys.exit(3)", {
            "status": "exit", "code": 3, "out": "xbye\n", "ends": 3})], {}),
    ("exit() with a text prints it", [
        ("exit('no more')", {"status": "exit", "code": 1, "err": "no more\n", "ends": 1})], {}),
    ("a hard end says nothing", [
        ("import os\nos._exit(9)", {"ends": "says nothing"})], {}),
    ("a forked child that goes on ends by itself", [
        ("import os\npid = os.fork()\nif pid == 0:\n    print('child')\nelse:\n"
         "    print(os.waitpid(pid, 0)[1])", {"out": "child\n0\n"}), ("1", {"plain": "1"})], {}),
    ("all output is there before DONE", [
        ("import sys\nsys.stdout.reconfigure(line_buffering=False)\nprint('x' * 99, end='')",
         {"out": "x" * 99}),
        ("import ctypes\nctypes.CDLL(None).printf(b'from C');", {"out": "from C"})], {}),
    ("values show themselves", [
        ("class R:\n    def __repr__(self): return 'r'\n"
         "    def _repr_html_(self): return '<b>'\n    def _repr_markdown_(self): return '*m*'\n"
         "    def _repr_latex_(self): return '$l$'\n    def _repr_svg_(self): return '<svg/>'\n"
         "    def _repr_png_(self): return b'png'\n    def _repr_jpeg_(self): return b'j', {}\n"
         "    def _repr_json_(self): return {'a': 1}\nR()", {"plain": "r", "json": {"a": 1}, "shows":
         [[PLAIN, HTML, "text/markdown", "text/latex", "image/svg+xml", PNG, "image/jpeg", JSON]]}),
        ("R", {"shows": [[PLAIN]]}),
        ("class M:\n    def _repr_mimebundle_(self, include=None, exclude=None):\n"
         "        return {'text/plain': 'm', 'text/html': '<i>', 'X Y': 1, 'a/b+json': [1]}\nM()",
         {"plain": "m", "shows": [[PLAIN, HTML, "a/b+json"]]}),
        ("class Any:\n    def __getattr__(self, name): return lambda *a, **k: '<x>'\n"
         "    def __repr__(self): return 'any'\nAny()", {"shows": [[PLAIN]]})], {}),
    ("a form that fails is left out and told", [
        ("class F:\n    def __repr__(self): return 'f'\n"
         "    def _repr_html_(self): return 1 / 0\n    def _repr_png_(self): return 7\nF()",
         {"plain": "f", "shows": [[PLAIN]], "err": "return 1 / 0"}),
        ("class G:\n    def __repr__(self): return 1 / 0\nG()", {
            "error": "ZeroDivisionError", "trace": ["in __repr__\n"]})], {}),
    ("display shows at once, and IPython.display has the names", [
        ("display(1, 'a')\n2", {"shows": [[PLAIN], [PLAIN], [PLAIN]], "plain": "2"}),
        ("from IPython.display import (display, HTML, Image, Markdown, JSON, SVG, Latex,\n"
         "    clear_output, update_display)\nfrom IPython.core.display import HTML as again\n"
         "h = display(HTML('<b>'), Markdown('*'), JSON({'a': 1}), SVG('<svg/>'), Latex('$'),\n"
         "    Image(" + PNG_BYTES + "), display_id=True)\nclear_output(wait=True)\n"
         "update_display(1, display_id='x')\nh.update(2)\nagain is HTML",
         {"plain": "True", "shows": [
             [PLAIN, HTML], [PLAIN, "text/markdown"], [PLAIN, JSON], [PLAIN, "image/svg+xml"],
             [PLAIN, "text/latex"], [PLAIN, PNG], [PLAIN], [PLAIN], [PLAIN]]}),
        ("display({'text/html': '<i>', 'image/png': b'x'}, raw=True)", {"shows": [[HTML, PNG]]}),
        ("import IPython\nIPython.get_ipython() is None", {"plain": "True"}),
        ("import IPython.nothing", {"error": "ModuleNotFoundError"})], {}),
    ("a real IPython is left alone", [
        ("from IPython.display import display\ndisplay", {"plain": "'the real one'"})],
     {"IPython/__init__.py": "", "IPython/display.py": "display = 'the real one'\n"}),
    ("a real IPython shows, and does not print", [
        ("from IPython.display import display, publish_display_data, HTML\n"
         "display(HTML(), 7)\npublish_display_data({'text/html': '<i>', 'text/plain': 'i'})",
         {"shows": [[PLAIN, HTML], [PLAIN], [HTML, PLAIN]], "out": ""})],
     {"IPython/__init__.py": "", "IPython/core/__init__.py": "",
      "IPython/core/display_functions.py":
          "def display(*values, **_named): print(*values)\n"
          "def publish_display_data(data, metadata=None, **_named): print(data)\n",
      "IPython/display.py":
          "from IPython.core.display_functions import *\n"
          "class HTML:\n    def _repr_html_(self): return '<b>'\n"}),
    ("tasks are made where a loop runs", [
        ("import asyncio\nasync def f(): return 7\nt = asyncio.create_task(f())\nawait t",
         {"plain": "7"}),
        ("u = asyncio.create_task(f())\nprint(await u, await t)", {"out": "7 7\n"}),
        ("w = asyncio.create_task(f())", {"error": "RuntimeError"}),
        ("async def g():\n    return await asyncio.create_task(f())\nawait g()", {"plain": "7"})],
     {}),
    ("too much is replaced by a note", [
        ("from IPython.display import HTML\nHTML('x' * (5 << 20))",
         {"shows": [[PLAIN]], "notes": "[text/html of 52428"}),
        ("for i in range(300): display(i)\n'last'", {"plain": "'last'", "notes":
                                                     "46 more displays were dropped"}),
        ("for i in range(9): display(HTML('x' * (3 << 20)))\n5", {"plain": "5", "notes":
                                                                  "is too large to be shown"}),
        ("display(7)", {"shows": [[PLAIN]]})], {}),
    ("what a thread displays between statements is the next one's", [
        ("import threading\ngo = threading.Event()\ndef work():\n    go.wait()\n"
         "    display('from the thread')\nt = threading.Thread(target=work)\nt.start()", {}),
        ("threading.Timer(0.05, go.set).start()", {}),
        ("t.join()", {"shows": [[PLAIN]], "notes": "from the thread"})], {}),
    ("figures appear without being saved", [
        ("import matplotlib.pyplot as plt\nplt.figure()\nplt.show()\nprint('shown')",
         {"shows": [[PLAIN, PNG]], "out": "shown\n"}),
        ("f = plt.figure()", {"shows": [[PLAIN, PNG]]}),
        ("g = plt.figure()\ng", {"shows": [[PLAIN, PNG]], "plain": "<Figure>"}),
        ("1", {"shows": [[PLAIN]]}),
        ("plt.figure()\n1 / 0", {"error": "ZeroDivisionError", "shows": [[PLAIN, PNG]]})],
     MATPLOTLIB),
    ("a chosen backend of matplotlib stays chosen", [
        ("import os\nos.environ['MPLBACKEND'] = 'agg'\nimport matplotlib\nmatplotlib.rcParams",
         {"json": {"backend": "none"}})], MATPLOTLIB),
    ("data frames are tables, text and columns", [
        ("import pandas, datetime\npandas.DataFrame({'a': [1, float('nan')], 'b': ['x', "
         "datetime.date(2020, 1, 2)]})", {
             "shows": [[PLAIN, HTML, JSON]], "plain": "a frame",
             "json": {"a": [1, None], "b": ["x", "2020-01-02"]}})], PANDAS),
    ("file operations are counted for each statement", [
        ("for i in range(7): open('/dev/null').close()", {"operations": 7, "quota": 9}),
        ("for i in range(7): open('/dev/null').close()", {"operations": 7, "quota": 9}),
        ("for i in range(99): open('/dev/null').close()", {"quota": 9, "ends": "says nothing"})],
     {}),
    ("a warning is given again in the next statement", [
        ("import warnings\nwarnings.warn('careful')", {"err": "cell-1.py:2: UserWarning: careful\n"
                                                       "  warnings.warn('careful')"}),
        ("pass\nwarnings.warn('careful')", {"err": "cell-2.py:2: UserWarning: careful"})], {}),
]
REAL = [
    ("matplotlib and pandas themselves", [
        ("import matplotlib.pyplot as plt\nplt.plot([1, 2]);", {"shows": [[PLAIN, PNG]]}),
        ("plt.plot([1, 2])\nplt.show()", {"shows": [[PLAIN, PNG]]}),
        ("fig, ax = plt.subplots()\nfig", {"shows": [[PLAIN, PNG]]}),
        ("import pandas\npandas.DataFrame({'a': [1, 2.5, None]})",
         {"shows": [[PLAIN, HTML, JSON]], "json": {"a": [1, 2.5, None]}})], {})]

JAVASCRIPT = [
    ("declarations survive and may be repeated", [
        ("const a = 1; let b = 2; class C {}; function f() { return a + b; } var v = 4;", {}),
        ("f() + v", {"plain": "7"}), ("const a = 10; class C { x = 1 }; let b = 20;", {}),
        ("f() + new C().x", {"plain": "31"}), ("a = 1", {"error": "TypeError"})], {}),
    ("the value of a last expression is the result", [
        ("({a: [1, null, 'é']})", {"json": {"a": [1, None, "é"]}, "plain": "{ a: [ 1, null, 'é' ] }"}),
        ("undefined", {"plain": None}), ("new Map([[1, 2]])", {"shows": [[PLAIN]]}),
        ("[1, undefined]", {"shows": [[PLAIN]]}), ("['\\ud800']", {"shows": [[PLAIN]]}),
        ("'x'.repeat(1e7).length", {"plain": "10000000"}), ("_", {"plain": "10000000"}),
        ("10n ** 20n", {"plain": "100000000000000000000n"})], {}),
    ("await works at the top", [
        ("const n = await new Promise((r) => setTimeout(() => r(7), 5)); n", {"plain": "7"}),
        ("await Promise.reject(new Error('no'))", {"error": "Error", "trace": ["cell-2.js:1:22"]}),
        ("n", {"plain": "7"})], {}),
    ("a stack shows the frames of statements only", [
        ("function f() {\n  throw new TypeError('bad');\n}", {}),
        ("f()", {"error": "TypeError", "trace": ["TypeError: bad\n    at f (cell-1.js:2:9)\n"
                                                 "    at cell-2.js:1:1"], "hides": ["node:vm"]}),
        ("throw 3", {"error": "number"}),
        ("let x =\nlet =;", {"error": "SyntaxError", "trace": ["cell-4.js:2\nlet =;\n     ^\n"]})],
     {}),
    ("require and import find what the workspace has", [
        ("require('./own.js').answer", {"plain": "42"}),
        ("(await import('./own.mjs')).answer + `${(await import('os')).EOL.length} import('x')`",
         {"plain": "\"431 import('x')\""}),
        ("/* import('a') */ \"import('b')\" // import('c')", {"plain": "\"import('b')\""}),
        ("import { answer as it } from './own.mjs'\nimport os, * as all from 'os'; import 'fs'\n"
         "[it, os.EOL === all.EOL, `import x from 'y'`]", {"plain": "[ 43, true, \"import x from 'y'\" ]"}),
        ("import {\n  nothing,\n} from './own.mjs';\n[nothing, new Error().stack.match(/cell-\\d+\\.js:(\\d+)/)[1]]",
         {"plain": "[ undefined, '4' ]"})],
     {"own.js": "exports.answer = 42;", "own.mjs": "export const answer = 43;"}),
    ("an unhandled rejection ends the statement, not the session", [
        ("Promise.reject(new Error('lost')); 5", {"error": "Error", "trace": ["Error: lost"]}),
        ("setTimeout(() => { throw new Error('timer'); }, 5); await new Promise(() => {})",
         {"error": "Error", "trace": ["Error: timer"]}), ("1", {"plain": "1"})], {}),
    ("timers go on between statements, and print into the next", [
        ("let done; const later = new Promise((r) => { done = r; });\n"
         "setTimeout(() => { console.log('late'); done(); }, 50); 1", {"plain": "1"}),
        ("await later", {"out": "late\n"})], {}),
    ("SIGINT interrupts what a statement does, and the session lives", [
        ("console.log('go'); while (true) {}", {"interrupt": True, "error": "Error"}),
        ("console.log('go'); await new Promise(() => {})", {"interrupt": True, "error": "Error"}),
        ("2", {"between": True, "plain": "2"})], {}),
    ("stdin is the statement's", [
        ("require('fs').readFileSync(0, 'utf8')", {"plain": "''"}),
        ("require('fs').readFileSync(0, 'utf8')", {"stdin": "one", "plain": "'one'"}),
        ("let s = ''; for await (const part of process.stdin) s += part; s",
         {"stdin": "two", "plain": "'two'"}),
        ("let s = ''; for await (const part of process.stdin) s += part; s", {"plain": "''"})], {}),
    ("process.exit ends the session, after what exit listeners print", [
        ("process.on('exit', () => console.log('bye')); process.argv.slice(2)",
         {"args": ["a"], "json": ["a"]}),
        ("process.exit(3)", {"status": "exit", "code": 3, "out": "bye\n", "ends": 3})], {}),
    ("display shows at once, and objects show themselves", [
        ("display(1); display({ [Symbol.for('Jupyter.display')]() {\n"
         "  return { 'text/html': '<b>', 'image/png': Buffer.from('x'), 'X': 1 }; } }); 2",
         {"plain": "2", "shows": [[PLAIN], [PLAIN, HTML, PNG], [PLAIN]]}),
        ("for (let i = 0; i < 300; ++i) display(i); 'last'",
         {"plain": "'last'", "notes": "46 more displays were dropped"}),
        ("display({ [Symbol.for('Jupyter.display')]: () => ({ 'text/html': 'x'.repeat(5e6) }) })",
         {"shows": [[PLAIN]], "notes": "[text/html of 50000"})], {}),
    ("all output is there before DONE", [
        ("process.stdout.write('x'.repeat(300000)); 0", {"out": "x" * 300000})], {}),
]
BASH = [
    ("variables, functions, options and the directory survive", [
        ("x=5; f() { echo \"f $x\"; }; cd /usr; set -o pipefail; alias hi='echo hello'", {}),
        ("f; pwd; set -o | grep -c 'pipefail.*on'; hi", {"out": "f 5\n/usr\n1\nhello\n"})], {}),
    ("the status of the last command is told and stays", [
        ("false", {"code": 1}), ("echo $?", {"out": "1\n"}), ("(exit 7)", {"code": 7}),
        ("nothing-of-this-name", {"code": 127, "err": "command not found"}),
        ("return 4", {"code": 4}), ("true", {"code": 0})], {}),
    ("a syntax error ends the statement, not the session", [
        ("if true; then", {"code": 2, "err": "cell-1.sh"}), ("echo on", {"out": "on\n"}),
        ("set -u; echo $nothing; echo no", {"code": 1, "err": "unbound"}), ("set +u; echo on", {
            "out": "on\n"})], {}),
    ("code is data", [
        ("echo '0 -'; printf '1 x\\n' >&2", {"out": "0 -\n", "err": "1 x"}),
        ("cat <<'E'\n'; exit 9\nE\necho \"a!b\" 'c\nd'", {"out": "'; exit 9\na!b c\nd\n"}),
        ("echo \"$1|$2\"", {"args": ["it's", "$(exit 9)"], "out": "it's|$(exit 9)\n"}),
        ("ls /proc/self/fd | tr '\\n' ' '", {"out": "0 1 2 3 "})], {}),
    ("stdin is the statement's", [
        ("cat; read x; echo $?", {"out": "1\n"}),
        ("read a; cat", {"stdin": "one\ntwo\n", "out": "two\n"}),
        ("echo $a; cat", {"out": "one\n"})], {}),
    ("SIGINT interrupts what a statement does, and the session lives", [
        ("echo go; sleep 60; echo no\necho no", {"interrupt": True, "error": "Interrupted",
                                                 "code": 130}),
        ("echo go; while :; do :; done; echo no", {"interrupt": True, "error": "Interrupted",
                                                   "code": 130}),
        ("f() { echo go; while true; do sleep 0.02; done; }; f\necho no",
         {"interrupt": True, "error": "Interrupted", "code": 130}),
        ("echo on", {"between": True, "out": "on\n"})], {}),
    ("children in the background go on", [
        ("{ sleep 0.1; echo late; } & echo first", {"out": "first\n"}),
        ("wait", {"out": "late\n"})], {}),
    ("exit ends the session, after its trap", [
        ("trap 'echo bye' EXIT", {}),
        ("exit 3", {"status": "exit", "code": 3, "out": "bye\n", "ends": 3})], {}),
    ("set -e ends the session as it ends a shell", [
        ("set -e; echo a; false; echo b", {"status": "exit", "code": 1, "out": "a\n", "ends": 1})],
     {}),
    ("another program in the shell's place is waited for", [
        ("exec sh -c 'sleep 0.1; echo other; exit 7'",
         {"status": "exit", "code": 7, "out": "other\n", "ends": 7})], {}),
]

# Enough to see that a differently started guest has all its parts.
FEW = {"variables, functions and imports survive", "await works at the top",
       "a traceback shows the lines of earlier statements", "figures appear without being saved",
       "display shows at once, and IPython.display has the names"}


def cases(language, version, real):
    table = {"python": PYTHON + (REAL if real else []), "javascript": JAVASCRIPT, "bash": BASH}
    for name, steps, files in table[language]:
        yield Case(name, steps, files)
