//--- nmn-regex-exec: RegExp exec
const m = /(\d+)/.exec('abc 123');
console.log(m[1]);
//--- nmn-regex-exec-loop: exec in a loop
const re = /(\w)=(\d)/g;
let m;
while ((m = re.exec('a=1 b=2'))) console.log(m[1], m[2]);
//--- nmn-regex-exec-variable: exec on a passed pattern
const first = (pattern, s) => pattern.exec(s)?.[0];
console.log(first(/b+/, 'abbb'));
//--- nmn-parser-eval: an interpreter with a method eval
class Interp {
  eval(n) { return n.op === '+' ? this.eval(n.l) + this.eval(n.r) : n.v; }
}
console.log(new Interp().eval({ op: '+', l: { v: 1 }, r: { v: 2 } }));
//--- nmn-math-evaluate: evaluate functions
const evaluate = (coeffs, x) => coeffs.reduce((s, c) => s * x + c, 0);
const evalPoly = evaluate;
console.log(evalPoly([1, 0, -1], 3));
//--- nmn-store-fetch: store.fetch
const store = { rows: { 7: 'seven' }, fetch(id) { return this.rows[id]; } };
console.log(store.fetch(7));
//--- nmn-local-fetch-function: own function named fetch inside a module
function main() {
  const fetch = (key) => ({ a: 1 }[key]);
  return fetch('a');
}
console.log(main());
//--- nmn-repo-class-fetch: class with fetch, save and kill
class Repo {
  #m = new Map([[1, 'one']]);
  async fetch(id) { return this.#m.get(id); }
  kill(id) { return this.#m.delete(id); }
}
new Repo().fetch(1).then(console.log);
//--- nmn-spawn-enemies: game with spawn and kill
class World {
  units = [];
  spawn(kind) { this.units.push({ kind, hp: 10 }); return this.units.at(-1); }
  kill(u) { u.hp = 0; this.units = this.units.filter((x) => x.hp > 0); }
}
const w = new World();
w.kill(w.spawn('orc'));
console.log(w.units.length);
//--- nmn-fork-repo: fork of a data structure
class Branch {
  constructor(log = []) { this.log = log; }
  fork() { return new Branch([...this.log]); }
}
console.log(new Branch(['a']).fork().log);
//--- nmn-exec-command-pattern: command pattern with exec
class Insert { constructor(t) { this.t = t; } exec(doc) { return doc + this.t; } }
console.log([new Insert('a'), new Insert('b')].reduce((d, c) => c.exec(d), ''));
//--- nmn-query-exec: query builder exec
const query = { cond: [], where(f) { this.cond.push(f); return this; }, exec(rows) { return rows.filter((r) => this.cond.every((c) => c(r))); } };
console.log(query.where((r) => r > 1).exec([1, 2, 3]));
//--- nmn-child-process-count: variables named after modules
const child_process_count = 3;
const net = 100 - 12, http = 'protocol', cluster = ['a', 'b'];
console.log(child_process_count, net, http, cluster.length);
//--- nmn-net-income: net as a number
const gross = 1200, tax = 200;
const net = gross - tax;
console.log({ gross, tax, net });
//--- nmn-vm-view-model: vm as a view model
const vm = { title: 'Hello', items: [1, 2], get count() { return this.items.length; } };
console.log(vm.title, vm.count);
//--- nmn-cluster-kmeans: function named cluster
const cluster = (xs, k) => xs.reduce((g, x) => { (g[x % k] ??= []).push(x); return g; }, {});
console.log(cluster([1, 2, 3, 4], 2));
//--- nmn-worker-object: worker that is a plain object
const Worker = class { constructor(n) { this.n = n; } work() { return `${this.n} works`; } };
console.log(new Worker('Ann').work());
//--- nmn-process-parameter: process as an own function
const process1 = (items) => items.map((i) => i * 2);
const processAll = (...lists) => lists.map(process1);
console.log(processAll([1], [2, 3]));
//--- nmn-process-shadowed: process as a parameter
const label = (process) => `${process.name}:${process.kill ? 'killable' : 'fixed'}`;
console.log(label({ name: 'p', kill: true }));
//--- nmn-scheduler-kill: scheduler of own tasks
const tasks = { 1: 'running', 2: 'waiting' };
const scheduler = { kill(id) { delete tasks[id]; } };
scheduler.kill(1);
console.log(tasks);
//--- nmn-binding-object: binding as an own word
const binding = { key: 'ctrl+s', action: 'save' };
const bindings = new Map([[binding.key, binding.action]]);
console.log(bindings.get('ctrl+s'));
//--- nmn-require-own: own validation function named requireField
const requireField = (o, f) => { if (!(f in o)) throw new Error(`missing ${f}`); return o[f]; };
console.log(requireField({ a: 1 }, 'a'));
//--- nmn-import-function-name: functions named importRows and exportRows
const importRows = (t) => t.split(';');
const exportRows = (r) => r.join(';');
console.log(exportRows(importRows('a;b')));
//--- nmn-function-typeof: typeof and instanceof Function
const f = () => 1;
console.log(typeof f === 'function', f instanceof Function, Function.name);
//--- nmn-constructor-name: constructor.name
console.log([].constructor.name, (5).constructor.name, new Date(0).constructor.name);
//--- nmn-constructor-same: new this.constructor
class Vec {
  constructor(x, y) { this.x = x; this.y = y; }
  add(o) { return new this.constructor(this.x + o.x, this.y + o.y); }
}
console.log(new Vec(1, 2).add(new Vec(3, 4)));
//--- nmn-constructor-compare: constructor compared
const sameType = (a, b) => a.constructor === b.constructor;
console.log(sameType([], [1]), sameType({}, []));
//--- nmn-system-call-name: names such as system, shell and exec in data
const roles = { system: 'You are helpful', shell: false, exec: null };
console.log(Object.keys(roles));
//--- nmn-connect-nodes: graph with connect and listen
const graph = { edges: [], connect(a, b) { this.edges.push([a, b]); return this; } };
console.log(graph.connect('a', 'b').connect('b', 'c').edges);
//--- nmn-listen-emitter: own listen and request methods
const bus = { fns: [], listen(f) { this.fns.push(f); }, request(v) { return this.fns.map((f) => f(v)); } };
bus.listen((v) => v + 1);
console.log(bus.request(1));
//--- nmn-socket-class: class named Socket for a board game
class Socket { constructor(colour) { this.colour = colour; } fits(peg) { return peg === this.colour; } }
console.log(new Socket('red').fits('red'));
//--- nmn-dns-sequence: dns as a variable for DNA strings
const dns = 'ACGTAC';
const counts = [...dns].reduce((m, c) => ({ ...m, [c]: (m[c] || 0) + 1 }), {});
console.log(counts);
//--- nmn-load-method: _load as an own private method
class Lazy {
  _load() { return 'loaded'; }
  get value() { return (this._v ??= this._load()); }
}
console.log(new Lazy().value);
//--- nmn-compile-own: own compile method
class Template {
  compile(t) { return (d) => t.replace(/\$(\w+)/g, (_, k) => d[k]); }
}
console.log(new Template().compile('hi $n')({ n: 'Bo' }));
//--- nmn-run-script-steps: object with run and script
const pipeline = { steps: [(x) => x + 1, (x) => x * 2], run(x) { return this.steps.reduce((v, s) => s(v), x); } };
console.log(pipeline.run(1));
//--- nmn-open-close: open and write on an own buffer
const file = { lines: [], open() { return this; }, write(l) { this.lines.push(l); return this; }, close() { return this.lines.length; } };
console.log(file.open().write('a').write('b').close());
//--- nmn-unlink-nodes: unlink in a list
const unlink = (n) => { n.prev.next = n.next; n.next.prev = n.prev; };
const a = {}, b = {}, c = {};
Object.assign(a, { next: b }); Object.assign(b, { prev: a, next: c }); Object.assign(c, { prev: b });
unlink(b);
console.log(a.next === c);
//--- nmn-rm-own: rm on a set
const tags = { s: new Set(['x', 'y']), rm(t) { this.s.delete(t); } };
tags.rm('x');
console.log([...tags.s]);
//--- nmn-chmod-bits: chmod-like bit arithmetic
const chmod = (mode, bits) => (mode | bits).toString(8);
console.log(chmod(0o644, 0o111));
//--- nmn-setuid-field: setUid as a setter of a record
class User { setUid(u) { this.uid = u; return this; } }
console.log(new User().setUid(0));
//--- nmn-push-loop: while (true) with push and break
const out = [];
while (true) {
  out.push(out.length ** 2);
  if (out.length === 10) break;
}
console.log(out);
//--- nmn-for-ever-push: endless for with push and return
function collect(limit) {
  const r = [];
  for (;;) {
    r.push(r.length);
    if (r.length >= limit) return r;
  }
}
console.log(collect(5));
//--- nmn-while-queue: loop that pushes while it shifts
const queue = [1];
const seen = [];
while (queue.length) {
  const n = queue.shift();
  seen.push(n);
  if (n < 20) queue.push(n * 2, n * 3);
}
console.log(seen.length);
//--- nmn-interval-array: interval that fills a small array
const samples = [];
const t = setInterval(() => {
  samples.push(process.memoryUsage().heapUsed);
  if (samples.length === 3) { clearInterval(t); console.log(samples.length); }
}, 5);
//--- nmn-large-but-fine: a million numbers
const a = new Array(1e6).fill(1);
console.log(a.reduce((x, y) => x + y));
//--- nmn-repeat-moderate: a few kilobytes by repeat
const line = '#'.repeat(2 ** 10);
console.log(line.length, 'ab'.repeat(1000).length);
//--- nmn-infinite-generator: endless generator, used a little
function* ids() { let i = 0; while (true) yield i++; }
const it = ids();
console.log(it.next().value, it.next().value);
//--- nmn-settimeout-template: text in the callback only
const what = 'tea';
setTimeout(() => console.log(`make ${what}`), 1);
//--- nmn-settimeout-variable: callback in a variable
const callback = function () { console.log('called'); };
const delay = 5;
setTimeout(callback, delay);
//--- nmn-computed-own: computed access on an own object
const table = { 'ex-ec': 1, fetch: 2 };
const key = 'fe' + 'tch';
console.log(table[key], table['ex' + '-ec']);
//--- nmn-reflect-own: Reflect on own objects
class P { constructor(n) { this.n = n; } get twice() { return this.n * 2; } }
const p = Reflect.construct(P, [4]);
console.log(Reflect.get(p, 'twice'), Reflect.has(p, 'n'), Reflect.apply(Math.max, null, [1, 2]));
//--- nmn-global-counter: own value on globalThis
globalThis.counter = (globalThis.counter ?? 0) + 1;
console.log(globalThis.counter);
//--- nmn-globalthis-check: feature test on globalThis
console.log(typeof globalThis.structuredClone, 'Intl' in globalThis);
//--- nmn-typeof-fetch: typeof of a forbidden global
console.log(typeof fetch === 'function' ? 'has fetch' : 'no fetch');
//--- nmn-require-resolve-local: require.resolve of a local name
try { console.log(require.resolve('./local').length > 0); } catch { console.log('no local module'); }
//--- nmn-decode-data: base64 and char codes of plain data
const msg = Buffer.from('SGVsbG8sIHdvcmxk', 'base64').toString();
console.log(msg, String.fromCharCode(72, 105), [...'olleh'].reverse().join(''));
//--- nmn-atob-json: base64 JSON of a token body
const body = 'eyJzdWIiOiIxMjMiLCJhZG1pbiI6ZmFsc2V9';
console.log(JSON.parse(atob(body)).sub);
//--- nmn-class-named-function: classes with suspicious names
class FunctionNode { constructor(name, args) { this.name = name; this.args = args; } }
class EvalResult { constructor(v) { this.v = v; } }
console.log(new FunctionNode('max', [1]), new EvalResult(3).v);
//--- nmn-object-keys-named: keys named like modules
const scores = { fs: 3, vm: 4, os: 5, net: 6, dgram: 7, tls: 8 };
console.log(Object.entries(scores).map(([k, v]) => `${k}=${v}`).join(' '));
//--- nmn-method-on-result: exec at the end of a chain
const res = ['2024-01-02', 'x'].map((s) => /^(\d+)-(\d+)/.exec(s)).filter(Boolean);
console.log(res.map((m) => m.slice(1)));
//--- nmn-bound-exec: RegExp exec bound
const match = RegExp('o').exec.bind(/o+/);
console.log(match('foo').index);
//--- nmn-symbol-method: symbol keys named after calls
const exec = Symbol('exec');
const job = { [exec]() { return 'ran'; } };
console.log(job[exec]());
