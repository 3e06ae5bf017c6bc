// TypeScript SDK 1.x as a client of server-everything or of the gateway.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema,
  LoggingMessageNotificationSchema, ResourceUpdatedNotificationSchema, ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { CLIENT_CAPABILITIES, ELICITED, EVERY_CAPABILITY, ROOTS, SAMPLE, exerciseEverything, exerciseModern, parseArgs } from './exercise.mjs';

const o = parseArgs(process.argv.slice(2),
  'usage: sdk1.mjs [--prefix P] [--server everything|modern] [--reverse] [--capable] [--header K:V] (--url URL | --stdio CMD ARGS...)');
const client = new Client({ name: 'interop-sdk1', version: '1' }, { capabilities: o.reverse ? CLIENT_CAPABILITIES : o.capable ? EVERY_CAPABILITY : {} });
if (o.reverse) {
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  client.setRequestHandler(CreateMessageRequestSchema, () => SAMPLE);
  client.setRequestHandler(ElicitRequestSchema, () => ELICITED);
}
const logs = [], updates = [];
let toolChanges = 0;
client.setNotificationHandler(LoggingMessageNotificationSchema, (n) => { logs.push(n.params); });
client.setNotificationHandler(ResourceUpdatedNotificationSchema, (n) => { updates.push(n.params.uri); });
client.setNotificationHandler(ToolListChangedNotificationSchema, () => { toolChanges++; });
client.onerror = (e) => console.error(`onerror: ${e.message}`);

async function pages(list, key) {
  const all = [];
  let cursor;
  do {
    const page = await list(cursor ? { cursor } : {});
    all.push(...page[key]);
    cursor = page.nextCursor;
  } while (cursor);
  return all;
}

const face = {
  logs, updates,
  canSubscribe: () => client.getServerCapabilities()?.resources?.subscribe === true,
  toolChanges: () => toolChanges,
  ping: () => client.ping(),
  tools: () => pages((p) => client.listTools(p), 'tools'),
  resources: () => pages((p) => client.listResources(p), 'resources'),
  templates: () => pages((p) => client.listResourceTemplates(p), 'resourceTemplates'),
  prompts: () => pages((p) => client.listPrompts(p), 'prompts'),
  call: (name, args, opts) => client.callTool({ name, arguments: args }, undefined, opts),
  read: (uri) => client.readResource({ uri }),
  prompt: (name, args) => client.getPrompt({ name, arguments: args }),
  complete: (ref, argument, context) => client.complete({ ref, argument, context }),
  logLevel: (level) => client.setLoggingLevel(level),
  subscribe: (uri) => client.subscribeResource({ uri }),
  unsubscribe: (uri) => client.unsubscribeResource({ uri }),
};

const transport = o.url
  ? new StreamableHTTPClientTransport(new URL(o.url), { requestInit: { headers: o.headers } })
  : new StdioClientTransport({ command: o.stdio[0], args: o.stdio.slice(1) });
try {
  await client.connect(transport);
  const exercise = o.server === 'modern' ? exerciseModern : exerciseEverything;
  const result = { capabilities: client.getServerCapabilities(),
    ...await exercise(face, { prefix: o.prefix, legacy: true, reverse: o.reverse, listen: true }) };
  if (o.url) await transport.terminateSession();
  await client.close();
  console.log(JSON.stringify(result, null, 1));
} catch (e) {
  console.error(e);
  await client.close();
  process.exitCode = 1;
}
