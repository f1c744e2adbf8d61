#--- big-range-sum: a million numbers summed
print(sum(range(10**6)))
#--- big-range-loop-break: a huge range left early
for i in range(10**12):
    if i * i > 500:
        print(i)
        break
#--- big-range-membership: a huge range asked, not built
print(10**14 in range(0, 10**15, 7), len(range(10**9)), range(10**18)[-1])
#--- big-range-slice: a part of a huge range
print(list(range(10**12)[5:10]), max(range(10**9)[:3]))
#--- big-range-islice: a few of a huge generator
from itertools import islice
print(list(islice((x * x for x in range(10**15)), 5)))
#--- big-range-next: the first that fits
print(next(n for n in range(1, 10**12) if n % 7 == 3 and n % 11 == 5))
#--- big-power-modular: a huge exponent with a modulus
print(pow(3, 10**18, 1_000_000_007), pow(7, -1, 26))
#--- big-power-fine: large but fine numbers
print(2**64, 10**100 % 97, 1 << 128, 3**200)
#--- big-factorial-fine: a fine factorial
import math
print(len(str(math.factorial(300))), math.comb(200, 100))
#--- big-constants: large constants that are never used as sizes
AVOGADRO = 6.022e23
MAX_INT = 2**63 - 1
BYTES_PER_TB = 1024**4
print(AVOGADRO, MAX_INT, BYTES_PER_TB // 10**9)
#--- big-string-fine: a line and a page
print("=" * 80)
page = ("x" * 79 + "\n") * 1000
print(len(page))
#--- big-list-fine: a million zeros
dp = [0] * (10**6 + 1)
dp[1] = 1
grid = [[0] * 500 for _ in range(500)]
print(len(dp), len(grid))
#--- big-bytes-fine: a buffer of a megabyte
buf = bytearray(1 << 20)
buf[0] = 255
print(len(buf), len(bytes(4096)))
#--- big-comprehension-fine: a hundred thousand squares
sq = {i: i * i for i in range(100_000)}
print(sq[999])
#--- while-true-break: an endless loop with a way out
n = 0
while True:
    n += 1
    if n > 100:
        break
print(n)
#--- while-true-return: an endless loop in a function, with a return
def first_square(above):
    n = 0
    while True:
        if n * n > above:
            return n
        n += 1
print(first_square(10_000))
#--- while-true-generator: an endless generator, a few taken
def ids():
    n = 0
    while True:
        yield f"id{n}"
        n += 1
g = ids()
print([next(g) for _ in range(3)])
#--- while-append-bounded: a list that grows to a bound
xs = [1]
while len(xs) < 50:
    xs.append(xs[-1] * 2 % 1009)
print(xs[-5:])
#--- while-true-append-break: a list that grows until a break
primes = []
n = 2
while True:
    if all(n % p for p in primes):
        primes.append(n)
    if len(primes) == 100:
        break
    n += 1
print(primes[-1])
#--- while-true-except-break: until the iterator ends
it = iter([1, 2, 3])
while True:
    try:
        print(next(it))
    except StopIteration:
        break
#--- recursion-base-ternary: a base case in an expression
def depth(t):
    return 0 if not t else 1 + max((depth(c) for c in t), default=0)
print(depth([[[]], []]))
#--- recursion-base-and: a base case by a short circuit
def length(xs):
    return bool(xs) and 1 + length(xs[1:])
print(length([1, 2, 3]))
#--- recursion-base-match: a base case by a pattern
def total(xs):
    match xs:
        case []:
            return 0
        case [h, *t]:
            return h + total(t)
print(total([1, 2, 3]))
#--- recursion-base-try: a base case by an error
def walk(node, keys):
    try:
        return walk(node[keys[0]], keys[1:])
    except IndexError:
        return node
print(walk({"a": {"b": 7}}, ["a", "b"]))
#--- recursion-loop-bounded: recursion over children
def count(tree):
    n = 1
    for child in tree.get("kids", []):
        n += count(child)
    return n
print(count({"kids": [{"kids": [{}]}, {}]}))
#--- recursion-lambda-base: a lambda with a base case
fact = lambda n: 1 if n < 2 else n * fact(n - 1)
print(fact(10))
#--- recursion-super-same-name: the same name, another class
class A:
    def close(self):
        return "a"
class B(A):
    def close(self):
        return super().close() + "b"
print(B().close())
#--- method-same-name-other-object: the same method of another object
class Wrapper:
    def __init__(self, inner):
        self.inner = inner
    def write(self, text):
        return self.inner.write(text.upper())
import io
out = io.StringIO()
Wrapper(out).write("hi")
print(out.getvalue())
#--- product-fine: a fine product
from itertools import product
print(len(list(product("abc", repeat=5))), sum(1 for _ in product(range(10), repeat=4)))
#--- dunder-class-name: __class__.__name__ and nothing more
class A:
    pass
a = A()
print(a.__class__.__name__, a.__class__ is A, f"{a.__class__.__qualname__}")
#--- dunder-main: the usual last lines
def main():
    print("main")
if __name__ == "__main__":
    main()
#--- dunder-name-doc: __name__ and __doc__ printed
print(__name__, __doc__)
#--- dunder-doc-annotations: documentation of an own function
def f(a: int = 1) -> str:
    """Doc."""
    return str(a)
print(f.__doc__, f.__name__, f.__annotations__, f.__qualname__, f.__module__)
#--- dunder-all-version: the module's own dunders
__all__ = ["run"]
__version__ = "0.1"
__author__ = "me"
def run():
    return __version__
print(run(), __all__)
#--- dunder-methods-called: dunder methods called by name
print((3).__add__(4), "a".__len__(), [1].__contains__(1), {}.__class__.__name__)
#--- isinstance-type-tuple: types compared, not walked
def kind(x):
    return {int: "int", str: "str", type(None): "none"}.get(type(x), "other")
print(kind(1), kind(None), isinstance(1, (int, float)), issubclass(bool, int))
#--- getattr-own-list: own attributes by a constant list
class C:
    w, h = 2, 3
print([getattr(C, n) for n in ("w", "h")], hasattr(C, "d"))
#--- setattr-own-loop: own attributes set in a loop
class Conf:
    pass
c = Conf()
for k, v in {"host": "x", "port": 1}.items():
    setattr(c, k, v)
print(c.host, c.port, vars(c))
#--- type-three-arguments: a plain class by type()
P = type("P", (), {"x": 1, "show": lambda self: self.x})
print(P().show())
#--- locals-in-format: own locals in a text
def card(name, age):
    text = "{name} ({age})"
    return text.format(name=name, age=age)
print(card("ann", 3))
#--- own-dict-dunder-key: dunder words as keys of an own dictionary
meta = {"__class__": "Row", "__globals__": 0}
print(meta["__class__"], meta.get("__globals__"))
#--- function-attributes: own attributes on a function
def f():
    f.calls += 1
    return f.calls
f.calls = 0
f(); f()
print(f.calls)
#--- decoded-then-json: decoded text that goes to json, not to exec
import base64, json
print(json.loads(base64.b64decode("eyJhIjogMX0=").decode())["a"])
#--- decoded-then-literal: decoded text that goes to literal_eval
import ast, base64
print(ast.literal_eval(base64.b64decode("WzEsIDIsIDNd").decode()))
#--- bytes-fromhex-colour: hex digits of a colour
r, g, b = bytes.fromhex("ff8800")
print(r, g, b, f"#{r:02x}{g:02x}{b:02x}")
#--- chr-ord-shift: letters shifted in a puzzle
print("".join(chr((ord(c) - 97 + 1) % 26 + 97) for c in "hal"))
#--- monkeypatch-own-class: a method of an own class replaced
class Greeter:
    def hi(self):
        return "hi"
Greeter.hi = lambda self: "hello"
print(Greeter().hi())
#--- shadowed-builtin-local: a builtin's name as a local
def stats(list, max=None, sum=0):
    for x in list:
        sum += x
        max = x if max is None or x > max else max
    return sum, max
print(stats([1, 5, 2]))
#--- try-import-optional: an optional harmless library
try:
    import numpy as np
except ImportError:
    np = None
print("numpy" if np else "plain")
#--- conditional-alias: one of two harmless functions
import sys
show = print if len(sys.argv) < 99 else repr
show("x")
#--- threads-many-but-fine: twenty short threads
import threading
ts = [threading.Thread(target=sum, args=([1, 2],)) for _ in range(20)]
for t in ts:
    t.start()
for t in ts:
    t.join()
#--- dots-in-text: two dots that are no path
print("1..10".split(".."), "wait...", "a/../b" == "b", [..., 1][0] is Ellipsis)
#--- tilde-in-code: a tilde that is no home
print(~5, "~ approx ~", "x~y".partition("~"))
#--- slash-join-text: text that looks like a path
date = "/".join(["03", "10", "2024"])
ratio = "/etc" + "etera"
print(date, ratio)
#--- relative-path-dotted: dots inside names
with open("v1..2.txt", "w") as f:
    f.write("x")
with open("./sub.dir.txt", "w") as f:
    f.write("y")
#--- table-of-packages: what is needed, asked for by name
wanted = {"numpy": "numpy", "PIL": "pillow"}
for module, package in sorted(wanted.items()):
    try:
        __import__(module)
    except ImportError:
        print("missing:", package)
#--- plugins-by-subclass: a class that knows its own
class Plugin:
    @classmethod
    def names(cls):
        return sorted(c.__name__ for c in cls.__subclasses__())
class Csv(Plugin):
    pass
print(Plugin.names())
#--- function-by-name: one of a module's functions
import math
name = input("function: ")
print(getattr(math, name, math.sqrt)(2))
#--- status-of-http: numbers of answers
from http import HTTPStatus
import resource
print(HTTPStatus.OK.phrase, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
