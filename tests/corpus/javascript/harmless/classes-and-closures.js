//--- cls-counter-closure: counter
const counter = (() => { let n = 0; return () => ++n; })();
counter();
console.log(counter());
//--- cls-stack: stack with private field
class Stack {
  #items = [];
  push(v) { this.#items.push(v); return this; }
  pop() { return this.#items.pop(); }
  get size() { return this.#items.length; }
}
console.log(new Stack().push(1).push(2).pop());
//--- cls-inheritance: shapes
class Shape { area() { return 0; } toString() { return `${this.constructor.name}: ${this.area()}`; } }
class Square extends Shape {
  constructor(s) { super(); this.s = s; }
  area() { return this.s ** 2; }
}
console.log(String(new Square(3)));
//--- cls-static-factory: static factory methods
class Temp {
  constructor(c) { this.c = c; }
  static fromF(f) { return new Temp((f - 32) / 1.8); }
}
console.log(Temp.fromF(212).c);
//--- cls-accessors: getters and setters
class Account {
  #balance = 0;
  get balance() { return this.#balance; }
  set balance(v) { if (v < 0) throw new RangeError('negative'); this.#balance = v; }
}
const a = new Account();
a.balance = 10;
console.log(a.balance);
//--- cls-custom-error: error subclass
class NotFound extends Error {
  constructor(what) { super(`${what} not found`); this.name = 'NotFound'; }
}
try { throw new NotFound('page'); } catch (e) { console.log(e.name, e.message); }
//--- cls-error-cause: chained error
try {
  try { JSON.parse('{'); } catch (cause) { throw new Error('bad config', { cause }); }
} catch (e) { console.log(e.message, e.cause.name); }
//--- cls-mixin: mixin by function
const Timed = (Base) => class extends Base { created = 0; age(now) { return now - this.created; } };
class Doc {}
console.log(new (Timed(Doc))().age(5));
//--- cls-symbol-iterator: iterable class
class Range {
  constructor(a, b) { this.a = a; this.b = b; }
  *[Symbol.iterator]() { for (let i = this.a; i < this.b; i++) yield i; }
}
console.log([...new Range(1, 4)]);
//--- cls-to-primitive: Symbol.toPrimitive
const money = { amount: 5, [Symbol.toPrimitive](hint) { return hint === 'string' ? '$5' : this.amount; } };
console.log(`${money}`, money + 1);
//--- cls-static-block: static block with a table
class Codes {
  static table = new Map();
  static { for (const [i, c] of ['ok', 'warn', 'fail'].entries()) this.table.set(c, i); }
}
console.log(Codes.table.get('fail'));
//--- cls-singleton: singleton
class Settings {
  static #only;
  static get() { return (this.#only ??= new Settings()); }
}
console.log(Settings.get() === Settings.get());
//--- cls-observer: observer pattern
class Subject {
  subs = new Set();
  subscribe(f) { this.subs.add(f); return () => this.subs.delete(f); }
  emit(v) { this.subs.forEach((f) => f(v)); }
}
const s = new Subject();
const off = s.subscribe((v) => console.log('got', v));
s.emit(1);
off();
//--- cls-builder: builder pattern
class Query {
  parts = [];
  select(...c) { this.parts.push(`SELECT ${c.join(', ')}`); return this; }
  from(t) { this.parts.push(`FROM ${t}`); return this; }
  build() { return this.parts.join(' '); }
}
console.log(new Query().select('id', 'name').from('users').build());
//--- cls-state-machine: traffic light
const next = { red: 'green', green: 'yellow', yellow: 'red' };
let state = 'red';
for (let i = 0; i < 4; i++) { console.log(state); state = next[state]; }
//--- cls-linked-list: linked list
class Node { constructor(v, next = null) { this.v = v; this.next = next; } }
let head = null;
for (const v of [3, 2, 1]) head = new Node(v, head);
for (let n = head; n; n = n.next) console.log(n.v);
//--- cls-tree: binary tree walk
class Tree {
  constructor(v) { this.v = v; this.l = this.r = null; }
  add(v) { const k = v < this.v ? 'l' : 'r'; this[k] ? this[k].add(v) : (this[k] = new Tree(v)); return this; }
  *walk() { if (this.l) yield* this.l.walk(); yield this.v; if (this.r) yield* this.r.walk(); }
}
console.log([...new Tree(5).add(3).add(8).add(1).walk()]);
//--- cls-currying: curry
const curry = (f) => function g(...a) { return a.length >= f.length ? f(...a) : (...b) => g(...a, ...b); };
console.log(curry((a, b, c) => a + b + c)(1)(2)(3));
//--- cls-compose: function composition
const pipe = (...fs) => (x) => fs.reduce((v, f) => f(v), x);
console.log(pipe((x) => x + 1, (x) => x * 2)(3));
//--- cls-memoize: memoize
const memo = (f, m = new Map()) => (x) => m.has(x) ? m.get(x) : (m.set(x, f(x)), m.get(x));
console.log(memo((x) => x * x)(12));
//--- cls-debounce: debounce
const debounce = (f, ms) => { let t; return (...a) => { clearTimeout(t); t = setTimeout(() => f(...a), ms); }; };
const say = debounce(console.log, 10);
say('a'); say('b');
//--- cls-throttle: throttle
function throttle(f, ms) {
  let last = 0;
  return (...a) => { const now = Date.now(); if (now - last >= ms) { last = now; return f(...a); } };
}
throttle(console.log, 100)('once');
//--- cls-once: once
const once = (f) => { let done = false, r; return (...a) => done ? r : ((done = true), (r = f(...a))); };
console.log(once(() => 42)());
//--- cls-bind-own: bind on own methods
const obj = { n: 1, get1() { return this.n; } };
const f = obj.get1.bind(obj);
console.log(f(), obj.get1.call({ n: 7 }), Math.max.apply(null, [1, 2, 3]));
//--- cls-method-table: dispatch table
const handlers = { add: (a, b) => a + b, sub: (a, b) => a - b };
for (const op of ['add', 'sub']) console.log(op, handlers[op](5, 3));
//--- cls-computed-methods: computed method names
const verbs = ['open', 'close'];
const door = Object.fromEntries(verbs.map((v) => [v, () => `${v}ed`]));
console.log(door['op' + 'en']());
//--- cls-visitor: visitor over a small tree
const ast = { t: '+', l: { t: 'n', v: 2 }, r: { t: 'n', v: 3 } };
const visit = { '+': (n) => walk(n.l) + walk(n.r), n: (n) => n.v };
const walk = (n) => visit[n.t](n);
console.log(walk(ast));
//--- cls-event-sourcing: state from events
const events = [{ t: 'in', n: 10 }, { t: 'out', n: 3 }];
const apply = (s, e) => (e.t === 'in' ? s + e.n : s - e.n);
console.log(events.reduce(apply, 0));
//--- cls-private-methods: private methods and in checks
class Pin {
  #code = '1234';
  #same(c) { return c === this.#code; }
  check(c) { return this.#same(c); }
  static is(o) { return #code in o; }
}
console.log(new Pin().check('1234'), Pin.is({}));
//--- cls-new-target: new.target
function Point(x) { if (!new.target) return new Point(x); this.x = x; }
console.log(Point(3).x);
//--- cls-super-method: super in an object literal
const base = { hi() { return 'hi'; } };
const derived = Object.setPrototypeOf({ hi() { return super.hi() + '!'; } }, base);
console.log(derived.hi());
//--- cls-instanceof: custom instanceof
class Even { static [Symbol.hasInstance](n) { return n % 2 === 0; } }
console.log(4 instanceof Even, 3 instanceof Even);
//--- cls-arguments: the arguments object
function sum() { return Array.from(arguments).reduce((a, b) => a + b, 0); }
console.log(sum(1, 2, 3));
//--- cls-iife: immediately called function
(function () {
  const secret = 'local';
  console.log(secret.length);
})();
//--- cls-recursion-depth: depth of an object
const depth = (o) => (o && typeof o === 'object' ? 1 + Math.max(0, ...Object.values(o).map(depth)) : 0);
console.log(depth({ a: { b: { c: 1 } } }));
//--- cls-enum: frozen enumeration
const Colour = Object.freeze({ RED: Symbol('red'), BLUE: Symbol('blue') });
console.log(Colour.RED.description);
//--- cls-label-break: labelled break
outer: for (let i = 0; i < 5; i++) {
  for (let j = 0; j < 5; j++) if (i * j === 6) { console.log(i, j); break outer; }
}
