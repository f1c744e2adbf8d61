// The JavaScript guest: runs one program in this Node.js (18 or later) as its main module.
//
// Started inside a cell as `node /.belljar/guest.js`, with the control stream on descriptor 3
// (docs/guest-protocol.md). It says HELLO, reads one RUN, and hands the program to Node's own
// loader by process.nextTick: that is where Node goes after any main script, so ticks, promises
// and timers keep their order, and no frame of this file lies below the program's. Node itself
// prints what the program does not catch, and ends the process.
//
// A program that only compiles as an ES module must be a file to be imported. It is one for as
// long as the import takes: removed before its first line runs.
//
// Nothing here is a wall. The program can rewrite all of it; the supervisor believes none of it.
'use strict';

const fs = require('fs');
const Module = require('module');
const path = require('path');

const { kProtocolVersion, kMaxRunBytes, Type } = require('./frames.js');

const kControl = 3;
const kSendMs = 1000;
const kExitNoRun = 4;
const kExitBadRun = 5;
// Descriptor 3 blocks and Node cannot change that: what is sent at the end has to fit into a
// socket's buffer, whether or not anybody reads it.
const kMaxErrorFrameBytes = 96 << 10;

function pause(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function isBusy(error) {
  return error.code === 'EAGAIN' || error.code === 'EINTR';
}

function readExactly(size) {
  const buffer = Buffer.allocUnsafe(size);
  for (let have = 0; have < size;) {
    try {
      const got = fs.readSync(kControl, buffer, have, size - have, null);
      if (got === 0) process.exit(kExitNoRun);
      have += got;
    } catch (error) {
      if (!isBusy(error)) throw error;
      pause(1);
    }
  }
  return buffer;
}

// What the supervisor asks for: the type of the frame and what it says.
function readAsked() {
  const header = readExactly(5);
  const size = header.readUInt32LE(0);
  const type = header[4];
  const known = type === Type.RUN || type === Type.SESSION;
  if (!known || size > kMaxRunBytes) process.exit(kExitBadRun);
  const asked = JSON.parse(readExactly(size).toString('utf8'));
  const text = type === Type.RUN ? asked.code : asked.workspace;
  const sound = asked.v === kProtocolVersion && asked.lang === 'javascript' && typeof text === 'string';
  if (!sound) process.exit(kExitBadRun);
  return { type, asked };
}

// Gives up after `patienceMs`: what does not read must not keep a finished program alive.
function send(type, value, patienceMs = kSendMs) {
  const payload = Buffer.from(JSON.stringify(value), 'utf8');
  const frame = Buffer.alloc(5 + payload.length);
  frame.writeUInt32LE(payload.length, 0);
  frame[4] = type;
  payload.copy(frame, 5);
  const deadline = Date.now() + patienceMs;
  for (let sent = 0; sent < frame.length;) {
    try {
      sent += fs.writeSync(kControl, frame, sent);
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) return;
      pause(1);
    }
  }
}

// `text` cut to `limit` bytes of UTF-8, without halves of characters.
function clip(text, limit) {
  const whole = Buffer.from(text, 'utf8');  // lone surrogates become U+FFFD here
  if (whole.length <= limit) return whole.toString('utf8');
  return whole.toString('utf8', 0, limit).replace(/\uFFFD$/, '');
}

function describe(error, stack = error instanceof Error ? String(error.stack) : '') {
  const isError = error instanceof Error;
  const type = isError ? String(error.name) : typeof error;
  const message = isError ? String(error.message) : String(error);
  for (let limit = 64 << 10; ; limit >>= 1) {
    const report = { type: clip(type, 256), message: clip(message, limit / 2),
                     traceback: clip(stack, limit) };
    // Control characters grow sixfold in JSON.
    if (Buffer.byteLength(JSON.stringify(report)) <= kMaxErrorFrameBytes) return report;
  }
}

// Tells the supervisor of the exception that is about to end the process. The monitor sees every
// uncaught exception and changes nothing about it.
function reportFatalErrors() {
  let told = false;
  process.on('uncaughtExceptionMonitor', (error) => {
    const handled = process.listenerCount('uncaughtException') > 0 ||
        process.hasUncaughtExceptionCaptureCallback();
    if (told || handled) return;
    told = true;
    try {
      send(Type.ERROR, describe(error));
    } catch {
      // A value without a text; the exit status tells enough.
    }
  });
}

// What makes the programs that a deterministic one starts deterministic too; else nobody sets it.
const kInherited = ['LD_PRELOAD', 'BELLJAR_SEED', 'OPENSSL_ia32cap'];

function setEnvironment(env) {
  for (const key of Object.keys(process.env)) {
    if (!kInherited.includes(key)) delete process.env[key];
  }
  Object.assign(process.env, env);
  if (env.NODE_PATH) Module._initPaths();  // Node read it before it was there
}

// Node writes to pipes without waiting and drops what is unwritten when process.exit() is called:
// anything past the first 64 KiB. Waiting is what everybody expects of a program's output.
function makeOutputBlocking() {
  for (const stream of [process.stdout, process.stderr]) {
    if (stream._handle && stream._handle.setBlocking) stream._handle.setBlocking(true);
  }
}

// A cell's /proc has no list of CPUs. Node would tell of none, and programs that start a worker for
// each would start none.
function tellCpus() {
  const os = require('os');
  const listed = os.cpus;
  const count = os.availableParallelism ? os.availableParallelism() : 1;
  const times = { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 };
  os.cpus = function cpus() {
    const found = listed();
    if (found.length > 0) return found;
    return Array.from({ length: count }, () => ({ model: 'unknown', speed: 0, times: { ...times } }));
  };
  Module.syncBuiltinESMExports();
}

function parses(text, filename) {
  const vm = require('vm');
  try {
    new vm.Script(text, { filename });
    return null;
  } catch (error) {
    return error;
  }
}

// Whether `code` is no CommonJS, for a reason that an ES module would not have.
function needsEsModule(code, filename) {
  const plain = code.replace(/^#!.*/, '');
  const error = parses(Module.wrap(plain), filename);
  if (!(error instanceof SyntaxError)) return false;
  const said = /import statement|import\.meta|Unexpected token 'export'|await is only valid|reserved word/;
  // Of `f(await x)` V8 says no more than that something is missing: await at the top is all that is
  // wrong with a text that could be the body of an async function.
  return said.test(error.message) || parses(`(async () => {${plain}\n})`, filename) === null;
}

function runCommonJs(code, filename) {
  const main = new Module(filename, null);
  main.id = '.';
  main.filename = filename;
  main.paths = Module._nodeModulePaths(path.dirname(filename));
  process.mainModule = main;
  Module._cache[filename] = main;
  process.nextTick(main._compile.bind(main), code, filename);
  process.nextTick(() => { main.loaded = true; });
}

// Puts `code` into a new file beside `filename`, or elsewhere when nothing can be written there.
function placeModule(code, filename) {
  const { dir, name } = path.parse(filename);
  const candidates = [`${dir}/${name}.mjs`, `${dir}/.${name}-${process.pid}.mjs`,
                      `${require('os').tmpdir()}/${name}-${process.pid}.mjs`];
  for (const candidate of candidates) {
    try {
      fs.writeFileSync(candidate, code, { flag: 'wx', mode: 0o600 });
      return candidate;
    } catch {
      // Taken or not writable: the next one.
    }
  }
  throw new Error('no place to load an ES module from');
}

function runEsModule(code, filename) {
  const { pathToFileURL } = require('url');
  const file = placeModule(code, filename);
  const remove = () => {
    try {
      fs.unlinkSync(file);
    } catch {
      // Already gone.
    }
  };
  process.argv[1] = file;
  // A graph is read whole before any of it runs, and then runs in order: first the removal.
  const key = Symbol.for('belljar.loaded');
  globalThis[key] = () => { delete globalThis[key]; remove(); };
  const dataUrl = (text) => 'data:text/javascript,' + encodeURIComponent(text);
  const first = dataUrl("globalThis[Symbol.for('belljar.loaded')]()");
  const entry = dataUrl(`import ${JSON.stringify(first)};` +
                        `import ${JSON.stringify(pathToFileURL(file).href)};`);
  let settled = false;
  process.on('exit', () => {
    remove();
    if (!settled && !process.exitCode) process.exitCode = 13;  // as Node: await without an end
  });
  process.nextTick(() => {
    // A rejection is left unhandled, which is how Node treats a failing main module.
    import(entry).finally(() => { settled = true; });
  });
}

// The program finds no module of the guest's in require.cache.
function forgetOwnModules() {
  for (const file of Object.keys(require.cache)) {
    if (path.dirname(file) === __dirname) delete require.cache[file];
  }
}

function main() {
  const at = process.argv.indexOf('--workspace');
  const workspace = at < 0 ? '/workspace' : process.argv[at + 1];
  makeOutputBlocking();
  tellCpus();
  send(Type.HELLO, { v: kProtocolVersion, guest: `node ${process.versions.node}` });
  const { type, asked: run } = readAsked();
  if (type === Type.SESSION) {
    setEnvironment(run.env || {});
    const { serve } = require('./session.js');
    forgetOwnModules();
    serve(run.workspace, { send, describe, clip, kControl });
    return;
  }
  const filename = path.join(workspace, run.name);
  forgetOwnModules();
  setEnvironment(run.env || {});
  process.argv = [process.execPath, filename, ...(run.args || [])];
  reportFatalErrors();
  if (needsEsModule(run.code, filename)) {
    runEsModule(run.code, filename);
  } else {
    runCommonJs(run.code, filename);
  }
}

main();
