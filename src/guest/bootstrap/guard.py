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
import os
import sys
from _frozen_importlib_external import FileFinder, SourceFileLoader

# What the hook calls its kinds by number: the rule, and what it is a case of.
KINDS = (("py-eval", "dynamic-code"), ("py-code-object", "dynamic-code"),
         ("py-deserialise", "deserialisation"), ("py-process", "process"), ("py-network", "network"),
         ("py-native", "native"), ("py-introspection", "introspection"), ("py-file-outside", "files"))
WRITABLE = ("/tmp", "/vault", "/dev/shm")
READABLE = ("/usr/lib", "/usr/share", "/usr/local/lib", "/lib", "/lib64", "/etc/localtime",
            "/etc/timezone", "/etc/mime.types")
# Of these a program gets what the policy lists. Their own way out of a facade is closed too.
FACADES = ("os", "sys")


class SecurityError(Exception):
    """Something that the policy does not let user code do."""


def named_so(*bases):
    kind = type("SecurityError", bases, {"__doc__": SecurityError.__doc__})
    kind.__module__ = "builtins"
    return kind


SecurityError.__module__ = "builtins"
NoImport, NoMember = named_so(SecurityError, ImportError), named_so(SecurityError, AttributeError)
NoCall = named_so(SecurityError, PermissionError)


class Terms:
    """What the policy says. Lists come as texts, and are taken apart when they are needed."""

    def __init__(self, asked):
        self.policy, self.imports = asked["policy"], asked["imports"]
        self.refused, self.asked, self.sets = frozenset(asked["refused"]), asked, {}

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
        remedy = 'put "%s" into [python] allowed' % name
        return NoImport(self.sentence("py-import", "import %s" % name, remedy), name=name)

    def no_member(self, member):
        state["members"] += 1
        remedy = 'put "%s" into [python] members' % member
        return NoMember(self.sentence("py-member", "use %s" % member, remedy))

    def no_call(self, kind, what):
        rule, rule_class = KINDS[kind]
        return NoCall(self.sentence(rule, what, 'say [rules] %s = "warn" or [classes] %s = "warn"' % (
            rule, rule_class)))


FREE = {"policy": "", "imports": "any", "refused": (), "forbidden": "", "allowed": "", "members": ""}
state = {"terms": Terms(FREE), "members": 0}  # a session has one request after another
names = {}  # the builtins of user code
facades = {}
DYNAMIC, FILES = 0, 7


def refusal(kind, event, subject):
    """What the hook raises."""
    what = "do this (%s)" % event
    if kind == FILES and subject is not None:
        what = "use %s" % (os.fsdecode(subject) if isinstance(subject, bytes) else subject)
    return state["terms"].no_call(kind, what)


# The doors. Each returns an exception to raise, a result, or None for what is behind it.

def check_import(name, globals=None, locals=None, fromlist=(), level=0):
    terms = state["terms"]
    if level or not isinstance(name, str) or terms.imports == "any":
        return None
    if not terms.may_import(name) and not is_own(name, terms):
        return terms.no_import(name)
    top = name.partition(".")[0]
    if top in FACADES and "py-member" in terms.refused:
        return facade_for(name if fromlist else top, fromlist or (), terms)
    for item in fromlist or ():
        refused = check_item(name, item, terms)
        if refused is not None:
            return refused
    return None


def is_own(name, terms):
    """A module of the program's own, which the caller has put beside it."""
    if terms.covers("forbidden", name):
        return False
    path = os.path.join(state["workspace"], name.partition(".")[0])
    return os.path.isfile(path + ".py") or os.path.isdir(path)


def check_item(name, item, terms):
    """`from a import b`, where b may be a module that a has imported for itself."""
    if terms.covers("forbidden", "%s.%s" % (name, item)) > terms.covers("allowed", name):
        return terms.no_import("%s.%s" % (name, item))
    value = getattr(sys.modules.get(name), item, None) if isinstance(item, str) else None
    if type(value) is type(sys):
        module = value.__name__
        if module in FACADES or module == "posix" or not (
                terms.may_import(module) or module.startswith(name + ".")):
            return terms.no_import(module)
    return None


def facade_for(name, fromlist, terms):
    for item in fromlist:
        if item != "*" and not terms.may_use("%s.%s" % (name, item)):
            state["members"] -= 1  # the door counts it
            return terms.no_member("%s.%s" % (name, item))
    return facade(name, sys.modules[name])


def no_dynamic(name):
    def check(*_arguments, **_named):
        terms = state["terms"]
        return terms.no_call(DYNAMIC, "call %s" % name) if "py-eval" in terms.refused else None

    return check


# The facades.

class Facade(type(sys)):
    """A module of which only harmless members are there. Reads and writes reach the real one."""

    def __getattr__(self, name):
        return member_of(self.__name__, name)

    def __setattr__(self, name, value):
        title = self.__name__
        if not state["terms"].may_use("%s.%s" % (title, name)):
            raise state["terms"].no_member("%s.%s" % (title, name))
        setattr(facades[title][1], name, value)

    def __dir__(self):
        return harmless_names(self.__name__)


def member_of(title, name):
    real = facades[title][1]
    if name == "__all__":
        return [name for name in harmless_names(title) if not name.startswith("_")]
    whole = "%s.%s" % (title, name)
    terms = state["terms"]
    if not terms.may_use(whole):
        raise terms.no_member(whole)
    value = getattr(real, name)
    if title == "os" and name == "path":
        return facade("os.path", value)
    if type(value) is type(sys):  # os.path.os, and its like
        raise terms.no_member(whole)
    return value


def harmless_names(title):
    real, terms = facades[title][1], state["terms"]
    return [name for name in dir(real) if terms.may_use("%s.%s" % (title, name))
            and type(getattr(real, name, None)) is not type(sys) or (title, name) == ("os", "path")]


def facade(title, real):
    if title not in facades:
        made = Facade(title, real.__doc__)
        facades[title] = (made, real)
    return facades[title][0]


# Modules of the program's own.

class OwnLoader(SourceFileLoader):
    """Loads from source only, into a module that has the builtins of user code."""

    def get_code(self, fullname):
        path = self.get_filename(fullname)
        return self.source_to_code(self.get_data(path), path)

    def create_module(self, spec):
        module = type(sys)(spec.name)
        module.__dict__["__builtins__"] = names
        return module


def find_own(path):
    if not any(path == folder or path.startswith(folder + "/") for folder in state["writable"]):
        raise ImportError("not of the program's own")
    return FileFinder(path, (OwnLoader, [".py"]))


def install(workspace):
    """Once in a process."""
    native = sys.modules["_belljar"]
    state.update(native=native, workspace=workspace, writable=(workspace,) + WRITABLE)
    places = set(READABLE).union(
        sys.path, (sys.prefix, sys.base_prefix, os.path.dirname(guest.__file__)))
    state["readable"] = tuple(place for place in places if place not in ("", "/", workspace))
    sys.path_hooks.insert(0, find_own)
    sys.path_importer_cache.pop(workspace, None)
    checks = {"__import__": check_import}
    for name in ("eval", "exec", "compile", "breakpoint"):
        checks[name] = no_dynamic(name)
    state["doors"] = {name: native.door(name, check, getattr(builtins, name))
                      for name, check in checks.items()}


def arm(asked, workspace):
    """The builtins for user code, under the terms that `asked` has (None: all is free)."""
    if "native" not in state:
        if asked is None:
            return builtins
        install(workspace)
    terms = state["terms"] = Terms(asked or FREE)
    state["members"] = 0
    names.update(builtins.__dict__)
    names.update(state["doors"], SecurityError=SecurityError)
    for name in ("__loader__", "__spec__"):  # they load whatever they are asked for
        names.pop(name, None)
    bits = sum(1 << bit for bit, (rule, _) in enumerate(KINDS) if rule in terms.refused)
    state["native"].guard(bits, refusal, names, encoded("writable"), encoded("readable"))
    return names


def encoded(which):
    return tuple(os.fsencode(folder) for folder in state[which])


def refusals():
    return state["native"].refusals() + state["members"]
