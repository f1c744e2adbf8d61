//--- proto-object-property: adds to Object.prototype
Object.prototype.isAdmin = true;
//--- proto-object-computed: computed prototype key
Object['proto' + 'type'].polluted = 1;
//--- proto-object-bracket: bracket write
Object.prototype['shell'] = '/bin/sh';
//--- proto-array-override: replaces Array.prototype.push
Array.prototype.push = function () { return 0; };
//--- proto-array-extend: adds to Array.prototype
Array.prototype.last = function () { return this[this.length - 1]; };
//--- proto-string-override: replaces String.prototype.trim
String.prototype.trim = function () { console.log('saw', this); return this; };
//--- proto-function-call: hooks Function.prototype.call
const real = Function.prototype.call;
Function.prototype.call = function (...a) { return real.apply(this, a); };
//--- proto-function-apply-hook: steals arguments by apply
const apply = Function.prototype.apply;
Function.prototype.apply = function (t, a) {
  console.log(a);
  return Reflect.apply(this, t, a);
};
//--- proto-promise-then: hooks Promise.prototype.then
const then = Promise.prototype.then;
Promise.prototype.then = function (ok, no) { return then.call(this, (v) => { console.log(v); return ok?.(v); }, no); };
//--- proto-regexp-test: makes every test pass
RegExp.prototype.test = () => true;
//--- proto-map-get: hooks Map.prototype.get
Map.prototype.get = function () { return 'owned'; };
//--- proto-number-tostring: replaces Number toString
Number.prototype.toString = () => '0';
//--- proto-define-property: defineProperty on Object.prototype
Object.defineProperty(Object.prototype, 'role', { value: 'root', configurable: true });
//--- proto-define-properties: defineProperties on Array.prototype
Object.defineProperties(Array.prototype, { sum: { value() { return 42; } } });
//--- proto-reflect-define: Reflect.defineProperty on Object.prototype
Reflect.defineProperty(Object.prototype, 'x', { value: 1 });
//--- proto-reflect-set: Reflect.set on Object.prototype
Reflect.set(Object.prototype, 'x', 1);
//--- proto-object-assign: Object.assign into Object.prototype
Object.assign(Object.prototype, { env: { NODE_OPTIONS: '--inspect' } });
//--- proto-alias: prototype under another name
const p = Object.prototype;
p.hacked = true;
//--- proto-destructured: prototype destructured
const { prototype } = Object;
prototype.hacked = true;
//--- proto-dunder-literal: __proto__ of a literal
({}).__proto__.polluted = true;
//--- proto-dunder-variable: __proto__ of a variable
const user = {};
user.__proto__.isAdmin = true;
//--- proto-dunder-bracket: bracketed __proto__
const o = {};
o['__proto__']['polluted'] = 'yes';
//--- proto-dunder-concat: concatenated __proto__
const o = {};
o['__pro' + 'to__'].polluted = 'yes';
//--- proto-dunder-join: joined __proto__
const key = ['__', 'proto', '__'].join('');
({})[key].polluted = 1;
//--- proto-dunder-base64: decoded __proto__
({})[atob('X19wcm90b19f')].polluted = 1;
//--- proto-dunder-array: __proto__ of an array
[].__proto__.map = () => [];
//--- proto-dunder-string: __proto__ of a string
''.__proto__.includes = () => true;
//--- proto-dunder-replace: replaces __proto__ of a builtin
Array.__proto__ = null;
//--- proto-dunder-twice: two steps up
[].__proto__.__proto__.extra = 1;
//--- proto-constructor-prototype: constructor.prototype pollution
({}).constructor.prototype.polluted = true;
//--- proto-constructor-computed: computed constructor.prototype
const o = {};
o['constructor']['prototype']['polluted'] = 1;
//--- proto-get-prototype-of: pollution through getPrototypeOf
Object.getPrototypeOf({}).polluted = true;
//--- proto-reflect-get-prototype-of: pollution through Reflect.getPrototypeOf
Reflect.getPrototypeOf([]).at = () => 'x';
//--- proto-set-prototype-of-builtin: setPrototypeOf on a builtin
Object.setPrototypeOf(Array.prototype, { evil: 1 });
//--- proto-set-prototype-of-object: setPrototypeOf on Function.prototype
Object.setPrototypeOf(Function.prototype, null);
//--- proto-reflect-set-prototype-of: Reflect.setPrototypeOf on Math
Reflect.setPrototypeOf(Math, { random: () => 4 });
//--- proto-json-merge: recursive merge of hostile JSON
function merge(t, s) {
  for (const k in s) {
    if (typeof s[k] === 'object') t[k] = merge(t[k] || {}, s[k]);
    else t[k] = s[k];
  }
  return t;
}
merge({}, JSON.parse('{"__proto__": {"isAdmin": true}}'));
//--- proto-json-merge-constructor: merge by constructor.prototype
const deep = (t, s) => { for (const k of Object.keys(s)) typeof s[k] === 'object' ? deep(t[k] ??= {}, s[k]) : (t[k] = s[k]); return t; };
deep({}, JSON.parse('{"constructor":{"prototype":{"polluted":1}}}'));
//--- proto-path-set: deep set along a polluting path
function setPath(o, path, v) {
  const ks = path.split('.');
  const last = ks.pop();
  for (const k of ks) o = o[k];
  o[last] = v;
}
setPath({}, '__proto__.polluted', true);
//--- proto-path-set-array: reduce along a polluting path
['constructor', 'prototype'].reduce((o, k) => o[k], {}).polluted = true;
//--- proto-delete-method: deletes a builtin method
delete Array.prototype.map;
//--- proto-define-getter: legacy __defineGetter__
Object.prototype.__defineGetter__('token', () => 'stolen');
//--- proto-define-setter: legacy __defineSetter__ spies on writes
Object.prototype.__defineSetter__('password', (v) => console.log(v));
//--- proto-symbol-iterator: replaces array iteration
Array.prototype[Symbol.iterator] = function* () { yield 0; };
//--- proto-loop-over-builtins: same property on many prototypes
for (const C of [Object, Array, String]) C.prototype.tag = 'x';
//--- proto-class-prototype-extend: through a subclass's parent
class L extends Array {}
Object.getPrototypeOf(L.prototype).join = () => '';
//--- proto-override-json: replaces JSON.parse
JSON.parse = (t) => ({ ok: true });
//--- proto-override-math: replaces Math.random
Math.random = () => 0.5;
//--- proto-override-object-keys: replaces Object.keys
Object.keys = () => [];
//--- proto-global-define: redefines a global builtin
Object.defineProperty(globalThis, 'Promise', { value: class {} });
//--- proto-error-pollution: child options by pollution
Object.prototype.shell = true;
Object.prototype.NODE_OPTIONS = '--require /tmp/x.js';
