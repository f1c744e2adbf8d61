//--- lib-path-parts: path parts
const path = require('path');
console.log(path.basename('/a/b.txt', '.txt'), path.extname('x.js'), path.dirname('/a/b'));
//--- lib-path-parse: path.parse and format
const { parse, format } = require('node:path');
const p = parse('/usr/share/x.tar.gz');
console.log(p, format({ dir: 'out', name: p.name, ext: '.zip' }));
//--- lib-util-inspect: util.inspect
const util = require('util');
console.log(util.inspect({ a: { b: { c: {} } } }, { depth: null, colors: false }));
//--- lib-util-format: util.format
console.log(require('util').format('%s has %d items: %j', 'cart', 2, ['a', 'b']));
//--- lib-util-types: util.types
const { types, isDeepStrictEqual } = require('util');
console.log(types.isRegExp(/x/), isDeepStrictEqual({ a: 1 }, { a: 1 }));
//--- lib-util-parse-args: util.parseArgs
const { parseArgs } = require('node:util');
const { values } = parseArgs({ args: ['--name', 'x', '-v'], options: { name: { type: 'string' }, v: { type: 'boolean', short: 'v' } } });
console.log(values);
//--- lib-util-inherits: util.inherits of own constructors
const { inherits } = require('util');
const { EventEmitter } = require('events');
function Bus() { EventEmitter.call(this); }
inherits(Bus, EventEmitter);
new Bus().on('x', console.log).emit('x', 1);
//--- lib-events-subclass: emitter subclass
const EventEmitter = require('events');
class Timer extends EventEmitter { tick() { this.emit('tick', Date.now()); } }
const t = new Timer();
t.once('tick', (n) => console.log(typeof n));
t.tick();
//--- lib-event-target: EventTarget
const target = new EventTarget();
target.addEventListener('ping', (e) => console.log(e.type));
target.dispatchEvent(new Event('ping'));
//--- lib-assert: assertions
const assert = require('assert');
assert.strictEqual(1 + 1, 2);
assert.deepStrictEqual({ a: [1] }, { a: [1] });
assert.throws(() => { throw new TypeError('x'); }, TypeError);
//--- lib-assert-strict: assert/strict
const assert = require('node:assert/strict');
assert.equal('a'.repeat(3), 'aaa');
assert.match('hello', /ell/);
//--- lib-node-test: node:test
const test = require('node:test');
const assert = require('node:assert');
test('adds', () => assert.equal(1 + 2, 3));
test('async', async () => { assert.ok(await Promise.resolve(true)); });
//--- lib-node-test-describe: describe and it
const { describe, it, beforeEach } = require('node:test');
const assert = require('node:assert');
describe('stack', () => {
  let s;
  beforeEach(() => { s = []; });
  it('pushes', () => { s.push(1); assert.equal(s.length, 1); });
  it('is empty', () => assert.equal(s.length, 0));
});
//--- lib-node-test-mock: mocks of an own function
const { test, mock } = require('node:test');
const assert = require('node:assert');
test('calls', () => {
  const f = mock.fn((a) => a + 1);
  assert.equal(f(1), 2);
  assert.equal(f.mock.calls.length, 1);
});
//--- lib-crypto-hash: hashes
const { createHash } = require('crypto');
for (const alg of ['md5', 'sha1', 'sha256']) console.log(alg, createHash(alg).update('data').digest('hex'));
//--- lib-crypto-hmac: HMAC
const crypto = require('node:crypto');
console.log(crypto.createHmac('sha256', 'key').update('message').digest('base64'));
//--- lib-crypto-uuid: random ids
const { randomUUID, randomBytes, randomInt } = require('crypto');
console.log(randomUUID().length, randomBytes(8).toString('hex').length, randomInt(10) < 10);
//--- lib-crypto-aes: encrypts a string in memory
const { createCipheriv, createDecipheriv, randomBytes } = require('crypto');
const key = randomBytes(32), iv = randomBytes(16);
const c = createCipheriv('aes-256-cbc', key, iv);
const enc = c.update('secret text', 'utf8', 'hex') + c.final('hex');
const d = createDecipheriv('aes-256-cbc', key, iv);
console.log(d.update(enc, 'hex', 'utf8') + d.final('utf8'));
//--- lib-crypto-scrypt: password hashing
const { scryptSync, timingSafeEqual } = require('crypto');
const a = scryptSync('pw', 'salt', 32), b = scryptSync('pw', 'salt', 32);
console.log(timingSafeEqual(a, b));
//--- lib-crypto-sign: key pair and signature
const { generateKeyPairSync, sign, verify } = require('crypto');
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const sig = sign(null, Buffer.from('msg'), privateKey);
console.log(verify(null, Buffer.from('msg'), publicKey, sig));
//--- lib-crypto-subtle: web crypto digest
(async () => {
  const d = await globalThis.crypto?.subtle.digest('SHA-256', new TextEncoder().encode('x'));
  console.log(d && Buffer.from(d).toString('hex'));
})();
//--- lib-buffer-base64: base64 of data
const b64 = Buffer.from('hello world').toString('base64');
console.log(b64, Buffer.from(b64, 'base64').toString());
//--- lib-buffer-ops: buffer operations
const b = Buffer.concat([Buffer.from('ab'), Buffer.alloc(2)]);
b.writeUInt16BE(513, 2);
console.log(b, b.slice(0, 2).toString(), b.indexOf('b'));
//--- lib-btoa-atob: btoa and atob of data
console.log(atob(btoa('plain text')));
//--- lib-text-encoder: encoder and decoder
const bytes = new TextEncoder().encode('héllo');
console.log(bytes.length, new TextDecoder().decode(bytes));
//--- lib-string-decoder: split multibyte characters
const { StringDecoder } = require('string_decoder');
const d = new StringDecoder('utf8');
console.log(d.write(Buffer.from([0xe2, 0x82])) + d.end(Buffer.from([0xac])));
//--- lib-url-parse: URL parts
const u = new URL('https://user@example.com:8443/a/b?x=1&y=2#top');
console.log(u.hostname, u.port, u.pathname, u.searchParams.get('y'));
//--- lib-url-build: builds an address
const u = new URL('search', 'https://example.com/');
u.searchParams.set('q', 'cats & dogs');
console.log(u.href);
//--- lib-url-legacy: url.parse
const url = require('url');
console.log(url.parse('http://example.com/p?a=1', true).query.a);
//--- lib-url-search-params: URLSearchParams
const q = new URLSearchParams({ a: '1', b: 'x y' });
q.append('a', '2');
console.log(q.toString(), q.getAll('a'));
//--- lib-querystring: querystring module
const qs = require('querystring');
console.log(qs.parse('a=1&b=2&a=3'), qs.stringify({ x: [1, 2] }));
//--- lib-zlib-sync: gzip in memory
const zlib = require('zlib');
const packed = zlib.gzipSync('a'.repeat(1000));
console.log(packed.length, zlib.gunzipSync(packed).length);
//--- lib-zlib-brotli: brotli and deflate in memory
const { brotliCompressSync, deflateSync, inflateSync } = require('node:zlib');
console.log(brotliCompressSync('text').length, inflateSync(deflateSync('text')).toString());
//--- lib-zlib-promise: promisified gzip
const { promisify } = require('util');
const gzip = promisify(require('zlib').gzip);
gzip('data').then((b) => console.log(b.length));
//--- lib-perf-hooks: performance.now
const { performance } = require('perf_hooks');
const t = performance.now();
let s = 0;
for (let i = 0; i < 1e6; i++) s += i;
console.log(s, performance.now() - t < 1e4);
//--- lib-perf-global: global performance and timing
const t0 = performance.now();
[...Array(1000).keys()].sort(() => -1);
console.log((performance.now() - t0).toFixed(2), 'ms');
//--- lib-console-time: console.time
console.time('loop');
for (let i = 0; i < 1e5; i++);
console.timeEnd('loop');
//--- lib-console-methods: console methods
console.table([{ a: 1 }, { a: 2 }]);
console.group('group');
console.warn('warning');
console.groupEnd();
console.dir({ a: 1 });
//--- lib-os-eol: line ending and CPU count
const os = require('os');
console.log(JSON.stringify(os.EOL), os.cpus().length > 0, os.platform());
//--- lib-os-memory: memory figures
const { totalmem, freemem } = require('node:os');
console.log((freemem() / totalmem()).toFixed(2));
//--- lib-local-module: constant local modules
const { helper } = require('./lib/helper');
const config = require('./config.json');
console.log(helper(config));
//--- lib-local-optional: optional local module
let extra = {};
try { extra = require('./extra'); } catch { extra = { none: true }; }
console.log(extra);
//--- lib-lodash: popular package with constant name
const _ = require('lodash');
console.log(_.chunk([1, 2, 3, 4], 2));
//--- lib-module-exports: exports helpers
function clamp(x, lo, hi) { return Math.min(hi, Math.max(lo, x)); }
module.exports = { clamp };
exports.version = '1.0';
//--- lib-require-main: runs when started directly
function main() { console.log('main'); }
if (require.main === module) main();
//--- lib-punycode-free: domain names by URL
console.log(new URL('http://bücher.example/').hostname);
//--- lib-weakref: WeakRef and FinalizationRegistry
const reg = new FinalizationRegistry((v) => console.log('gone', v));
const o = { a: 1 };
reg.register(o, 'o');
console.log(new WeakRef(o).deref().a);
//--- lib-atomics: shared memory in one thread
const a = new Int32Array(new SharedArrayBuffer(8));
Atomics.add(a, 0, 5);
console.log(Atomics.load(a, 0));
//--- lib-blob: Blob text
const b = new Blob(['a', 'b']);
b.text().then(console.log);
//--- lib-diagnostics-channel: diagnostics channel
const dc = require('diagnostics_channel');
const ch = dc.channel('app');
ch.subscribe((m) => console.log(m));
ch.publish({ ok: 1 });
