"""The program's text, which is in no file, for whatever wants to show a line of it; and its code,
where that is kept.

Loaded by guest.py.
"""
import _thread
import io
import os
import sys
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader, decode_source


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


def kept_code(digits, name):
    """What an interpreter like this one has made of the program's text; None where it is of no use
    here, whatever the reason: then the text is compiled."""
    import marshal
    try:
        data = bytes.fromhex(digits)
        if data[:len(MAGIC_NUMBER)] == MAGIC_NUMBER:
            code = marshal.loads(data[len(MAGIC_NUMBER):])
            if code.co_filename == name and not code.co_freevars:
                return code
    except Exception:  # marshal fails in several ways
        pass
    return None


class Afterwards:
    """A loader that does something with the module it has loaded."""

    def __init__(self, loader, then):
        self.loader, self.then = loader, then

    def create_module(self, spec):
        return self.loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self.loader
        self.loader.exec_module(module)
        self.then(module)


class ImportHook:
    """Looks after what would read the program from a file, and what would ask a program that no
    image has, when something imports it (linecache takes 10 ms)."""

    def __init__(self, wanted):
        self.wanted = wanted  # what to do with a module, by name

    def find_spec(self, name, path=None, target=None):
        if name not in self.wanted:
            return None
        then = self.wanted.pop(name)
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path)
            if spec is not None:
                spec.loader = Afterwards(spec.loader, then)
                return spec
        return None


def give_lines(linecache):
    for program in Display.programs.values():
        program.cache_lines(linecache)


def give_file(spawn):
    """A process that multiprocessing spawns reads the program from a file: it gets one by then."""
    prepared = spawn.get_preparation_data

    def get_preparation_data(name):
        data = prepared(name)
        program = Display.programs.get(getattr(sys.modules["__main__"], "__file__", None))
        if program is not None and "init_main_from_path" in data:
            data["init_main_from_path"] = path = os.path.join("/run", program.path)
            with io.open(path, "wb") as file:
                file.write(program.source)
        return data

    spawn.get_preparation_data = get_preparation_data


LIBRARIES = ("/lib/%s", "/usr/lib/%s", "/lib64", "/usr/lib64", "/lib", "/usr/lib")


def find_soname(name):
    found = []
    for place in LIBRARIES:
        try:
            there = os.listdir(place.replace("%s", getattr(sys.implementation, "_multiarch", "")))
        except OSError:
            continue
        begin = "lib" + name + ".so."
        found += [file for file in there
                  if file.startswith(begin) and file[len(begin):].replace(".", "").isdigit()]
    return min(found, key=len, default=None)


def give_libraries(util):
    """An image has neither ldconfig nor its cache, which ctypes asks where a library is."""
    ask = getattr(util, "_findSoname_ldconfig", None)
    if ask is not None:
        util._findSoname_ldconfig = lambda name: ask(name) or find_soname(name)


READERS = {"linecache": give_lines, "multiprocessing.spawn": give_file, "ctypes.util": give_libraries}


def show_lines_of(loader):
    Display.programs[loader.path] = loader
    if "linecache" in sys.modules:
        loader.cache_lines(sys.modules["linecache"])
    if ImportHook not in map(type, sys.meta_path):
        later = {name: then for name, then in READERS.items() if name not in sys.modules}
        sys.meta_path.insert(0, ImportHook(later))
        for name in ("multiprocessing.spawn", "ctypes.util"):
            if name not in later:
                READERS[name](sys.modules[name])


def add_line(error, loader):
    """What is found after parsing is reported without the line, which C looks for in a file."""
    if error.filename == loader.path and error.lineno:
        lines = loader.text().split("\n")
        if error.lineno <= len(lines):
            error.text = lines[error.lineno - 1] + "\n"


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
