#--- class-repr-eq: a point with repr and equality
class Point:
    def __init__(self, x, y):
        self.x, self.y = x, y
    def __repr__(self):
        return f"{self.__class__.__name__}({self.x}, {self.y})"
    def __eq__(self, other):
        return isinstance(other, Point) and (self.x, self.y) == (other.x, other.y)
    def __hash__(self):
        return hash((self.x, self.y))
print(Point(1, 2), Point(1, 2) == Point(1, 2))
#--- class-type-name: the name by type()
class Cat:
    def describe(self):
        return type(self).__name__
print(Cat().describe(), Cat.__name__, Cat.__module__, Cat.__doc__)
#--- class-own-dict: the object's own dictionary
class Settings:
    def __init__(self, **kw):
        self.__dict__.update(kw)
    def as_dict(self):
        return dict(self.__dict__)
print(Settings(a=1, b=2).as_dict())
#--- class-vars-self: vars of an own object
class Rec:
    def __init__(self):
        self.a, self.b = 1, 2
print(", ".join(f"{k}={v}" for k, v in vars(Rec()).items()))
#--- class-super-init: two levels
class Base:
    def __init__(self, name):
        self.name = name
class Child(Base):
    def __init__(self, name, age):
        super().__init__(name)
        self.age = age
print(Child("ann", 3).__dict__)
#--- class-getattr-delegate: unknown attributes from an own dictionary
class Bag:
    def __init__(self, **kw):
        self._data = kw
    def __getattr__(self, name):
        try:
            return self._data[name]
        except KeyError:
            raise AttributeError(name) from None
print(Bag(x=1).x, hasattr(Bag(), "y"))
#--- class-setattr-guard: a read-only object
class Frozen:
    def __init__(self, v):
        object.__setattr__(self, "v", v)
    def __setattr__(self, k, v):
        raise AttributeError("read-only")
f = Frozen(1)
try:
    f.v = 2
except AttributeError as e:
    print(e)
#--- class-getitem-len: a row of things
class Deck:
    def __init__(self, cards):
        self._cards = list(cards)
    def __len__(self):
        return len(self._cards)
    def __getitem__(self, i):
        return self._cards[i]
d = Deck("abc")
print(len(d), d[0], d[-1], list(reversed(d)))
#--- class-iterator: an own iterator
class Count:
    def __init__(self, n):
        self.n = n
    def __iter__(self):
        self.i = 0
        return self
    def __next__(self):
        if self.i >= self.n:
            raise StopIteration
        self.i += 1
        return self.i
print(list(Count(4)))
#--- class-call: an object that can be called
class Adder:
    def __init__(self, n):
        self.n = n
    def __call__(self, x):
        return x + self.n
print(list(map(Adder(10), range(3))))
#--- class-operators: vectors added and scaled
class Vec:
    def __init__(self, *v):
        self.v = v
    def __add__(self, o):
        return Vec(*(a + b for a, b in zip(self.v, o.v)))
    def __mul__(self, k):
        return Vec(*(a * k for a in self.v))
    __rmul__ = __mul__
    def __repr__(self):
        return f"Vec{self.v}"
print(2 * (Vec(1, 2) + Vec(3, 4)))
#--- class-context-manager: enter and exit
import time
class Timer:
    def __enter__(self):
        self.start = time.perf_counter()
        return self
    def __exit__(self, exc_type, exc, tb):
        self.took = time.perf_counter() - self.start
        return False
with Timer() as t:
    sum(range(1000))
print(t.took >= 0)
#--- class-property: a computed attribute
class Temp:
    def __init__(self, c):
        self.c = c
    @property
    def f(self):
        return self.c * 9 / 5 + 32
    @f.setter
    def f(self, v):
        self.c = (v - 32) * 5 / 9
t = Temp(100)
t.f = 32
print(t.c)
#--- class-classmethod: another way to make one
class Date:
    def __init__(self, y, m, d):
        self.t = (y, m, d)
    @classmethod
    def parse(cls, s):
        return cls(*map(int, s.split("-")))
    @staticmethod
    def valid(s):
        return s.count("-") == 2
print(Date.parse("2024-05-06").t, Date.valid("x"))
#--- class-self-class-new: a copy by self.__class__
class Money:
    def __init__(self, n):
        self.n = n
    def __add__(self, o):
        return self.__class__(self.n + o.n)
print((Money(1) + Money(2)).n)
#--- class-slots: fixed attributes
class P:
    __slots__ = ("x", "y")
    def __init__(self, x, y):
        self.x = x
        self.y = y
print(P.__slots__, P(1, 2).x)
#--- class-new-singleton: one object only
class Single:
    _it = None
    def __new__(cls):
        if cls._it is None:
            cls._it = super().__new__(cls)
        return cls._it
print(Single() is Single())
#--- class-metaclass-registry: a metaclass that keeps names
class Meta(type):
    names = []
    def __new__(mcs, name, bases, ns):
        mcs.names.append(name)
        return super().__new__(mcs, name, bases, ns)
class A(metaclass=Meta):
    pass
class B(A):
    pass
print(Meta.names)
#--- class-init-subclass: a registry by derived classes
class Plugin:
    registry = {}
    def __init_subclass__(cls, key=None, **kw):
        super().__init_subclass__(**kw)
        Plugin.registry[key or cls.__name__.lower()] = cls
class Csv(Plugin, key="csv"):
    def load(self, text):
        return text.split(",")
print(Plugin.registry["csv"]().load("a,b"))
#--- class-abc: an abstract base
from abc import ABC, abstractmethod
class Shape(ABC):
    @abstractmethod
    def area(self): ...
class Sq(Shape):
    def __init__(self, s):
        self.s = s
    def area(self):
        return self.s ** 2
print(Sq(3).area(), issubclass(Sq, Shape))
#--- class-protocol: a structural type
from typing import Protocol
class Speaks(Protocol):
    def speak(self) -> str: ...
class Dog:
    def speak(self) -> str:
        return "woof"
def talk(a: Speaks) -> None:
    print(a.speak())
talk(Dog())
#--- class-descriptor: a checked attribute
class Positive:
    def __set_name__(self, owner, name):
        self.name = "_" + name
    def __get__(self, obj, owner=None):
        return self if obj is None else getattr(obj, self.name)
    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError("must be positive")
        setattr(obj, self.name, value)
class Item:
    price = Positive()
    def __init__(self, price):
        self.price = price
print(Item(5).price)
#--- class-mixin: two bases
class Loud:
    def say(self):
        return super().say().upper()
class Quiet:
    def say(self):
        return "hello"
class Both(Loud, Quiet):
    pass
print(Both().say())
#--- class-total-ordering: an order from two methods
from functools import total_ordering
@total_ordering
class V:
    def __init__(self, s):
        self.t = tuple(map(int, s.split(".")))
    def __eq__(self, o):
        return self.t == o.t
    def __lt__(self, o):
        return self.t < o.t
print(max(V("1.9"), V("1.10")).t)
#--- dataclass-basic: fields with defaults
from dataclasses import dataclass, field
@dataclass(order=True)
class Task:
    priority: int
    name: str = field(compare=False)
    tags: list[str] = field(default_factory=list, compare=False)
print(sorted([Task(2, "b"), Task(1, "a", ["x"])]))
#--- dataclass-frozen-replace: a changed copy
from dataclasses import dataclass, replace, asdict
@dataclass(frozen=True)
class Conf:
    host: str = "localhost"
    port: int = 80
print(asdict(replace(Conf(), port=8080)))
#--- dataclass-post-init: a computed field
from dataclasses import dataclass, field
@dataclass
class Rect:
    w: float
    h: float
    area: float = field(init=False)
    def __post_init__(self):
        self.area = self.w * self.h
print(Rect(2, 3))
#--- namedtuple-basic: a tuple with names
from typing import NamedTuple
class Emp(NamedTuple):
    name: str
    salary: int = 0
e = Emp("ann")
print(e._replace(salary=5), e._asdict(), Emp._fields)
#--- enum-basic: names for numbers
from enum import Enum, auto, IntFlag
class Colour(Enum):
    RED = auto()
    GREEN = auto()
class Perm(IntFlag):
    R = 4
    W = 2
    X = 1
print(Colour["RED"], Colour(2).name, Perm.R | Perm.W)
#--- class-format-method: an own __format__
class Deg:
    def __init__(self, v):
        self.v = v
    def __format__(self, spec):
        return f"{self.v * 9 / 5 + 32:.1f}F" if spec == "f" else f"{self.v}C"
print(f"{Deg(20)} {Deg(20):f}")
#--- class-contains-bool: membership and truth
class Box:
    def __init__(self, *items):
        self.items = items
    def __contains__(self, x):
        return x in self.items
    def __bool__(self):
        return bool(self.items)
print(2 in Box(1, 2), bool(Box()))
#--- class-missing: a dictionary with a default
class Sq(dict):
    def __missing__(self, k):
        self[k] = k * k
        return self[k]
s = Sq()
print(s[4], s)
#--- class-del-weakref: a note when an object dies
import weakref
class Node:
    pass
n = Node()
r = weakref.ref(n, lambda _: print("gone"))
del n
print(r() is None)
#--- class-getstate: a copy without the cache
import copy
class Doc:
    def __init__(self):
        self.text, self.cache = "x", {}
    def __deepcopy__(self, memo):
        d = Doc()
        d.text = copy.deepcopy(self.text, memo)
        return d
print(copy.deepcopy(Doc()).text)
#--- class-class-getitem: an own generic
class Typed:
    def __class_getitem__(cls, item):
        return f"{cls.__name__}[{item.__name__}]"
print(Typed[int])
#--- class-getattr-constant: own attribute by a constant name
class Job:
    status = "new"
    def run(self):
        return "done"
j = Job()
print(getattr(j, "status"), getattr(j, "run")(), getattr(j, "owner", None))
#--- class-dispatch-by-name: own methods by a built name
class Visitor:
    def visit(self, kind, v):
        return getattr(self, "visit_" + kind, self.other)(v)
    def visit_num(self, v):
        return v + 1
    def other(self, v):
        return None
print(Visitor().visit("num", 1), Visitor().visit("zzz", 1))
#--- class-exception-hierarchy: own exceptions
class AppError(Exception):
    def __init__(self, msg, code=1):
        super().__init__(msg)
        self.code = code
class NotFound(AppError):
    pass
try:
    raise NotFound("no such row", 404)
except AppError as e:
    print(e, e.code, type(e).__name__, e.args)
#--- exception-chain: a cause
try:
    try:
        int("x")
    except ValueError as e:
        raise RuntimeError("bad input") from e
except RuntimeError as e:
    print(e, "because of", repr(e.__cause__))
#--- exception-group: several at a time
try:
    raise ExceptionGroup("many", [ValueError("a"), TypeError("b")])
except* ValueError as g:
    print("values", len(g.exceptions))
except* TypeError as g:
    print("types", len(g.exceptions))
#--- state-machine: states by a table
class Door:
    table = {("open", "close"): "closed", ("closed", "open"): "open", ("closed", "lock"): "locked"}
    def __init__(self):
        self.state = "open"
    def send(self, event):
        self.state = self.table.get((self.state, event), self.state)
        return self
print(Door().send("close").send("lock").state)
#--- observer: listeners called
class Event:
    def __init__(self):
        self.listeners = []
    def __iadd__(self, fn):
        self.listeners.append(fn)
        return self
    def fire(self, *a):
        for fn in self.listeners:
            fn(*a)
e = Event()
e += lambda x: print("got", x)
e.fire(3)
#--- builder-pattern: a chain of calls
class Query:
    def __init__(self, table):
        self.parts = [f"SELECT * FROM {table}"]
    def where(self, c):
        self.parts.append(f"WHERE {c}")
        return self
    def __str__(self):
        return " ".join(self.parts)
print(Query("users").where("age > 3"))
