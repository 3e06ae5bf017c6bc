// Real clients at a gateway whose servers are not all up: one hangs, one is slow. The tools of the others are listed
// within the patience of each client, and those of the slow server follow. TAP on stdout.
// usage: node patience.mjs MCPTOOLS_BINARY [NAME...]
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { background, stopAll } from './background.mjs';
import { connect } from './matrix-clients.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const MODULES = join(HERE, 'node_modules');
const NODE = process.execPath;
const [BINARY, ...WANTED] = process.argv.slice(2);

// How long an application waits for tools/list, and on a busy machine.
const CLIENT_MS = Math.max(5000, Number(process.env.TEST_PATIENCE ?? 0) * 1000);
const ONE_SHOT_MS = 120000, TRIES = 10;

// Speaks MCP as soon as the file of its last word is there; until then it reads nothing.
const SLOW = `
  const fs = require('node:fs');
  const answers = {
    initialize: (p) => ({ protocolVersion: p.protocolVersion === '2026-07-28' ? '2025-11-25' : p.protocolVersion,
      capabilities: { tools: {} }, serverInfo: { name: 'slow', version: '1' } }),
    'tools/list': () => ({ tools: [{ name: 'late', inputSchema: { type: 'object' } }] }),
    ping: () => ({}),
  };
  const wait = setInterval(() => {
    if (!fs.existsSync(process.argv[1])) return;
    clearInterval(wait);
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const { id, method, params } = JSON.parse(line);
      if (id === undefined) return;
      const made = answers[method]?.(params ?? {});
      console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(made ? { result: made } : { error: { code: -32601, message: 'no ' + method } }) }));
    });
  }, 50);`;

const folder = mkdtempSync(join(tmpdir(), 'mcptools-patience-'));
const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', XDG_RUNTIME_DIR: folder };
writeFileSync(join(folder, 'mcporter.json'), '{"mcpServers":{},"imports":[]}');

let made = 0;
// A configuration, and what lets its slow server start.
function scene() {
  const config = join(folder, `scene-${++made}.json`), start = join(folder, `start-${made}`);
  writeFileSync(config, JSON.stringify({
    mcpServers: {
      memory: { command: NODE, args: [join(MODULES, '@modelcontextprotocol/server-memory/dist/index.js')],
        env: { MEMORY_FILE_PATH: join(folder, `memory-${made}.json`) } },
      modern: { command: NODE, args: [join(HERE, 'modern-server.mjs')] },
      hangs: { command: NODE, args: ['-e', 'setInterval(() => {}, 1e6)'] },
      slow: { command: NODE, args: ['-e', SLOW, start] },
    },
  }));
  const serve = ['serve', '--config', config];
  return {
    letStart: () => writeFileSync(start, ''),
    overStdio: { command: BINARY, args: [...serve, '--stdio'], env, cwd: folder },
    async overHttp() {
      const it = background(BINARY, [...serve, '--http', '127.0.0.1:0'], { cwd: folder, env });
      return { url: (await it.until(/serves (http:\S+)/))[1] };
    },
  };
}

const isChange = (m) => m.method === 'notifications/tools/list_changed';

async function sdk(revision, over) {
  const it = scene();
  const target = over === 'stdio' ? it.overStdio : await it.overHttp();
  const client = await connect({ revision, target, who: over, plain: true });
  try {
    const watch = await client.watch({});
    const names = async () => (await client.tools({ timeout: CLIENT_MS })).map((t) => t.name);
    let listed = await names(), seen = 0;
    // On a busy machine the first list may come before the healthy servers are up.
    const follow = async (name) => {
      while (!listed.includes(name)) {
        await client.until((m) => isChange(m) && client.heard.filter(isChange).length > seen, `list_changed with ${name}`);
        seen = client.heard.filter(isChange).length;
        listed = await names();
      }
    };
    await follow('memory__read_graph');
    if (listed.includes('slow__late')) throw new Error('the slow server was not allowed to start');
    it.letStart();
    await follow('slow__late');
    await watch.stop();
  } finally {
    await client.close();
  }
}

// Commands that list once, with their own time limits. They must not fail, but on a busy machine the first may come
// before the healthy servers are up.
async function oneShot(command, argumentsFor) {
  const it = scene();
  const { url } = await it.overHttp();
  const run = promisify(execFile);
  const at = (target) => run(NODE, [command, ...argumentsFor(target)], { cwd: folder, env, timeout: ONE_SHOT_MS });
  for (const target of [{ url }, it.overStdio]) {
    let stdout = '';
    for (let i = 0; i < TRIES && !stdout.includes('memory__read_graph'); i++) ({ stdout } = await at(target));
    if (!stdout.includes('memory__read_graph') || stdout.includes('slow__late')) throw new Error(stdout.slice(0, 2000));
  }
}

const tests = {
  sdk1_over_stdio: () => sdk('2025-11-25', 'stdio'),
  sdk1_over_http: () => sdk('2025-11-25', 'http'),
  sdk2_over_stdio: () => sdk('2026-07-28', 'stdio'),
  sdk2_over_http: () => sdk('2026-07-28', 'http'),
  mcporter: () => oneShot(join(MODULES, 'mcporter/dist/cli.js'), ({ url, command, args }) => ['--config', join(folder, 'mcporter.json'),
    'list', ...(url ? ['--http-url', url, '--allow-http'] : ['--stdio', [command, ...args].join(' ')]), '--name', 'gw', '--json']),
  inspector: () => oneShot(join(MODULES, '@modelcontextprotocol/inspector/clients/launcher/build/index.js'), ({ url, command, args }) =>
    ['--cli', '--format', 'json', '-q', ...(url ? [url, '--transport', 'http'] : []), '--method', 'tools/list', ...(url ? [] : ['--', command, ...args])]),
};

const wanted = Object.entries(tests).filter(([name]) => !WANTED.length || WANTED.includes(name));
console.log(`1..${wanted.length}`);
let failed = 0;
for (const [i, [name, test]] of wanted.entries()) {
  const why = await test().then(() => null, (e) => e);
  failed += Boolean(why);
  console.log(`${why ? 'not ok' : 'ok'} ${i + 1} - ${name}`);
  if (why) console.log(`${why.stack}\n${why.stderr ?? ''}`.replace(/^/gm, '# '));
}
await stopAll();
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
