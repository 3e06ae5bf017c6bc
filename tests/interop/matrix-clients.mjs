// The clients of the matrix: both SDKs with one face. What arrives and leaves is also seen as messages, below the
// SDK: it drops notifications that come in one chunk with the answer to their call.
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { CreateMessageRequestSchema, ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

export const PATIENCE_MS = Number(process.env.MATRIX_PATIENCE_MS ?? 20000);
const LOG_LEVEL = 'io.modelcontextprotocol/logLevel';

// What every client answers: it can be told from what it was asked, and the roots from who was asked.
export const sampled = (text) => `sampled ${text}`;
export const accepted = (message) => ({ action: 'accept', content: { answer: `answer to ${message}` } });
export const answers = (who) => ({
  'sampling/createMessage': ({ messages }) => {
    const { text } = [messages[0].content].flat()[0];
    if (text.startsWith('refuse')) throw new Error('rejected by a person');
    return { model: 'matrix-model', role: 'assistant', stopReason: 'endTurn', content: { type: 'text', text: sampled(text) } };
  },
  'elicitation/create': (params) => params.mode === 'url' ? { action: 'accept' }
    : params.message.startsWith('decline') ? { action: 'decline' } : accepted(params.message),
  'roots/list': () => rootsOf(who),
});
export const rootsOf = (who) => ({ roots: [{ uri: `file:///matrix/${who}`, name: who }] });

// Messages as they come, and waiting for one.
export function hearing() {
  const heard = [], looks = new Set();
  return {
    heard,
    hear(message) {
      heard.push(message);
      for (const look of looks) look();
    },
    until: (wanted, what) => new Promise((resolve, reject) => {
      const end = (settle, value) => {
        clearTimeout(timer);
        looks.delete(look);
        settle(value);
      };
      const look = () => {
        const found = heard.find(wanted);
        if (found) end(resolve, found);
      };
      const timer = setTimeout(() => end(reject, new Error(`no ${what} in ${JSON.stringify(heard).slice(0, 1500)}`)), PATIENCE_MS);
      looks.add(look);
      look();
    }),
  };
}

const capabilitiesOf = (revision, plain) => plain ? {}
  : { sampling: {}, roots: {}, elicitation: revision === '2025-06-18' ? {} : { form: {}, url: {} } };

// `target` is { url } or { command, args, env, cwd }.
export async function connect({ revision, target, who, plain = false }) {
  const { hear, heard, until } = hearing();
  const sent = [], asked = [];
  const make = revision === '2026-07-28' ? stateless : legacy;
  const answer = answers(who);
  const respond = (method) => (request) => {
    asked.push({ method, params: request.params ?? {} });
    return answer[method](request.params ?? {});
  };
  const { client, transport, face } = make({ revision, target, capabilities: capabilitiesOf(revision, plain), plain, respond });
  client.onerror = () => {}; // what matters fails a test
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (message.method === 'initialize') message = { ...message, params: { ...message.params, protocolVersion: revision } };
    sent.push(message);
    return send(message, options);
  };
  let negotiated;
  const speak = transport.setProtocolVersion?.bind(transport);
  transport.setProtocolVersion = (version) => {
    negotiated = version;
    speak?.(version);
  };
  await client.connect(transport, { timeout: PATIENCE_MS }).catch((e) => client.close().then(() => { throw e; }));
  if (negotiated !== revision) await client.close().then(() => { throw new Error(`${revision} became ${negotiated}`); });
  const onmessage = transport.onmessage;
  transport.onmessage = (message, extra) => {
    hear(message);
    onmessage(message, extra);
  };
  const notifications = (method) => heard.filter((m) => m.method === method).map((m) => m.params);
  return {
    revision, who, heard, sent, until, notifications, ...face,
    asked: () => asked.splice(0),
    complete: (ref, argument) => client.complete({ ref, argument }),
    async close() {
      if (target.url && revision !== '2026-07-28') await transport.terminateSession().catch(() => {});
      await client.close();
    },
  };
}

const stdioOptions = ({ command, args, env, cwd }) => ({ command, args, env, cwd, stderr: process.env.MATRIX_STDERR ? 'inherit' : 'ignore' });

function legacy({ target, capabilities, plain, respond }) {
  const client = new Client1({ name: 'matrix-sdk1', version: '1' }, { capabilities });
  if (!plain) {
    client.setRequestHandler(CreateMessageRequestSchema, respond('sampling/createMessage'));
    client.setRequestHandler(ElicitRequestSchema, respond('elicitation/create'));
    client.setRequestHandler(ListRootsRequestSchema, respond('roots/list'));
  }
  const transport = target.url ? new Http1(new URL(target.url)) : new Stdio1(stdioOptions(target));
  const face = {
    tools: async (options) => (await client.listTools(undefined, options)).tools,
    prompts: async () => (await client.listPrompts()).prompts,
    resources: async () => (await client.listResources()).resources,
    call: (name, args, options) => client.callTool({ name, arguments: args }, undefined, options),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    read: (uri) => client.readResource({ uri }),
    logLevel: (level) => client.setLoggingLevel(level),
    // Changes of lists are told without being asked for.
    async watch({ uri }) {
      if (uri) await client.subscribeResource({ uri });
      return { stop: () => uri && client.unsubscribeResource({ uri }) };
    },
  };
  return { client, transport, face };
}

function stateless({ revision, target, capabilities, plain, respond }) {
  const client = new Client2({ name: 'matrix-sdk2', version: '1' }, { capabilities, versionNegotiation: { mode: { pin: revision } } });
  if (!plain) for (const method of Object.keys(answers())) client.setRequestHandler(method, respond(method));
  const transport = target.url ? new Http2(new URL(target.url)) : new Stdio2(stdioOptions(target));
  let level;
  const meta = () => level && { _meta: { [LOG_LEVEL]: level } };
  const face = {
    tools: async (options) => (await client.listTools(undefined, options)).tools,
    prompts: async () => (await client.listPrompts()).prompts,
    resources: async () => (await client.listResources()).resources,
    call: (name, args, options) => client.callTool({ name, arguments: args, ...meta() }, options),
    prompt: (name, args) => client.getPrompt({ name, arguments: args }),
    read: (uri) => client.readResource({ uri }),
    logLevel: async (wanted) => { level = wanted; },
    async watch({ uri }) {
      const filter = uri ? { resourceSubscriptions: [uri] } : { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
      const { honoredFilter, close } = await client.listen(filter).then((s) => ({ honoredFilter: s.honoredFilter, close: () => s.close() }));
      if (JSON.stringify(Object.keys(filter).map((k) => honoredFilter[k])) !== JSON.stringify(Object.values(filter)))
        throw new Error(`only ${JSON.stringify(honoredFilter)} is honoured`);
      return { stop: close };
    },
  };
  return { client, transport, face };
}
