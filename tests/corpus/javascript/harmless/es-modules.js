//--- esm-path: named imports of path
import { join, resolve } from 'node:path';
console.log(join('a', 'b'), resolve('x').length > 0);
//--- esm-fs-read: reads a workspace file
import { existsSync, readFileSync } from 'fs';
console.log(existsSync('data.txt') ? readFileSync('data.txt', 'utf8') : 'none');
//--- esm-default-export: default export of a class
export default class Point {
  constructor(x, y) { this.x = x; this.y = y; }
}
//--- esm-named-exports: named exports
export const PI2 = Math.PI * 2;
export function area(r) { return (PI2 / 2) * r * r; }
//--- esm-local-import: imports of local modules
import helper, { other as renamed } from './helper.js';
console.log(helper, renamed);
//--- esm-re-export: re-exports of local modules
export { add, sub } from './math.js';
export * as strings from './strings.js';
//--- esm-dynamic-constant: dynamic import of a constant local module
const { greet } = await import('./greet.js');
greet();
//--- esm-dynamic-builtin: dynamic import of an allowed builtin
const { createHash } = await import('node:crypto');
console.log(createHash('sha1').update('x').digest('hex'));
//--- esm-dynamic-then: dynamic import with then
import('node:util').then(({ inspect }) => console.log(inspect({ a: 1 })));
//--- esm-top-level-await: top-level await
const v = await Promise.resolve(5);
console.log(v);
//--- esm-import-meta-url: import.meta.url as text
console.log(import.meta.url.startsWith('file:'));
//--- esm-events: events by import
import { EventEmitter, once } from 'node:events';
const e = new EventEmitter();
setImmediate(() => e.emit('go', 1));
console.log(await once(e, 'go'));
//--- esm-timers-interval: async interval
import { setInterval } from 'node:timers/promises';
let n = 0;
for await (const _ of setInterval(2)) if (++n === 3) break;
console.log(n);
//--- esm-assert: assertions by import
import assert from 'node:assert/strict';
assert.deepEqual([1, 2].map((x) => x * 2), [2, 4]);
//--- esm-test: tests by import
import { test } from 'node:test';
import assert from 'node:assert';
test('joins', () => assert.equal(['a', 'b'].join('-'), 'a-b'));
//--- esm-stream-pipeline: stream pipeline by import
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
await pipeline(Readable.from(['a\n', 'b\n']), process.stdout);
//--- esm-zlib: zlib by import
import { gzipSync, gunzipSync } from 'node:zlib';
console.log(gunzipSync(gzipSync('hello')).toString());
//--- esm-process-import: process by import
import process, { argv, stdout } from 'node:process';
stdout.write(`${argv.length} ${process.platform}\n`);
//--- esm-url: URL helpers by import
import { pathToFileURL, domainToASCII } from 'node:url';
console.log(pathToFileURL('x.txt').protocol, domainToASCII('español.com'));
//--- esm-readline: question by import
import * as readline from 'node:readline/promises';
import { stdin as input, stdout as output } from 'node:process';
const rl = readline.createInterface({ input, output });
console.log((await rl.question('n? ')).length);
rl.close();
//--- esm-json-read: JSON by fs and URL
import { readFile } from 'node:fs/promises';
try {
  const pkg = JSON.parse(await readFile(new URL('./package.json', import.meta.url), 'utf8'));
  console.log(pkg.name);
} catch { console.log('no package.json'); }
//--- esm-performance: performance by import
import { performance } from 'node:perf_hooks';
const t = performance.now();
console.log(performance.now() >= t);
//--- esm-namespace: namespace import of an allowed module
import * as util from 'node:util';
console.log(util.types.isDate(new Date()), Object.keys(util).length > 5);
//--- esm-default-as: default as a name
import { default as path } from 'node:path';
console.log(path.sep);
//--- esm-side-effect: import for side effects
import './setup.js';
console.log('set up');
//--- esm-export-list: export list with renames
const a = 1, b = 2;
export { a as first, b as second };
//--- esm-near-miss-names: local modules named like forbidden ones
import net from './net.js';
import { fetch } from './http/client.js';
console.log(net, typeof fetch);
//--- esm-near-miss-export: exports named like forbidden calls
export const exec = (rows) => rows.length;
export const kill = (set, id) => set.delete(id);
//--- esm-near-miss-text: import statements only as text
const src = `import cp from 'child_process'; export default cp;`;
console.log(src.match(/from '(.+?)'/)[1].length);
