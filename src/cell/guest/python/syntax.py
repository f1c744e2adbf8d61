"""Tells whether the text on its standard input is a program, which is compiled and never run.

Run as a program in a cell, by the interpreter that is asked. Prints one line of JSON; columns are
counted in bytes, as everywhere else. With the argument "keep" it leaves what it has compiled in
main.code of its workspace, unless a run of that would not be in every way a run of the text:
  - compiling it says something (a SyntaxWarning), which each run of the text does;
  - a set of constants would be gone through in another order, since sets are kept sorted. Where
    there is text in it, its order is by chance anyway: another in each interpreter.
"""
import json
import sys
import warnings

NAME = "main.py"  # as guest.py calls it


def read(text):
    """Its code, and what the interpreter has against it: one of them is None."""
    try:
        return compile(text, NAME, "exec", dont_inherit=True), None
    except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError) as error:
        return None, error


def told(error):
    if not isinstance(error, SyntaxError):
        return 1, 1, (type(error).__name__ + ": " + str(error)).rstrip(": "), ""
    number = error.lineno or 1
    lines = text.decode("utf-8", "replace").splitlines()
    shown = error.text or (lines[number - 1] if 0 < number <= len(lines) else "")
    before = shown[:max((error.offset or 1) - 1, 0)]
    return number, len(before.encode()) + 1, str(error.msg), shown.strip()[:80]


def by_chance(value):
    """Whether where it stands in a set is another place in each interpreter."""
    if isinstance(value, tuple):
        return any(map(by_chance, value))
    return isinstance(value, (str, bytes))


def lasts(value, again):
    """Whether `again`, which has been kept, is gone through in the order of `value`."""
    if isinstance(value, type(lasts.__code__)):
        value, again = value.co_consts, again.co_consts
    if isinstance(value, tuple):
        return all(map(lasts, value, again))
    if isinstance(value, frozenset):
        return any(map(by_chance, value)) or list(value) == list(again)
    return True


def keep(code):
    import marshal
    from _frozen_importlib_external import MAGIC_NUMBER
    try:
        data = marshal.dumps(code)
        if not lasts(code, marshal.loads(data)):
            return
    except (ValueError, MemoryError, RecursionError):
        return
    with open("main.code", "wb") as file:
        file.write(MAGIC_NUMBER + data)


if __name__ == "__main__":
    text = sys.stdin.buffer.read()
    with warnings.catch_warnings(record=True) as said:
        code, error = read(text)
        if isinstance(error, SyntaxError):
            # Of bytes, some versions count the column in bytes and some in characters.
            _, again = read(text.decode("utf-8", "replace"))
            if isinstance(again, SyntaxError) and again.lineno == error.lineno:
                error = again
    if code is not None and not said and "keep" in sys.argv[1:]:
        keep(code)
    answer = {"accepted": error is None}
    if error is not None:
        answer.update(zip(("line", "column", "message", "text"), told(error)))
    print(json.dumps(answer))
