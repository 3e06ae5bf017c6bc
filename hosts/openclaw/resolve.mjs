// How imports of plugins are found: OpenClaw's SDK and typebox are replaced where they are not installed,
// TypeScript is read by Node's own type stripping, and ".js" may mean ".ts" as it does for TypeScript.
// Runs in Node's loader thread where Node has no synchronous hooks: shares nothing with the host but texts.
import { existsSync, readFileSync, statSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { need } from './needs.mjs';
import { knownNames } from './sdk.mjs';

const STUB = 'mcptools-stub:';
const REPLACEABLE = /^(?:openclaw|@openclaw\/plugin-sdk|typebox|@sinclair\/typebox)(?:\/|$)/;
const NOT_FOUND = new Set([
  'ERR_MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'MODULE_NOT_FOUND',
]);
const IMPORTS = /\b(?:import|export)\s*(?:[\w$]+\s*,\s*)?\{([^}]*)\}\s*from\s*["']([^"']+)["']/g;
const HERE = dirname(fileURLToPath(import.meta.url)) + sep;
const MAX_FILES = 4096;
const wanted = new Map(); // URL of a file → { specifier: names it imports }

const isFile = (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;

function note(url, source) {
  if (!/openclaw|typebox/.test(source) || wanted.size >= MAX_FILES) return;
  const names = {};
  for (const [, list, specifier] of source.matchAll(IMPORTS)) {
    if (!REPLACEABLE.test(specifier)) continue;
    const found = list.split(',').map((part) =>
      part
        .trim()
        .replace(/^type\s+/, '')
        .split(/\s+as\s+/)[0]
        .trim(),
    );
    names[specifier] = [...(names[specifier] ?? []), ...found.filter((name) => /^[A-Za-z_$][\w$]*$/.test(name))];
  }
  wanted.set(url, names);
}

function stubURL(specifier, parent) {
  const names = new Set([...knownNames(specifier), ...(wanted.get(parent)?.[specifier] ?? [])]);
  names.delete('default');
  return `${STUB}${specifier}?${[...names].sort()}`;
}

function stubSource(url) {
  const [specifier, names] = url.slice(STUB.length).split('?');
  const from = JSON.stringify(pathToFileURL(join(HERE, 'sdk.mjs')).href);
  const name = (n) => `member(${JSON.stringify(specifier)}, ${JSON.stringify(n)})`;
  return [
    `import { member } from ${from};`,
    `export default ${name('default')};`,
    ...names
      .split(',')
      .filter(Boolean)
      .map((n, i) => `const _${i} = ${name(n)}; export { _${i} as ${n} };`),
  ].join('\n');
}

function candidates(path) {
  const typescript = path.replace(/\.([cm]?)js$/, '.$1ts');
  return [
    ...(typescript === path ? [] : [typescript]),
    ...['.ts', '.mts', '.js', '.mjs', '/index.ts', '/index.js'].map((end) => path + end),
  ];
}

function rootOf(path) {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'openclaw.plugin.json'))) return folder + sep;
    if (folder === dirname(folder)) return '';
  }
}

function findRelative(specifier, parent, error) {
  const path = fileURLToPath(new URL(specifier, parent));
  const found = candidates(path).find(isFile);
  if (found) return pathToFileURL(found).href;
  const root = rootOf(fileURLToPath(parent));
  if (root && !path.startsWith(root)) throw need(`"${specifier}", a part of OpenClaw itself`);
  throw error;
}

// Where an import leads that Node did not find.
function fallback(specifier, { parentURL: parent = '' }, error) {
  if (!NOT_FOUND.has(error?.code) || !parent.startsWith('file:')) throw error;
  if (REPLACEABLE.test(specifier)) return { url: stubURL(specifier, parent), format: 'module', shortCircuit: true };
  if (/^(?:\.\.?\/|\/|file:)/.test(specifier))
    return { url: findRelative(specifier, parent, error), shortCircuit: true };
  const name = /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
  if (specifier.startsWith('#') || !name) throw error;
  throw need(`the npm package "${name}", which is not installed beside the plugin`);
}

function strip(path) {
  const { stripTypeScriptTypes: stripper } = nodeModule;
  if (!stripper)
    throw need(
      `Node 22.13 or newer, or to be built: it is written in TypeScript, which Node ${process.versions.node} does not read`,
    );
  const source = readFileSync(path, 'utf8');
  try {
    return stripper(source, { mode: 'transform' });
  } catch (error) {
    if (error.code === 'ERR_INVALID_ARG_VALUE') return stripper(source, { mode: 'strip' });
    throw error;
  }
}

function own(url) {
  if (url.startsWith(STUB)) return { format: 'module', source: stubSource(url), shortCircuit: true };
  if (!url.startsWith('file:') || !/\.[cm]?ts$/.test(url)) return undefined;
  const source = strip(fileURLToPath(url));
  note(url, source);
  return { format: url.endsWith('.cts') ? 'commonjs' : 'module', source, shortCircuit: true };
}

function seen(url, loaded) {
  if (url.startsWith('file:') && loaded.source) note(url, String(Buffer.from(loaded.source)));
  return loaded;
}

export const sync = {
  resolve(specifier, context, next) {
    try {
      return next(specifier, context);
    } catch (error) {
      return fallback(specifier, context, error);
    }
  },
  load: (url, context, next) => own(url) ?? seen(url, next(url, context)),
};

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context);
  } catch (error) {
    return fallback(specifier, context, error);
  }
}

export const load = async (url, context, next) => own(url) ?? seen(url, await next(url, context));

export function install() {
  if (nodeModule.registerHooks) nodeModule.registerHooks(sync);
  else if (nodeModule.register) nodeModule.register(import.meta.url);
  else throw new Error(`Node 20.6 or newer is needed; this is ${process.versions.node}`);
}
