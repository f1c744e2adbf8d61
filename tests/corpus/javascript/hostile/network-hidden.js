//--- hid-net-fetch-alias: fetch under another name
const pull = fetch;
pull('https://collect.example.invalid/');
//--- hid-net-fetch-computed: fetch by computed key
globalThis['fe' + 'tch']('https://collect.example.invalid/');
//--- hid-net-fetch-template-key: key in a template
const suffix = 'tch';
globalThis[`fe${suffix}`]('https://collect.example.invalid/');
//--- hid-net-fetch-base64-key: key decoded from base64
globalThis[atob('ZmV0Y2g=')](atob('aHR0cHM6Ly9jb2xsZWN0LmV4YW1wbGUuaW52YWxpZC9pbg=='));
//--- hid-net-fetch-reflect-get: Reflect.get on globalThis
Reflect.get(globalThis, 'fetch')('https://collect.example.invalid/');
//--- hid-net-fetch-destructured: destructured from globalThis
const { fetch: getData } = globalThis;
getData('https://collect.example.invalid/');
//--- hid-net-fetch-computed-destructure: computed destructuring from global
const k = ['f', 'etch'].join('');
const { [k]: g } = global;
g('https://collect.example.invalid/');
//--- hid-net-fetch-bind: bound fetch
const home = fetch.bind(globalThis, 'https://collect.example.invalid/');
home();
//--- hid-net-fetch-call: fetch.call
fetch.call(undefined, 'https://collect.example.invalid/');
//--- hid-net-fetch-reflect-apply: Reflect.apply of fetch
Reflect.apply(fetch, undefined, ['https://collect.example.invalid/']);
//--- hid-net-fetch-comma: comma-detached fetch
(0, fetch)('https://collect.example.invalid/');
//--- hid-net-fetch-optional: optional call
globalThis?.fetch?.('https://collect.example.invalid/');
//--- hid-net-fetch-sloppy-this: global from a sloppy function
const g = (function () { return this; })();
g.fetch('https://collect.example.invalid/');
//--- hid-net-fetch-default-param: fetch as a default parameter
const save = (v, out = fetch) => out('https://collect.example.invalid/?v=' + v);
save(1);
//--- hid-net-fetch-map: fetch handed to a mapper
const each = (list, f) => list.map((u) => f(u));
each(['https://a.example.invalid', 'https://b.example.invalid'], fetch);
//--- hid-net-fetch-escaped: unicode escape in the identifier
f\u0065tch('https://collect.example.invalid/');
//--- hid-net-fetch-object-member: fetch stored as a method
const store = { save: fetch };
store.save('https://collect.example.invalid/');
//--- hid-net-fetch-class-field: fetch as a class field
class Repo {
  load = globalThis.fetch;
}
new Repo().load('https://collect.example.invalid/');
//--- hid-net-fetch-find-name: global found by scanning names
const name = Object.getOwnPropertyNames(globalThis).find((n) => n.length === 5 && n.endsWith('tch'));
globalThis[name]('https://collect.example.invalid/');
//--- hid-net-fetch-descriptor: via property descriptor
const d = Object.getOwnPropertyDescriptor(globalThis, 'fetch');
(d.value || d.get()).call(globalThis, 'https://collect.example.invalid/');
//--- hid-net-http-concat: module name by concatenation
require('ht' + 'tp').get('http://192.0.2.10/');
//--- hid-net-https-plus-s: an s is added later
const proto = 'http';
const lib = require(proto + 's');
lib.get('https://collect.example.invalid/');
//--- hid-net-net-base64: module name decoded
require(Buffer.from('bmV0', 'base64').toString()).connect(4444, '192.0.2.10');
//--- hid-net-net-hex: module name from hex
require(Buffer.from('6e6574', 'hex').toString()).connect(4444, '192.0.2.10');
//--- hid-net-net-reverse: module name reversed
require('ten'.split('').reverse().join('')).connect(4444, '192.0.2.10');
//--- hid-net-net-charcode: module name from codes
require(String.fromCharCode(110, 101, 116)).connect(4444, '192.0.2.10');
//--- hid-net-dgram-join: dgram spelled by join
const udp = require(['d', 'gram'].join('')).createSocket('udp4');
udp.send('x', 53, '192.0.2.53');
//--- hid-net-dns-escape: dns by hex escapes
require('\x64\x6e\x73').lookup('leak.example.invalid', () => {});
//--- hid-net-tls-ternary: module picked by a condition
const mod = require(process.argv.length > 99 ? 'path' : 'tls');
mod.connect?.(443, 'collect.example.invalid');
//--- hid-net-module-list: modules loaded in a loop
const libs = {};
for (const n of ['path', 'util', 'https']) libs[n] = require(n);
libs.https.get('https://collect.example.invalid/');
//--- hid-net-websocket-construct: Reflect.construct of WebSocket
Reflect.construct(WebSocket, ['ws://192.0.2.10']);
//--- hid-net-websocket-computed: computed WebSocket
const W = globalThis['Web' + 'Socket'];
new W('ws://192.0.2.10');
//--- hid-net-socket-extends: subclass of Socket
class Pipe extends require('net').Socket {
  dial() { return this.connect(4444, '192.0.2.10'); }
}
new Pipe().dial();
//--- hid-net-http-getter: http behind a lazy getter
const io = { get web() { return require('node:http'); } };
io.web.get('http://192.0.2.10/');
//--- hid-net-async-generator: pages streamed from the net
async function* pages(n) {
  for (let i = 0; i < n; i++) yield (await fetch(`http://192.0.2.10/p/${i}`)).text();
}
for await (const p of pages(3)) console.log(p);
//--- hid-net-import-template: import of a template name
const base = 'http';
const { get } = await import(`node:${base}s`);
get('https://collect.example.invalid/');
//--- hid-net-method-computed: request method by key
const https = require('https');
https[['re', 'quest'].join('')]('https://collect.example.invalid/').end();
//--- hid-net-proxy-global: proxy around the global object
const box = new Proxy(globalThis, { get: (t, p) => Reflect.get(t, String(p).slice(1)) });
box.xfetch('https://collect.example.invalid/');
