#--- eval-constant: a command in a constant
eval("__import__('os').system('id')")
#--- exec-constant: statements in a constant
exec("import os\nos.system('id')")
#--- eval-input: whatever the user types
print(eval(input("> ")))
#--- exec-stdin: a program from stdin
import sys
exec(sys.stdin.read())
#--- exec-file: a program from a file
exec(open("payload.txt").read())
#--- exec-argv: a program from the arguments
import sys
exec(sys.argv[1])
#--- exec-env: a program from the environment
import os
exec(os.environ.get("PAYLOAD", ""))
#--- compile-then-exec: in two steps
code = compile("import os; os.system('id')", "<x>", "exec")
exec(code)
#--- compile-then-eval: in two steps, an expression
co = compile("__import__('os').getuid()", "<x>", "eval")
print(eval(co))
#--- compile-single: interactive mode
exec(compile("__import__('os').system('id')", "", "single"))
#--- compile-ast: a tree, compiled and run
import ast
tree = ast.parse("__import__('os').system('id')", mode="eval")
eval(compile(tree, "<t>", "eval"))
#--- compile-ast-by-hand: a tree put together by hand
import ast
call = ast.Call(ast.Name("__import__", ast.Load()), [ast.Constant("os")], [])
expr = ast.Expression(ast.Call(ast.Attribute(call, "system", ast.Load()), [ast.Constant("id")], []))
eval(compile(ast.fix_missing_locations(expr), "<t>", "eval"))
#--- eval-renamed: the builtin under another name
e = eval
e("__import__('os').system('id')")
#--- exec-renamed-twice: two aliases
first = exec
second = first
second("import os; os.system('id')")
#--- eval-in-tuple: picked out of a tuple
(print, eval)[1]("__import__('os').system('id')")
#--- eval-in-dict: picked out of a dictionary
ops = {"show": print, "calc": eval}
ops["calc"]("__import__('os').system('id')")
#--- exec-via-builtins: off the module
import builtins
builtins.exec("import os; os.system('id')")
#--- exec-from-builtins: imported by name
from builtins import exec as display
display("import os; os.system('id')")
#--- exec-from-builtins-star: star import of builtins
from builtins import *
exec("import os; os.system('id')")
#--- exec-getattr-concat: name joined from two parts
import builtins
getattr(builtins, "ex" + "ec")("import os; os.system('id')")
#--- eval-getattr-dunder-builtins: off the hidden global
getattr(__builtins__, "eval")("__import__('os').system('id')")
#--- eval-builtins-subscript: hidden global as a dictionary
__builtins__["eval"]("__import__('os').system('id')")
#--- eval-builtins-vars: vars of the hidden global
vars(__builtins__)["eval"]("__import__('os').system('id')")
#--- eval-globals-get: through globals().get
b = globals().get("__builtins__")
b = b if isinstance(b, dict) else b.__dict__
b["eval"]("__import__('os').system('id')")
#--- eval-own-namespace: an empty namespace does not help
eval("__import__('os').system('id')", {"x": 1}, {})
#--- eval-no-builtins-escape: the well-known way past {'__builtins__': {}}
eval("[c for c in ().__class__.__base__.__subclasses__() if c.__name__ == 'Popen']", {"__builtins__": {}})
#--- exec-decorators-on-class: input, then exec, as decorators
@exec
@input
class Prompt:
    pass
#--- exec-decorator-on-function: a lambda gives the text
@exec
@(lambda f: "import os; os.system('id')")
def nothing():
    pass
#--- eval-map: applied by map
list(map(eval, ["__import__('os').system('id')"]))
#--- exec-filter: applied by filter
list(filter(exec, ["import os; os.system('id')"]))
#--- eval-sort-key: as a sort key
sorted(["__import__('os').system('id')"], key=eval)
#--- eval-max-key: as a key of max
max(["1", "__import__('os').system('id')"], key=eval)
#--- exec-any-generator: in a generator
any(exec(line) for line in ["import os", "os.system('id')"])
#--- eval-class-getitem: called by subscription
class Calc:
    __class_getitem__ = eval
Calc["__import__('os').system('id')"]
#--- exec-dunder-getattr: called by attribute access
class Box:
    pass
Box.__getitem__ = lambda self, code: exec(code)
Box()["import os; os.system('id')"]
#--- eval-staticmethod: kept as a static method
class Tool:
    run = staticmethod(eval)
Tool.run("__import__('os').system('id')")
#--- eval-partial: bound by partial
from functools import partial
later = partial(eval, "__import__('os').system('id')")
later()
#--- eval-reduce: applied by reduce
from functools import reduce
reduce(lambda acc, src: eval(src), ["1", "__import__('os').system('id')"])
#--- eval-json-hook: called by the json parser
import json
json.loads('{"a": 1}', object_hook=lambda d: eval("__import__('os').system('id')"))
#--- eval-json-parse-float: the parser's number hook
import json
json.loads("[1.5]", parse_float=exec)
exec("import os; os.system('id')")
#--- eval-re-sub: called by re.sub
import re
re.sub(r".+", lambda m: str(eval(m.group())), "__import__('os').system('id')")
#--- eval-default-arg: in a default argument
def calc(text, fn=eval):
    return fn(text)
calc("__import__('os').system('id')")
#--- eval-match-capture: captured by a pattern
match eval:
    case fn:
        fn("__import__('os').system('id')")
#--- exec-loop-variable: bound by a for loop
for fn in (print, exec):
    fn("import os; os.system('id')")
#--- exec-with-thread: run on a thread
import threading
t = threading.Thread(target=exec, args=("import os; os.system('id')",))
t.start()
t.join()
#--- exec-executor: run by an executor
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor() as ex:
    ex.submit(exec, "import os; os.system('id')")
#--- timeit-statement: timeit runs text
import timeit
timeit.timeit("__import__('os').system('id')", number=1)
#--- timeit-setup: the setup text runs too
from timeit import Timer
Timer("pass", setup="import os; os.system('id')").timeit(1)
#--- cprofile-run: the profiler runs text
import cProfile
cProfile.run("__import__('os').system('id')")
#--- pdb-run: the debugger runs text
import pdb
pdb.run("__import__('os').system('id')")
#--- bdb-runeval: the debugger's base class runs text
import bdb
bdb.Bdb().runeval("__import__('os').system('id')")
#--- code-interpreter: the interactive interpreter class
import code
code.InteractiveInterpreter().runsource("import os; os.system('id')")
#--- code-interact: an interpreter for the user
from code import interact
interact(local={})
#--- codeop-compile: the compiler of the interactive shell
import codeop
c = codeop.compile_command("__import__('os').system('id')")
exec(c)
#--- trace-run: the tracer runs text
import trace
trace.Trace().run("__import__('os').system('id')")
#--- doctest-run: a docstring that is run
import doctest
def add(a, b):
    """
    >>> __import__('os').system('id')
    0
    """
    return a + b
doctest.testmod()
#--- typing-get-type-hints: string annotations are evaluated
import typing
def f(x: "__import__('os').system('id')"):
    return x
typing.get_type_hints(f)
#--- typing-forward-ref: a forward reference is evaluated
from typing import ForwardRef
ForwardRef("__import__('os').system('id')")._evaluate(globals(), None, frozenset())
#--- namedtuple-field-injection: exec of a class template
ns = {}
template = "class Row:\n    x = __import__('os').system('{cmd}')"
exec(template.format(cmd="id"), ns)
#--- pandas-query-escape: an expression that leaves pandas
import pandas as pd
df = pd.DataFrame({"a": [1]})
df.query("@pd.io.common.os.popen('id').read()")
#--- pandas-eval-import: pd.eval with a builtin
import pandas as pd
pd.eval("__import__('os').system('id')", engine="python")
#--- sympy-sympify: sympify evaluates text
from sympy import sympify
sympify("__import__('os').system('id')")
#--- numexpr-evaluate: old numexpr evaluates text
import numexpr
numexpr.evaluate("__import__('os').system('id')")
#--- ipython-magic: a shell line through IPython
from IPython import get_ipython
get_ipython().system("id")
#--- exec-tuple-code: exec with a joined program
lines = ["import os", "os.system('id')"]
exec("\n".join(lines))
#--- exec-docstring: the program is the docstring
def job():
    """import os; os.system('id')"""
exec(job.__doc__)
#--- exec-comment-of-own-source: the program is in this file
# X import os; os.system('id')
for line in open(__file__):
    if line.startswith("# X "):
        exec(line[4:])
#--- ast-literal-then-eval: looks like literal_eval
from ast import literal_eval
literal_eval = eval
literal_eval("__import__('os').system('id')")
#--- breakpoint-call: drops into the debugger
import sys
sys.breakpointhook = lambda *a, **k: exec(input())
breakpoint()
