//--- agt-summarise-csv: sums a column of a CSV file
const fs = require('fs');
const text = fs.existsSync('sales.csv') ? fs.readFileSync('sales.csv', 'utf8') : 'region,amount\nN,10\nS,20\nN,5';
const [header, ...lines] = text.trim().split('\n');
const cols = header.split(',');
const rows = lines.map((l) => Object.fromEntries(l.split(',').map((v, i) => [cols[i], v])));
const totals = {};
for (const r of rows) totals[r.region] = (totals[r.region] ?? 0) + Number(r.amount);
for (const [k, v] of Object.entries(totals).sort((a, b) => b[1] - a[1])) console.log(k.padEnd(8), v.toFixed(2));
//--- agt-log-analysis: slowest requests of a log
const log = `GET /a 120ms
GET /b 340ms
POST /a 80ms
GET /a 200ms`;
const stats = new Map();
for (const line of log.split('\n')) {
  const m = /^(\w+) (\S+) (\d+)ms$/.exec(line);
  if (!m) continue;
  const [, , url, ms] = m;
  const s = stats.get(url) ?? { n: 0, sum: 0, max: 0 };
  stats.set(url, { n: s.n + 1, sum: s.sum + +ms, max: Math.max(s.max, +ms) });
}
for (const [u, s] of stats) console.log(u, s.n, (s.sum / s.n).toFixed(1), s.max);
//--- agt-todo-list: finds TODO comments in ./src
const fs = require('fs');
const path = require('path');
const todos = [];
(function walk(d) {
  if (!fs.existsSync(d)) return;
  for (const e of fs.readdirSync(d, { withFileTypes: true })) {
    const p = path.join(d, e.name);
    if (e.isDirectory()) walk(p);
    else fs.readFileSync(p, 'utf8').split('\n').forEach((l, i) => l.includes('TODO') && todos.push(`${p}:${i + 1}`));
  }
})('src');
console.log(todos.join('\n') || 'no todos');
//--- agt-rename-keys: renames keys of a JSON file
const fs = require('fs');
const camel = (s) => s.replace(/_([a-z])/g, (_, c) => c.toUpperCase());
const convert = (v) => Array.isArray(v) ? v.map(convert)
  : v && typeof v === 'object' ? Object.fromEntries(Object.entries(v).map(([k, x]) => [camel(k), convert(x)])) : v;
const input = fs.existsSync('in.json') ? JSON.parse(fs.readFileSync('in.json', 'utf8')) : { first_name: 'A', tags: [{ tag_id: 1 }] };
fs.writeFileSync('out.json', JSON.stringify(convert(input), null, 2));
//--- agt-markdown-toc: table of contents
const md = '# Guide\n## Install\n## Use\n### Options\n';
const toc = md.split('\n').flatMap((l) => {
  const m = /^(#+)\s+(.*)/.exec(l);
  return m ? [`${'  '.repeat(m[1].length - 1)}- [${m[2]}](#${m[2].toLowerCase().replace(/\s+/g, '-')})`] : [];
});
console.log(toc.join('\n'));
//--- agt-validate-schema: small schema validator
const schema = { name: 'string', age: 'number', tags: 'array' };
function validate(o) {
  return Object.entries(schema).flatMap(([k, t]) => {
    const actual = Array.isArray(o[k]) ? 'array' : typeof o[k];
    return actual === t ? [] : [`${k}: wanted ${t}, got ${actual}`];
  });
}
console.log(validate({ name: 'Ann', age: '31', tags: [] }));
//--- agt-compare-json: differences of two objects
function diff(a, b, path = '') {
  const keys = new Set([...Object.keys(a ?? {}), ...Object.keys(b ?? {})]);
  return [...keys].flatMap((k) => {
    const p = path ? `${path}.${k}` : k;
    if (typeof a?.[k] === 'object' && typeof b?.[k] === 'object') return diff(a[k], b[k], p);
    return a?.[k] === b?.[k] ? [] : [`${p}: ${a?.[k]} -> ${b?.[k]}`];
  });
}
console.log(diff({ a: 1, b: { c: 2 } }, { a: 1, b: { c: 3 }, d: 4 }));
//--- agt-password-check: strength of passwords
function strength(p) {
  const checks = [/[a-z]/, /[A-Z]/, /\d/, /[^\w]/, /.{12,}/];
  return checks.filter((c) => c.test(p)).length;
}
for (const p of ['password', 'Tr0ub4dor&3', 'correct horse battery']) console.log(p, strength(p));
//--- agt-schedule: next dates of a weekly meeting
const start = new Date(Date.UTC(2024, 0, 1));
const dates = Array.from({ length: 5 }, (_, i) => new Date(start.getTime() + i * 7 * 864e5).toISOString().slice(0, 10));
console.log(dates.join('\n'));
//--- agt-loan: loan repayment table
const principal = 10000, rate = 0.05 / 12, months = 12;
const pay = (principal * rate) / (1 - (1 + rate) ** -months);
let left = principal;
for (let m = 1; m <= months; m++) {
  const interest = left * rate;
  left -= pay - interest;
  console.log(String(m).padStart(2), pay.toFixed(2), interest.toFixed(2), Math.max(0, left).toFixed(2));
}
//--- agt-sudoku: Sudoku solver on a small board
function ok(b, r, c, v) {
  for (let i = 0; i < 4; i++) {
    if (b[r][i] === v || b[i][c] === v) return false;
    if (b[(r & 2) + (i >> 1)][(c & 2) + (i & 1)] === v) return false;
  }
  return true;
}
function solve(b) {
  for (let r = 0; r < 4; r++) for (let c = 0; c < 4; c++) if (!b[r][c]) {
    for (let v = 1; v <= 4; v++) if (ok(b, r, c, v)) { b[r][c] = v; if (solve(b)) return true; b[r][c] = 0; }
    return false;
  }
  return true;
}
const board = [[1, 0, 0, 0], [0, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 2]];
console.log(solve(board), board.map((r) => r.join(' ')).join('\n'));
//--- agt-calculator: calculator with a parser, not eval
const prec = { '+': 1, '-': 1, '*': 2, '/': 2 };
const fn = { '+': (a, b) => a + b, '-': (a, b) => a - b, '*': (a, b) => a * b, '/': (a, b) => a / b };
function calc(s) {
  const out = [], ops = [];
  const apply = () => { const b = out.pop(), a = out.pop(); out.push(fn[ops.pop()](a, b)); };
  for (const t of s.match(/\d+(\.\d+)?|[-+*/()]/g)) {
    if (/\d/.test(t)) out.push(Number(t));
    else if (t === '(') ops.push(t);
    else if (t === ')') { while (ops.at(-1) !== '(') apply(); ops.pop(); }
    else { while (ops.length && prec[ops.at(-1)] >= prec[t]) apply(); ops.push(t); }
  }
  while (ops.length) apply();
  return out[0];
}
console.log(calc('2 + 3 * (4 - 1)'));
//--- agt-lisp: Lisp interpreter with a function evaluate
const read = (s) => JSON.parse('[' + s.replace(/\(/g, '[').replace(/\)/g, ']').replace(/[^\s[\]]+/g, (t) => isNaN(t) ? JSON.stringify(t) : t).replace(/(["\d\]])\s+(?=["\d[])/g, '$1,') + ']')[0];
const env = { '+': (a, b) => a + b, '*': (a, b) => a * b };
const evaluate = (x) => Array.isArray(x) ? env[x[0]](...x.slice(1).map(evaluate)) : x;
console.log(evaluate(read('(+ 1 (* 2 3))')));
//--- agt-brainfuck: interpreter with a bounded number of steps
function run(code, max = 10000) {
  const tape = new Uint8Array(100);
  let out = '', p = 0, steps = 0;
  for (let i = 0; i < code.length && steps++ < max; i++) {
    const c = code[i];
    if (c === '>') p++; else if (c === '<') p--; else if (c === '+') tape[p]++; else if (c === '-') tape[p]--;
    else if (c === '.') out += String.fromCharCode(tape[p]);
    else if (c === '[' && !tape[p]) for (let d = 1; d; ) { i++; if (code[i] === '[') d++; if (code[i] === ']') d--; }
    else if (c === ']' && tape[p]) for (let d = 1; d; ) { i--; if (code[i] === ']') d++; if (code[i] === '[') d--; }
  }
  return out;
}
console.log(run('++++++++[>++++++++<-]>+.'));
//--- agt-text-adventure: tiny game with kill and spawn as commands
const state = { room: 'hall', bag: [] };
const commands = {
  go: (r) => { state.room = r; },
  take: (t) => { state.bag.push(t); },
  kill: (m) => console.log(`the ${m} is gone`),
  spawn: (m) => console.log(`a ${m} appears`),
};
for (const line of ['go cave', 'spawn bat', 'kill bat', 'take lamp']) {
  const [verb, noun] = line.split(' ');
  commands[verb](noun);
}
console.log(state);
//--- agt-process-table: simulates an operating system's scheduler
class Kernel {
  #next = 1;
  table = new Map();
  fork(prog) { this.table.set(this.#next, { prog, left: prog.length }); return this.#next++; }
  kill(pid) { return this.table.delete(pid); }
  run() { for (const [pid, p] of this.table) if (--p.left <= 0) this.kill(pid); return this.table.size; }
}
const k = new Kernel();
k.fork('ab');
k.fork('abc');
while (k.run() > 0);
console.log('all done');
//--- agt-http-router: a router without a server
const routes = [];
const router = {
  get(p, h) { routes.push(['GET', new RegExp('^' + p.replace(/:(\w+)/g, '(?<$1>[^/]+)') + '$'), h]); },
  handle(m, url) { for (const [rm, re, h] of routes) { const x = re.exec(url); if (rm === m && x) return h(x.groups); } return 404; },
};
router.get('/users/:id', ({ id }) => `user ${id}`);
console.log(router.handle('GET', '/users/7'), router.handle('GET', '/x'));
//--- agt-fake-server: request handler tested with plain objects
function handler(req, res) {
  res.statusCode = req.url === '/health' ? 200 : 404;
  res.end(res.statusCode === 200 ? 'ok' : 'missing');
}
const res = { end(b) { this.body = b; } };
handler({ url: '/health' }, res);
console.log(res.statusCode, res.body);
//--- agt-fake-fetch: code tested with an injected fetch
async function title(id, { fetch }) {
  const r = await fetch(`/posts/${id}`);
  return (await r.json()).title.toUpperCase();
}
const stub = { fetch: async (u) => ({ json: async () => ({ title: `post ${u}` }) }) };
title(3, stub).then(console.log);
//--- agt-dependency-graph: order of packages
const deps = { app: ['http-lib', 'net-tools'], 'http-lib': ['core'], 'net-tools': ['core'], core: [] };
const done = new Set();
const visit = (n) => { deps[n].forEach((d) => done.has(d) || visit(d)); done.add(n); };
visit('app');
console.log([...done].join(' < '));
//--- agt-benchmark: compares two ways to sum
const data = Array.from({ length: 100000 }, (_, i) => i);
const time = (name, f) => { const t = process.hrtime.bigint(); const v = f(); console.log(name, v, Number(process.hrtime.bigint() - t) / 1e6); };
time('reduce', () => data.reduce((a, b) => a + b, 0));
time('loop', () => { let s = 0; for (const v of data) s += v; return s; });
//--- agt-checksum-manifest: manifest with hashes of the workspace's files
const fs = require('fs');
const { createHash } = require('crypto');
const sum = (f) => createHash('sha256').update(fs.readFileSync(f)).digest('hex');
const manifest = fs.readdirSync('.').filter((f) => fs.statSync(f).isFile()).map((f) => `${sum(f)}  ${f}`);
fs.writeFileSync('MANIFEST', manifest.join('\n') + '\n');
//--- agt-ini-parser: INI files
const ini = '[db]\nhost = local\nport=5432\n; comment\n[app]\nname=x';
const conf = {};
let sec = conf;
for (const l of ini.split('\n')) {
  const s = /^\[(.+)\]$/.exec(l), kv = /^([^;=]+)=(.*)$/.exec(l);
  if (s) sec = conf[s[1]] = {};
  else if (kv) sec[kv[1].trim()] = kv[2].trim();
}
console.log(conf);
//--- agt-inventory: inventory with events and a file
const { EventEmitter } = require('events');
const fs = require('fs');
class Inventory extends EventEmitter {
  items = new Map();
  add(name, n = 1) { this.items.set(name, (this.items.get(name) ?? 0) + n); this.emit('change', name); }
  save(file = 'inventory.json') { fs.writeFileSync(file, JSON.stringify([...this.items])); }
}
const inv = new Inventory();
inv.on('change', (n) => console.log('changed', n));
inv.add('bolt', 5);
inv.save();
