"""belljar token: what it prints, keeps and refuses, as root and as an ordinary user."""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import sqlite3
import stat
import subprocess
import tempfile

from suite import Suite


ORDINARY_UID = 65533  # of nobody on any machine we know
SECONDS = 60  # a guard against a hang
TOKEN = re.compile(r"bj_[A-Za-z0-9_-]{43}")
DEFAULT_QUOTAS = {"runs": 32, "sessions": 32, "per_minute": 1200, "memory": 16 << 30}


class TokenCase(Suite):
    """As whoever runs this. A class below repeats it all as an ordinary user."""

    switch = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.home = self.folder / "home"
        self.home.mkdir()
        if self.switch:
            self.folder.chmod(0o755)
            os.chown(self.home, ORDINARY_UID, ORDINARY_UID)
        self.state = self.home / "state"

    def token(self, *arguments, env=None):
        return subprocess.run([self.binary, "token", *arguments], capture_output=True, text=True,
                              env={"HOME": str(self.home), **(env or {})}, cwd=self.home,
                              timeout=SECONDS, check=False, **self.switch)

    def ok(self, *arguments):
        done = self.token(*arguments, "--state", str(self.state))
        self.assertEqual((done.returncode, ""), (0, done.stderr.replace(
            "belljar: keep this token, it is shown only once\n", "")))
        return done.stdout

    def refused(self, *arguments):
        """The sentence of a command that must fail, and must fail with one."""
        done = self.token(*arguments, "--state", str(self.state))
        self.assertEqual((done.returncode, done.stdout), (125, ""))
        self.assertRegex(done.stderr, r"\Abelljar: [^\n]+\n\Z")
        return done.stderr.removeprefix("belljar: ").rstrip("\n")

    def listed(self):
        return json.loads(self.ok("list", "--json"))


class Add(TokenCase):
    def test_prints_the_token_and_nothing_else(self):
        self.assertRegex(self.ok("add", "ci"), rf"\A{TOKEN.pattern}\n\Z")

    def test_keeps_only_the_digest_of_it(self):
        token = self.ok("add", "ci").strip()
        for file in self.state.iterdir():
            self.assertNotIn(token[3:].encode(), file.read_bytes(), file.name)
        with sqlite3.connect(self.state / "belljar.db") as database:
            digests = database.execute("SELECT digest FROM callers").fetchall()
        self.assertEqual(digests, [(hashlib.sha256(token.encode()).digest(),)])

    def test_makes_a_state_that_others_cannot_read(self):
        self.ok("add", "ci")
        self.assertEqual(stat.S_IMODE(self.state.stat().st_mode), 0o700)
        self.assertEqual(stat.S_IMODE((self.state / "belljar.db").stat().st_mode), 0o600)

    def test_gives_the_scopes_and_quotas_that_were_asked_for(self):
        answer = json.loads(self.ok("add", "ci", "--scope", "audit", "--scope", "run", "--runs", "1",
                                    "--sessions", "0", "--per-minute", "30", "--memory", "512M",
                                    "--json"))
        self.assertRegex(answer.pop("token"), rf"\A{TOKEN.pattern}\Z")
        self.assertEqual(answer, {
            "name": "ci", "scopes": ["run", "audit"],
            "quotas": {"runs": 1, "sessions": 0, "per_minute": 30, "memory": 512 << 20}})
        (entry,) = self.listed()
        self.assertRegex(entry.pop("created"), r"\A\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\Z")
        self.assertEqual(entry, answer)

    def test_gives_run_and_sessions_by_default(self):
        self.ok("add", "ci")
        (entry,) = self.listed()
        self.assertEqual((entry["scopes"], entry["quotas"]),
                         (["run", "sessions"], DEFAULT_QUOTAS))

    def test_needs_no_token_for_a_user_of_this_machine(self):
        self.assertEqual(self.ok("add", "uid:1000", "--scope", "run"),
                         "uid:1000 is known by its Unix socket and needs no token\n")
        self.assertIsNone(json.loads(self.ok("add", "uid:1001", "--json"))["token"])
        self.assertEqual([entry["name"] for entry in self.listed()], ["uid:1000", "uid:1001"])

    def test_refuses_in_one_sentence_and_changes_nothing(self):
        self.ok("add", "ci")
        before = self.listed()
        for arguments, sentence in (
                (["ci"], "token: there is already a caller ci: remove it first"),
                (["a b"], "token: a caller's name has 1 to 64 letters, digits and . _ @ -, and "
                          "begins with a letter or digit"),
                (["uid:-1"], None), (["x" * 65], None), (["../x"], None), ([""], None),
                (["x", "--scope", "root"], "token: --scope \"root\": a scope is one of run, sessions, "
                                           "approve, audit and admin, and nothing else"),
                (["x", "--runs=-1"],
                 "token: --runs \"-1\": it takes a whole number from 0 to 1000000"),
                (["x", "--sessions", "1000001"], None), (["x", "--per-minute", "many"], None),
                (["x", "--memory", "lots"], None), (["x", "--memory", "9999T"], None),
                ([], None), (["x", "--nonsense"], None)):
            with self.subTest(arguments=arguments):
                told = self.refused("add", *arguments)
                self.assertIn(told, [sentence or told])
        self.assertEqual(self.listed(), before)

    def test_by_many_at_once_loses_none(self):
        names = [f"c{n}" for n in range(12)]
        with concurrent.futures.ThreadPoolExecutor(6) as pool:
            tokens = set(pool.map(lambda name: self.ok("add", name), names))
        self.assertEqual(len(tokens), len(names))
        self.assertEqual([entry["name"] for entry in self.listed()], sorted(names))


class ListAndRemove(TokenCase):
    def test_an_empty_list_is_a_heading(self):
        self.assertRegex(self.ok("list"), r"\ANAME +RUNS .*\n\Z")
        self.assertEqual(self.listed(), [])

    def test_a_list_names_callers_and_no_secret(self):
        token = self.ok("add", "ci").strip()
        text = self.ok("list")
        self.assertRegex(text, r"\nci +32 +32 +1200 +17180 +\S+Z +run sessions\n\Z")
        self.assertNotIn(token[3:], text + self.ok("list", "--json"))

    def test_a_removed_caller_can_be_added_again_with_another_token(self):
        first = self.ok("add", "ci")
        self.assertEqual(self.ok("rm", "ci"), "")
        self.assertEqual(self.listed(), [])
        self.assertNotEqual(self.ok("add", "ci"), first)
        self.assertEqual(json.loads(self.ok("rm", "ci", "--json")), {"removed": "ci"})

    def test_a_caller_that_is_not_there_is_named_a_mistake(self):
        self.assertEqual(self.refused("rm", "ci"), "token: there is no caller ci")
        self.assertIn("a caller's name has", self.refused("rm", "\x1b[31m"))


class State(TokenCase):
    def test_is_found_through_the_environment_as_for_other_commands(self):
        for env, place in (({"BELLJAR_STATE": str(self.home / "b")}, self.home / "b"),
                           ({"XDG_STATE_HOME": str(self.home / "x")}, self.home / "x/belljar")):
            if os.geteuid() == 0 and not self.switch and "XDG_STATE_HOME" in env:
                continue  # root's state is not in a home
            self.assertEqual(self.token("add", "ci", env=env).returncode, 0)
            self.assertTrue((place / "belljar.db").is_file())

    def test_is_refused_where_others_can_write(self):
        self.ok("list")
        self.state.chmod(0o777)
        self.assertIn("can be written by others", self.refused("list"))

    def test_of_a_newer_belljar_is_refused(self):
        self.ok("add", "ci")
        with sqlite3.connect(self.state / "belljar.db") as database:
            database.execute("UPDATE belljar_schema SET version = 99")
        self.assertRegex(self.refused("list"), "its schema callers has version 99, and this "
                                               "program knows only version 1: use a newer belljar")

    def test_that_is_no_database_is_named(self):
        self.ok("list")
        (self.state / "belljar.db").write_text("x" * 4096)
        self.assertIn("belljar.db: the file is not an SQLite database", self.refused("list"))


class Locked(TokenCase):
    """Takes as long as belljar waits, and so only once."""

    def test_a_locked_state_is_waited_for_and_then_named(self):
        self.ok("add", "ci")
        database = sqlite3.connect(self.state / "belljar.db", isolation_level=None)
        self.addCleanup(database.close)
        database.execute("BEGIN IMMEDIATE")
        self.assertIn("another process kept it locked for 5000 ms, try again",
                      self.refused("add", "late"))
        database.execute("ROLLBACK")
        self.assertRegex(self.ok("add", "late"), TOKEN)


if os.geteuid() == 0:
    for case in (Add, ListAndRemove, State):
        name = f"{case.__name__}AsUser"
        globals()[name] = type(name, (case,), {
            "__module__": __name__,
            "switch": {"user": ORDINARY_UID, "group": ORDINARY_UID, "extra_groups": []}})
    del case  # or it would be run a second time under this name
