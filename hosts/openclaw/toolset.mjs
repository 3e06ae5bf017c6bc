// What plugins registered, as tools: factories are called in the process of the plugin, conflicts and optional tools
// sorted out in the host.
import { isNeed } from './needs.mjs';
import { normalName } from './options.mjs';
import { messageOf } from './result.mjs';
import { within } from './within.mjs';

const OWNER_ONLY = new Set(['whatsapp_login', 'cron', 'gateway']); // for owners though they do not say so

// ---- in the process of the plugin ----

const plain = (value) => JSON.parse(JSON.stringify(value ?? null));

function inputSchema(parameters) {
  const schema = plain(parameters);
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return { type: 'object' };
  return schema.type === 'object' || schema.type === undefined ? { ...schema, type: 'object' } : { type: 'object' };
}

function definition({ label, description, parameters, ownerOnly }, name, plugin) {
  const owner = ownerOnly === true || OWNER_ONLY.has(normalName(name));
  return {
    name,
    ...(typeof label === 'string' ? { title: label } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    inputSchema: inputSchema(parameters),
    _meta: { 'openclaw/plugin': plugin.id, ...(owner ? { 'openclaw/ownerOnly': true } : {}) },
  };
}

function note(plugin, error, host) {
  host.log('error', `plugin tool failed (${plugin.id}): ${messageOf(error)}`);
  if (isNeed(error)) plugin.needs.add(error.message);
}

// A tool, a factory, or a factory that wants the second generation of contexts. Over stdio everybody is the owner.
async function make(tool, { context }) {
  if (typeof tool === 'function') return tool({ senderIsOwner: true, ...context });
  if (typeof tool?.create !== 'function') return tool;
  return tool.create({ senderIsOwner: true, ...context, contextVersion: 2, assertInvocationCurrent() {} });
}

async function toolsOf(plugin, { tool }, host, until) {
  try {
    const ms = Math.max(1, Math.round(until - performance.now()));
    const made = await within(ms, 'the factory', make(tool, host.options));
    return (Array.isArray(made) ? made : [made]).filter((t) => t !== null && t !== undefined);
  } catch (error) {
    note(plugin, error, host);
    return [];
  }
}

const isAllowed = (allow, plugin, name) => [name, plugin.id, 'group:plugins'].some((n) => allow.has(normalName(n)));

// Whether a tool that is registered under these names may be asked for, so that no factory runs in vain.
function mayBeAllowed(plugin, { opts }, allow) {
  const names = opts.names ?? (opts.name ? [opts.name] : []);
  return !opts.optional || !names.length || names.some((name) => isAllowed(allow, plugin, name));
}

function show(tool, { opts }, plugin, host) {
  const name = typeof tool.name === 'string' ? tool.name.trim() : '';
  if (!name || typeof tool.execute !== 'function') {
    host.log('error', `plugin tool is malformed (${plugin.id}): ${name || 'it has no name'}`);
    return null;
  }
  const optional = Boolean(opts.optional || tool.optional === true || plugin.optionalTools.has(name));
  try {
    return { name, optional, shown: definition(tool, name, plugin) };
  } catch (error) {
    note(plugin, error, host);
    return null;
  }
}

// The registrations of a plugin: `tools`, to run them, and `shown`, what the host is to know of them. A registration
// that is not asked for has names only.
export async function makeTools(plugin, host, until) {
  const tools = [];
  const shown = [];
  for (const registration of plugin.tools) {
    const { opts } = registration;
    if (!mayBeAllowed(plugin, registration, host.options.allow)) {
      shown.push({ off: opts.names ?? [opts.name] });
      continue;
    }
    for (const tool of await toolsOf(plugin, registration, host, until)) {
      const about = show(tool, registration, plugin, host);
      if (!about) continue;
      shown.push({ key: tools.length, ...about });
      tools.push({ tool, name: about.name });
    }
  }
  return { tools, shown };
}

// ---- in the host ----

function refusal({ name, optional }, plugin, { options, tools }) {
  if (optional && !isAllowed(options.allow, plugin, name)) return ['info', null];
  if (tools.has(name) || options.coreTools.has(normalName(name)))
    return ['error', `plugin tool name conflict (${plugin.id}): ${name}`];
  return tools.size < options.limits.tools ? null : ['error', `too many tools (${plugin.id}): ${name}`];
}

function add(registration, plugin, host) {
  const { key, name, shown, off } = registration;
  const refused = off ? ['info', null] : refusal(registration, plugin, host);
  if (!refused) host.tools.set(name, { key, plugin, shown });
  else if (refused[1]) host.log(...refused, plugin.id);
  else plugin.off.push(...(off ?? [name]));
}

// The first in the order of the configuration gets a name.
export function collectTools(host) {
  host.tools.clear();
  for (const plugin of host.plugins.filter((p) => p.state === 'loaded')) {
    plugin.off = [];
    for (const registration of plugin.registrations) add(registration, plugin, host);
    if (plugin.off.length)
      host.log(
        'info',
        `optional tools of ${plugin.id} are off: ${plugin.off.join(', ')}: put their names, ${plugin.id} or group:plugins into tools.allow`,
        plugin.id,
      );
  }
}
