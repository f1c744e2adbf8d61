#!/usr/bin/env python3
"""The tools of server.py behind streamable HTTP, for tests: honest, or hostile in one way.

    with serve(era="modern", style="json") as server: ... server.url, server.seen
"""
import contextlib
import http.server
import json
import threading
import time

from mcp_servers.server import MODERN, Session


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        server.seen.append((dict(self.headers), message))
        is_call = message.get("method") == "tools/call"
        if server.way and is_call:
            return getattr(self, "be_" + server.way)(message)
        problem = self.problem(message)
        if problem:
            return self.send(problem, {"jsonrpc": "2.0", "id": message.get("id"),
                                       "error": {"code": -32020, "message": "bad headers"}})
        answer = server.session.answer(message)
        if answer is None:
            return self.send(202, None)
        answer = dict(answer, jsonrpc="2.0", id=message["id"])
        extra = {}
        if message["method"] == "initialize":
            extra["MCP-Session-Id"] = server.session_id
        status = 404 if answer.get("error", {}).get("code") == -32601 else 200
        if server.style == "sse" and is_call:
            return self.stream(answer)
        return self.send(status, answer, extra)

    def problem(self, message):
        """The status for a request whose headers are not those of its era; 0: they are."""
        headers, method = self.headers, message.get("method")
        if self.server.token and headers.get("Authorization") != self.server.token:
            return 401
        if self.server.session.era == MODERN:
            fine = (headers.get("MCP-Protocol-Version") == MODERN and headers.get("Mcp-Method") == method
                    and (method != "tools/call" or headers.get("Mcp-Name") == message["params"]["name"]))
            return 0 if fine else 400
        if method == "server/discover":
            return 400
        if method == "initialize":
            return 0
        return 0 if headers.get("MCP-Session-Id") == self.server.session_id else 404

    def send(self, status, answer, extra=None):
        body = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in (extra or {}).items():
            self.send_header(name, value)
        self.send_header("Content-Type", "application/json; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def stream(self, *messages, end=True):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b": hello\r\n\r\nid: 1\r\ndata: \r\n\r\n")
        for message in (*[{"jsonrpc": "2.0", "method": "notifications/progress", "params": {}}] * 3,
                        *messages):
            self.wfile.write(b"event: message\r\ndata: " + json.dumps(message).encode() + b"\r\n\r\n")
        self.close_connection = True

    def be_hang(self, _message):
        time.sleep(self.server.hang_seconds)

    def be_short(self, message):
        """Promises more than it sends."""
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"content": []}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) + 1000))
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        self.close_connection = True

    def be_long(self, message):
        """Sends more than it promises."""
        body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"content": []}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) - 10))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def be_endless(self, _message):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.close_connection = True
        with contextlib.suppress(OSError):
            while True:
                self.wfile.write(b"data: " + b"x" * 65536)

    def be_forget(self, message):
        """Loses its sessions."""
        self.server.session_id = "another"
        self.server.way = ""
        self.send(404, {"jsonrpc": "2.0", "id": message["id"],
                        "error": {"code": -32001, "message": "no session"}})

    def be_redirect(self, _message):
        self.send(302, None, {"Location": "http://127.0.0.1:1/"})

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serve(era=MODERN, style="json", way="", token="", hang_seconds=30):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.session, server.style, server.way, server.token = Session(era), style, way, token
    server.seen, server.session_id, server.hang_seconds = [], "session-1", hang_seconds
    server.url = "http://127.0.0.1:%d/mcp" % server.server_port
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
