"""Skills in Python are compiled once, when they are stored; what was made of them runs as the text."""
import hmac
import importlib.util
import json
import marshal
import re
import sqlite3
import struct
import subprocess

from test_skills import Skills


def packed(value):
    """As src/foundation/storage/seal.cc writes it."""
    if isinstance(value, int):
        return struct.pack("<BQ", 1, value)
    data = value.encode() if isinstance(value, str) else value
    return struct.pack("<BQ", 3 if isinstance(value, str) else 4, len(data)) + data


def kept_of(text):
    """As a cell makes it; the image's Python is this machine's."""
    return importlib.util.MAGIC_NUMBER + marshal.dumps(compile(text, "main.py", "exec"))


class Compiling(Skills):
    """What an interpreter has made of the text is kept, and runs instead of it."""

    def compiled(self, handle="count"):
        return self.show(handle)["compiled"]

    def forge(self, made_by=None, code=None):
        """A row as Belljar would have written it: by hand, with the key."""
        with sqlite3.connect(self.state / "belljar.db") as database:
            row = list(database.execute(
                "SELECT caller, name, version, digest FROM skill_versions").fetchone())
            kept = list(database.execute("SELECT made_by, code FROM skill_code").fetchone())
        kept = [made_by or kept[0], code or kept[1]]
        under = ["skill_code"] + row + kept
        text = b"belljar skill row 1\n" + struct.pack("<Q", len(under))
        text += b"".join(map(packed, under))
        seal = hmac.digest((self.state / "skills.key").read_bytes(), text, "sha256")
        self.sql("UPDATE skill_code SET made_by = ?, code = ?, seal = ?", *kept, seal)

    def plainly(self, code, *flags):
        """The result of the same text, which is no skill."""
        return json.loads(self.belljar("run", "--json", *flags, "-c", code).stdout)

    def test_once_when_it_is_stored(self):
        self.add("print(1)")
        first = self.compiled()
        self.assertEqual(first["times"], 1)
        self.assertGreater(first["bytes"], 50)
        for _ in range(2):
            self.assertEqual(self.skill("run", "count").stdout, "1\n")
        self.add("print(1)")
        self.assertEqual(self.compiled(), first)

    def test_it_is_what_runs(self):
        self.add("print('text')")
        self.forge(code=kept_of("print('kept')"))
        for _ in range(2):
            self.assertEqual(self.skill("run", "count").stdout, "kept\n")
        self.assertEqual(self.compiled()["times"], 1)

    def test_without_it_the_text_runs_and_is_compiled_anew(self):
        other = kept_of("print('other')")
        self.add("print('text')")
        for times, change in enumerate((
                ("UPDATE skill_code SET code = ?", other),
                ("UPDATE skill_code SET seal = ?", b"0" * 32),
                ("UPDATE skill_code SET made_by = made_by || ?", "x"),
                ("UPDATE skill_code SET code = ?", "text"),
                ("UPDATE skill_code SET code = ?", b"\0" * (3 << 20)))):
            self.sql(*change)
            for _ in range(2):
                self.assertEqual(self.skill("run", "count").stdout, "text\n", change[0])
            self.assertEqual(self.compiled()["times"], times + 2, change[0])
        self.sql("DELETE FROM skill_code WHERE version = ?", 1)
        self.assertIsNone(self.compiled())
        self.assertEqual(self.skill("run", "count").stdout, "text\n")
        self.assertEqual(self.compiled()["times"], 1)

    def test_another_interpreters_is_of_no_use(self):
        self.add("print('text')")
        self.forge(made_by="default another", code=kept_of("print('other')"))
        self.assertEqual(self.skill("run", "count").stdout, "text\n")
        self.assertEqual(self.compiled()["times"], 2)
        self.forge(code=b"\0\0\r\n" + kept_of("print('other')")[4:])
        self.assertEqual(self.skill("run", "count").stdout, "text\n")

    def test_another_versions_is_of_no_use(self):
        self.add("print(1)")
        self.add("print(2)")
        self.sql("DELETE FROM skill_code WHERE version = ?", 2)
        self.sql("UPDATE skill_code SET version = ?", 2)
        self.assertEqual(self.skill("run", "count").stdout, "2\n")

    def test_an_image_that_was_made_anew_compiles_anew(self):
        images = self.home / "images"
        subprocess.run(["cp", "-al", str(self.images), str(images)], check=True)
        (self.state / "images").unlink()
        (self.state / "images").symlink_to(images)
        self.add("print(1)")
        told = images / "default" / "image.json"
        text = re.sub(r'("created": ?")\d', r"\g<1>3", told.read_text())
        told.unlink()
        told.write_text(text)
        for _ in range(2):
            self.assertEqual(self.skill("run", "count").stdout, "1\n")
        self.assertEqual(self.compiled()["times"], 2)

    def test_what_would_not_run_as_its_text_does_is_not_kept(self):
        self.add("x = 1\nprint(x is 1)")
        self.assertEqual(self.compiled(), {"bytes": 0, "times": 1})
        for _ in range(2):
            done = self.skill("run", "count")
            self.assertEqual(done.stdout, "True\n")
            self.assertIn('main.py:2: SyntaxWarning: "is" with a literal', done.stderr)
        self.add("print(*[x for x in {8, 0}])")
        self.assertEqual(self.skill("run", "count").stdout, "8 0\n")
        self.assertEqual(self.compiled(), {"bytes": 0, "times": 1})
        self.add("echo 1", "--lang", "bash", name="shell")
        self.assertIsNone(self.compiled("shell"))

    def test_a_traceback_is_that_of_the_text(self):
        code = ("# two lines\n# before\nimport inspect\n\n\ndef first(x):\n    return (1 +\n"
                "            x['no'][0])\n\nprint(inspect.getsource(first))\nfirst({'no': None})\n")
        self.add(code)
        self.assertGreater(self.compiled()["bytes"], 50)
        plain, kept = self.plainly(code), self.run_json("count")[1]
        for key in ("outcome", "exit_code", "stdout", "stderr", "error"):
            self.assertEqual(kept[key], plain[key], key)
        self.assertIn("x['no'][0]", kept["error"]["traceback"])

    def test_the_guard_is_there(self):
        code = ("import json, os, sys\nopen('unseen.py', 'w').write(json.load(sys.stdin))\n"
                "print(hasattr(os, 'listdir'), type(os))\nimport unseen\n")
        self.add(code)
        self.assertGreater(self.compiled()["bytes"], 50)
        plain = self.plainly(code, "--input", '"import socket"')
        kept = self.run_json("count", "import socket")[1]
        for key in ("outcome", "stdout", "stderr", "error"):
            self.assertEqual(kept[key], plain[key], key)
        self.assertEqual(kept["usage"]["refusals"], plain["usage"]["refusals"])
        self.assertEqual(kept["error"]["type"], "SecurityError")

    def test_goes_with_its_skill(self):
        self.add("print(1)")
        self.skill("rm", "count")
        with sqlite3.connect(self.state / "belljar.db") as database:
            self.assertEqual(database.execute("SELECT count(*) FROM skill_code").fetchone(), (0,))
