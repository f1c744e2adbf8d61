"""What the tests of egress share: a daemon for each class, servers, names, and a policy."""
import base64
import hashlib
import io
import json
import os
import pathlib
import tarfile
import tempfile
import zipfile

from egress import world
from suite import Suite

SECRET = "hunter2-real-value-5f2c"
POLICY = """
extends = "%s"
%s
[network]
hosts = ["*.example.com", "*.example.com:8080", "11.0.0.1", "127.0.0.1", "[::1]", "localhost",
         "169.254.169.254", "10.77.0.1", "[::ffff:127.0.0.1]", "[::ffff:11.0.0.1]"]
max_requests = 200
requests_per_minute = 10000
%s
[secrets.API_KEY]
host = "secret.example.com"
header = "Authorization"
from_env = "REAL_API_KEY"
[secrets.TLS_KEY]
host = "tls.example.com"
header = "X-Api-Key"
scheme = "https"
from_file = "%s"
"""
ALL = ["*.example.com"]
# Sends each of a list of texts to the proxy, on a connection of its own; prints what came back.
RAW = """
import json, socket, sys
answers = []
for text in json.load(sys.stdin):
    with socket.create_connection(("127.0.0.1", 3128), 20) as s:
        s.sendall(text.encode("latin-1"))
        s.shutdown(socket.SHUT_WR)
        answer = b""
        while piece := s.recv(65536):
            answer += piece
    answers.append(answer.decode("latin-1"))
print(json.dumps(answers))
"""


def wheel():
    """A package as an index gives it."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as files:
        files.writestr("tiny.py", "ANSWER = 42\n")
        files.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        files.writestr("tiny-1.0.dist-info/WHEEL",
                       "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        files.writestr("tiny-1.0.dist-info/RECORD", "")
    return held.getvalue()


def tarball():
    """The same for Node."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:gz") as files:
        for name, text in (("package.json", '{"name": "tiny", "version": "1.0.0"}'),
                           ("index.js", "module.exports = 42")):
            entry = tarfile.TarInfo("package/" + name)
            entry.size = len(text)
            files.addfile(entry, io.BytesIO(text.encode()))
    return held.getvalue()


WHEEL, TARBALL = wheel(), tarball()
NPM_PAGE = {"name": "tiny", "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": {
    "name": "tiny", "version": "1.0.0",
    "dist": {"tarball": "http://api.example.com/tiny.tgz",
             "integrity": "sha512-" + base64.b64encode(hashlib.sha512(TARBALL).digest()).decode()}}}}


def pages(seen):
    path = seen["path"]
    if path == "/redirect":
        return 302, {"Location": "http://127.0.0.1/redirected"}, b""
    if path == "/simple/tiny/":
        return 200, {"Content-Type": "text/html"}, b'<a href="/tiny-1.0-py3-none-any.whl">tiny</a>'
    if path.endswith(".whl"):
        return 200, {}, WHEEL
    if path == "/tiny":
        return 200, {"Content-Type": "application/json"}, json.dumps(NPM_PAGE).encode()
    if path == "/tiny.tgz":
        return 200, {}, TARBALL
    if path == "/close":
        return 200, {"Connection": "close"}, b""
    if path == "/echo":
        return 200, {}, json.dumps(seen["headers"]).encode()
    if path.startswith("/bytes/"):
        return 200, {}, b"x" * int(path.rpartition("/")[2])
    return 200, {"Content-Type": "text/plain"}, b"page " + path.encode()


class Case(Suite):
    """One daemon for the tests of a class."""
    FIXTURES = (*Suite.FIXTURES, "world")
    extends = "relaxed"  # what is judged, and how, has tests of its own
    more = ""
    rest = '[rules]\nsh-upload = "allow"\nsh-package-install = "allow"\n'
    uid = None

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="belljar-egress-")
        os.chmod(cls.folder.name, 0o755)
        key = pathlib.Path(cls.folder.name, "key")
        key.write_text(SECRET + "\n")
        cls.policy = policy = pathlib.Path(cls.folder.name, "policy.toml")
        policy.write_text(POLICY % (cls.extends, cls.walls.policy, cls.more, key) + cls.rest)
        env = {"PATH": "/usr/bin:/bin", "REAL_API_KEY": SECRET, "SSL_CERT_FILE": cls.world.cert, **cls.walls.env}
        cls.daemon = cls.new_daemon("--policy", str(policy), "--pool", "1", *cls.walls.flags, uid=cls.uid, env=env,
                                    prefix=cls.world.inside())
        cls.daemon.env.pop("BELLJAR_LEVEL")
        cls.daemon.start()
        cls.client = cls.daemon.client()

    @classmethod
    def tearDownClass(cls):
        cls.client.close()
        cls.daemon.__exit__()
        cls.folder.cleanup()

    def setUp(self):
        self.world.name({"api.example.com": world.PUBLIC, "other.example.com": world.OTHER,
                    "secret.example.com": world.PUBLIC, "tls.example.com": world.PUBLIC})
        for server in self.world.servers():
            server.seen.clear()

    def run_code(self, code, hosts=None, **more):
        result = self.client.run(code, allow_hosts=ALL if hosts is None else hosts, **more)
        self.assertIn("outcome", result, result)
        return result

    def ok(self, code, hosts=None, **more):
        result = self.run_code(code, hosts, **more)
        self.assertEqual(result["outcome"], "ok", result)
        return result["stdout"]

    def raw(self, texts, hosts=None):
        return json.loads(self.ok(RAW, hosts, stdin=json.dumps(texts), timeout=50))

    def records(self, run):
        found = self.client.get("/v1/audit?run=%s&event=broker" % run).json()["records"]
        return [record["detail"] for record in reversed(found)]


def get(url, host=None, method="GET", more=""):
    host = host or url.split("/")[2]
    return "%s %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n%s\r\n" % (method, url, host, more)
