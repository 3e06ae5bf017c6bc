// The extension "openclaw/hooks": a gateway runs the hooks of plugins for tools that are not theirs.
import { randomUUID } from 'node:crypto';
import { resultOf } from './result.mjs';
import { invalid } from './revisions.mjs';

const MAX_PENDING = 256; // approvals nobody has decided
const DECISIONS = ['allow-once', 'allow-always', 'deny', 'timeout', 'cancelled'];

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);

export function hookMethods(host) {
  const pending = new Map(); // approval → onResolution

  const held = ({ onResolution, ...approval }) => {
    const id = randomUUID();
    if (pending.size >= MAX_PENDING) pending.delete(pending.keys().next().value);
    pending.set(id, onResolution);
    return { ...approval, id };
  };
  const runs = {
    async before_tool_call(event, context) {
      if (!isObject(event.params)) throw invalid('"event.params" must be an object');
      const { params, block, blockReason, requireApproval } = await host.hooks.before(event, context);
      return block
        ? { block: true, blockReason }
        : { params, ...(requireApproval ? { requireApproval: held(requireApproval) } : {}) };
    },
    async after_tool_call(event, context) {
      await host.hooks.after(event, context);
      return {};
    },
    tool_result_persist: async (event, context) => ({ message: await host.hooks.persist(event, context) }),
  };

  // One handler, with the events and decisions that mcptools has for all kinds of hooks (its docs/HOOKS.md).
  const views = {
    before_tool_call: ({ toolName, toolCallId, params }) => ({ toolName, toolCallId, params }),
    after_tool_call: ({ toolName, toolCallId, params, result, error, durationMs }) => ({
      toolName,
      toolCallId,
      params,
      durationMs,
      ...(result ? { result: { content: result.content, details: result.structuredContent } } : { error }),
    }),
    tool_result_persist: ({ toolName, toolCallId, result = {} }) => ({
      toolName,
      toolCallId,
      isSynthetic: false,
      message: {
        role: 'toolResult',
        toolCallId,
        toolName,
        content: result.content,
        ...(result.structuredContent ? { details: result.structuredContent } : {}),
        isError: result.isError === true,
        timestamp: Date.now(),
      },
    }),
  };
  const decisions = {
    before_tool_call: ({ params, block, blockReason, requireApproval }) => ({
      params,
      block,
      blockReason,
      ...(requireApproval ? { requireApproval: held(requireApproval) } : {}),
    }),
    after_tool_call: () => ({}),
    // Whether it is an error is said by the message, whatever is in its details; what has no place in it stays.
    tool_result_persist: ({ message }, { result }) => {
      if (!isObject(message)) return {};
      const { content, structuredContent } = resultOf(message);
      return {
        result: {
          content,
          ...(structuredContent ? { structuredContent } : {}),
          ...(message.isError === true ? { isError: true } : {}),
          ...(isObject(result?._meta) ? { _meta: result._meta } : {}),
        },
      };
    },
  };
  const runOne = async (id, hook, event) => {
    const { agentId, sessionKey } = host.options.context;
    const context = { agentId, sessionKey, toolCallId: event.toolCallId, ...event.context };
    const said = await host.hooks.one(id, hook, views[hook](event), context);
    if (!said) throw invalid(`no hook has the id ${id}`);
    return { decision: decisions[hook](said, event) };
  };

  return {
    'openclaw/hooks/list': (params, { shape }) => {
      const leftOut = host.plugins
        .filter((p) => p.state === 'left out' && !p.disabled)
        .map(({ id, reason }) => ({ plugin: id, reason }));
      return shape.result({ hooks: host.hooks.list(), ...(leftOut.length ? { leftOut } : {}) });
    },
    'openclaw/hooks/run': async ({ id, hook, event, context = {} }, { shape }) => {
      if (!Object.hasOwn(runs, hook)) throw invalid(`no hook is called ${hook}`);
      if (!isObject(event) || typeof event.toolName !== 'string' || !isObject(context))
        throw invalid('"event" with a "toolName", and "context", must be objects');
      return shape.result(await (id === undefined ? runs[hook](event, context) : runOne(id, hook, event)));
    },
    'openclaw/hooks/resolve': async ({ id, decision }, { shape }) => {
      if (!pending.has(id) || !DECISIONS.includes(decision))
        throw invalid('no such approval is open, or the decision is none');
      const onResolution = pending.get(id);
      pending.delete(id);
      await onResolution?.(decision);
      return shape.result({});
    },
  };
}
