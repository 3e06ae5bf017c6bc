// TypeScript SDK 2.x as a client, of either era of the protocol:
// --era legacy   initialize, revision 2025-11-25 (the SDK's default)
// --era modern   server/discover, revision 2026-07-28 and nothing else
// --era auto     server/discover first, initialize if the server does not know it
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { CLIENT_CAPABILITIES, ELICITED, EVERY_CAPABILITY, ROOTS, SAMPLE, exerciseEverything, exerciseModern, parseArgs } from './exercise.mjs';

const o = parseArgs(process.argv.slice(2),
  'usage: sdk2.mjs [--era legacy|modern|auto] [--prefix P] [--server everything|modern] [--reverse] [--capable] [--header K:V] (--url URL | --stdio CMD ARGS...)');
const mode = { legacy: 'legacy', auto: 'auto', modern: { pin: '2026-07-28' } }[o.era];
if (!mode) throw new Error('--era?');

const logs = [], updates = [];
let toolChanges = 0;
const client = new Client({ name: 'interop-sdk2', version: '1' }, {
  capabilities: o.reverse ? CLIENT_CAPABILITIES : o.capable ? EVERY_CAPABILITY : {},
  versionNegotiation: { mode },
  // In the modern era this opens subscriptions/listen.
  listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => { toolChanges++; } } },
});
if (o.reverse) {
  client.setRequestHandler('roots/list', () => ROOTS);
  client.setRequestHandler('sampling/createMessage', () => SAMPLE);
  client.setRequestHandler('elicitation/create', () => ELICITED);
}
client.setNotificationHandler('notifications/message', (n) => { logs.push(n.params); });
client.setNotificationHandler('notifications/resources/updated', (n) => { updates.push(n.params.uri); });
client.onerror = (e) => console.error(`onerror: ${e.message}`);

const face = {
  logs, updates,
  canSubscribe: () => client.getServerCapabilities()?.resources?.subscribe === true,
  toolChanges: () => toolChanges,
  ping: () => client.ping(),
  // Without a cursor the 2.x client walks all pages itself.
  tools: async () => (await client.listTools()).tools,
  resources: async () => (await client.listResources()).resources,
  templates: async () => (await client.listResourceTemplates()).resourceTemplates,
  prompts: async () => (await client.listPrompts()).prompts,
  call: (name, args, opts) => client.callTool({ name, arguments: args }, opts),
  read: (uri) => client.readResource({ uri }),
  prompt: (name, args) => client.getPrompt({ name, arguments: args }),
  complete: (ref, argument, context) => client.complete({ ref, argument, context }),
  logLevel: (level) => client.setLoggingLevel(level),
  async subscribe(uri) {
    if (client.getProtocolEra() === 'legacy') return client.subscribeResource({ uri });
    this.subscription = await client.listen({ resourceSubscriptions: [uri] });
  },
  unsubscribe(uri) {
    return this.subscription ? this.subscription.close() : client.unsubscribeResource({ uri });
  },
};

const transport = o.url
  ? new StreamableHTTPClientTransport(new URL(o.url), { requestInit: { headers: o.headers } })
  : new StdioClientTransport({ command: o.stdio[0], args: o.stdio.slice(1) });
try {
  await client.connect(transport);
  const legacy = client.getProtocolEra() === 'legacy';
  const exercise = o.server === 'modern' ? exerciseModern : exerciseEverything;
  const result = {
    era: client.getProtocolEra(),
    version: client.getNegotiatedProtocolVersion(),
    capabilities: client.getServerCapabilities(),
    listening: client.autoOpenedSubscription?.honoredFilter,
    ...await exercise(face, { prefix: o.prefix, legacy, reverse: o.reverse, listen: true }),
  };
  if (o.url && legacy) await transport.terminateSession();
  await client.close();
  console.log(JSON.stringify(result, null, 1));
} catch (e) {
  console.error(e);
  await client.close();
  process.exitCode = 1;
}
