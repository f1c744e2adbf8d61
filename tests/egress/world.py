"""A small internet in a network namespace: addresses on its loopback, names in its /etc/hosts.

The suite starts itself again in new network and mount namespaces. What has a public address there
is reached by nobody else, and nothing that is really outside can be reached from it.
"""
import http.server
import os
import pathlib
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading

MARK = "BELLJAR_TEST_WORLD"
PUBLIC, OTHER = "11.0.0.1", "11.0.0.2"


def enter():
    """Returns inside of the namespaces; outside, this process becomes the one inside."""
    if os.environ.get(MARK):
        return _build()
    user = [] if os.getuid() == 0 else ["--map-current-user", "--keep-caps"]
    os.execvpe("unshare", ["unshare", *user, "--mount", "--net", sys.executable, *sys.argv],
               {**os.environ, MARK: "1"})


def _build():
    for command in (["link", "set", "lo", "up"], ["address", "add", PUBLIC + "/32", "dev", "lo"],
                    ["address", "add", OTHER + "/32", "dev", "lo"],
                    ["address", "add", "169.254.169.254/32", "dev", "lo"],
                    ["address", "add", "10.77.0.1/32", "dev", "lo"]):
        subprocess.run(["ip", *command], check=True)


class Names:
    """What names resolve to, from one moment to the next."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="belljar-names-")
        self.file = pathlib.Path(self.folder.name, "hosts")
        nobody = pathlib.Path(self.folder.name, "resolv.conf")
        nobody.write_text("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n")
        self.set({})
        for path, target in ((self.file, "/etc/hosts"), (nobody, "/etc/resolv.conf")):
            subprocess.run(["mount", "--bind", str(path), target], check=True)

    def set(self, names):
        lines = ["%s %s\n" % (address, name) for name, address in names.items()]
        self.file.write_text("127.0.0.1 localhost\n" + "".join(lines))


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
    request_queue_size = 64

    def __init__(self, address, port, pages, context=None):
        self.seen, self.pages, self.connections = [], pages, 0
        super().__init__((address, port), Handler)
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
