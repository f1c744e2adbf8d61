#--- datetime-parse: dates read and written
from datetime import datetime, timedelta, timezone
d = datetime.strptime("2024-03-10 14:30", "%Y-%m-%d %H:%M")
print((d + timedelta(days=30)).isoformat(), d.replace(tzinfo=timezone.utc).timestamp())
#--- datetime-age: years between two dates
from datetime import date
def age(born, on):
    return on.year - born.year - ((on.month, on.day) < (born.month, born.day))
print(age(date(1990, 6, 15), date(2024, 6, 14)))
#--- datetime-weekdays: working days counted
from datetime import date, timedelta
d, n = date(2024, 1, 1), 0
while d < date(2024, 2, 1):
    n += d.weekday() < 5
    d += timedelta(days=1)
print(n)
#--- calendar-month: a month printed
import calendar
print(calendar.month(2024, 2), calendar.isleap(2024))
#--- zoneinfo-convert: a time in two zones
from datetime import datetime
from zoneinfo import ZoneInfo
t = datetime(2024, 7, 1, 12, tzinfo=ZoneInfo("Europe/Oslo"))
print(t.astimezone(ZoneInfo("Asia/Tokyo")))
#--- time-sleep: a short wait
import time
t0 = time.monotonic()
time.sleep(0.05)
print(f"{time.monotonic() - t0:.2f}")
#--- counter-arith: counts added and taken away
from collections import Counter
a, b = Counter("banana"), Counter("bandana")
print(a & b, a | b, b - a, sum(a.values()))
#--- defaultdict-graph: a graph from pairs
from collections import defaultdict
g = defaultdict(set)
for u, v in [(1, 2), (2, 3), (3, 1)]:
    g[u].add(v)
    g[v].add(u)
print(dict(g))
#--- deque-rotate: a ring
from collections import deque
d = deque(range(5), maxlen=5)
d.rotate(2)
d.append(9)
print(list(d))
#--- chainmap-settings: settings in layers
from collections import ChainMap
print(ChainMap({"debug": True}, {"debug": False, "port": 80})["port"])
#--- heapq-nlargest: the top three
import heapq
print(heapq.nlargest(3, [5, 1, 9, 7]), heapq.merge([1, 4], [2, 3]))
#--- decimal-money: exact sums
from decimal import Decimal, ROUND_HALF_UP, getcontext
getcontext().prec = 28
price = Decimal("19.99") * 3
print(price.quantize(Decimal("0.1"), rounding=ROUND_HALF_UP))
#--- fractions-sum: exact fractions
from fractions import Fraction
print(sum(Fraction(1, n) for n in range(1, 11)))
#--- math-functions: a handful
import math
print(math.comb(52, 5), math.isqrt(10**20), math.hypot(3, 4), math.factorial(50), math.lcm(4, 6))
#--- cmath-roots: roots of unity
import cmath
print([cmath.exp(2j * cmath.pi * k / 6) for k in range(6)])
#--- random-seeded: the same dice every time
import random
r = random.Random(7)
print([r.randint(1, 6) for _ in range(10)], r.sample(range(100), 5))
#--- random-shuffle-choices: shuffled and drawn
import random
deck = [s + v for s in "SHDC" for v in "23456789TJQKA"]
random.shuffle(deck)
print(deck[:5], random.choices("ab", weights=[9, 1], k=5))
#--- secrets-password: a password
import secrets, string
alphabet = string.ascii_letters + string.digits
print("".join(secrets.choice(alphabet) for _ in range(16)), secrets.token_hex(8))
#--- uuid-make: two identifiers
import uuid
print(uuid.uuid4(), uuid.uuid5(uuid.NAMESPACE_DNS, "example.com"))
#--- copy-deep: a copy of everything
import copy
a = {"x": [1, 2]}
b = copy.deepcopy(a)
b["x"].append(3)
print(a, b)
#--- pprint-nested: nested data printed
from pprint import pprint
pprint({"k%d" % i: list(range(i)) for i in range(6)}, width=40)
#--- logging-basic: a logger with a format
import logging
logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
log = logging.getLogger(__name__)
log.info("started with %d items", 3)
log.warning("almost full")
#--- logging-file: a log file in the workspace
import logging
log = logging.getLogger("app")
h = logging.FileHandler("app.log", encoding="utf-8")
h.setFormatter(logging.Formatter("%(levelname)s %(message)s"))
log.addHandler(h)
log.error("disk %s", "full")
#--- logging-exception: an error with its trace
import logging
try:
    {}["k"]
except KeyError:
    logging.exception("lookup failed")
#--- traceback-print: the trace as text
import traceback
try:
    [][1]
except IndexError:
    print(traceback.format_exc().splitlines()[-1])
#--- warnings-filter: a warning caught
import warnings
with warnings.catch_warnings(record=True) as got:
    warnings.simplefilter("always")
    warnings.warn("old", DeprecationWarning)
print(len(got), got[0].category.__name__)
#--- struct-pack: numbers to bytes and back
import struct
b = struct.pack("<IhB", 1, -2, 3)
print(b.hex(), struct.unpack("<IhB", b), struct.calcsize("<IhB"))
#--- array-sum: a typed row
from array import array
a = array("d", [1.5, 2.5])
a.extend([3.0])
print(sum(a), a.itemsize)
#--- io-stringio: text in memory
import io
f = io.StringIO()
print("a", "b", sep=",", file=f)
f.seek(0)
print(f.read())
#--- io-bytesio: bytes in memory
from io import BytesIO
b = BytesIO(b"header:payload")
print(b.read(6), b.seek(7), b.read())
#--- timeit-callable: a function timed
import timeit
print(timeit.timeit(lambda: sorted(range(100), reverse=True), number=100) > 0)
#--- inspect-signature: parameters of an own function
import inspect
def f(a, b=2, *, c): ...
print(inspect.signature(f), list(inspect.signature(f).parameters))
#--- typing-hints: types of an own function
from typing import Optional, Union, Callable, Iterable, TypeVar
T = TypeVar("T")
def first(xs: Iterable[T], pred: Callable[[T], bool]) -> Optional[T]:
    return next((x for x in xs if pred(x)), None)
print(first([1, 5, 8], lambda x: x > 3), first.__annotations__)
#--- typing-typeddict: a dictionary with a shape
from typing import TypedDict, Literal
class Movie(TypedDict, total=False):
    name: str
    kind: Literal["short", "long"]
m: Movie = {"name": "x", "kind": "short"}
print(m)
#--- types-namespace: the types module, the harmless part
import types
ns = types.SimpleNamespace(a=1)
ro = types.MappingProxyType({"k": 1})
print(ns, ro["k"], isinstance(print, types.BuiltinFunctionType))
#--- queue-priority: tasks by priority
from queue import PriorityQueue
q = PriorityQueue()
for p, n in [(2, "b"), (1, "a")]:
    q.put((p, n))
while not q.empty():
    print(q.get()[1])
#--- sched-local: an own function by the scheduler
import sched, time
s = sched.scheduler(time.monotonic, time.sleep)
s.enter(0.01, 1, print, argument=("tick",))
s.run()
#--- locale-number: numbers with separators
n = 1234567.891
print(f"{n:,.2f}", f"{n:_.0f}", format(0.25, ".0%"))
#--- ipaddress-subnet: addresses computed, not contacted
import ipaddress
net = ipaddress.ip_network("192.168.0.0/29")
print([str(h) for h in net.hosts()], ipaddress.ip_address("::1").is_loopback)
#--- colorsys-convert: colours computed
import colorsys
print(colorsys.rgb_to_hsv(0.2, 0.4, 0.4))
#--- atexit-own-function: an own function at exit
import atexit
@atexit.register
def bye():
    print("bye")
#--- platform-info: what machine this is
import platform
print(platform.system(), platform.machine(), platform.python_version())
#--- input-loop: numbers from the user
total = 0
while True:
    line = input("number (empty to stop): ")
    if not line:
        break
    total += int(line)
print(total)
#--- getpass-less-login: a tiny login check
import hmac
stored = "s3cret"
given = input("password: ")
print("ok" if hmac.compare_digest(stored, given) else "no")
#--- string-constants: the string module
import string
print(string.ascii_lowercase[:5], string.digits, string.capwords("a b"))
#--- bits: work with bits
n = 0b1011_0010
print(n.bit_length(), n.bit_count(), n & -n, n ^ 0xFF, n >> 3, ~n & 0xFF)
#--- int-bytes: a number as bytes
n = 0xDEADBEEF
b = n.to_bytes(4, "big")
print(b, int.from_bytes(b, "little"), bytes.fromhex("cafe"), bytearray(b"ab"))
#--- memoryview-slice: a view on bytes
buf = bytearray(b"hello world")
v = memoryview(buf)
v[0:5] = b"HELLO"
print(bytes(buf))
#--- sorting-stability: sorted by two keys
rows = [("x", 2), ("y", 1), ("z", 2)]
rows.sort(key=lambda r: r[0])
rows.sort(key=lambda r: r[1], reverse=True)
print(rows)
#--- help-dir: names of an own object
class A:
    def go(self): ...
print([n for n in dir(A()) if not n.startswith("_")], callable(A.go), id(A) == id(A))
