// The tools that the policy opens to this program: calls of MCP servers, made by Belljar outside.
//
//   const { tools } = require('belljar');
//   await tools.github.search({ query: 'is:open' });
//   await tools.list('github');               // what there is, with schemas
//
// A call gives the tool's structured result, else its text, else the list of its content. A tool
// that fails rejects with tools.ToolError; what the policy or a person does not allow with
// tools.Denied. This is a convenience: a line of JSON goes to the socket that BELLJAR_TOOLS names,
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

module.exports = { tools, ToolError, Denied };
