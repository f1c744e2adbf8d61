"""Sessions of the Python guest: one statement after another, in one living `__main__`.

Loaded by guest.py (`guest` here) when the supervisor sends SESSION instead of RUN. A statement is
compiled and run in the session's namespace; its last expression is displayed; then everything it
printed is flushed into the pipes, and only then DONE is said, so that the supervisor knows whose
output it reads.

SIGINT belongs to the statement while one runs (as the program's own handler has it, else as
KeyboardInterrupt) and to nobody in between: guarded() is that border. User code runs inside it
only, and nothing that must not be left half done does.

A small one takes 0.1 ms here, so nothing is imported or loaded before a statement needs it: asyncio,
json, linecache, and the rich results (rich.py).
"""
import _signal
import builtins
import gc
import io
import os
import sys

WHOLE, BRANCHED, IN_PART = 0, 2, 3  # of _belljar.save()
READ_BYTES = 1 << 16
MOST_SOURCES = 4096  # statements whose lines tracebacks can show
COROUTINE = 0x80
NO_INPUT = "input() was called, but this run was given no stdin"
# Types whose text is all there is to say, so that rich.py need not be asked.
PLAIN_TYPES = frozenset((bool, int, float, complex, str, bytes, type, type(len), type(lambda: 0)))
MISSING = object()
frames = guest.load_part("frames")
statements, displays = guest.load_part("statements"), guest.load_part("displays")


def nobody_listens(_number, _frame):
    """What SIGINT does between statements. A function, since SIG_IGN would be inherited."""


class Loop:
    """The session's one event loop, made when a statement first awaits something."""

    def __init__(self):
        self.loop = self.place = None

    async def watched(self, coroutine, cancelled):
        try:
            return await coroutine
        except cancelled as error:
            self.place = error.__traceback__
            raise

    def run(self, coroutine):
        import asyncio
        if self.loop is None or self.loop.is_closed():
            self.loop = self.current(asyncio)
        asyncio.set_event_loop(self.loop)
        self.place = None
        task = self.loop.create_task(self.watched(coroutine, asyncio.CancelledError))
        interrupt = None
        try:
            return self.loop.run_until_complete(task)
        except KeyboardInterrupt as error:
            interrupt = error
        return self._cancel(task, interrupt)

    @staticmethod
    def current(asyncio):
        """The loop that earlier statements may have put tasks into, or a new one."""
        with guest.warnings.catch_warnings():
            guest.warnings.simplefilter("ignore")  # that it makes one
            try:
                loop = asyncio.get_event_loop()
                return asyncio.new_event_loop() if loop.is_closed() else loop
            except RuntimeError:
                return asyncio.new_event_loop()

    def _cancel(self, task, interrupt):
        """Ends an interrupted await; the traceback then says where the statement was waiting."""
        import asyncio
        if task.done():
            raise interrupt
        task.cancel()
        try:
            return self.loop.run_until_complete(task)
        except asyncio.CancelledError:
            pass
        raise KeyboardInterrupt().with_traceback(self.place)

    def let_go(self):
        """Gives the loop's descriptors back to the kernel; returns a function that gets new ones."""
        loop = self.loop
        if loop is None or loop.is_closed() or not hasattr(loop, "_ssock"):
            return lambda: None
        loop._close_self_pipe()
        kept = [(key.fd, key.events, key.data) for key in loop._selector.get_map().values()]
        kind = type(loop._selector)
        loop._selector.close()

        def resume():
            loop._selector = kind()
            for fd, events, data in kept:
                loop._selector.register(fd, events, data)
            loop._make_self_pipe()

        return resume

    def wait_for(self, fd):
        """Lets the tasks of earlier statements go on until there is something to read."""
        if self.loop is None or self.loop.is_closed():
            return
        import asyncio
        if not asyncio.all_tasks(self.loop):
            return
        try:
            self.loop.add_reader(fd, self.loop.stop)
        except (OSError, ValueError):
            os._exit(0)  # the program has closed it
        try:
            self.loop.run_forever()
        finally:
            self.loop.remove_reader(fd)


class Stdin:
    """Descriptor 0 and sys.stdin: for each statement its own text, or nothing."""

    def __init__(self):
        self.given = True  # the pipe the process was born with, which nobody writes to
        self.input_in_c = builtins.input
        builtins.input = self.make_input()

    def make_input(self):
        def input(prompt="", /):
            if not self.given and sys.stdin is sys.__stdin__:
                raise EOFError(NO_INPUT)
            return self.input_in_c(prompt)

        input.__module__, input.__qualname__ = "builtins", "input"
        input.__doc__ = self.input_in_c.__doc__
        return input

    def give(self, text):
        if text is None and not self.given:
            return  # still what it was
        self.given = text is not None
        fd = os.open("/dev/null", os.O_RDONLY) if text is None else self.file_with(text)
        os.dup2(fd, 0)
        os.close(fd)
        raw = io.FileIO(0, "r", closefd=False)
        raw.name = "<stdin>"
        sys.stdin = sys.__stdin__ = io.TextIOWrapper(
            io.BufferedReader(raw), encoding="utf-8", errors="surrogateescape")

    @staticmethod
    def new_file():
        directory = os.environ.get("TMPDIR", "/tmp")
        try:
            return os.open(directory, os.O_TMPFILE | os.O_RDWR, 0o600)
        except OSError:  # a kernel without files that have no name
            path = "%s/.stdin-%s" % (directory, os.urandom(8).hex())
            fd = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            os.unlink(path)
            return fd

    @staticmethod
    def file_with(text):
        fd = Stdin.new_file()
        with io.FileIO(fd, "w", closefd=False) as file:
            rest = memoryview(text.encode("utf-8", "surrogatepass"))
            while rest:
                rest = rest[file.write(rest):]
        os.lseek(fd, 0, os.SEEK_SET)
        return fd


class LateHook:
    """Watches imports for those that rich.py has something to do with."""

    def __init__(self, session, names, place):
        self.session, self.names, self.place = session, names, place

    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] not in self.names:
            return None
        return self.session.rich().find_spec(self, name, path)


class Session:
    """The namespace, and the turn of one statement after another."""

    plain, strip = staticmethod(displays.plain), staticmethod(statements.strip)  # for rich.py

    def __init__(self, control, message):
        self.control, self.pid, self.workspace = control, os.getpid(), message["workspace"]
        self.module = type(sys)("__main__")
        self.names = self.module.__dict__
        self.names.update(__builtins__=builtins, __annotations__={})
        if sys.version_info >= (3, 14):
            del self.module.__annotations__
        self.displays, self.compiler = displays.Displays(control), statements.Compiler()
        self.loop, self.stdin = Loop(), Stdin()
        self.handler = _signal.default_int_handler
        self.buffer, self.shown, self.rich_part, self.guard = b"", (), None, None
        self.operations, self.before, self.used = int, 0, 0
        self.offer_display()
        # First for what is there and has to be told of the session, last for what is not.
        sys.meta_path.insert(0, LateHook(self, ("matplotlib", "_belljar_figures", "IPython"), "first"))
        sys.meta_path.append(LateHook(self, ("IPython",), "last"))

    def rich(self):
        if self.rich_part is None:
            self.rich_part = guest.load_part("rich")
            self.rich_part.open_for(self)
        return self.rich_part

    def offer_display(self):
        def display(*values, **named):
            """Shows values, each in the richest forms it has."""
            return self.rich().display(*values, **named)

        builtins.display = display

    # The conversation.

    def next_frame(self):
        self.loop.wait_for(self.control.fd)
        self.read_until(5)
        kind, size = self.buffer[4], 5 + int.from_bytes(self.buffer[:4], "little")
        known = kind in (frames.STATEMENT, frames.CHECKPOINT, frames.RESTORE)
        if not known or size > frames.MAX_RUN_BYTES + 5:
            os._exit(guest.EXIT_BAD_RUN)
        self.read_until(size)
        frame, self.buffer = self.buffer[5:size], self.buffer[size:]
        return kind, guest.parse_json(frame.decode("utf-8"))

    def next_statement(self):
        try:
            kind, frame = self.next_frame()
            while kind != frames.STATEMENT:
                if kind == frames.CHECKPOINT:
                    self.save(frame["room"], frame["base"])
                else:
                    self.go_on(frame["as"] == "branch")
                kind, frame = self.next_frame()
            if frame.get("guard") == "same":
                frame["guard"] = self.guard
            statement = statements.Statement(frame)
            self.guard = statement.guard
            return statement
        except Exception:
            os._exit(guest.EXIT_BAD_RUN)

    def save(self, room, base):
        """Answers CHECKPOINT. Goes on twice: here, and in each process that becomes this one."""
        if not hasattr(self.control, "native"):
            return self.say_saved(b'"its interpreter is no copy"', 0)
        self.stdin.give(None)
        guest.hang_up()
        resume = self.loop.let_go()
        said = self.control.native.save(room, base)
        resume()
        if isinstance(said, str):
            return self.say_saved(guest.json_text(said, 1000).encode(), 0)
        if said in (WHOLE, IN_PART):
            return self.say_saved(b'""', said == IN_PART)
        self.pid = os.getpid()
        sys.modules["threading"].main_thread()._set_native_id()
        self.go_on(said == BRANCHED)

    def say_saved(self, refused, part):
        """`refused` is a JSON text."""
        self.control.send_whole(frames.SAVED, b'{"refused":%s,"part":%d}' % (refused, part))

    def go_on(self, as_branch):
        """Restored: here, or with the whole container, which tells by RESTORE."""
        if as_branch:
            guest.reseed()
        self.control.send_whole(frames.READY, b"{}")

    def read_until(self, size):
        missing = size - len(self.buffer)
        if missing <= 0:
            return
        chunks = [self.buffer]
        while missing > 0:
            try:
                chunk = self.control.read_some(max(READ_BYTES, min(missing, 1 << 20)))
            except OSError:  # the program has closed it
                chunk = b""
            if not chunk:
                os._exit(0)
            chunks.append(chunk)
            missing -= len(chunk)
        self.buffer = b"".join(chunks)

    def serve(self):
        self.control.send_whole(frames.READY, b"{}")
        while True:
            try:
                self.run(self.next_statement())
            except KeyboardInterrupt:
                pass  # too late for the last statement, too early for the next
            except SystemExit as error:  # of a task, while no statement was running
                self.leave(error)

    # One statement.

    def guarded(self, work, *arguments):
        """Calls `work` where SIGINT is the program's; returns its value and its exception."""
        value = failure = None
        try:
            _signal.signal(_signal.SIGINT, self.handler)
            value = work(*arguments)
        except BaseException as error:
            failure = error
        while True:
            try:
                handler = _signal.signal(_signal.SIGINT, nobody_listens)
                self.handler = handler or _signal.default_int_handler
                return value, failure
            except BaseException as late:  # it came just before the door was shut
                failure = failure or late

    def run(self, statement):
        self.prepare(statement)
        _, failure = self.guarded(self.execute, statement)
        self.used = self.operations() - self.before
        guest.count_file_operations(self.control, 0)  # what follows is not the program's
        if "matplotlib._pylab_helpers" in sys.modules:
            _, second = self.guarded(self.rich().show_open_figures)
            failure = failure or second
        if self.rich_part is not None:
            self.rich_part.forget_figures()
        if os.getpid() != self.pid or isinstance(failure, SystemExit):
            self.leave(failure)
        self.finish("ok", 0) if failure is None else self.fail(failure)

    def prepare(self, statement):
        programs = guest.showing.Display.programs
        if len(programs) >= MOST_SOURCES:
            del programs[next(iter(programs))]
        guest.showing.show_lines_of(statement)
        self.names["__builtins__"] = guest.builtins_for(statement.guard, self.workspace)
        if statement.guard is not None:
            guest.PARTS["guard"].give_builtins()  # earlier statements may have changed them
        sys.argv[:] = [statement.path] + statement.args
        self.names.pop("__warningregistry__", None)  # each statement may warn anew about its line 1
        self.displays.begin(statement.n)

    def execute(self, statement):
        self.stdin.give(statement.stdin)
        self.operations = guest.count_file_operations(self.control, statement.quota)
        self.before = self.operations()
        codes, shows = self.compiler.compile(statement)
        value = None
        if any(code.co_flags & COROUTINE for code in codes):
            value = self.loop.run(self.in_loop(codes))
        else:
            for code in codes:
                value = eval(code, self.names)
        if shows and value is not None:
            self.show_result(value)

    async def in_loop(self, codes):
        value = None
        for code in codes:
            value = eval(code, self.names)
            if code.co_flags & COROUTINE:
                value = await value
        return value

    def show_result(self, value):
        self.remember(value)
        if type(value) in PLAIN_TYPES:
            bundle = {"text/plain": displays.plain(value)}
        else:
            bundle = self.rich().bundle_of(value)
        self.displays.show(bundle, result=True)

    def remember(self, value):
        """`_`, `__` and `___`, unless the program uses these names itself."""
        names = ("_", "__", "___")
        ours = self.shown + (MISSING,) * (3 - len(self.shown))
        if all(self.names.get(name, MISSING) is old for name, old in zip(names, ours)):
            self.shown = (value,) + self.shown[:2]
            self.names.update(zip(names, self.shown))

    def fail(self, failure):
        payload, second = self.guarded(self.tell, failure)
        if second is not None:
            payload, _ = self.guarded(guest.ending.describe, second)
        if payload is not None:
            self.control.send_whole(frames.ERROR, payload.encode("utf-8"))
        self.finish("exception", 1)

    @staticmethod
    def tell(failure):
        statements.strip(failure)
        guest.ending.show_exception(failure)
        return guest.ending.describe(failure)

    def finish(self, status, code):
        guest.ending.flush_streams()
        guest.ending.flush_c_streams()
        self.displays.end(b'{"n":%d,"status":"%s","exit_code":%d,"file_operations":%d%s}' % (
            self.displays.n, status.encode(), code, self.used, guest.refusals()))

    def leave(self, failure):
        """The end of the process, as guest.py has it at the end of a program."""
        status = 0
        if isinstance(failure, SystemExit):
            statements.strip(failure)
            status = guest.ending.exit_status(failure)
        elif failure is not None:  # in a forked child, which is told of by its status alone
            self.guarded(self.tell, failure)
            status = 1
        del failure
        self.guarded(guest.ending.finish_threads_and_exit_functions)
        whole = guest.ending.flush_streams()
        self.names = self.shown = None
        self.guarded(guest.ending.drop_objects, self)
        guest.ending.flush_again()
        if not whole:
            status = 120
        if os.getpid() == self.pid and self.displays.n is not None:
            self.finish("exit", status)
        os._exit(status)


def serve(control, message):
    """Becomes a session; never returns."""
    guest.set_environment(message.get("env", {}))
    sys.path.insert(0, message["workspace"])
    session = Session(control, message)
    sys.modules["__main__"] = session.module
    if "matplotlib" in sys.modules:
        session.rich().configure_matplotlib()
    _signal.signal(_signal.SIGINT, nobody_listens)
    gc.freeze()
    session.serve()
