"""The tools that the policy opens to this program: calls of MCP servers, made by Belljar outside.

    from belljar import tools
    tools.github.search(query="is:open")      # a server's tool is a function
    help(tools.github.search)                 # with the signature of its schema
    dir(tools), dir(tools.github)             # what there is

A call returns the tool's structured result, else its text, else the list of its content. A tool that
fails raises tools.ToolError; what the policy or a person does not allow raises tools.Denied. A call
that a person must agree to waits for the answer.

This is a convenience: a line of JSON goes to the socket that BELLJAR_TOOLS names, and one comes back.
"""
import _socket
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


ToolError.__module__ = Denied.__module__ = "belljar.tools"


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
    text = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}) + "\n"
    line = take_line()
    try:
        answer = line.ask(text.encode("utf-8"))
    except BaseException:
        line.close()  # an answer may still be on its way
        raise
    idle.append(line)
    error = answer.get("error")
    if error is None:
        return answer["result"]
    kind = (error.get("data") or {}).get("kind", "error")
    raise (Denied if kind == "denied" else ToolError)(error["message"], kind)


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

    def __call__(self, **arguments):
        self._check(arguments)
        params = {"server": self._server, "tool": self._name, "arguments": arguments}
        return value_of(ask("tools/call", params), self._name)

    def _check(self, arguments):
        known = self._schema.get("properties")
        for name in self._schema.get("required") or ():
            if name not in arguments:
                raise TypeError("%s() needs the argument %r" % (self._name, name))
        for name in arguments if isinstance(known, dict) else ():
            if name not in known and self._schema.get("additionalProperties") is False:
                raise TypeError("%s() has no argument %r; it has: %s" % (
                    self._name, name, ", ".join(known)))

    @property
    def __signature__(self):
        import inspect
        required = self._schema.get("required") or ()
        parameters = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=type_of(schema),
                              default=inspect.Parameter.empty if name in required
                              else default_of(schema))
            for name, schema in (self._schema.get("properties") or {}).items()
            if name.isidentifier()]
        returns = type_of(self._returns) if self._returns else inspect.Signature.empty
        return inspect.Signature(parameters, return_annotation=returns)

    def __repr__(self):
        return "<tool %s of %s>" % (self._name, self._server)


def type_of(schema):
    kind = schema.get("type") if isinstance(schema, dict) else None
    if isinstance(kind, list):
        kinds = [TYPES[each] for each in kind if each in TYPES]
        import typing
        return typing.Union[tuple(kinds)] if kinds else typing.Any
    return TYPES.get(kind, object)


def default_of(schema):
    return schema.get("default") if isinstance(schema, dict) else None


class Server:
    """An MCP server: its tools are its attributes. Its list is asked for when it is first needed."""

    def __init__(self, name):
        self._name, self._tools = name, None

    def _all(self):
        if self._tools is None:
            listed = ask("tools/list", {"server": self._name})["tools"]
            self._tools = {tool["name"]: Tool(self._name, tool) for tool in listed}
        return self._tools

    def __getitem__(self, name):
        return self._all()[name]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        for own, tool in self._all().items():
            if name in (own, identifier(own)):
                return tool
        raise AttributeError("the policy allows no tool %r of %s; it allows: %s" % (
            name, self._name, ", ".join(self._all()) or "none"))

    def __dir__(self):
        return sorted(identifier(name) for name in self._all())

    def __iter__(self):
        return iter(self._all())

    def __repr__(self):
        return "<tools of %s>" % self._name


class Tools:
    __doc__ = __doc__
    ToolError, Denied = ToolError, Denied

    def __init__(self):
        self._servers = None

    def _all(self):
        if self._servers is None:
            self._servers = {name: Server(name) for name in ask("servers/list", {})["servers"]}
        return self._servers

    def __getitem__(self, name):
        return self._all()[name]

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        for own, server in self._all().items():
            if name in (own, identifier(own)):
                return server
        raise AttributeError("the policy lists no server %r; it lists: %s" % (
            name, ", ".join(self._all()) or "none"))

    def __dir__(self):
        return sorted([identifier(name) for name in self._all()] + ["Denied", "ToolError"])

    def __iter__(self):
        return iter(self._all())

    def __repr__(self):
        return "<belljar tools>"


tools = Tools()
