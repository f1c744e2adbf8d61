#!/usr/bin/env python3
"""An MCP server for tests, of the standard library alone: honest, old, new, or hostile in one way.

Usage: server.py [--era modern|legacy|2025-06-18] [--hostile WAY] [--log FILE]
By standard input and output, one message a line. http_server.py has the same behind HTTP.
"""
import argparse
import json
import os
import subprocess
import sys
import threading
import time

MODERN = "2026-07-28"
VERSION = "io.modelcontextprotocol/protocolVersion"


def schema(required=(), **kinds):
    return {"type": "object", "properties": {name: {"type": kind} for name, kind in kinds.items()},
            "required": list(required), "additionalProperties": False}


TOOLS = [
    {"name": "add", "description": "Adds two numbers.",
     "inputSchema": schema(("a", "b"), a="integer", b="integer"),
     "outputSchema": schema(("sum",), sum="integer")},
    {"name": "echo", "description": "Says it again.", "inputSchema": schema(("text",), text="string")},
    {"name": "fail", "description": "Fails.", "inputSchema": schema()},
    {"name": "picture", "description": "A mixed result.", "inputSchema": schema()},
    {"name": "large", "description": "A large result.", "inputSchema": schema(bytes="integer")},
    {"name": "sleep", "description": "Takes its time.", "inputSchema": schema(seconds="number")},
    {"name": "create_issue", "description": "Changes something.",
     "inputSchema": schema(("title",), title="string")},
    {"name": "delete_all", "description": "Nobody should.", "inputSchema": schema()},
    {"name": "env", "description": "A variable of the server's.",
     "inputSchema": schema(("name",), name="string")},
]


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def call(name, arguments):
    if name == "add":
        total = arguments["a"] + arguments["b"]
        return dict(text(str(total)), structuredContent={"sum": total})
    if name in ("echo", "create_issue"):
        return text(arguments.get("text") or "created " + arguments["title"])
    if name == "fail":
        return dict(text("it did not work"), isError=True)
    if name == "picture":
        return {"content": [{"type": "text", "text": "see"},
                            {"type": "image", "data": "AAAA", "mimeType": "image/png"}]}
    if name == "large":
        return text("x" * arguments["bytes"])
    if name == "sleep":
        time.sleep(arguments["seconds"])
        return text("slept")
    if name == "env":
        return text(os.environ.get(arguments["name"], "nothing"))
    return None


class Session:
    """One client's way through the protocol; `era` is the newest that is spoken."""

    def __init__(self, era):
        self.era = era

    def answer(self, message):
        """The result or the error for a request; None for what is not answered."""
        method, params = message.get("method"), message.get("params") or {}
        if "id" not in message:
            return None
        modern = VERSION in (params.get("_meta") or {})
        if modern and self.era != MODERN:
            return {"error": {"code": -32601, "message": "Method not found"}}
        if method == "server/discover" and modern:
            return {"result": {"resultType": "complete", "supportedVersions": [MODERN],
                               "capabilities": {"tools": {}}, "ttlMs": 1000, "cacheScope": "public"}}
        if method == "initialize" and self.era != MODERN:
            return {"result": {"protocolVersion": self.era, "capabilities": {"tools": {}},
                               "serverInfo": {"name": "test", "version": "1"}}}
        if self.era == MODERN and not modern:
            return {"error": {"code": -32602, "message": "no _meta"}}
        return self.serve(method, params, {"resultType": "complete"} if modern else {})

    @staticmethod
    def serve(method, params, extra):
        if method == "tools/list":  # two to a page
            at = int(params.get("cursor", 0))
            page = {"tools": TOOLS[at:at + 2]}
            if at + 2 < len(TOOLS):
                page["nextCursor"] = str(at + 2)
            return {"result": dict(page, **extra)}
        if method == "tools/call":
            result = call(params["name"], params.get("arguments") or {})
            if result is None:
                return {"error": {"code": -32602, "message": "Unknown tool: " + params["name"]}}
            return {"result": dict(result, **extra)}
        return {"error": {"code": -32601, "message": "Method not found"}}


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


MALFORMED = {  # answers that are none
    "nan": b'{"jsonrpc": "2.0", "id": %d, "result": {"content": [], "structuredContent": NaN}}',
    "bytes": b'{"jsonrpc": "2.0", "id": %d, "result": {"content": [{"type": "text", "text": "\xff"}]}}',
    "both": b'{"jsonrpc": "2.0", "id": %d, "result": {"content": []}, "error": {"code": 1, "message": "x"}}',
    "text-id": b'{"jsonrpc": "2.0", "id": "%d", "result": {"content": []}}',
    "real-id": b'{"jsonrpc": "2.0", "id": %d.0, "result": {"content": []}}',
}


def misbehave(way, message):
    """Whether the message was answered in a hostile way."""
    if message.get("method") != "tools/call":
        return False
    if way == "hang":
        time.sleep(3600)
    elif way == "die":
        os._exit(3)
    elif way in ("leaves", "leaves-and-dies"):
        # In a session of its own, without a parent, and with our output.
        subprocess.run(["setsid", "-f", "sh", "-c", "sleep 1000; sleep 1000"], check=True)
        if way == "leaves":
            return False
        os._exit(3)
    elif way == "endless":
        while True:
            sys.stdout.write("x" * 65536)
    elif way == "deep":
        sys.stdout.write('{"jsonrpc":"2.0","id":%d,"result":%s1%s}\n' % (
            message["id"], '{"a":' * 50000, "}" * 50000))
        sys.stdout.flush()
    elif way in MALFORMED:
        sys.stdout.flush()
        sys.stdout.buffer.write(MALFORMED[way] % message["id"] + b"\n")
        sys.stdout.flush()
    elif way == "huge":
        say({"jsonrpc": "2.0", "id": message["id"], "result": dict(text("x"), structuredContent={"sum": 10 ** 30})})
    elif way == "garbage":
        sys.stdout.write("this is no JSON\n" * 200)
        sys.stdout.flush()
    elif way == "flood":
        while True:
            say({"jsonrpc": "2.0", "method": "notifications/message", "params": {}})
    elif way == "other-id":
        say({"jsonrpc": "2.0", "id": message["id"] + 1000, "result": text("for somebody else")})
    elif way == "asks":
        say({"jsonrpc": "2.0", "id": "q", "method": "sampling/createMessage", "params": {}})
        answer = json.loads(sys.stdin.readline())
        say({"jsonrpc": "2.0", "id": message["id"], "result": text(str(answer["error"]["code"]))})
    elif way == "shape":
        say({"jsonrpc": "2.0", "id": message["id"], "result": {"content": [7], "isError": "no"}})
    else:
        return False
    return True


def reply(session, message):
    answer = session.answer(message)
    if answer is not None:
        say(dict(answer, jsonrpc="2.0", id=message["id"]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--era", default="modern")
    parser.add_argument("--hostile", default="")
    parser.add_argument("--log", default=os.devnull)
    options = parser.parse_args()
    era = {"modern": MODERN, "legacy": "2025-11-25"}.get(options.era, options.era)
    session = Session(era)
    sys.stderr.write("the server has started\n")
    sys.stdout.write("a banner, as some servers have\n")
    with open(options.log, "a", encoding="utf-8") as log:
        for line in sys.stdin:
            log.write(line)
            log.flush()
            message = json.loads(line)
            if misbehave(options.hostile, message):
                continue
            if message.get("params", {}).get("name") == "sleep":  # others are served meanwhile
                threading.Thread(target=reply, args=(session, message), daemon=True).start()
            else:
                reply(session, message)


if __name__ == "__main__":
    main()
