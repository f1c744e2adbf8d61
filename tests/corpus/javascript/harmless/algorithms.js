//--- alg-fibonacci-memo: memoised Fibonacci
const memo = new Map();
function fib(n) {
  if (n < 2) return n;
  if (!memo.has(n)) memo.set(n, fib(n - 1) + fib(n - 2));
  return memo.get(n);
}
console.log(fib(80));
//--- alg-sieve: sieve of Eratosthenes
function primes(max) {
  const flags = new Array(max + 1).fill(true);
  for (let i = 2; i * i <= max; i++) {
    if (flags[i]) for (let j = i * i; j <= max; j += i) flags[j] = false;
  }
  return flags.map((f, i) => (f && i > 1 ? i : 0)).filter(Boolean);
}
console.log(primes(100).length);
//--- alg-gcd: greatest common divisor
const gcd = (a, b) => (b === 0 ? a : gcd(b, a % b));
console.log(gcd(1071, 462));
//--- alg-binary-search: binary search in a sorted list
function find(list, x) {
  let lo = 0, hi = list.length - 1;
  while (lo <= hi) {
    const mid = (lo + hi) >> 1;
    if (list[mid] === x) return mid;
    if (list[mid] < x) lo = mid + 1; else hi = mid - 1;
  }
  return -1;
}
console.log(find([1, 3, 5, 7, 9], 7));
//--- alg-quicksort: functional quicksort
const qs = ([p, ...rest]) => p === undefined ? [] : [...qs(rest.filter((x) => x < p)), p, ...qs(rest.filter((x) => x >= p))];
console.log(qs([5, 2, 8, 1, 9]));
//--- alg-merge-sort: merge sort
function sort(a) {
  if (a.length < 2) return a;
  const m = a.length >> 1, l = sort(a.slice(0, m)), r = sort(a.slice(m)), out = [];
  while (l.length && r.length) out.push(l[0] <= r[0] ? l.shift() : r.shift());
  return out.concat(l, r);
}
console.log(sort([4, 1, 3, 2]));
//--- alg-heap: binary heap as a priority queue
class Heap {
  #a = [];
  push(v) {
    this.#a.push(v);
    this.#a.sort((x, y) => x - y);
  }
  pop() { return this.#a.shift(); }
}
const h = new Heap();
[5, 1, 4].forEach((v) => h.push(v));
console.log(h.pop());
//--- alg-dijkstra: shortest paths
function dijkstra(g, src) {
  const dist = { [src]: 0 }, todo = new Set(Object.keys(g));
  while (todo.size) {
    let u = null;
    for (const v of todo) if (u === null || (dist[v] ?? Infinity) < (dist[u] ?? Infinity)) u = v;
    todo.delete(u);
    for (const [v, w] of Object.entries(g[u])) dist[v] = Math.min(dist[v] ?? Infinity, dist[u] + w);
  }
  return dist;
}
console.log(dijkstra({ a: { b: 1, c: 4 }, b: { c: 2 }, c: {} }, 'a'));
//--- alg-bfs-grid: breadth-first search in a grid
function steps(grid, [sr, sc], [tr, tc]) {
  const queue = [[sr, sc, 0]], seen = new Set([`${sr},${sc}`]);
  while (queue.length) {
    const [r, c, d] = queue.shift();
    if (r === tr && c === tc) return d;
    for (const [dr, dc] of [[0, 1], [1, 0], [0, -1], [-1, 0]]) {
      const k = `${r + dr},${c + dc}`;
      if (grid[r + dr]?.[c + dc] === 0 && !seen.has(k)) { seen.add(k); queue.push([r + dr, c + dc, d + 1]); }
    }
  }
  return -1;
}
console.log(steps([[0, 0], [1, 0]], [0, 0], [1, 1]));
//--- alg-toposort: topological order
function order(deps) {
  const out = [], state = {};
  const visit = (n) => {
    if (state[n]) return;
    state[n] = 1;
    (deps[n] || []).forEach(visit);
    out.push(n);
  };
  Object.keys(deps).forEach(visit);
  return out;
}
console.log(order({ app: ['lib'], lib: ['core'], core: [] }));
//--- alg-permutations: all permutations
const perms = (a) => a.length < 2 ? [a] : a.flatMap((x, i) => perms([...a.slice(0, i), ...a.slice(i + 1)]).map((p) => [x, ...p]));
console.log(perms([1, 2, 3]).length);
//--- alg-powerset: all subsets
const subsets = [1, 2, 3].reduce((acc, x) => acc.concat(acc.map((s) => [...s, x])), [[]]);
console.log(subsets);
//--- alg-levenshtein: edit distance
function distance(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next[j] = Math.min(next[j - 1] + 1, row[j] + 1, row[j - 1] + (a[i - 1] !== b[j - 1]));
    row = next;
  }
  return row[b.length];
}
console.log(distance('kitten', 'sitting'));
//--- alg-lcs: longest common subsequence
const lcs = (a, b) => !a || !b ? '' : a[0] === b[0] ? a[0] + lcs(a.slice(1), b.slice(1))
  : [lcs(a.slice(1), b), lcs(a, b.slice(1))].sort((x, y) => y.length - x.length)[0];
console.log(lcs('AGGTAB', 'GXTXAYB'));
//--- alg-knapsack: 0/1 knapsack
function knapsack(items, cap) {
  const best = new Array(cap + 1).fill(0);
  for (const { w, v } of items) for (let c = cap; c >= w; c--) best[c] = Math.max(best[c], best[c - w] + v);
  return best[cap];
}
console.log(knapsack([{ w: 1, v: 1 }, { w: 3, v: 4 }, { w: 4, v: 5 }], 7));
//--- alg-coin-change: fewest coins
const coins = [1, 5, 10, 25];
const need = [0];
for (let a = 1; a <= 63; a++) need[a] = 1 + Math.min(...coins.filter((c) => c <= a).map((c) => need[a - c]));
console.log(need[63]);
//--- alg-nqueens: eight queens
function queens(n, row = 0, cols = []) {
  if (row === n) return 1;
  let total = 0;
  for (let c = 0; c < n; c++) {
    if (cols.every((q, r) => q !== c && Math.abs(q - c) !== row - r)) total += queens(n, row + 1, [...cols, c]);
  }
  return total;
}
console.log(queens(8));
//--- alg-game-of-life: one step of Life
const step = (g) => g.map((row, r) => row.map((cell, c) => {
  let n = -cell;
  for (let i = -1; i <= 1; i++) for (let j = -1; j <= 1; j++) n += g[r + i]?.[c + j] ?? 0;
  return n === 3 || (n === 2 && cell) ? 1 : 0;
}));
console.log(step([[0, 1, 0], [0, 1, 0], [0, 1, 0]]));
//--- alg-matrix-multiply: matrix product
const mul = (a, b) => a.map((r) => b[0].map((_, j) => r.reduce((s, v, k) => s + v * b[k][j], 0)));
console.log(mul([[1, 2], [3, 4]], [[5, 6], [7, 8]]));
//--- alg-transpose: matrix transposed
const t = (m) => m[0].map((_, i) => m.map((r) => r[i]));
console.log(t([[1, 2, 3], [4, 5, 6]]));
//--- alg-collatz: Collatz length with a while loop
let n = 27, len = 1;
while (n !== 1) {
  n = n % 2 ? 3 * n + 1 : n / 2;
  len++;
}
console.log(len);
//--- alg-hanoi: towers of Hanoi
function hanoi(n, a, b, c) {
  return n === 0 ? [] : [...hanoi(n - 1, a, c, b), `${a}->${c}`, ...hanoi(n - 1, b, a, c)];
}
console.log(hanoi(4, 'A', 'B', 'C').length);
//--- alg-newton: square root by Newton with while (true) and break
let x = 2;
while (true) {
  const next = (x + 2 / x) / 2;
  if (Math.abs(next - x) < 1e-12) break;
  x = next;
}
console.log(x);
//--- alg-monte-carlo: estimate of pi
let inside = 0;
const N = 100000;
for (let i = 0; i < N; i++) if (Math.hypot(Math.random(), Math.random()) < 1) inside++;
console.log((4 * inside) / N);
//--- alg-bigint-factorial: factorial with BigInt
let f = 1n;
for (let i = 2n; i <= 50n; i++) f *= i;
console.log(f.toString());
//--- alg-modpow: modular power
function modpow(b, e, m) {
  let r = 1n;
  for (b %= m; e > 0n; e >>= 1n, b = (b * b) % m) if (e & 1n) r = (r * b) % m;
  return r;
}
console.log(modpow(3n, 200n, 13n));
//--- alg-roman: Roman numerals
const table = [[1000, 'M'], [900, 'CM'], [500, 'D'], [400, 'CD'], [100, 'C'], [90, 'XC'], [50, 'L'], [40, 'XL'], [10, 'X'], [9, 'IX'], [5, 'V'], [4, 'IV'], [1, 'I']];
const roman = (n) => table.reduce((s, [v, r]) => { while (n >= v) { s += r; n -= v; } return s; }, '');
console.log(roman(2024));
//--- alg-caesar: Caesar cipher
const shift = (s, k) => s.replace(/[a-z]/g, (c) => String.fromCharCode(((c.charCodeAt(0) - 97 + k + 26) % 26) + 97));
console.log(shift('hello', 3), shift('khoor', -3));
//--- alg-rle: run-length encoding
const rle = (s) => s.replace(/(.)\1*/g, (m, c) => c + m.length);
console.log(rle('aaabbc'));
//--- alg-luhn: Luhn check
const luhn = (n) => [...n].reverse().reduce((s, d, i) => s + (i % 2 ? [0, 2, 4, 6, 8, 1, 3, 5, 7, 9][d] : +d), 0) % 10 === 0;
console.log(luhn('79927398713'));
//--- alg-palindrome: palindrome test by reverse
const isPal = (s) => { const t = s.toLowerCase().replace(/[^a-z]/g, ''); return t === [...t].reverse().join(''); };
console.log(isPal('A man, a plan, a canal: Panama'));
//--- alg-anagrams: words grouped by letters
const groups = {};
for (const w of ['eat', 'tea', 'tan', 'ate', 'nat']) (groups[[...w].sort().join('')] ??= []).push(w);
console.log(groups);
//--- alg-balanced: balanced brackets
function balanced(s) {
  const pairs = { ')': '(', ']': '[', '}': '{' }, st = [];
  for (const c of s) {
    if ('([{'.includes(c)) st.push(c);
    else if (c in pairs && st.pop() !== pairs[c]) return false;
  }
  return st.length === 0;
}
console.log(balanced('{[()]}'), balanced('{[(])}'));
//--- alg-rpn: reverse Polish notation
const ops = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b };
const st = [];
for (const tok of '3 4 + 2 *'.split(' ')) {
  if (ops[tok]) { const b = st.pop(), a = st.pop(); st.push(ops[tok](a, b)); } else st.push(Number(tok));
}
console.log(st[0]);
//--- alg-tokenizer: small tokenizer
const tokens = [];
const re = /\s*(\d+|[-+*/()])/g;
let m;
while ((m = re.exec('12 + 3 * (4 - 1)')) !== null) tokens.push(m[1]);
console.log(tokens);
//--- alg-recursive-descent: expression parser without dynamic code
function parse(src) {
  let i = 0;
  const num = () => { let s = ''; while (/\d/.test(src[i] ?? '')) s += src[i++]; return Number(s); };
  const factor = () => { if (src[i] === '(') { i++; const v = expr(); i++; return v; } return num(); };
  const term = () => { let v = factor(); while (src[i] === '*') { i++; v *= factor(); } return v; };
  const expr = () => { let v = term(); while (src[i] === '+') { i++; v += term(); } return v; };
  return expr();
}
console.log(parse('2*(3+4)+1'));
//--- alg-union-find: disjoint sets
const parent = [0, 1, 2, 3, 4];
const root = (i) => (parent[i] === i ? i : (parent[i] = root(parent[i])));
const join = (a, b) => { parent[root(a)] = root(b); };
join(0, 1); join(3, 4);
console.log(root(0) === root(1), root(1) === root(3));
//--- alg-trie: prefix tree
const trie = {};
for (const w of ['car', 'card', 'cat']) {
  let n = trie;
  for (const c of w) n = n[c] ??= {};
  n.end = true;
}
console.log(JSON.stringify(trie));
//--- alg-lru: least recently used cache
class LRU extends Map {
  constructor(max) { super(); this.max = max; }
  set(k, v) {
    super.delete(k);
    super.set(k, v);
    if (this.size > this.max) this.delete(this.keys().next().value);
    return this;
  }
}
const c = new LRU(2).set('a', 1).set('b', 2).set('c', 3);
console.log([...c.keys()]);
//--- alg-kmeans: one-dimensional k-means
let centres = [1, 10];
const data = [1, 2, 3, 9, 10, 11];
for (let it = 0; it < 5; it++) {
  const g = centres.map(() => []);
  for (const d of data) g[centres.map((c) => Math.abs(c - d)).reduce((b, v, i, a) => (v < a[b] ? i : b), 0)].push(d);
  centres = g.map((x) => x.reduce((a, b) => a + b, 0) / x.length);
}
console.log(centres);
//--- alg-linear-regression: least squares
const pts = [[1, 2], [2, 4.1], [3, 6.2]];
const mean = (a) => a.reduce((s, v) => s + v, 0) / a.length;
const mx = mean(pts.map((p) => p[0])), my = mean(pts.map((p) => p[1]));
const slope = pts.reduce((s, [x, y]) => s + (x - mx) * (y - my), 0) / pts.reduce((s, [x]) => s + (x - mx) ** 2, 0);
console.log(slope.toFixed(2), (my - slope * mx).toFixed(2));
//--- alg-random-walk: seeded random walk
let seed = 42;
const rand = () => (seed = (seed * 1664525 + 1013904223) % 4294967296) / 4294967296;
let pos = 0;
for (let i = 0; i < 1000; i++) pos += rand() < 0.5 ? -1 : 1;
console.log(pos);
//--- alg-shuffle: Fisher-Yates shuffle
function shuffle(a) {
  for (let i = a.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [a[i], a[j]] = [a[j], a[i]];
  }
  return a;
}
console.log(shuffle([1, 2, 3, 4, 5]).length);
//--- alg-for-ever-return: endless for with a return
function firstSquareAbove(limit) {
  for (let i = 1; ; i++) {
    if (i * i > limit) return i * i;
  }
}
console.log(firstSquareAbove(1000));
