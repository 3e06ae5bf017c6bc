// Handlers around tool calls. As of 2026.9: a handler that fails or is late blocks the call, each sees a copy
// of the original event, `block: true` is final. With "compat": "2026.2": failures are ignored, and what a
// later handler says wins.
import { normalName } from './options.mjs';
import { Down } from './process.mjs';
import { within } from './within.mjs';

const FAILED = 'Tool call blocked because before_tool_call hook failed';
const BLOCKED = 'Tool call blocked by plugin hook';
const WITHHELD = 'The result is withheld because tool_result_persist hook failed; the tool has run';
const DECISIONS = ['params', 'block', 'blockReason', 'requireApproval'];

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

// A slip must not let a call pass: who says something of which nothing is known has said something else than nothing.
const understood = (said) => {
  const keys = Object.keys(said);
  if (keys.length && !keys.some((key) => DECISIONS.includes(key)))
    throw new Error(`the decision says nothing that is known: "${keys[0]}" means nothing`);
  return said;
};

const sameHook = (a, b) =>
  a.key === b.key && a.name === b.name && a.priority === b.priority && String(a.matcher) === String(b.matcher);

export class Hooks {
  #handlers = [];
  #n = 0;
  #options;
  #log;

  constructor(options, log) {
    this.#options = options;
    this.#log = log;
  }

  // Takes the handlers of a plugin in place of those that it had; what is the same keeps its id. → whether some differ.
  set(plugin, list) {
    const old = this.#handlers.filter((h) => h.plugin === plugin);
    const idOf = (hook) => old.find((o) => sameHook(o, hook))?.id ?? String(++this.#n);
    const all = list.map(({ name, priority, matcher }, key) => {
      const hook = { plugin, key, name, priority, matcher: matcher?.map(normalName) };
      return { ...hook, id: idOf(hook) };
    });
    this.#handlers = [...this.#handlers.filter((h) => h.plugin !== plugin), ...all];
    this.#handlers.sort((a, b) => b.priority - a.priority || a.plugin.place - b.plugin.place || a.key - b.key);
    return old.length !== all.length || all.some((hook) => !old.some((o) => o.id === hook.id));
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

  // Whether the handler is passed over: its plugin is not there, and the configuration says that this blocks nothing.
  #isPassed({ plugin, name }) {
    const passed = this.#options.hooksIfDown === 'pass' && plugin.process.isDown;
    if (passed) this.#log('warning', `${name} hook of ${plugin.id} is not run: ${plugin.process.reason}`, plugin.id);
    return passed;
  }

  // → what the handler says, as an object; {} for anything else.
  async #run(hook, event, context, atOnce) {
    const { plugin, key, name } = hook;
    const stop = new AbortController();
    const asked = plugin.process
      .ask('hook', { key, event, context, atOnce }, { signal: stop.signal })
      .catch((error) => (error instanceof Down && !error.begun && this.#isPassed(hook) ? {} : Promise.reject(error)));
    const said = await within(this.#options.limits.hookMs, `${name} hook`, asked).finally(() => stop.abort());
    if (!isObject(said)) return {};
    const { requireApproval } = said;
    return requireApproval ? { ...said, requireApproval: this.#approval(hook, requireApproval) } : said;
  }

  #approval({ plugin }, given) {
    if (!isObject(given)) return given;
    const { approval, ...shown } = given;
    const onResolution = (decision) => plugin.process.ask('resolve', { approval, decision });
    return { ...shown, pluginId: plugin.id, onResolution };
  }

  // → { params, block?, blockReason?, requireApproval? }, params being what the tool is to be called with.
  async before(event, context) {
    const named = { ...event, toolName: normalName(event.toolName) };
    const hooks = this.#of('before_tool_call', named.toolName);
    const ctx = { ...context, toolName: named.toolName };
    const said = await (this.#options.compat ? this.#before2(hooks, named, ctx) : this.#before9(hooks, named, ctx));
    const params = isObject(said.params) ? { ...event.params, ...said.params } : event.params;
    return { ...said, params, ...(said.block ? { blockReason: said.blockReason || BLOCKED } : {}) };
  }

  async #before9(hooks, event, context) {
    const all = {};
    for (const hook of hooks.filter((h) => !this.#isPassed(h))) {
      let said;
      try {
        said = understood(await this.#run(hook, event, context));
      } catch (error) {
        this.#failed(hook, error);
        return { ...all, block: true, blockReason: FAILED };
      }
      if (!all.requireApproval) all.params = said.params ?? all.params;
      if (said.requireApproval) all.requireApproval ??= said.requireApproval;
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
    if (this.#isPassed(hook)) return {};
    const said = await this.#run(hook, named, { ...context, toolName: named.toolName });
    return name === 'before_tool_call' && !this.#options.compat ? understood(said) : said;
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

  // → the message, as the last handler wants it; a handler that throws changes nothing. Throws where a handler cannot
  // run at all, unless it is to be passed over: what it was to hide must not be seen.
  async persist(event, context) {
    let { message } = event;
    for (const hook of this.#of('tool_result_persist', normalName(event.toolName))) {
      if (this.#isPassed(hook)) continue;
      try {
        const said = await this.#run(hook, { ...event, message }, context, true);
        if (isObject(said.message)) message = said.message;
      } catch (error) {
        this.#failed(hook, error);
        if (error instanceof Down && !this.#options.compat) throw new Error(WITHHELD);
      }
    }
    return message;
  }
}
