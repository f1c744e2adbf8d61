#--- np-mean-std: mean and deviation of an array
import numpy as np
a = np.array([3.0, 1.5, 4.2, 2.8])
print(a.mean(), a.std(ddof=1))
#--- np-matrix-solve: solve a linear system
import numpy as np
A = np.array([[3, 1], [1, 2]], dtype=float)
b = np.array([9, 8], dtype=float)
x = np.linalg.solve(A, b)
assert np.allclose(A @ x, b)
print(x)
#--- np-random-walk: a random walk with a seed
import numpy as np
rng = np.random.default_rng(42)
steps = rng.choice([-1, 1], size=1000)
walk = np.cumsum(steps)
print(walk.min(), walk.max(), walk[-1])
#--- np-broadcast-table: a multiplication table
from numpy import arange, newaxis
n = arange(1, 11)
print(n[:, newaxis] * n)
#--- np-boolean-mask: values above a threshold
import numpy as np
temps = np.linspace(-5, 35, 81)
warm = temps[(temps > 18) & (temps < 26)]
print(warm.size, warm.round(1))
#--- np-polyfit: fit a line
import numpy as np
x = np.arange(10)
y = 2.5 * x + 1
slope, icept = np.polyfit(x, y, 1)
print(f"slope={slope:.2f} intercept={icept:.2f}")
#--- np-save-load: an array saved and read in the workspace
import numpy as np
np.save("weights.npy", np.eye(3))
w = np.load("weights.npy")
print(w.shape, w.trace())
#--- np-einsum: matrix product by einsum
import numpy as np
a = np.random.rand(4, 5)
b = np.random.rand(5, 6)
print(np.allclose(np.einsum("ij,jk->ik", a, b), a @ b))
#--- np-large-but-fine: a million numbers
import numpy as np
a = np.arange(10**6, dtype=np.int64)
print(a.sum(), np.zeros((1000, 1000)).nbytes)
#--- np-vectorised-primes: a sieve with slices
import numpy as np
n = 10_000
sieve = np.ones(n + 1, dtype=bool)
sieve[:2] = False
for i in range(2, int(n ** 0.5) + 1):
    if sieve[i]:
        sieve[i * i::i] = False
print(np.flatnonzero(sieve)[:10])
#--- pd-frame-basic: a small frame
import pandas as pd
df = pd.DataFrame({"city": ["Oslo", "Rome"], "pop": [709, 2873]})
df["share"] = df["pop"] / df["pop"].sum()
print(df.round(3).to_string(index=False))
#--- pd-read-csv-group: read, group and write
import pandas as pd
df = pd.read_csv("data/sales.csv", parse_dates=["date"])
by = df.groupby("region", as_index=False)["amount"].agg(["sum", "mean"])
by.to_csv("out/by_region.csv")
print(by)
#--- pd-merge: two frames joined on a key
import pandas as pd
left = pd.DataFrame({"id": [1, 2, 3], "name": list("abc")})
right = pd.DataFrame({"id": [2, 3, 4], "score": [7, 8, 9]})
print(left.merge(right, on="id", how="outer", indicator=True))
#--- pd-pivot: a pivot table
import pandas as pd
df = pd.DataFrame({"d": ["mo", "mo", "tu"], "k": ["x", "y", "x"], "v": [1, 2, 3]})
print(df.pivot_table(index="d", columns="k", values="v", aggfunc="sum", fill_value=0))
#--- pd-resample: daily data to months
import pandas as pd
idx = pd.date_range("2024-01-01", periods=90, freq="D")
s = pd.Series(range(90), index=idx)
print(s.resample("MS").mean())
#--- pd-eval-column: a column by DataFrame.eval
import pandas as pd
df = pd.DataFrame({"a": [1, 2], "b": [3, 4]})
df = df.eval("c = a + b")
print(df)
#--- pd-query: rows by DataFrame.query
import pandas as pd
df = pd.DataFrame({"price": [5, 15, 25], "qty": [1, 2, 3]})
limit = 10
print(df.query("price > @limit and qty < 3"))
#--- pd-apply-lambda: a function for every row
import pandas as pd
df = pd.DataFrame({"w": [70, 82], "h": [1.75, 1.80]})
df["bmi"] = df.apply(lambda r: r["w"] / r["h"] ** 2, axis=1)
print(df.bmi.round(1).tolist())
#--- pd-missing-values: gaps filled
import pandas as pd
s = pd.Series([1.0, None, 3.0, None])
print(s.fillna(s.mean()).tolist(), s.isna().sum())
#--- pd-to-json: a frame as JSON
import pandas as pd
df = pd.DataFrame({"x": [1, 2]})
text = df.to_json(orient="records")
print(text)
#--- pd-pipe-chain: a chain of steps
import pandas as pd
def clean(df):
    return df.rename(columns=str.lower).dropna()
print(pd.DataFrame({"A": [1, None]}).pipe(clean).assign(b=lambda d: d.a * 2))
#--- plt-line: a line drawn to a file
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
plt.plot([1, 2, 3], [1, 4, 9], marker="o")
plt.title("squares")
plt.savefig("squares.png", dpi=120)
#--- plt-subplots: four pictures in one
import matplotlib.pyplot as plt
import numpy as np
x = np.linspace(0, 2 * np.pi, 200)
fig, axes = plt.subplots(2, 2, figsize=(8, 6))
for k, ax in enumerate(axes.flat, 1):
    ax.plot(x, np.sin(k * x))
    ax.set_title(f"k={k}")
fig.tight_layout()
fig.savefig("/tmp/waves.png")
#--- plt-hist: a histogram
import random
import matplotlib.pyplot as plt
values = [random.gauss(0, 1) for _ in range(5000)]
plt.hist(values, bins=40, alpha=0.7)
plt.xlabel("value")
plt.savefig("hist.png")
#--- csv-dictreader: totals by column
import csv
from collections import defaultdict
totals = defaultdict(float)
with open("orders.csv", newline="", encoding="utf-8") as f:
    for row in csv.DictReader(f):
        totals[row["customer"]] += float(row["amount"])
for name, t in sorted(totals.items(), key=lambda kv: -kv[1]):
    print(f"{name:<20}{t:>10.2f}")
#--- csv-writer: rows written
import csv
rows = [("id", "name"), (1, "ann"), (2, "bob")]
with open("people.csv", "w", newline="") as f:
    csv.writer(f).writerows(rows)
#--- csv-in-memory: CSV text without a file
import csv, io
text = "a,b\n1,2\n3,4\n"
print([int(r["b"]) for r in csv.DictReader(io.StringIO(text))])
#--- json-roundtrip: text to data and back
import json
doc = json.loads('{"items": [1, 2, {"x": null}], "ok": true}')
print(json.dumps(doc, indent=2, sort_keys=True))
#--- json-file-update: one field of a file changed
import json
with open("state.json") as f:
    state = json.load(f)
state["runs"] = state.get("runs", 0) + 1
with open("state.json", "w") as f:
    json.dump(state, f, indent=2)
#--- json-custom-encoder: dates in JSON
import json
from datetime import date
class Enc(json.JSONEncoder):
    def default(self, o):
        if isinstance(o, date):
            return o.isoformat()
        return super().default(o)
print(json.dumps({"d": date(2024, 2, 29)}, cls=Enc))
#--- json-object-hook: objects made while parsing
import json
from types import SimpleNamespace
doc = json.loads('{"a": {"b": 3}}', object_hook=lambda d: SimpleNamespace(**d))
print(doc.a.b)
#--- jsonl-stream: one JSON document for each line
import json
n = 0
with open("events.jsonl") as f:
    for line in f:
        if json.loads(line).get("level") == "error":
            n += 1
print(n, "errors")
#--- stats-summary: a small summary
import statistics as st
data = [2.5, 3.1, 4.7, 2.9, 3.3]
print(st.mean(data), st.median(data), st.stdev(data), st.quantiles(data, n=4))
#--- stats-linear-regression: regression of the standard library
from statistics import linear_regression, correlation
x = [1, 2, 3, 4]
y = [2, 4.1, 5.9, 8.2]
print(linear_regression(x, y), correlation(x, y))
#--- sklearn-fit: a model trained and scored
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
X, y = load_iris(return_X_y=True)
Xa, Xb, ya, yb = train_test_split(X, y, random_state=0)
model = LogisticRegression(max_iter=500).fit(Xa, ya)
print(model.score(Xb, yb))
#--- kmeans-by-hand: k-means without a library
import random
points = [(random.random(), random.random()) for _ in range(200)]
centres = random.sample(points, 3)
for _ in range(20):
    groups = [[] for _ in centres]
    for p in points:
        d = [(p[0] - c[0]) ** 2 + (p[1] - c[1]) ** 2 for c in centres]
        groups[d.index(min(d))].append(p)
    centres = [
        (sum(p[0] for p in g) / len(g), sum(p[1] for p in g) / len(g)) if g else c
        for g, c in zip(groups, centres)
    ]
print(centres)
#--- monte-carlo-pi: pi by chance
import random
n = 200_000
hits = sum(random.random() ** 2 + random.random() ** 2 <= 1 for _ in range(n))
print(4 * hits / n)
#--- moving-average: a sliding mean
from collections import deque
def moving(xs, k):
    win, total = deque(), 0.0
    for x in xs:
        win.append(x)
        total += x
        if len(win) > k:
            total -= win.popleft()
        yield total / len(win)
print([round(v, 2) for v in moving([1, 4, 2, 8, 5], 3)])
#--- histogram-text: bars of stars
from collections import Counter
words = "a b a c a b d".split()
for w, n in Counter(words).most_common():
    print(f"{w} {'*' * n}")
#--- scipy-minimise: a minimum found
from scipy.optimize import minimize
r = minimize(lambda v: (v[0] - 1) ** 2 + (v[1] + 2) ** 2, x0=[0, 0])
print(r.x.round(3), r.success)
#--- sympy-derivative: a derivative by symbols
import sympy as sp
x = sp.symbols("x")
print(sp.diff(sp.sin(x) * sp.exp(x), x))
