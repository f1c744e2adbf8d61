//--- wsf-read-json: reads a JSON file
const fs = require('fs');
const data = JSON.parse(fs.readFileSync('data.json', 'utf8'));
console.log(Object.keys(data));
//--- wsf-write-json: writes a JSON file
require('fs').writeFileSync('result.json', JSON.stringify({ ok: true }, null, 2));
//--- wsf-relative-folder: file in a sub-folder
const fs = require('fs');
fs.mkdirSync('out/reports', { recursive: true });
fs.writeFileSync('./out/reports/a.txt', 'report');
//--- wsf-dirname-join: file beside the script
const path = require('path');
const fs = require('fs');
fs.writeFileSync(path.join(__dirname, 'out.txt'), 'hello');
//--- wsf-dirname-template: template path beside the script
const { readFileSync, existsSync } = require('fs');
const p = `${__dirname}/notes.md`;
if (existsSync(p)) console.log(readFileSync(p, 'utf8'));
//--- wsf-cwd-join: file in the current folder
const { join } = require('path');
require('fs').appendFileSync(join(process.cwd(), 'log.txt'), 'line\n');
//--- wsf-tmp-file: temporary file
const fs = require('fs');
fs.writeFileSync('/tmp/scratch.txt', 'temporary');
console.log(fs.statSync('/tmp/scratch.txt').size);
fs.unlinkSync('/tmp/scratch.txt');
//--- wsf-workspace-absolute: absolute path in the workspace
const fs = require('fs');
console.log(fs.readdirSync('/workspace'));
//--- wsf-workspace-deep: deep path in the workspace
require('fs').writeFileSync('/workspace/build/info.txt', new Date(0).toISOString());
//--- wsf-mkdtemp: temporary folder
const fs = require('fs');
const dir = fs.mkdtempSync('/tmp/job-');
fs.writeFileSync(dir + '/a.txt', 'a');
fs.rmSync(dir, { recursive: true });
//--- wsf-os-tmpdir: temporary folder by os.tmpdir
const os = require('os');
const path = require('path');
const f = path.join(os.tmpdir(), 'cache.json');
require('fs').writeFileSync(f, '{}');
//--- wsf-promises-read: fs/promises
const { readFile } = require('fs/promises');
readFile('input.txt', 'utf8').then((t) => console.log(t.split('\n').length)).catch((e) => console.error(e.code));
//--- wsf-promises-node-prefix: node:fs/promises with async
const fsp = require('node:fs/promises');
async function main() {
  await fsp.mkdir('cache', { recursive: true });
  await fsp.writeFile('cache/a.json', '[]');
  console.log(await fsp.readdir('cache'));
}
main();
//--- wsf-promises-property: fs.promises
const { promises: fs } = require('fs');
fs.writeFile('x.txt', 'x').then(() => fs.readFile('x.txt', 'utf8')).then(console.log);
//--- wsf-callback-read: callback style
const fs = require('fs');
fs.readFile('config.yml', 'utf8', (err, text) => {
  if (err) return console.error('no config');
  console.log(text.length);
});
//--- wsf-write-stream: line by line into a stream
const fs = require('fs');
const out = fs.createWriteStream('numbers.txt');
for (let i = 0; i < 1000; i++) out.write(i + '\n');
out.end();
//--- wsf-read-stream-lines: lines of a file
const fs = require('fs');
const readline = require('readline');
const rl = readline.createInterface({ input: fs.createReadStream('access.log') });
rl.on('line', (l) => l.includes(' 500 ') && console.log(l));
//--- wsf-copy-rename: copy, rename and remove
const fs = require('fs');
fs.writeFileSync('a.txt', '1');
fs.copyFileSync('a.txt', 'b.txt');
fs.renameSync('b.txt', 'c.txt');
fs.rmSync('c.txt');
//--- wsf-walk-src: walks ./src
const fs = require('fs');
const path = require('path');
function walk(dir) {
  return fs.readdirSync(dir, { withFileTypes: true })
    .flatMap((e) => (e.isDirectory() ? walk(path.join(dir, e.name)) : path.join(dir, e.name)));
}
if (fs.existsSync('src')) console.log(walk('src'));
//--- wsf-count-lines: counts lines of .js files
const fs = require('fs');
const files = fs.readdirSync('.').filter((f) => f.endsWith('.js'));
console.log(files.map((f) => [f, fs.readFileSync(f, 'utf8').split('\n').length]));
//--- wsf-stat-sizes: sizes in a folder
const fs = require('fs');
for (const f of fs.readdirSync('.')) {
  const s = fs.statSync(f);
  if (s.isFile()) console.log(f, s.size, s.mtime.toISOString());
}
//--- wsf-csv-to-json: converts a file
const fs = require('fs');
if (fs.existsSync('in.csv')) {
  const [h, ...rows] = fs.readFileSync('in.csv', 'utf8').trim().split('\n').map((l) => l.split(','));
  fs.writeFileSync('out.json', JSON.stringify(rows.map((r) => Object.fromEntries(h.map((k, i) => [k, r[i]])))));
}
//--- wsf-hash-file: hash of a file
const { createHash } = require('crypto');
const fs = require('fs');
fs.writeFileSync('h.txt', 'abc');
console.log(createHash('sha256').update(fs.readFileSync('h.txt')).digest('hex'));
//--- wsf-gzip-file: gzip of a file
const fs = require('fs');
const zlib = require('zlib');
fs.writeFileSync('big.txt', 'line\n'.repeat(1000));
fs.writeFileSync('big.txt.gz', zlib.gzipSync(fs.readFileSync('big.txt')));
//--- wsf-open-handle: file handle
const fs = require('fs');
const fd = fs.openSync('bin.dat', 'w');
fs.writeSync(fd, Buffer.from([1, 2, 3]));
fs.closeSync(fd);
//--- wsf-access: checks for a file
const fs = require('fs');
try { fs.accessSync('package.json', fs.constants.R_OK); console.log('readable'); } catch { console.log('none'); }
//--- wsf-watch-own: watches an own file for a moment
const fs = require('fs');
fs.writeFileSync('watched.txt', '0');
const w = fs.watch('watched.txt', () => console.log('changed'));
setTimeout(() => w.close(), 20);
//--- wsf-update-package: sets a version in package.json
const fs = require('fs');
const pkg = fs.existsSync('./package.json') ? JSON.parse(fs.readFileSync('./package.json')) : {};
pkg.version = '1.2.3';
fs.writeFileSync('./package.json', JSON.stringify(pkg, null, 2) + '\n');
//--- wsf-replace-in-file: replaces text in a file
const fs = require('fs');
fs.writeFileSync('readme.txt', 'colour');
fs.writeFileSync('readme.txt', fs.readFileSync('readme.txt', 'utf8').replace(/colour/g, 'color'));
//--- wsf-append-log: logger to a file
const fs = require('fs');
class FileLog {
  constructor(file = 'app.log') { this.file = file; }
  info(m) { fs.appendFileSync(this.file, `${new Date().toISOString()} ${m}\n`); }
}
new FileLog().info('started');
//--- wsf-cache-class: file cache with keys
const fs = require('fs');
const path = require('path');
const cache = {
  dir: '.cache',
  set(k, v) { fs.mkdirSync(this.dir, { recursive: true }); fs.writeFileSync(path.join(this.dir, `${k}.json`), JSON.stringify(v)); },
  get(k) { return JSON.parse(fs.readFileSync(path.join(this.dir, `${k}.json`), 'utf8')); },
};
cache.set('a', [1]);
console.log(cache.get('a'));
//--- wsf-html-report: writes an HTML report
const fs = require('fs');
const rows = [['a', 1], ['b', 2]];
fs.writeFileSync('report.html', `<table>${rows.map(([k, v]) => `<tr><td>${k}</td><td>${v}</td></tr>`).join('')}</table>`);
//--- wsf-svg-chart: writes an SVG chart
const fs = require('fs');
const bars = [3, 7, 5].map((h, i) => `<rect x="${i * 20}" y="${100 - h * 10}" width="15" height="${h * 10}"/>`);
fs.writeFileSync('chart.svg', `<svg xmlns="http://www.w3.org/2000/svg" width="60" height="100">${bars.join('')}</svg>`);
//--- wsf-exists-nullish: default when a file is missing
const fs = require('fs');
const load = (f, d) => { try { return JSON.parse(fs.readFileSync(f, 'utf8')); } catch { return d; } };
console.log(load('settings.json', { theme: 'light' }));
//--- wsf-relative-dot: explicit ./ and nested folders
const fs = require('fs');
fs.mkdirSync('./a/b/c', { recursive: true });
fs.writeFileSync('./a/b/c/leaf.txt', 'leaf');
console.log(fs.readFileSync('a/b/c/leaf.txt', 'utf8'));
//--- wsf-esm-import-meta: file beside an ES module
import { readFileSync, writeFileSync } from 'node:fs';
const here = new URL('./fixture.txt', import.meta.url);
writeFileSync(here, 'fixture');
console.log(readFileSync(here, 'utf8'));
//--- wsf-esm-top-level: top-level await with files
import { writeFile, readFile, rm } from 'node:fs/promises';
await writeFile('t.txt', 'text');
console.log((await readFile('t.txt', 'utf8')).toUpperCase());
await rm('t.txt');
//--- wsf-esm-dirname: dirname by fileURLToPath
import { fileURLToPath } from 'node:url';
import { dirname, join } from 'node:path';
import fs from 'node:fs';
const dir = dirname(fileURLToPath(import.meta.url));
fs.writeFileSync(join(dir, 'm.txt'), 'm');
