// The server of protocol revision 2026-07-28 in the matrix, made with TypeScript SDK 2.x: it refuses `initialize`.
// usage: matrix-stateless-server.mjs PLACE [--http PORT]    PLACE stands in its URIs; --http prints "PORT n" on stderr.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, ResourceNotFoundError, ResourceTemplate, completable, createMcpHandler, inputRequired } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';
import * as offer from './matrix-offer.mjs';

const place = `matrix://${process.argv[2]}`;
const { said } = offer;
const [TEXT, STEPS] = [z.object(offer.TEXT), z.object(offer.STEPS)];
const [cancelled, added] = [offer.remembered(), []]; // kept here: over HTTP every request gets a new McpServer

const questions = {
  sample: (text) => inputRequired.createMessage(offer.sampling(text)),
  form: (message) => inputRequired.elicit(offer.form(message)),
  url: (text) => inputRequired.elicitUrl(offer.page(text)),
  roots: () => inputRequired.listRoots(),
};
const capabilities = { tools: { listChanged: true }, prompts: { listChanged: true }, resources: { listChanged: true, subscribe: true },
  logging: {}, completions: {} };

// `tell` says what has changed: over stdio the server itself does, over HTTP the handler that listens.
function build(tell) {
  const server = new McpServer({ name: 'matrix-stateless', version: '1.0.0' }, { capabilities });
  const tool = (name, inputSchema, run, more) => server.registerTool(name, { description: `The tool ${name}`, inputSchema, ...more }, run);
  // One round of questions; `answer` gets what came back.
  const asking = (inputRequests, answer) => (ctx) => {
    const back = ctx.mcpReq.inputResponses;
    return Object.keys(inputRequests).every((key) => back?.[key]) ? answer(back) : inputRequired({ inputRequests });
  };
  const asks = (name, inputRequests, answer) => tool(name, TEXT, ({ text }, ctx) => asking(inputRequests(text), (back) => said(answer(back)))(ctx));

  asks('ask_sampling', (text) => ({ sample: questions.sample(text) }), (back) => back.sample.content.text);
  asks('ask_form', (text) => ({ form: questions.form(text) }), (back) => back.form);
  asks('ask_url', (text) => ({ url: questions.url(text) }), (back) => back.url);
  asks('ask_roots', () => ({ roots: questions.roots() }), (back) => back.roots.roots);
  asks('ask_three', (text) => ({ sample: questions.sample(text), form: questions.form(text), roots: questions.roots() }),
    (back) => [back.sample.content.text, back.form, back.roots.roots]);
  tool('ask_twice', TEXT, ({ text }, ctx) => {
    const [state, back] = [ctx.mcpReq.requestState(), ctx.mcpReq.inputResponses];
    if (!state) return inputRequired({ inputRequests: { first: questions.form(text) }, requestState: JSON.stringify({ text }) });
    const known = JSON.parse(state);
    if (known.text !== text) throw new Error(`the state of another call: ${state}`);
    if (known.first) return said([known.first, back.second]);
    return inputRequired({ inputRequests: { second: questions.form(offer.second(text, back.first.content.answer)) },
      requestState: JSON.stringify({ text, first: back.first }) });
  });

  tool('slow_progress', STEPS, async ({ text, steps }, ctx) => {
    for (let i = 1; i <= steps; i++) {
      await progress(ctx, { progress: i, total: steps, message: `${text} ${i}` });
      await offer.turn(5);
    }
    return said(text);
  });
  tool('slow', TEXT, async ({ text }, ctx) => {
    const end = new Promise((resolve) => ctx.mcpReq.signal.addEventListener('abort', resolve));
    await progress(ctx, { progress: 1, message: text });
    await end;
    cancelled.add(text);
    return said('cancelled');
  });
  const progress = async (ctx, params) => ctx.mcpReq._meta?.progressToken !== undefined &&
    ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken: ctx.mcpReq._meta.progressToken, ...params } });
  tool('was_cancelled', TEXT, async ({ text }) => said(await cancelled.has(text)));
  tool('is_cancelled', TEXT, ({ text }) => said(cancelled.knows(text)));
  tool('noisy', TEXT, async ({ text }, ctx) => {
    for (const level of offer.LEVELS) await ctx.mcpReq.log(level, { text, level }, 'matrix');
    return said(text);
  });

  tool('touch', z.object({ uri: z.string() }), async ({ uri }) => {
    await (tell ? tell.resourceUpdated(uri) : server.server.sendResourceUpdated({ uri }));
    return said(uri);
  });
  const add = (name) => {
    tool(name, z.object({}), () => said(name));
    server.registerPrompt(name, { description: name }, () => offer.prompted(name));
    server.registerResource(name, `${place}/${name}`, {}, (uri) => offer.contents(uri, name));
  };
  tool('add_tool', TEXT, ({ text }) => {
    added.push(text);
    tell ? ['toolsChanged', 'promptsChanged', 'resourcesChanged'].forEach((what) => tell[what]()) : add(text);
    return said(text);
  });
  tool('structured', z.object({}), () => ({ ...said(offer.OBJECT), structuredContent: offer.OBJECT }), { outputSchema: offer.OBJECT_SCHEMA });
  tool('structured_list', z.object({}), () => ({ ...said(offer.LIST), structuredContent: offer.LIST }), { outputSchema: z.array(z.any()) });
  tool('pid', z.object({}), () => said(process.pid));

  server.registerPrompt('asking', { description: 'Asks before it answers', argsSchema: TEXT },
    ({ text }, ctx) => asking({ form: questions.form(text) }, (back) => offer.prompted(back.form))(ctx));
  server.registerPrompt('greet', { description: 'A greeting', argsSchema: z.object({ name: completable(z.string(), offer.beginning) }) },
    ({ name }) => offer.prompted(name));
  server.registerResource('asking', `${place}/asking`, { description: 'Asks before it is read' },
    (uri, ctx) => asking({ form: questions.form(uri.href) }, (back) => offer.contents(uri, back.form))(ctx));
  server.registerResource('item', new ResourceTemplate(`${place}/item/{name}`, { list: undefined, complete: { name: offer.beginning } }),
    { description: 'One of some names' }, (uri, { name }) => {
      if (!offer.NAMES.includes(name)) throw new ResourceNotFoundError(uri.href);
      return offer.contents(uri, name);
    });
  added.forEach(add);
  return server;
}

const onerror = (e) => console.error(`matrix-stateless: ${e.message}`);
const httpAt = process.argv.indexOf('--http');
if (httpAt < 0) {
  serveStdio(() => build(), { legacy: 'reject', onerror });
} else {
  const handler = createMcpHandler(() => build(handler.notify), { legacy: 'reject', onerror });
  const http = createServer(toNodeHandler(handler));
  http.listen(Number(process.argv[httpAt + 1]), '127.0.0.1', () => console.error(`PORT ${http.address().port}`));
}
