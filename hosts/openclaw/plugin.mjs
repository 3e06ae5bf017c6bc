// From a folder to a plugin in a process of its own. Whatever is wrong with it becomes its reason to be left out.
import { existsSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join, relative } from 'node:path';
import { normalName } from './options.mjs';
import { PluginProcess } from './process.mjs';
import { messageOf } from './result.mjs';
import { collectTools } from './toolset.mjs';

const ENTRIES = [
  'index.ts',
  'index.js',
  'index.mts',
  'index.mjs',
  'src/index.ts',
  'src/index.js',
  'src/index.mts',
  'src/index.mjs',
];

function readObject(path) {
  let value;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new Error(error.code === 'ENOENT' ? `${basename(path)} is missing` : `${basename(path)}: ${error.message}`);
  }
  if (value === null || typeof value !== 'object') throw new Error(`${basename(path)}: must hold an object`);
  return value;
}

function findEntry(dir) {
  const file = join(dir, 'package.json');
  const { runtimeExtensions, extensions } = (existsSync(file) ? readObject(file).openclaw : undefined) ?? {};
  const named = [runtimeExtensions?.[0], extensions?.[0]].filter((e) => typeof e === 'string');
  const entry = (named.length ? named : ENTRIES).map((e) => join(dir, e)).find((e) => existsSync(e));
  if (!entry && named.length) throw new Error(`has no ${named.join(' or ')}, which its package.json names`);
  if (!entry) throw new Error('has no index.ts, index.js, index.mts or index.mjs');
  const inside = relative(dir, entry);
  if (inside.startsWith('..') || isAbsolute(inside)) throw new Error(`its entry ${inside} is outside of its folder`);
  return entry;
}

// What its folder says of it. Throws the reason for which it cannot be loaded.
function readAbout(plugin, host) {
  if (!existsSync(plugin.dir)) throw new Error(`there is no folder ${plugin.dir}`);
  const manifest = readObject(join(plugin.dir, 'openclaw.plugin.json'));
  if (typeof manifest.id !== 'string' || !manifest.id.trim()) throw new Error('openclaw.plugin.json: "id" is missing');
  plugin.id = manifest.id.trim();
  if (host.plugins.some((p) => p !== plugin && p.id === plugin.id)) throw new Error('another plugin has the same id');
  plugin.disabled = !host.options.isEnabled(plugin.id);
  if (plugin.disabled) throw new Error('plugins.entries disables it');
  if (host.options.coreTools.has(normalName(plugin.id)))
    throw new Error(`plugin id conflicts with core tool name (${plugin.id})`);
  if (Object.hasOwn(host.options.refused, plugin.id)) throw new Error(host.options.refused[plugin.id]);
  const { name = plugin.id, version, description, toolMetadata } = manifest;
  return {
    id: plugin.id,
    dir: plugin.dir,
    entry: findEntry(plugin.dir),
    about: { name, version, description },
    optionalTools: Object.entries(toolMetadata ?? {})
      .filter(([, v]) => v?.optional)
      .map(([k]) => k),
  };
}

export function leaveOut(plugin, reason, host) {
  Object.assign(plugin, { state: 'left out', reason, registrations: [] });
  plugin.process?.stop();
  host.hooks.set(plugin, []);
  host.log('error', `plugin ${plugin.id} is left out: ${reason}`, plugin.id);
}

function takeHooks(plugin, list, host) {
  plugin.nHooks = list.length;
  return host.hooks.set(plugin, list);
}

// → whether its hooks are others than before.
function takeReport(plugin, { registrations, hooks, ignored, needs }, host) {
  Object.assign(plugin, { state: 'loaded', registrations, ignored: new Set(ignored), needs: new Set(needs) });
  return takeHooks(plugin, hooks, host);
}

async function start(plugin, host) {
  const about = readAbout(plugin, host);
  plugin.process = new PluginProcess(host, about, {
    log: (level, text) => host.log(level, text, plugin.id),
    hooks: (list) => host.changed(takeHooks(plugin, list, host)),
    lost: () => host.changed(false),
    loaded: (report) => {
      const hooksChanged = takeReport(plugin, report, host);
      collectTools(host);
      host.changed(hooksChanged);
    },
  });
  takeReport(plugin, await plugin.process.start(), host);
  if (plugin.needs.size && !plugin.registrations.length) throw new Error([...plugin.needs].join('; '));
}

// Plugins load beside each other: its place in the configuration, not when it is done, says which of two comes first.
export async function loadPlugin(dir, host) {
  const place = host.plugins.length;
  const plugin = {
    id: basename(dir),
    dir,
    place,
    state: 'loading',
    registrations: [],
    off: [],
    ignored: new Set(),
    needs: new Set(),
  };
  host.plugins.push(plugin);
  try {
    await start(plugin, host);
  } catch (error) {
    leaveOut(plugin, error.reason ?? messageOf(error), host);
  }
}

// `off`: optional tools that nobody has asked for.
export function describe(plugin) {
  const isDown = plugin.state === 'loaded' && plugin.process.isDown;
  const reason = isDown ? plugin.process.reason : plugin.reason;
  return {
    id: plugin.id,
    dir: plugin.dir,
    state: isDown ? 'down' : plugin.state,
    ...(plugin.disabled ? { disabled: true } : {}),
    ...(reason ? { reason } : {}),
    ...(plugin.nHooks ? { hooks: plugin.nHooks } : {}),
    ...(plugin.needs.size ? { needs: [...plugin.needs] } : {}),
    ...(plugin.off.length ? { off: plugin.off } : {}),
    ...(plugin.ignored.size ? { ignored: [...plugin.ignored] } : {}),
  };
}
