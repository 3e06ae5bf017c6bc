// What plugins registered, as tools: factories are called, conflicts and optional tools sorted out.
import { isNeed } from './needs.mjs';
import { normalName } from './options.mjs';
import { leaveOut, within } from './plugin.mjs';

const OWNER_ONLY = new Set(['whatsapp_login', 'cron', 'gateway']); // for owners though they do not say so

const plain = (value) => JSON.parse(JSON.stringify(value ?? null));

function inputSchema(parameters) {
  const schema = plain(parameters);
  if (schema === null || typeof schema !== 'object' || Array.isArray(schema)) return { type: 'object' };
  return schema.type === 'object' || schema.type === undefined ? { ...schema, type: 'object' } : { type: 'object' };
}

function definition({ name, label, description, parameters, ownerOnly }, plugin) {
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
  host.log('error', `plugin tool failed (${plugin.id}): ${error?.message ?? error}`, plugin.id);
  if (isNeed(error)) plugin.needs.add(error.message);
}

// A tool, a factory, or a factory that wants the second generation of contexts. Over stdio everybody is the owner.
async function make(tool, { context }) {
  if (typeof tool === 'function') return tool({ senderIsOwner: true, ...context });
  if (typeof tool?.create !== 'function') return tool;
  return tool.create({ senderIsOwner: true, ...context, contextVersion: 2, assertInvocationCurrent() {} });
}

async function toolsOf(plugin, { tool }, host) {
  try {
    const made = await within(host.options.limits.loadMs, 'the factory', make(tool, host.options));
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

function refusal(tool, plugin, { opts }, { options, tools }) {
  const name = typeof tool.name === 'string' ? tool.name.trim() : '';
  if (!name || typeof tool.execute !== 'function')
    return ['error', `plugin tool is malformed (${plugin.id}): ${name || 'it has no name'}`];
  const optional = opts.optional || tool.optional === true || plugin.optionalTools.has(name);
  if (optional && !isAllowed(options.allow, plugin, name))
    return [
      'info',
      `optional tool ${name} of ${plugin.id} is off: put its name, ${plugin.id} or group:plugins into tools.allow`,
    ];
  if (tools.has(name) || options.coreTools.has(normalName(name)))
    return ['error', `plugin tool name conflict (${plugin.id}): ${name}`];
  return tools.size < options.limits.tools ? null : ['error', `too many tools (${plugin.id}): ${name}`];
}

function add(tool, plugin, registration, host) {
  const refused = refusal(tool, plugin, registration, host);
  if (refused) return host.log(...refused, plugin.id);
  try {
    const shown = definition(tool, plugin);
    host.tools.set(shown.name, { tool, plugin, shown });
    plugin.nTools++;
  } catch (error) {
    note(plugin, error, host);
  }
}

// The registrations of a plugin with the tools they make; null where its id forbids them all.
async function makeTools(plugin, host) {
  const { coreTools, allow } = host.options;
  if (coreTools.has(normalName(plugin.id))) return null;
  const made = [];
  for (const registration of plugin.tools) {
    const wanted = mayBeAllowed(plugin, registration, allow);
    made.push({ registration, wanted, tools: wanted ? await toolsOf(plugin, registration, host) : [] });
  }
  return made;
}

function addTools(plugin, made, host) {
  plugin.nTools = 0;
  if (!made) return leaveOut(plugin, `plugin id conflicts with core tool name (${plugin.id})`, host);
  for (const { registration, wanted, tools } of made)
    if (wanted) for (const tool of tools) add(tool, plugin, registration, host);
    else
      host.log(
        'info',
        `optional tools of ${plugin.id} are off: put their names, ${plugin.id} or group:plugins into tools.allow`,
        plugin.id,
      );
  if (!plugin.nTools && plugin.needs.size) leaveOut(plugin, [...plugin.needs].join('; '), host);
}

// Factories of different plugins run beside each other; whose name counts is said by the order of the configuration.
export async function collectTools(host) {
  const loaded = host.plugins.filter((p) => p.state === 'loaded');
  const made = await Promise.all(loaded.map((plugin) => makeTools(plugin, host)));
  for (const [i, plugin] of loaded.entries()) addTools(plugin, made[i], host);
}
