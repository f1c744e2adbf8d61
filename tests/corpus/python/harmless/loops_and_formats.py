#--- loop-input-until-end: lines until there are none
lines = []
try:
    while True:
        lines.append(input())
except EOFError:
    pass
print(len(lines))
#--- loop-queue-until-empty: a queue emptied
import queue
q = queue.Queue()
out = []
try:
    while True:
        out.append(q.get_nowait())
except queue.Empty:
    pass
#--- loop-next-until-stop: an iterator by hand
pairs = []
rows = iter([1, 2, 3, 4])
try:
    while True:
        first = next(rows)
        second = next(rows)
        pairs.append((first, second))
except StopIteration:
    print(pairs)
#--- loop-input-total: numbers until the input ends
total = 0
while True:
    try:
        value = int(input())
    except ValueError:
        continue
    total += value
    print(total)
#--- generator-endless-sliced: an endless generator, sliced
import itertools
def ones():
    while True:
        yield 1
print(list(itertools.islice(ones(), 5)), next(ones()))
#--- wrapped-by-lambda: a function replaced by one that calls the old one
def wrap(module):
    old = module.f
    module.f = lambda x: old(x + 1)
#--- kept-under-another-name: print with a prefix
old_print = print
def print(*values):
    old_print(">", *values)
print(1)
#--- format-class-name: a representation by format
class Point:
    x = 1
    def __repr__(self):
        return "<{self.__class__.__name__} {self.x}>".format(self=self)
print(Point())
#--- own-defaults: the defaults of an own function
def f(a, b="x"):
    return a
print(f.__defaults__)
#--- args-system: a flag that is called system
import argparse
parser = argparse.ArgumentParser()
parser.add_argument("--system")
args = parser.parse_args()
print(args.system)
if args.system == "linux":
    name = args.system.upper()
#--- row-system: a column that is called system
import pandas as pd
for row in pd.read_csv("a.csv").itertuples():
    print(row.system)
#--- mock-system: a stand-in
from unittest.mock import Mock
m = Mock(return_value=3)
m.system.return_value = 1
assert m.system("id") == 1
#--- exit-codes: the codes of the system
import os, sys
if os.isatty(0):
    sys.exit(os.EX_USAGE)
print(os.getloadavg(), sys.platlibdir)
#--- read-by-library-inside: tables and pictures of the workspace
import polars as pl
import cv2
pl.read_csv("data/a.csv")
cv2.imread("a.png")
cv2.imwrite("/tmp/b.png", None)
#--- reduce-getattr-own: a path through own objects
from functools import reduce
class Node:
    pass
root = Node()
root.a = Node()
root.a.b = 3
print(reduce(getattr, ["a", "b"], root))
#--- engine-local: a database of the workspace
from sqlalchemy import create_engine
create_engine("sqlite:///shop.db")
#--- widths: fields of ordinary width
width = 40
print(f"{'name':<{width}}|{1:>020}")
#--- zip-inside: own files packed
import zipfile
with zipfile.ZipFile("x.zip", "w") as z:
    z.write("a.txt")
#--- attach-inside: a second database of the workspace
import sqlite3
sqlite3.connect("a.db").execute("ATTACH DATABASE 'b.db' AS b")
#--- environ-update-own: ordinary variables
import os
os.environ.update({"MODE": "test"}, LEVEL="1")
os.environ.setdefault("MODE", "test")
#--- dictconfig-own: an ordinary configuration
import logging.config
logging.config.dictConfig({
    "version": 1,
    "handlers": {"h": {"class": "logging.StreamHandler", "formatter": "f"}},
    "formatters": {"f": {"()": "logging.Formatter", "fmt": "%(message)s"}},
    "root": {"handlers": ["h"]},
})
#--- loop-over-growing-queue: neighbours added while going through
adj = {1: [2, 3], 2: [4], 3: [4], 4: []}
queue = [1]
seen = {1}
for node in queue:
    for other in adj[node]:
        if other not in seen:
            seen.add(other)
            queue.append(other)
print(queue)
#--- loop-over-growing-tree: children added while going through
class Node:
    def __init__(self, children=()):
        self.children = children
nodes = [Node([Node(), Node()])]
for node in nodes:
    for child in node.children:
        nodes.append(child)
print(len(nodes))
#--- methods-of-two-classes: each calls what the other has
class Density:
    def pdf(self, x):
        return 1.0
    def logpdf(self, x):
        return self.pdf(x)
class LogDensity:
    def pdf(self, x):
        return self.logpdf(x)
    def logpdf(self, x):
        return 0.0
#--- method-kept-in-a-field: a method of a part
class Sorted(dict):
    def __init__(self):
        self._list = []
        self._list_clear = self._list.clear
    def clear(self):
        dict.clear(self)
        self._list_clear()
#--- doctest-own: examples of an own function
def add(a, b):
    """
    >>> add(1, 2)
    3
    >>> for i in range(2):
    ...     print(add(i, i))
    0
    2
    """
    return a + b
import doctest
doctest.testmod()
