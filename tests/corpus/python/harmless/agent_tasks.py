#--- task-sales-summary: sales by month and region
import csv
from collections import defaultdict
from datetime import datetime
totals = defaultdict(lambda: defaultdict(float))
with open("sales.csv", newline="", encoding="utf-8") as f:
    for row in csv.DictReader(f):
        month = datetime.fromisoformat(row["date"]).strftime("%Y-%m")
        totals[month][row["region"]] += float(row["amount"])
for month in sorted(totals):
    print(month)
    for region, amount in sorted(totals[month].items()):
        print(f"  {region:<10}{amount:>12,.2f}")
#--- task-log-errors: errors of a log by hour
import re
from collections import Counter
LINE = re.compile(r"^(\d{4}-\d\d-\d\d)T(\d\d):\d\d:\d\d \[(\w+)\] (.*)$")
hours, messages = Counter(), Counter()
with open("logs/app.log", errors="replace") as f:
    for line in f:
        m = LINE.match(line)
        if m and m.group(3) == "ERROR":
            hours[m.group(2)] += 1
            messages[re.sub(r"\d+", "N", m.group(4))] += 1
print(hours.most_common(5))
for msg, n in messages.most_common(3):
    print(n, msg)
#--- task-clean-frame: a table cleaned
import pandas as pd
df = pd.read_csv("raw.csv")
df.columns = [c.strip().lower().replace(" ", "_") for c in df.columns]
df = df.drop_duplicates().dropna(subset=["email"])
df["email"] = df["email"].str.lower().str.strip()
df["age"] = pd.to_numeric(df["age"], errors="coerce").fillna(df["age"].median())
df.to_csv("clean.csv", index=False)
print(df.describe(include="all"))
#--- task-plot-two-lines: two lines and a legend
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd
df = pd.read_csv("data/temps.csv", parse_dates=["day"]).set_index("day")
fig, ax = plt.subplots(figsize=(9, 4))
df["high"].rolling(7).mean().plot(ax=ax, label="high")
df["low"].rolling(7).mean().plot(ax=ax, label="low")
ax.legend()
ax.set_ylabel("°C")
fig.savefig("temps.png", bbox_inches="tight")
print("saved temps.png")
#--- task-json-diff: two JSON files compared
import json
def diff(a, b, path=""):
    if isinstance(a, dict) and isinstance(b, dict):
        for k in sorted(a.keys() | b.keys()):
            yield from diff(a.get(k), b.get(k), f"{path}/{k}")
    elif a != b:
        yield path, a, b
with open("old.json") as f, open("new.json") as g:
    for p, x, y in diff(json.load(f), json.load(g)):
        print(f"{p}: {x!r} -> {y!r}")
#--- task-rename-photos: photos renamed by date
import os
from datetime import datetime
folder = "photos"
for i, name in enumerate(sorted(os.listdir(folder))):
    stem, ext = os.path.splitext(name)
    if ext.lower() not in {".jpg", ".png"}:
        continue
    when = datetime.fromtimestamp(os.path.getmtime(os.path.join(folder, name)))
    new = f"{when:%Y%m%d}_{i:04d}{ext.lower()}"
    os.rename(os.path.join(folder, name), os.path.join(folder, new))
    print(name, "->", new)
#--- task-markdown-toc: a table of contents
import re
from pathlib import Path
src = Path("README.md").read_text(encoding="utf-8")
toc = []
for marks, title in re.findall(r"^(#{1,3})\s+(.+)$", src, re.M):
    anchor = re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
    toc.append(f"{'  ' * (len(marks) - 1)}- [{title}](#{anchor})")
Path("TOC.md").write_text("\n".join(toc) + "\n", encoding="utf-8")
print(len(toc), "entries")
#--- task-inventory-class: an inventory with checks
from dataclasses import dataclass, field
@dataclass
class Item:
    name: str
    qty: int = 0
    price: float = 0.0
@dataclass
class Inventory:
    items: dict[str, Item] = field(default_factory=dict)
    def add(self, name, qty, price):
        it = self.items.setdefault(name, Item(name, 0, price))
        it.qty += qty
    def remove(self, name, qty):
        it = self.items[name]
        if it.qty < qty:
            raise ValueError(f"only {it.qty} of {name}")
        it.qty -= qty
    @property
    def value(self):
        return sum(i.qty * i.price for i in self.items.values())
inv = Inventory()
inv.add("bolt", 100, 0.2)
inv.remove("bolt", 30)
print(round(inv.value, 2))
#--- task-expression-parser: arithmetic without eval
import re
def tokens(s):
    return re.findall(r"\d+\.?\d*|[-+*/()]", s)
def expr(t):
    v = term(t)
    while t and t[0] in "+-":
        v = v + term(t) if t.pop(0) == "+" else v - term(t)
    return v
def term(t):
    v = atom(t)
    while t and t[0] in "*/":
        v = v * atom(t) if t.pop(0) == "*" else v / atom(t)
    return v
def atom(t):
    x = t.pop(0)
    if x == "(":
        v = expr(t)
        t.pop(0)
        return v
    return -atom(t) if x == "-" else float(x)
print(expr(tokens("2*(3+4)-5/2")))
#--- task-loan-table: a loan paid back
def schedule(principal, rate, months):
    r = rate / 12
    pay = principal * r / (1 - (1 + r) ** -months)
    left = principal
    for m in range(1, months + 1):
        interest = left * r
        left -= pay - interest
        yield m, pay, interest, max(left, 0)
for m, pay, interest, left in schedule(10_000, 0.05, 12):
    print(f"{m:>3} {pay:>9.2f} {interest:>8.2f} {left:>10.2f}")
#--- task-text-adventure: rooms and doors
ROOMS = {
    "hall": {"north": "library", "text": "A cold hall."},
    "library": {"south": "hall", "text": "Books, mostly about the operating system."},
}
here = "hall"
for move in ["north", "up", "south"]:
    nxt = ROOMS[here].get(move)
    if nxt is None:
        print("no way", move)
        continue
    here = nxt
    print(ROOMS[here]["text"])
#--- task-simulate-queue: customers at a counter
import heapq, random
random.seed(1)
t, free_at, waits = 0.0, 0.0, []
for _ in range(500):
    t += random.expovariate(1 / 5)
    start = max(t, free_at)
    waits.append(start - t)
    free_at = start + random.expovariate(1 / 4)
waits.sort()
print(f"mean {sum(waits) / len(waits):.1f} p95 {waits[int(len(waits) * 0.95)]:.1f}")
#--- task-secret-scan: looks for secrets in own files, prints only the place
import re
from pathlib import Path
PATTERNS = {"aws": re.compile(r"AKIA[0-9A-Z]{16}"), "key": re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----")}
for p in Path("src").rglob("*"):
    if p.is_file() and p.suffix in {".py", ".txt", ".cfg"}:
        for no, line in enumerate(p.read_text(errors="ignore").splitlines(), 1):
            for name, pat in PATTERNS.items():
                if pat.search(line):
                    print(f"{p}:{no}: {name}")
#--- task-import-graph: imports of own files, by ast
import ast
from pathlib import Path
graph = {}
for p in Path("src").rglob("*.py"):
    tree = ast.parse(p.read_text())
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(a.name.split(".")[0] for a in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.split(".")[0])
    graph[p.stem] = sorted(names)
for mod, deps in sorted(graph.items()):
    print(mod, "->", ", ".join(deps))
if any("subprocess" in d for d in graph.values()):
    print("some module starts programs")
#--- task-sentiment-count: words of two lists counted
GOOD, BAD = {"good", "great", "happy"}, {"bad", "poor", "kill", "attack"}
reviews = ["great food, happy staff", "poor service, bad attack of flies"]
for r in reviews:
    words = [w.strip(",.").lower() for w in r.split()]
    print(sum(w in GOOD for w in words) - sum(w in BAD for w in words), r)
#--- task-matrix-report: a report built by parts
import statistics as st
from pathlib import Path
series = {"a": [1, 2, 3, 4], "b": [2, 2, 2, 9]}
lines = ["# Report", ""]
for name, xs in series.items():
    lines.append(f"- **{name}**: mean {st.mean(xs):.2f}, median {st.median(xs)}, sd {st.pstdev(xs):.2f}")
out = Path("out")
out.mkdir(exist_ok=True)
(out / "report.md").write_text("\n".join(lines))
print("\n".join(lines))
#--- task-schedule-meetings: free hours found
busy = [(9, 10), (11, 13), (15, 16)]
free, cur = [], 8
for a, b in sorted(busy):
    if a > cur:
        free.append((cur, a))
    cur = max(cur, b)
if cur < 17:
    free.append((cur, 17))
print(free)
#--- task-unit-convert: units by a table
FACTORS = {("km", "mi"): 0.621371, ("kg", "lb"): 2.20462}
def convert(v, a, b):
    if (a, b) in FACTORS:
        return v * FACTORS[a, b]
    if (b, a) in FACTORS:
        return v / FACTORS[b, a]
    raise KeyError(f"{a} to {b}")
print(round(convert(10, "km", "mi"), 2), round(convert(5, "lb", "kg"), 2))
#--- task-train-eval-loop: training and evaluation of a small net
import numpy as np
rng = np.random.default_rng(0)
X = rng.normal(size=(200, 3))
y = (X @ np.array([1.0, -2.0, 0.5]) > 0).astype(float)
w = np.zeros(3)
def eval_model(w):
    return ((1 / (1 + np.exp(-X @ w)) > 0.5) == y).mean()
for epoch in range(100):
    p = 1 / (1 + np.exp(-X @ w))
    w -= 0.1 * X.T @ (p - y) / len(y)
print(w.round(2), eval_model(w))
#--- task-chat-transcript: a transcript summarised
import json
from collections import Counter
chat = json.loads('[{"role": "system", "text": "be kind"}, {"role": "user", "text": "run eval()?"}, {"role": "assistant", "text": "no"}]')
print(Counter(m["role"] for m in chat))
for m in chat:
    if m["role"] != "system":
        print(f"{m['role']:>10}: {m['text']}")
