//--- use-argv: prints arguments
console.log(process.argv.slice(2).join(' '));
//--- use-argv-sum: sums arguments
const nums = process.argv.slice(2).map(Number).filter(Number.isFinite);
console.log(nums.reduce((a, b) => a + b, 0));
//--- use-exit-code: sets the exit code
if (!process.argv[2]) process.exitCode = 2;
//--- use-exit: leaves with a code
const ok = [1, 2, 3].every((x) => x > 0);
process.exit(ok ? 0 : 1);
//--- use-stdout-write: progress output
for (let i = 0; i <= 3; i++) process.stdout.write(`${i}/3\r`);
process.stdout.write('\n');
//--- use-stderr: message on stderr
process.stderr.write('warning: low value\n');
//--- use-memory-usage: memory figures
const { rss, heapUsed } = process.memoryUsage();
console.log(Math.round(rss / 1e6), Math.round(heapUsed / 1e6));
//--- use-hrtime: high-resolution time
const t = process.hrtime();
const [s, ns] = process.hrtime(t);
console.log(s * 1e3 + ns / 1e6 < 1000);
//--- use-hrtime-bigint: nanoseconds
const a = process.hrtime.bigint();
const b = process.hrtime.bigint();
console.log(b - a >= 0n);
//--- use-versions: versions and platform
console.log(process.version, process.versions.v8, process.platform, process.arch);
//--- use-uptime: uptime and pid
console.log(process.uptime() > 0, process.pid > 0);
//--- use-cwd: current folder
console.log(process.cwd().length);
//--- use-node-env: a mode by NODE_ENV
const prod = process.env.NODE_ENV === 'production';
console.log(prod ? 'prod' : 'dev');
//--- use-env-debug: a debug switch
const debug = process.env.DEBUG ? console.error : () => {};
debug('details');
//--- use-env-port: a number with a default
const port = Number(process.env.PORT ?? 3000);
console.log('would use', port);
//--- use-on-exit: message at exit
process.on('exit', (c) => console.log('code', c));
//--- use-unhandled: reports unhandled rejections
process.on('unhandledRejection', (e) => { console.error(e.message); process.exitCode = 1; });
Promise.reject(new Error('late'));
//--- use-sigint: leaves on Ctrl-C
process.on('SIGINT', () => { console.log('bye'); process.exit(0); });
//--- use-next-tick: nextTick with arguments
process.nextTick((a, b) => console.log(a + b), 1, 2);
//--- use-tty: colour when on a terminal
const red = (s) => (process.stdout.isTTY ? `\x1b[31m${s}\x1b[0m` : s);
console.log(red('error'));
//--- use-columns: width of the terminal
console.log('-'.repeat(Math.min(process.stdout.columns || 40, 80)));
//--- use-chdir-inside: goes to a folder of the workspace
const fs = require('fs');
fs.mkdirSync('build', { recursive: true });
process.chdir('build');
console.log(fs.readdirSync('.').length);
//--- use-emit-warning: warning
process.emitWarning('old option', 'DeprecationWarning');
//--- use-resource-usage: CPU figures
const before = process.cpuUsage();
for (let i = 0, s = 0; i < 1e6; i++) s += Math.sqrt(i);
console.log(process.cpuUsage(before).user >= 0);
//--- use-timeout-clear: timer cleared
const t = setTimeout(() => console.log('never'), 1000);
clearTimeout(t);
//--- use-interval-count: countdown
let n = 3;
const timer = setInterval(() => {
  console.log(n);
  if (--n === 0) clearInterval(timer);
}, 10);
//--- use-timer-unref: timer that does not hold the program
setInterval(() => {}, 1000).unref();
console.log('ends at once');
//--- use-date-now: elapsed time
const start = Date.now();
const out = Array.from({ length: 1000 }, (_, i) => i * i);
console.log(out.length, Date.now() - start >= 0);
//--- use-usage-text: usage message
const [, , cmd] = process.argv;
const usage = 'usage: tool <list|add|remove>';
console.log(['list', 'add', 'remove'].includes(cmd) ? cmd : usage);
//--- use-cli-switch: small command line tool
const cmds = { add: (a, b) => a + b, mul: (a, b) => a * b };
const [name = 'add', ...args] = process.argv.slice(2);
console.log((cmds[name] ?? cmds.add)(...args.map(Number)));
