"""A real `belljar serve` in a state directory of its own, and a client that speaks to it."""
import contextlib
import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile

from service.waiting import wait_for

START_SECONDS = 60
ANSWER_SECONDS = 60


class UnixConnection(http.client.HTTPConnection):
    def __init__(self, path):
        super().__init__("localhost", timeout=ANSWER_SECONDS)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Answer:
    def __init__(self, response):
        self.status = response.status
        self.headers = response.headers
        self.body = response.read()

    def json(self):
        return json.loads(self.body)


class Client:
    """One connection, kept open. Without a token the daemon knows the caller by its uid."""

    def __init__(self, address, token=None):
        self.address, self.token = address, token
        self.connection = self._connect()

    def _connect(self):
        if self.address.startswith("unix:"):
            return UnixConnection(self.address[5:])
        return http.client.HTTPConnection(self.address, timeout=ANSWER_SECONDS)

    def ask(self, method, path, body=None, headers=None, stream=False):
        headers = dict(headers or {})
        if self.token:
            headers["Authorization"] = "Bearer " + self.token
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        return response if stream else Answer(response)

    def get(self, path, **more):
        return self.ask("GET", path, **more)

    def post(self, path, body=None, **more):
        return self.ask("POST", path, {} if body is None else body, **more)

    def put(self, path, body, **more):
        return self.ask("PUT", path, body, **more)

    def delete(self, path):
        return self.ask("DELETE", path)

    def run(self, code, **more):
        return self.post("/v1/runs", {"code": code, **more}).json()

    def close(self):
        self.connection.close()


def serves(address):
    """Whether a daemon answers there and is well."""
    with contextlib.suppress(OSError), contextlib.closing(Client(address)) as client:
        return client.get("/healthz").status == 200
    return False


UNUSED_UID = 65533
# Of whom it is said that a user who is not root can do the same.
ORDINARY_UID = UNUSED_UID if os.getuid() == 0 else os.getuid()


def as_user(uid, command):
    """argv that runs the command as another user; setpriv replaces itself, the pid stays."""
    if uid == os.getuid():
        return list(command)
    return ["setpriv", "--reuid=%d" % uid, "--regid=%d" % uid, "--clear-groups", *command]


class Daemon:
    """`prefix` goes before the command, and must replace itself by it (prlimit, nsenter …)."""

    def __init__(self, binary, images, *flags, uid=None, prefix=(), env=None):
        self.binary, self.flags = binary, list(flags)
        self.uid = os.getuid() if uid is None else uid
        # What is judged, and how, is tested by itself; most tests run what a judge would stop.
        self.prefix, self.env = list(prefix), {"BELLJAR_LEVEL": "relaxed", **(env or os.environ)}
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="belljar-serve-"))
        self.state = self.directory / "state"
        self.state.mkdir(mode=0o700)
        # An image of its own would cost seconds for each daemon.
        (self.state / "images").symlink_to(images)
        for path in (self.directory, self.state):
            os.chown(path, self.uid, self.uid)
        self.address = "unix:%s" % (self.directory / "belljar.sock")
        self.process = None

    def start(self):
        self.errors = open(self.directory / "stderr", "ab")
        self.process = subprocess.Popen(
            [*self.prefix, *as_user(self.uid, [self.binary, "serve", "--state", str(self.state),
                                               "--listen", self.address, *self.flags])],
            stdout=self.errors, stderr=self.errors, env=self.env)
        wait_for(lambda: serves(self.address) or self.process.poll() is not None, "the daemon starts", START_SECONDS)
        if self.process.poll() is not None:
            raise AssertionError("the daemon did not start:\n" + self.said())
        return self

    def said(self):
        return (self.directory / "stderr").read_text(errors="replace")

    def client(self, token=None):
        return Client(self.address, token)

    def command(self, *arguments, state=None, cwd=None):
        return subprocess.run(as_user(self.uid, [self.binary, *arguments, "--state",
                                                 str(state or self.state)]), cwd=cwd,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=60)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process is None or self.process.poll() is not None:
            return self.process and self.process.returncode
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(30)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        try:
            self.stop()
        finally:
            if self.process.poll() is None:
                self.kill()
            shutil.rmtree(self.directory, ignore_errors=True)


class Served:
    """A `belljar serve` for somebody else's state: whose binary, environment, home and uid are given.
    It listens in that home."""

    def __init__(self, binary, env, home, switch):
        self.binary, self.env, self.home, self.switch = binary, env, home, switch
        self.address = "unix:%s" % (home / "belljar.sock")
        self.process = None

    def __enter__(self):
        log = self.home / "serve.log"
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [self.binary, "serve", "--listen", self.address], env=self.env, cwd=self.home,
                stdin=subprocess.DEVNULL, stdout=errors, stderr=errors, **self.switch)
        wait_for(lambda: serves(self.address) or self.process.poll() is not None, "the daemon starts", START_SECONDS)
        if self.process.poll() is not None:
            raise AssertionError("the daemon did not start:\n" + log.read_text(errors="replace"))
        return self

    def runs(self):
        """How many programs it has run."""
        text = Client(self.address).get("/metrics").body.decode()
        return sum(float(line.split()[-1]) for line in text.splitlines()
                   if line.startswith("belljar_runs_total"))

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __exit__(self, *_):
        self.process.terminate()
        try:
            self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.kill()
