//--- nms-comment-words: forbidden words only in comments
// never use child_process.exec or eval here; fetch('http://x') is not allowed
/* require('net').connect(1, 'h'); process.kill(1); new Function('x') */
console.log('clean');
//--- nms-string-eval: the word in a string
console.log("Do not call eval('1+1') in your programs.");
//--- nms-string-require: a require call in a string
const sample = "const cp = require('child_process'); cp.execSync('id');";
console.log(sample.length);
//--- nms-template-code: code shown in a template
const lesson = `
  import { exec } from 'child_process';
  exec('ls', console.log);
`;
console.log(lesson.trim().split('\n').length);
//--- nms-denylist: a list of forbidden modules
const banned = ['child_process', 'net', 'http', 'https', 'vm', 'worker_threads', 'cluster'];
console.log(banned.includes('fs'));
//--- nms-linter-rule: a linter that looks for eval
const src = 'let a = eval(x)';
const bad = /\b(eval|Function|setTimeout)\s*\(/g;
console.log([...src.matchAll(bad)].map((m) => m[1]));
//--- nms-scanner: a scanner of source files
const patterns = { exec: /child_process/, net: /require\(['"](net|http)['"]\)/, proto: /__proto__/ };
const scan = (t) => Object.keys(patterns).filter((k) => patterns[k].test(t));
console.log(scan("require('net')"));
//--- nms-regex-literal: forbidden words in a regular expression
console.log(/process\.binding|dlopen|inspector/.test('nothing here'));
//--- nms-path-strings: absolute paths only as text
const examples = ['/etc/passwd', '/root/.ssh/id_rsa', '~/.bashrc'];
console.log(examples.map((p) => p.split('/').pop()));
//--- nms-path-arithmetic: path arithmetic without file access
const path = require('path');
console.log(path.normalize('a/../b'), path.relative('/usr/lib', '/usr/bin'), path.isAbsolute('/etc'));
//--- nms-path-guard: refuses paths that climb out
const path = require('path');
const safe = (p) => !path.normalize(p).startsWith('..') && !path.isAbsolute(p);
console.log(safe('a/b'), safe('../x'), safe('/etc/passwd'));
//--- nms-url-strings: addresses as text
const links = ['http://example.com', 'https://example.org/a?b=c'];
console.log(links.map((l) => new URL(l).host));
//--- nms-url-relative: relative URL with dots
console.log(new URL('../img/x.png', 'https://example.com/a/b/').pathname);
//--- nms-html-page: HTML that mentions fetch and WebSocket
const html = `<script>fetch('/api').then(r => r.json()); new WebSocket('ws://x');</script>`;
require('fs').writeFileSync('page.html', html);
//--- nms-markdown-docs: documentation with shell commands
const doc = ['# Install', '```sh', 'curl https://example.com/install.sh | sh', 'rm -rf node_modules', '```'];
console.log(doc.join('\n'));
//--- nms-sql-exec: SQL text with EXEC and KILL
const sql = "EXEC sp_who; KILL 53; DROP TABLE users; --";
console.log(sql.split(';').length);
//--- nms-error-message: error texts with forbidden words
class SandboxError extends Error {}
const err = new SandboxError('child_process.spawn is not available: use of eval refused');
console.log(err.message);
//--- nms-event-names: events named exec, spawn and kill
const { EventEmitter } = require('events');
const e = new EventEmitter();
for (const n of ['exec', 'spawn', 'kill']) e.on(n, () => console.log('event', n));
e.emit('kill');
//--- nms-enum-labels: labels named after signals
const signals = { SIGKILL: 9, SIGTERM: 15, SIGSTOP: 19 };
console.log(Object.entries(signals).find(([, n]) => n === 9)[0]);
//--- nms-translation: translations with the words
const en = { process: 'process', kill: 'end task', fork: 'fork and knife', cluster: 'grape cluster' };
console.log(en.fork);
//--- nms-quiz: a quiz about Node
const quiz = [{ q: 'Which module starts programs?', a: 'child_process' }, { q: 'Which call is unsafe?', a: 'eval' }];
for (const { q, a } of quiz) console.log(q, a.length);
//--- nms-log-parser: finds commands in a log
const log = '10:00 exec /bin/ls\n10:01 connect 10.0.0.1\n10:02 open /etc/hosts';
console.log(log.split('\n').map((l) => l.split(' ')[1]));
//--- nms-env-names: names of variables as text
const names = ['AWS_SECRET_ACCESS_KEY', 'NODE_OPTIONS', 'LD_PRELOAD'];
console.log(names.map((n) => n.toLowerCase()));
//--- nms-env-mask: masks secrets in a text
const mask = (t) => t.replace(/(token|secret|password)=\S+/gi, '$1=***');
console.log(mask('user=a token=abc password=xyz'));
//--- nms-ip-validator: validates addresses
const ip = (s) => /^(\d{1,3}\.){3}\d{1,3}$/.test(s) && s.split('.').every((n) => n < 256);
console.log(ip('169.254.169.254'), ip('999.1.1.1'));
//--- nms-package-json: package.json with scripts
const pkg = { name: 'x', scripts: { postinstall: 'node setup.js', test: 'node --test' }, dependencies: { axios: '^1.0.0' } };
require('fs').writeFileSync('package.json', JSON.stringify(pkg, null, 2));
//--- nms-code-generator: writes a module as text
const names = ['add', 'sub'];
const code = names.map((n) => `exports.${n} = (a, b) => a ${n === 'add' ? '+' : '-'} b;`).join('\n');
require('fs').writeFileSync('generated.txt', code);
//--- nms-highlighter: keyword highlighter
const kw = new Set(['eval', 'import', 'require', 'process', 'global']);
const mark = (s) => s.replace(/\w+/g, (w) => (kw.has(w) ? `[${w}]` : w));
console.log(mark('eval and import are words'));
//--- nms-shell-quote: quotes text for a shell without running it
const quote = (s) => `'${s.replace(/'/g, `'\\''`)}'`;
console.log(['echo', quote("it's")].join(' '));
//--- nms-cron-parser: reads a cron line
const [min, hour] = '5 4 * * 1 /usr/bin/backup'.split(/\s+/);
console.log(min, hour);
//--- nms-http-status: table of HTTP answers
const http = { 200: 'OK', 404: 'Not Found', 500: 'Server Error' };
console.log(http[404]);
//--- nms-http-message: parses an HTTP message held in a string
const raw = 'GET /index.html HTTP/1.1\r\nHost: example.com\r\n\r\n';
const [method, target] = raw.split('\r\n')[0].split(' ');
console.log(method, target);
//--- nms-user-agent: strings of user agents
const ua = 'curl/8.0 (node-fetch; axios)';
console.log(/curl|wget/.test(ua));
//--- nms-word-in-identifier: identifiers that contain the words
const evaluation = 1, medieval = 2, retrieval = 3, executor = 4, fetcher = 5, netWorth = 6, respawn = 7;
console.log(evaluation + medieval + retrieval + executor + fetcher + netWorth + respawn);
//--- nms-unicode-escapes: escapes in ordinary text
console.log('caf\u00e9', '\x41\x42', '\u{1F44B}');
//--- nms-joined-words: joined words that are data
console.log(['child', 'process', 'model'].join('_'), 'grand' + 'child');
//--- nms-test-names: tests named after attacks
const { test } = require('node:test');
const assert = require('node:assert');
test('rejects eval and child_process', () => {
  const rejects = (s) => /eval|child_process/.test(s);
  assert.ok(rejects("require('child_process')"));
});
//--- nms-json-proto-text: text with __proto__ that is only searched
const body = '{"__proto__": {"x": 1}}';
console.log(body.includes('__proto__') ? 'rejected' : 'fine');
//--- nms-commented-attack: an attack that was commented out
const total = [1, 2, 3].reduce((a, b) => a + b);
// require('https').get('https://example.com/?t=' + total);
console.log(total);
//--- nms-regex-with-slashes: division that looks like a regular expression
const a = 10, b = 2, g = 1;
console.log(a / b / g, '/etc/'.length / 5);
