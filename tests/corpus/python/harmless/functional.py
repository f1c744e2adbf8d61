#--- decorator-timer: how long a call takes
import functools, time
def timed(fn):
    @functools.wraps(fn)
    def wrap(*a, **k):
        t = time.perf_counter()
        try:
            return fn(*a, **k)
        finally:
            print(f"{fn.__name__} took {time.perf_counter() - t:.4f}s")
    return wrap
@timed
def work(n):
    return sum(i * i for i in range(n))
print(work(10_000))
#--- decorator-retry: try again
import functools
def retry(times):
    def deco(fn):
        @functools.wraps(fn)
        def wrap(*a, **k):
            last = None
            for _ in range(times):
                try:
                    return fn(*a, **k)
                except ValueError as e:
                    last = e
            raise last
        return wrap
    return deco
@retry(3)
def parse(s):
    return int(s)
print(parse("7"))
#--- decorator-memo: an own cache
def memo(fn):
    seen = {}
    def wrap(n):
        if n not in seen:
            seen[n] = fn(n)
        return seen[n]
    return wrap
@memo
def f(n):
    return 1 if n < 2 else f(n - 1) + f(n - 2)
print(f(60))
#--- decorator-class: a class as a decorator
class CountCalls:
    def __init__(self, fn):
        self.fn, self.n = fn, 0
    def __call__(self, *a):
        self.n += 1
        return self.fn(*a)
@CountCalls
def hi():
    return "hi"
hi(); hi()
print(hi.n)
#--- decorator-register: a table of commands
COMMANDS = {}
def command(name):
    def deco(fn):
        COMMANDS[name] = fn
        return fn
    return deco
@command("add")
def add(a, b):
    return a + b
@command("mul")
def mul(a, b):
    return a * b
print(COMMANDS["mul"](3, 4))
#--- decorator-validate: arguments checked
from functools import wraps
def positive(fn):
    @wraps(fn)
    def wrap(x):
        if x <= 0:
            raise ValueError(f"{fn.__name__}: {x} is not positive")
        return fn(x)
    return wrap
@positive
def root(x):
    return x ** 0.5
print(root(9), root.__wrapped__ is not None)
#--- closure-counter: a counter with nonlocal
def counter():
    n = 0
    def step():
        nonlocal n
        n += 1
        return n
    return step
c = counter()
print(c(), c(), c())
#--- global-counter: a counter with global
hits = 0
def hit():
    global hits
    hits += 1
for _ in range(3):
    hit()
print(hits)
#--- generator-fib: endless, but only ten taken
from itertools import islice
def fib():
    a, b = 0, 1
    while True:
        yield a
        a, b = b, a + b
print(list(islice(fib(), 10)))
#--- generator-pipeline: three stages
def nums(n):
    yield from range(n)
def sq(it):
    return (x * x for x in it)
def even(it):
    return (x for x in it if x % 2 == 0)
print(sum(even(sq(nums(100)))))
#--- generator-send: a running mean
def mean():
    total = n = 0
    avg = None
    while True:
        x = yield avg
        total += x
        n += 1
        avg = total / n
m = mean()
next(m)
print([m.send(v) for v in (10, 20, 30)])
#--- generator-batches: parts of five
def batches(xs, k):
    for i in range(0, len(xs), k):
        yield xs[i:i + k]
print([len(b) for b in batches(range(23), 5)])
#--- generator-read-chunks: a file in parts
def chunks(f, size=4096):
    while True:
        part = f.read(size)
        if not part:
            break
        yield part
with open("data.bin", "rb") as f:
    print(sum(len(c) for c in chunks(f)))
#--- itertools-chain-groupby: rows by a key
from itertools import chain, groupby
rows = sorted(chain([("a", 1), ("b", 2)], [("a", 3)]))
print({k: [v for _, v in g] for k, g in groupby(rows, key=lambda r: r[0])})
#--- itertools-count-takewhile: endless, with a bound
from itertools import count, takewhile
print(list(takewhile(lambda x: x < 50, (n * n for n in count()))))
#--- itertools-cycle-zip: endless, with a short partner
from itertools import cycle
print(list(zip(range(5), cycle("ab"))))
#--- itertools-accumulate: running totals
from itertools import accumulate, pairwise, zip_longest
import operator
print(list(accumulate([1, 2, 3, 4], operator.mul)), list(pairwise("abc")))
#--- itertools-product-small: a small table
import itertools
print([f"{a}{b}" for a, b in itertools.product("xy", (1, 2, 3))])
#--- itertools-repeat-bounded: repeat with a number
from itertools import repeat
print(list(map(pow, range(5), repeat(2))), list(repeat("x", 3)))
#--- functools-reduce: a product
from functools import reduce
print(reduce(lambda a, b: a * b, range(1, 11)))
#--- functools-partial: an argument given before
from functools import partial
hexint = partial(int, base=16)
say = partial(print, "log:", sep=" ")
say(hexint("ff"))
#--- functools-singledispatch: a function by type
from functools import singledispatch
@singledispatch
def show(x):
    return str(x)
@show.register
def _(x: list):
    return ", ".join(map(str, x))
print(show([1, 2]), show(3))
#--- functools-cached-property: computed once
from functools import cached_property
class Data:
    def __init__(self, xs):
        self.xs = xs
    @cached_property
    def total(self):
        return sum(self.xs)
print(Data([1, 2]).total)
#--- operator-itemgetter: a sort by two columns
from operator import itemgetter, attrgetter, methodcaller
rows = [("b", 2), ("a", 2), ("c", 1)]
print(sorted(rows, key=itemgetter(1, 0)))
#--- operator-attrgetter: a sort by an own attribute
from operator import attrgetter
from types import SimpleNamespace as NS
people = [NS(name="bob", age=4), NS(name="ann", age=9)]
print([p.name for p in sorted(people, key=attrgetter("age"), reverse=True)])
#--- operator-methodcaller: a method for each
from operator import methodcaller
print(list(map(methodcaller("upper"), ["a", "b"])), methodcaller("split", ",")("x,y"))
#--- map-filter-lambda: the usual three
xs = list(range(10))
print(list(map(lambda x: x ** 2, filter(lambda x: x % 2, xs))))
#--- comprehension-nested: primes the slow way
print([p for p in range(2, 60) if all(p % d for d in range(2, int(p ** 0.5) + 1))])
#--- comprehension-dict-set: a dictionary turned round
d = {"a": 1, "b": 2}
print({v: k for k, v in d.items()}, {len(w) for w in ("x", "yy", "zz")})
#--- walrus-loop: read until empty
import io
f = io.StringIO("one\ntwo\n\nthree\n")
while (line := f.readline()) and line.strip():
    print(line.strip())
#--- match-commands: a small command language
def run(cmd):
    match cmd.split():
        case ["go", ("north" | "south") as d]:
            return f"going {d}"
        case ["drop", *things]:
            return f"dropping {len(things)}"
        case []:
            return "?"
        case _:
            return "unknown"
print(run("go north"), run("drop a b"), run("dance"))
#--- match-classes: patterns with classes
from dataclasses import dataclass
@dataclass
class Circle:
    r: float
@dataclass
class Rect:
    w: float
    h: float
def area(s):
    match s:
        case Circle(r=r):
            return 3.14159 * r * r
        case Rect(w, h) if w == h:
            return w * w
        case Rect(w, h):
            return w * h
print(area(Circle(1)), area(Rect(2, 3)))
#--- compose: functions put together
from functools import reduce
def compose(*fns):
    return reduce(lambda f, g: lambda x: f(g(x)), fns)
print(compose(str, abs, int)("-5"))
#--- curry: one argument at a time
def curry(f):
    return lambda a: lambda b: f(a, b)
print(curry(max)(3)(9))
#--- context-manager-generator: a context by yield
from contextlib import contextmanager
@contextmanager
def tag(name):
    print(f"<{name}>")
    yield
    print(f"</{name}>")
with tag("b"):
    print("text")
#--- contextlib-helpers: suppress and redirect
import io
from contextlib import suppress, redirect_stdout
with suppress(FileNotFoundError):
    open("absent.txt").close()
buf = io.StringIO()
with redirect_stdout(buf):
    print("captured")
print(buf.getvalue().strip())
#--- exitstack-files: several files at once
from contextlib import ExitStack
names = ["a.txt", "b.txt"]
with ExitStack() as st:
    files = [st.enter_context(open(n, "w")) for n in names]
    for f in files:
        f.write("x\n")
#--- star-args: any number of arguments
def total(*args, scale=1, **extra):
    return sum(args) * scale + len(extra)
print(total(*[1, 2, 3], **{"scale": 2, "x": 0}))
#--- default-argument-trap: a list as a default, done right
def add(x, to=None):
    to = [] if to is None else to
    to.append(x)
    return to
print(add(1), add(2))
#--- dispatch-dict: operators by a table
import operator
OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}
def rpn(text):
    st = []
    for t in text.split():
        if t in OPS:
            b, a = st.pop(), st.pop()
            st.append(OPS[t](a, b))
        else:
            st.append(float(t))
    return st[0]
print(rpn("3 4 + 2 *"))
#--- stack-alias: a bound method under a short name
out = []
push = out.append
for ch in "abc":
    push(ch)
print(out)
