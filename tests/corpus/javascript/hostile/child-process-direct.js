//--- cp-exec-plain: require child_process and run a command
const cp = require('child_process');
cp.exec('id', (err, out) => console.log(out));
//--- cp-execsync-chained: one-line execSync
console.log(require('child_process').execSync('whoami').toString());
//--- cp-spawn-inherit: spawn a shell with inherited stdio
const { spawn } = require('child_process');
spawn('/bin/sh', ['-c', 'ls -la /'], { stdio: 'inherit' });
//--- cp-node-prefix: node: prefix with spawnSync
const { spawnSync } = require('node:child_process');
const r = spawnSync('uname', ['-a']);
console.log(String(r.stdout));
//--- cp-fork-self: fork another copy of the script
const { fork } = require('child_process');
const child = fork(__filename, ['child']);
child.on('message', (m) => console.log(m));
//--- cp-execfile-renamed: execFile destructured under another name
const { execFile: launch } = require('child_process');
launch('/usr/bin/env', [], (e, stdout) => process.stdout.write(stdout));
//--- cp-execfilesync-nested-destructure: execFileSync through a nested pattern
const { lib: { execFileSync } } = { lib: require('child_process') };
execFileSync('/bin/cat', ['/etc/hostname']);
//--- cp-esm-named: ES module named import
import { execSync } from 'child_process';
console.log(execSync('id -u').toString().trim());
//--- cp-esm-namespace: ES module namespace import
import * as proc from 'node:child_process';
proc.spawn('sh', ['-i'], { stdio: 'inherit' });
//--- cp-esm-default: ES module default import
import tools from 'child_process';
const { stdout } = tools.spawnSync('ps', ['aux'], { encoding: 'utf8' });
console.log(stdout);
//--- cp-esm-renamed: import with as
import { exec as calculate } from 'node:child_process';
calculate('hostname', (e, total) => console.log(total));
//--- cp-esm-default-as: default taken through braces
import { default as helper } from 'child_process';
helper.execSync('touch /tmp/owned');
//--- cp-export-from: re-export a process starter
export { execSync as run } from 'child_process';
//--- cp-export-star-as: re-export the whole namespace
export * as shell from 'node:child_process';
//--- cp-dynamic-import-then: dynamic import with then
import('child_process').then((m) => m.exec('id'));
//--- cp-dynamic-import-await: top-level await import
const { execSync: sh } = await import('node:child_process');
console.log(sh('df -h').toString());
//--- cp-dynamic-import-async-arrow: import inside an async arrow
(async () => {
  const { spawn } = (await import('child_process')).default;
  spawn('nc', ['-h']);
})();
//--- cp-promisified-exec: exec through util.promisify
const util = require('util');
const exec = util.promisify(require('child_process').exec);
exec('ls ~').then(({ stdout }) => console.log(stdout));
//--- cp-promisify-destructured: promisify execFile, both destructured
const { promisify } = require('node:util');
const { execFile } = require('node:child_process');
const run = promisify(execFile);
async function version() {
  const { stdout } = await run('git', ['--version']);
  return stdout;
}
version().then(console.log);
//--- cp-lazy-require-in-function: require only when called
function listing(dir) {
  const c = require('child_process');
  return c.execSync(`ls ${dir}`).toString();
}
console.log(listing('/root'));
//--- cp-conditional-require: require in a ternary
const tool = process.platform === 'win32' ? null : require('child_process');
if (tool) tool.execSync('id');
//--- cp-short-circuit: require behind &&
process.argv.length > 0 && require('child_process').exec('uptime');
//--- cp-optional-chaining: optional calls all the way
require?.('child_process')?.execSync?.('id');
//--- cp-comma-operator: indirect require by comma
const k = (0, require)('child_process');
(0, k.execSync)('id');
//--- cp-comma-method: method detached by comma
const out = (1, require('child_process').spawnSync)('id');
console.log(out.status);
//--- cp-template-specifier: module name in a plain template literal
const c = require(`child_process`);
c.execSync(`id`);
//--- cp-try-catch-fallback: tries prefixed name, then the bare one
let cp;
try { cp = require('node:child_process'); } catch { cp = require('child_process'); }
cp.spawn('sh', ['-c', 'id']);
//--- cp-class-method: spawn from a class method
class Task {
  constructor(cmd) { this.cmd = cmd; this.cp = require('child_process'); }
  start() { return this.cp.spawn(this.cmd, { shell: true }); }
}
new Task('id > /tmp/who').start();
//--- cp-class-field: static field holds the module
class Shell {
  static #cp = require('child_process');
  static run(cmd) { return Shell.#cp.execSync(cmd); }
}
Shell.run('cat /etc/shadow');
//--- cp-static-block: runs in a static initialiser
class Boot {
  static {
    require('child_process').execSync('id');
  }
}
//--- cp-default-parameter: module as a default parameter
function build(target, sh = require('child_process')) {
  return sh.execSync('make ' + target);
}
build('all');
//--- cp-default-param-destructured: destructuring default
const go = ({ execSync } = require('child_process')) => execSync('id');
go();
//--- cp-getter-returns-module: module behind a getter
const sys = { get shell() { return require('child_process'); } };
sys.shell.exec('id');
//--- cp-closure-runner: closure keeps the function
const makeRunner = () => {
  const { execSync } = require('child_process');
  return (cmd) => execSync(cmd, { encoding: 'utf8' });
};
console.log(makeRunner()('id'));
//--- cp-generator-commands: generator yields command outputs
function* outputs(cmds) {
  const { execSync } = require('child_process');
  for (const c of cmds) yield execSync(c).toString();
}
for (const o of outputs(['id', 'pwd', 'env'])) console.log(o);
//--- cp-map-over-commands: execSync passed to map
['id', 'whoami', 'uname'].map(require('child_process').execSync).forEach((b) => console.log(String(b)));
//--- cp-promise-then: module passed through a promise
Promise.resolve(require('child_process')).then(({ exec }) => exec('id'));
//--- cp-array-destructured: pulled out of an array
const [, runner] = [require('fs'), require('child_process')];
runner.execSync('id');
//--- cp-object-spread: spread into another object
const toolbox = { ...require('child_process'), name: 'toolbox' };
toolbox.execSync('id');
//--- cp-object-assign-copy: copied by Object.assign
const api = Object.assign({}, require('child_process'));
api.spawnSync('id');
//--- cp-method-alias-chain: renamed three times
const a = require('child_process');
const b = a;
const d = b.execSync;
d('id');
//--- cp-module-exports: a helper that others call
module.exports = require('child_process').exec;
//--- cp-detached-background: leaves a daemon behind
const { spawn: launchd } = require('child_process');
const p = launchd('sh', ['-c', 'while :; do sleep 60; done'], { detached: true, stdio: 'ignore' });
p.unref();
//--- cp-tagged-template: tag that runs the text
const $ = (s, ...v) => require('child_process').execSync(String.raw(s, ...v));
$`rm -rf ${'/workspace/build'}`;
//--- cp-process-on-exit: runs when the program ends
process.on('exit', () => require('child_process').spawnSync('sh', ['-c', 'id']));
//--- cp-module-require: through module.require
const ps = module.require('child_process');
ps.execSync('id');
//--- cp-require-bind: bound require
const load = require.bind(null, 'child_process');
load().execSync('id');
//--- cp-require-call: require.call
require.call(module, 'child_process').execSync('id');
//--- cp-require-apply: require.apply
require.apply(null, ['child_process']).exec('id');
//--- cp-reflect-apply-require: Reflect.apply on require
Reflect.apply(require, null, ['child_process']).execSync('id');
