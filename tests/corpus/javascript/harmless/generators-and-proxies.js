//--- gen-take: take from a lazy sequence
function* naturals() { for (let i = 1; ; i++) yield i; }
function* take(it, n) { for (const v of it) { if (n-- <= 0) return; yield v; } }
console.log([...take(naturals(), 5)]);
//--- gen-map-filter: lazy map and filter
const map = function* (it, f) { for (const v of it) yield f(v); };
const filter = function* (it, f) { for (const v of it) if (f(v)) yield v; };
console.log([...map(filter([1, 2, 3, 4], (x) => x % 2 === 0), (x) => x * 10)]);
//--- gen-fibonacci: Fibonacci generator with break
function* fib() { let [a, b] = [0, 1]; while (true) { yield a; [a, b] = [b, a + b]; } }
for (const f of fib()) { if (f > 100) break; console.log(f); }
//--- gen-two-way: values sent into a generator
function* average() {
  let sum = 0, n = 0;
  while (true) { const v = yield n ? sum / n : 0; sum += v; n++; }
}
const g = average();
g.next();
g.next(10);
console.log(g.next(20).value);
//--- gen-delegate: yield*
function* inner() { yield 2; yield 3; }
function* outer() { yield 1; yield* inner(); yield 4; }
console.log([...outer()]);
//--- gen-return-throw: return and throw
function* g() { try { yield 1; yield 2; } finally { console.log('cleanup'); } }
const it = g();
it.next();
console.log(it.return(9));
//--- gen-tree-walk: recursive walk of an object
function* walk(o, path = []) {
  for (const [k, v] of Object.entries(o)) {
    if (v && typeof v === 'object') yield* walk(v, [...path, k]);
    else yield [[...path, k].join('.'), v];
  }
}
console.log(Object.fromEntries(walk({ a: { b: 1 }, c: 2 })));
//--- gen-batches: batches of an iterable
function* batches(it, n) {
  let b = [];
  for (const v of it) { b.push(v); if (b.length === n) { yield b; b = []; } }
  if (b.length) yield b;
}
console.log([...batches([1, 2, 3, 4, 5], 2)]);
//--- gen-scheduler: round-robin coroutines
function* task(name, n) { for (let i = 0; i < n; i++) { console.log(name, i); yield; } }
const tasks = [task('a', 2), task('b', 3)];
while (tasks.length) {
  const t = tasks.shift();
  if (!t.next().done) tasks.push(t);
}
//--- gen-manual-iterator: iterator by hand
const countdown = (n) => ({ [Symbol.iterator]() { return this; }, next: () => (n > 0 ? { value: n--, done: false } : { value: undefined, done: true }) });
console.log([...countdown(3)]);
//--- gen-zip: zip of iterables
function* zip(...its) {
  const src = its.map((i) => i[Symbol.iterator]());
  while (true) {
    const r = src.map((s) => s.next());
    if (r.some((x) => x.done)) return;
    yield r.map((x) => x.value);
  }
}
console.log([...zip('ab', [1, 2, 3])]);
//--- gen-permute: permutations by generator
function* permute(a, n = a.length) {
  if (n <= 1) yield a.slice();
  else for (let i = 0; i < n; i++) {
    yield* permute(a, n - 1);
    const j = n % 2 ? 0 : i;
    [a[n - 1], a[j]] = [a[j], a[n - 1]];
  }
}
console.log([...permute([1, 2, 3])].length);
//--- gen-cycle-limited: cycles through values with a limit
function* cycle(xs) { while (true) yield* xs; }
const c = cycle(['r', 'g', 'b']);
console.log(Array.from({ length: 5 }, () => c.next().value));
//--- gen-async-merge: merges asynchronous sources
async function* from(xs) { for (const x of xs) yield x; }
(async () => {
  const out = [];
  for (const s of [from([1]), from([2, 3])]) for await (const v of s) out.push(v);
  console.log(out);
})();
//--- prx-default-values: proxy with defaults
const withDefault = (o, d) => new Proxy(o, { get: (t, k) => (k in t ? t[k] : d) });
console.log(withDefault({ a: 1 }, 0).b);
//--- prx-logging: proxy that logs
const logged = new Proxy({ x: 1 }, { get(t, k, r) { console.log('get', String(k)); return Reflect.get(t, k, r); } });
console.log(logged.x);
//--- prx-validation: proxy that validates
const person = new Proxy({}, { set(t, k, v) { if (k === 'age' && !Number.isInteger(v)) throw new TypeError('age'); t[k] = v; return true; } });
person.age = 30;
console.log(person.age);
//--- prx-negative-index: negative indexes
const neg = (a) => new Proxy(a, { get: (t, k, r) => Reflect.get(t, typeof k === 'string' && /^-\d+$/.test(k) ? t.length + +k : k, r) });
console.log(neg([1, 2, 3])[-1]);
//--- prx-readonly: read-only view
const ro = new Proxy({ a: 1 }, { set: () => false, deleteProperty: () => false });
try { 'use strict'; ro.a = 2; } catch {}
console.log(ro.a);
//--- prx-call-count: proxy of a function
let n = 0;
const f = new Proxy((x) => x + 1, { apply(t, self, args) { n++; return t(...args); } });
console.log(f(1), f(2), n);
//--- prx-construct: proxy of a class
class P { constructor(x) { this.x = x; } }
const Q = new Proxy(P, { construct: (T, a) => new T(a[0] * 2) });
console.log(new Q(4).x);
//--- prx-revocable: revocable proxy
const { proxy, revoke } = Proxy.revocable({ a: 1 }, {});
console.log(proxy.a);
revoke();
//--- prx-has-range: in operator for ranges
const range = (a, b) => new Proxy({}, { has: (_, k) => +k >= a && +k <= b });
console.log(5 in range(1, 10), 11 in range(1, 10));
//--- prx-observable: change notification
const observe = (o, cb) => new Proxy(o, { set(t, k, v) { cb(k, t[k], v); return Reflect.set(t, k, v); } });
const s = observe({ n: 1 }, (k, a, b) => console.log(k, a, '->', b));
s.n = 2;
//--- prx-path-builder: fluent paths
const build = (parts = []) => new Proxy(() => '/' + parts.join('/'), { get: (_, k) => build([...parts, k]) });
console.log(build().users.list());
//--- sym-well-known: well-known symbols
class Box { get [Symbol.toStringTag]() { return 'Box'; } }
console.log(String(new Box()));
//--- sym-registry: symbol registry
console.log(Symbol.for('a') === Symbol.for('a'), Symbol.keyFor(Symbol.for('a')));
//--- big-int-ops: BigInt operations
console.log(2n ** 64n, BigInt.asUintN(8, 257n), BigInt('123') % 10n);
