//--- nmp-own-constructor: method on an own prototype
function Dog(name) { this.name = name; }
Dog.prototype.bark = function () { return `${this.name}: woof`; };
console.log(new Dog('Rex').bark());
//--- nmp-own-prototype-object: whole prototype replaced
function Cat() {}
Cat.prototype = { constructor: Cat, meow() { return 'meow'; } };
console.log(new Cat().meow());
//--- nmp-classical-inheritance: Object.create of a parent prototype
function A() {}
A.prototype.hi = () => 'hi';
function B() { A.call(this); }
B.prototype = Object.create(A.prototype);
B.prototype.constructor = B;
console.log(new B().hi());
//--- nmp-set-own-prototype: setPrototypeOf between own prototypes
function Base() {}
Base.prototype.id = function () { return 1; };
function Derived() {}
Object.setPrototypeOf(Derived.prototype, Base.prototype);
console.log(new Derived().id());
//--- nmp-error-set-prototype: custom error with setPrototypeOf
class HttpError extends Error {
  constructor(m) { super(m); Object.setPrototypeOf(this, new.target.prototype); }
}
console.log(new HttpError('x') instanceof HttpError);
//--- nmp-assign-own-prototype: Object.assign into an own prototype
class Base {}
const Loud = { shout() { return 'HEY'; } };
Object.assign(Base.prototype, Loud);
console.log(new Base().shout());
//--- nmp-define-own: defineProperty on an own prototype
class Circle { constructor(r) { this.r = r; } }
Object.defineProperty(Circle.prototype, 'area', { get() { return Math.PI * this.r ** 2; } });
console.log(new Circle(1).area);
//--- nmp-define-own-object: defineProperty on an own object
const o = {};
Object.defineProperty(o, 'hidden', { value: 1, enumerable: false });
console.log(Object.keys(o), o.hidden);
//--- nmp-has-own-property: hasOwnProperty by call
const has = (o, k) => Object.prototype.hasOwnProperty.call(o, k);
console.log(has({ a: 1 }, 'a'), has({}, 'toString'));
//--- nmp-has-own: Object.hasOwn
console.log(Object.hasOwn({ a: 1 }, 'a'));
//--- nmp-to-string-call: type name by toString
const type = (v) => Object.prototype.toString.call(v).slice(8, -1);
console.log(type([]), type(null), type(/x/));
//--- nmp-array-slice-call: slice of an array-like
function tail() { return Array.prototype.slice.call(arguments, 1); }
console.log(tail(1, 2, 3));
//--- nmp-array-map-call: map over a string
console.log(Array.prototype.map.call('abc', (c) => c.toUpperCase()));
//--- nmp-array-push-apply: push.apply into an own array
const list = [1];
Array.prototype.push.apply(list, [2, 3]);
console.log(list);
//--- nmp-call-bind: uncurried method
const slice = Function.prototype.call.bind(Array.prototype.slice);
console.log(slice([1, 2, 3], 1));
//--- nmp-get-prototype-read: reads a prototype
console.log(Object.getPrototypeOf([]) === Array.prototype, Array.prototype.isPrototypeOf([]));
//--- nmp-prototype-chain: prints a prototype chain
let p = new (class X extends Map {})();
while ((p = Object.getPrototypeOf(p))) console.log(p.constructor.name);
//--- nmp-own-property-names: lists methods of a class
class Tool { run() {} stop() {} }
console.log(Object.getOwnPropertyNames(Tool.prototype).filter((n) => n !== 'constructor'));
//--- nmp-builtin-methods: lists methods of a builtin
console.log(Object.getOwnPropertyNames(Array.prototype).length > 20);
//--- nmp-create-null: dictionary without a prototype
const dict = Object.create(null);
dict.constructor = 'a word';
console.log(dict.constructor, 'toString' in dict);
//--- nmp-create-from: object from a template object
const proto = { greet() { return `hi ${this.n}`; } };
const o = Object.create(proto, { n: { value: 'Ann', enumerable: true } });
console.log(o.greet());
//--- nmp-proto-null-literal: literal with a null prototype
const dict = { __proto__: null, a: 1 };
console.log(Object.keys(dict));
//--- nmp-safe-merge: merge that skips dangerous keys
function merge(t, s) {
  for (const k of Object.keys(s)) {
    if (k === '__proto__' || k === 'constructor' || k === 'prototype') continue;
    t[k] = s[k] && typeof s[k] === 'object' ? merge(t[k] ?? {}, s[k]) : s[k];
  }
  return t;
}
console.log(merge({ a: { b: 1 } }, { a: { c: 2 } }));
//--- nmp-safe-set: refuses dangerous keys
const forbidden = new Set(['__proto__', 'constructor', 'prototype']);
function set(o, k, v) { if (forbidden.has(k)) throw new Error('bad key'); o[k] = v; }
const o = {};
set(o, 'x', 1);
console.log(o);
//--- nmp-json-strip: reviver that drops __proto__
const clean = JSON.parse('{"a":1,"__proto__":{"x":1}}', (k, v) => (k === '__proto__' ? undefined : v));
console.log(clean);
//--- nmp-freeze-prototype: freezes an own prototype
class Fixed { get v() { return 1; } }
Object.freeze(Fixed.prototype);
console.log(Object.isFrozen(Fixed.prototype));
//--- nmp-class-extends-builtins: subclasses of builtins
class Stack extends Array { peek() { return this[this.length - 1]; } }
const s = new Stack();
s.push(1, 2);
console.log(s.peek(), s instanceof Array);
//--- nmp-subclass-prototype: method added to an own subclass of Array
class Numbers extends Array {}
Numbers.prototype.sum = function () { return this.reduce((a, b) => a + b, 0); };
console.log(Numbers.from([1, 2, 3]).sum());
//--- nmp-symbol-species: species of an own class
class MyArr extends Array { static get [Symbol.species]() { return Array; } }
console.log(new MyArr(1, 2, 3).map((x) => x) instanceof MyArr);
//--- nmp-dynamic-methods: methods generated on an own class
class Api {}
for (const n of ['red', 'green']) Api.prototype[n] = function () { return n; };
console.log(new Api().green());
//--- nmp-accessor-copy: copies accessors between own objects
const src = { get x() { return 1; } };
const dst = Object.defineProperties({}, Object.getOwnPropertyDescriptors(src));
console.log(dst.x);
//--- nmp-instanceof-loop: own instanceof
const isA = (o, C) => { for (let p = o; p; p = Object.getPrototypeOf(p)) if (p === C.prototype) return true; return false; };
console.log(isA([], Array), isA({}, Array));
//--- nmp-reflect-own-prototype: Reflect.getPrototypeOf of an own object
class Q {}
console.log(Reflect.getPrototypeOf(new Q()) === Q.prototype);
//--- nmp-prototype-variable: variable named prototype
const prototype = { stage: 'prototype', version: 0.1 };
prototype.version = 0.2;
console.log(prototype);
//--- nmp-array-from-object: builtin methods read, not changed
const { push, map } = Array.prototype;
const out = [];
push.call(out, ...map.call([1, 2], (x) => x * 2));
console.log(out);
