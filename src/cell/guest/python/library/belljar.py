"""What the policy opens to this program: tools of MCP servers and databases, asked by Belljar outside.

    from belljar import tools, databases
    tools.github.search(query="is:open")      # a server's tool is a function
    help(tools.github.search)                 # with the signature of its schema
    list(tools), list(tools.github)           # the names of what there is
    for row in databases.sales.query("SELECT id, name FROM customers WHERE id > $1", [7]):
        print(row["name"])

A call returns the tool's structured result, else its text, else the list of its content. A tool that
fails raises tools.ToolError; what the policy or a person does not allow raises tools.Denied. A call
that a person must agree to waits for the answer.

A query returns a list of rows, which are dictionaries; `truncated` says that there were more. A write
is committed when a person has agreed to it. What fails raises databases.DatabaseError, what is not
allowed databases.Denied.

This is a convenience: a line of JSON goes to the socket that BELLJAR_TOOLS names, and one comes back.
"""
import _socket
import binascii
import json
import os

TYPES = {"string": str, "integer": int, "number": float, "boolean": bool, "array": list,
         "object": dict, "null": type(None)}
PLACE = "/run/belljar/tools.sock"


class ToolError(Exception):
    """A call that did not succeed. `kind` says why, `content` what the tool itself said."""

    def __init__(self, message, kind="error", content=None):
        super().__init__(message)
        self.kind, self.content = kind, content


class Denied(ToolError):
    """The policy, or a person who was asked, does not allow the call."""


class Unlisted(Denied, AttributeError):
    """The policy does not list what was asked for by name."""


class DatabaseError(Exception):
    """A statement that did not succeed. `kind` says why."""

    def __init__(self, message, kind="error"):
        super().__init__(message)
        self.kind = kind


class DatabaseDenied(DatabaseError):
    """The policy, the database, or a person who was asked does not allow it."""


class DatabaseUnlisted(DatabaseDenied, AttributeError):
    """The policy does not list the database."""


ToolError.__module__ = Denied.__module__ = Unlisted.__module__ = "belljar.tools"
DatabaseError.__module__ = DatabaseDenied.__module__ = DatabaseUnlisted.__module__ = "belljar.databases"
DatabaseDenied.__name__ = DatabaseDenied.__qualname__ = "Denied"
DatabaseUnlisted.__name__ = DatabaseUnlisted.__qualname__ = "Unlisted"


class Line:
    """One connection: a request, then its answer."""

    def __init__(self):
        self.owner = os.getpid()
        self.socket = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            self.socket.connect(os.environ.get("BELLJAR_TOOLS", PLACE))
        except OSError as error:
            raise ToolError("no tools are open to this run: %s" % error, "unavailable") from None

    def ask(self, text):
        self.socket.sendall(text)
        parts = []
        while not parts or not parts[-1].endswith(b"\n"):
            parts.append(self.socket.recv(1 << 18))
            if not parts[-1]:
                raise ToolError("the connection to the tools was closed", "unavailable")
        return json.loads(b"".join(parts))

    def close(self):
        self.socket.close()


idle = []  # connections; each thread that asks takes one


def take_line():
    while idle:
        line = idle.pop()
        if line.owner == os.getpid():  # a fork shares its parent's, and must not use them
            return line
    return Line()


def hang_up():
    """Closes what is idle; the next call connects again. Checkpoints cannot carry connections."""
    while idle:
        idle.pop().close()


def ask(method, params):
    request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    try:  # not as \u escapes, in which half a character could be written
        text = json.dumps(request, allow_nan=False, ensure_ascii=False).encode("utf-8") + b"\n"
    except UnicodeEncodeError as error:
        raise ValueError("a text holds half a character, which is no text outside: %s" % error) from None
    line = take_line()
    try:
        answer = line.ask(text)
    except BaseException:
        line.close()  # an answer may still be on its way
        raise
    idle.append(line)
    error = answer.get("error")
    if error is None:
        return answer["result"]
    kind = (error.get("data") or {}).get("kind", "error")
    raise (Denied if kind == "denied" else ToolError)(error["message"], kind)


def ask_database(method, **params):
    try:
        return ask("databases/" + method, params)
    except ToolError as error:
        kind = DatabaseDenied if isinstance(error, Denied) else DatabaseError
        raise kind(str(error), error.kind) from None


def value_of(result, name):
    content = result.get("content") or []
    texts = [block.get("text", "") for block in content if block["type"] == "text"]
    if result.get("isError"):
        raise ToolError("\n".join(texts) or "%s failed" % name, "error", content)
    if "structuredContent" in result:
        return result["structuredContent"]
    return "\n".join(texts) if len(texts) == len(content) else content


def identifier(name):
    return "".join(c if c.isalnum() or c == "_" else "_" for c in name)


class Tool:
    """A tool of a server, as a function of keyword arguments."""

    def __init__(self, server, described):
        self._server, self._name = server, described["name"]
        self._schema = described["inputSchema"]
        self._returns = described.get("outputSchema")
        self.__name__ = self.__qualname__ = identifier(self._name)
        self.__module__ = "belljar.tools." + identifier(server)
        self.__doc__ = described.get("description") or "The tool %s of %s." % (self._name, server)
        if described.get("asks"):
            self.__doc__ += "\n\nA person is asked about each call."

    def __call__(self, /, *unnamed, **arguments):  # a tool's own argument may be called self
        if unnamed:
            names = ", ".join("%s=..." % name for name in self._properties()) or "it has none"
            raise TypeError("the arguments of %s() are given by name: %s" % (self._name, names))
        self._check(arguments)
        params = {"server": self._server, "tool": self._name, "arguments": arguments}
        return value_of(ask("tools/call", params), self._name)

    def _properties(self):
        known = self._schema.get("properties")
        return known if isinstance(known, dict) else {}

    def _check(self, arguments):
        known = self._properties()
        closed = "properties" in self._schema and self._schema.get("additionalProperties") is False
        for name in self._schema.get("required") or ():
            if name not in arguments:
                raise TypeError("%s() needs the argument %r" % (self._name, name))
        for name, value in arguments.items():
            if name not in known and closed:
                raise TypeError("%s() has no argument %r; it has: %s" % (self._name, name, ", ".join(known)))
            problem = ruled_out(value, known.get(name))
            if problem:
                raise TypeError("the argument %r of %s() %s" % (name, self._name, problem))
            number = untold_number(value)
            if number is not None:
                raise ValueError("the argument %r of %s() holds the number %s, which JSON or Belljar cannot "
                                 "carry; give it as a text" % (name, self._name, number))

    @property
    def __signature__(self):
        import inspect
        import keyword
        required = self._schema.get("required") or ()
        named = {name: schema for name, schema in self._properties().items()
                 if name.isidentifier() and not keyword.iskeyword(name)}
        parameters = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=type_of(schema),
                              default=inspect.Parameter.empty if name in required else default_of(schema))
            for name, schema in named.items()]
        if len(named) < len(self._properties()):
            # Those that can only be given as **{"from": 1}; none has this parameter's own name.
            rest = next(name for name in ("others" + "_" * i for i in range(len(named) + 1)) if name not in named)
            parameters.append(inspect.Parameter(rest, inspect.Parameter.VAR_KEYWORD))
        returns = type_of(self._returns) if self._returns else inspect.Signature.empty
        return inspect.Signature(parameters, return_annotation=returns)

    def __repr__(self):
        return "<tool %s of %s>" % (self._name, self._server)


def type_of(schema):
    kind = schema.get("type") if isinstance(schema, dict) else None
    if isinstance(kind, list):
        import typing
        kinds = [TYPES[each] for each in kind if each in TYPES]
        return typing.Union[tuple(kinds)] if kinds else typing.Any
    return TYPES.get(kind, object)


def default_of(schema):
    return schema.get("default") if isinstance(schema, dict) else None


def is_of(value, kind):
    """Whether JSON has the value as that kind; a bool is no number, and any int is a float."""
    if kind in ("integer", "number") and isinstance(value, bool):
        return False
    if kind == "integer":
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    python = {"number": (int, float), "array": (list, tuple)}.get(kind) or TYPES.get(kind, object)
    return isinstance(value, python)


def ruled_out(value, schema):
    """What the simple words of a schema have against a value; None: nothing. The server judges the rest."""
    if not isinstance(schema, dict):
        return None
    kinds = schema.get("type")
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if isinstance(kinds, list) and kinds and not any(is_of(value, str(kind)) for kind in kinds):
        return "is of the type %s, and no %s" % (type(value).__name__, " or ".join(map(str, kinds)))
    allowed = schema.get("enum")
    if isinstance(allowed, list) and not any(  # True is not 1
            value == each and isinstance(value, bool) == isinstance(each, bool) for each in allowed):
        return "is none of: %s" % ", ".join(json.dumps(each) for each in allowed)
    return None


def untold_number(value):
    """A number in the value that is none (NaN), infinite, or whole and beyond 64 bits; None: there is none."""
    if isinstance(value, float):
        return None if value - value == 0 else repr(float(value))
    if isinstance(value, int):
        return None if -1 << 63 <= value < 1 << 64 else "%#x" % value
    held = value.values() if isinstance(value, dict) else value if isinstance(value, (list, tuple)) else ()
    return next((number for number in map(untold_number, held) if number is not None), None)


class Names:
    """Things that are attributes, or by [name]. The list of them is asked for when it is first needed."""
    _known, _own, _unlisted = None, (), Unlisted

    def _all(self):
        if self._known is None:
            self._known = self._list()
        return self._known

    def __getitem__(self, name):
        return self._all()[name]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        for own, thing in self._all().items():
            if name in (own, identifier(own)):
                return thing
        raise self._unlisted(self._unknown(name) + (", ".join(self._all()) or "none"), "denied")

    def __dir__(self):
        return sorted([identifier(name) for name in self._all()] + list(self._own))

    def __iter__(self):
        return iter(self._all())


class Server(Names):
    """An MCP server: its tools are its attributes."""

    def __init__(self, name):
        self._name = name

    def _list(self):
        listed = ask("tools/list", {"server": self._name})["tools"]
        return {tool["name"]: Tool(self._name, tool) for tool in listed}

    def _unknown(self, name):
        return "the policy allows no tool %r of %s; it allows: " % (name, self._name)

    def __repr__(self):
        return "<tools of %s>" % self._name


class Tools(Names):
    __doc__ = __doc__
    ToolError, Denied = ToolError, Denied
    _own = ("Denied", "ToolError")

    def _list(self):
        return {name: Server(name) for name in ask("servers/list", {})["servers"]}

    def _unknown(self, name):
        return "the policy lists no server %r; it lists: " % name

    def __repr__(self):
        return "<belljar tools>"


def parameter(value):
    """As the broker takes it. What is not a value of JSON goes as its text."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return {"$bytes": binascii.b2a_base64(bytes(value), newline=False).decode("ascii")}
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 1 << 53:
        return {"$int": str(int(value))}
    if isinstance(value, float) and value - value != 0:  # not a number, or infinite
        return str(value)
    if isinstance(value, (dict, list)):
        return json.dumps(value)
    return value if value is None or isinstance(value, (str, int, float)) else str(value)


def cell(value):
    if not isinstance(value, dict):
        return value
    (kind, text), = value.items()
    if kind == "$bytes":
        return binascii.a2b_base64(text)
    if kind == "$json":
        return json.loads(text) if isinstance(text, str) else cell(text)
    return int(text) if kind == "$int" else float(text)


class Row(dict):
    """By name of the column, or by its place."""

    def __init__(self, names, values):
        super().__init__(zip(names, values))
        self._values = tuple(values)

    def __missing__(self, key):
        if isinstance(key, int):
            return self._values[key]
        raise KeyError(key)


class Rows(list):
    """The rows of an answer. `columns` are their names, `types` their types as the database has them,
    `truncated` says that there were more than the policy allows, `changed` how many a write changed."""

    def __init__(self, answer):
        self.columns = [column["name"] for column in answer["columns"]]
        self.types = [column["type"] for column in answer["columns"]]
        self.truncated, self.changed = answer["truncated"], answer["changed"]
        super().__init__(Row(self.columns, [cell(value) for value in row]) for row in answer["rows"])


class Tables(list):
    """What a database describes. `truncated` says that there was more than the policy allows."""

    def __init__(self, answer):
        self.truncated = answer["truncated"]
        super().__init__(answer["tables"])


class Database:
    """A database that the policy lists."""

    def __init__(self, described):
        self._name = described["name"]
        self.engine, self.writes = described["engine"], described["writes"]

    def query(self, sql, params=()):
        """The rows of one statement that reads. Parameters stand in it as $1, $2 (PostgreSQL) or ? (SQLite)."""
        return self._ask("query", sql, params)

    def write(self, sql, params=()):
        """Runs one statement that writes, and commits it when a person has agreed."""
        return self._ask("write", sql, params)

    def describe(self):
        """The tables and views that can be read, with their columns; `truncated` says that there are more."""
        return Tables(ask_database("describe", database=self._name))

    def _ask(self, method, sql, params):
        if isinstance(params, (str, bytes, dict, set)):
            raise TypeError("parameters are a list, in their order, and no %s" % type(params).__name__)
        return Rows(ask_database(method, database=self._name, sql=sql,
                                 params=[parameter(value) for value in params]))

    def __repr__(self):
        return "<database %s: %s>" % (self._name, self.engine)


class Databases(Names):
    """Databases that the policy lists: each is an attribute."""
    DatabaseError, Denied = DatabaseError, DatabaseDenied
    _own, _unlisted = ("DatabaseError", "Denied"), DatabaseUnlisted

    def _list(self):
        return {described["name"]: Database(described) for described in ask_database("list")["databases"]}

    def _unknown(self, name):
        return "the policy lists no database %r; it lists: " % name

    def __repr__(self):
        return "<belljar databases>"


tools = Tools()
databases = Databases()
