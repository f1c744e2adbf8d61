//--- tsh-interface: interface and function
interface Person { name: string; age?: number }
const greet = (p: Person): string => `hi ${p.name}`;
console.log(greet({ name: 'Ann' }));
//--- tsh-generic-identity: generic functions
function first<T>(xs: readonly T[]): T | undefined { return xs[0]; }
console.log(first<number>([1, 2]), first(['a']));
//--- tsh-generic-constraint: constrained generic
const pluck = <T, K extends keyof T>(xs: T[], k: K): T[K][] => xs.map((x) => x[k]);
console.log(pluck([{ a: 1 }, { a: 2 }], 'a'));
//--- tsh-enum: numeric and string enums
enum Level { Low = 1, Mid, High }
enum Colour { Red = 'red', Blue = 'blue' }
console.log(Level.High, Level[2], Colour.Blue);
//--- tsh-const-enum: const enum
const enum Flag { A = 1 << 0, B = 1 << 1 }
console.log(Flag.A | Flag.B);
//--- tsh-union: discriminated union
type Shape = { kind: 'circle'; r: number } | { kind: 'square'; s: number };
function area(s: Shape): number {
  switch (s.kind) {
    case 'circle': return Math.PI * s.r ** 2;
    case 'square': return s.s ** 2;
  }
}
console.log(area({ kind: 'square', s: 3 }));
//--- tsh-type-guard: type predicate
const isString = (v: unknown): v is string => typeof v === 'string';
console.log([1, 'a', null].filter(isString));
//--- tsh-class: access modifiers
class Account {
  private balance = 0;
  constructor(public readonly owner: string) {}
  deposit(n: number): this { this.balance += n; return this; }
  get total(): number { return this.balance; }
}
console.log(new Account('Ann').deposit(5).total);
//--- tsh-abstract: abstract class
abstract class Animal {
  abstract sound(): string;
  speak(): void { console.log(this.sound()); }
}
class Cow extends Animal { sound(): string { return 'moo'; } }
new Cow().speak();
//--- tsh-implements: class that implements an interface
interface Store<K, V> { get(k: K): V | undefined; set(k: K, v: V): void }
class MemoryStore<K, V> implements Store<K, V> {
  private readonly m = new Map<K, V>();
  get(k: K): V | undefined { return this.m.get(k); }
  set(k: K, v: V): void { this.m.set(k, v); }
}
const s = new MemoryStore<string, number>();
s.set('a', 1);
console.log(s.get('a'));
//--- tsh-mapped-type: mapped and conditional types
type Nullable<T> = { [K in keyof T]: T[K] | null };
type Elem<T> = T extends (infer U)[] ? U : never;
const n: Nullable<{ a: number }> = { a: null };
const e: Elem<string[]> = 'x';
console.log(n, e);
//--- tsh-template-literal-type: template literal type
type Ev = `on${Capitalize<'click' | 'focus'>}`;
const h: Record<Ev, () => void> = { onClick() {}, onFocus() {} };
console.log(Object.keys(h));
//--- tsh-utility-types: utility types
interface Todo { id: number; text: string; done: boolean }
const patch: Partial<Todo> = { done: true };
const view: Pick<Todo, 'id' | 'text'> = { id: 1, text: 'x' };
const rest: Omit<Todo, 'id'> = { text: 'y', done: false };
console.log(patch, view, rest);
//--- tsh-tuple: labelled tuples
type Pair = [name: string, ...scores: number[]];
const p: Pair = ['Ann', 1, 2, 3];
const [name, ...scores] = p;
console.log(name, scores);
//--- tsh-as-const: as const and satisfies
const conf = { mode: 'dark', size: 3 } as const satisfies Record<string, string | number>;
console.log(conf.mode);
//--- tsh-overloads: overloads
function pad(v: string): string;
function pad(v: number, n: number): string;
function pad(v: string | number, n = 5): string { return String(v).padStart(n); }
console.log(pad('a'), pad(1, 3));
//--- tsh-async: typed async function
async function load(id: number): Promise<{ id: number }> {
  await new Promise<void>((r) => setTimeout(r, 1));
  return { id };
}
load(3).then((v) => console.log(v.id));
//--- tsh-generator: typed generator
function* count(n: number): Generator<number, string, void> {
  for (let i = 0; i < n; i++) yield i;
  return 'end';
}
console.log([...count(3)]);
//--- tsh-result-type: result type
type Result<T, E = Error> = { ok: true; value: T } | { ok: false; error: E };
const parse = (t: string): Result<unknown> => {
  try { return { ok: true, value: JSON.parse(t) }; } catch (e) { return { ok: false, error: e as Error }; }
};
console.log(parse('[1]').ok, parse('[').ok);
//--- tsh-fs-read: workspace file with types
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
interface Config { port: number }
const c: Config = existsSync('config.json') ? (JSON.parse(readFileSync('config.json', 'utf8')) as Config) : { port: 1 };
writeFileSync('config.out.json', JSON.stringify(c));
//--- tsh-path-join: path beside the script
import * as path from 'path';
import fs from 'fs';
const out: string = path.join(__dirname, 'out.txt');
fs.writeFileSync(out, 'x');
//--- tsh-crypto: typed hash
import { createHash, type BinaryLike } from 'node:crypto';
const hash = (b: BinaryLike): string => createHash('sha256').update(b).digest('hex');
console.log(hash('x'));
//--- tsh-events: typed emitter
import { EventEmitter } from 'node:events';
class Bus extends EventEmitter {
  override emit(name: 'tick', n: number): boolean { return super.emit(name, n); }
}
new Bus().on('tick', (n: number) => console.log(n)).emit('tick', 1);
//--- tsh-test: typed test
import test from 'node:test';
import assert from 'node:assert/strict';
test('sum', (): void => { assert.equal([1, 2].reduce((a: number, b: number) => a + b, 0), 3); });
//--- tsh-namespace: namespace
namespace Geometry {
  export interface P { x: number; y: number }
  export const dist = (a: P, b: P): number => Math.hypot(a.x - b.x, a.y - b.y);
}
console.log(Geometry.dist({ x: 0, y: 0 }, { x: 3, y: 4 }));
//--- tsh-declare: ambient declarations
declare const VERSION: string | undefined;
declare module 'untyped' { export function f(): void }
console.log(typeof VERSION);
//--- tsh-assertion-function: assertion function
function assertNumber(v: unknown): asserts v is number { if (typeof v !== 'number') throw new TypeError('number'); }
const v: unknown = 4;
assertNumber(v);
console.log(v.toFixed(1));
//--- tsh-readonly-array: read-only data
const days: ReadonlyArray<string> = ['Mon', 'Tue'];
const idx: Readonly<Record<string, number>> = Object.fromEntries(days.map((d, i) => [d, i]));
console.log(idx['Tue']);
//--- tsh-index-signature: index signatures and optional chaining
interface Dict { [key: string]: { n: number } | undefined }
const d: Dict = { a: { n: 1 } };
console.log(d['a']?.n ?? 0, d['b']?.n ?? 0);
//--- tsh-non-null: non-null assertion
const m = new Map<string, number>([['a', 1]]);
console.log(m.get('a')! + 1);
//--- tsh-abstract-factory: constructor types
type Ctor<T> = new (...args: any[]) => T;
const make = <T>(C: Ctor<T>, ...a: any[]): T => new C(...a);
console.log(make(Date, 0).getTime());
//--- tsh-decorator: own decorator
function logged(f: Function, ctx: ClassMethodDecoratorContext) {
  return function (this: unknown, ...a: unknown[]) { console.log(String(ctx.name)); return f.apply(this, a); };
}
class Calc { @logged add(a: number, b: number): number { return a + b; } }
console.log(new Calc().add(1, 2));
