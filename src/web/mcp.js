// A client of the gateway's own MCP endpoints (2025-11-25, Streamable HTTP), and the way to its data. Calls go the
// ordinary way: policy, hooks and logs apply to them.

// What the person may do, as the gateway says.
export const me = { owner: false, tokens: false, principal: '' };

const TOKEN = 'mcptools-token';
let token = sessionStorage.getItem(TOKEN);

export const hasToken = () => Boolean(token);

export function setToken(text) {
  token = text || null;
  if (token) sessionStorage.setItem(TOKEN, token);
  else sessionStorage.removeItem(TOKEN);
}

export class Failure extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

async function failureOf(response) {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text);
    return new Failure(response.status, error.message);
  } catch {
    return new Failure(response.status, text || `HTTP ${response.status}`);
  }
}

// Sends a request to the gateway with the token of the person.
export async function send(path, options = {}) {
  const headers = { ...options.headers };
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch(path, { ...options, headers, cache: 'no-store', credentials: 'omit' });
  if (!response.ok) throw await failureOf(response);
  return response;
}

export const getJson = async (path) => (await send(path)).json();

export const restart = (server) =>
  send(`/page/restart?server=${encodeURIComponent(server)}`, { method: 'POST', headers: { 'Mcptools-Page': '1' } });

// Reads an event stream, and calls `on(event, data, id)` for each event; ends with the stream. `alive` is called for
// everything that comes.
export async function readEvents(response, on, alive = () => {}) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    alive();
    const blocks = (rest + value).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      let name = 'message';
      const data = [];
      for (const line of block.split(/\r?\n/)) {
        if (line.startsWith('event:')) name = line.slice(6).trim();
        else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
      }
      if (data.join('')) on(name, data.join('\n'));
    }
  }
}

export class Mcp {
  constructor(server) {
    this.path = `/mcp/${encodeURIComponent(server)}`;
    this.id = 0;
    this.starting = null;
    this.session = null;
  }

  async post(message, signal) {
    const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
    if (this.session) Object.assign(headers, { 'Mcp-Session-Id': this.session, 'MCP-Protocol-Version': this.version });
    return send(this.path, { method: 'POST', headers, body: JSON.stringify(message), signal });
  }

  async start() {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'mcptools status page', version: '1' },
    };
    this.session = null;
    const response = await this.post({ jsonrpc: '2.0', id: ++this.id, method: 'initialize', params });
    const answer = await this.answerOf(response, this.id);
    this.version = answer.protocolVersion;
    this.session = response.headers.get('Mcp-Session-Id');
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async answerOf(response, id, onProgress) {
    let found;
    const take = (message) => {
      if (message.id === id && !message.method) found = message;
      else if (message.method === 'notifications/progress') onProgress?.(message.params);
    };
    if (response.headers.get('Content-Type')?.startsWith('text/event-stream'))
      await readEvents(response, (_, data) => take(JSON.parse(data)));
    else take(await response.json());
    if (!found) throw new Failure(0, 'the connection ended before the answer came');
    if (found.error) throw new Failure(found.error.code, found.error.message);
    return found.result;
  }

  // Sends a request; begins the session, also again if the gateway has forgotten it.
  async request(method, params, { signal, onProgress } = {}) {
    for (let again = true; ; again = false) {
      try {
        this.starting ??= this.start();
        await this.starting;
        const id = ++this.id;
        const own = onProgress ? { ...params, _meta: { progressToken: id } } : params;
        signal?.addEventListener('abort', () =>
          this.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } }).catch(() => {}),
        );
        return await this.answerOf(
          await this.post({ jsonrpc: '2.0', id, method, params: own }, signal),
          id,
          onProgress,
        );
      } catch (error) {
        const lost = this.session && error.status === 404;
        if (lost || !this.session) this.starting = null;
        if (!lost || !again) throw error;
      }
    }
  }

  // Returns all elements of a list, at most `most`.
  async list(method, key, most = 10000) {
    const all = [];
    for (let cursor; ;) {
      const page = await this.request(method, cursor ? { cursor } : {});
      all.push(...(page[key] ?? []));
      cursor = page.nextCursor;
      if (!cursor || all.length >= most) return all;
    }
  }

  end() {
    if (!this.session) return;
    send(this.path, {
      method: 'DELETE',
      keepalive: true,
      headers: { 'Mcp-Session-Id': this.session, 'MCP-Protocol-Version': this.version },
    }).catch(() => {});
    this.session = this.starting = null;
  }
}
