"""A real PostgreSQL in a directory of its own, from Debian's package, and servers that only look like one."""
import glob
import json
import os
import pathlib
import pwd
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading

from service.waiting import wait_for

START_SECONDS = 60

SETUP = """
CREATE ROLE reader NOLOGIN; CREATE ROLE writer NOLOGIN;
CREATE ROLE cell LOGIN NOINHERIT; GRANT reader, writer TO cell;
CREATE ROLE only_reads LOGIN; GRANT reader TO only_reads;
CREATE ROLE mighty LOGIN SUPERUSER; CREATE ROLE hidden_power LOGIN NOINHERIT; GRANT mighty TO hidden_power;
CREATE ROLE files LOGIN; GRANT pg_read_server_files TO files;
CREATE TABLE t(id bigint PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'one'), (2, 'two');
CREATE TABLE secret(s text); INSERT INTO secret VALUES ('hush');
CREATE TABLE late(id int PRIMARY KEY, t bigint REFERENCES t(id) DEFERRABLE INITIALLY DEFERRED);
CREATE SEQUENCE counter;
GRANT SELECT ON t TO reader; GRANT SELECT, INSERT, UPDATE, DELETE ON t, late TO writer;
GRANT USAGE ON SEQUENCE counter TO reader, writer;
CREATE FUNCTION sneaky() RETURNS int LANGUAGE plpgsql AS
  $$ BEGIN UPDATE t SET v = 'sneaky'; RETURN 1; END $$;
CREATE FUNCTION commits() RETURNS int LANGUAGE plpgsql AS $$ BEGIN COMMIT; RETURN 1; END $$;
CREATE FUNCTION undoes() RETURNS text LANGUAGE plpgsql AS
  $$ BEGIN SET TRANSACTION READ WRITE; UPDATE t SET v = 'undone'; RETURN 1; END $$;
CREATE TABLE many(id int); INSERT INTO many SELECT generate_series(1, 50);
GRANT SELECT, INSERT, DELETE, TRUNCATE ON many TO writer;
CREATE FUNCTION empties() RETURNS int LANGUAGE plpgsql AS $$ BEGIN TRUNCATE many; RETURN 1; END $$;
CREATE PROCEDURE saves() LANGUAGE plpgsql AS $$ BEGIN UPDATE t SET v = 'saved'; COMMIT; END $$;
"""


class Postgres:
    """As the user postgres where we are root, since PostgreSQL refuses root."""

    def __init__(self):
        self.binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.user = pwd.getpwnam("postgres") if os.getuid() == 0 else pwd.getpwuid(os.getuid())
        # Not below TMPDIR: a socket's path has at most 107 bytes.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="belljar-pg-", dir="/tmp"))
        os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        self.folder.chmod(0o711)
        self._run("initdb", "--pgdata", str(self.folder / "data"), "--username=owner", "--auth=trust",
                  "--encoding=UTF8", "--locale=C", "--no-sync", "--no-instructions").check_returncode()
        self.process = subprocess.Popen(
            self._words("postgres", "-D", str(self.folder / "data"), "-k", str(self.folder), "-c",
                        "listen_addresses=", "-c", "fsync=off", "-c", "max_connections=40", "-c",
                        "max_prepared_transactions=5"),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.folder,
            start_new_session=True, **self._as_user())

        def answers():
            assert self.process.poll() is None, "PostgreSQL does not start"
            return self._psql("SELECT 1").returncode == 0
        wait_for(answers, "PostgreSQL answers", START_SECONDS)
        self.sql(SETUP)

    def _as_user(self):
        if os.getuid() != 0:
            return {}
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}

    def _words(self, program, *words):
        return [os.path.join(self.binaries, program), *words]

    def _run(self, program, *words, **more):
        return subprocess.run(self._words(program, *words), capture_output=True, text=True, cwd=self.folder,
                              **self._as_user(), **more)

    def _psql(self, sql):
        return subprocess.run(["/usr/bin/psql", "-h", str(self.folder), "-U", "owner", "-X", "-q", "-At", "-v",
                               "ON_ERROR_STOP=1", "postgres"], input=sql, capture_output=True, text=True)

    def sql(self, sql):
        """As the owner of everything; what psql prints."""
        done = self._psql(sql)
        if done.returncode != 0:
            raise RuntimeError(done.stderr)
        return done.stdout.strip()

    def address(self, login="cell"):
        return "host=%s user=%s dbname=postgres" % (self.folder, login)

    def signal(self, number):
        """To all processes of the server."""
        self.process.send_signal(number)
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
                if int(fields[1]) == self.process.pid:
                    os.kill(int(stat.parent.name), number)
            except (OSError, IndexError):
                pass

    def close(self):
        self.process.send_signal(signal.SIGINT)  # "fast"
        self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Pretender:
    """Listens where a PostgreSQL could, greets as one does, and then does `then` with the socket."""

    def __init__(self, then):
        self.folder = tempfile.TemporaryDirectory(prefix="belljar-liar-", dir="/tmp")
        os.chmod(self.folder.name, 0o755)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(os.path.join(self.folder.name, ".s.PGSQL.5432"))
        os.chmod(os.path.join(self.folder.name, ".s.PGSQL.5432"), 0o777)
        self.listener.listen(8)
        self.then = then
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self):
        return "host=%s user=cell dbname=postgres" % self.folder.name

    def __exit__(self, *_):
        self.listener.close()
        self.folder.cleanup()

    def _serve(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._greet, args=(client,), daemon=True).start()

    def _greet(self, client):
        try:
            size, = struct.unpack("!I", client.recv(4))
            client.recv(size - 4)
            client.sendall(message(b"R", struct.pack("!I", 0)) +
                           message(b"S", b"server_version\0" + b"15.0\0") +
                           message(b"S", b"client_encoding\0UTF8\0") +
                           message(b"K", struct.pack("!II", 1, 2)) + message(b"Z", b"I"))
            client.recv(65536)
            self.then(client)
        except OSError:
            pass


def message(kind, body, size=None):
    """`size`: what it says that its length is."""
    return kind + struct.pack("!I", (len(body) if size is None else size) + 4) + body


def a_row_without_end(client):
    """Of a gigabyte, it says; and it sends what it can."""
    client.sendall(message(b"1", b"") + message(b"2", b"") +
                   message(b"T", struct.pack("!H", 1) + b"a\0" + struct.pack("!IHIHIH", 0, 0, 25, 65535, 0, 0)))
    client.sendall(message(b"D", b"\0\1", size=1 << 30))
    while True:
        client.sendall(b"x" * (1 << 20))


def table(name, **keys):
    return "[databases.%s]\n%s\n" % (name, "\n".join(
        "%s = %s" % (key, json.dumps(value)) for key, value in keys.items()))
