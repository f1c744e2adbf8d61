"""The guard: what a policy forbids to user code, refused by the interpreter itself.

Loaded by guest.py (`guest` here) when a request comes with one. User code then runs with builtins
of its own, in which import, eval and their like are doors (_belljar.door) that ask here first; `os`
and `sys` are facades that have their harmless members only; and an audit hook in C++
(_belljar.guard) refuses events: processes, sockets, machine code, files outside the workspace.
Libraries have the real builtins and the real modules, and keep working.

Every refusal is a SecurityError that names the rule and how it may be allowed. Each is also the
error that a program would expect from a failed import, a missing member or a failed system call,
so that code which can do without goes on.

This is no wall. It makes honest programs fail early, with a sentence, and dishonest ones work for
it; who is past it is still in the cell.
"""
import builtins
import errno
import os
import sys
from _frozen_importlib import _calc___package__, _resolve_name
from _frozen_importlib_external import FileFinder, SourceFileLoader

try:
    import _posixsubprocess
except ImportError:
    _posixsubprocess = None

rules = guest.load_part("guard_rules")
WRITABLE = ("/tmp", "/vault", "/dev/shm")
READABLE = ("/artefacts", "/usr/lib", "/usr/share", "/usr/local/lib", "/lib", "/lib64",
            "/etc/localtime", "/etc/timezone", "/etc/mime.types")
# Of these a program gets what the policy lists.
FACADES = ("os", "os.path", "sys")
# What C code imports in the name of whoever calls it.
BY_C = frozenset(("_strptime", "_pydecimal", "_pydatetime", "copyreg", "warnings", "encodings"))
MOST_SHOWN, MOST_NAME = 200, 1000
Module = type(sys)
realpath = os.path.realpath


class SecurityError(Exception):
    """Something that the policy does not let user code do."""


def named_so(*bases):
    kind = type("SecurityError", bases, {"__doc__": SecurityError.__doc__})
    kind.__module__ = "builtins"
    return kind


SecurityError.__module__ = "builtins"
NoImport, NoMember = named_so(SecurityError, ImportError), named_so(SecurityError, AttributeError)
NoCall = named_so(SecurityError, PermissionError)


def shown(text):
    return "".join(c if c.isprintable() else "?" for c in text[:MOST_SHOWN])


class Terms:
    """What the policy says. Lists come as texts, and are taken apart when they are needed."""

    def __init__(self, asked):
        self.policy, self.imports = asked["policy"], asked["imports"]
        self.refused, self.asked, self.sets = frozenset(asked["refused"]), asked, {}
        self.bits = sum(1 << bit for bit, (rule, _) in enumerate(rules.KINDS) if rule in self.refused)

    def covers(self, which, name):
        """The length of the longest pattern in that list which is `name` or lies above it."""
        if which not in self.sets:
            words = self.asked[which].split()
            self.sets[which] = frozenset(word[:-2] if word.endswith(".*") else word for word in words)
        patterns = self.sets[which]
        while name and name not in patterns:
            name = name.rpartition(".")[0]
        return len(name)

    def may_import(self, name):
        if self.imports == "any" or "py-import" not in self.refused:
            return True
        allowed = self.covers("allowed", name)
        if self.imports == "listed":
            return allowed > 0
        return allowed >= self.covers("forbidden", name)

    def may_use(self, member):
        if self.imports == "any" or "py-member" not in self.refused:
            return True
        harmless = self.covers("members", member)
        return harmless > 0 and self.covers("forbidden", member) <= harmless

    def sentence(self, rule, what, remedy):
        return "%s: the policy %s does not let a program %s; to allow it, %s in a policy file, or " \
            "run it at the level relaxed" % (rule, self.policy, what, remedy)

    def no_import(self, name):
        name = shown(name)
        remedy = 'put "%s" into [python] allowed' % name
        return NoImport(self.sentence("py-import", "import %s" % name, remedy), name=name)

    def no_member(self, member, kind=NoMember):
        member = shown(member)
        remedy = 'put "%s" into [python] members' % member
        return kind(self.sentence("py-member", "use %s" % member, remedy))

    def no_call(self, kind, what):
        rule, rule_class = rules.KINDS[kind]
        remedy = 'say [rules] %s = "warn" or [classes] %s = "warn"' % (rule, rule_class)
        error = NoCall(self.sentence(rule, what, remedy))
        error.errno = errno.EACCES
        return error


FREE = {"policy": "", "imports": "any", "refused": (), "forbidden": "", "allowed": "", "members": ""}
state = {"terms": Terms(FREE), "members": 0, "asked": None}  # a session has one request after another
names = {}  # the builtins of user code
facades = {}


def refusal(kind, event, place):
    """What the hook raises."""
    what = "use %s" % shown(place) if kind == rules.FILE_OUTSIDE and place else "do this (%s)" % shown(event)
    return state["terms"].no_call(kind, what)


# The doors. Each returns an exception to raise, a result, or None for what is behind it.

def check_import(name, globals=None, locals=None, fromlist=(), level=0):
    if type(name) is not str or type(fromlist) not in (tuple, list, type(None)):
        return TypeError("a program imports by plain texts and tuples of them")
    terms, whole = state["terms"], absolute(name, globals, level)
    if terms.imports == "any" or whole is None or whole in BY_C:
        return None
    if len(whole) > MOST_NAME or not (terms.may_import(whole) or is_own(whole, terms)):
        return terms.no_import(whole)
    if "py-member" in terms.refused and (whole in FACADES or whole == "posixpath"):
        title = "os.path" if whole == "posixpath" else whole
        return check_facade(title, fromlist or (), level or title != whole)
    for item in fromlist or ():
        refused = check_item(whole, item, terms)
        if refused is not None:
            return refused
    return None


def absolute(name, globals, level):
    """What `name` means; None: nothing, as the importer will say."""
    if not level:
        return name
    try:
        return _resolve_name(name, _calc___package__(globals), level)
    except Exception:
        return None


def is_own(name, terms):
    """A module of the program's own, which the caller has put beside it."""
    top = name.partition(".")[0]
    if terms.covers("forbidden", name) or top in getattr(
            sys, "stdlib_module_names", sys.builtin_module_names):
        return False
    path = os.path.join(state["workspace"], top)
    return os.path.isfile(path + ".py") or os.path.isdir(path)


def check_item(name, item, terms):
    """`from a import b`, where b may be a module that a has imported for itself."""
    if type(item) is not str:
        return None
    whole = "%s.%s" % (name, item)
    if terms.covers("forbidden", whole) > terms.covers("allowed", name):
        return terms.no_import(whole)
    value = getattr(sys.modules.get(name), item, None)
    if type(value) is Module and value.__name__ != whole:
        if value.__name__ in FACADES + ("posix",) or not terms.may_import(value.__name__):
            return terms.no_import(value.__name__)
    return None


def check_facade(name, fromlist, itself):
    terms = state["terms"]
    for item in fromlist:
        if item != "*" and type(item) is str and not terms.may_use("%s.%s" % (name, item)):
            return terms.no_member("%s.%s" % (name, item), NoImport)
    return facade(name if fromlist or itself else name.partition(".")[0])


def no_dynamic(name):
    def check(*_arguments, **_named):
        terms = state["terms"]
        return terms.no_call(rules.EVAL, "call %s" % name) if "py-eval" in terms.refused else None

    return check


def no_fork_exec(*_arguments, **_named):
    """It has no audit event in every version."""
    terms = state["terms"]
    return terms.no_call(rules.PROCESS, "start a process") if "py-process" in terms.refused else None


# The facades: modules of which only harmless members are there. Reads and writes reach the real
# one. The methods are doors, so that none of this shows in a traceback.

def on_real(change, self, *arguments):
    """What `change` of the real module returns or raises, if the member is harmless."""
    title, real = facades[id(self)]
    name, terms = arguments[0], state["terms"]
    whole = "%s.%s" % (title, name)
    if not terms.may_use(whole) and (change is not getattr or hasattr(real, name)):
        state["members"] += 1
        return terms.no_member(whole)
    try:
        return change(real, *arguments)
    except Exception as error:
        return error.with_traceback(None)


def get_member(self, name):
    title, _ = facades[id(self)]
    if name == "__all__":
        return [name for name in list_members(self) if not name.startswith("_")]
    value = on_real(getattr, self, name)
    if type(value) is not Module:
        return value
    if (title, name) == ("os", "path"):
        return facade("os.path")
    state["members"] += 1
    return state["terms"].no_member("%s.%s" % (title, name))  # os.path.os, and its like


def set_member(self, name, value):
    return on_real(setattr, self, name, value)


def delete_member(self, name):
    return on_real(delattr, self, name)


def list_members(self):
    title, real = facades[id(self)]
    terms = state["terms"]
    return [name for name in dir(real) if terms.may_use("%s.%s" % (title, name))
            and type(getattr(real, name, None)) is not Module or (title, name) == ("os", "path")]


def facade(title):
    if title not in facades:
        made = state["kind"](title, sys.modules[title].__doc__)
        facades[title], facades[id(made)] = made, (title, sys.modules[title])
    return facades[title]


# Modules of the program's own.

class OwnLoader(SourceFileLoader):
    """Loads from source only, into a module that has the builtins of user code."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return self.source_to_code(SourceFileLoader.get_data(self, path), path)

    def get_data(self, path):
        if path != self.path:
            raise PermissionError(errno.EACCES, "it loads its own file only", path)
        return super().get_data(path)

    def create_module(self, spec):
        module = Module(spec.name)
        module.__dict__["__builtins__"] = names
        return module


def find_own(path):
    """Every folder that is none of the image's: only sources in it are modules."""
    place = realpath(str.__str__(path))
    if any(place == folder or place.startswith(folder + "/") for folder in state["readable"]):
        raise ImportError("of the image")
    return FileFinder(place, (OwnLoader, [".py"]))


def as_bytes(folders):
    return tuple(map(os.fsencode, folders))


def give_builtins():
    """The real ones as they are now, with doors."""
    names.update(builtins.__dict__)
    names.update(state["doors"], SecurityError=SecurityError)
    for name in ("__loader__", "__spec__"):  # they load whatever they are asked for
        names.pop(name, None)


def make():
    """All that no request changes, when this file is loaded: in a zygote, where nobody waits for it.
    Nothing of it is in place yet."""
    door, own = guest.NATIVE.door, os.path.dirname(guest.__file__)
    places = set(READABLE).union(guest.IMAGE_PATHS, (sys.prefix, sys.base_prefix, guest.LIBRARY))
    readable = tuple(place for place in places if place not in ("", "/"))
    state.update(readable=readable, own_bytes=as_bytes((own,)), readable_bytes=as_bytes(readable))
    state["doors"] = {"__import__": door("__import__", check_import, builtins.__import__)}
    for name in ("eval", "exec", "compile", "breakpoint"):
        state["doors"][name] = door(name, no_dynamic(name), getattr(builtins, name))
    if _posixsubprocess is not None:
        real = state["real_fork_exec"] = _posixsubprocess.fork_exec
        state["fork_exec"] = door("fork_exec", no_fork_exec, real)
    methods = {"__getattr__": get_member, "__setattr__": set_member, "__delattr__": delete_member,
               "__dir__": list_members}
    state["kind"] = type("module", (Module,), {
        name: door(name, method, None) for name, method in methods.items()})
    give_builtins()


def set_fork_exec(function):
    if _posixsubprocess is not None:
        _posixsubprocess.fork_exec = function
        if hasattr(sys.modules.get("subprocess"), "_fork_exec"):
            sys.modules["subprocess"]._fork_exec = function


def install(workspace):
    state.update(native=guest.NATIVE, workspace=workspace,
                 writable_bytes=as_bytes((workspace,) + WRITABLE))
    sys.path_hooks.insert(0, find_own)
    sys.path_importer_cache.pop(workspace, None)
    set_fork_exec(state.get("fork_exec"))
    sys.modules.pop("_belljar", None)


def remove():
    """For a program without a guard, in a process that had one: of it only a hook is left that lets
    everything pass."""
    rest()
    sys.path_hooks.remove(find_own)
    sys.path_importer_cache.pop(state["workspace"], None)
    set_fork_exec(state.get("real_fork_exec"))
    sys.modules["_belljar"] = state.pop("native")


def put_under(terms):
    state["terms"], state["members"] = terms, 0
    state["native"].guard(terms.bits, refusal, check_import, state["own_bytes"],
                          state["writable_bytes"], state["readable_bytes"])


def rest():
    """Between two programs: in place, and letting everything pass."""
    put_under(Terms(FREE))


def arm(asked, workspace):
    """The builtins for user code, under the terms that `asked` has (None: it has no guard)."""
    if "native" in state and (asked is None or state["workspace"] != workspace):
        remove()
    if asked is None:
        return builtins
    if "native" not in state:
        install(workspace)
    if state["asked"] is not asked:  # of a session's statements most are under the terms of the last
        state.update(asked=asked, armed=Terms(asked))
    put_under(state["armed"])
    return names


def refusals():
    return state["native"].refusals() + state["members"]


make()
