"""Tests of src/cell/guest/protocol/make_tables.py: all languages and the page about the protocol have what the tables say."""

import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib
import unittest


ROOT = pathlib.Path(__file__).resolve().parents[2]
GUEST = ROOT / "src/cell/guest/protocol"


def load_tool():
    spec = importlib.util.spec_from_file_location("make_tables", GUEST / "make_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


make_tables = load_tool()


def table(name):
    return tomllib.loads((GUEST / name).read_text(encoding="utf-8"))


def names_of(python):
    names = {}
    exec(python, names)
    return names


class Frames(unittest.TestCase):
    def setUp(self):
        self.table, self.made = table("frames.toml"), make_tables.tables()
        self.numbers = {name: frame["number"] for name, frame in self.table["frames"].items()}

    def test_python_has_them(self):
        names = names_of(self.made["frames.py"])
        self.assertEqual(names["VERSION"], self.table["version"])
        self.assertEqual({name: names[name] for name in self.numbers}, self.numbers)
        self.assertEqual((names["MAX_RUN_BYTES"], names["MAX_DISPLAYS"]), (64 << 20, 256))

    def test_javascript_has_them(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "frames.js")
            path.write_text(self.made["frames.js"])
            said = subprocess.run(["node", "-p", "JSON.stringify(require(process.argv[1]))", str(path)],
                                  capture_output=True, text=True, check=True).stdout
        frames = json.loads(said)
        self.assertEqual(frames["Type"], self.numbers)
        self.assertEqual((frames["kProtocolVersion"], frames["kMaxRunBytes"]), (self.table["version"], 64 << 20))

    def test_cpp_has_them(self):
        found = re.findall(r"^  k([A-Z][a-z]+) = (0x[0-9a-f]{2}),$", self.made["frames.inc"], re.MULTILINE)
        self.assertEqual({name.upper(): int(number, 16) for name, number in found}, self.numbers)

    def test_the_page_shows_them(self):
        page = (ROOT / "docs/guest-protocol.md").read_text(encoding="utf-8")
        self.assertIn("# Guest protocol, version %d\n" % self.table["version"], page)
        rows = re.findall(r"^\| (0x\w\w) \| ([A-Z]+) \| (\w+) \| .* \| (\d+ [KM]iB) \|$", page, re.MULTILINE)
        self.assertEqual(
            [(int(number, 16), name, sender, limit) for number, name, sender, limit in rows],
            [(frame["number"], name, frame["from"][0].split()[-1], self.table["limits"][frame["limit"]])
             for name, frame in self.table["frames"].items()])

    def test_no_guest_writes_a_number_out(self):
        for path in (*GUEST.parent.glob("python/*.py"), *GUEST.parent.glob("node/*.js")):
            found = re.findall(r"\b0x(?:0[1-5]|8[1-8])\b", path.read_text(encoding="utf-8"))
            self.assertEqual(found, [], path.name)

    def test_a_table_that_makes_no_sense_is_refused(self):
        for change, sentence in (({"number": 0x02}, "a number of its own"), ({"number": 0x100}, "of one byte"),
                                 ({"from": []}, "comes from"), ({"from": ["host"]}, "comes from"),
                                 ({"limit": "none"}, "no limit none"), ({"size": 1}, "number, from and limit")):
            frames = {**self.table["frames"], "RUN": {**self.table["frames"]["RUN"], **change}}
            with self.assertRaisesRegex(make_tables.Mistake, sentence):
                make_tables.check_frames({**self.table, "frames": frames})
        for limit in ("4 GB", "4", "MiB", "x KiB"):
            with self.assertRaises(make_tables.Mistake):
                make_tables.bytes_of(limit)


class GuardRules(unittest.TestCase):
    def setUp(self):
        self.rules, self.made = table("guard_rules.toml")["rules"], make_tables.tables()
        self.hook = [name for name, rule in self.rules.items() if rule["held_by"] == "hook"]

    def test_python_has_those_of_the_hook_by_number(self):
        names = names_of(self.made["guard_rules.py"])
        self.assertEqual(list(names["KINDS"]), [(name, self.rules[name]["class"]) for name in self.hook])
        self.assertEqual([names[name[3:].replace("-", "_").upper()] for name in self.hook],
                         list(range(len(self.hook))))

    def test_cpp_has_the_same_numbers_and_all_rules(self):
        made = self.made["guard_rules.inc"]
        kinds = re.search(r"enum class GuardKind : unsigned \{\n([^}]*)\};", made)[1]
        self.assertEqual(re.findall(r"k(\w+),", kinds),
                         ["".join(word.capitalize() for word in name.split("-")[1:]) for name in self.hook])
        self.assertEqual(re.findall(r'\{"([a-z-]+)", "([a-z-]+)"\},', made),
                         [(name, rule["class"]) for name, rule in self.rules.items()])

    def test_the_page_shows_them(self):
        page = (ROOT / "docs/guard.md").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"^\| `(py-[a-z-]+)` \|", page, re.MULTILINE), list(self.rules))

    def test_a_table_that_makes_no_sense_is_refused(self):
        for name, rule in (("js-eval", {"class": "a", "held_by": "hook"}), ("py-eval", {"class": "a"}),
                           ("py-eval", {"class": "a", "held_by": "hope"})):
            with self.assertRaises(make_tables.Mistake):
                make_tables.check_guard_rules({"rules": {name: rule}})


class Program(unittest.TestCase):
    def test_writes_the_files_into_a_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            place = pathlib.Path(folder, "new")
            subprocess.run([sys.executable, GUEST / "make_tables.py", place], check=True)
            self.assertEqual({path.name: path.read_text() for path in place.iterdir()}, make_tables.tables())

