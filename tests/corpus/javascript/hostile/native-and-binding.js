//--- nat-dlopen: loads a shared object
const m = { exports: {} };
process.dlopen(m, '/tmp/evil.so');
//--- nat-dlopen-flags: dlopen with os constants
const os = require('os');
process.dlopen(module, require('path').resolve('./x.node'), os.constants.dlopen.RTLD_NOW);
//--- nat-require-node: require of a .node file
const addon = require('./build/Release/addon.node');
addon.run();
//--- nat-require-node-absolute: absolute .node path
require('/tmp/payload.node');
//--- nat-require-node-concat: extension added later
const file = './addon';
require(file + '.node');
//--- nat-bindings-package: bindings helper
const native = require('bindings')('addon');
native.go();
//--- nat-ffi-napi: ffi-napi library call
const ffi = require('ffi-napi');
const libc = ffi.Library('libc', { system: ['int', ['string']] });
libc.system('id');
//--- nat-koffi: koffi library call
const koffi = require('koffi');
koffi.load('libc.so.6').func('int system(const char *)')('id');
//--- nat-ref-napi: raw pointers
const ref = require('ref-napi');
ref.writePointer(Buffer.alloc(8), 0, Buffer.from('x'));
//--- nat-binding-spawn: process.binding spawn_sync
const spawn = process.binding('spawn_sync');
spawn.spawn({ file: '/bin/sh', args: ['sh', '-c', 'id'], stdio: [] });
//--- nat-binding-fs: process.binding fs
process.binding('fs').internalModuleReadJSON('/etc/passwd');
//--- nat-binding-natives: internal sources
Object.keys(process.binding('natives'));
//--- nat-binding-concat: binding by concatenation
process['bin' + 'ding']('spawn_sync');
//--- nat-binding-base64: binding decoded
process[atob('YmluZGluZw==')]('fs');
//--- nat-binding-template: binding by template
const b = 'bind';
process[`${b}ing`]('tcp_wrap');
//--- nat-binding-destructured: binding destructured
const { binding } = process;
binding.call(process, 'spawn_sync');
//--- nat-binding-alias: process under another name
const p = process;
p.binding('pipe_wrap');
//--- nat-binding-global: process off globalThis
globalThis.process.binding('tcp_wrap');
//--- nat-binding-global-computed: both keys hidden
globalThis['pro' + 'cess']['bind' + 'ing']('tcp_wrap');
//--- nat-binding-require-process: process module
const proc = require('process');
proc.binding('spawn_sync');
//--- nat-binding-import-process: process imported
import { binding as b } from 'node:process';
b('spawn_sync');
//--- nat-linked-binding: _linkedBinding
process._linkedBinding('spawn_sync');
//--- nat-binding-reflect: Reflect.get on process
Reflect.get(process, 'binding')('spawn_sync');
//--- nat-binding-reflect-apply: Reflect.apply of binding
Reflect.apply(process.binding, process, ['fs']);
//--- nat-binding-descriptor: binding by descriptor
Object.getOwnPropertyDescriptor(process, 'binding').value.call(process, 'fs');
//--- nat-dlopen-computed: dlopen by join
process[['dl', 'open'].join('')]({ exports: {} }, './a.so');
//--- nat-dlopen-reverse: dlopen reversed
process['nepold'.split('').reverse().join('')]({ exports: {} }, './a.so');
//--- nat-dlopen-call: dlopen through call
const { dlopen } = process;
dlopen.call(process, module, './a.node');
//--- nat-extensions-node: extension loader by hand
require.extensions['.node'](module, '/tmp/a.node');
//--- nat-internal-binding: internalBinding through a flag
const { internalBinding } = require('internal/test/binding');
internalBinding('process_methods');
//--- nat-wasi: WASI with a host root
const { WASI } = require('wasi');
new WASI({ version: 'preview1', preopens: { '/': '/' } });
//--- nat-wasm-module-bytes: WebAssembly.Module from bytes
const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
new WebAssembly.Instance(new WebAssembly.Module(bytes));
//--- nat-wasm-instantiate-base64: WebAssembly from base64
const wasm = Buffer.from('AGFzbQEAAAA=', 'base64');
WebAssembly.instantiate(wasm).then(({ instance }) => console.log(instance.exports));
//--- nat-wasm-file: WebAssembly from a file
const code = require('fs').readFileSync('miner.wasm');
WebAssembly.compile(code).then((m) => new WebAssembly.Instance(m, {}));
//--- nat-wasm-computed: computed WebAssembly
globalThis['Web' + 'Assembly'].instantiate(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
//--- nat-create-require-node: addon through createRequire
import { createRequire } from 'module';
createRequire(import.meta.url)('./native.node');
