// The command line, and what the configuration means to the host.
import { resolve } from 'node:path';

const USAGE =
  'usage: node host.mjs --plugin DIR [--plugin DIR]… [--working-dir DIR] [--config JSON]' +
  ' [--hooks-if-down block|pass]';
const MiB = 1 << 20;

// What a client or a plugin may cost; "limits" of the configuration changes them.
const LIMITS = {
  messageBytes: 64 * MiB, // one message of the client
  argumentBytes: 16 * MiB, // the arguments of one call
  resultBytes: 16 * MiB, // one result
  calls: 256, // at the same time
  tools: 4096,
  loadMs: 20000, // one plugin, to be imported, to register and to make its tools
  hookMs: 15000, // one handler of a hook
  stallMs: 10000, // a process that answers nothing is ended
  memoryMiB: 2048, // of one process
};

const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);
const objectOf = (v) => (isObject(v) ? v : {});
const textsOf = (v) => (Array.isArray(v) ? v.filter((t) => typeof t === 'string') : []);

export const normalName = (name) => {
  const plain = String(name).trim().toLowerCase();
  return { bash: 'exec', 'apply-patch': 'apply_patch' }[plain] ?? plain;
};

function limitsOf(given) {
  const limits = { ...LIMITS };
  for (const key of Object.keys(LIMITS)) if (Number.isFinite(given[key]) && given[key] > 0) limits[key] = given[key];
  return limits;
}

function readConfig(text) {
  let config;
  try {
    config = JSON.parse(text);
  } catch (error) {
    throw new Error(`--config: not valid JSON: ${error.message}`);
  }
  if (!isObject(config)) throw new Error('--config: must be an object');
  return config;
}

// `text` of MCPTOOLS_OPENCLAW_CONFIG is used where --config is not given: it stands in no list of processes. `refused`
// of MCPTOOLS_OPENCLAW_REFUSED says why plugins are not to be loaded, by their ids.
export function readOptions(argv, text = '{}', refused = '{}') {
  const options = { plugins: [], workingDir: process.cwd(), hooksIfDown: 'block' };
  for (let i = 0; i < argv.length; i += 2) {
    const value = argv[i + 1];
    if (value === undefined) throw new Error(USAGE);
    if (argv[i] === '--plugin') options.plugins.push(resolve(value));
    else if (argv[i] === '--working-dir') options.workingDir = resolve(value);
    else if (argv[i] === '--config') text = value;
    else if (argv[i] === '--hooks-if-down' && ['block', 'pass'].includes(value)) options.hooksIfDown = value;
    else throw new Error(`${argv[i]}: no such option\n${USAGE}`);
  }
  if (!options.plugins.length) throw new Error(USAGE);
  const { context, coreTools, compat, limits, ...openclaw } = readConfig(text);
  const entries = objectOf(openclaw.plugins?.entries);
  if (compat !== undefined && compat !== '2026.2')
    throw new Error('--config: "compat" must be "2026.2" or be left out');
  return {
    ...options,
    config: openclaw, // as OpenClaw's own: what plugins see
    compat: compat === '2026.2',
    refused: objectOf(JSON.parse(refused)),
    limits: limitsOf(objectOf(limits)),
    coreTools: new Set(textsOf(coreTools).map(normalName)),
    allow: new Set([...textsOf(openclaw.tools?.allow), ...textsOf(openclaw.tools?.alsoAllow)].map(normalName)),
    context: { workspaceDir: options.workingDir, ...objectOf(context), config: openclaw },
    pluginConfig: (id) => (Object.hasOwn(entries, id) ? objectOf(entries[id]).config : undefined),
    isEnabled: (id) => !Object.hasOwn(entries, id) || objectOf(entries[id]).enabled !== false,
  };
}
