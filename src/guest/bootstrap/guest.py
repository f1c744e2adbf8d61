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

This file is what every program needs. The other parts (control.py, guard.py, session.py and what that
one loads) are fetched by load_part() when something asks for them. An image keeps all of it compiled
in one file (`python3 -I -S guest.pyc` starts 5 ms sooner): the parts are at its end.
"""
import _json
import _thread
import builtins
import gc
import io
import os
import sys
import warnings  # without it C code prints warnings, and looks for the source line on disk
from _frozen_importlib_external import SourceFileLoader, decode_source

VERSION = 1
RUN, SESSION, RESTORE, HELLO, ERROR, COUNT = 0x01, 0x02, 0x05, 0x81, 0x82, 0x83
MAX_RUN_BYTES = 64 << 20
MAX_FRAME_BYTES = 256 << 10
SEND_SECONDS = 1.0  # a supervisor that does not read must not keep a finished program alive
EXIT_NO_RUN, EXIT_BAD_RUN, EXIT_PREIMPORT, EXIT_NOT_RESTORED = 4, 5, 3, 6

ITSELF = sys.modules[__name__]  # the program takes this name; our globals must live on
OWN_FILES = set()  # those whose frames no traceback shows
PARTS = {}  # that are loaded
NATIVE = None  # the native half


def part_code(name):
    import marshal
    if not __file__.endswith(".pyc"):
        path = os.path.join(os.path.dirname(__file__), name + ".py")
        with io.open(path, "rb") as file:
            return compile(file.read(), path, "exec", dont_inherit=True)
    with io.open(__file__, "rb") as file:  # its last eight bytes: the length of the parts
        file.seek(-8, os.SEEK_END)
        length = int.from_bytes(file.read(8), "little")
        file.seek(-8 - length, os.SEEK_END)
        return marshal.loads(marshal.loads(file.read(length))[name])


def load_part(name):
    """Another file of this guest as a module that no import finds; `guest` in it is this one."""
    if name not in PARTS:
        code, module = part_code(name), type(sys)("_belljar_" + name)
        module.guest = ITSELF
        OWN_FILES.add(code.co_filename)
        exec(code, module.__dict__)
        PARTS[name] = module
    return PARTS[name]


class NativeControl:
    """The same by _belljar, which touches less of the memory that is shared with the zygote."""

    def __init__(self, fd, native):
        self.fd, self.native = fd, native
        self.send, self.send_whole, self.read_some = native.send, native.send_whole, native.read

    def converse(self, hello, idle):
        return self.native.converse(self.fd, hello, MAX_RUN_BYTES, idle)


def open_control(fd):
    if hasattr(NATIVE, "converse"):
        return NativeControl(fd, NATIVE)
    return load_part("control").Control(fd)


def parse_asked(payload, key):
    """What RUN or SESSION says; `key` is one of its texts."""
    try:
        asked = parse_json(payload.decode("utf-8"))
        if asked["v"] == VERSION and asked["lang"] == "python" and isinstance(asked[key], str):
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


def error_payload(kind, message, traceback):
    limit = 128 << 10
    while True:
        payload = '{"type":%s,"message":%s,"traceback":%s}' % (
            json_text(kind, 256), json_text(message, limit // 2),
            json_text(traceback, limit, keep="tail"))
        # Control characters grow sixfold in JSON.
        if len(payload.encode("utf-8")) <= MAX_FRAME_BYTES:
            return payload
        limit //= 2


class ProgramLoader(SourceFileLoader):
    """`__main__.__loader__`: knows the program's text, which is in no file."""

    def __init__(self, name, source):
        super().__init__("__main__", name)
        self.source = source

    def get_data(self, path):
        return self.source if path == self.path else super().get_data(path)

    def text(self):
        try:
            head = b"".join(self.source.split(b"\n", 2)[:2])
            if b"coding" in head or b"\r" in self.source or head.startswith(b"\xef"):
                return decode_source(self.source)
            return self.source.decode("utf-8")
        except (SyntaxError, UnicodeDecodeError):
            return self.source.decode("utf-8", "replace")

    def cache_lines(self, linecache):
        text = self.text()
        lines = [line + "\n" for line in text.split("\n")]
        if lines[-1] == "\n":
            lines.pop()
        # Without a modification time the entry is never compared with a file of that name.
        linecache.cache[self.path] = (len(text), None, lines, self.path)


class LinecacheHook:
    """Gives linecache the program's lines when something imports it (which takes 10 ms)."""

    def find_spec(self, name, path=None, target=None):
        if name != "linecache":
            return None
        sys.meta_path.remove(self)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path)
            if spec is not None:
                self.loader, spec.loader = spec.loader, self
                return spec
        return None

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        for program in Display.programs.values():
            program.cache_lines(module)


def show_lines_of(loader):
    Display.programs[loader.path] = loader
    if "linecache" in sys.modules:
        loader.cache_lines(sys.modules["linecache"])
    elif not any(type(finder) is LinecacheHook for finder in sys.meta_path):
        sys.meta_path.insert(0, LinecacheHook())


class TextForC(io.BytesIO):
    """The program as an open file. C code also asks for a descriptor, to look for an encoding
    declaration: it gets one on which there is nothing to read, and falls back to UTF-8."""

    def fileno(self):
        if not hasattr(self, "empty"):
            self.empty = os.open("/dev/null", os.O_RDONLY)
        return self.empty

    def close(self):
        if not self.closed and hasattr(self, "empty"):
            os.close(self.empty)
        super().close()


class Display:
    """CPython's own printing of exceptions, with the lines of a program that is in no file.

    The C functions find a source line by calling io.open; while one of them runs, that call also
    opens the program. (The traceback module would do it by linecache, but takes 10 ms to import,
    and until 3.12 its text is not always the interpreter's.)
    """
    programs = {}  # by what tracebacks call them
    excepthook_in_c = sys.excepthook
    unraisablehook_in_c = sys.unraisablehook
    thread_excepthook_in_c = _thread._excepthook

    @classmethod
    def call(cls, function, *arguments):
        real_open = io.open

        def open_program_too(file, *rest, **named):
            if isinstance(file, str) and file in cls.programs:
                return TextForC(cls.programs[file].text().encode("utf-8", "replace"))
            return real_open(file, *rest, **named)

        io.open = open_program_too
        try:
            return function(*arguments)
        finally:
            io.open = real_open


def excepthook(kind, value, tb, /):
    Display.call(Display.excepthook_in_c, kind, value, tb)


def unraisablehook(unraisable, /):
    Display.call(Display.unraisablehook_in_c, unraisable)


def thread_excepthook(args, /):
    Display.call(Display.thread_excepthook_in_c, args)


def install_hooks():
    sys.excepthook = sys.__excepthook__ = excepthook
    sys.unraisablehook = sys.__unraisablehook__ = unraisablehook
    _thread._excepthook = thread_excepthook  # what threading, when imported, takes over
    threading = sys.modules.get("threading")
    if threading is not None:
        threading.excepthook = threading.__excepthook__ = thread_excepthook


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
    install_hooks()
    compile("", "", "exec")  # the first call makes the types of the syntax tree: 0.9 ms
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
    preimport(["json", "linecache", "traceback", "threading", "atexit"] + modules)
    load_part("session"), load_part("rich"), load_part("guard")


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
        self.module = type(sys)("__main__")
        loader = ProgramLoader(self.name, self.source)
        self.module.__dict__.update(
            __loader__=loader, __annotations__={}, __file__=self.name, __cached__=None,
            __builtins__=builtins_for(run.get("guard"), workspace))
        if sys.version_info >= (3, 14):
            del self.module.__annotations__
        show_lines_of(loader)

    def compiled(self):
        return compile(self.source, self.name, "exec", dont_inherit=True)


HELLO_TEXT = b'{"v":%d,"guest":"python %d.%d.%d"}' % ((VERSION,) + sys.version_info[:3])


def serve_one(fd, workspace, idle):
    """HELLO, then the one program this process will run, ready to start."""
    control = open_control(fd)
    kind, payload = control.converse(HELLO_TEXT, idle)
    if kind == SESSION:
        load_part("session").serve(control, parse_asked(payload, "workspace"))
    if kind == RESTORE:
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


REHEARSED = b'''{"v":1,"lang":"python","code":"print(end='')","name":"main.py","args":[],"env":{}}'''


def rehearse():
    """Goes the way of a program once, in a cell that nobody asks anything of yet: a page that a copy
    of the zygote writes to is first copied, and most that a small program needs are then there."""
    program = Program(None, "", parse_asked(REHEARSED, "code"))
    exec(program.compiled(), program.module.__dict__)
    flush_streams()
    sys.modules["linecache"].cache.clear()
    Display.programs.clear()


def users_part(tb):
    """`tb` without the frames of this file that it starts with."""
    while tb is not None and tb.tb_frame.f_code.co_filename in OWN_FILES:
        tb = tb.tb_next
    return tb


OWN_FILES.add(users_part.__code__.co_filename)


def exit_status(error):
    """The status that CPython derives from a SystemExit."""
    code = error.code
    if code is None:
        return 0
    if isinstance(code, int):
        return code & 0xFF if -(1 << 63) <= code < 1 << 63 else 0xFF
    if sys.stderr is not None:
        try:
            sys.stderr.write("%s\n" % (code,) if not isinstance(code, str) else code + "\n")
            sys.stderr.flush()
        except Exception:
            pass
    return 1


def show_exception(error):
    """sys.excepthook with CPython's care for hooks that fail; returns the exit status."""
    sys.last_type, sys.last_value, sys.last_traceback = type(error), error, error.__traceback__
    if sys.version_info >= (3, 12):
        sys.last_exc = error
    hook = getattr(sys, "excepthook", None)
    if hook is None:
        sys.stderr.write("sys.excepthook is missing\n")
        hook = excepthook
    try:
        sys.audit("sys.excepthook", hook, type(error), error, error.__traceback__)
        hook(type(error), error, error.__traceback__)
    except SystemExit as second:
        return exit_status(second)
    except BaseException as second:
        sys.stderr.write("Error in sys.excepthook:\n")
        excepthook(type(second), second.with_traceback(users_part(second.__traceback__)), None)
        sys.stderr.write("\nOriginal exception was:\n")
        excepthook(type(error), error, error.__traceback__)
    return 1


def as_printed(error):
    """What CPython prints for `error`, whatever hook the program has set."""
    stderr, sys.stderr = sys.stderr, io.StringIO()
    try:
        excepthook(type(error), error, error.__traceback__)
        return sys.stderr.getvalue()
    except BaseException:
        return ""
    finally:
        sys.stderr = stderr


def describe(error):
    """The ERROR payload for `error`."""
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in ("builtins", "__main__"):
        name = "%s.%s" % (kind.__module__, name)
    try:
        message = str(error)
    except BaseException:
        message = "<exception str() failed>"
    return error_payload(name, message, as_printed(error))


def print_ignored(culprit, doing, error):
    """What C prints when it must drop an exception."""
    if sys.stderr is not None:
        place = "on %s:" % doing if sys.version_info >= (3, 13) else "in: %r" % culprit
        sys.stderr.write("Exception ignored %s\n" % place)
        excepthook(type(error), error.with_traceback(users_part(error.__traceback__)), None)


def flush_streams():
    """As CPython does it at the end: a stdout that cannot be written makes the status 120."""
    whole = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except BaseException as error:
            whole = False
            if stream is sys.stdout:
                print_ignored(stream, "flushing sys.stdout", error)
    return whole


def flush_again():
    """For what finalisers have printed. CPython no longer minds failures here."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass


def finish_threads_and_exit_functions():
    threading = sys.modules.get("threading")
    if threading is not None:
        try:
            threading._shutdown()
        except BaseException as error:
            print_ignored(threading, "threading shutdown", error)
    import atexit
    try:
        if sys.version_info >= (3, 10):
            atexit._run_exitfuncs()  # failures go to unraisablehook
        else:
            Display.call(atexit._run_exitfuncs)
    except BaseException:
        pass  # already printed; before 3.10 the last one is also raised


def drop_modules_below(prefix):
    for name, module in list(sys.modules.items()):
        path = getattr(module, "__file__", None)
        if isinstance(path, str) and path.startswith(prefix):
            del sys.modules[name]


def drop_objects(program):
    """Lets go of the program's modules, so that its objects are finalised and its files closed."""
    # Twice, as CPython does: the first pass puts owners before what they own, so that the second
    # flushes a file before it closes the descriptor below it.
    gc.collect()
    for name in ("last_type", "last_value", "last_traceback", "last_exc"):
        sys.__dict__.pop(name, None)
    sys.stdin, sys.stdout, sys.stderr = sys.__stdin__, sys.__stdout__, sys.__stderr__
    program.module = None
    sys.modules.pop("__main__", None)
    # To look at every module is to write to the memory of each; most programs bring none.
    if program.workspace in sys.path_importer_cache:
        drop_modules_below(program.workspace + "/")
    gc.collect()


def flush_c_streams():
    # os._exit() skips the buffers of C's stdio. Whatever prints through C came with ctypes
    # loaded, directly or by numpy.
    ctypes = sys.modules.get("ctypes")
    if ctypes is None:
        return
    if hasattr(NATIVE, "flush"):
        NATIVE.flush()
    else:
        ctypes.CDLL(None).fflush(None)


def report(program, failure):
    """Shows what ended the program; returns the exit status and the ERROR payload or None."""
    if not failure:
        return 0, None
    error = failure.pop()
    error.__traceback__ = users_part(error.__traceback__)
    if refusals():
        load_part("cells").strip(error)
    if isinstance(error, SystemExit):
        return exit_status(error), None
    return show_exception(error), describe(error)


def finish(program, failure):
    """The end of the process. `failure` holds the exception that left the program, if any."""
    interrupted = bool(failure) and type(failure[0]) is KeyboardInterrupt
    status, payload = report(program, failure)
    finish_threads_and_exit_functions()
    whole = flush_streams()
    drop_objects(program)
    flush_again()
    flush_c_streams()
    if payload is not None:
        program.control.send(ERROR, payload.encode("utf-8"))
    program.control.send(COUNT, b'{"file_operations":%d%s}' % (program.operations(), refusals()))
    if interrupted:
        import _signal
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        _signal.raise_signal(_signal.SIGINT)
        status = 128 + _signal.SIGINT
    os._exit(status if whole else 120)


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
        load_ahead(modules)
    else:
        preimport(modules)
    # In a deterministic run, whether there was time to rehearse would show in addresses of objects.
    idle = rehearse if (warm or waits) and "BELLJAR_SEED" not in os.environ else None
    return serve_one(3, workspace, idle)


if __name__ == "__main__":
    _program, _failure = start(sys.argv[1:]), []
    try:
        # Here and not in a function: one frame below the program is the fewest there can be.
        exec(_program.compiled(), _program.module.__dict__)
    except BaseException as _error:
        _failure.append(_error)
    finish(_program, _failure)
