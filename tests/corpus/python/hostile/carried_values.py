#--- carried-assignment-chain: one value in three names
import os
a = b = c = os.system
c("id")
#--- carried-tuple-unpacking: unpacked beside a harmless one
import os
join, run = os.path.join, os.system
run("id")
#--- carried-nested-unpacking: out of a nested tuple
import os
(a, (b, c)) = (1, (2, os.popen))
print(c("id").read())
#--- carried-star-unpacking: caught by a starred name
import os
first, *rest = [print, os.system, len]
rest[0]("id")
#--- carried-walrus: bound inside a condition
import os
if (run := os.system):
    run("id")
#--- carried-walrus-in-comprehension: bound inside a comprehension
import os
[(f := os.system) for _ in range(1)]
f("id")
#--- carried-function-return: given back by a function
import os
def pick():
    return os.system
pick()("id")
#--- carried-return-of-return: given back through two functions
import os
def inner():
    return os
def outer():
    return inner().popen
outer()("id")
#--- carried-default-argument: kept in a default
import os
def say(text, how=os.system):
    how(text)
say("id")
#--- carried-keyword-only-default: kept in a keyword-only default
import os
def say(text, *, how=os.system):
    return how(text)
say("id")
#--- carried-parameter: handed in by the caller
import os
def apply(fn, arg):
    return fn(arg)
apply(os.system, "id")
#--- carried-star-args: handed in by star arguments
import os
def apply(*args):
    return args[0](args[1])
apply(os.system, "id")
#--- carried-kwargs: handed in by keyword arguments
import os
def apply(**kw):
    return kw["fn"](kw["arg"])
apply(fn=os.system, arg="id")
#--- carried-lambda: wrapped in a lambda
import os
run = lambda cmd: os.system(cmd)
run("id")
#--- carried-lambda-called-at-once: an immediately called lambda
import os
(lambda m, c: m.system(c))(os, "id")
#--- carried-lambda-returning-lambda: two layers of lambda
import os
(lambda: (lambda c: os.system(c)))()("id")
#--- carried-class-attribute: kept on a class
import os
class Tools:
    run = os.system
Tools.run("id")
#--- carried-instance-attribute: kept on an instance
import os
class Tools:
    def __init__(self):
        self.run = os.system
Tools().run("id")
#--- carried-inherited-attribute: kept on a base class
import os
class Base:
    m = os
class Child(Base):
    pass
Child.m.system("id")
#--- carried-property: given back by a property
import os
class Tools:
    @property
    def run(self):
        return os.system
Tools().run("id")
#--- carried-dunder-call: called through __call__
import os
class Runner:
    def __call__(self, cmd):
        return os.popen(cmd).read()
print(Runner()("id"))
#--- carried-dunder-getattr: looked up by __getattr__
import os
class Proxy:
    def __getattr__(self, name):
        return getattr(os, name)
Proxy().system("id")
#--- carried-operator-overload: run by an operator
import os
class Cmd:
    def __or__(self, text):
        return os.system(text)
Cmd() | "id"
#--- carried-context-manager: run on leaving a with block
import os
class Guard:
    def __enter__(self):
        return os.system
    def __exit__(self, *a):
        return False
with Guard() as run:
    run("id")
#--- carried-contextmanager-yield: yielded by a context manager
import os
from contextlib import contextmanager
@contextmanager
def session():
    yield os.system
with session() as s:
    s("id")
#--- carried-list: kept in a list
import os
box = [os.system]
box[0]("id")
#--- carried-dict: kept in a dictionary
import os
table = {"print": print, "list": os.system}
table["list"]("id")
#--- carried-dict-get: fetched with get
import os
{"a": os.system}.get("a")("id")
#--- carried-dict-values: fetched by looping the values
import os
for f in {"a": os.system}.values():
    f("id")
#--- carried-set-pop: fetched with pop
import os
{os.system}.pop()("id")
#--- carried-appended: appended, then popped
import os
stack = []
stack.append(os.system)
stack.pop()("id")
#--- carried-nested-container: deep in containers
import os
cfg = {"handlers": [{"fn": (None, os.popen)}]}
cfg["handlers"][0]["fn"][1]("id")
#--- carried-setdefault: stored and fetched by setdefault
import os
d = {}
d.setdefault("k", os.system)("id")
#--- carried-namedtuple: kept in a named tuple
import os
from collections import namedtuple
T = namedtuple("T", "fn arg")
t = T(os.system, "id")
t.fn(t.arg)
#--- carried-dataclass: kept in a dataclass field
import os
from dataclasses import dataclass
@dataclass
class Job:
    fn: object
    arg: str
j = Job(os.system, "id")
j.fn(j.arg)
#--- carried-simplenamespace: kept in a namespace object
import os
from types import SimpleNamespace
ns = SimpleNamespace(run=os.system)
ns.run("id")
#--- carried-list-comprehension: made by a comprehension
import os
fns = [f for f in (os.system, os.popen)]
fns[0]("id")
#--- carried-dict-comprehension: modules by name
import os, sys
mods = {m.__name__: m for m in (os, sys)}
mods["os"].system("id")
#--- carried-generator: yielded by a generator
import os
def gen():
    yield os.system
next(gen())("id")
#--- carried-generator-send: sent into a generator
import os
def worker():
    while True:
        fn, arg = yield
        fn(arg)
w = worker()
next(w)
w.send((os.system, "id"))
#--- carried-global: set by a function through global
import os
run = print
def arm():
    global run
    run = os.system
arm()
run("id")
#--- carried-nonlocal: set by an inner function through nonlocal
import os
def outer():
    run = print
    def arm():
        nonlocal run
        run = os.system
    arm()
    run("id")
outer()
#--- carried-closure: kept in a closure
import os
def make(cmd):
    def go():
        return os.system(cmd)
    return go
make("id")()
#--- carried-conditional: one of two branches
import os, sys
if len(sys.argv) > 5:
    run = print
else:
    run = os.system
run("id")
#--- carried-conditional-expression: one of two values
import os
run = print if not os.getcwd() else os.system
run("id")
#--- carried-or: the right side of or
import os
run = None or os.system
run("id")
#--- carried-while-loop: swapped in a loop
import os
f, g = print, os.system
n = 0
while n < 1:
    f, g = g, f
    n += 1
f("id")
#--- carried-for-loop: the loop variable stays
import os
for f in [len, print, os.system]:
    pass
f("id")
#--- carried-decorator: a decorator swaps the function
import os
def swap(fn):
    return os.system
@swap
def show(text):
    print(text)
show("id")
#--- carried-decorator-factory: a decorator with an argument
import os
def use(target):
    def deco(fn):
        return target
    return deco
@use(os.popen)
def load(path):
    return path
load("id")
#--- carried-registry-decorator: registered and called by name
import os
REG = {}
def register(name):
    def deco(fn):
        REG[name] = fn
        return fn
    return deco
@register("status")
def _status():
    return os.popen("id").read()
print(REG["status"]())
#--- carried-getattr: fetched with getattr
import os
getattr(os, "system")("id")
#--- carried-getattr-default: as the default of getattr
import os
getattr(object(), "missing", os.system)("id")
#--- carried-setattr: stored with setattr
import os
class Box:
    pass
setattr(Box, "go", staticmethod(os.system))
Box.go("id")
#--- carried-vars-module: through vars()
import os
vars(os)["system"]("id")
#--- carried-module-dict: through __dict__
import os
os.__dict__["system"]("id")
#--- carried-dunder-getattribute: through __getattribute__
import os
os.__getattribute__("system")("id")
#--- carried-object-getattribute: through object.__getattribute__
import os
object.__getattribute__(os, "system")("id")
#--- carried-globals-read: through globals()
import os
globals()["os"].system("id")
#--- carried-locals-read: through locals()
def f():
    import os as o
    return locals()["o"].system("id")
f()
#--- carried-globals-write: written into globals()
import os
globals()["run"] = os.system
run("id")
#--- carried-globals-update: written into globals() by update
import os
globals().update(run=os.system)
run("id")
#--- carried-attrgetter: operator.attrgetter
import os
from operator import attrgetter
attrgetter("system")(os)("id")
#--- carried-attrgetter-dotted: a dotted path from another module
import logging
from operator import attrgetter
attrgetter("os.system")(logging)("id")
#--- carried-methodcaller: operator.methodcaller
import operator, os
operator.methodcaller("system", "id")(os)
#--- carried-itemgetter: operator.itemgetter on the module dictionary
import operator, os
operator.itemgetter("system")(vars(os))("id")
#--- carried-operator-call: operator.call
import operator, os
operator.call(os.system, "id")
#--- carried-partial: functools.partial
import os
from functools import partial
partial(os.system, "id")()
#--- carried-partialmethod: functools.partialmethod
import os
from functools import partialmethod
class A:
    def go(self, cmd):
        return os.system(cmd)
    now = partialmethod(go, "id")
A().now()
#--- carried-reduce-getattr: getattr folded over a path
import logging
from functools import reduce
reduce(getattr, ["os", "system"], logging)("id")
#--- carried-map: applied by map
import os
list(map(os.system, ["id", "ls"]))
#--- carried-starmap: applied by starmap
import os
from itertools import starmap
list(starmap(os.execvp, [("sh", ["sh"])]))
#--- carried-singledispatch-cache: kept behind lru_cache
import os
from functools import lru_cache
lru_cache(os.system)("id")
#--- carried-defaultdict: as a default factory
import os
from collections import defaultdict
d = defaultdict(lambda: os.system("id"))
d["x"]
#--- carried-match-case: bound by a class pattern
import os
match {"op": os.system}:
    case {"op": fn}:
        fn("id")
#--- carried-exception-args: carried by an exception
import os
try:
    raise ValueError(os.system)
except ValueError as e:
    e.args[0]("id")
#--- carried-stop-iteration: carried by a generator's return
import os
def gen():
    return os.system
    yield
try:
    next(gen())
except StopIteration as s:
    s.value("id")
#--- carried-async-return: carried by a coroutine
import asyncio, os
async def pick():
    return os.system
async def main():
    (await pick())("id")
asyncio.run(main())
#--- carried-type-call: a class made by type()
import os
T = type("T", (), {"run": staticmethod(os.system)})
T.run("id")
#--- carried-init-subclass: run when a class is derived
import os
class Base:
    def __init_subclass__(cls, cmd=None, **kw):
        os.system(cmd)
class Child(Base, cmd="id"):
    pass
#--- carried-import-alias-in-function: alias given back by a helper
def toolbox():
    import os as o
    return {"x": o.system}
toolbox()["x"]("id")
