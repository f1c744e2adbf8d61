//--- wrk-worker-file: worker from a file
const { Worker } = require('worker_threads');
new Worker('./task.js');
//--- wrk-worker-eval: worker from source text
const { Worker } = require('worker_threads');
new Worker('require("child_process").execSync("id")', { eval: true });
//--- wrk-worker-node-prefix: namespace with prefix
const wt = require('node:worker_threads');
new wt.Worker(__filename);
//--- wrk-worker-esm: worker by import
import { Worker, isMainThread } from 'worker_threads';
if (isMainThread) new Worker(new URL(import.meta.url));
//--- wrk-worker-hidden: module name joined
const { Worker: W } = require(['worker', 'threads'].join('_'));
new W('./x.js');
//--- wrk-worker-base64: module name decoded
new (require(atob('d29ya2VyX3RocmVhZHM=')).Worker)('./x.js');
//--- wrk-worker-bomb: endless workers
const { Worker } = require('worker_threads');
while (true) new Worker(__filename);
//--- wrk-worker-env-share: worker shares the environment
const { Worker, SHARE_ENV } = require('worker_threads');
new Worker('process.env.PATH = "/tmp"', { eval: true, env: SHARE_ENV });
//--- wrk-worker-construct: Reflect.construct of a Worker
Reflect.construct(require('worker_threads').Worker, ['./x.js']);
//--- wrk-worker-extends: subclass of Worker
class Job extends require('worker_threads').Worker {
  constructor() { super('./job.js'); }
}
new Job();
//--- wrk-worker-data-url: worker from a data URL
import { Worker } from 'node:worker_threads';
new Worker(new URL('data:text/javascript,process.exit()'));
//--- wrk-cluster-fork: cluster.fork
const cluster = require('cluster');
if (cluster.isPrimary) cluster.fork();
//--- wrk-cluster-many: fork per CPU
import cluster from 'node:cluster';
import { cpus } from 'node:os';
cpus().forEach(() => cluster.fork());
//--- wrk-cluster-setup: cluster runs another program
const c = require('node:cluster');
c.setupPrimary({ exec: '/tmp/other.js' });
c.fork();
//--- wrk-cluster-hidden: cluster reversed
require([...'retsulc'].reverse().join('')).fork();
//--- dbg-inspector-open: opens the inspector port
require('inspector').open(9229, '0.0.0.0');
//--- dbg-inspector-session: evaluates through the inspector
const { Session } = require('node:inspector');
const s = new Session();
s.connect();
s.post('Runtime.evaluate', { expression: 'process.mainModule.require("child_process").execSync("id")' });
//--- dbg-inspector-promises: inspector/promises
import { Session } from 'node:inspector/promises';
const s = new Session();
s.connect();
await s.post('Debugger.enable');
//--- dbg-inspector-hidden: inspector by concatenation
require('inspec' + 'tor').url();
//--- dbg-process-debug: opens the debugger of another process
process._debugProcess(1);
//--- dbg-sigusr1: signal that opens a debugger
process.kill(process.ppid, 'SIGUSR1');
//--- dbg-v8-flags: sets V8 flags
require('v8').setFlagsFromString('--allow-natives-syntax');
//--- dbg-v8-heap-snapshot: dumps the heap
require('v8').writeHeapSnapshot('/tmp/heap.heapsnapshot');
//--- dbg-v8-esm: v8 by import
import v8 from 'node:v8';
v8.setFlagsFromString('--expose-gc');
//--- dbg-v8-computed: v8 method by key
const v = require('v8');
v['setFlags' + 'FromString']('--no-opt');
//--- dbg-v8-deserialize: deserialises foreign bytes
const { deserialize } = require('v8');
deserialize(require('fs').readFileSync('blob.bin'));
//--- dbg-repl-start: starts a REPL
require('repl').start('> ');
//--- dbg-repl-context: REPL with objects in its context
const repl = require('node:repl');
repl.start({ prompt: '', input: process.stdin }).context.fs = require('fs');
//--- dbg-repl-esm: REPL by import
import { start } from 'repl';
start();
//--- dbg-repl-over-socket: REPL over a socket
require('net').createServer((c) => require('repl').start({ input: c, output: c })).listen(5001);
//--- dbg-diagnostics-worker-vm: vm inside a worker
const { Worker } = require('worker_threads');
const src = Buffer.from('dm0=', 'base64');
new Worker(`require('${src}').runInThisContext('1')`, { eval: true });
