#--- argparse-basic: a command line
import argparse
p = argparse.ArgumentParser(prog="count")
p.add_argument("files", nargs="*")
p.add_argument("-n", "--number", type=int, default=10)
p.add_argument("-v", "--verbose", action="store_true")
a = p.parse_args()
print(a.files, a.number, a.verbose)
#--- argparse-subcommands: two commands
import argparse
p = argparse.ArgumentParser()
sub = p.add_subparsers(dest="cmd")
add = sub.add_parser("add")
add.add_argument("x", type=int)
run = sub.add_parser("run")
run.set_defaults(func=lambda a: print("run"))
a = p.parse_args(["add", "3"])
print(a.cmd, a.x)
#--- unittest-basic: a few tests
import unittest
def add(a, b):
    return a + b
class TestAdd(unittest.TestCase):
    def setUp(self):
        self.pairs = [(1, 2, 3), (-1, 1, 0)]
    def test_pairs(self):
        for a, b, want in self.pairs:
            with self.subTest(a=a, b=b):
                self.assertEqual(add(a, b), want)
    def test_type(self):
        with self.assertRaises(TypeError):
            add(1, "x")
if __name__ == "__main__":
    unittest.main(exit=False)
#--- unittest-mock-object: a mock in place of an own object
from unittest.mock import Mock, MagicMock
svc = Mock()
svc.fetch.return_value = [1, 2]
print(sum(svc.fetch("a")), svc.fetch.call_count)
svc.fetch.assert_called_once_with("a")
#--- unittest-async: a test that waits
import asyncio, unittest
class T(unittest.IsolatedAsyncioTestCase):
    async def test_sleep(self):
        self.assertIsNone(await asyncio.sleep(0))
unittest.main(argv=["x"], exit=False)
#--- pytest-style: tests as functions
import pytest
@pytest.fixture
def numbers():
    return [3, 1, 2]
@pytest.mark.parametrize("rev,first", [(False, 1), (True, 3)])
def test_sorted(numbers, rev, first):
    assert sorted(numbers, reverse=rev)[0] == first
def test_raises():
    with pytest.raises(ZeroDivisionError):
        1 / 0
#--- pytest-tmp-path: a test with a directory
def test_write(tmp_path):
    p = tmp_path / "a.txt"
    p.write_text("x")
    assert p.read_text() == "x"
#--- asserts-plain: asserts without a framework
def slug(s):
    return "-".join(s.lower().split())
assert slug("Hello World") == "hello-world"
assert slug("") == ""
print("all tests passed")
#--- hypothesis-like: random checks by hand
import random
def enc(s):
    return [(c, s.count(c)) for c in sorted(set(s))]
for _ in range(200):
    s = "".join(random.choices("ab", k=random.randint(0, 8)))
    assert sum(n for _, n in enc(s)) == len(s)
#--- generic-class: a typed stack
from typing import Generic, TypeVar
T = TypeVar("T")
class Stack(Generic[T]):
    def __init__(self) -> None:
        self._items: list[T] = []
    def push(self, item: T) -> None:
        self._items.append(item)
    def pop(self) -> T:
        return self._items.pop()
s: Stack[int] = Stack()
s.push(1)
print(s.pop())
#--- overload-typing: two signatures
from typing import overload
@overload
def dbl(x: int) -> int: ...
@overload
def dbl(x: str) -> str: ...
def dbl(x):
    return x * 2
print(dbl(2), dbl("a"))
#--- pydantic-model: checked data
from pydantic import BaseModel, Field
class User(BaseModel):
    name: str
    age: int = Field(ge=0)
print(User(name="ann", age=3).model_dump())
#--- progress-bar: a bar on one line
import sys, time
for i in range(21):
    sys.stdout.write(f"\r[{'#' * i:<20}] {i * 5:3d}%")
    sys.stdout.flush()
    time.sleep(0.01)
print()
#--- menu-loop: a small menu
items = []
while True:
    cmd = input("add/list/quit: ").strip()
    if cmd == "quit":
        break
    if cmd == "list":
        print(*items, sep="\n")
    elif cmd.startswith("add "):
        items.append(cmd[4:])
#--- guess-number: a game
import random
secret, tries = random.randint(1, 100), 0
while (guess := int(input("guess: "))) != secret:
    tries += 1
    print("low" if guess < secret else "high")
print("right after", tries + 1)
#--- tic-tac-toe-winner: who has won
LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]
def winner(b):
    for x, y, z in LINES:
        if b[x] != " " and b[x] == b[y] == b[z]:
            return b[x]
print(winner("XXXOO    "))
#--- event-log-class: a logger class with levels
import logging
class Ctx(logging.LoggerAdapter):
    def process(self, msg, kw):
        return f"[{self.extra['id']}] {msg}", kw
logging.basicConfig(level="DEBUG")
Ctx(logging.getLogger("x"), {"id": 7}).debug("step")
#--- config-dataclass: a configuration with checks
from dataclasses import dataclass, fields
@dataclass
class Config:
    host: str = "localhost"
    port: int = 8080
    def validate(self):
        for f in fields(self):
            if not isinstance(getattr(self, f.name), f.type):
                raise TypeError(f.name)
        return self
print(Config(port=9).validate())
#--- plugin-table: own plug-ins by a table
class Upper:
    def run(self, s):
        return s.upper()
class Rev:
    def run(self, s):
        return s[::-1]
PLUGINS = {"upper": Upper, "rev": Rev}
text = "abc"
for name in ("upper", "rev"):
    text = PLUGINS[name]().run(text)
print(text)
#--- benchmark-two-ways: two ways compared
import time
def timed(f, *a):
    t = time.perf_counter()
    f(*a)
    return time.perf_counter() - t
def plus(n):
    s = ""
    for i in range(n):
        s += str(i)
def join(n):
    "".join(str(i) for i in range(n))
print(timed(plus, 10_000), timed(join, 10_000))
