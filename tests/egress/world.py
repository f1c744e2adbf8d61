"""A small internet in a network namespace: addresses on its loopback, names in its /etc/hosts.

A process of its own holds the namespaces; daemons are started inside. It makes the listening sockets there and
passes them here, where the tests serve them. What has a public address there is reached by nobody else, and nothing
that is really outside can be reached from it.
"""
import contextlib
import http.server
import os
import pathlib
import shutil
import socket
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading

PUBLIC, OTHER = "11.0.0.1", "11.0.0.2"
BACKLOG = 64


def build(hosts, resolver):
    """Inside: the addresses, and files in the place of those that names are looked up in."""
    for command in (["link", "set", "lo", "up"], ["address", "add", PUBLIC + "/32", "dev", "lo"],
                    ["address", "add", OTHER + "/32", "dev", "lo"],
                    ["address", "add", "169.254.169.254/32", "dev", "lo"],
                    ["address", "add", "10.77.0.1/32", "dev", "lo"]):
        subprocess.run(["ip", *command], check=True)
    for path, target in ((hosts, "/etc/hosts"), (resolver, "/etc/resolv.conf")):
        subprocess.run(["mount", "--bind", path, target], check=True)


def hold(line, hosts, resolver):
    """Inside, until the other end is closed: answers each line "ADDRESS PORT" by a socket that listens there."""
    build(hosts, resolver)
    line.sendall(b"+")
    for request in line.makefile():
        address, port = request.split()
        with socket.create_server((address, int(port)), backlog=BACKLOG) as listener:
            socket.send_fds(line, [b"+"], [listener.fileno()])


class World:
    def __init__(self, pages):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="belljar-world-"))
        self.folder.chmod(0o755)
        self.hosts = self.folder / "hosts"
        resolver = self.folder / "resolv.conf"
        resolver.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        self.name({})
        self.line, theirs = socket.socketpair()
        user = [] if os.getuid() == 0 else ["--map-current-user", "--keep-caps"]
        with theirs:
            self.holder = subprocess.Popen(
                ["unshare", *user, "--mount", "--net", sys.executable, __file__, str(theirs.fileno()),
                 str(self.hosts), str(resolver)], pass_fds=[theirs.fileno()])
        assert self.line.recv(1) == b"+", "the namespaces of the test cannot be made"
        self.serve_all(pages)

    def name(self, names):
        """What names resolve to from now on."""
        lines = ["%s %s\n" % (address, name) for name, address in names.items()]
        self.hosts.write_text("127.0.0.1 localhost\n" + "".join(lines))

    def inside(self):
        """What goes before a command that shall run there."""
        user = [] if os.getuid() == 0 else ["--user", "--preserve-credentials"]
        return ["nsenter", "--target", str(self.holder.pid), *user, "--mount", "--net"]

    def listen(self, address, port):
        self.line.sendall(b"%s %d\n" % (address.encode(), port))
        _, sockets, _, _ = socket.recv_fds(self.line, 1, 1)
        return socket.socket(fileno=sockets[0])

    def serve_all(self, pages):
        context, self.cert = certificate(
            self.folder, ["api.example.com", "other.example.com", "tls.example.com"])
        (self.folder / "other").mkdir()
        wrong, _ = certificate(self.folder / "other", ["wrong.example.com"])
        self.origin = Server(self.listen(PUBLIC, 80), pages)
        self.secure = Server(self.listen(PUBLIC, 443), pages, context)
        self.other = Server(self.listen(OTHER, 443), pages, wrong)
        self.local = Server(self.listen("127.0.0.1", 80), pages)
        self.metadata = Server(self.listen("169.254.169.254", 80), pages)

    def servers(self):
        return self.origin, self.secure, self.local, self.metadata

    def close(self):
        for server in (*self.servers(), self.other):
            server.shutdown()
            server.server_close()
        self.line.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.holder.wait(10)
        self.holder.kill()
        self.holder.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def answer(self):
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = self.read_chunks()
        seen = {"method": self.command, "path": self.path, "body": body.decode("latin-1"),
                "headers": [[name.lower(), value] for name, value in self.headers.items()]}
        self.server.seen.append(seen)
        status, headers, answer = self.server.pages(seen)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer)

    def read_chunks(self):
        body = b""
        while True:
            size = int(self.rfile.readline(), 16)
            body += self.rfile.read(size)
            self.rfile.readline()
            if size == 0:
                return body

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = answer


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    """Keeps what it was asked; `pages` says status, headers and body."""
    daemon_threads = True

    def __init__(self, listener, pages, context=None):
        self.seen, self.pages, self.connections = [], pages, 0
        super().__init__(listener.getsockname(), Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True,
                                              do_handshake_on_connect=False)
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def process_request(self, request, client_address):
        self.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, *_):
        pass  # tests break connections on purpose


def certificate(folder, names):
    """A context for servers of these names, and the path of the certificate to trust."""
    key, cert = str(pathlib.Path(folder, "key.pem")), str(pathlib.Path(folder, "cert.pem"))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                    "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", key, "-out", cert, "-days",
                    "2", "-subj", "/CN=belljar test", "-addext",
                    "subjectAltName=" + ",".join("DNS:" + name for name in names)],
                   check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    return context, cert


if __name__ == "__main__":
    hold(socket.socket(fileno=int(sys.argv[1])), *sys.argv[2:])
