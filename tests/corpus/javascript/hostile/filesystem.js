//--- fs-read-passwd: reads the account list
console.log(require('fs').readFileSync('/etc/passwd', 'utf8'));
//--- fs-read-shadow-callback: asynchronous read of shadow
const fs = require('fs');
fs.readFile('/etc/shadow', 'utf8', (e, d) => console.log(e || d));
//--- fs-promises-hosts: fs/promises read of hosts
const fsp = require('fs/promises');
fsp.readFile('/etc/hosts', 'utf8').then(console.log);
//--- fs-esm-read: named import
import { readFileSync } from 'node:fs';
console.log(readFileSync('/proc/self/environ', 'utf8'));
//--- fs-esm-promises: promises import with top-level await
import { readFile } from 'fs/promises';
console.log(await readFile('/root/.ssh/id_rsa', 'utf8'));
//--- fs-homedir-ssh: private key through os.homedir
const os = require('os');
const path = require('path');
const key = require('fs').readFileSync(path.join(os.homedir(), '.ssh', 'id_rsa'), 'utf8');
console.log(key.length);
//--- fs-homedir-destructured: homedir destructured
const { homedir } = require('os');
const { readFileSync } = require('fs');
readFileSync(`${homedir()}/.aws/credentials`);
//--- fs-env-home: home from the environment
const fs = require('fs');
fs.readFileSync(process.env.HOME + '/.npmrc', 'utf8');
//--- fs-parent-traversal: climbs out with ..
const fs = require('fs');
fs.readFileSync('../../../../etc/passwd');
//--- fs-parent-of-dirname: sibling folder through __dirname
const fs = require('fs');
const path = require('path');
fs.readdirSync(path.join(__dirname, '..', '..', 'secrets'));
//--- fs-resolve-root: path.resolve to the root
const path = require('path');
require('fs').readdirSync(path.resolve('/'));
//--- fs-write-bashrc: persistence in .bashrc
const fs = require('fs');
fs.appendFileSync('/root/.bashrc', '\nnode /tmp/.agent.js &\n');
//--- fs-write-cron: persistence in cron
require('fs').writeFileSync('/etc/cron.d/sync', '* * * * * root /tmp/x\n');
//--- fs-write-authorized-keys: adds an ssh key
const { appendFileSync } = require('fs');
appendFileSync('/home/user/.ssh/authorized_keys', 'ssh-ed25519 AAAA attacker\n');
//--- fs-tilde-path: tilde in a constant
const fs = require('fs');
fs.existsSync('~/.config') || fs.mkdirSync('~/.config', { recursive: true });
//--- fs-rm-root: recursive removal of /
require('fs').rmSync('/', { recursive: true, force: true });
//--- fs-rm-home: recursive removal of home
const { rm } = require('fs/promises');
rm(require('os').homedir(), { recursive: true });
//--- fs-unlink-log: deletes a system log
require('fs').unlinkSync('/var/log/auth.log');
//--- fs-symlink-out: link from the workspace to the outside
const fs = require('fs');
fs.symlinkSync('/etc', '/workspace/etc-link');
console.log(fs.readdirSync('/workspace/etc-link'));
//--- fs-hard-link: hard link of a system file
require('fs').linkSync('/etc/passwd', '/workspace/p');
//--- fs-copy-out: copies a secret into the workspace
require('fs').copyFileSync('/root/.netrc', './n.txt');
//--- fs-chmod-suid: sets the setuid bit
require('fs').chmodSync('/bin/bash', 0o4755);
//--- fs-chown: changes the owner of a system file
require('fs').chownSync('/etc/sudoers', 1000, 1000);
//--- fs-open-mem: opens its own memory
const fs = require('fs');
const fd = fs.openSync('/proc/self/mem', 'r+');
fs.writeSync(fd, Buffer.alloc(8), 0, 8, 0x400000);
//--- fs-read-stream: stream from a device
require('fs').createReadStream('/dev/sda').pipe(process.stdout);
//--- fs-write-stream: stream to a system folder
require('fs').createWriteStream('/usr/local/bin/node').end('#!/bin/sh\n');
//--- fs-watch-outside: watches another folder
require('fs').watch('/home', (ev, f) => console.log(ev, f));
//--- fs-glob-walk: walks the whole disk
const fs = require('fs');
function walk(d) {
  for (const e of fs.readdirSync(d, { withFileTypes: true })) {
    if (e.isDirectory()) walk(d + '/' + e.name);
    else console.log(d + '/' + e.name);
  }
}
walk('/home');
//--- fs-path-concat: path by concatenation
const fs = require('fs');
fs.readFileSync('/e' + 'tc/pa' + 'sswd');
//--- fs-path-join-array: path by join
require('fs').readFileSync(['', 'etc', 'passwd'].join('/'));
//--- fs-path-base64: path decoded
require('fs').readFileSync(Buffer.from('L2V0Yy9wYXNzd2Q=', 'base64').toString());
//--- fs-path-hex: path from hex
require('fs').readFileSync(Buffer.from('2f6574632f706173737764', 'hex').toString());
//--- fs-path-reverse: path reversed
require('fs').readFileSync([...'dwssap/cte/'].reverse().join(''));
//--- fs-path-charcode: path from codes
require('fs').readFileSync(String.fromCharCode(47, 101, 116, 99, 47, 112, 97, 115, 115, 119, 100));
//--- fs-path-template: path by template
const area = 'etc';
require('fs').readFileSync(`/${area}/group`);
//--- fs-path-escapes: path by hex escapes
require('fs').readFileSync('\x2fetc\x2fpasswd');
//--- fs-path-path-join: absolute path through path.join
const path = require('path');
require('fs').readFileSync(path.join('/', 'etc', 'passwd'));
//--- fs-path-sep: path built on path.sep
const { sep } = require('path');
require('fs').readFileSync(sep + 'etc' + sep + 'passwd');
//--- fs-path-in-object: path in a settings object
const config = { input: '/etc/ssl/private/server.key' };
require('fs').readFileSync(config.input);
//--- fs-path-url: file URL
const { readFileSync } = require('fs');
readFileSync(new URL('file:///etc/passwd'));
//--- fs-path-buffer: path given as a Buffer
require('fs').readFileSync(Buffer.from('/etc/passwd'));
//--- fs-path-normalise: workspace prefix that climbs out
require('fs').readFileSync('/workspace/../etc/passwd');
//--- fs-path-tmp-climb: tmp prefix that climbs out
require('fs').writeFileSync('/tmp/../etc/profile.d/x.sh', 'id');
//--- fs-import-meta-up: relative to import.meta.url, upwards
import { readFileSync } from 'fs';
readFileSync(new URL('../../secret.txt', import.meta.url));
//--- fs-method-computed: method by computed key
const fs = require('fs');
fs['readFile' + 'Sync']('/etc/passwd');
//--- fs-method-alias: method under another name
const { readFileSync: peek } = require('node:fs');
peek('/etc/passwd');
//--- fs-method-reflect: Reflect.get on fs
Reflect.get(require('fs'), 'writeFileSync')('/etc/motd', 'hi');
//--- fs-method-bind: bound read
const passwd = require('fs').readFileSync.bind(null, '/etc/passwd');
console.log(String(passwd()));
//--- fs-promises-property: the promises property
require('fs').promises.readdir('/root').then(console.log);
//--- fs-promises-nested-destructure: promises destructured
const { promises: { writeFile } } = require('fs');
writeFile('/etc/ld.so.preload', '/tmp/x.so\n');
//--- fs-map-paths: several paths mapped
const fs = require('fs');
['/etc/passwd', '/etc/group'].map((p) => fs.readFileSync(p, 'utf8')).forEach((t) => console.log(t));
//--- fs-param-path: path goes through a function
const fs = require('fs');
const show = (p) => fs.readFileSync(p, 'utf8');
console.log(show('/var/run/secrets/kubernetes.io/serviceaccount/token'));
//--- fs-class-field-path: path in a class field
class Reader {
  file = '/etc/passwd';
  read() { return require('fs').readFileSync(this.file, 'utf8'); }
}
console.log(new Reader().read());
//--- fs-userinfo-home: home through os.userInfo
const os = require('os');
require('fs').readdirSync(os.userInfo().homedir);
//--- fs-opendir-async: opendir outside
const { opendir } = require('fs/promises');
(async () => {
  for await (const e of await opendir('/var/lib')) console.log(e.name);
})();
//--- fs-open-filehandle: FileHandle on a system file
import { open } from 'node:fs/promises';
const fh = await open('/etc/crontab', 'a');
await fh.appendFile('* * * * * root id\n');
//--- fs-rename-binary: replaces a system binary
require('fs').renameSync('/workspace/fake-ls', '/bin/ls');
//--- fs-sysrq: kernel trigger through proc
require('fs').writeFileSync('/proc/sysrq-trigger', 'b');
//--- fs-cgroup-release: writes a cgroup release agent
require('fs').writeFileSync('/sys/fs/cgroup/release_agent', '/workspace/x.sh');
//--- fs-proc-other-environ: environments of other processes
const fs = require('fs');
for (const pid of fs.readdirSync('/proc').filter((n) => /^\d+$/.test(n))) {
  try { console.log(fs.readFileSync(`/proc/${pid}/environ`, 'utf8')); } catch {}
}
