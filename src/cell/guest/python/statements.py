"""The text of a session's statements: compiled, and kept for the tracebacks of later ones.

Loaded by session.py (`guest` here is guest.py).
"""
import _ast


class Statement(guest.showing.ProgramLoader):
    """One piece of code, and its lines for tracebacks."""

    def __init__(self, message):
        self.code = message["code"]
        super().__init__(message["name"], self.code.encode("utf-8", "replace"))
        self.n, self.args = message["n"], message["args"]
        self.stdin, self.quota = message["stdin"], message["file_operations"]
        self.guard = message.get("guard")

    def text(self):
        return self.code


class Compiler:
    """Text to code objects: the statement without its last expression, and that expression."""

    def __init__(self):
        self.flags = _ast.PyCF_ALLOW_TOP_LEVEL_AWAIT

    def compile(self, statement):
        """The code objects, and whether the value of the last is to be displayed."""
        try:
            return self._split(statement)
        except SyntaxError as error:
            guest.showing.add_line(error, statement)
            raise

    def _compile(self, what, name, mode, flags=0):
        return compile(what, name, mode, self.flags | flags, dont_inherit=True)

    def _split(self, statement):
        if self._only_sets_a_name(statement.code):
            return [self._compile(statement.code, statement.path, "exec")], False
        tree = self._compile(statement.code, statement.path, "exec", _ast.PyCF_ONLY_AST)
        last = tree.body[-1] if tree.body else None
        codes = []
        if isinstance(last, _ast.Expr):
            tree.body.pop()
            codes.append(self._compile(_ast.Expression(last.value), statement.path, "eval"))
        if tree.body or not codes:
            codes.insert(0, self._compile(tree, statement.path, "exec"))
        self._keep_future(statement.code, codes)
        return codes, isinstance(last, _ast.Expr) and not self._is_silenced(statement.code, last)

    @staticmethod
    def _only_sets_a_name(text):
        """As most lines do: an assignment has no value to show. To find that out by
        its syntax tree takes as long as to compile it."""
        name, equals, value = text.partition("=")
        return (bool(equals) and not value.startswith("=")
                and name.rstrip("+-*/%&|^@ ").isidentifier()
                and ";" not in text and "\n" not in text and "\r" not in text)

    def _keep_future(self, text, codes):
        if "__future__" in text:
            import __future__ as future
            for name in future.all_feature_names:
                self.flags |= codes[0].co_flags & getattr(future, name).compiler_flag

    @staticmethod
    def _is_silenced(text, last):
        """A semicolon after the last expression asks for silence, as in a notebook."""
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        line = lines[last.end_lineno - 1].encode("utf-8", "replace")
        return line[last.end_col_offset:].lstrip(b" \t)").startswith(b";")


def strip(error, seen=()):
    """Takes the guest's frames, and asyncio's around a top-level await, from all tracebacks."""
    while error is not None and id(error) not in seen:
        seen = seen + (id(error),)
        error.__traceback__ = users_frames(error.__traceback__)
        for inner in getattr(error, "exceptions", ()):
            if isinstance(inner, BaseException):
                strip(inner, seen)
        if error.__cause__ is not None:
            strip(error.__cause__, seen)
        error = error.__context__


def is_users(frame):
    return frame.f_code.co_filename not in guest.OWN_FILES


def users_frames(tb):
    programs = guest.showing.Display.programs
    first = tb
    while first is not None and first.tb_frame.f_code.co_filename not in programs:
        first = first.tb_next
    if first is None:
        first = tb
    while first is not None and not is_users(first.tb_frame):
        first = first.tb_next
    at = first
    while at is not None:
        while at.tb_next is not None and not is_users(at.tb_next.tb_frame):
            at.tb_next = at.tb_next.tb_next
        at = at.tb_next
    return first
