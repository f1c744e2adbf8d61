#--- dunder-import-os: the builtin with a constant
__import__("os").system("id")
#--- dunder-import-stored: the module kept in a variable
m = __import__("subprocess")
m.run(["id"])
#--- dunder-import-fromlist: a submodule through fromlist
req = __import__("urllib.request", fromlist=["urlopen"])
req.urlopen("http://example.invalid/")
#--- dunder-import-keyword: the name as a keyword argument
__import__(name="os").popen("id")
#--- dunder-import-aliased: the builtin under another name
load = __import__
load("os").system("id")
#--- dunder-import-from-builtins: taken off the module
import builtins
builtins.__import__("subprocess").call("id", shell=True)
#--- dunder-import-from-builtins-dict: taken out of the module's dictionary
import builtins
builtins.__dict__["__import__"]("os").system("id")
#--- dunder-import-via-dunder-builtins: through the hidden global
__builtins__.__import__("os").system("id")
#--- dunder-import-via-globals: through globals()
globals()["__builtins__"].__import__("os").system("id")
#--- importlib-import-module: the usual function
import importlib
importlib.import_module("subprocess").run(["id"])
#--- importlib-import-module-renamed: the usual function under another name
from importlib import import_module as plugin
plugin("os").system("id")
#--- importlib-alias: the module under another name
import importlib as il
sock = il.import_module("socket")
sock.create_connection(("192.0.2.1", 22))
#--- importlib-dunder: importlib's own __import__
import importlib
importlib.__import__("os").system("id")
#--- importlib-variable-name: the name comes from a list
import importlib
for name in ["json", "math", "subprocess"]:
    mod = importlib.import_module(name)
mod.run("id", shell=True)
#--- importlib-relative: package argument
import importlib
req = importlib.import_module(".request", package="urllib")
req.urlopen("http://example.invalid/")
#--- importlib-reload: run a module again after changing it
import importlib, json
json.__file__ = "/tmp/evil.py"
importlib.reload(json)
#--- importlib-util-spec: build a module from a file
import importlib.util
spec = importlib.util.spec_from_file_location("x", "/tmp/x.py")
mod = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mod)
#--- importlib-util-find-spec: find and load os
from importlib.util import find_spec, module_from_spec
s = find_spec("subprocess")
m = module_from_spec(s)
s.loader.exec_module(m)
m.run(["id"])
#--- importlib-source-loader: the loader class by hand
from importlib.machinery import SourceFileLoader
SourceFileLoader("mod", "/tmp/payload.py").load_module()
#--- importlib-extension-loader: a native library as a module
from importlib.machinery import ExtensionFileLoader, ModuleSpec
loader = ExtensionFileLoader("evil", "/tmp/evil.so")
loader.create_module(ModuleSpec("evil", loader))
#--- importlib-builtin-importer: the importer of built-in modules
from importlib.machinery import BuiltinImporter
BuiltinImporter.load_module("posix").system("id")
#--- loader-of-main: the module's own loader
__loader__.load_module("posix").system("id")
#--- spec-loader: the loader by way of another module's spec
import sys
sys.__spec__.loader.load_module("posix").system("id")
#--- frozen-importlib: the frozen bootstrap module
import _frozen_importlib
_frozen_importlib.BuiltinImporter.load_module("posix").system("id")
#--- underscore-imp: the C half of import
import _imp
from importlib.machinery import ModuleSpec
m = _imp.create_builtin(ModuleSpec("posix", None))
m.system("id")
#--- imp-module: the old module
import imp
imp.load_source("payload", "/tmp/payload.py")
#--- pkgutil-resolve-name: a name turned into an object
import pkgutil
pkgutil.resolve_name("os:system")("id")
#--- pkgutil-get-loader: loader lookup
import pkgutil
pkgutil.get_loader("subprocess").load_module().run(["id"])
#--- pydoc-locate: documentation helper that imports
import pydoc
pydoc.locate("os.system")("id")
#--- runpy-run-path: run another file
import runpy
runpy.run_path("/tmp/stage2.py")
#--- runpy-run-module: run a module as main
from runpy import run_module
run_module("http.server", run_name="__main__")
#--- zipimport: import from an archive
import zipimport
zipimport.zipimporter("/tmp/stage2.zip").load_module("stage2")
#--- sys-modules-os: the table of loaded modules
import sys
sys.modules["os"].system("id")
#--- sys-modules-get: the same table with get
import sys
sys.modules.get("posix").system("id")
#--- sys-modules-from: the table imported on its own
from sys import modules as cache
cache["os"].popen("id").read()
#--- sys-modules-loop: searched by value
import sys
for name, mod in sys.modules.items():
    if hasattr(mod, "popen"):
        mod.popen("id")
        break
#--- sys-modules-pop: forget a guard, then import again
import sys
sys.modules.pop("os", None)
import os
os.system("id")
#--- sys-modules-plant: put an own object in the table
import sys, types
fake = types.ModuleType("json")
fake.loads = lambda text: __import__("os").system(text)
sys.modules["json"] = fake
import json
json.loads("id")
#--- sys-path-insert-tmp: import from a writable place
import sys
with open("/tmp/helper_mod.py", "w") as f:
    f.write("import os\nos.system('id')\n")
sys.path.insert(0, "/tmp")
import helper_mod
#--- sys-meta-path-hook: an own finder first in the row
import sys
class Finder:
    def find_spec(self, name, path=None, target=None):
        print("looked up", name)
        return None
sys.meta_path.insert(0, Finder())
#--- sys-path-hooks: an own path hook
import sys
sys.path_hooks.insert(0, lambda p: exec(open(p).read()))
sys.path_importer_cache.clear()
#--- dunder-import-in-lambda: the builtin in a lambda
run = lambda name, cmd: getattr(__import__(name), "system")(cmd)
run("os", "id")
#--- dunder-import-in-comprehension: several at a time
[__import__(n).system("id") for n in ("os", "posix")]
#--- dunder-import-in-default: in a default argument
def tidy(text, helper=__import__("os")):
    helper.system(text)
tidy("id")
#--- dunder-import-in-fstring: in a replacement field
print(f"{__import__('os').popen('id').read()}")
#--- dunder-import-in-nested-fstring-spec: in the format spec
print(f"{1:{__import__('os').system('id')}}")
#--- dunder-import-in-decorator: in a decorator expression
@__import__("atexit").register
def bye():
    __import__("os").system("id")
#--- dunder-import-in-assert: in an assert's message
assert False, __import__("os").system("id")
#--- dunder-import-in-annotation: annotations are evaluated
def f(x: __import__("os").system("id")) -> None:
    pass
#--- dunder-import-in-class-keyword: as a class keyword
class A(metaclass=lambda n, b, d: __import__("os").system("id")):
    pass
#--- dunder-import-in-match-subject: as a match subject
match __import__("os").system("id"):
    case 0:
        print("done")
#--- dunder-import-in-walrus: with an assignment expression
if (o := __import__("os")) and o.system("id") == 0:
    print("ok")
#--- dunder-import-in-conditional: in a conditional expression
(__import__("os") if 1 else None).system("id")
#--- dunder-import-map: applied by map
list(map(__import__, ["subprocess", "socket"]))[0].run(["id"])
#--- dunder-import-partial: bound by partial
from functools import partial
get = partial(__import__, "os")
get().system("id")
#--- dunder-import-user-input: name not known before the run
name = input("module: ")
mod = __import__(name)
print(dir(mod))
#--- ensurepip-bootstrap: the installer as a door
import ensurepip
ensurepip.bootstrap()
#--- pip-main: install and so run a package
from pip._internal.cli.main import main
main(["install", "evil-package-name"])
#--- site-addsitedir: run .pth lines
import site
with open("/tmp/a.pth", "w") as f:
    f.write("import os; os.system('id')\n")
site.addsitedir("/tmp")
#--- unittest-mock-importer: the mock library's importer
from unittest import mock
with mock.patch("os.path.join", new=mock._importer("os").system) as f:
    f("id")
