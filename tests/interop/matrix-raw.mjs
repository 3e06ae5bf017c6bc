// Clients over HTTP without an SDK: what they send is chosen here, ids and progress tokens above all. Ids count from 1,
// so two clients that do the same have the same ids.
import { answers, hearing } from './matrix-clients.mjs';

const META = 'io.modelcontextprotocol/';
const CAPABILITIES = { sampling: {}, roots: {}, elicitation: { form: {}, url: {} } };
const NAMED = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

async function* messagesOf(response) {
  if (!/event-stream/.test(response.headers.get('content-type') ?? '')) {
    const text = await response.text();
    if (text) yield JSON.parse(text);
    return;
  }
  let text = '';
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (text + chunk).replaceAll('\r\n', '\n').split('\n\n');
    text = events.pop();
    for (const event of events) {
      const data = event.split('\n').filter((l) => l.startsWith('data:')).map((l) => l.slice(5).trimStart()).join('\n');
      if (data) yield JSON.parse(data);
    }
  }
}

export async function rawClient({ url, revision, who }) {
  const stateless = revision === '2026-07-28';
  const [{ hear, heard, until }, asked, answer, closing] = [hearing(), [], answers(who), new AbortController()];
  let session, last = 0;

  const headers = (message) => ({ 'content-type': 'application/json', accept: 'application/json, text/event-stream',
    ...message.method !== 'initialize' && { 'mcp-protocol-version': revision }, ...session && { 'mcp-session-id': session },
    ...stateless && { 'mcp-method': message.method, ...NAMED[message.method] && { 'mcp-name': message.params[NAMED[message.method]] } } });
  const post = (message, signal = closing.signal) =>
    fetch(url, { method: 'POST', headers: headers(message), signal, body: JSON.stringify({ jsonrpc: '2.0', ...message }) });
  const respond = ({ method, params = {} }) => {
    asked.push(params.message ?? method);
    return answer[method](params);
  };
  // Whatever comes on a stream; questions are answered at once.
  async function* stream(response) {
    for await (const message of messagesOf(response)) {
      hear(message);
      if (message.method && message.id !== undefined) await post({ id: message.id, result: respond(message) });
      yield message;
    }
  }
  const meta = ({ token, level }) => ({ ...token !== undefined && { progressToken: token }, ...stateless && {
    [`${META}protocolVersion`]: revision, [`${META}clientCapabilities`]: CAPABILITIES, [`${META}clientInfo`]: { name: who, version: '1' },
    ...level && { [`${META}logLevel`]: level } } });
  async function request(method, params, options = {}) {
    const id = ++last;
    const response = await post({ id, method, params: { ...params, _meta: meta(options) } }, options.signal);
    session ??= response.headers.get('mcp-session-id');
    for await (const message of stream(response)) {
      if (message.method || message.id !== id) continue;
      if (message.error) throw Object.assign(new Error(message.error.message), message.error);
      const { resultType, inputRequests, requestState } = message.result;
      if (resultType !== 'input_required') return message.result;
      const inputResponses = Object.fromEntries(Object.entries(inputRequests ?? {}).map(([key, question]) => [key, respond(question)]));
      return request(method, { ...params, inputResponses, requestState }, options);
    }
    throw new Error(`${who}: no answer to ${method} ${id}`);
  }
  const drain = async (response) => { for await (const _ of stream(response)); };
  const quietly = (promise) => promise.catch(() => {}); // the stream ends when the client does

  if (!stateless) {
    await request('initialize', { protocolVersion: revision, capabilities: CAPABILITIES, clientInfo: { name: who, version: '1' } });
    await post({ method: 'notifications/initialized' });
    const get = await fetch(url, { headers: headers({ method: 'initialize' }), signal: closing.signal });
    quietly(drain(get));
  }
  return {
    who, revision, stateless, heard, until, asked, request,
    call: async (name, args, options) => {
      const result = await request('tools/call', { name, arguments: args }, options);
      if (result.isError) throw new Error(`the tool says no: ${JSON.stringify(result.content)}`);
      return JSON.parse(result.content[0].text);
    },
    cancel: (id) => stateless || post({ method: 'notifications/cancelled', params: { requestId: id } }),
    nextId: () => last + 1,
    logLevel: (level) => stateless || request('logging/setLevel', { level }),
    async watch(uri) {
      if (!stateless) return request('resources/subscribe', { uri });
      const id = ++last;
      quietly(post({ id, method: 'subscriptions/listen', params: { notifications: { resourceSubscriptions: [uri] }, _meta: meta({}) } }).then(drain));
      const { params } = await until((m) => m.method === 'notifications/subscriptions/acknowledged', 'acknowledgement');
      if (params._meta[`${META}subscriptionId`] !== id || params.notifications.resourceSubscriptions?.[0] !== uri)
        throw new Error(`acknowledged ${JSON.stringify(params)}, not ${id} and ${uri}`);
    },
    async close() {
      if (session) await quietly(fetch(url, { method: 'DELETE', headers: { 'mcp-session-id': session, 'mcp-protocol-version': revision } }));
      closing.abort();
    },
  };
}
