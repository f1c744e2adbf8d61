#--- own-function-system: an own function named system
def system(name):
    return f"system {name} ready"
print(system("a"))
#--- own-function-popen: an own function named popen
def popen(colour):
    return {"pen": colour}
print(popen("blue")["pen"])
#--- own-class-popen: an own class named Popen
class Popen:
    def __init__(self, title):
        self.title = title
    def communicate(self):
        return self.title.upper()
print(Popen("memo").communicate())
#--- own-method-system: a method named system
class Rocket:
    def system(self, part):
        return f"{part}: ok"
print(Rocket().system("fuel"))
#--- own-method-eval: a method named eval
class Poly:
    def __init__(self, *c):
        self.c = c
    def eval(self, x):
        return sum(k * x ** i for i, k in enumerate(self.c))
print(Poly(1, 2, 3).eval(2))
#--- own-method-exec: a method named exec
class Machine:
    def __init__(self):
        self.acc = 0
    def exec(self, op, n):
        self.acc = {"add": self.acc + n, "mul": self.acc * n}[op]
        return self
print(Machine().exec("add", 3).exec("mul", 4).acc)
#--- own-method-compile: a method named compile
class Template:
    def __init__(self, text):
        self.text = text
    def compile(self):
        return self.text.split("|")
print(Template("a|b").compile())
#--- own-method-load: methods named load and loads
class Store:
    def __init__(self):
        self.items = {}
    def load(self, k):
        return self.items.get(k)
    def loads(self, text):
        self.items.update(p.split("=") for p in text.split(";"))
s = Store()
s.loads("a=1;b=2")
print(s.load("b"))
#--- own-method-fork: a method named fork
class Repo:
    def __init__(self, name):
        self.name = name
    def fork(self, owner):
        return Repo(f"{owner}/{self.name}")
print(Repo("tool").fork("ann").name)
#--- own-method-kill: a method named kill
class Monster:
    alive = True
    def kill(self):
        self.alive = False
m = Monster()
m.kill()
print(m.alive)
#--- own-method-spawn: a method named spawn
class Level:
    def __init__(self):
        self.mobs = []
    def spawn(self, kind, n=1):
        self.mobs += [kind] * n
        return len(self.mobs)
print(Level().spawn("slime", 3))
#--- own-method-connect: a method named connect
class Graph:
    def __init__(self):
        self.edges = set()
    def connect(self, a, b):
        self.edges.add((a, b))
g = Graph()
g.connect("x", "y")
print(g.edges)
#--- own-method-send-recv: methods named send, recv and bind
class Channel:
    def __init__(self):
        self.box = []
    def bind(self, name):
        self.name = name
        return self
    def send(self, msg):
        self.box.append(msg)
    def recv(self):
        return self.box.pop(0)
c = Channel().bind("a")
c.send("hi")
print(c.recv())
#--- own-method-run-call: methods named run, call and check_output
class Pipeline:
    def __init__(self, *steps):
        self.steps = steps
    def run(self, x):
        for s in self.steps:
            x = s(x)
        return x
    def check_output(self, x, want):
        return self.run(x) == want
print(Pipeline(str.strip, str.upper).check_output(" a ", "A"))
#--- own-method-import: a method named import_module
class School:
    def __init__(self):
        self.modules = []
    def import_module(self, name):
        self.modules.append(name)
s = School()
s.import_module("algebra")
print(s.modules)
#--- own-attribute-os: attributes named os and subprocess
class Machine:
    def __init__(self, os, subprocess):
        self.os = os
        self.subprocess = subprocess
m = Machine(os="linux", subprocess=3)
print(m.os, m.subprocess)
#--- variable-socket-count: variables with forbidden words in them
socket_count = 4
process_socket = {"cpu": socket_count}
subprocess_total = 2
os_name = "haiku"
print(process_socket, subprocess_total, os_name)
#--- variable-eval-results: variables with eval and exec in them
eval_results = [0.9, 0.8]
exec_time = 1.5
evaluate = sum(eval_results) / len(eval_results)
print(exec_time, evaluate)
#--- variable-pickle-jar: vegetables, not objects
pickle = {"kind": "gherkin", "jars": 3}
marshal = "Wyatt"
print(pickle["jars"], marshal)
#--- variable-signal: a signal of physics
import math
signal = [math.sin(2 * math.pi * 5 * t / 100) for t in range(100)]
energy = sum(s * s for s in signal)
print(round(energy, 3))
#--- variable-requests: requests of customers
requests = ["refund", "exchange", "refund"]
print(requests.count("refund"))
#--- variable-shutil-like: names that end alike
shutil_note = "none"
my_os = ["a", "b"]
my_os.append("c")
print(shutil_note, my_os)
#--- variable-os-shadow: os is an own list
os = ["linux", "macos"]
os.append("windows")
print(os.index("macos"))
#--- variable-code-object: a code that is a discount code
code = "SAVE10"
codes = {code: 0.1}
__version__ = "1.0"
print(codes[code], __version__)
#--- parameter-exec: parameters named exec and eval
def schedule(exec, eval=3):
    return exec * eval
print(schedule(2), schedule(exec=5, eval=1))
#--- parameter-input-file: parameters named open and file
def trade(open, close):
    return (close - open) / open
print(round(trade(open=100, close=103), 3))
#--- dict-key-eval: keys with forbidden words
modes = {"train": 1, "eval": 2, "exec": 3, "compile": 4, "__import__": 5}
print(modes["eval"] + modes["__import__"])
#--- enum-member-system: enum members with forbidden words
from enum import Enum
class Role(Enum):
    USER = "user"
    SYSTEM = "system"
    EXEC = "exec"
print(Role.SYSTEM.value, [r.name for r in Role])
#--- chat-roles-system: messages with a system role
messages = [
    {"role": "system", "content": "You are helpful."},
    {"role": "user", "content": "Hi"},
]
print([m["content"] for m in messages if m["role"] == "system"])
#--- torch-model-eval: a model set to evaluation
import torch
model = torch.nn.Linear(4, 2)
model.eval()
with torch.no_grad():
    print(model(torch.zeros(1, 4)).shape)
#--- torch-compile-train: the library's own compile
import torch
net = torch.nn.Sequential(torch.nn.Linear(2, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(10):
    opt.zero_grad()
    loss = net(torch.rand(16, 2)).pow(2).mean()
    loss.backward()
    opt.step()
print(loss.item())
#--- keras-compile: a model compiled for training
from tensorflow import keras
model = keras.Sequential([keras.layers.Dense(1)])
model.compile(optimizer="adam", loss="mse")
model.evaluate([[1.0]], [[2.0]])
#--- numexpr-like-df-eval: several columns by DataFrame.eval
import pandas as pd
df = pd.DataFrame({"p": [2.0, 3.0], "q": [5, 6]})
df.eval("total = p * q", inplace=True)
print(df["total"].sum())
#--- sqlmodel-session-exec: a session's exec
from sqlmodel import Session, SQLModel, Field, create_engine, select
class Hero(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    name: str
engine = create_engine("sqlite://")
SQLModel.metadata.create_all(engine)
with Session(engine) as session:
    print(session.exec(select(Hero)).all())
#--- regex-module-compile: regex and re compile
import re
WORD = re.compile(r"\w+")
NUM = re.compile(r"\d+", re.ASCII)
compile_pattern = re.compile
print(WORD.findall("a b"), compile_pattern("x").match("x"))
#--- sympy-evalf: methods that begin with eval
import sympy
print(sympy.sqrt(2).evalf(20), sympy.pi.n(5))
#--- polynomial-polyval: numpy's polyval
import numpy as np
from numpy.polynomial import Polynomial
print(np.polyval([1, 2, 3], 2), Polynomial([1, 2])(3))
#--- jinja-from-string: a template rendered
from jinja2 import Template
print(Template("Hello {{ name }}, {% for i in xs %}{{ i }} {% endfor %}").render(name="x", xs=[1, 2]))
#--- game-process: a game with process and thread words
class Process:
    def __init__(self, pid, burst):
        self.pid, self.burst = pid, burst
def round_robin(ps, q=2):
    order = []
    while ps:
        p = ps.pop(0)
        order.append(p.pid)
        p.burst -= q
        if p.burst > 0:
            ps.append(p)
    return order
print(round_robin([Process("a", 3), Process("b", 2)]))
#--- interpreter-own-language: a tiny language with its own eval
def parse(tokens):
    t = tokens.pop(0)
    if t == "(":
        out = []
        while tokens[0] != ")":
            out.append(parse(tokens))
        tokens.pop(0)
        return out
    return int(t) if t.isdigit() else t
def evaluate(x):
    if isinstance(x, int):
        return x
    op, *args = x
    vals = [evaluate(a) for a in args]
    return sum(vals) if op == "+" else vals[0] * vals[1]
print(evaluate(parse("( + 1 ( * 2 3 ) )".split())))
#--- vm-exec-loop: a tiny machine with its own exec
def execute(prog):
    stack, pc = [], 0
    while pc < len(prog):
        op, *arg = prog[pc]
        if op == "push":
            stack.append(arg[0])
        elif op == "add":
            stack.append(stack.pop() + stack.pop())
        elif op == "exit":
            break
        pc += 1
    return stack
print(execute([("push", 1), ("push", 2), ("add",), ("exit",)]))
#--- import-own-names: harmless modules with like names
import codecs, operator, string
print(codecs.lookup("utf-8").name, operator.add(1, 2), string.digits)
#--- from-import-like-names: harmless names that read like bad ones
from re import compile
from json import load, loads, dump
from math import exp as exec_rate
print(compile("a+").match("aa").group(), loads("[1]"), exec_rate(0))
#--- from-copy-as-pickle: a harmless module under a bad name
import json as pickle
print(pickle.loads(pickle.dumps({"a": 1})))
#--- alias-json-as-marshal: a harmless function under a bad name
from json import dumps as system
print(system({"k": "v"}))
#--- getattr-own-system: getattr with a bad word on an own object
class Solar:
    system = "eight planets"
print(getattr(Solar, "system"), getattr(Solar(), "sys" + "tem"))
#--- attribute-popen-on-list: a list of own objects with bad words
from types import SimpleNamespace as NS
pens = [NS(popen=True, exec="x"), NS(popen=False, exec="y")]
print([p.exec for p in pens if p.popen])
#--- property-globals: attributes named globals and builtins
class Env:
    def __init__(self):
        self.globals = {"x": 1}
        self.builtins = ["len"]
        self.frame = "wood"
e = Env()
print(e.globals["x"], e.builtins, e.frame)
#--- local-function-open: an own open
def door():
    state = []
    def open(side):
        state.append(side)
        return len(state)
    return open
print(door()("/etc"))
#--- local-function-import-data: functions that begin with import
def import_data(rows):
    return [r.split(",") for r in rows]
def import_subprocess_report(n):
    return n + 1
print(import_data(["a,b"]), import_subprocess_report(1))
