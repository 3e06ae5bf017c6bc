// The server of protocol revision 2025-11-25 in the matrix, made with TypeScript SDK 1.x.
// usage: matrix-legacy-server.mjs PLACE [--http PORT]    PLACE stands in its URIs; --http prints "PORT n" on stderr; it has sessions.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js';
import { completable } from '@modelcontextprotocol/sdk/server/completable.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { McpError, SetLevelRequestSchema, SubscribeRequestSchema, UnsubscribeRequestSchema, UrlElicitationRequiredError } from '@modelcontextprotocol/sdk/types.js';
import { z } from 'zod';
import * as offer from './matrix-offer.mjs';

const place = `matrix://${process.argv[2]}`;
const { TEXT, STEPS, said } = offer;
const sessions = new Map(); // id -> { server, transport, uris }
const [cancelled, visited, added] = [offer.remembered(), new Map(), []];

const capabilities = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true, subscribe: true },
  logging: {}, completions: {} };

function build() {
  const server = new McpServer({ name: 'matrix-legacy', version: '1.0.0' }, { capabilities, enforceStrictCapabilities: true });
  const it = { server, uris: new Set() };
  // Within the call: over HTTP on its own stream, so that a gateway sees whose question it is.
  const ask = (extra) => ({
    sample: async (text) => (await server.server.createMessage(offer.sampling(text), within(extra))).content.text,
    form: (message) => server.server.elicitInput(offer.form(message), within(extra)),
    url: (text) => server.server.elicitInput({ mode: 'url', elicitationId: randomUUID(), ...offer.page(text) }, within(extra)),
    roots: async () => (await server.server.listRoots(undefined, within(extra))).roots,
  });
  const within = (extra) => extra && { relatedRequestId: extra.requestId };
  const tool = (name, inputSchema, run, more) => server.registerTool(name, { description: `The tool ${name}`, inputSchema, ...more }, run);

  tool('ask_sampling', TEXT, async ({ text }, extra) => said(await ask(extra).sample(text)));
  tool('ask_form', TEXT, async ({ text }, extra) => said(await ask(extra).form(text)));
  tool('ask_form_aside', TEXT, async ({ text }) => said(await ask().form(text)));
  tool('ask_url', TEXT, async ({ text }, extra) => said(await ask(extra).url(text)));
  tool('ask_roots', TEXT, async (_, extra) => said(await ask(extra).roots()));
  tool('ask_three', TEXT, async ({ text }, extra) => {
    const { sample, form, roots } = ask(extra);
    return said(await Promise.all([sample(text), form(text), roots()]));
  });
  tool('ask_twice', TEXT, async ({ text }, extra) => {
    const first = await ask(extra).form(text);
    return said([first, await ask(extra).form(offer.second(text, first.content.answer))]);
  });
  tool('ask_url_required', TEXT, async ({ text }, extra) => {
    const elicitationId = visited.get(text);
    if (!elicitationId) { // who comes again has been there
      visited.set(text, randomUUID());
      throw new UrlElicitationRequiredError([{ mode: 'url', elicitationId: visited.get(text), ...offer.page(text) }]);
    }
    await extra.sendNotification({ method: 'notifications/elicitation/complete', params: { elicitationId } });
    return said('visited');
  });

  tool('slow_progress', STEPS, async ({ text, steps }, extra) => {
    for (let i = 1; i <= steps; i++) {
      await progress(extra, { progress: i, total: steps, message: `${text} ${i}` });
      await offer.turn(5);
    }
    return said(text);
  });
  tool('slow', TEXT, async ({ text }, extra) => {
    const end = new Promise((resolve) => extra.signal.addEventListener('abort', resolve));
    await progress(extra, { progress: 1, message: text });
    await end;
    cancelled.add(text);
    return said('cancelled');
  });
  const progress = async (extra, params) => extra._meta?.progressToken !== undefined &&
    extra.sendNotification({ method: 'notifications/progress', params: { progressToken: extra._meta.progressToken, ...params } });
  tool('was_cancelled', TEXT, async ({ text }) => said(await cancelled.has(text)));
  tool('is_cancelled', TEXT, ({ text }) => said(cancelled.knows(text)));

  let level = 0;
  server.server.setRequestHandler(SetLevelRequestSchema, ({ params }) => {
    level = offer.LEVELS.indexOf(params.level);
    return {};
  });
  const messages = (text) => offer.LEVELS.slice(level).map((l) => ({ level: l, logger: 'matrix', data: { text, level: l } }));
  tool('noisy', TEXT, async ({ text }, extra) => {
    for (const params of messages(text)) await extra.sendNotification({ method: 'notifications/message', params });
    return said(text);
  });
  tool('noisy_aside', TEXT, async ({ text }) => {
    for (const params of messages(text)) await server.server.notification({ method: 'notifications/message', params });
    return said(text);
  });

  server.server.setRequestHandler(SubscribeRequestSchema, ({ params }) => { it.uris.add(params.uri); return {}; });
  server.server.setRequestHandler(UnsubscribeRequestSchema, ({ params }) => { it.uris.delete(params.uri); return {}; });
  tool('touch', { uri: z.string() }, async ({ uri }) => {
    for (const { server: s, uris } of sessions.values()) if (uris.has(uri)) await s.server.sendResourceUpdated({ uri });
    return said(uri);
  });
  it.add = (name) => {
    tool(name, {}, () => said(name));
    server.registerPrompt(name, { description: name }, () => offer.prompted(name));
    server.registerResource(name, `${place}/${name}`, {}, (uri) => offer.contents(uri, name));
  };
  tool('add_tool', TEXT, ({ text }) => {
    added.push(text);
    for (const s of sessions.values()) s.add(text);
    return said(text);
  });
  tool('structured', {}, () => ({ ...said(offer.OBJECT), structuredContent: offer.OBJECT }), { outputSchema: offer.OBJECT_SCHEMA });
  tool('pid', {}, () => said(process.pid));
  tool('sessions', {}, (_, extra) => said({ own: extra.sessionId, all: [...sessions.keys()] }));

  server.registerPrompt('asking', { description: 'Asks before it answers', argsSchema: TEXT },
    async ({ text }, extra) => offer.prompted(await ask(extra).form(text)));
  server.registerPrompt('greet', { description: 'A greeting', argsSchema: { name: completable(z.string(), offer.beginning) } },
    ({ name }) => offer.prompted(name));
  server.registerResource('asking', `${place}/asking`, { description: 'Asks before it is read' },
    async (uri, extra) => offer.contents(uri, await ask(extra).form(uri.href)));
  server.registerResource('item', new ResourceTemplate(`${place}/item/{name}`, { list: undefined, complete: { name: offer.beginning } }),
    { description: 'One of some names' }, (uri, { name }) => {
      if (!offer.NAMES.includes(name)) throw new McpError(-32002, 'Resource not found', { uri: uri.href });
      return offer.contents(uri, name);
    });
  added.forEach(it.add);
  return it;
}

async function session(req, res) {
  const id = req.headers['mcp-session-id'];
  if (id && !sessions.has(id)) return res.writeHead(404).end('{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}');
  if (id) return sessions.get(id).transport.handleRequest(req, res);
  const it = build();
  it.transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID, onsessioninitialized: (given) => { sessions.set(given, it); } });
  it.transport.onclose = () => sessions.delete(it.transport.sessionId);
  await it.server.connect(it.transport);
  return it.transport.handleRequest(req, res);
}

const httpAt = process.argv.indexOf('--http');
if (httpAt < 0) {
  const it = build();
  sessions.set('stdio', it);
  await it.server.connect(new StdioServerTransport());
} else {
  const http = createServer((req, res) => session(req, res).catch((e) => { console.error(e); res.destroy(); }));
  http.listen(Number(process.argv[httpAt + 1]), '127.0.0.1', () => console.error(`PORT ${http.address().port}`));
}
