// Streamable HTTP in front of a program that speaks MCP over stdio, so that what tests HTTP servers can test the stdio front of
// the gateway. Handshake clients get a process for each session, made with TypeScript SDK 2.x; 2026-07-28 requests share one.
// What HTTP alone asks for (headers, status codes) is the adapter's doing and says nothing of the program.
// usage: stdio-adapter.mjs COMMAND ARGUMENT…    prints "PORT n" on stderr
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { WebStandardStreamableHTTPServerTransport, isLegacyRequest } from '@modelcontextprotocol/server';

const [command, ...args] = process.argv.slice(2);
const VERSION = 'io.modelcontextprotocol/protocolVersion', SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId', LEVEL = 'io.modelcontextprotocol/logLevel';
const programs = new Set();

async function start(onmessage) {
  const program = new StdioClientTransport({ command, args, env: process.env, stderr: 'inherit' });
  program.onmessage = onmessage;
  await program.start();
  programs.add(program);
  return program;
}

// ---- handshake clients ----

const sessions = new Map();

// Over stdio nothing says which request a message belongs to: the suite has one under way at a time.
async function session() {
  const open = new Set();
  const http = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => { sessions.set(id, http); } });
  const program = await start((message) => {
    const answers = message.method === undefined;
    if (answers) open.delete(message.id);
    http.send(message, answers ? undefined : { relatedRequestId: [...open].at(-1) });
  });
  http.onmessage = (message) => {
    if (message.method !== undefined && message.id !== undefined) open.add(message.id);
    program.send(message);
  };
  http.onclose = () => { sessions.delete(http.sessionId); programs.delete(program); program.close(); };
  await http.start();
  return http;
}

async function inSession(request) {
  const id = request.headers.get('mcp-session-id');
  if (id && !sessions.has(id)) return Response.json({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' } }, { status: 404 });
  return (sessions.get(id) ?? await session()).handleRequest(request);
}

// ---- clients of 2026-07-28 ----

const STATUS = { '-32601': 404, '-32602': 400, '-32020': 400, '-32021': 400, '-32022': 400 };
const waiting = new Map(); // id at the program -> { message, take }
let shared, n = 0;

// Notifications go where their progress token or subscription says, log messages to who has asked for some.
function deliver(message) {
  const all = [...waiting.values()], { params } = message, token = params?.progressToken, subscription = params?._meta?.[SUBSCRIPTION];
  if (message.method === undefined) return waiting.get(message.id)?.take(message);
  const to = subscription !== undefined ? waiting.get(subscription)
    : all.find(({ message: { params: { _meta } } }) => token !== undefined ? _meta.progressToken === token : _meta[LEVEL]);
  to?.take(message);
}

// As the client knows it.
function renamed(answer, id) {
  const own = structuredClone(answer);
  if (own.id !== undefined) own.id = id;
  for (const part of [own.params, own.result]) if (part?._meta?.[SUBSCRIPTION] !== undefined) part._meta[SUBSCRIPTION] = id;
  return own;
}

function stream(first, ask) {
  const event = (message) => new TextEncoder().encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(event(first));
      ask.take = (message) => {
        controller.enqueue(event(renamed(message, ask.message.id)));
        if (message.method === undefined) ask.over(), controller.close();
      };
    },
    cancel: () => ask.cancel(),
  });
  return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
}

async function alone(request) {
  const message = await request.json(), version = message.params?._meta?.[VERSION];
  const refuse = (code, text) => Response.json({ jsonrpc: '2.0', id: message.id, error: { code, message: text } }, { status: 400 });
  if (!version) return refuse(-32602, 'No version in _meta'); // over stdio that is a request of a handshake client
  if (version !== request.headers.get('mcp-protocol-version')) return refuse(-32020, 'Another version in the header');
  shared ??= start(deliver);
  const program = await shared, id = `adapter-${++n}`;
  const ask = { message, over: () => waiting.delete(id),
    cancel: () => { ask.over(); program.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }); } };
  request.signal.addEventListener('abort', () => waiting.has(id) && ask.cancel());
  return new Promise((resolve) => {
    ask.take = (first) => {
      const own = renamed(first, message.id);
      if (first.method !== undefined) return resolve(stream(own, ask));
      ask.over();
      resolve(Response.json(own, { status: STATUS[own.error?.code] ?? 200 }));
    };
    waiting.set(id, ask);
    program.send({ ...message, id });
  });
}

// ---- HTTP ----

const fetch = async (request) => await isLegacyRequest(request.clone()) ? inSession(request) : alone(request);
const [isLocalHost, isLocalOrigin, handle] = [localhostHostValidation(), localhostOriginValidation(), toNodeHandler({ fetch }, { onerror: console.error })];
const http = createServer((req, res) => { if (isLocalHost(req, res) && isLocalOrigin(req, res)) handle(req, res); });
http.listen(0, '127.0.0.1', () => console.error(`PORT ${http.address().port}`));
process.on('SIGTERM', async () => {
  await Promise.all([...programs].map((program) => program.close()));
  process.exit(0);
});
