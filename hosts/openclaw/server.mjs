// The MCP side: requests in, answers, progress and log messages out.
import { AsyncLocalStorage } from 'node:async_hooks';
import { runCall } from './call.mjs';
import { hookMethods } from './hook_methods.mjs';
import { readLines } from './lines.mjs';
import { describe } from './plugin.mjs';
import {
  HANDSHAKE,
  invalid,
  LEVELS,
  RpcError,
  serverInfoMeta,
  shapes,
  STATELESS,
  statelessMeta,
} from './revisions.mjs';

const MAX_BACKLOG = 1 << 20; // bytes not read by the client: progress is not worth waiting for
const refused = (code, message, data) => ({ error: { code, message, ...(data ? { data } : {}) } });
const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

export class Server {
  #out;
  #info;
  #host = null;
  #early = []; // log messages from before anybody could hear them
  #level = null; // of the handshake revisions; null: nobody is connected
  #revision = null;
  #isKnown = false; // the client knows the extension "openclaw/hooks"
  #running = new Map(); // id of a request → AbortController
  #tasks = new Set();
  #request = new AsyncLocalStorage(); // the request something is done for

  constructor(out, info) {
    this.#out = out;
    this.#info = info;
  }

  // ---- log ----

  #notify(message, level) {
    if (level && LEVELS.indexOf(message.level) >= LEVELS.indexOf(level))
      this.#out.send({ method: 'notifications/message', params: message });
  }

  log(level, text, plugin) {
    const message = { level, logger: plugin ? `openclaw/${plugin}` : 'openclaw', data: text };
    const request = this.#request.getStore();
    process.stderr.write(`${message.logger}: ${level}: ${text}\n`);
    if (request?.stateless) this.#notify(message, request.level);
    else if (this.#level) this.#notify(message, this.#level);
    else if (this.#early.length < 100) this.#early.push(message);
  }

  #flushEarly(level) {
    if (!level) return;
    for (const message of this.#early.splice(0)) this.#notify(message, level);
  }

  // ---- methods: (params, request) → result ----

  #capabilities(key) {
    return { tools: {}, logging: {}, [key]: { 'openclaw/hooks': {} } };
  }

  #about() {
    return { 'openclaw/plugins': this.#host.plugins.map(describe) };
  }

  // A host of nothing is an error, unless that is what the configuration wants.
  #checkAny() {
    const { plugins } = this.#host;
    const failed = plugins.filter((p) => p.state === 'left out' && !p.disabled);
    if (!failed.length || failed.length < plugins.length) return;
    const reasons = failed.map(({ id, reason }) => `${id}: ${reason}`).join('; ');
    throw new RpcError(-32000, `no plugin could be loaded: ${reasons}`, this.#about());
  }

  // Tells who knows the extension that plugins have come, gone, or changed their hooks.
  changed(hooksChanged) {
    const params = { ...this.#about(), ...(hooksChanged ? { hooksChanged } : {}) };
    if (this.#isKnown) this.#out.send({ method: 'notifications/openclaw/plugins', params });
  }

  #methods = {
    initialize: ({ protocolVersion }) => {
      if (typeof protocolVersion !== 'string') throw invalid('"protocolVersion" is missing');
      this.#checkAny();
      this.#revision = HANDSHAKE.includes(protocolVersion) ? protocolVersion : HANDSHAKE[0];
      return {
        protocolVersion: this.#revision,
        capabilities: this.#capabilities('experimental'),
        serverInfo: this.#info,
        _meta: this.#about(),
      };
    },
    'server/discover': (params, { shape }) => {
      this.#checkAny();
      return shape.listed({
        supportedVersions: STATELESS,
        capabilities: this.#capabilities('extensions'),
        _meta: { ...serverInfoMeta(this.#info), ...this.#about() },
      });
    },
    ping: () => ({}),
    'logging/setLevel': ({ level }) => {
      if (!LEVELS.includes(level)) throw invalid('"level" is none');
      this.#level = level;
      return {};
    },
    'tools/list': ({ cursor }, { shape }) => {
      if (cursor !== undefined) throw invalid('no list has such a "cursor"');
      return shape.listed({ tools: [...this.#host.tools.values()].map((t) => t.shown) });
    },
    'tools/call': async (params, request) => request.shape.result(await this.#call(params, request)),
  };

  #find(method, { stateless }) {
    const only = { initialize: false, ping: false, 'logging/setLevel': false, 'server/discover': true };
    const found =
      Object.hasOwn(this.#methods, method) && (only[method] ?? stateless) === stateless
        ? this.#methods[method]
        : undefined;
    if (!found) throw new RpcError(-32601, `Method not found: ${method}`);
    if (!stateless && !this.#revision && method !== 'initialize' && method !== 'ping')
      throw new RpcError(-32600, '"initialize" comes first');
    return found;
  }

  #call({ name, arguments: given = {}, _meta: meta }, { signal }) {
    const entry = this.#host.tools.get(name);
    const { calls, argumentBytes } = this.#host.options.limits;
    if (!entry) throw invalid(`Unknown tool: ${name}`);
    if (!isObject(given)) throw invalid('"arguments" must be an object');
    if (Buffer.byteLength(JSON.stringify(given)) > argumentBytes)
      throw invalid(`"arguments" have more than ${argumentBytes} bytes`);
    if (this.#running.size > calls) throw new RpcError(-32000, `more than ${calls} calls at the same time`);
    return runCall(entry, given, { signal, progress: this.#progress(meta?.progressToken) }, this.#host);
  }

  #progress(progressToken) {
    let progress = 0;
    if (typeof progressToken !== 'string' && !Number.isInteger(progressToken)) return () => {};
    return (message) => {
      progress++;
      if (this.#out.backlog() < MAX_BACKLOG)
        this.#out.send({
          method: 'notifications/progress',
          params: { progressToken, progress, ...(message ? { message } : {}) },
        });
    };
  }

  // ---- messages ----

  async #answer(id, method, params) {
    const stop = new AbortController();
    this.#running.set(id, stop);
    try {
      const meta = statelessMeta(params);
      const request = {
        stateless: meta !== null,
        level: meta?.level,
        signal: stop.signal,
        shape: shapes[meta ? 'stateless' : 'handshake'],
      };
      this.#flushEarly(request.level);
      const found = this.#find(method, request);
      const result = await this.#request.run(request, () => found(params, request));
      return stop.signal.aborted ? undefined : { id, result };
    } catch (error) {
      if (stop.signal.aborted) return undefined; // who cancels wants no answer
      const { code, data } = error instanceof RpcError ? error : { code: -32603 };
      return { id, ...refused(code, String(error?.message ?? error), data) };
    } finally {
      this.#running.delete(id);
    }
  }

  #noticed(method, params) {
    if (method === 'notifications/cancelled') this.#running.get(params?.requestId)?.abort();
    if (method === 'notifications/initialized') {
      this.#level ??= 'info';
      this.#flushEarly(this.#level);
    }
  }

  // → the answer; undefined where none is due, as to what was cancelled.
  async #take(message) {
    const { id, method, params = {}, result, error } = isObject(message) ? message : {};
    if (typeof method !== 'string') return result || error ? undefined : refused(-32600, 'Invalid request');
    if (id === undefined) return this.#noticed(method, params);
    if (typeof id !== 'string' && typeof id !== 'number') return refused(-32600, '"id" must be a string or a number');
    if (!isObject(params)) return { id, ...refused(-32602, '"params" must be an object') };
    if (this.#running.has(id)) return { id, ...refused(-32600, 'a request with this "id" is under way') };
    return this.#answer(id, method, params);
  }

  async #batch(messages) {
    if (this.#revision !== '2025-03-26' || !messages.length) return this.#out.send(refused(-32600, 'Invalid request'));
    const answers = (await Promise.all(messages.map((m) => this.#take(m)))).filter(Boolean);
    return answers.length ? this.#out.sendAll(answers) : undefined;
  }

  async #receive(message) {
    if (Array.isArray(message)) return this.#batch(message);
    const answer = await this.#take(message);
    return answer && this.#out.send(answer);
  }

  serve(host, input) {
    this.#host = host;
    Object.assign(this.#methods, hookMethods(host));
    const list = this.#methods['openclaw/hooks/list'];
    this.#methods['openclaw/hooks/list'] = (...args) => {
      this.#isKnown = true;
      return list(...args);
    };
    readLines(
      input,
      host.options.limits.messageBytes,
      (m) => this.#start(m),
      (why) => this.#out.send(refused(-32700, `Parse error: ${why}`)),
    );
  }

  #start(message) {
    const task = this.#receive(message).finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  // Resolves when nothing is under way any more.
  async abortAll() {
    for (const stop of this.#running.values()) stop.abort();
    await Promise.allSettled(this.#tasks);
  }
}
