// From a folder to a registered plugin. Whatever is wrong with it becomes its reason to be left out.
import { existsSync, readFileSync } from 'node:fs';
import { basename, isAbsolute, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createApi } from './api.mjs';

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

// A default function, a default object, or a function of its own name; CommonJS has its exports in "default".
function findRegister(module) {
  for (const exported of [module.default, module.default?.default, module]) {
    if (typeof exported === 'function') return exported;
    const register = exported?.register ?? exported?.activate;
    if (typeof register === 'function') return register.bind(exported);
  }
  throw new Error('exports no register function');
}

export function within(ms, what, promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took longer than ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

async function start(plugin, host) {
  const manifest = readObject(join(plugin.dir, 'openclaw.plugin.json'));
  if (typeof manifest.id !== 'string' || !manifest.id.trim()) throw new Error('openclaw.plugin.json: "id" is missing');
  plugin.id = manifest.id.trim();
  if (host.plugins.some((p) => p !== plugin && p.id === plugin.id)) throw new Error('another plugin has the same id');
  plugin.disabled = !host.options.isEnabled(plugin.id);
  if (plugin.disabled) throw new Error('plugins.entries disables it');
  plugin.about = { name: manifest.name ?? plugin.id, version: manifest.version, description: manifest.description };
  plugin.optionalTools = new Set(
    Object.entries(manifest.toolMetadata ?? {})
      .filter(([, v]) => v?.optional)
      .map(([k]) => k),
  );
  plugin.entry = findEntry(plugin.dir);
  const register = findRegister(await import(pathToFileURL(plugin.entry).href));
  await register(createApi(plugin, host));
}

export function leaveOut(plugin, reason, host) {
  Object.assign(plugin, { state: 'left out', reason, tools: [] });
  host.hooks.drop(plugin);
  host.log('error', `plugin ${plugin.id} is left out: ${reason}`, plugin.id);
}

// Plugins load beside each other: its place in the configuration, not when it is done, says which of two comes first.
export async function loadPlugin(dir, host) {
  const place = host.plugins.length;
  const plugin = { id: basename(dir), dir, place, state: 'loading', tools: [], ignored: new Set(), needs: new Set() };
  host.plugins.push(plugin);
  try {
    await within(host.options.limits.loadMs, 'loading', start(plugin, host));
    if (plugin.state === 'loading') plugin.state = 'loaded';
  } catch (error) {
    leaveOut(plugin, error?.message ?? String(error), host);
  }
}

export const describe = (plugin) => ({
  id: plugin.id,
  dir: plugin.dir,
  state: plugin.state,
  ...(plugin.reason ? { reason: plugin.reason } : {}),
  ...(plugin.needs.size ? { needs: [...plugin.needs] } : {}),
  ...(plugin.ignored.size ? { ignored: [...plugin.ignored] } : {}),
});
