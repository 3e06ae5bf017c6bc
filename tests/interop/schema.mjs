// Every message the gateway sends, to clients and to servers, against the official JSON Schema of its
// revision; and what our client sends in the transcripts of tests/flow. TAP on stdout.
// usage: node schema.mjs MCPTOOLS_BINARY TEST_SERVER_BINARY RUN_FLOW_BINARY
import Ajv from 'ajv';
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SCHEMAS = join(dirname(fileURLToPath(import.meta.url)), '..', 'schema');
const FLOWS = join(dirname(fileURLToPath(import.meta.url)), '..', 'flow');
const [BINARY, SERVER, RUN_FLOW] = process.argv.slice(2);
const MODERN = '2026-07-28';
const HANDSHAKE = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];

function validator(revision) {
  const schema = JSON.parse(readFileSync(join(SCHEMAS, `${revision}.json`), 'utf8'));
  const ajv = new (schema.$defs ? Ajv2020 : Ajv)({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addFormat('byte', true);
  ajv.addSchema(schema, 'mcp');
  const definitions = schema.$defs ?? schema.definitions;
  const pointer = schema.$defs ? '$defs' : 'definitions';
  return (type, value) => {
    if (!definitions[type]) throw new Error(`${revision} has no ${type}`);
    const check = ajv.getSchema(`mcp#/${pointer}/${type}`);
    if (!check(value)) throw new Error(`${revision} ${type}: ${ajv.errorsText(check.errors)}\n${JSON.stringify(value).slice(0, 1000)}`);
  };
}

const RESULTS = {
  initialize: 'InitializeResult', 'server/discover': 'DiscoverResult', ping: 'EmptyResult', 'logging/setLevel': 'EmptyResult',
  'tools/list': 'ListToolsResult', 'tools/call': 'CallToolResult', 'prompts/list': 'ListPromptsResult', 'prompts/get': 'GetPromptResult',
  'resources/list': 'ListResourcesResult', 'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult', 'completion/complete': 'CompleteResult',
};
const NOTIFICATIONS = {
  'notifications/progress': 'ProgressNotification', 'notifications/message': 'LoggingMessageNotification',
  'notifications/tools/list_changed': 'ToolListChangedNotification', 'notifications/cancelled': 'CancelledNotification',
  'notifications/initialized': 'InitializedNotification', 'notifications/resources/list_changed': 'ResourceListChangedNotification',
  'notifications/prompts/list_changed': 'PromptListChangedNotification',
  'notifications/subscriptions/acknowledged': 'SubscriptionsAcknowledgedNotification',
};
const REQUESTS = {
  initialize: 'InitializeRequest', 'server/discover': 'DiscoverRequest', 'subscriptions/listen': 'SubscriptionsListenRequest',
  'tools/list': 'ListToolsRequest', 'tools/call': 'CallToolRequest', 'prompts/list': 'ListPromptsRequest',
  'prompts/get': 'GetPromptRequest', 'resources/list': 'ListResourcesRequest', 'resources/read': 'ReadResourceRequest',
  'resources/templates/list': 'ListResourceTemplatesRequest', 'completion/complete': 'CompleteRequest', 'logging/setLevel': 'SetLevelRequest',
  'resources/subscribe': 'SubscribeRequest', 'resources/unsubscribe': 'UnsubscribeRequest', ping: 'PingRequest',
};
const ANSWERS = { 'roots/list': 'ListRootsResult', 'elicitation/create': 'ElicitResult', 'sampling/createMessage': 'CreateMessageResult' };
const error = (revision) => (revision < '2025-11-25' ? 'JSONRPCError' : 'JSONRPCErrorResponse');

const CALLS = [
  ['tools/list'], ['tools/call', { name: 'a__tool0', arguments: { progress: 2 } }], ['tools/call', { name: 'nope' }],
  ['tools/call', { name: 'demo' }], ['resources/list'], ['resources/templates/list'], ['resources/read', { uri: 'test://resource/0' }],
  ['resources/read', { uri: 'none://such' }], ['prompts/list'], ['prompts/get', { name: 'a__prompt0', arguments: { a: 'b' } }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'a__prompt0' }, argument: { name: 'a', value: '' } }], ['no/such/method'],
];

// Talks to `serve --stdio`; gives every message that came, with the method it answers.
async function conversation(folder, revision) {
  const modern = revision === MODERN;
  const meta = { 'io.modelcontextprotocol/protocolVersion': revision, 'io.modelcontextprotocol/clientCapabilities': {}, progressToken: 'p' };
  const p = spawn(BINARY, ['serve', '--stdio', '--config', join(folder, 'config.json')], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
  const asked = {}, came = [], waiting = {};
  let rest = '';
  p.stdout.on('data', (d) => {
    const lines = (rest + d).split('\n');
    rest = lines.pop();
    for (const m of lines.map((l) => JSON.parse(l))) {
      came.push({ message: m, method: asked[m.id] });
      waiting[m.id]?.();
    }
  });
  const send = (m) => p.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...m })}\n`);
  let next = 0;
  const ask = (method, params = {}) => new Promise((resolve) => {
    const id = ++next;
    asked[id] = method;
    waiting[id] = resolve;
    send({ id, method, params: modern ? { ...params, _meta: meta } : { ...params, _meta: { progressToken: 'p' } } });
  });
  if (modern) {
    await ask('server/discover');
    asked.sub = 'subscriptions/listen';
    send({ id: 'sub', method: 'subscriptions/listen', params: { notifications: { toolsListChanged: true }, _meta: meta } });
  } else {
    await ask('initialize', { protocolVersion: revision, capabilities: {}, clientInfo: { name: 't', version: '1' } });
    send({ method: 'notifications/initialized' });
    await ask('ping');
    await ask('logging/setLevel', { level: 'debug' });
  }
  for (const [method, params] of CALLS) await ask(method, params);
  await ask('tools/call', { name: 'a__tool0', arguments: { grow: true, log: true } });
  while (!came.some((c) => c.message.method === 'notifications/tools/list_changed')) await new Promise((r) => setTimeout(r, 10));
  const closed = new Promise((r) => p.on('close', r));
  p.stdin.end();
  await closed;
  return came;
}

function checkSent(check, revision, came) {
  for (const { message: m, method } of came) {
    if (m.method) {
      check(NOTIFICATIONS[m.method] ?? `unexpected ${m.method}`, m);
    } else if (m.error) {
      check(error(revision), m);
    } else {
      check(revision < '2025-11-25' ? 'JSONRPCResponse' : 'JSONRPCResultResponse', m);
      check(RESULTS[method] ?? `unexpected ${method}`, m.result);
    }
  }
  const kinds = new Set(came.map(({ message: m, method }) => m.method ?? `${method} ${m.error ? 'error' : 'result'}`));
  if (kinds.size < 14) throw new Error(`only these came: ${[...kinds]}`);
}

// What a server of the revision received from the gateway.
function checkReceived(check, revision, record) {
  for (const line of readFileSync(record, 'utf8').trim().split('\n')) {
    const m = JSON.parse(line);
    if (m.method === 'server/discover' && revision !== MODERN) continue; // the probe speaks the other era
    if (m.id === undefined) check(NOTIFICATIONS[m.method] ?? `unexpected ${m.method}`, m);
    else check(REQUESTS[m.method] ?? `unexpected ${m.method}`, m);
  }
}

// A transcript with its lines joined and $MODERN replaced, as tests/flow/run_flow.c reads it.
const META = `"io.modelcontextprotocol/protocolVersion":"${MODERN}","io.modelcontextprotocol/clientCapabilities":`;
const transcript = (flow) => readFileSync(join(FLOWS, `${flow}.flow`), 'utf8').replace(/\n +/g, '').replaceAll('$MODERN', META);

// What the servers of a transcript received; what they had asked stands in the transcript.
function checkFlow(flow) {
  const text = transcript(flow);
  const asked = {};
  for (const [, json] of text.matchAll(/^\w+> (\{.*)$/gm)) {
    const m = JSON.parse(json);
    if (m.method && m.id !== undefined) asked[m.id] = m.method;
  }
  const lines = execFileSync(RUN_FLOW, [join(FLOWS, `${flow}.flow`)], { env: { ...process.env, SHOW_SENT: '1' }, encoding: 'utf8' }).trim().split('\n');
  if (lines.length < 4) throw new Error(`only ${lines.length} frames were sent`);
  for (const line of lines) {
    const revision = line.slice(0, 10), m = JSON.parse(line.slice(11));
    const check = validator(revision);
    if (m.method === 'server/discover' && revision !== MODERN) continue;
    if (m.method) check((m.id === undefined ? NOTIFICATIONS : REQUESTS)[m.method] ?? `unexpected ${m.method}`, m);
    else if (m.error) check(error(revision), m);
    else check(ANSWERS[asked[m.id]] ?? `unexpected answer to ${asked[m.id]}`, m.result);
  }
}

const transcripts = ['questions', 'input_required', 'subscriptions', 'listen_grows', 'ping', 'replay', 'progress', 'freshen', 'batch',
  'bridge_rounds', 'bridge_notices', 'bridge_questions'];
const tests = [];
for (const server of ['2025-11-25', '2024-11-05', MODERN])
  for (const client of [...HANDSHAKE, MODERN]) tests.push([client, server]);

console.log(`1..${tests.length + transcripts.length}`);
let failed = 0;
for (const [i, flow] of transcripts.entries()) {
  try {
    checkFlow(flow);
    console.log(`ok ${i + 1} - transcript ${flow}`);
  } catch (e) {
    failed++;
    console.log(`not ok ${i + 1} - transcript ${flow}\n# ${String(e.stack ?? e).replaceAll('\n', '\n# ')}`);
  }
}
for (const [i, [client, server]] of tests.entries()) {
  const folder = mkdtempSync(join(tmpdir(), 'mcptools-schema-'));
  const record = join(folder, 'record');
  const args = ['--resources', '1', '--templates', '1', '--prompts', '1', '--record', record,
    ...(server === MODERN ? ['--era', '2026'] : ['--revision', server])];
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ mcpServers: { a: { command: SERVER, args }, b: { command: SERVER, args: ['--tools', '0'] } } }));
  const name = `client ${client}, server ${server}`;
  try {
    checkSent(validator(client), client, await conversation(folder, client));
    checkReceived(validator(server), server, record);
    console.log(`ok ${transcripts.length + i + 1} - ${name}`);
  } catch (e) {
    failed++;
    console.log(`not ok ${transcripts.length + i + 1} - ${name}\n# ${String(e.stack ?? e).replaceAll('\n', '\n# ')}`);
  }
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
