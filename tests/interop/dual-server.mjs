// A server of both eras, made with TypeScript SDK 2.x, with what the official conformance suite looks for.
// usage: dual-server.mjs push|return [--http PORT]
// How its tools ask their client: `push` with the SDK's request functions, which work in the handshake era only; `return` with
// input_required results. Over stdio the first message decides the era of the whole process. --http prints "PORT n" on stderr;
// handshake clients have sessions there. Subscriptions to resources are declared to handshake clients only.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { localhostHostValidation, localhostOriginValidation, toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, ResourceNotFoundError, ResourceTemplate, WebStandardStreamableHTTPServerTransport, completable, createMcpHandler,
  createRequestStateCodec, fromJsonSchema, inputRequired, isLegacyRequest } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const [asking] = process.argv.slice(2);
const httpAt = process.argv.indexOf('--http');
if (!['push', 'return'].includes(asking)) throw new Error('usage: dual-server.mjs push|return [--http PORT]');
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=';
const PAUSE_MS = 50;
const states = createRequestStateCodec({ key: randomBytes(32) });
const extra = { tool: false, prompt: false }; // over HTTP each 2026-07-28 request gets a new McpServer

const said = (value) => ({ content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] });
const asUser = (...content) => ({ messages: content.map((c) => ({ role: 'user', content: c })) });
const text = (value) => ({ type: 'text', text: value });
const picture = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

// ---- questions ----

const fields = (properties, required = []) => ({ type: 'object', properties, required });
const form = (message, properties, required) => ({ message, requestedSchema: fields(properties, required) });
const sampling = (prompt) => ({ maxTokens: 60, messages: [{ role: 'user', content: text(prompt) }] });
const WHO = form('Who is there?', { name: { type: 'string' } }, ['name']);
const SURE = form('Are you sure?', { sure: { type: 'boolean' } }, ['sure']);
const DEFAULTS = form('Correct what is wrong', {
  name: { type: 'string', default: 'John Doe' }, age: { type: 'integer', default: 30 }, score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' }, verified: { type: 'boolean', default: true } });
const titled = (...names) => names.map((name) => ({ const: name, title: name.toUpperCase() }));
const CHOICES = form('Choose', {
  untitledSingle: { type: 'string', enum: ['red', 'green', 'blue'] }, titledSingle: { type: 'string', oneOf: titled('red', 'green', 'blue') },
  legacyEnum: { type: 'string', enum: ['red', 'green', 'blue'], enumNames: ['Red', 'Green', 'Blue'] },
  untitledMulti: { type: 'array', items: { type: 'string', enum: ['red', 'green', 'blue'] } },
  titledMulti: { type: 'array', items: { anyOf: titled('red', 'green', 'blue') } } });

// The two ways to ask one question; `say` makes the result of the answer.
const ways = {
  push: {
    sample: async (ctx, prompt, say) => say(await ctx.mcpReq.requestSampling(sampling(prompt))),
    elicit: async (ctx, what, say) => say(await ctx.mcpReq.elicitInput({ mode: 'form', ...what })),
  },
  return: {
    sample: async (ctx, prompt, say) => once(ctx, { answer: inputRequired.createMessage(sampling(prompt)) }, (back) => say(back.answer)),
    elicit: async (ctx, what, say) => once(ctx, { answer: inputRequired.elicit(what) }, (back) => say(back.answer)),
  },
};
const ask = ways[asking];

// One round: the questions until all have been answered.
async function once(ctx, inputRequests, say, state) {
  const back = ctx.mcpReq.inputResponses;
  const whole = Object.keys(inputRequests).every((key) => back?.[key]) && (!state || ctx.mcpReq.requestState()?.is === state);
  return whole ? say(back) : inputRequired({ inputRequests, ...state && { requestState: await states.mint({ is: state }, ctx) } });
}

function named(ctx) {
  const back = ctx.mcpReq.inputResponses?.user_name, name = back?.content?.name;
  if (back && (back.action !== 'accept' || typeof name === 'string')) return said(`There is ${name ?? 'somebody'}`);
  return inputRequired({ inputRequests: { user_name: inputRequired.elicit(WHO) } });
}

async function rounds(ctx) {
  const { inputResponses: back } = ctx.mcpReq, at = ctx.mcpReq.requestState()?.is;
  if (at === 'second' && back?.second) return said({ second: back.second });
  const next = at === 'second' || (at === 'first' && back?.first) ? 'second' : 'first';
  return inputRequired({ inputRequests: { [next]: inputRequired.elicit(next === 'first' ? WHO : SURE) },
    requestState: await states.mint({ is: next }, ctx) });
}

// ---- what is offered ----

function addAsking(server, tool) {
  const empty = z.object({});
  tool('test_sampling', z.object({ prompt: z.string() }), ({ prompt }, ctx) => ask.sample(ctx, prompt, said));
  tool('test_elicitation', z.object({ message: z.string() }), ({ message }, ctx) =>
    ask.elicit(ctx, form(message, { username: { type: 'string' }, email: { type: 'string' } }, ['username', 'email']), said));
  tool('test_elicitation_sep1034_defaults', empty, (_, ctx) => ask.elicit(ctx, DEFAULTS, said));
  tool('test_elicitation_sep1330_enums', empty, (_, ctx) => ask.elicit(ctx, CHOICES, said));

  const model = { thought: inputRequired.createMessage(sampling('Think of a word')) }, who = { user_name: inputRequired.elicit(WHO) };
  const roots = { roots: inputRequired.listRoots() };
  tool('test_missing_capability', empty, (_, ctx) => once(ctx, model, said));
  tool('test_streaming_elicitation', empty, (_, ctx) => named(ctx));
  tool('test_input_required_result_elicitation', empty, (_, ctx) => named(ctx));
  tool('test_input_required_result_sampling', empty, (_, ctx) => once(ctx, model, said));
  tool('test_input_required_result_list_roots', empty, (_, ctx) => once(ctx, roots, said));
  tool('test_input_required_result_request_state', empty, (_, ctx) => once(ctx, { sure: inputRequired.elicit(SURE) }, () => said('state-ok'), 'sure'));
  tool('test_input_required_result_tampered_state', empty, (_, ctx) => once(ctx, { sure: inputRequired.elicit(SURE) }, () => said('state-ok'), 'sure'));
  tool('test_input_required_result_multiple_inputs', empty, (_, ctx) => once(ctx, { ...who, ...model, ...roots }, said, 'all'));
  tool('test_input_required_result_multi_round', empty, (_, ctx) => rounds(ctx));
  tool('test_input_required_result_capabilities', empty, (_, ctx) => {
    const can = ctx.mcpReq.envelope?.[CAPABILITIES] ?? server.server.getClientCapabilities() ?? {};
    return Object.keys(ctx.mcpReq.inputResponses ?? {}).length ? said('Thank you')
      : inputRequired({ inputRequests: { ...can.elicitation && who, ...can.sampling && model } });
  });
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks first' },
    (ctx) => once(ctx, { about: inputRequired.elicit(form('What about?', { topic: { type: 'string' } }, ['topic'])) }, (back) => asUser(text(JSON.stringify(back)))));
}

const SCHEMA_2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'object', additionalProperties: false,
  $defs: { address: { $anchor: 'addressDef', type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' }, contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' }, email: { type: 'string' } },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  then: { required: ['phone'] }, else: { required: ['email'] },
};

function addTools(server, tool, tell) {
  const empty = z.object({});
  const inside = (uri, mimeType, value) => ({ type: 'resource', resource: { uri, mimeType, text: value } });
  tool('test_simple_text', empty, () => said('A line of text'));
  tool('test_image_content', empty, () => ({ content: [picture] }));
  tool('test_audio_content', empty, () => ({ content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] }));
  tool('test_embedded_resource', empty, () => ({ content: [inside('test://inside', 'text/plain', 'Comes with the result')] }));
  tool('test_multiple_content_types', empty, () => ({ content: [text('Three kinds'), picture, inside('test://also-inside', 'application/json', '{}')] }));
  tool('test_error_handling', empty, () => ({ ...said('This tool never succeeds'), isError: true }));
  tool('test_tool_with_progress', empty, async (_, ctx) => {
    const { progressToken } = ctx.mcpReq._meta ?? {};
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined) await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } });
      await pause();
    }
    return said('All the way');
  });
  tool('test_tool_with_logging', empty, async (_, ctx) => {
    for (const word of ['begins', 'goes on', 'ends']) {
      await ctx.mcpReq.log('info', `It ${word}`);
      await pause();
    }
    return said('Told three times');
  });
  tool('test_logging_tool', empty, async (_, ctx) => {
    await ctx.mcpReq.log('info', 'For those who want to hear it');
    return said('Told once');
  });
  tool('test_reconnection', empty, async (_, ctx) => {
    ctx.http?.closeSSE?.();
    await pause();
    return said('Taken up again');
  });
  tool('test_trigger_tool_change', empty, () => (tell('tool'), said('There is another tool, or one less')));
  tool('test_trigger_prompt_change', empty, () => (tell('prompt'), said('There is another prompt, or one less')));
  tool('test_header_parameter', fromJsonSchema(fields({ region: { type: 'string', 'x-mcp-header': 'Region' },
    priority: { type: 'integer', 'x-mcp-header': 'Priority' }, query: { type: 'string' } }, ['region'])), (args) => said(args));
  tool('json_schema_2020_12_tool', fromJsonSchema(SCHEMA_2020), (args) => said(args));
}

function addData(server, era) {
  const one = (uri, value) => ({ contents: [{ uri: uri.href, ...value }] });
  const resource = (name, uri, value) => server.registerResource(name, uri, { description: name, mimeType: value.mimeType }, (u) => one(u, value));
  resource('text', 'test://static-text', { mimeType: 'text/plain', text: 'Always this' });
  resource('binary', 'test://static-binary', { mimeType: 'image/png', blob: PIXEL });
  resource('watched', 'test://watched-resource', { mimeType: 'text/plain', text: 'Watch me' });
  server.registerResource('record', new ResourceTemplate('test://template/{id}/data', { list: undefined }), { mimeType: 'application/json' }, (uri, { id }) => {
    if (!/^\w+$/.test(id)) throw new ResourceNotFoundError(uri.href);
    return one(uri, { mimeType: 'application/json', text: JSON.stringify({ record: id }) });
  });
  if (era === 'legacy')
    for (const method of ['resources/subscribe', 'resources/unsubscribe']) server.server.setRequestHandler(method, () => ({}));

  const argument = completable(z.string(), (begin) => ['test', 'testing', 'text'].filter((word) => word.startsWith(begin)));
  server.registerPrompt('test_simple_prompt', { description: 'Says one thing' }, () => asUser(text('Say something')));
  server.registerPrompt('test_prompt_with_arguments', { description: 'Says two things', argsSchema: z.object({ arg1: argument, arg2: z.string() }) },
    ({ arg1, arg2 }) => asUser(text(`First ${arg1}, then ${arg2}`)));
  server.registerPrompt('test_prompt_with_embedded_resource', { description: 'Brings a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => asUser({ type: 'resource', resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Look at this' } }));
  server.registerPrompt('test_prompt_with_image', { description: 'Brings a picture' }, () => asUser(picture, text('What is it?')));
}

// ---- serving ----

// `changed` tells those who listen over HTTP; over stdio and in sessions the McpServer itself does.
function build(era, changed) {
  const capabilities = { tools: { listChanged: true }, prompts: { listChanged: true }, logging: {}, completions: {},
    resources: { listChanged: true, ...era === 'legacy' && { subscribe: true } } };
  const server = new McpServer({ name: 'dual', version: '1.0.0' }, { capabilities, requestState: { verify: states.verify } });
  const tool = (name, inputSchema, run) => server.registerTool(name, { description: `Does ${name}`, inputSchema }, run);
  const more = { tool: () => tool('test_dynamic_tool', z.object({}), () => said('Still here')),
    prompt: () => server.registerPrompt('test_dynamic_prompt', { description: 'Comes and goes' }, () => asUser(text('Still here'))) };
  const registered = {};
  const tell = (kind) => {
    extra[kind] = !extra[kind];
    if (changed) return changed(kind);
    extra[kind] ? registered[kind] = more[kind]() : registered[kind].remove();
  };
  addTools(server, tool, tell);
  addAsking(server, tool);
  addData(server, era);
  for (const kind of ['tool', 'prompt']) if (extra[kind]) registered[kind] = more[kind]();
  return server;
}

const onerror = (e) => console.error(`dual-server: ${e.message}`);

async function inSession(sessions, request) {
  const id = request.headers.get('mcp-session-id'), known = sessions.get(id);
  if (known) return known.handleRequest(request);
  if (id) return Response.json({ jsonrpc: '2.0', error: { code: -32001, message: 'Session not found' } }, { status: 404 });
  const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, eventStore: store(), retryInterval: 500,
    onsessioninitialized: (id) => { sessions.set(id, transport); }, onsessionclosed: (id) => { sessions.delete(id); } });
  await build('legacy').connect(transport);
  return transport.handleRequest(request);
}

// Events of a session, so that a stream that is cut can be taken up again.
function store() {
  const events = [];
  return {
    async storeEvent(stream, message) {
      events.push({ id: `${createHash('sha256').update(stream).digest('hex').slice(0, 8)}-${events.length}`, stream, message });
      return events.at(-1).id;
    },
    async replayEventsAfter(last, { send }) {
      const at = events.findIndex((e) => e.id === last), { stream } = events[at];
      for (const e of events.slice(at + 1)) if (e.stream === stream && e.message.jsonrpc) await send(e.id, e.message);
      return stream;
    },
    getStreamIdForEventId: async (id) => events.find((e) => e.id === id)?.stream,
  };
}

function serveHttp(port) {
  const sessions = new Map();
  const modern = createMcpHandler(() => build('modern', (kind) => modern.notify[kind === 'tool' ? 'toolsChanged' : 'promptsChanged']()),
    { legacy: 'reject', onerror });
  const fetch = async (request) => await isLegacyRequest(request.clone()) ? inSession(sessions, request) : modern.fetch(request);
  const [isLocalHost, isLocalOrigin, handle] = [localhostHostValidation(), localhostOriginValidation(), toNodeHandler({ fetch }, { onerror })];
  const http = createServer((req, res) => { if (isLocalHost(req, res) && isLocalOrigin(req, res)) handle(req, res); });
  http.listen(port, '127.0.0.1', () => console.error(`PORT ${http.address().port}`));
}

if (httpAt < 0)
  serveStdio(({ era }) => build(era), { onerror });
else
  serveHttp(Number(process.argv[httpAt + 1]));
