// What the policy opens to this program: tools of MCP servers and databases, asked by Belljar outside.
//
//   const { tools, databases } = require('belljar');
//   await tools.github.search({ query: 'is:open' });
//   await tools.list('github');               // what there is, with schemas
//   const rows = await databases.sales.query('SELECT name FROM customers WHERE id > $1', [7]);
//
// A call gives the tool's structured result, else its text, else the list of its content. A tool
// that fails rejects with tools.ToolError; what the policy or a person does not allow with
// tools.Denied. Databases have databases.DatabaseError and databases.Denied. This is a convenience: a line of JSON goes to the socket that BELLJAR_TOOLS names,
// and one comes back.
'use strict';

const net = require('net');

const kPlace = process.env.BELLJAR_TOOLS || '/run/belljar/tools.sock';

class ToolError extends Error {
  constructor(message, kind = 'error', content = undefined) {
    super(message);
    this.name = this.constructor.name;
    this.kind = kind;
    this.content = content;
  }
}

class Denied extends ToolError {}

class DatabaseError extends Error {
  constructor(message, kind = 'error') {
    super(message);
    this.name = this.constructor.name;
    this.kind = kind;
  }
}

const DatabaseDenied = { Denied: class Denied extends DatabaseError {} }.Denied;

const kMostConnections = 8;
const idle = [];  // connections; each call that is under way has one
const queue = [];  // calls that wait for one
let busy = 0;

function takeTurn() {
  if (busy < kMostConnections) {
    busy += 1;
    return undefined;
  }
  return new Promise((resolve) => queue.push(resolve));
}

function endTurn() {
  const next = queue.shift();
  if (next) next();
  else busy -= 1;
}

function connect() {
  return new Promise((resolve, reject) => {
    const socket = net.createConnection(kPlace, () => resolve(socket));
    socket.once('error', (error) => {
      reject(new ToolError(`no tools are open to this run: ${error.message}`, 'unavailable'));
    });
  });
}

// The line that answers `text`. An idle connection does not keep the program from ending.
function exchange(socket, text) {
  return new Promise((resolve, reject) => {
    const parts = [];
    const finish = (settle, value) => {
      socket.removeAllListeners();
      socket.on('error', () => {});
      settle(value);
    };
    const closed = () =>
      finish(reject, new ToolError('the connection to the tools was closed', 'unavailable'));
    socket.removeAllListeners();
    socket.on('data', (part) => {
      parts.push(part);
      if (part[part.length - 1] === 10) finish(resolve, Buffer.concat(parts).toString('utf8'));
    });
    socket.on('error', closed);
    socket.on('close', closed);
    socket.ref();
    socket.write(text);
  });
}

async function ask(method, params) {
  await takeTurn();
  try {
    return await askNow(method, params);
  } finally {
    endTurn();
  }
}

async function askNow(method, params) {
  let socket = idle.pop();
  while (socket && socket.destroyed) socket = idle.pop();
  if (!socket) socket = await connect();
  const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) + '\n';
  let answer;
  try {
    answer = JSON.parse(await exchange(socket, text));
  } catch (error) {
    socket.destroy();
    throw error;
  }
  socket.unref();
  idle.push(socket);
  if (!answer.error) return answer.result;
  const kind = (answer.error.data || {}).kind || 'error';
  throw new (kind === 'denied' ? Denied : ToolError)(answer.error.message, kind);
}

function valueOf(result, name) {
  const content = result.content || [];
  const texts = content.filter((block) => block.type === 'text').map((block) => block.text);
  if (result.isError) throw new ToolError(texts.join('\n') || `${name} failed`, 'error', content);
  if ('structuredContent' in result) return result.structuredContent;
  return texts.length === content.length ? texts.join('\n') : content;
}

const identifier = (name) => name.replace(/[^\w]/g, '_');
const lists = new Map();

async function list(server) {
  if (!lists.has(server)) lists.set(server, (await ask('tools/list', { server })).tools);
  return lists.get(server);
}

// By the name in the program, which may be the tool's own with other letters for its signs.
async function call(serverName, toolName, given) {
  const { servers } = await ask('servers/list', {});
  const server = servers.find((name) => name === serverName || identifier(name) === serverName);
  if (!server) {
    throw new Denied(`the policy lists no server ${serverName}; it lists: ${servers.join(', ')}`,
                     'denied');
  }
  const tool = (await list(server)).find(
      ({ name }) => name === toolName || identifier(name) === toolName);
  const name = tool ? tool.name : toolName;  // the broker says why not
  return valueOf(await ask('tools/call', { server, tool: name, arguments: given || {} }), name);
}

// Objects whose every member is there: what it is good for is known when it is called.
function anything(make, own = {}) {
  return new Proxy(own, {
    get: (target, name) => {
      if (name in target || typeof name === 'symbol' || name === 'then') return target[name];
      target[name] = make(name);
      return target[name];
    },
  });
}

const tools = anything(
    (server) => anything((tool) => (given) => call(server, tool, given)),
    { ToolError, Denied, list, servers: async () => (await ask('servers/list', {})).servers });

async function askDatabase(method, params) {
  try {
    return await ask(`databases/${method}`, params);
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    throw new (error instanceof Denied ? DatabaseDenied : DatabaseError)(error.message, error.kind);
  }
}

// As the broker takes it. What is not a value of JSON goes as its text.
function parameter(value) {
  if (value === null || value === undefined) return null;
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  if (typeof value === 'bigint') return { $int: String(value) };
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value === 'boolean' || typeof value === 'string') return value;
  return value instanceof Date ? value.toISOString() : JSON.stringify(value);
}

function cell(value) {
  if (value === null || typeof value !== 'object') return value;
  const [[kind, text]] = Object.entries(value);
  if (kind === '$bytes') return Buffer.from(text, 'base64');
  if (kind === '$json') return typeof text === 'string' ? JSON.parse(text) : cell(text);
  return kind === '$int' ? BigInt(text) : Number(text);
}

// An array of objects by name of the column; `columns`, `types`, `truncated` and `changed` beside.
function rowsOf(answer) {
  const columns = answer.columns.map(({ name }) => name);
  const rows = answer.rows.map(
      (row) => Object.fromEntries(row.map((value, i) => [columns[i], cell(value)])));
  return Object.assign(rows, { columns, types: answer.columns.map(({ type }) => type),
                               truncated: answer.truncated, changed: answer.changed });
}

async function runStatement(method, given, sql, params = []) {
  const listed = (await askDatabase('list', {})).databases.map(({ name }) => name);
  const database = listed.find((name) => name === given || identifier(name) === given);
  if (!database) {
    throw new DatabaseDenied(`the policy lists no database ${given}; it lists: ${listed.join(', ')}`,
                             'denied');
  }
  if (method === 'describe') {
    const { tables, truncated } = await askDatabase(method, { database });
    return Object.assign(tables, { truncated });
  }
  if (!Array.isArray(params)) throw new TypeError('parameters are an array, in their order');
  return rowsOf(await askDatabase(method, { database, sql, params: params.map(parameter) }));
}

const databases = anything(
    (name) => ({
      query: (sql, params) => runStatement('query', name, sql, params),
      write: (sql, params) => runStatement('write', name, sql, params),
      describe: () => runStatement('describe', name),
    }),
    { DatabaseError, Denied: DatabaseDenied,
      list: async () => (await askDatabase('list', {})).databases });

module.exports = { tools, databases, ToolError, Denied, DatabaseError };
