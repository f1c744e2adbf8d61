"""The Python guest: runs one program in this interpreter as plain CPython would have run it.

Started inside a cell as `python3 -I -S /.belljar/guest.py`, with the control stream on descriptor
3 (docs/guest-protocol.md). It says HELLO, reads one RUN, runs the program as `__main__`, tells how
it ended, and leaves by os._exit(). The program never touches the disk: its text arrives in the
RUN frame, and whatever wants to show a source line is given it from memory.

Three things shape the code. Starting is on the caller's path, so nothing is imported before it is
needed (json or traceback alone would double the start of an interpreter). The program must not
see the guest: it runs directly above this module's own frame, and that frame is cut from every
traceback. And the end is CPython's, step by step, except for tearing down an interpreter that is
about to vanish: threads are joined, exit functions run, objects finalised, streams flushed.

Nothing here is a wall. The program can rewrite all of it; the supervisor believes none of it.

This file is the way of a program from RUN to its first line; showing.py has its text for tracebacks,
ending.py its end. frames.py is made of a table when Belljar is built (make_tables.py). The other
parts (control.py, guard.py, session.py and what that one loads) are
fetched by load_part() when something asks for them. An image keeps all of it compiled in one file
(`python3 -I -S guest.pyc` starts 5 ms sooner): the parts are at its end.
"""
import _json
import builtins
import gc
import io
import os
import sys
import warnings  # without it C code prints warnings, and looks for the source line on disk

SEND_SECONDS = 1.0  # a supervisor that does not read must not keep a finished program alive
EXIT_NO_RUN, EXIT_BAD_RUN, EXIT_PREIMPORT, EXIT_NOT_RESTORED = 4, 5, 3, 6
ITSELF = sys.modules[__name__]  # the program takes this name; our globals must live on
OWN_FILES = set()  # those whose frames no traceback shows
IMAGE_PATHS = []  # sys.path before anything of the program's is in it
PARTS = {}  # that are loaded
NATIVE = None  # the native half
waits_to_be_ended = False  # in a container that waited in a pool


def compiled_parts():
    """By name, where this file is compiled and they are behind it."""
    if not __file__.endswith(".pyc"):
        return {}
    import marshal
    with io.open(__file__, "rb") as file:  # its last eight bytes: the length of the parts
        file.seek(-8, os.SEEK_END)
        length = int.from_bytes(file.read(8), "little")
        file.seek(-8 - length, os.SEEK_END)
        return marshal.loads(file.read(length))


COMPILED_PARTS = compiled_parts()


def part_code(name):
    if name in COMPILED_PARTS:
        import marshal
        return marshal.loads(COMPILED_PARTS.pop(name))
    with io.open(os.path.join(os.path.dirname(__file__), name + ".py"), "rb") as file:
        return compile(file.read(), file.name, "exec", dont_inherit=True)


def load_part(name):
    """Another file of this guest as a module that no import finds; `guest` in it is this one."""
    if name not in PARTS:
        code, module = part_code(name), type(sys)("_belljar_" + name)
        module.guest = ITSELF
        OWN_FILES.add(code.co_filename)
        exec(code, module.__dict__)
        PARTS[name] = module
    return PARTS[name]


OWN_FILES.add(load_part.__code__.co_filename)
frames = load_part("frames")
showing = load_part("showing")
ending = load_part("ending")


class NativeControl:
    """The same by _belljar, which touches less of the memory that is shared with the zygote."""

    def __init__(self, fd, native):
        self.fd, self.native = fd, native
        self.send, self.send_whole, self.read_some = native.send, native.send_whole, native.read

    def converse(self, hello, idle):
        return self.native.converse(self.fd, hello, frames.MAX_RUN_BYTES, idle)


def open_control(fd):
    if hasattr(NATIVE, "converse"):
        return NativeControl(fd, NATIVE)
    return load_part("control").Control(fd)


def parse_asked(payload, key):
    """What RUN or SESSION says; `key` is one of its texts."""
    try:
        asked = parse_json(payload.decode("utf-8"))
        if asked["v"] == frames.VERSION and asked["lang"] == "python" and isinstance(asked[key], str):
            return asked
    except Exception:  # the bare scanner reports malformed text in several ways
        pass
    os._exit(EXIT_BAD_RUN)


class JsonRules:
    """What the C scanner behind json.loads asks of its caller; json takes 10 ms to import."""
    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, None
    memo = {}


scan_json = _json.make_scanner(JsonRules)


def parse_json(text):
    return scan_json(text, 0)[0]


def json_text(text, limit, keep="head"):
    """`text` as a JSON string of at most `limit` bytes before quoting."""
    data = text.encode("utf-8", "backslashreplace")
    if len(data) > limit:
        data = data[:limit] if keep == "head" else data[-limit:]
    return _json.encode_basestring(data.decode("utf-8", "ignore"))


def add_site_builtins():
    """What `import site`, skipped by -S, would have added."""
    import _sitebuiltins as site
    builtins.quit = site.Quitter("quit", "Ctrl-D (i.e. EOF)")
    builtins.exit = site.Quitter("exit", "Ctrl-D (i.e. EOF)")
    builtins.copyright = site._Printer("copyright", sys.copyright)
    builtins.credits = site._Printer("credits", "See www.python.org for more information.")
    builtins.license = site._Printer("license", "See https://www.python.org/psf/license/")
    builtins.help = site._Helper()


def find_native():
    """_belljar, if it is there: looked for now, so that nobody waits for it later."""
    global NATIVE
    sys.path.insert(0, os.path.dirname(__file__))
    try:
        import _belljar
        NATIVE = _belljar
    except ImportError:
        pass
    del sys.path[0]


def prepare(paths):
    """All that no program changes; done before HELLO, or once in a zygote."""
    sys.path += [path for path in paths if path not in sys.path]
    add_site_builtins()
    showing.install_hooks()
    find_native()
    if sys.version_info < (3, 10):
        import _bootlocale  # else the program's first open() would count as three operations
    # Plain CPython fills a block before it writes to a pipe; here somebody is watching.
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.reconfigure(line_buffering=True)


def preimport(modules):
    for name in modules:
        try:
            __import__(name)
        except BaseException as error:
            sys.stderr.write("preimport %s: %s: %s\n" % (name, type(error).__name__, error))
            os._exit(EXIT_PREIMPORT)
    IMAGE_PATHS[:] = sys.path


def renewed(stream, number, mode):
    """The stream anew, on the descriptor as it is now: streams remember whether theirs can seek."""
    raw = io.FileIO(number, mode, closefd=False)
    raw.name = stream.name
    buffered = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
    text = io.TextIOWrapper(buffered, stream.encoding, stream.errors, line_buffering=mode == "w")
    text.mode = mode
    return text


def expect_pipes():
    """A zygote has /dev/null where its copies will have pipes: its streams are made on pipes."""
    ends = os.pipe()
    for number, end in enumerate(ends):
        now = os.dup(number)
        os.dup2(end, number)
        if number == 0:
            sys.stdin = sys.__stdin__ = renewed(sys.stdin, 0, "r")
        else:
            sys.stdout = sys.__stdout__ = renewed(sys.stdout, 1, "w")
        os.dup2(now, number)
        os.close(now)
        os.close(end)


def load_ahead(modules):
    """What programs and sessions ask for: each would cost them milliseconds to load."""
    compile("", "", "exec")  # the first call makes the types of the syntax tree: 0.9 ms
    preimport(["json", "linecache", "traceback", "threading", "atexit"] + modules)
    load_part("session"), load_part("rich")
    if hasattr(NATIVE, "guard"):
        load_part("guard")


def zygote(modules):
    """Imports `modules` and becomes the template; returns in each sealed child, and only there."""
    load_ahead(modules)
    expect_pipes()
    _belljar = NATIVE
    threading = sys.modules["threading"]
    # A template has one thread and no lock is held: there is nothing to put right in its copies,
    # and each page they do not write need not be copied. The program's own forks have it again.
    code, threading._after_fork.__code__ = threading._after_fork.__code__, (lambda: None).__code__
    gc.collect()
    gc.freeze()
    must_reseed = _belljar.zygote(3)
    threading._after_fork.__code__ = code
    threading.main_thread()._set_native_id()
    if must_reseed:
        reseed()


def reseed():
    """Children of one zygote must not share randomness. Only what is loaded has any."""
    loaded = sys.modules.get
    if loaded("random"):
        loaded("random").seed()
    if loaded("numpy.random"):
        loaded("numpy.random").seed()
    if loaded("uuid"):
        loaded("uuid")._node = loaded("uuid")._last_timestamp = None
    if loaded("tempfile"):
        loaded("tempfile")._name_sequence = None
    if loaded("ssl"):
        loaded("ssl").RAND_add(os.urandom(32), 32.0)


# What makes the programs that a deterministic one starts deterministic too; else nobody sets it.
INHERITED = ("LD_PRELOAD", "BELLJAR_SEED", "OPENSSL_ia32cap")
os.environ.pop("LD_BIND_NOW", None)  # has done its work
BORN_WITH = {name: value for name, value in os.environ.items() if name not in INHERITED}
LIBRARY = os.path.join(os.path.dirname(__file__), "lib")  # where `belljar` is
# numpy's library starts a thread per CPU of the host when it is loaded. A copy of a zygote would wait
# for threads that it has not got, and a session with them cannot be saved. A request's env wins.
if "OPENBLAS_NUM_THREADS" not in BORN_WITH:
    os.putenv("OPENBLAS_NUM_THREADS", "1")


def set_environment(env):
    if env == BORN_WITH:
        return
    if "BELLJAR_TOOLS" in env:  # a door is open: what calls tools can be imported
        sys.path.append(LIBRARY)
    inherited = [(name, os.environ[name]) for name in INHERITED if name in os.environ]
    os.environ.clear()
    os.environ.update(inherited)
    os.environ.update(env)
    import time
    time.tzset()


def hang_up():
    """Closes the idle connections of `belljar`: a checkpoint cannot carry them."""
    tools = sys.modules.get("belljar")
    if getattr(tools, "__file__", "").startswith(LIBRARY):
        tools.hang_up()


def count_file_operations(control, quota):
    """From now on at most `quota` (0: any number); returns a function that tells the count."""
    counter = NATIVE if hasattr(NATIVE, "count_opens") else control.counter
    counter.count_opens(quota or sys.maxsize // 2)
    return counter.opens


NO_GUARD = """Belljar: the policy asks for a guard in the interpreter, which this image's Python cannot
load; use an image with CPython 3.8 or newer for glibc, or the level relaxed
"""


def builtins_for(asked, workspace):
    """The builtins of user code: the real ones, or those of the guard that is asked for."""
    if asked is None and "guard" not in PARTS:
        return builtins
    if asked is not None and not hasattr(NATIVE, "guard"):
        sys.stderr.write(NO_GUARD)
        os._exit(EXIT_BAD_RUN)
    return load_part("guard").arm(asked, workspace)


def refusals():
    """What COUNT and DONE add where there is a guard."""
    installed = "guard" in PARTS and "native" in PARTS["guard"].state
    return b',"refusals":%d' % PARTS["guard"].refusals() if installed else b""


class Program:
    """What was asked for, and the module it runs in."""

    operations = None  # tells how many file operations there were

    def __init__(self, control, workspace, run):
        self.control, self.workspace = control, workspace
        self.name = run["name"]
        self.source = run["code"].encode("utf-8")  # bytes, so that encoding declarations count
        self.kept = run.get("compiled", "")
        self.module = type(sys)("__main__")
        loader = showing.ProgramLoader(self.name, self.source)
        self.module.__dict__.update(
            __loader__=loader, __annotations__={}, __file__=self.name, __cached__=None,
            __builtins__=builtins_for(run.get("guard"), workspace))
        if sys.version_info >= (3, 14):
            del self.module.__annotations__
        showing.show_lines_of(loader)

    def compiled(self):
        code = showing.kept_code(self.kept, self.name) if self.kept else None
        if code is not None:
            return code
        try:
            if hasattr(NATIVE, "compile") and b"\0" not in self.source:
                return NATIVE.compile(self.source, self.name)
            return compile(self.source, self.name, "exec", dont_inherit=True)
        except SyntaxError as error:
            showing.add_line(error, self.module.__loader__)
            raise


HELLO_TEXT = b'{"v":%d,"guest":"python %d.%d.%d"}' % ((frames.VERSION,) + sys.version_info[:3])


def serve_one(fd, workspace, idle):
    """HELLO, then the one program this process will run, ready to start."""
    control = open_control(fd)
    kind, payload = control.converse(HELLO_TEXT, idle)
    if kind == frames.SESSION:
        load_part("session").serve(control, parse_asked(payload, "workspace"))
    if kind == frames.RESTORE:
        become(control, parse_asked(payload, "as"))
    run = parse_asked(payload, "code")
    set_environment(run.get("env", {}))
    sys.argv[:] = [run["name"]] + run.get("args", [])
    sys.path.insert(0, workspace)
    # The collection at the end then looks at the program's objects only.
    gc.freeze()
    program = Program(control, workspace, run)
    program.operations = count_file_operations(control, run.get("file_operations", 0))
    sys.modules["__main__"] = program.module
    return program


def become(control, asked):
    """Goes on as the process that was saved, where that left session.py's save(); never returns."""
    why = control.native.restore(asked["as"] == "branch")
    sys.stderr.write("the checkpoint is of no use: %s\n" % why)
    os._exit(EXIT_NOT_RESTORED)


# With a guard, as most programs have one.
REHEARSED = b'''{"v":%d,"lang":"python","code":"print(end='')","name":"main.py","args":[],"env":{},
"guard":{"policy":"","imports":"any","refused":["py-eval"],"forbidden":"","allowed":"","members":""}}''' % frames.VERSION


def rehearse(workspace):
    """Goes the way of a program once, in a cell that nobody asks anything of yet: a page that a copy
    of the zygote writes to is first copied, and most that a small program needs are then there."""
    run = parse_asked(REHEARSED, "code")
    if not hasattr(NATIVE, "guard"):
        del run["guard"]
    set_environment(dict(BORN_WITH))
    program = Program(None, workspace, run)
    exec(program.compiled(), program.module.__dict__)
    if "guard" in run:
        PARTS["guard"].rest()
    ending.flush_streams()
    sys.modules["linecache"].cache.clear()
    showing.Display.programs.clear()
    del program
    gc.collect()


def start(arguments):
    paths, modules, workspace, warm, waits = [], [], "/workspace", False, False
    while arguments:
        argument = arguments.pop(0)
        if argument == "--zygote":
            warm = True
        elif argument == "--waits":
            waits = True
        elif argument == "--path":
            paths.append(arguments.pop(0))
        elif argument == "--preimport":
            modules.append(arguments.pop(0))
        elif argument == "--workspace":
            workspace = arguments.pop(0)
        else:
            sys.stderr.write("guest.py: unknown argument %s\n" % argument)
            os._exit(2)
    prepare(paths)
    if warm:
        zygote(modules)
    elif waits:
        global waits_to_be_ended
        waits_to_be_ended = True
        load_ahead(modules)
    else:
        preimport(modules)
    # In a deterministic run, whether there was time to rehearse would show in addresses of objects.
    idle = None
    if (warm or waits) and "BELLJAR_SEED" not in os.environ:
        idle = lambda: rehearse(workspace)
    return serve_one(3, workspace, idle)


if __name__ == "__main__":
    _program, _failure = start(sys.argv[1:]), []
    try:
        # Here and not in a function: one frame below the program is the fewest there can be.
        exec(_program.compiled(), _program.module.__dict__)
    except BaseException as _error:
        _failure.append(_error)
    ending.finish(_program, _failure)
