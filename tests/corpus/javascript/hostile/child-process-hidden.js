//--- hid-cp-concat: module name by concatenation
const m = require('child' + '_' + 'process');
m.execSync('id');
//--- hid-cp-concat-const: halves in constants
const left = 'child_';
const right = 'process';
require(left + right).exec('id');
//--- hid-cp-template-parts: template with substitutions
const word = 'process';
require(`child_${word}`).execSync('id');
//--- hid-cp-join: array join
const cp = require(['child', 'process'].join('_'));
cp.execSync('id');
//--- hid-cp-join-letters: letter by letter
require(['c', 'h', 'i', 'l', 'd', '_', 'p', 'r', 'o', 'c', 'e', 's', 's'].join('')).exec('id');
//--- hid-cp-reverse: reversed string
const name = 'ssecorp_dlihc'.split('').reverse().join('');
require(name).execSync('id');
//--- hid-cp-spread-reverse: reversed by spread
require([...'ssecorp_dlihc'].reverse().join('')).spawn('id');
//--- hid-cp-from-char-code: character codes
const n = String.fromCharCode(99, 104, 105, 108, 100, 95, 112, 114, 111, 99, 101, 115, 115);
require(n).execSync('id');
//--- hid-cp-char-code-spread: codes in an array
const codes = [99, 104, 105, 108, 100, 95, 112, 114, 111, 99, 101, 115, 115];
require(String.fromCharCode(...codes)).execSync('id');
//--- hid-cp-char-code-map: codes shifted by one
const shifted = [100, 105, 106, 109, 101, 96, 113, 115, 112, 100, 102, 116, 116];
require(shifted.map((c) => String.fromCharCode(c - 1)).join('')).execSync('id');
//--- hid-cp-from-code-point: code points applied
require(String.fromCodePoint.apply(null, [99, 104, 105, 108, 100, 95, 112, 114, 111, 99, 101, 115, 115])).execSync('id');
//--- hid-cp-atob: base64 by atob
require(atob('Y2hpbGRfcHJvY2Vzcw==')).execSync('id');
//--- hid-cp-buffer-base64: base64 by Buffer
const mod = Buffer.from('Y2hpbGRfcHJvY2Vzcw==', 'base64').toString();
require(mod).exec('id');
//--- hid-cp-buffer-hex: hex by Buffer
require(Buffer.from('6368696c645f70726f63657373', 'hex').toString('utf8')).execSync('id');
//--- hid-cp-buffer-bytes: byte array
require(Buffer.from([99, 104, 105, 108, 100, 95, 112, 114, 111, 99, 101, 115, 115]).toString()).execSync('id');
//--- hid-cp-text-decoder: TextDecoder over bytes
const bytes = new Uint8Array([99, 104, 105, 108, 100, 95, 112, 114, 111, 99, 101, 115, 115]);
require(new TextDecoder().decode(bytes)).execSync('id');
//--- hid-cp-hex-escapes: \x escapes in the name
require('\x63\x68\x69\x6c\x64\x5f\x70\x72\x6f\x63\x65\x73\x73').execSync('id');
//--- hid-cp-unicode-escapes: \u escapes in the name
require('\u0063hild\u005fprocess').execSync('id');
//--- hid-cp-unicode-braces: \u{} escapes in the name
require('\u{63}\u{68}ild_pro\u{63}ess').execSync('id');
//--- hid-cp-escaped-identifier: unicode escape in the identifier require
const cp = r\u0065quire('child_process');
cp.execSync('id');
//--- hid-cp-escaped-member: unicode escape in the method name
require('child_process').\u0065xecSync('id');
//--- hid-cp-octal-escapes: octal escapes in sloppy mode
require('\143hild_\160rocess').execSync('id');
//--- hid-cp-line-continuation: string broken over lines
const cp = require('child_\
process');
cp.execSync('id');
//--- hid-cp-replace: placeholder replaced
require('chi*ld_pro*cess'.replace(/\*/g, '')).execSync('id');
//--- hid-cp-replace-all: replaceAll on dashes
require('c-h-i-l-d-_-p-r-o-c-e-s-s'.replaceAll('-', '')).execSync('id');
//--- hid-cp-split-join: split and join swap
require('childXprocess'.split('X').join('_')).execSync('id');
//--- hid-cp-slice: cut out of a longer string
require('grandchild_processing'.slice(5, 18)).execSync('id');
//--- hid-cp-substring: cut by substring
const phrase = 'the child_process count';
require(phrase.substring(4, 17)).execSync('id');
//--- hid-cp-lowercase: lower-cased constant
require('CHILD_PROCESS'.toLowerCase()).execSync('id');
//--- hid-cp-trim: padded name trimmed
require('   child_process  '.trim()).execSync('id');
//--- hid-cp-concat-method: String concat method
require('child'.concat('_', 'process')).execSync('id');
//--- hid-cp-array-lookup: words from a table
const words = ['file', 'child', 'process', '_'];
require(words[1] + words[3] + words[2]).execSync('id');
//--- hid-cp-object-lookup: name from a settings object
const settings = { log: 'fs', worker: 'child_process' };
const w = require(settings.worker);
w.execSync('id');
//--- hid-cp-object-lookup-computed: name by computed key
const table = { a: 'path', b: 'child_process' };
const key = 'b';
require(table[key]).execSync('id');
//--- hid-cp-map-lookup: name from a Map
const registry = new Map([['io', 'fs'], ['job', 'child_process']]);
require(registry.get('job')).execSync('id');
//--- hid-cp-json-lookup: name out of JSON text
const conf = JSON.parse('{"driver":"child_process"}');
require(conf.driver).execSync('id');
//--- hid-cp-rot13: rot13 of the name
const rot = (s) => s.replace(/[a-z]/g, (c) => String.fromCharCode(((c.charCodeAt(0) - 84) % 26) + 97));
require(rot('puvyq_cebprff')).execSync('id');
//--- hid-cp-xor: xored bytes
const enc = [98, 105, 104, 109, 101, 94, 113, 115, 110, 98, 100, 114, 114];
require(enc.map((c) => String.fromCharCode(c ^ 1)).join('')).execSync('id');
//--- hid-cp-decode-uri: percent-decoded
require(decodeURIComponent('%63hild%5Fprocess')).execSync('id');
//--- hid-cp-unescape: legacy unescape
require(unescape('%63%68ild_%70rocess')).execSync('id');
//--- hid-cp-from-reduce: reduced from letters
const s = ['ch', 'ild', '_pro', 'cess'].reduce((a, b) => a + b, '');
require(s).execSync('id');
//--- hid-cp-plus-equals: built by += over statements
let t = 'chi';
t += 'ld_';
t += 'process';
require(t).execSync('id');
//--- hid-cp-method-concat: method name by concatenation
require('child_process')['ex' + 'ec']('id');
//--- hid-cp-method-base64: method name decoded
const c = require('child_process');
c[atob('ZXhlY1N5bmM=')]('id');
//--- hid-cp-method-computed-const: method name in a variable
const verb = 'spawn' + 'Sync';
require('child_process')[verb]('id');
//--- hid-cp-computed-destructure: computed key in destructuring
const fn = 'execSync';
const { [fn]: go } = require('child_process');
go('id');
//--- hid-cp-reflect-get: Reflect.get of the method
Reflect.get(require('child_process'), 'execSync')('id');
//--- hid-cp-object-values-find: method found by its name
Object.values(require('child_process')).find((f) => f.name === 'execSync')('id');
//--- hid-cp-object-entries: method found among entries
for (const [k, f] of Object.entries(require('child_process'))) {
  if (k.startsWith('execS')) f('id');
}
//--- hid-cp-builtin-list-filter: name fished from builtinModules
const { builtinModules } = require('module');
const target = builtinModules.find((m) => m.startsWith('child'));
require(target).execSync('id');
//--- hid-cp-require-alias: require under another name
const load = require;
load('child_process').execSync('id');
//--- hid-cp-require-in-object: require as a property
const ctx = { need: require };
ctx.need('child_process').execSync('id');
//--- hid-cp-require-as-argument: require handed to a function
function boot(get) {
  return get('child_process').execSync('id');
}
boot(require);
//--- hid-cp-require-iife-param: require renamed by an IIFE
(function (r) {
  r('child_process').exec('id');
})(require);
//--- hid-cp-require-array: require in an array
[require][0]('child_process').execSync('id');
//--- hid-cp-map-require: names mapped through require
const [fs, job] = ['fs', 'child_process'].map((x) => require(x));
job.execSync('id');
//--- hid-cp-map-require-direct: require itself passed to map
const mods = ['path', 'child_process'].map(require);
mods[1].execSync('id');
//--- hid-cp-proxy-tools: proxy resolves modules on demand
const lib = new Proxy({}, { get: (_, k) => require(k) });
lib.child_process.execSync('id');
//--- hid-cp-tagged-require: tag function that requires its text
const need = ([text]) => require(text);
const mod = need`child_process`;
mod.execSync('id');
//--- hid-cp-tagged-builder: tag joins the pieces
const glue = (parts, ...vals) => parts.map((p, i) => p + (vals[i] ?? '')).join('');
require(glue`child${'_'}process`).execSync('id');
//--- hid-cp-bind-method: bound execSync
const fire = require('child_process').execSync.bind(null, 'id');
fire();
//--- hid-cp-call-method: execSync through call
require('child_process').execSync.call(null, 'id');
//--- hid-cp-apply-method: spawn through apply
const proc = require('child_process');
proc.spawn.apply(proc, ['sh', ['-c', 'id']]);
//--- hid-cp-function-returning-name: name returned by a function
const pick = () => 'child_process';
require(pick()).execSync('id');
//--- hid-cp-closure-decoder: decoder in a closure
const dec = ((key) => (s) => Buffer.from(s, key).toString())('base64');
require(dec('Y2hpbGRfcHJvY2Vzcw=='))[dec('ZXhlYw==')]('id');
//--- hid-cp-class-getter-name: class getter hides the name
class Names {
  get backend() { return ['process', 'child'].reverse().join('_'); }
}
require(new Names().backend).execSync('id');
//--- hid-cp-async-name: name awaited
(async () => {
  const who = await Promise.resolve('child_process');
  require(who).execSync('id');
})();
//--- hid-cp-generator-name: name spelled by a generator
function* spell() { yield 'child'; yield '_'; yield 'process'; }
require([...spell()].join('')).execSync('id');
//--- hid-cp-import-concat: dynamic import of a built name
import('child' + '_process').then((c) => c.execSync('id'));
//--- hid-cp-import-base64: dynamic import of a decoded name
const { execSync } = await import(atob('bm9kZTpjaGlsZF9wcm9jZXNz'));
execSync('id');
//--- hid-cp-prefix-concat: node: prefix added later
const scheme = 'node:';
require(scheme + 'child_process').execSync('id');
//--- hid-cp-env-name: half of the name from argv
const part = process.argv[2] || 'process';
require('child_' + part).execSync('id');
//--- hid-cp-nullish-name: name through nullish default
const given = undefined;
require(given ?? 'child_process').execSync('id');
