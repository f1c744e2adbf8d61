//--- tsn-type-import-only: types of a forbidden module, nothing at run time
import type { ChildProcess } from 'child_process';
const p: Partial<ChildProcess> = { pid: 1 };
console.log(p.pid);
//--- tsn-interface-exec: interface with exec, fetch and kill
interface Job { exec(): number; kill(): void; fetch<T>(id: number): T | null }
const j: Job = { exec: () => 1, kill() {}, fetch: () => null };
console.log(j.exec());
//--- tsn-type-named-function: Function as a type
const call = (f: Function, ...a: unknown[]): unknown => f(...a);
console.log(call(Math.max, 1, 2));
//--- tsn-interpreter-eval: interpreter with eval
type Node = { k: 'num'; v: number } | { k: 'add'; l: Node; r: Node };
class Machine {
  eval(n: Node): number { return n.k === 'num' ? n.v : this.eval(n.l) + this.eval(n.r); }
}
console.log(new Machine().eval({ k: 'add', l: { k: 'num', v: 1 }, r: { k: 'num', v: 2 } }));
//--- tsn-regexp-exec: typed exec
const m: RegExpExecArray | null = /(\d+)/.exec('a1');
console.log(m?.[1]);
//--- tsn-enum-modules: enum with forbidden names as labels
enum Kind { ChildProcess = 'child_process', Net = 'net', Eval = 'eval' }
console.log(Object.values(Kind).length, Kind.Net);
//--- tsn-union-of-names: union type of forbidden names
type Banned = 'eval' | 'fetch' | 'child_process';
const list: Banned[] = ['eval', 'fetch'];
console.log(list.includes('eval'));
//--- tsn-repository-fetch: repository with fetch
class Users {
  constructor(private readonly rows: Map<number, string>) {}
  fetch(id: number): string | undefined { return this.rows.get(id); }
}
console.log(new Users(new Map([[1, 'Ann']])).fetch(1));
//--- tsn-error-prototype: setPrototypeOf in an own error
class AppError extends Error {
  constructor(msg: string, readonly code: number) {
    super(msg);
    Object.setPrototypeOf(this, AppError.prototype);
  }
}
console.log(new AppError('x', 3).code);
//--- tsn-own-prototype-typed: method on an own class's prototype
interface Box { size(): number }
class Box { constructor(public w: number) {} }
Box.prototype.size = function (this: Box): number { return this.w; };
console.log(new Box(3).size());
//--- tsn-net-amount: net as a number
const gross: number = 100;
const net: number = gross * 0.8;
console.log(net);
//--- tsn-declare-global-type: only a type is added to the global scope
declare global { interface Window { fetchCount: number } }
export const count: number = 0;
//--- tsn-pool-spawn: pool that spawns particles
class Pool<T> {
  private free: T[] = [];
  constructor(private readonly make: () => T) {}
  spawn(): T { return this.free.pop() ?? this.make(); }
  kill(t: T): void { this.free.push(t); }
}
const pool = new Pool(() => ({ x: 0 }));
pool.kill(pool.spawn());
//--- tsn-generic-require: own function named required
const required = <T>(v: T | undefined, name: string): T => { if (v === undefined) throw new Error(name); return v; };
console.log(required(1, 'x'));
//--- tsn-import-type-expression: import type expression
type Stats = import('fs').Stats;
const size = (s: Pick<Stats, 'size'>): number => s.size;
console.log(size({ size: 3 }));
//--- tsn-typeof-import: typeof import of a forbidden module as a type
type Http = typeof import('http');
type Names = keyof Http;
const n: Names = 'METHODS';
console.log(n.length);
//--- tsn-comment-words: forbidden words in comments and strings
/** Never calls eval(), child_process.exec() or fetch(). */
export function safe(text: string): boolean { return !/eval|exec|fetch/.test(text); }
//--- tsn-record-constructor: record with a key named constructor
const defs: Record<string, number> = Object.create(null);
defs['constructor'] = 1;
console.log(Object.keys(defs));
