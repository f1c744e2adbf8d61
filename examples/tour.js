// A look around inside a cell, in JavaScript.   ./dev run examples/tour.js
const dgram = require('dgram');
const fs = require('fs');
const os = require('os');

const show = (name, value) => console.log(`  ${name.padEnd(28)} ${value}`);

// Tries what a cell must not be able to do, and prints how it ended.
async function probe(name, action) {
  try {
    show(name, `REACHED: ${await action()}`);
  } catch (error) {
    show(name, error.code ? `refused: ${error.code}` : `could not be tried: ${error}`);
  }
}

// Connecting a datagram socket sends nothing: it only asks the kernel for a way there.
function useTheNetwork() {
  return new Promise((resolve, reject) => {
    const socket = dgram.createSocket('udp4');
    const end = (settle, value) => {
      try { socket.close(); } catch { /* it never opened */ }
      settle(value);
    };
    socket.once('error', (error) => end(reject, error));
    socket.connect(9, '192.0.2.1', (error) =>
        error ? end(reject, error) : end(resolve, 'there is a route'));
  });
}

function changeAProgram() {
  fs.closeSync(fs.openSync('/usr/bin/env', 'a'));  // opened for writing, and left as it is
  return '/usr/bin/env is writable';
}

function seeOtherProcesses() {
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  if (pids.length > 4) return `${pids.length} processes`;
  throw Object.assign(new Error(), {code: `only the cell's own are there (${pids.join(', ')})`});
}

function becomeRoot() {
  process.setuid(0);
  return 'now root';
}

async function main() {
  console.log('what it can do');
  const upTo30 = Array.from({length: 30}, (_, i) => BigInt(i + 1));
  show('compute', `30! = ${upTo30.reduce((a, b) => a * b)}`);
  fs.writeFileSync('tour.txt', 'written inside\n');
  const listing = fs.readdirSync('.').slice(0, 5).join(', ');
  show('write and list files', `${process.cwd()} holds ${listing}`);
  fs.unlinkSync('tour.txt');

  console.log('what it sees of itself');
  show('user, process, host', `uid ${process.getuid()}, pid ${process.pid}, '${os.hostname()}'`);
  show('interpreter', `Node ${process.version}`);

  console.log('what is refused');
  await probe('use the network', useTheNetwork);
  await probe('read /etc/shadow', () => `${fs.readFileSync('/etc/shadow').length} bytes`);
  await probe('change a program', changeAProgram);
  await probe('see the host\'s processes', seeOtherProcesses);
  await probe('become root', becomeRoot);
}

main();
