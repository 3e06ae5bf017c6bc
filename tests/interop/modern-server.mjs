// A small server of protocol revision 2026-07-28, made with TypeScript SDK 2.x.
// usage: modern-server.mjs [--legacy-too] [--http PORT]
// Without --legacy-too it refuses `initialize`. --http prints "PORT n" on stderr.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, ResourceTemplate, completable, createMcpHandler, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const legacy = process.argv.includes('--legacy-too');
const httpAt = process.argv.indexOf('--http');
const added = []; // kept here: over HTTP every request gets a new McpServer

function build(changed) {
  const server = new McpServer({ name: 'modern-server', version: '1.0.0' }, {
    capabilities: { tools: { listChanged: true }, logging: {} },
    instructions: 'A server for interoperability tests.',
  });

  server.registerTool('measure', {
    title: 'Measure',
    description: 'Measures a text, with one progress notification per step',
    inputSchema: z.object({ text: z.string(), steps: z.number().int().optional() }),
    outputSchema: z.object({ length: z.number(), upper: z.string() }),
    annotations: { readOnlyHint: true },
  }, async ({ text, steps = 0 }, ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken;
    ctx.mcpReq.signal.addEventListener('abort', () => console.error('modern-server: measure was cancelled'));
    for (let i = 1; i <= steps && !ctx.mcpReq.signal.aborted; i++) {
      await new Promise((r) => setTimeout(r, 100));
      if (progressToken !== undefined)
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress: i, total: steps } });
    }
    const structuredContent = { length: text.length, upper: text.toUpperCase() };
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  });

  // Multi round-trip requests: every round carries its number in requestState, and the last one tells all answers.
  const questions = {
    form: () => inputRequired.elicit({ message: 'Who are you?', requestedSchema: { type: 'object', required: ['name'],
      properties: { name: { type: 'string', title: 'Name' }, age: { type: 'integer', minimum: 0, default: 36 } } } }),
    url: () => inputRequired.elicitUrl({ message: 'Please sign in.', url: 'https://example.org/sign-in' }),
    sample: () => inputRequired.createMessage({ maxTokens: 5, messages: [{ role: 'user', content: { type: 'text', text: 'say' } }] }),
    roots: () => inputRequired.listRoots(),
  };
  server.registerTool('ask', {
    description: 'Asks the client, in as many rounds as there are entries of one or more questions joined with +',
    inputSchema: z.object({ rounds: z.array(z.string()) }),
  }, async ({ rounds }, ctx) => {
    const state = JSON.parse(ctx.mcpReq.requestState() ?? '{"round":0,"answers":[]}');
    if (state.round > 0) state.answers.push(ctx.mcpReq.inputResponses ?? null);
    if (state.round === rounds.length) return { content: [{ type: 'text', text: JSON.stringify(state.answers) }] };
    const asked = rounds[state.round++].split('+').filter(Boolean);
    const inputRequests = Object.fromEntries(asked.map((name) => [name, questions[name]()]));
    return inputRequired({ ...asked.length && { inputRequests }, requestState: JSON.stringify(state) });
  });

  const addTool = (name) => server.registerTool(name, { description: `Added as ${name}` },
    async () => ({ content: [{ type: 'text', text: `I am ${name}` }] }));
  server.registerTool('add_tool', {
    description: 'Adds a tool of that name',
    inputSchema: z.object({ name: z.string() }),
  }, async ({ name }) => {
    added.push(name);
    changed ? changed() : addTool(name); // over stdio registering tells it by itself
    return { content: [{ type: 'text', text: `added ${name}` }] };
  });
  added.forEach(addTool);

  server.registerResource('note', 'modern://note', { mimeType: 'text/plain', description: 'A fixed text' },
    async (uri) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: 'a fixed note' }] }));
  server.registerResource('square', new ResourceTemplate('modern://square/{n}', { list: undefined }),
    { mimeType: 'text/plain', description: 'The square of a number' },
    async (uri, { n }) => ({ contents: [{ uri: uri.href, mimeType: 'text/plain', text: String(n * n) }] }));
  server.registerPrompt('greet', {
    description: 'A greeting',
    argsSchema: z.object({ name: completable(z.string(), (v) => ['Ada', 'Alan', 'Grace'].filter((x) => x.startsWith(v))) }),
  }, async ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: `Greet ${name}!` } }] }));
  return server;
}

const onerror = (e) => console.error(`modern-server: ${e.message}`);
if (httpAt < 0) {
  serveStdio(() => build(), { legacy: legacy ? 'serve' : 'reject', onerror });
} else {
  const handler = createMcpHandler(() => build(() => handler.notify.toolsChanged()), { legacy: legacy ? 'stateless' : 'reject', onerror });
  const http = createServer(toNodeHandler(handler));
  http.listen(Number(process.argv[httpAt + 1]), '127.0.0.1', () => console.error(`PORT ${http.address().port}`));
}
