"""Databases with a daemon."""
import os
import pathlib
import re
import signal
import tempfile
import threading
import time

import pytest

from databases.postgres import table
from suite import Suite, wait_for

pytestmark = pytest.mark.slow


class Service(Suite):
    """With a daemon: people, records, what is taken away."""

    FIXTURES = (*Suite.FIXTURES, "server")

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="belljar-databases-")
        cls.policy = pathlib.Path(cls.folder.name, "policy.toml")
        cls.write_policy()
        cls.daemon = cls.new_daemon("--policy", str(cls.policy),
                            env={**os.environ, "BELLJAR_LEVEL": "", "DB": cls.server.address()})
        cls.daemon.start()

    @classmethod
    def write_policy(cls, **more):
        keys = {"postgres": "env:DB", "role": "reader", "write": "ask", "write_role": "writer", "timeout": "20s",
                "calls_per_minute": 6000, **more}
        cls.policy.write_text('extends = "relaxed"\n[approval]\nown = "allow"\n' +
                              table("db", **{key: value for key, value in keys.items() if value is not None}) +
                              table("short", **{**keys, "write": "ask", "write_role": "writer", "hold": "1s"}))

    @classmethod
    def tearDownClass(cls):
        cls.daemon.__exit__()
        cls.folder.cleanup()

    def setUp(self):
        self.client = self.daemon.client()
        self.addCleanup(self.client.close)
        self.server.sql("DELETE FROM late; DELETE FROM t; INSERT INTO t VALUES (1, 'one'), (2, 'two')")

    def tearDown(self):
        self.server.sql("DELETE FROM late; DELETE FROM t; INSERT INTO t VALUES (1, 'one'), (2, 'two')")

    def rows(self):
        return self.server.sql("SELECT * FROM t ORDER BY id").split()

    def in_background(self, code, **more):
        answers = []
        code = "from belljar import databases\n" + code
        thread = threading.Thread(target=lambda: answers.append(self.daemon.client().run(code, **more)))
        thread.start()
        return thread, answers

    def question(self, part):
        """The one that waits about a statement with that in it."""
        return wait_for(lambda: [
            each for each in self.client.get("/v1/approvals?state=waiting").json()["approvals"]
            if part in each["command"]])[0]

    ATTEMPT = """
try:
    rows = databases.%s.write(%r, %r)
    print("ok", rows.changed, list(rows))
except databases.DatabaseError as error:
    print(error.kind, error)
"""

    def attempt(self, sql, params=(), database="db", **more):
        return self.in_background(self.ATTEMPT % (database, sql, list(params)), **more)

    def test_a_write_is_committed_by_a_yes_and_the_clock_stands_still(self):
        thread, answers = self.attempt("UPDATE t SET v = $1 WHERE id = $2 RETURNING v", ["new", 1], timeout=1)
        question = self.question("UPDATE t SET v = $1")
        self.assertEqual(question["command"], 'db: UPDATE t SET v = $1 WHERE id = $2 RETURNING v\n["new",1]')
        self.assertEqual(question["touches"], ["writes 1 rows of the database db"])
        time.sleep(1.3)  # longer than the run may take
        self.assertEqual(self.rows(), ["1|one", "2|two"])
        self.assertEqual(self.client.post("/v1/approvals/%s/approve" % question["id"]).status, 200)
        thread.join()
        self.assertEqual(answers[0]["stdout"], "ok 1 [{'v': 'new'}]\n", answers)
        self.assertEqual(self.rows(), ["1|new", "2|two"])

    def test_a_yes_of_one_run_commits_nothing_of_another(self):
        for _ in range(2):  # the same in all that a caller can choose
            thread, answers = self.attempt("UPDATE t SET v = v || 'x' WHERE id = 1", id="the-same")
            question = self.question("v || 'x'")
            self.client.post("/v1/approvals/%s/approve" % question["id"], {"grant": "digest"})
            thread.join()
            self.assertEqual(answers[0]["stdout"], "ok 1 []\n", answers)
        self.assertEqual(self.rows(), ["1|onexx", "2|two"])

    def test_what_cannot_be_told_as_a_number_of_rows_is_not_asked_about(self):
        for sql in ("SELECT empties()", "SELECT * INTO TEMP copied FROM t", "SELECT * INTO copied FROM t",
                    "SELECT lo_from_bytea(0, 'x')", "WITH d AS (DELETE FROM t RETURNING 1) SELECT empties() FROM d"):
            thread, answers = self.attempt(sql)
            thread.join()
            self.assertRegex(answers[0]["stdout"],
                             "^denied (the statement changes more than rows of tables|permission denied)", sql)
        self.assertEqual(self.server.sql("SELECT count(*) FROM many"), "50")

    def test_rows_of_the_servers_own_tables_are_not_counted(self):
        thread, answers = self.attempt("INSERT INTO t SELECT 3, repeat(md5(random()::text), 100000)")
        question = self.question("INSERT INTO t SELECT 3")
        self.assertEqual(question["touches"], ["writes 1 rows of the database db"])
        self.client.post("/v1/approvals/%s/deny" % question["id"])
        thread.join()

    def test_a_statement_does_not_choose_how_its_rows_are_counted(self):
        self.server.sql("CREATE SCHEMA own; GRANT USAGE, CREATE ON SCHEMA own TO writer; CREATE FUNCTION does(text) "
                        "RETURNS int LANGUAGE plpgsql AS $$ BEGIN EXECUTE $1; RETURN 1; END $$")
        self.addCleanup(self.server.sql, "DROP SCHEMA own CASCADE; DROP FUNCTION does(text)")
        thread, answers = self.attempt(
            "SELECT does('CREATE FUNCTION own.zero(bigint, bigint) RETURNS bigint LANGUAGE sql AS ''SELECT 0::bigint'''), "
            "does('CREATE AGGREGATE own.sum(bigint) (sfunc = own.zero, stype = bigint, initcond = ''0'')'), "
            "does('DELETE FROM t'), set_config('search_path', 'own, pg_catalog', false)")
        thread.join(10)
        self.assertFalse(thread.is_alive(), self.client.get("/v1/approvals?state=waiting").json())
        self.assertIn("denied the statement changes more than rows of tables", answers[0]["stdout"])

    def test_rows_of_other_servers_cannot_be_told_and_are_not_asked_about(self):
        self.server.sql(
            "CREATE EXTENSION postgres_fdw; CREATE SERVER again FOREIGN DATA WRAPPER postgres_fdw "
            "OPTIONS (host '%s', dbname 'postgres'); CREATE USER MAPPING FOR PUBLIC SERVER again "
            "OPTIONS (user 'owner', password_required 'false'); CREATE FOREIGN TABLE far(id bigint, v text) "
            "SERVER again OPTIONS (table_name 't'); GRANT SELECT, INSERT, UPDATE, DELETE ON far TO writer; "
            "CREATE FUNCTION empties_far() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS "
            "$$ BEGIN TRUNCATE far CASCADE; RETURN 1; END $$" % self.server.folder)
        self.addCleanup(self.server.sql, "DROP EXTENSION postgres_fdw CASCADE; DROP FUNCTION empties_far()")
        for sql in ("WITH gone AS (DELETE FROM far RETURNING 1) SELECT 1", "DELETE FROM far", "SELECT empties_far()"):
            thread, answers = self.attempt(sql)
            thread.join()
            self.assertIn("denied the statement writes to a foreign table", answers[0]["stdout"], sql)
        thread, answers = self.attempt("INSERT INTO t SELECT id + 10, v FROM far")
        question = self.question("INSERT INTO t SELECT")
        self.assertEqual(question["touches"], ["writes 2 rows of the database db"])
        self.client.post("/v1/approvals/%s/deny" % question["id"], {})
        thread.join()
        self.assertEqual(self.rows(), ["1|one", "2|two"])

    def test_a_no_takes_it_back(self):
        thread, answers = self.attempt("DELETE FROM t WHERE id > $1", [0])
        question = self.question("DELETE FROM t WHERE id >")
        self.assertEqual(question["touches"], ["writes 2 rows of the database db"])
        self.client.post("/v1/approvals/%s/deny" % question["id"], {"note": "not today"})
        thread.join()
        self.assertIn("denied a person was asked", answers[0]["stdout"])
        self.assertIn("not today", answers[0]["stdout"])
        self.assertEqual(self.rows(), ["1|one", "2|two"])

    def test_a_question_that_nobody_answers_takes_it_back_and_holds_no_lock(self):
        thread, answers = self.attempt("DELETE FROM t WHERE id = 1", database="short")
        question = self.question("short: DELETE FROM t WHERE id = 1")
        thread.join()
        self.assertRegex(answers[0]["stdout"], "^denied ")
        self.assertNotEqual(self.client.get("/v1/approvals/" + question["id"]).json()["state"], "waiting")
        self.server.sql("SET lock_timeout = 2000; UPDATE t SET v = 'free' WHERE id = 1")
        self.assertEqual(self.rows(), ["1|free", "2|two"])

    def test_a_daemon_that_is_killed_takes_it_back(self):
        thread, _ = self.attempt("DELETE FROM t WHERE id = 2")
        self.question("DELETE FROM t WHERE id = 2")
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):  # the worker alone; as if it had been killed
            try:
                words = path.read_bytes().split(b"\0")
                parent = path.with_name("stat").read_text().rpartition(")")[2].split()[1]
            except OSError:
                continue
            if b"database-worker" in words and int(parent) == self.daemon.process.pid:
                os.kill(int(path.parent.name), signal.SIGKILL)
        wait_for(lambda: self.server.sql("SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%'") == "0")
        self.client.post("/v1/approvals/%s/approve" % self.question("DELETE FROM t WHERE id = 2")["id"])
        thread.join()
        self.assertEqual(self.rows(), ["1|one", "2|two"])

    def test_nothing_is_committed_by_what_a_statement_does(self):
        statements = ["COMMIT", "END", "ROLLBACK", "COMMIT AND CHAIN", "PREPARE TRANSACTION 'mine'", "SAVEPOINT a",
                      "UPDATE t SET v = 'x'; COMMIT", "CALL saves()", "DO $$ BEGIN UPDATE t SET v = 'x'; COMMIT; END $$",
                      "SELECT commits()", "COPY t FROM STDIN", "TRUNCATE t", "DROP TABLE t", "SET ROLE NONE",
                      "UPDATE secret SET s = 'x'", "SELECT 1 UNION ALL SELECT commits()"]
        result = self.client.run("from belljar import databases\n" + "".join(
            self.ATTEMPT % ("db", sql, []) for sql in statements))
        for sql, line in zip(statements, result["stdout"].splitlines()):
            self.assertRegex(line, "^(invalid|denied) ", sql)
        self.assertEqual(len(result["stdout"].splitlines()), len(statements), result)
        self.assertEqual(self.rows(), ["1|one", "2|two"])
        self.assertEqual(self.server.sql("SELECT count(*) FROM pg_prepared_xacts"), "0")

    def test_a_constraint_that_waits_for_the_end_is_looked_at_before_the_question(self):
        thread, answers = self.attempt("INSERT INTO late VALUES (1, 99)")
        thread.join()
        self.assertIn("violates foreign key constraint", answers[0]["stdout"], answers)

    def test_a_statement_that_cannot_be_shown_whole_is_not_asked_about(self):
        result = self.client.run("from belljar import databases\n" + self.ATTEMPT % (
            "db", "UPDATE t SET v = $1", ["x" * 40000]))
        self.assertIn("since a person reads them", result["stdout"], result)

    def test_each_call_is_recorded(self):
        result = self.client.run("""
from belljar import databases
databases.db.query("SELECT * FROM t WHERE id = $1", [1])
for call in (lambda: databases.db.query("UPDATE t SET v = 'x'"), lambda: databases.db.query("nonsense")):
    try: call()
    except databases.DatabaseError: pass
""", correlation_id="databases-1")
        self.assertEqual(result["usage"]["network_requests"], 3, result)
        records = self.client.get("/v1/audit?event=broker&correlation_id=databases-1").json()["records"]
        self.assertEqual(sorted(record["outcome"] for record in records), ["denied", "invalid", "ok"])
        detail, = [record["detail"] for record in records if record["outcome"] == "ok"]
        self.assertEqual((detail["database"], detail["task"], detail["rows"]), ("db", "query", 1))
        self.assertRegex(detail["statement"], "^sha256:[0-9a-f]{64}$")
        self.assertGreater(detail["result_bytes"], 10)
        self.assertIn("ms", detail)
        self.assertLess(max(record["index"] for record in records), result["audit"]["index"])

    SLOW = """
print(databases.db.query("SELECT 1")[0][0], flush=True)
for sql in ("SELECT 'slow %s', pg_sleep(15)", "SELECT 2"):
    try:
        print(databases.db.query(sql))
    except databases.Denied as error:
        print("taken away", flush=True)
"""

    def slow(self, mark):
        """A run that waits for a slow statement, which is under way."""
        thread, answers = self.in_background(self.SLOW % mark, correlation_id=mark)
        def under_way():
            return int(self.server.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%%slow %s%%' "
                                       "AND state = 'active' AND pid <> pg_backend_pid()" % mark))
        wait_for(under_way)
        return thread, answers, under_way

    def test_what_a_new_policy_takes_away_ends_at_once_in_the_server_too(self):
        thread, answers, under_way = self.slow("policy")
        try:
            self.write_policy(postgres="env:OTHER")
            self.daemon.process.send_signal(signal.SIGHUP)
            thread.join(10)
            self.assertFalse(thread.is_alive())
            wait_for(lambda: under_way() == 0, seconds=5)
        finally:
            self.write_policy()
            self.daemon.process.send_signal(signal.SIGHUP)
        self.assertEqual(answers[0]["stdout"], "1\ntaken away\ntaken away\n", answers)

    def test_the_databases_of_one_run_can_be_taken_away(self):
        thread, answers, under_way = self.slow("revoked")
        record = wait_for(lambda: self.client.get(
            "/v1/audit?event=broker&correlation_id=revoked").json()["records"])[0]
        stranger = self.daemon.command("token", "add", "stranger", "--scope", "run")
        token = re.search(r"bj_\S+", stranger.stdout).group(0)
        path = "/v1/runs/%s/databases" % record["run_id"]
        self.assertEqual(self.daemon.client(token).delete(path).status, 404)
        self.assertEqual(self.client.delete(path).json()["databases"], "revoked")
        thread.join(10)
        self.assertEqual(answers[0]["stdout"], "1\ntaken away\ntaken away\n", answers)
        wait_for(lambda: under_way() == 0, seconds=5)

    def test_a_session_loses_its_databases_for_good(self):
        path = "/v1/sessions/" + self.client.post("/v1/sessions", {"lang": "python"}).json()["id"]
        self.addCleanup(self.client.delete, path)
        code = ("from belljar import databases\ntry: print(databases.db.query('SELECT 1')[0][0])\n"
                "except databases.Denied as error: print(error)")
        away = "what this call needs has been taken away from the run\n"
        run = lambda: self.client.post(path + "/runs", {"code": code}).json()["stdout"]
        self.assertEqual(run(), "1\n")
        kept = self.client.post(path + "/checkpoints").json()["id"]
        self.assertEqual(self.client.delete(path + "/databases").json()["databases"], "revoked")
        self.assertEqual(run(), away)
        self.assertEqual(self.client.post(path + "/rollback", {"checkpoint": kept}).status, 200)
        self.assertEqual(run(), away)

    def test_a_write_that_is_taken_away_while_it_waits_is_not_committed(self):
        thread, answers = self.attempt("DELETE FROM t WHERE id IN (1)")
        question = self.question("DELETE FROM t WHERE id IN (1)")
        try:
            self.write_policy(write=None, write_role=None)
            self.daemon.process.send_signal(signal.SIGHUP)
            thread.join(10)
        finally:
            self.write_policy()
            self.daemon.process.send_signal(signal.SIGHUP)
        self.assertRegex(answers[0]["stdout"], "^denied ", answers)
        self.assertNotEqual(self.client.get("/v1/approvals/" + question["id"]).json()["state"], "waiting")
        self.assertEqual(self.rows(), ["1|one", "2|two"])

    def test_a_statement_beyond_the_connections_of_all_runs_waits_and_is_refused_by_name(self):
        try:
            self.write_policy(max_connections=1, timeout="1s")
            self.daemon.process.send_signal(signal.SIGHUP)
            thread, _ = self.attempt("DELETE FROM t WHERE id = 1 AND true")
            question = self.question("AND true")
            code = ("from belljar import databases\ntry: print(databases.short.query('SELECT 7')[0][0])\n"
                    "except databases.DatabaseError as error: print(error.kind, error)")
            self.assertIn("exhausted the connections to short", self.client.run(code)["stdout"])
            self.client.post("/v1/approvals/%s/deny" % question["id"], {"note": ""})
            thread.join()
            self.assertEqual(self.client.run(code)["stdout"], "7\n")
        finally:
            self.write_policy()
            self.daemon.process.send_signal(signal.SIGHUP)

    def test_the_count_is_of_the_whole_session(self):
        try:
            self.write_policy(max_calls=2)
            self.daemon.process.send_signal(signal.SIGHUP)
            def made():
                return self.client.post("/v1/sessions", {"lang": "python"}).json()["id"]
            session = made()
            code = ("from belljar import databases\ntry: print(databases.db.query('SELECT 1')[0][0])\n"
                    "except databases.DatabaseError as error: print(error.kind)")
            said = [self.client.post("/v1/sessions/%s/runs" % session, {"code": code}).json()["stdout"]
                    for _ in range(3)]
            self.assertEqual(said, ["1\n", "1\n", "exhausted\n"])
            records = self.client.get("/v1/audit?event=broker&session=%s" % session).json()["records"]
            self.assertEqual(sorted(record["outcome"] for record in records), ["exhausted", "ok", "ok"])
            self.assertEqual({record["detail"]["task"] for record in records}, {"query"})
            self.client.delete("/v1/sessions/" + session)
        finally:
            self.write_policy()
            self.daemon.process.send_signal(signal.SIGHUP)

    def test_a_replay_asks_nobody(self):
        result = self.client.run("import belljar\ntry: print(belljar.ask('databases/query', {'database': 'db', "
                                 "'sql': 'SELECT 1'})['rows'])\nexcept belljar.Denied: print('denied')",
                                 correlation_id="again")
        self.assertEqual(result["stdout"], "[[1]]\n", result)
        again = self.client.post("/v1/runs/%s/replay" % result["id"]).json()
        self.assertEqual(again["result"]["stdout"], "denied\n", again)
        records = self.client.get("/v1/audit?event=broker&correlation_id=again").json()["records"]
        self.assertEqual([record["outcome"] for record in records], ["ok"])
