// One call: hooks before, the tool, hooks after, and the hooks that may change what is kept of it.
import { isNeed } from './needs.mjs';
import { bounded, errorOf, messageOf, resultOf } from './result.mjs';

let n = 0;

function contextOf({ context }, toolCallId) {
  const { agentId, sessionKey } = context;
  return { agentId, sessionKey, toolCallId };
}

// Nobody here can be asked: an approval that is wanted is one that is refused.
function refuse(approval, host) {
  Promise.resolve()
    .then(() => approval.onResolution?.('deny'))
    .catch((e) => host.log('warning', `onResolution: ${e?.message}`, approval.pluginId));
  throw new Error(`Plugin approval required: ${approval.title ?? approval.pluginId}. Nobody is there to give it.`);
}

async function admitted(call, context, host) {
  const said = await host.hooks.before({ toolName: call.name, params: call.params, toolCallId: call.id }, context);
  if (said.block) throw new Error(said.blockReason);
  if (said.requireApproval) refuse(said.requireApproval, host);
  return said.params;
}

async function execute(call, context, host) {
  const { plugin, key } = call.entry;
  call.params = await admitted(call, context, host);
  call.signal.throwIfAborted();
  const asked = { tool: key, id: call.id, params: call.params };
  return plugin.process.ask('execute', asked, { signal: call.signal, update: call.progress });
}

function noteNeed({ plugin }, error, host) {
  if (!isNeed(error) || plugin.needs.has(error.message)) return;
  plugin.needs.add(error.message);
  host.log('error', `plugin ${plugin.id} cannot do all it offers: it ${error.message}`, plugin.id);
}

async function kept(call, result, context, host) {
  const { content, structuredContent: details, isError = false } = result;
  const message = await host.hooks.persist(
    {
      toolName: call.name,
      toolCallId: call.id,
      isSynthetic: false,
      message: {
        role: 'toolResult',
        toolCallId: call.id,
        toolName: call.name,
        content,
        ...(details ? { details } : {}),
        isError,
        timestamp: Date.now(),
      },
    },
    { ...context, toolName: call.name },
  );
  return { ...resultOf({ ...message, isError: undefined }), ...(message.isError === true ? { isError: true } : {}) };
}

// progress(text) for each update. Rejects only when `signal` was aborted.
export async function runCall(entry, params, { signal, progress }, host) {
  const id = `call_${++n}`;
  const call = { name: entry.shown.name, id, entry, params, signal, progress };
  const context = contextOf(host.options, id);
  const started = Date.now();
  let result, failure;
  try {
    result = await execute(call, context, host);
  } catch (error) {
    failure = error;
    noteNeed(entry, error, host);
    result = errorOf(call.name, error);
  }
  const { name: toolName, params: used } = call;
  host.hooks.after(
    {
      toolName,
      toolCallId: id,
      params: used,
      durationMs: Date.now() - started,
      ...(failure
        ? { error: messageOf(failure) }
        : { result: { content: result.content, details: result.structuredContent } }),
    },
    context,
  );
  signal.throwIfAborted();
  try {
    return bounded(await kept(call, result, context, host), call.name, host.options.limits.resultBytes);
  } catch (error) {
    return errorOf(call.name, error);
  }
}
