"""How a program ends: what is shown of its exception, and CPython's own last steps.

Loaded by guest.py (`guest` here).
"""
import gc
import io
import os
import sys

frames, showing = guest.load_part("frames"), guest.load_part("showing")


def error_payload(kind, message, traceback):
    limit = 128 << 10
    while True:
        payload = '{"type":%s,"message":%s,"traceback":%s}' % (
            guest.json_text(kind, 256), guest.json_text(message, limit // 2),
            guest.json_text(traceback, limit, keep="tail"))
        # Control characters grow sixfold in JSON.
        if len(payload.encode("utf-8")) <= frames.MAX_GUEST_FRAME_BYTES:
            return payload
        limit //= 2


def users_part(tb):
    """`tb` without the frames of this file that it starts with."""
    while tb is not None and tb.tb_frame.f_code.co_filename in guest.OWN_FILES:
        tb = tb.tb_next
    return tb


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
        hook = showing.excepthook
    try:
        sys.audit("sys.excepthook", hook, type(error), error, error.__traceback__)
        hook(type(error), error, error.__traceback__)
    except SystemExit as second:
        return exit_status(second)
    except BaseException as second:
        sys.stderr.write("Error in sys.excepthook:\n")
        second = second.with_traceback(users_part(second.__traceback__))
        showing.excepthook(type(second), second, None)
        sys.stderr.write("\nOriginal exception was:\n")
        showing.excepthook(type(error), error, error.__traceback__)
    return 1


def as_printed(error):
    """What CPython prints for `error`, whatever hook the program has set."""
    stderr, sys.stderr = sys.stderr, io.StringIO()
    try:
        showing.excepthook(type(error), error, error.__traceback__)
        return sys.stderr.getvalue()
    except BaseException:
        return ""
    finally:
        sys.stderr = stderr


def describe(error):
    """The payload of ERROR for `error`."""
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
        showing.excepthook(type(error), error.with_traceback(users_part(error.__traceback__)), None)


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
            showing.Display.call(atexit._run_exitfuncs)
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
    if hasattr(guest.NATIVE, "flush"):
        guest.NATIVE.flush()
    else:
        ctypes.CDLL(None).fflush(None)


def last_words(program, status):
    """COUNT; with the status where the process is about to end with it."""
    exits = b"" if status is None else b',"exits":%d' % (status & 255)
    program.control.send(
        frames.COUNT, b'{"file_operations":%d%s%s}' % (program.operations(), guest.refusals(), exits))


def report(program, failure):
    """Shows what ended the program; returns the exit status and the payload of ERROR or None."""
    if not failure:
        return 0, None
    error = failure.pop()
    error.__traceback__ = users_part(error.__traceback__)
    if guest.refusals():
        guest.load_part("statements").strip(error)
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
        program.control.send(frames.ERROR, payload.encode("utf-8"))
    status = status if whole else 120
    last_words(program, None if interrupted else status)
    if interrupted:
        import _signal
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        _signal.raise_signal(_signal.SIGINT)
        status = 128 + _signal.SIGINT
    elif guest.waits_to_be_ended:
        # The supervisor has heard the status and ends the container. To take this process apart
        # meanwhile would cost gVisor more than the program did.
        import time
        time.sleep(1)
    os._exit(status)
