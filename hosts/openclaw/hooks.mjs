// Handlers around tool calls. As of 2026.9: a handler that fails or is late blocks the call, each sees a copy
// of the original event, `block: true` is final. With "compat": "2026.2": failures are ignored, and what a
// later handler says wins.
import { normalName } from './options.mjs';
import { within } from './plugin.mjs';

const NAMES = ['before_tool_call', 'after_tool_call', 'tool_result_persist'];
const FAILED = 'Tool call blocked because before_tool_call hook failed';
const BLOCKED = 'Tool call blocked by plugin hook';
const MAX_HANDLERS = 1024;
const DECISIONS = ['params', 'block', 'blockReason', 'requireApproval'];

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

// A copy no handler can change the call through; functions and the like do not survive JSON.
const copy = (value) => {
  try {
    return structuredClone(value);
  } catch {
    return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
  }
};

// A slip must not let a call pass: who says something of which nothing is known has said something else than nothing.
const understood = (said) => {
  const keys = Object.keys(said);
  if (keys.length && !keys.some((key) => DECISIONS.includes(key)))
    throw new Error(`the decision says nothing that is known: "${keys[0]}" means nothing`);
  return said;
};

export class Hooks {
  #handlers = [];
  #n = 0;
  #options;
  #log;

  constructor(options, log) {
    this.#options = options;
    this.#log = log;
  }

  add(plugin, name, handler, { priority = 0, matcher } = {}) {
    if (plugin.state === 'left out') return false; // it was too slow, and goes on behind our back
    if (!NAMES.includes(name) || typeof handler !== 'function' || this.#handlers.length >= MAX_HANDLERS) return false;
    if (matcher !== undefined && !(Array.isArray(matcher) && matcher.length))
      throw new TypeError('tool hook matcher must be a list of tool names');
    this.#handlers.push({ id: String(++this.#n), plugin, name, handler, priority: Number(priority) || 0, matcher: matcher?.map(normalName) });
    this.#handlers.sort((a, b) => b.priority - a.priority || a.plugin.place - b.plugin.place);
    return true;
  }

  drop(plugin) {
    this.#handlers = this.#handlers.filter((h) => h.plugin !== plugin);
  }

  list() {
    return this.#handlers.map(({ id, plugin, name, priority, matcher }) => ({
      id,
      hook: name,
      plugin: plugin.id,
      priority,
      ...(matcher ? { matcher } : {}),
    }));
  }

  #of(name, toolName) {
    return this.#handlers.filter((h) => h.name === name && (!h.matcher || h.matcher.includes(toolName)));
  }

  #failed({ plugin, name }, error) {
    this.#log('error', `${name} hook of ${plugin.id} failed: ${error?.message ?? error}`, plugin.id);
  }

  #run(hook, event, context) {
    const { hookMs } = this.#options.limits;
    return within(hookMs, `${hook.name} hook`, (async () => hook.handler(copy(event), copy(context)))());
  }

  // → { params, block?, blockReason?, requireApproval? }, params being what the tool is to be called with.
  async before(event, context) {
    const named = { ...event, toolName: normalName(event.toolName) };
    const hooks = this.#of('before_tool_call', named.toolName);
    const ctx = { ...context, toolName: named.toolName };
    const said = await (this.#options.compat ? this.#before2(hooks, named, ctx) : this.#before9(hooks, named, ctx));
    const params = isObject(said.params) ? { ...event.params, ...copy(said.params) } : event.params;
    return { ...said, params, ...(said.block ? { blockReason: said.blockReason || BLOCKED } : {}) };
  }

  async #before9(hooks, event, context) {
    const all = {};
    for (const hook of hooks) {
      let said;
      try {
        said = await this.#run(hook, event, context);
        if (isObject(said)) understood(said);
      } catch (error) {
        this.#failed(hook, error);
        return { ...all, block: true, blockReason: FAILED };
      }
      if (!isObject(said)) continue;
      if (!all.requireApproval) all.params = said.params ?? all.params;
      if (said.requireApproval) all.requireApproval ??= { ...said.requireApproval, pluginId: hook.plugin.id };
      all.blockReason = said.blockReason ?? all.blockReason;
      if (said.block === true) return { ...all, block: true };
    }
    return all;
  }

  async #before2(hooks, event, context) {
    const all = {};
    for (const hook of hooks) {
      try {
        const said = await this.#run(hook, event, context);
        for (const key of ['params', 'block', 'blockReason']) all[key] = said?.[key] ?? all[key];
      } catch (error) {
        this.#failed(hook, error);
      }
    }
    return all;
  }

  // One handler, for whoever puts them in order, and has held its matcher against every name that the tool has: → what it
  // says, as it says it. Rejects where it fails. undefined: there is none of that name with that id.
  async one(id, name, event, context) {
    const hook = this.#handlers.find((h) => h.id === id && h.name === name);
    const named = { ...event, toolName: normalName(event.toolName) };
    if (!hook) return undefined;
    const said = await this.#run(hook, named, { ...context, toolName: named.toolName });
    if (!isObject(said)) return {};
    if (name === 'before_tool_call' && !this.#options.compat) understood(said);
    return { ...said, ...(said.requireApproval ? { requireApproval: { ...said.requireApproval, pluginId: hook.plugin.id } } : {}) };
  }

  // Changes nothing and is waited for by nobody.
  async after(event, context) {
    const named = { ...event, toolName: normalName(event.toolName) };
    await Promise.all(
      this.#of('after_tool_call', named.toolName).map((hook) =>
        this.#run(hook, named, { ...context, toolName: named.toolName }).catch((error) => this.#failed(hook, error)),
      ),
    );
  }

  // → the message, as the last handler wants it. Handlers do not wait: a promise counts for nothing.
  persist(event, context) {
    let { message } = event;
    for (const hook of this.#of('tool_result_persist', normalName(event.toolName))) {
      try {
        const said = hook.handler({ ...event, message: copy(message) }, { ...context });
        if (typeof said?.then === 'function') {
          said.then(undefined, () => {});
          throw new Error('returned a promise, which is ignored');
        }
        if (isObject(said?.message)) message = copy(said.message);
      } catch (error) {
        this.#failed(hook, error);
      }
    }
    return message;
  }
}
