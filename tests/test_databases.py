"""Databases asked from cells: languages, values, limits, and everything that tries to write or to see more."""
import contextlib
import json
import os
import pathlib
import signal
import sqlite3
import time

import pytest

from databases.postgres import Pretender, a_row_without_end, table
from suite import Commands, wait_for

pytestmark = pytest.mark.slow

SECRET = "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"

# Tries each statement, and prints what became of it.
ATTEMPTS = """
import json
from belljar import databases
said = {}
for sql in json.loads(%r):
    try:
        said[sql] = "ok %%s" %% [list(row.values()) for row in databases.db.%s(sql)]
    except databases.DatabaseError as error:
        said[sql] = "%%s %%s" %% (error.kind, error)
print(json.dumps(said))
"""


class Alone(Commands):
    """Without a daemon."""
    FIXTURES = (*Commands.FIXTURES, "server")

    def setUp(self):
        super().setUp()
        self.file = os.path.join(str(self.home), "data.db")
        with sqlite3.connect(self.file) as file:
            file.executescript("CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT); CREATE INDEX i ON t(v); "
                               "INSERT INTO t VALUES (1, 'one'), (2, 'two');")
        file.close()

    def run_code(self, code, *tables, lang="python", extends="relaxed", address=None, **more):
        path = pathlib.Path(self.home, "policy.toml")
        path.write_text('extends = "%s"\nbackend = "native"\nstrict_gvisor = false\n%s' %
                        (extends, "\n".join(tables)))
        self.env["DB"] = address or self.server.address()
        done = self.belljar("run", "--no-daemon", "--jsonl", "--policy", str(path),
                            stdin=json.dumps({"code": code, "lang": lang, **more}) + "\n")
        self.assertTrue(done.stdout, done.stderr)
        return json.loads(done.stdout)

    def prints(self, code, *tables, **more):
        result = self.run_code(code, *tables, **more)
        self.assertEqual(result["outcome"], "ok", result)
        return result["stdout"]

    def attempts(self, statements, *tables, method="query", **more):
        return json.loads(self.prints(ATTEMPTS % (json.dumps(statements), method), *tables, **more))

    def sqlite(self, **keys):
        return table("db", sqlite=self.file, **keys)

    @staticmethod
    def postgres(**keys):
        return table("db", **{"postgres": "env:DB", "role": "reader", **keys})


class Languages(Alone):
    def test_what_is_left_out_of_a_description_is_told(self):
        code = "from belljar import databases\nprint(databases.db.describe().truncated)"
        self.assertEqual(self.prints(code, self.sqlite()), "False\n")
        self.assertEqual(self.prints(code, self.sqlite(max_rows=1)), "True\n")
        script = "require('belljar').databases.db.describe().then((all) => console.log(all.truncated))"
        self.assertEqual(self.prints(script, self.sqlite(max_rows=1), lang="javascript"), "true\n")
        result = self.run_code("belljar-tools databases db", self.sqlite(max_rows=1), lang="bash")
        self.assertIn("there are more tables and columns", result["stderr"])

    def test_parameters_are_a_list(self):
        said = self.prints("""
from belljar import databases
for params in ({"a": 1}, "x", {1}, b"x"):
    try:
        print(databases.db.query("SELECT ?", params))
    except TypeError as error:
        print(error)
print(hasattr(databases, "nobody"))
try:
    databases.nobody
except databases.Denied as error:
    print(error.kind)
""", self.sqlite())
        self.assertEqual(said, "".join("parameters are a list, in their order, and no %s\n" % kind
                                       for kind in ("dict", "str", "set", "bytes")) + "False\ndenied\n")

    def test_python_at_every_level(self):
        code = """
from belljar import databases
rows = databases.db.query("SELECT id, v FROM t WHERE id > ? ORDER BY id", [0])
print(rows, rows.columns, rows.truncated, rows[0]["v"], rows[1][0], dir(databases))
print([table["name"] for table in databases.db.describe()], databases.db)
try:
    databases.db.write("DELETE FROM t")
except databases.Denied as error:
    print(error.kind, error)
"""
        for level in ("strict", "standard", "relaxed"):
            result = self.run_code(code, self.sqlite(), extends=level)
            self.assertEqual(result["stdout"], "[{'id': 1, 'v': 'one'}, {'id': 2, 'v': 'two'}] ['id', 'v'] False "
                             "one 2 ['DatabaseError', 'Denied', 'db']\n['t'] <database db: sqlite>\n"
                             "denied the policy does not let db be written to\n", result)
            self.assertEqual(result["usage"]["network_requests"], 2)

    def test_javascript(self):
        said = self.prints("""
const { databases } = require('belljar');
(async () => {
  const rows = await databases.db.query("SELECT 9007199254740993::bigint AS n, $1::bytea AS b, v FROM t WHERE id = $2",
                                        [Buffer.from([0, 255]), 1n]);
  console.log(rows[0].n, rows[0].b, rows[0].v, rows.columns, rows.truncated);
  console.log((await databases.db.describe()).map((table) => table.name), await databases.list());
  for (const sql of ['DELETE FROM t', 'nonsense']) {
    try { await databases.db.query(sql); } catch (error) {
      console.log(error.name, error.kind, error instanceof databases.DatabaseError);
    }
  }
})();
""", self.postgres(), lang="javascript")
        self.assertEqual(said, "9007199254740993n <Buffer 00 ff> one [ 'n', 'b', 'v' ] false\n"
                               "[ 't' ] [ { name: 'db', engine: 'postgres', writes: false } ]\n"
                               "Denied denied true\nDatabaseError invalid true\n")

    def test_javascript_module(self):
        said = self.prints("""
import { databases, DatabaseError } from 'belljar';
console.log((await databases.db.query('SELECT v FROM t WHERE id = ?', [2]))[0].v);
try { await databases.db.write('DELETE FROM t'); } catch (error) { console.log(error instanceof DatabaseError); }
""", self.sqlite(), lang="javascript")
        self.assertEqual(said, "two\ntrue\n")

    def test_bash(self):
        said = self.prints("""
belljar-tools databases; belljar-tools databases db | head -c 30; echo
belljar-tools query db 'SELECT id, v FROM t WHERE id = ?' '[2]'
belljar-tools query db 'SELECT id FROM t' 2>&1
belljar-tools query db 'DELETE FROM t'; echo $?
belljar-tools write db 'DELETE FROM t'; echo $?
belljar-tools query db 'SELECT ?' '{}'; echo $?
""", self.sqlite(max_rows=1), lang="bash")
        self.assertEqual(said, 'db\n{"schema":"main","name":"t","k\n{"id":2,"v":"two"}\n{"id":1}\n'
                               "belljar-tools: there are more rows than the policy allows\n126\n126\n2\n")

    def test_values_are_what_they_were(self):
        code = """
import datetime, decimal
from belljar import databases
row = databases.db.query(\"\"\"SELECT $1::bigint, $2::numeric, $3::bytea, $4::json, $5::timestamp, $6::text, NULL,
  true, 'NaN'::float8, ARRAY[1,2], $7::jsonb, 1.5::float8, ''::text, 0.1::numeric(20,10)\"\"\",
  [2**63 - 1, decimal.Decimal("12345678901234567890.123456789"), bytes(range(256)), '{"a": 12345678901234567890}',
   datetime.datetime(2020, 2, 3, 4, 5, 6), "\\u00e9\\U0001f600'; DROP TABLE t; --", {"k": [1, None]}])[0]
for place in range(14): print(repr(row[place]))
"""
        lines = self.prints(code, self.postgres()).splitlines()
        self.assertEqual(lines, [
            "9223372036854775807", "'12345678901234567890.123456789'", repr(bytes(range(256))),
            "{'a': 12345678901234567890}", "'2020-02-03 04:05:06'", repr("\u00e9\U0001f600'; DROP TABLE t; --"),
            "None", "True", "nan", "'{1,2}'", "{'k': [1, None]}", "1.5", "''", "'0.1000000000'"])

    def test_secrets_are_taken_out_also_of_what_a_mistake_repeats(self):
        # Looked at inside: what a program prints is redacted once more.
        said = self.prints("""
from belljar import databases
secret = "ghp_" + %r
for sql in ("SELECT $1::text", "SELECT CAST($1::text AS int)", "SELECT json_build_object('a', $1::text)"):
    try:
        heard = str(databases.db.query(sql, [secret]))
    except databases.DatabaseError as error:
        heard = str(error)
    print(secret in heard, len(heard) > 10)
""" % SECRET[4:], self.postgres())
        self.assertEqual(said, "False True\n" * 3)

class Limits(Alone):
    def test_rows_bytes_and_time(self):
        many = "SELECT generate_series(1, 100000000), repeat('x', 100)"
        code = """
import time
from belljar import databases
rows = databases.db.query(%r)
print(len(rows), rows.truncated)
for sql in ("SELECT repeat('x', 200000)", "SELECT pg_sleep(60)",
            "SELECT count(*) FROM generate_series(1, 1000000000000)"):
    begun = time.monotonic()
    try:
        print("ok", len(databases.db.query(sql)))
    except databases.DatabaseError as error:
        print(error.kind, time.monotonic() - begun < 10)
""" % many
        said = self.prints(code, self.postgres(max_rows=50, timeout="2s", max_bytes="64K"))
        self.assertEqual(said, "50 True\nexhausted True\nexhausted True\nexhausted True\n")
        said = self.prints("from belljar import databases\nrows = databases.db.query(%r)\n"
                           "print(100 < len(rows) < 1000, rows.truncated)" % many, self.postgres(max_bytes="64K"))
        self.assertEqual(said, "True True\n")

    def test_nothing_goes_on_in_the_server_when_a_statement_was_given_up(self):
        self.attempts(["SELECT 'left behind', pg_sleep(600)"], self.postgres(timeout="1s"))
        wait_for(lambda: self.server.sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%left behind%' "
                         "AND pid <> pg_backend_pid()") == "0", "nothing is left behind")

    def test_the_process_that_takes_a_row_has_little_memory(self):
        large = "SELECT repeat('x', 200000000)"
        said = self.attempts([large, "SELECT 1"], self.postgres(timeout="50s", max_bytes="64K"), timeout=60)
        self.assertRegex(said[large], "^exhausted .* too large to take")
        self.assertEqual(said["SELECT 1"], "ok [[1]]")

    def test_calls(self):
        said = self.prints("""
from belljar import databases
for i in range(4):
    try:
        print(databases.db.query("SELECT 1")[0][0])
    except databases.DatabaseError as error:
        print(error.kind)
""", self.postgres(max_calls=2))
        self.assertEqual(said, "1\n1\nexhausted\nexhausted\n")
        said = self.prints("""
from belljar import databases
for i in range(3):
    try:
        print(databases.db.query("SELECT 1")[0][0])
    except databases.DatabaseError as error:
        print(error.kind)
""", self.sqlite(calls_per_minute=1))
        self.assertEqual(said, "1\nexhausted\nexhausted\n")

    def test_forms_that_make_no_sense(self):
        said = self.prints("""
import belljar
for params in ({}, {"database": 1, "sql": "x"}, {"database": "db"}, {"database": "db", "sql": "SELECT 1", "params": 5},
               {"database": "db", "sql": "SELECT $1", "params": [[1]]}, {"database": "db", "sql": "a\\0b"},
               {"database": "db", "sql": "SELECT $1::text", "params": ["a\\0b"]},
               {"database": "db", "sql": "SELECT 1", "params": [1, 2]},
               {"database": "db", "sql": "SELECT $3::int"}, {"database": "other", "sql": "SELECT 1"},
               {"database": "db", "sql": "x" * 300000}, {"database": "db", "sql": ""}):
    try:
        print("ok", belljar.ask("databases/query", params))
    except belljar.ToolError as error:
        print(error.kind)
columns = belljar.databases.db.query("SELECT " + ",".join("%d" % i for i in range(1600)))
print(len(columns.columns), columns[0][1599])
""", self.postgres())
        self.assertEqual(said, "invalid\n" * 9 + "denied\n" + "invalid\n" * 2 + "1600 1599\n")


class Reading(Alone):
    """Whatever a statement says, nothing is written and nothing stays behind."""

    BEFORE = "1|one\n2|two"

    def untouched(self):
        self.assertEqual(self.server.sql("SELECT * FROM t ORDER BY id"), self.BEFORE)
        self.assertEqual(self.server.sql("SELECT count(*) FROM pg_prepared_xacts"), "0")
        self.assertEqual(self.server.sql("SELECT last_value, is_called FROM counter"), "1|f")
        self.assertEqual(self.server.sql("SELECT count(*) FROM pg_largeobject_metadata"), "0")

    def test_what_writes_is_refused(self):
        # By somebody who could: the transaction is what keeps it from happening.
        said = self.attempts([
            "UPDATE t SET v = 'x'", "INSERT INTO t VALUES (9, 'x')", "DELETE FROM t", "SELECT sneaky()",
            "WITH w AS (UPDATE t SET v = 'x' RETURNING *) SELECT * FROM w", "SELECT * INTO copied FROM t",
            "SELECT nextval('counter')", "SELECT setval('counter', 7)", "SELECT * FROM t FOR UPDATE",
            "SELECT commits()", "SELECT undoes()",
            "SELECT set_config('transaction_read_only', 'off', true)",
            "SELECT set_config('transaction_read_only', 'off', false), sneaky()"],
            self.postgres(role="writer"))
        for sql, outcome in said.items():
            self.assertRegex(outcome, "^(denied|invalid) ", sql)
        self.untouched()

    def test_only_queries_are_statements(self):
        statements = [
            "COMMIT", "ROLLBACK", "END", "BEGIN", "COMMIT AND CHAIN", "PREPARE TRANSACTION 'x'", "SAVEPOINT a",
            "SET ROLE NONE", "RESET ROLE", "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
            "SET TRANSACTION READ WRITE", "SET SESSION AUTHORIZATION owner", "DISCARD ALL",
            "DO $$ BEGIN COMMIT; END $$", "CALL saves()", "COPY t TO STDOUT", "COPY t FROM STDIN",
            "COPY t TO PROGRAM 'id'", "COPY t TO '/tmp/x'", "LISTEN a", "NOTIFY a", "LOCK TABLE t",
            "CREATE TEMP TABLE x(a int)", "PREPARE p AS SELECT 1", "EXECUTE belljar", "DECLARE c CURSOR FOR SELECT 1",
            "VACUUM", "SELECT 1; COMMIT", "SELECT 1; UPDATE t SET v = 'x'", "SELECT 1) --", "TRUNCATE t", "DROP TABLE t",
            "/* */ COMMIT", "-- \nCOMMIT", "ALTER SYSTEM SET work_mem = 1", "LOAD 'x'", "EXPLAIN ANALYZE SELECT 1"]
        said = self.attempts(statements, self.postgres(role="writer"))
        self.assertEqual({sql: outcome for sql, outcome in said.items() if not outcome.startswith("invalid ")}, {})
        self.untouched()

    def test_nothing_is_left_behind(self):
        said = self.attempts([
            "SELECT pg_advisory_lock(77)", "SELECT lo_from_bytea(0, 'x')", "SELECT pg_notify('a', 'b')",
            "SELECT set_config('search_path', 'nowhere', false)", "SELECT current_setting('search_path')",
            "SELECT pg_try_advisory_lock(77)", "SELECT current_user, session_user"], self.postgres())
        self.assertEqual(said["SELECT current_setting('search_path')"], "ok [['\"$user\", public']]")
        self.assertEqual(said["SELECT pg_try_advisory_lock(77)"], "ok [[True]]")
        self.assertEqual(said["SELECT current_user, session_user"], "ok [['reader', 'cell']]")
        self.untouched()

    def test_what_the_login_may_not_see_is_not_seen(self):
        statements = [
            "SELECT * FROM secret", "SELECT query_to_xml('SELECT * FROM secret', true, true, '')",
            "SELECT set_config('role', 'owner', true)", "SELECT set_config('role', 'writer', true)",
            "SELECT set_config('session_authorization', 'owner', true)",
            "SELECT set_config('role', 'none', true), query_to_xml('SELECT * FROM secret', true, true, '')",
            "SELECT pg_read_file('/etc/passwd')", "SELECT pg_ls_dir('/')", "SELECT lo_import('/etc/passwd')",
            "SELECT lo_export(1, '/tmp/x')", "SELECT * FROM pg_authid", "SELECT pg_reload_conf()",
            "SELECT pg_terminate_backend(%d)" % self.server.process.pid]
        said = self.attempts(statements, self.postgres(), address=self.server.address("only_reads"))
        self.assertNotIn("hush", str(said))
        for sql, outcome in said.items():
            if "terminate" not in sql:
                self.assertRegex(outcome, "^(denied|invalid) ", sql)
        self.untouched()

    def test_a_login_that_could_do_everything_is_refused(self):
        for login in ("mighty", "hidden_power", "files"):
            said = self.attempts(["SELECT 1"], self.postgres(role=""), address=self.server.address(login))
            self.assertRegex(said["SELECT 1"], "^denied its login has, or can take, the rights of ", login)
        said = self.attempts(["SELECT 1", "UPDATE t SET v = 'x'"], self.postgres(role="", unsafe_superuser=True),
                             address=self.server.address("mighty"))
        self.assertEqual(said["SELECT 1"], "ok [[1]]")
        self.assertRegex(said["UPDATE t SET v = 'x'"], "^denied ")
        self.untouched()

    def test_the_cell_learns_no_address_and_no_password(self):
        address = self.server.address() + " password=hushhush port=1"
        said = self.prints("""
import os
from belljar import databases
print(dict(os.environ))
try:
    databases.db.query("SELECT 1")
except databases.DatabaseError as error:
    print(error.kind, error)
""", self.postgres(), address=address)
        self.assertNotIn("hushhush", said)
        self.assertNotIn(str(self.server.folder), said)
        self.assertIn("unavailable it cannot be reached", said)
        said = self.prints(ATTEMPTS % ('["SELECT 1"]', "query"), self.postgres(), address="host='x password=hushhush")
        self.assertNotIn("hushhush", said)

    def test_a_write_that_nobody_can_be_asked_about_is_taken_back(self):
        said = self.attempts(["DELETE FROM t"], self.sqlite(write="ask"), method="write")
        self.assertRegex(said["DELETE FROM t"], "^denied .*nobody to ask")
        with contextlib.closing(sqlite3.connect(self.file)) as file:
            self.assertEqual(file.execute("SELECT count(*) FROM t").fetchall(), [(2,)])

    def test_sqlite_files(self):
        before = pathlib.Path(self.file).read_bytes()
        statements = [
            "DELETE FROM t", "UPDATE t SET v = 1", "PRAGMA query_only = OFF", "PRAGMA writable_schema = ON",
            "ATTACH '%s/other.db' AS other" % str(self.home), "VACUUM INTO '%s/copy.db'" % str(self.home),
            "CREATE TABLE x(a)", "CREATE TEMP TABLE x(a)", "COMMIT", "SELECT load_extension('x')",
            "SELECT 1; DELETE FROM t", "SELECT * FROM pragma_database_list", "REINDEX", "SELECT readfile('/etc/passwd')"]
        said = self.attempts(statements, self.sqlite())
        for sql, outcome in said.items():
            self.assertRegex(outcome, "^(denied|invalid) ", sql)
        self.assertEqual(pathlib.Path(self.file).read_bytes(), before)
        self.assertEqual(sorted(os.listdir(str(self.home))), ["data.db", "policy.toml", "state"])

    def test_virtual_tables_of_sqlite_are_read_and_not_written(self):
        with sqlite3.connect(self.file) as file:
            file.executescript("CREATE VIRTUAL TABLE words USING fts5(w); INSERT INTO words VALUES ('good day')")
        file.close()
        before = pathlib.Path(self.file).read_bytes()
        said = self.attempts(["SELECT w FROM words WHERE words MATCH 'good'", "SELECT value FROM json_each('[7]')",
                              "INSERT INTO words(words) VALUES ('rebuild')", "SELECT * FROM pragma_table_info('t')",
                              "CREATE TABLE x(a)", "SELECT load_extension('x')", "EXPLAIN SELECT 1"], self.sqlite())
        self.assertEqual(list(said.values())[:2], ["ok [['good day']]", "ok [[7]]"])
        for sql, outcome in list(said.items())[2:]:
            self.assertRegex(outcome, "^denied ", sql)
        self.assertEqual(pathlib.Path(self.file).read_bytes(), before)

    def test_a_sqlite_file_with_garbage_in_it_is_an_error_and_no_more(self):
        damaged = bytearray(pathlib.Path(self.file).read_bytes())
        for i in range(100, len(damaged)):
            damaged[i] = (damaged[i] * 7 + i) % 256
        pathlib.Path(self.file).write_bytes(damaged)
        said = self.attempts(["SELECT * FROM t", "SELECT * FROM sqlite_schema"], self.sqlite())
        for outcome in said.values():
            self.assertRegex(outcome, "^(unavailable|invalid|exhausted) ")


class Servers(Alone):
    """That lie, die or say nothing."""

    def ask(self, address):
        begun = time.monotonic()
        said = self.attempts(["SELECT 1"], self.postgres(timeout="2s"), address=address)["SELECT 1"]
        self.assertLess(time.monotonic() - begun, 30)
        return said

    def test_one_that_hangs_up(self):
        with Pretender(lambda client: client.close()) as address:
            self.assertRegex(self.ask(address), "^unavailable the connection broke")

    def test_one_that_says_nothing_more(self):
        with Pretender(lambda client: time.sleep(60)) as address:
            self.assertRegex(self.ask(address), "^exhausted the statement took longer")

    def test_one_that_sends_a_row_without_end(self):
        with Pretender(a_row_without_end) as address:
            self.assertRegex(self.ask(address), "^(exhausted a row was too large|unavailable )")

    def test_one_that_was_stopped(self):
        self.server.signal(signal.SIGSTOP)
        try:
            self.assertRegex(self.ask(self.server.address()), "^(exhausted|unavailable) ")
        finally:
            self.server.signal(signal.SIGCONT)
        self.assertEqual(self.ask(self.server.address()), "ok [[1]]")

    def test_no_process_outlives_its_statement(self):
        self.attempts(["SELECT 1", "SELECT pg_sleep(60)"], self.postgres(timeout="1s"))
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes().split(b"\0")
            except OSError:
                continue
            if b"database-worker" in words:
                parent = path.with_name("stat").read_text().rpartition(")")[2].split()[1]
                self.assertNotEqual(parent, "1", words)
