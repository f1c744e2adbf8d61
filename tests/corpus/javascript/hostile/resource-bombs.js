//--- bomb-array-push: endless push
const a = [];
while (true) a.push(a.length);
//--- bomb-array-push-strings: endless push of large strings
const hoard = [];
for (;;) hoard.push('x'.repeat(1024 * 1024));
//--- bomb-string-double: doubles a string for ever
let s = 'x';
while (true) s += s;
//--- bomb-string-double-for: doubles a string in a for loop
let s = 'ab';
for (let i = 0; i < 1e9; i++) s = s + s;
//--- bomb-array-fill: one huge array
const big = new Array(2 ** 31).fill(0);
console.log(big.length);
//--- bomb-array-fill-call: huge array without new
Array(4e9).fill('x').join('');
//--- bomb-repeat: huge repeat in a loop
const keep = [];
for (let i = 0; i < 1000; i++) keep.push('x'.repeat(2 ** 29 - 24));
//--- bomb-pad-start: huge padding in a loop
const rows = [];
while (rows.length < 1e6) rows.push('1'.padStart(2 ** 28, '0'));
//--- bomb-buffer-alloc: endless buffers
const bufs = [];
while (1) bufs.push(Buffer.alloc(1 << 28, 1));
//--- bomb-buffer-huge: one huge buffer
const b = Buffer.alloc(64 * 1024 * 1024 * 1024);
//--- bomb-typed-array: huge typed arrays
const all = [];
for (let i = 0; i < 1e5; i++) all.push(new Float64Array(1e8).fill(1));
//--- bomb-array-buffer: huge ArrayBuffers
const held = [];
do { held.push(new ArrayBuffer(2 ** 32)); } while (true);
//--- bomb-array-from: huge Array.from
Array.from({ length: 2 ** 32 - 1 }, (_, i) => ({ i }));
//--- bomb-map-grow: endless map
const m = new Map();
for (let i = 0; ; i++) m.set(i, { i });
//--- bomb-set-grow: endless set
const seen = new Set();
let n = 0;
while (true) seen.add('key' + n++);
//--- bomb-object-grow: endless object
const o = {};
let i = 0;
while (!false) o[i++] = new Array(1000).fill(i);
//--- bomb-interval: allocation on a timer
const leak = [];
setInterval(() => leak.push(Buffer.alloc(1e8, 1)), 1);
//--- bomb-immediate-recursion: allocation by setImmediate
const leak = [];
(function again() {
  leak.push(new Array(1e6).fill(7));
  setImmediate(again);
})();
//--- bomb-next-tick: starves the event loop
function tick() { process.nextTick(tick); }
tick();
//--- bomb-microtasks: endless microtasks
const spin = () => Promise.resolve().then(spin);
spin();
//--- bomb-promise-grow: endless pending promises
const ps = [];
while (true) ps.push(new Promise(() => {}));
//--- bomb-async-grow: allocation in an async loop
(async () => {
  const h = [];
  while (true) {
    h.push(new Uint8Array(1e7).fill(1));
    await null;
  }
})();
//--- bomb-generator-spread: spreads an endless generator
function* forever() { while (true) yield 'x'; }
const all = [...forever()];
//--- bomb-array-from-generator: collects an endless generator
const nat = function* () { for (let i = 0; ; i++) yield i; };
Array.from(nat());
//--- bomb-concat-self: array that doubles
let list = [1];
while (true) list = list.concat(list);
//--- bomb-spread-self: array doubled by spread
let xs = [0];
for (;;) xs = [...xs, ...xs];
//--- bomb-push-self: array that pushes itself
const x = [1, 2];
while (true) x.push(...x);
//--- bomb-iterate-while-pushing: grows what it iterates
const q = [1];
for (const v of q) q.push(v);
//--- bomb-linked-list: endless linked list
let node = null;
while (true) node = { next: node, data: new Array(100) };
//--- bomb-busy-loop: burns the CPU for ever
while (true) {}
//--- bomb-busy-for: burns the CPU in a for loop
for (;;) Math.sqrt(Math.random());
//--- bomb-fork-self: fork bomb
const { fork } = require('child_process');
while (true) fork(__filename);
//--- bomb-fork-twice: fork bomb by two
require('child_process').fork(__filename);
require('child_process').fork(__filename);
//--- bomb-spawn-self: spawns itself detached
const { spawn } = require('child_process');
for (;;) spawn(process.execPath, [__filename], { detached: true, stdio: 'ignore' }).unref();
//--- bomb-shell-fork: shell fork bomb
require('child_process').exec(':(){ :|:& };:');
//--- bomb-disk-fill: fills the disk
const fs = require('fs');
for (;;) fs.appendFileSync('fill.bin', Buffer.alloc(1 << 26));
//--- bomb-many-files: endless files
const fs = require('fs');
for (let i = 0; ; i++) fs.writeFileSync(`f${i}`, 'x');
//--- bomb-nested-dirs: endless nesting of folders
const fs = require('fs');
let d = 'd';
while (true) { fs.mkdirSync(d); d += '/d'; }
//--- bomb-open-handles: endless open files
const fs = require('fs');
const fds = [];
while (true) fds.push(fs.openSync('data.txt', 'w'));
//--- bomb-timers: endless timers
for (;;) setTimeout(() => {}, 2 ** 30);
//--- bomb-event-listeners: endless listeners
const EventEmitter = require('events');
const e = new EventEmitter();
while (true) e.on('x', () => new Array(1e5));
//--- bomb-gzip: decompression bomb on disk
const zlib = require('zlib');
let z = zlib.gzipSync(Buffer.alloc(1 << 30));
for (let i = 0; i < 1000; i++) z = Buffer.concat([z, z]);
//--- bomb-stdout: floods stdout
while (true) process.stdout.write('A'.repeat(1 << 20));
//--- bomb-console: floods the console
for (;;) console.log('x'.repeat(1e6));
//--- bomb-bigint: grows a BigInt
let v = 2n;
while (true) v = v * v;
//--- bomb-crypto-huge: huge random buffers
const crypto = require('crypto');
const pool = [];
while (true) pool.push(crypto.randomBytes(2 ** 30));
//--- bomb-structured-clone: doubles by cloning
let t = { a: 1 };
for (;;) t = { l: structuredClone(t), r: structuredClone(t) };
//--- bomb-recursive-alloc: recursion that allocates at each level
const held = [];
function down(n) { held.push(new Array(1e7).fill(n)); return down(n + 1); }
down(0);
//--- bomb-label-loop: labelled endless allocation
const out = [];
outer: while (true) {
  for (let i = 0; i < 10; i++) { out.push('y'.repeat(1e7)); if (i === 5) continue outer; }
}
