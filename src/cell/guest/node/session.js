// Sessions of the JavaScript guest: one statement after another, in one living global scope.
//
// Loaded by guest.js when the supervisor sends SESSION instead of RUN. Statements are evaluated by
// V8's own REPL mode, which is reached through the inspector: const, let and class survive from one
// to the next and may be declared again, and await works at the top. (Rewriting the source to that
// end, as others do, needs a parser and breaks what it does not foresee.)
//
// A statement ends when its code, with all it awaits, has ended. Timers and promises it leaves
// behind go on; what they print belongs to the statement that is running then, or to the next one. A
// busy one is interrupted by the watchdog of vm's breakOnSigint, one that waits by a listener.
//
// Nothing here is a wall. The program can rewrite all of it; the supervisor believes none of it.
'use strict';

const fs = require('fs');
const inspector = require('inspector');
const Module = require('module');
const net = require('net');
const path = require('path');
const util = require('util');
const vm = require('vm');
const { kMaxRunBytes, Type } = require('./frames.js');
const { Displays, bundleOf } = require('./session_display.js');

const kExitBadRun = 5;
const kHeaderBytes = 5;
const kNever = Infinity;
// Stands for `import` before a parenthesis: code that comes by way of the inspector has no loader.
// As long as the word it replaces, so that columns stay right.
const kImport = '\u0131mport';

// What `import CLAUSE from MODULE` binds, as a declaration; `loaded` is the expression that loads it.
function declarationOf(commented, loaded) {
  const clause = commented.replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, ' ');
  const [whole] = clause.match(/\*\s*as\s+[^\s,]+/) || [''];
  const [braces] = clause.match(/\{[^}]*\}/) || [''];
  const own = clause.replace(whole || braces, '').replace(',', '').trim();
  const names = braces.slice(1, -1).split(',').map((name) => name.trim()).filter(Boolean)
      .map((name) => name.replace(/\s+as\s+/, ': '));
  if (own) names.unshift(`default: ${own}`);
  const space = whole.replace(/\*\s*as\s+/, '');
  if (!space) return `const { ${names.join(', ')} } = ${loaded}`;
  return `const ${space} = ${loaded}${own ? `, { default: ${own} } = ${space}` : ''}`;
}

// An import statement by way of kImport, where it stands, in as many lines. (A script cannot have
// one: nothing that would have compiled is changed.)
function withoutStatement(found, { clause, module, attributes }) {
  const options = attributes ? `, { ${attributes.replace('{', ': {')} }` : '';
  const loaded = `await ${kImport}(${module}${options})`;
  const declared = clause ? declarationOf(clause, loaded) : `void ${loaded}`;
  return `${declared};${'\n'.repeat(found.split('\n').length - declared.split('\n').length)}`;
}

// `code` with kImport for each `import(` and for each import statement. Strings, templates, comments
// and most regular expressions are passed over; whatever is mistaken only keeps its `import`.
function withOwnImport(code) {
  if (!/\bimport\b/.test(code)) return code;
  const token = new RegExp([
    /\/\/[^\n]*|\/\*[^]*?\*\//,
    /(?<=^\s*|[;}\n]\s*|\*\/\s*)import\b(?:(?<clause>[^'"`;()=.]+?)\bfrom)?\s*(?<module>'[^'\n]*'|"[^"\n]*")(?:\s*(?<attributes>(?:with|assert)\s*\{[^}]*\}))?/,
    /'(?:\\[^]|[^'\\\n])*'|"(?:\\[^]|[^"\\\n])*"/,
    /(?<=[=(,:[!&|?{};\n]\s*)\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/,
    /`(?:\\[^]|\$\{[^}]*\}|[^`\\])*`/, /(?<![.\w$])import(?=\s*\()/,
  ].map((part) => part.source).join('|'), 'g');
  return code.replace(token, (found, ...more) => {
    if (found === 'import') return kImport;
    const named = more[more.length - 1];
    if (named.module) return withoutStatement(found, named);
    // What a template computes is code again.
    return found[0] !== '`' ? found
        : found.replace(/\$\{[^}]*\}/g, (inner) => withOwnImport(inner));
  });
}

function interruption() {
  const error = new Error('Script execution was interrupted by `SIGINT`');
  error.code = 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
  error.stack = `${error}`;
  return error;
}

// An interrupt may cut a stream's write in two: the bytes are out, since output is blocking, and the
// stream waits for ever to be told so. It would keep all that follows to itself.
function freeOutput() {
  for (const stream of [process.stdout, process.stderr]) {
    try {
      const state = stream._writableState;
      if (stream._handle.writeQueueSize > 0) continue;
      state.bufferProcessing = false;
      if (state.writing) state.onwrite();
    } catch {
      // The program's own stream; it knows best.
    }
  }
}

// The watchdog leaves SIGINT deadly where the statement has begun to listen to it: Node believes that
// it is being listened to already.
function rearmInterrupt() {
  if (process.listenerCount('SIGINT') < 2) return;
  const listeners = process.rawListeners('SIGINT');
  process.removeAllListeners('SIGINT');
  for (const listener of listeners) process.on('SIGINT', listener);
}

// A stack without the frames below the statement's.
function usersStack(error) {
  const lines = String(error.stack).split('\n');
  const end = lines.findIndex((line) => /^ +at .*(node:inspector|node:vm:|\/session\.js)/.test(line));
  return (end < 0 ? lines : lines.slice(0, end)).join('\n');
}

// The line at which the parser stopped, as Node shows it.
function excerpt(statement, details) {
  const line = statement.code.split('\n')[details.lineNumber] || '';
  const place = `${statement.name}:${details.lineNumber + 1}`;
  return `${place}\n${line}\n${' '.repeat(details.columnNumber)}^\n\n`;
}

function textOf(error, statement, details) {
  if (!(error instanceof Error)) return `Uncaught ${util.inspect(error)}`;
  const stack = usersStack(error);
  const unparsed = error instanceof SyntaxError && details && !/\n +at /.test(stack);
  return (unparsed ? excerpt(statement, details) : '') + stack;
}

// Runs statements by V8's REPL mode.
class Evaluator {
  constructor() {
    this.inspector = new inspector.Session();
    this.inspector.connect();
    this.taken = undefined;
    this.receiver = this.handleOf((value) => { this.taken = value; });
    const turns = vm.createContext({ turn: () => this.turn() });
    this.takeTurn = () => new vm.Script('turn()').runInContext(turns, { breakOnSigint: true });
  }

  // The inspector's name for one of our own objects.
  handleOf(object) {
    const key = 'belljar receiver';
    globalThis[key] = object;
    let handle;
    this.inspector.post('Runtime.evaluate', { expression: `globalThis[${JSON.stringify(key)}]` },
                        (_, reply) => { handle = reply.result.objectId; });
    delete globalThis[key];
    return handle;
  }

  // The value behind what the inspector says of it.
  valueOf(remote) {
    const { objectId, unserializableValue, value } = remote;
    const argument = objectId !== undefined ? { objectId }
        : unserializableValue !== undefined ? { unserializableValue } : { value };
    this.inspector.post('Runtime.callFunctionOn', {
      objectId: this.receiver, functionDeclaration: 'function(value) { this(value); }',
      arguments: [argument], silent: true });
    const taken = this.taken;
    this.taken = undefined;
    return taken;
  }

  // Calls back with { value } or { error, details }, at once or when all is awaited.
  run(statement, done) {
    const expression = `${withOwnImport(statement.code)}\n//# sourceURL=${statement.name}`;
    this.turn = () => this.inspector.post('Runtime.evaluate', {
      expression, replMode: true, awaitPromise: true, silent: true, objectGroup: 'statement',
    }, (problem, reply) => this.deliver(problem, reply, done));
    try {
      this.takeTurn();
      rearmInterrupt();
    } catch (error) {
      rearmInterrupt();
      const cut = error.code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED';
      if (cut) freeOutput();
      done({ error: cut ? interruption() : error });
    }
  }

  deliver(problem, reply, done) {
    if (problem) {
      done({ error: new Error(problem.message) });
    } else if (reply.exceptionDetails) {
      const details = reply.exceptionDetails;
      const error = details.exception ? this.valueOf(details.exception) : new Error(details.text);
      done({ error, details });
    } else {
      done({ value: reply.result.type === 'undefined' ? undefined : this.valueOf(reply.result) });
    }
    this.inspector.post('Runtime.releaseObjectGroup', { objectGroup: 'statement' });
  }
}

// Descriptor 0 and process.stdin: for each statement its own text, or nothing.
class Stdin {
  constructor() {
    this.given = true;  // the pipe the process was born with, which nobody writes to
  }

  give(text) {
    if (text === null && !this.given) return;
    this.given = text !== null;
    let file = '/dev/null';
    if (this.given) {
      file = path.join(require('os').tmpdir(), `.stdin-${process.pid}-${process.hrtime.bigint()}`);
      fs.writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    }
    fs.closeSync(0);
    fs.openSync(file, 'r');  // takes the lowest number there is
    if (this.given) fs.unlinkSync(file);
    let stream;
    Object.defineProperty(process, 'stdin', {
      configurable: true, enumerable: true,
      get: () => stream || (stream = new fs.ReadStream(null, { fd: 0, autoClose: false })),
    });
  }
}

class Session {
  constructor(workspace, guest) {
    this.guest = guest;
    this.workspace = workspace;
    this.evaluator = new Evaluator();
    this.stdin = new Stdin();
    this.statement = null;  // the one that is running
    this.buffer = Buffer.alloc(0);
    this.displays = new Displays((type, value) => guest.send(type, value, kNever), guest.clip);
  }

  // What a main module has, as far as it makes sense without one, and display().
  offerGlobals() {
    const file = path.join(this.workspace, 'session.js');
    const main = new Module(file, null);
    main.filename = file;
    main.paths = Module._nodeModulePaths(this.workspace);
    main._compile('module.exports = (what, options) => import(what, options);', file);
    const hidden = (name, value) => Object.defineProperty(globalThis, name, {
      value, configurable: true, writable: true, enumerable: false });
    hidden(kImport, main.exports);
    main.exports = {};
    hidden('require', Module.createRequire(file));
    hidden('module', main);
    hidden('exports', main.exports);
    hidden('display', (...values) => {
      for (const value of values) this.displays.show(bundleOf(value, this.guest.clip), false);
    });
  }

  listen() {
    process.on('SIGINT', () => this.end({ error: interruption() }));
    process.on('uncaughtException', (error) => {
      if (!this.statement) process.stderr.write(`${textOf(error)}\n`);
      this.end({ error });
    });
    const reallyExit = process.reallyExit;
    process.reallyExit = (code) => {
      if (this.statement) this.done('exit', code & 0xFF);
      reallyExit.call(process, code);
    };
    const stream = new net.Socket({ fd: this.guest.kControl, readable: true, writable: false });
    stream.on('data', (bytes) => this.receive(bytes));
    stream.on('end', () => process.exit(0));
    stream.on('error', () => process.exit(0));
  }

  receive(bytes) {
    this.buffer = Buffer.concat([this.buffer, bytes]);
    if (this.buffer.length < kHeaderBytes) return;
    const size = kHeaderBytes + this.buffer.readUInt32LE(0);
    const type = this.buffer[4];
    if ((type !== Type.STATEMENT && type !== Type.RESTORE) || size > kMaxRunBytes + kHeaderBytes) {
      process.exit(kExitBadRun);
    }
    if (this.buffer.length < size) return;
    const statement = JSON.parse(this.buffer.toString('utf8', kHeaderBytes, size));
    this.buffer = this.buffer.subarray(size);
    if (type === Type.RESTORE) {  // with the whole container; the engine's random numbers go on
      this.guest.send(Type.READY, {}, kNever);
      return;
    }
    // A SIGINT that came first is heard first, and is nobody's.
    setImmediate(() => this.run(statement));
  }

  run(statement) {
    this.statement = statement;
    this.displays.begin(statement.n);
    process.argv = [process.execPath, path.join(this.workspace, statement.name), ...statement.args];
    try {
      this.stdin.give(statement.stdin);
    } catch (error) {
      this.end({ error });
      return;
    }
    this.evaluator.run(statement, (outcome) => {
      // A rejection that nobody handles is known after the next turn.
      setImmediate(() => { if (this.statement === statement) this.end(outcome); });
    });
  }

  // How the running statement ended; later news of it come to nothing.
  end(outcome) {
    if (!this.statement) return;
    let failure = 'error' in outcome ? outcome : null;
    if (!failure && outcome.value !== undefined) {
      try {
        this.displays.show(bundleOf(outcome.value, this.guest.clip), true);
        globalThis._ = outcome.value;
      } catch (error) {
        failure = { error };
      }
    }
    if (failure) this.tell(failure);
    this.done(failure ? 'exception' : 'ok', failure ? 1 : 0);
  }

  tell({ error, details }) {
    let text = 'Uncaught exception';
    try {
      text = textOf(error, this.statement, details);
      process.stderr.write(`${text}\n`);
      this.guest.send(Type.ERROR, this.guest.describe(error, text), kNever);
    } catch {
      // A value without a text; the status tells enough.
    }
  }

  done(status, exitCode) {
    const { n } = this.statement;
    this.statement = null;
    this.displays.end();
    this.guest.send(Type.DONE, { n, status, exit_code: exitCode, file_operations: 0 }, kNever);
  }
}

function serve(workspace, guest) {
  const session = new Session(workspace, guest);
  session.offerGlobals();
  session.listen();
  guest.send(Type.READY, {}, kNever);
}

module.exports = { serve };
