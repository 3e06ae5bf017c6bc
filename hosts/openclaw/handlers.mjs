// The handlers that a plugin registers, in its process.
const NAMES = ['before_tool_call', 'after_tool_call', 'tool_result_persist'];
const MAX_HANDLERS = 1024;
const MAX_PENDING = 256; // approvals that nobody has decided

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

export class Handlers {
  #handlers = [];
  #changed;
  #isOpen = false;
  #pending = new Map(); // approval → onResolution
  #n = 0;

  // changed(list) is called for handlers that come after open().
  constructor(changed) {
    this.#changed = changed;
  }

  add(name, handler, { priority = 0, matcher } = {}) {
    if (!NAMES.includes(name) || typeof handler !== 'function' || this.#handlers.length >= MAX_HANDLERS) return false;
    if (matcher !== undefined && !(Array.isArray(matcher) && matcher.length))
      throw new TypeError('tool hook matcher must be a list of tool names');
    this.#handlers.push({ name, handler, priority: Number(priority) || 0, matcher: matcher?.map(String) });
    if (this.#isOpen) this.#changed(this.#list());
    return true;
  }

  #list() {
    return this.#handlers.map(({ name, priority, matcher }) => ({ name, priority, matcher }));
  }

  open() {
    this.#isOpen = true;
    return this.#list();
  }

  #held({ onResolution, ...approval }) {
    const id = ++this.#n;
    if (this.#pending.size >= MAX_PENDING) this.#pending.delete(this.#pending.keys().next().value);
    this.#pending.set(id, onResolution);
    return { ...approval, approval: id };
  }

  // `atOnce`: a promise counts for nothing.
  async run({ key, event, context, atOnce }) {
    const said = this.#handlers[key].handler(event, context);
    if (atOnce && typeof said?.then === 'function') {
      said.then(undefined, () => {});
      throw new Error('returned a promise, which is ignored');
    }
    const value = await said;
    if (!isObject(value)) return null;
    return isObject(value.requireApproval) ? { ...value, requireApproval: this.#held(value.requireApproval) } : value;
  }

  async resolve(approval, decision) {
    const onResolution = this.#pending.get(approval);
    this.#pending.delete(approval);
    await onResolution?.(decision);
  }
}
