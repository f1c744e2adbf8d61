//--- asy-sleep: sleep by promise
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));
(async () => { await sleep(10); console.log('done'); })();
//--- asy-promise-all: several at once
const job = (n) => new Promise((r) => setTimeout(() => r(n * n), 5));
Promise.all([1, 2, 3].map(job)).then(console.log);
//--- asy-all-settled: results with failures
Promise.allSettled([Promise.resolve(1), Promise.reject(new Error('no'))]).then((rs) => console.log(rs.map((r) => r.status)));
//--- asy-race-timeout: race with a timeout
const timeout = (ms) => new Promise((_, no) => setTimeout(() => no(new Error('timeout')), ms));
Promise.race([new Promise((r) => setTimeout(r, 5, 'ok')), timeout(50)]).then(console.log).catch(console.error);
//--- asy-retry: retries with back-off
async function retry(f, n) {
  for (let i = 0; ; i++) {
    try { return await f(); } catch (e) {
      if (i >= n) throw e;
      await new Promise((r) => setTimeout(r, 2 ** i));
    }
  }
}
let left = 2;
retry(async () => { if (left--) throw new Error('x'); return 'ok'; }, 5).then(console.log);
//--- asy-queue: limited concurrency
async function pool(items, n, f) {
  const it = items.entries(), out = [];
  await Promise.all(Array.from({ length: n }, async () => { for (const [i, v] of it) out[i] = await f(v); }));
  return out;
}
pool([1, 2, 3, 4], 2, async (x) => x * 2).then(console.log);
//--- asy-async-iterator: asynchronous generator
async function* ticks(n) {
  for (let i = 0; i < n; i++) { await null; yield i; }
}
(async () => { for await (const t of ticks(3)) console.log(t); })();
//--- asy-event-once: events.once
const { once, EventEmitter } = require('events');
const e = new EventEmitter();
setTimeout(() => e.emit('ready', 42), 1);
once(e, 'ready').then(([v]) => console.log(v));
//--- asy-abort-controller: AbortController with a timer
const ac = new AbortController();
const { setTimeout: wait } = require('timers/promises');
wait(1000, null, { signal: ac.signal }).catch((e) => console.log(e.name));
ac.abort();
//--- asy-timers-promises: timers/promises
const { setTimeout: sleep } = require('node:timers/promises');
sleep(5, 'value').then(console.log);
//--- asy-interval-stop: interval that stops itself
let n = 0;
const t = setInterval(() => { console.log(++n); if (n === 3) clearInterval(t); }, 5);
//--- asy-set-immediate: order of callbacks
setImmediate(() => console.log('immediate'));
process.nextTick(() => console.log('tick'));
queueMicrotask(() => console.log('micro'));
//--- asy-timeout-args: setTimeout with arguments
setTimeout(console.log, 5, 'a', 'b');
//--- asy-timeout-named: setTimeout with a named function
function hello() { console.log('hello'); }
setTimeout(hello, 1);
//--- asy-promisify-own: promisify of an own callback function
const { promisify } = require('util');
const slow = (x, cb) => setTimeout(() => cb(null, x + 1), 1);
promisify(slow)(1).then(console.log);
//--- asy-callbackify: callbackify
const { callbackify } = require('util');
callbackify(async (x) => x * 2)(21, (err, v) => console.log(v));
//--- asy-finally: finally
Promise.reject(new Error('x')).catch((e) => e.message).then(console.log).finally(() => console.log('end'));
//--- asy-sequential-reduce: promises in sequence
[1, 2, 3].reduce((p, n) => p.then(() => console.log(n)), Promise.resolve());
//--- asy-mutex: mutual exclusion
class Mutex {
  #tail = Promise.resolve();
  run(f) { const r = this.#tail.then(f); this.#tail = r.catch(() => {}); return r; }
}
const m = new Mutex();
m.run(async () => console.log(1));
m.run(async () => console.log(2));
//--- asy-deferred: deferred promise
function deferred() {
  let resolve, reject;
  const promise = new Promise((a, b) => { resolve = a; reject = b; });
  return { promise, resolve, reject };
}
const d = deferred();
d.promise.then(console.log);
d.resolve('now');
//--- asy-channel: channel between two coroutines
class Channel {
  items = []; waiters = [];
  send(v) { const w = this.waiters.shift(); w ? w(v) : this.items.push(v); }
  recv() { return this.items.length ? Promise.resolve(this.items.shift()) : new Promise((r) => this.waiters.push(r)); }
}
const c = new Channel();
c.recv().then(console.log);
c.send('hi');
//--- asy-worker-loop: loop with while true and break
async function consume(queue) {
  while (true) {
    const item = queue.shift();
    if (item === undefined) break;
    await Promise.resolve(item).then(console.log);
  }
}
consume([1, 2, 3]);
//--- asy-any: first success
Promise.any([Promise.reject(1), Promise.resolve(2)]).then(console.log);
//--- asy-thenable: own thenable
const lazy = { then(ok) { ok('lazy value'); } };
(async () => console.log(await lazy))();
//--- asy-local-storage: AsyncLocalStorage
const { AsyncLocalStorage } = require('async_hooks');
const als = new AsyncLocalStorage();
als.run({ id: 7 }, () => setTimeout(() => console.log(als.getStore().id), 1));
//--- str-readable-from: Readable.from an array
const { Readable } = require('stream');
Readable.from(['a', 'b', 'c']).on('data', (d) => console.log(d));
//--- str-transform: upper-case transform
const { Transform, Readable } = require('stream');
const up = new Transform({ transform(c, _, cb) { cb(null, String(c).toUpperCase()); } });
Readable.from(['x', 'y']).pipe(up).pipe(process.stdout);
//--- str-pipeline: pipeline in memory
const { pipeline, Readable, Writable } = require('stream');
const parts = [];
pipeline(Readable.from(['1', '2']), new Writable({ write(c, _, cb) { parts.push(String(c)); cb(); } }), (e) => console.log(e ?? parts));
//--- str-pipeline-promises: stream/promises with a generator
const { pipeline } = require('stream/promises');
pipeline(['b', 'a'], async function* (src) { for await (const s of src) yield s + '\n'; }, process.stdout).catch(console.error);
//--- str-pass-through: PassThrough
const { PassThrough } = require('node:stream');
const p = new PassThrough();
p.on('data', (d) => console.log(d.toString()));
p.end('through');
//--- str-web-stream: web streams in memory
const rs = new ReadableStream({ start(c) { c.enqueue('chunk'); c.close(); } });
(async () => { for await (const v of rs) console.log(v); })();
//--- str-readline-stdin: lines of stdin
const readline = require('readline');
const rl = readline.createInterface({ input: process.stdin });
let total = 0;
rl.on('line', (l) => { total += Number(l) || 0; });
rl.on('close', () => console.log(total));
//--- str-readline-async: lines with for await
const rl = require('readline').createInterface({ input: process.stdin, crlfDelay: Infinity });
(async () => {
  let n = 0;
  for await (const line of rl) if (line.trim()) n++;
  console.log(n, 'lines');
})();
//--- str-readline-question: asks a question
const rl = require('node:readline/promises').createInterface({ input: process.stdin, output: process.stdout });
rl.question('name? ').then((n) => { console.log('hi', n); rl.close(); });
//--- str-stdin-chunks: whole stdin
let text = '';
process.stdin.setEncoding('utf8');
process.stdin.on('data', (d) => (text += d));
process.stdin.on('end', () => console.log(text.length));
//--- str-object-mode: object mode stream
const { Readable } = require('stream');
(async () => {
  for await (const o of Readable.from([{ a: 1 }, { a: 2 }])) console.log(o.a);
})();
