#--- fib-iterative: Fibonacci numbers by a loop
def fib(n):
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a
print([fib(i) for i in range(20)])
#--- fib-cached: Fibonacci numbers with a cache
from functools import lru_cache
@lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)
print(fib(90))
#--- factorial-recursive: recursion with a base case
def fact(n):
    if n <= 1:
        return 1
    return n * fact(n - 1)
print(fact(20))
#--- gcd-euclid: greatest common divisor
def gcd(a, b):
    while b:
        a, b = b, a % b
    return a
print(gcd(1071, 462))
#--- quicksort: sorting by parts
def qs(xs):
    if len(xs) < 2:
        return xs
    p, *rest = xs
    return qs([x for x in rest if x < p]) + [p] + qs([x for x in rest if x >= p])
print(qs([5, 2, 9, 1, 5, 6]))
#--- mergesort: sorting by merging
def merge_sort(xs):
    if len(xs) <= 1:
        return xs
    m = len(xs) // 2
    a, b = merge_sort(xs[:m]), merge_sort(xs[m:])
    out, i, j = [], 0, 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out.append(a[i]); i += 1
        else:
            out.append(b[j]); j += 1
    return out + a[i:] + b[j:]
print(merge_sort([3, 1, 2]))
#--- heapsort: sorting by a heap
import heapq
def heapsort(it):
    h = list(it)
    heapq.heapify(h)
    return [heapq.heappop(h) for _ in range(len(h))]
print(heapsort([4, 1, 3]))
#--- binary-search: a place in a sorted row
def find(xs, v):
    lo, hi = 0, len(xs)
    while lo < hi:
        mid = (lo + hi) // 2
        if xs[mid] < v:
            lo = mid + 1
        else:
            hi = mid
    return lo if lo < len(xs) and xs[lo] == v else -1
print(find(list(range(0, 100, 3)), 42))
#--- bisect-grades: marks by bisect
from bisect import bisect
def grade(score):
    return "FEDCBA"[bisect([40, 50, 60, 70, 80], score)]
print([grade(s) for s in (33, 65, 99)])
#--- sieve: primes up to a bound
def primes(n):
    s = bytearray([1]) * (n + 1)
    s[0:2] = b"\0\0"
    for i in range(2, int(n ** 0.5) + 1):
        if s[i]:
            s[i * i::i] = bytes(len(range(i * i, n + 1, i)))
    return [i for i, v in enumerate(s) if v]
print(len(primes(1_000_000)))
#--- miller-rabin: primality with modular powers
def is_prime(n):
    if n < 2:
        return False
    for p in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        if n % p == 0:
            return n == p
    d, r = n - 1, 0
    while d % 2 == 0:
        d //= 2; r += 1
    for a in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37):
        x = pow(a, d, n)
        if x in (1, n - 1):
            continue
        for _ in range(r - 1):
            x = pow(x, 2, n)
            if x == n - 1:
                break
        else:
            return False
    return True
print(is_prime(2**61 - 1))
#--- dijkstra: shortest ways
import heapq
graph = {"a": {"b": 1, "c": 4}, "b": {"c": 2, "d": 6}, "c": {"d": 3}, "d": {}}
dist = {"a": 0}
todo = [(0, "a")]
while todo:
    d, u = heapq.heappop(todo)
    if d > dist.get(u, float("inf")):
        continue
    for v, w in graph[u].items():
        if d + w < dist.get(v, float("inf")):
            dist[v] = d + w
            heapq.heappush(todo, (d + w, v))
print(dist)
#--- bfs-grid: fewest steps on a grid
from collections import deque
grid = ["..#", "...", "#.."]
q, seen = deque([(0, 0, 0)]), {(0, 0)}
while q:
    r, c, d = q.popleft()
    if (r, c) == (2, 2):
        print(d)
        break
    for nr, nc in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
        if 0 <= nr < 3 and 0 <= nc < 3 and grid[nr][nc] == "." and (nr, nc) not in seen:
            seen.add((nr, nc))
            q.append((nr, nc, d + 1))
#--- dfs-recursive: depth first with a visited set
def dfs(g, u, seen=None):
    seen = set() if seen is None else seen
    if u in seen:
        return seen
    seen.add(u)
    for v in g.get(u, ()):
        dfs(g, v, seen)
    return seen
print(sorted(dfs({1: [2, 3], 2: [4], 3: [4], 4: [1]}, 1)))
#--- topological-sort: order by graphlib
from graphlib import TopologicalSorter
deps = {"app": {"lib", "log"}, "lib": {"core"}, "log": {"core"}}
print(list(TopologicalSorter(deps).static_order()))
#--- union-find: groups joined
parent = list(range(8))
def root(x):
    while parent[x] != x:
        parent[x] = parent[parent[x]]
        x = parent[x]
    return x
for a, b in [(0, 1), (2, 3), (1, 3), (5, 6)]:
    parent[root(a)] = root(b)
print(len({root(i) for i in range(8)}))
#--- knapsack: the best load
items = [(60, 10), (100, 20), (120, 30)]
cap = 50
best = [0] * (cap + 1)
for value, weight in items:
    for c in range(cap, weight - 1, -1):
        best[c] = max(best[c], best[c - weight] + value)
print(best[cap])
#--- edit-distance: Levenshtein by a table
def dist(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (x != y))
    return row[-1]
print(dist("kitten", "sitting"))
#--- longest-common-subsequence: by a cache
from functools import cache
def lcs(a, b):
    @cache
    def go(i, j):
        if i == len(a) or j == len(b):
            return ""
        if a[i] == b[j]:
            return a[i] + go(i + 1, j + 1)
        return max(go(i + 1, j), go(i, j + 1), key=len)
    return go(0, 0)
print(lcs("AGGTAB", "GXTXAYB"))
#--- n-queens: eight queens by backtracking
def queens(n, row=0, cols=(), d1=(), d2=()):
    if row == n:
        return 1
    return sum(
        queens(n, row + 1, cols + (c,), d1 + (row - c,), d2 + (row + c,))
        for c in range(n)
        if c not in cols and row - c not in d1 and row + c not in d2
    )
print(queens(8))
#--- hanoi: the towers
def hanoi(n, a="A", b="B", c="C"):
    if n == 0:
        return 0
    return hanoi(n - 1, a, c, b) + 1 + hanoi(n - 1, c, b, a)
print(hanoi(10))
#--- ackermann-small: deep but small
def ack(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ack(m - 1, 1)
    return ack(m - 1, ack(m, n - 1))
print(ack(2, 3))
#--- mutual-recursion-base: two functions with a way out
def even(n):
    return True if n == 0 else odd(n - 1)
def odd(n):
    return False if n == 0 else even(n - 1)
print(even(10), odd(7))
#--- collatz: until one is reached
def steps(n):
    k = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        k += 1
    return k
print(max(range(1, 10_000), key=steps))
#--- permutations-small: orders of five
from itertools import permutations
print(sum(1 for p in permutations(range(5)) if p[0] < p[-1]))
#--- combinations-sum: subsets with a sum
from itertools import combinations
nums = [3, 34, 4, 12, 5, 2]
print([c for r in range(1, 4) for c in combinations(nums, r) if sum(c) == 9])
#--- matrix-transpose: rows to columns
m = [[1, 2, 3], [4, 5, 6]]
print([list(r) for r in zip(*m)])
#--- matrix-power: Fibonacci by a matrix
def mul(a, b):
    return [[sum(x * y for x, y in zip(r, c)) for c in zip(*b)] for r in a]
def power(m, n):
    r = [[1, 0], [0, 1]]
    while n:
        if n & 1:
            r = mul(r, m)
        m = mul(m, m)
        n >>= 1
    return r
print(power([[1, 1], [1, 0]], 50)[0][1])
#--- game-of-life: one step
from collections import Counter
live = {(0, 1), (1, 1), (2, 1)}
n = Counter((x + dx, y + dy) for x, y in live for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
print(sorted(c for c, k in n.items() if k == 3 or (k == 2 and c in live)))
#--- roman-numerals: numbers as letters
def roman(n):
    out = ""
    for v, s in [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
                 (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]:
        while n >= v:
            out += s
            n -= v
    return out
print(roman(2024))
#--- base-conversion: a number in another base
def to_base(n, b):
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    out = ""
    while n:
        n, r = divmod(n, b)
        out = digits[r] + out
    return out or "0"
print(to_base(255, 16), int("zz", 36))
#--- trie: words by their beginnings
class Trie:
    def __init__(self):
        self.kids, self.end = {}, False
    def add(self, word):
        node = self
        for ch in word:
            node = node.kids.setdefault(ch, Trie())
        node.end = True
    def __contains__(self, word):
        node = self
        for ch in word:
            if ch not in node.kids:
                return False
            node = node.kids[ch]
        return node.end
t = Trie()
t.add("tea")
print("tea" in t, "te" in t)
#--- linked-list: a list by hand
class Node:
    def __init__(self, value, nxt=None):
        self.value, self.next = value, nxt
def reverse(n):
    prev = None
    while n:
        n.next, prev, n = prev, n, n.next
    return prev
n = reverse(Node(1, Node(2, Node(3))))
while n:
    print(n.value)
    n = n.next
#--- lru-by-ordereddict: a cache with a bound
from collections import OrderedDict
class LRU:
    def __init__(self, size):
        self.size, self.data = size, OrderedDict()
    def get(self, k):
        if k in self.data:
            self.data.move_to_end(k)
            return self.data[k]
    def put(self, k, v):
        self.data[k] = v
        self.data.move_to_end(k)
        if len(self.data) > self.size:
            self.data.popitem(last=False)
c = LRU(2)
for k in "abca":
    c.put(k, k.upper())
print(list(c.data))
#--- flatten-nested: a nested list made flat
def flatten(xs):
    for x in xs:
        if isinstance(x, list):
            yield from flatten(x)
        else:
            yield x
print(list(flatten([1, [2, [3, [4]]], 5])))
#--- luhn-check: a card number's check digit
def luhn(s):
    d = [int(c) for c in s[::-1]]
    return (sum(d[::2]) + sum(sum(divmod(2 * x, 10)) for x in d[1::2])) % 10 == 0
print(luhn("79927398713"))
#--- two-sum: a pair with a sum
def two_sum(xs, t):
    seen = {}
    for i, x in enumerate(xs):
        if t - x in seen:
            return seen[t - x], i
        seen[x] = i
print(two_sum([2, 7, 11, 15], 9))
#--- newton-sqrt: a root by Newton
def sqrt(x, eps=1e-12):
    g = x / 2 or 1.0
    while abs(g * g - x) > eps:
        g = (g + x / g) / 2
    return g
print(sqrt(2))
#--- simpson-rule: an integral
import math
def simpson(f, a, b, n=100):
    h = (b - a) / n
    s = f(a) + f(b) + sum((4 if i % 2 else 2) * f(a + i * h) for i in range(1, n))
    return s * h / 3
print(simpson(math.sin, 0, math.pi))
#--- sudoku-check: rows, columns and boxes
def ok(b):
    units = b + [list(c) for c in zip(*b)]
    units += [[b[r + i][c + j] for i in range(3) for j in range(3)] for r in (0, 3, 6) for c in (0, 3, 6)]
    return all(sorted(u) == list(range(1, 10)) for u in units)
print(ok([[(r * 3 + r // 3 + c) % 9 + 1 for c in range(9)] for r in range(9)]))
