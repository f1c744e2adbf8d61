//--- dyn-eval-literal: eval of a constant
eval('console.log(1 + 1)');
//--- dyn-eval-argv: eval of an argument
console.log(eval(process.argv[2]));
//--- dyn-eval-indirect: comma-detached eval
(0, eval)('var leaked = 1');
//--- dyn-eval-alias: eval under another name
const run = eval;
run('process.exit(3)');
//--- dyn-eval-globalthis: eval off globalThis
globalThis.eval('1 + 1');
//--- dyn-eval-global-computed: computed eval
global['ev' + 'al']('1 + 1');
//--- dyn-eval-optional: optional call of eval
eval?.('1 + 1');
//--- dyn-eval-optional-chain: optional member and call
globalThis?.eval?.('1 + 1');
//--- dyn-eval-destructured: destructured from globalThis
const { eval: calc } = globalThis;
calc('1 + 1');
//--- dyn-eval-call: eval.call
eval.call(null, '1 + 1');
//--- dyn-eval-apply: eval.apply
eval.apply(null, ['1 + 1']);
//--- dyn-eval-bind: eval.bind
const later = eval.bind(null, '1 + 1');
later();
//--- dyn-eval-reflect-apply: Reflect.apply on eval
Reflect.apply(eval, null, ['1 + 1']);
//--- dyn-eval-reflect-get: Reflect.get of eval
Reflect.get(globalThis, 'eval')('1 + 1');
//--- dyn-eval-map: eval as a callback
['1 + 1', '2 + 2'].map(eval);
//--- dyn-eval-map-wrapped: callback that evaluates
['1 + 1', '2 + 2'].forEach((src) => eval(src));
//--- dyn-eval-escaped: unicode escape in the identifier
\u0065val('1 + 1');
//--- dyn-eval-base64: decoded and evaluated
eval(atob('Y29uc29sZS5sb2coMSk='));
//--- dyn-eval-buffer-hex: hex-decoded source
eval(Buffer.from('636f6e736f6c652e6c6f67283129', 'hex').toString());
//--- dyn-eval-charcodes: source from character codes
eval(String.fromCharCode(112, 114, 111, 99, 101, 115, 115, 46, 101, 120, 105, 116, 40, 41));
//--- dyn-eval-file: evaluates a file
const fs = require('fs');
eval(fs.readFileSync('plugin.js', 'utf8'));
//--- dyn-eval-stdin: evaluates what stdin says
process.stdin.on('data', (d) => eval(d.toString()));
//--- dyn-eval-json: the old JSON parsing trick
const parse = (t) => eval('(' + t + ')');
parse('{"a": 1}');
//--- dyn-eval-template: source in a template
const name = process.argv[2];
eval(`var ${name} = 1`);
//--- dyn-eval-sloppy-this: global through a sloppy function
const root = (function () { return this; })();
root.eval('1 + 1');
//--- dyn-eval-key-table: key out of a table
const keys = ['parse', 'eval', 'log'];
globalThis[keys[1]]('1 + 1');
//--- dyn-eval-default-param: eval as a default parameter
function interpret(text, how = eval) { return how(text); }
interpret('1 + 1');
//--- dyn-eval-object-shorthand: eval stored in an object
const ops = { eval };
ops.eval('1 + 1');
//--- dyn-eval-arguments: eval handed to a helper
function use(f, ...a) { return f(...a); }
use(eval, '1 + 1');
//--- dyn-eval-descriptor: eval via getOwnPropertyDescriptor
Object.getOwnPropertyDescriptor(globalThis, 'eval').value('1 + 1');
//--- dyn-function-new: new Function
const add = new Function('a', 'b', 'return a + b');
add(1, 2);
//--- dyn-function-call: Function without new
Function('return process')().exit();
//--- dyn-function-alias: Function under another name
const F = Function;
new F('return 1')();
//--- dyn-function-globalthis: Function off globalThis
new globalThis.Function('return this')();
//--- dyn-function-constructor-of-arrow: constructor of an arrow
(() => {}).constructor('return process')().exit();
//--- dyn-function-constructor-of-function: constructor of a declared function
function nothing() {}
nothing.constructor('return globalThis')();
//--- dyn-function-constructor-chain: constructor.constructor of a string
''.constructor.constructor('return process')();
//--- dyn-function-constructor-array: constructor chain from an array
[].constructor.constructor('return this')().process;
//--- dyn-function-constructor-object: constructor chain from an object
({}).constructor.constructor('return process.env')();
//--- dyn-function-constructor-computed: computed constructor keys
const c = 'constr' + 'uctor';
[][c][c]('return process')();
//--- dyn-function-constructor-filter: through an array method
[].filter.constructor('return 1')();
//--- dyn-function-constructor-this: from this
this.constructor.constructor('return process')().exit(1);
//--- dyn-function-constructor-number: from a number
(5)['constructor']['constructor']('return globalThis')();
//--- dyn-function-constructor-base64: body decoded
Function(atob('cmV0dXJuIHByb2Nlc3M='))();
//--- dyn-function-prototype-constructor: Function.prototype.constructor
Function.prototype.constructor('return process')();
//--- dyn-function-reflect-construct: Reflect.construct of Function
Reflect.construct(Function, ['return process'])();
//--- dyn-function-reflect-apply: Reflect.apply of Function
Reflect.apply(Function, null, ['return 1'])();
//--- dyn-function-call-method: Function.call
Function.call(null, 'return process')();
//--- dyn-function-bind: bound Function
const make = Function.bind(null, 'x');
make('return x * 2')(4);
//--- dyn-function-tagged: Function as a template tag
Function`alert``${1}```;
//--- dyn-function-get-prototype: constructor by getPrototypeOf
Object.getPrototypeOf(function () {}).constructor('return process')();
//--- dyn-function-class-constructor: constructor of a class
class A {}
A.constructor('return process')();
//--- dyn-function-extends: subclass of Function
class Code extends Function {
  constructor(body) { super(body); }
}
new Code('return process')();
//--- dyn-function-optional: optional chain to constructor
(() => 0)?.constructor?.('return process')?.();
//--- dyn-async-function-constructor: AsyncFunction
const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor;
new AsyncFunction('return 1')();
//--- dyn-async-arrow-constructor: AsyncFunction off an arrow
(async () => {}).constructor('await 1; return process')().then(console.log);
//--- dyn-generator-function-constructor: GeneratorFunction
const GeneratorFunction = (function* () {}).constructor;
[...new GeneratorFunction('yield 1')()];
//--- dyn-async-generator-constructor: AsyncGeneratorFunction
const AGF = Object.getPrototypeOf(async function* () {}).constructor;
AGF('yield process')().next();
//--- dyn-settimeout-string: setTimeout with a string
setTimeout('process.exit()', 10);
//--- dyn-setinterval-string: setInterval with built text
const code = 'console' + '.log(1)';
setInterval(code, 1000);
//--- dyn-settimeout-alias-string: timer alias with a template
const soon = setTimeout;
soon(`process.kill(${1})`, 0);
//--- dyn-vm-run-in-this: vm.runInThisContext
require('vm').runInThisContext('process.exit()');
//--- dyn-vm-run-in-new: vm.runInNewContext with escape
const vm = require('vm');
vm.runInNewContext('this.constructor.constructor("return process")().exit()');
//--- dyn-vm-script: vm.Script
const { Script, createContext } = require('node:vm');
new Script('x = 1').runInContext(createContext({}));
//--- dyn-vm-compile-function: vm.compileFunction
const { compileFunction } = require('vm');
compileFunction('return process')();
//--- dyn-vm-esm: vm by import
import vm from 'node:vm';
vm.runInThisContext('1 + 1');
//--- dyn-vm-hidden: vm by character codes
require(String.fromCharCode(118, 109)).runInThisContext('1');
//--- dyn-vm-source-text-module: SourceTextModule
import { SourceTextModule } from 'vm';
const m = new SourceTextModule('export default 1');
await m.link(() => {});
await m.evaluate();
//--- dyn-import-data-url: code in a data URL
import('data:text/javascript,console.log(1)');
//--- dyn-import-data-base64: base64 code in a data URL
await import('data:text/javascript;base64,Y29uc29sZS5sb2coMSk=');
//--- dyn-function-tostring-rebuild: rebuilds a function from its text
const src = (function () { return 1; }).toString().replace('1', process.argv[2]);
new Function('return (' + src + ')')()();
//--- dyn-write-then-require: writes code and loads it
const fs = require('fs');
fs.writeFileSync('./gen.js', 'module.exports = ' + process.argv[2]);
require('./gen.js');
//--- dyn-module-compile: module._compile
const Module = require('module');
const m = new Module('x');
m._compile('module.exports = process', 'x.js');
//--- dyn-class-static-eval: eval in a class
class Template {
  static render(t, data) {
    return new Function(...Object.keys(data), 'return `' + t + '`')(...Object.values(data));
  }
}
Template.render('hi ${n}', { n: 1 });
//--- dyn-generator-eval: evaluates what it is sent
function* repl() {
  let r;
  for (;;) r = eval(yield r);
}
const it = repl();
it.next();
it.next('1 + 1');
//--- dyn-getter-eval: eval behind a getter
const o = { get go() { return eval; } };
o.go('1 + 1');
//--- dyn-error-stack-prepare: reaches globals through stack frames
Error.prepareStackTrace = (_, frames) => frames;
const frame = new Error().stack[0];
frame.getFunction()?.constructor('return process')();
//--- dyn-promise-then-eval: eval as a then handler
Promise.resolve('1 + 1').then(eval);
