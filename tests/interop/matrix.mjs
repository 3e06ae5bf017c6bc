// The bridge between the eras: every feature, from every kind of client to every kind of server, with both transports
// on both sides. One test each, TAP on stdout; docs/BRIDGE.md holds the results as tables.
// usage: node matrix.mjs MCPTOOLS_BINARY [--markdown FILE] [--only REGEX]
//   --markdown FILE writes the tables into FILE, between its markers if there are, instead of comparing them with docs/BRIDGE.md
//   --only REGEX runs the tests whose name matches; nothing is said of the tables then
// With MATRIX_STDERR set, what stdio gateways and servers write to stderr is shown.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { background, lazily, PATIENT, stopAll } from './background.mjs';
import { PATIENCE_MS, connect } from './matrix-clients.mjs';
import { FEATURES } from './matrix-features.mjs';
import { ISOLATION, isolationColumns } from './matrix-isolation.mjs';
import { EMPTY, between, tables } from './matrix-table.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const BRIDGE = join(HERE, '../../docs/BRIDGE.md');
const LANES = 4;
const { values: options, positionals } = parseArgs({ allowPositionals: true,
  options: { markdown: { type: 'string' }, only: { type: 'string', default: '' } } });
const BINARY = resolve(positionals[0]);

// A home of its own: no tool reads that of the person who runs this, and what is left running can be told by it.
const folder = mkdtempSync(join(tmpdir(), 'mcptools-matrix-'));
const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' };
const beside = (command, ...args) => background(command, args, { cwd: folder, env });
process.on('SIGTERM', () => stopAll().then(() => process.exit(1)));

// ---- servers and gateways, each started when first wanted ----

const script = (era) => join(HERE, `matrix-${era}-server.mjs`);
const stdioServer = (era) => ({ command: process.execPath, args: [script(era), `${era}-stdio`] });
const httpServers = Object.fromEntries(['legacy', 'stateless'].map((era) => [era, lazily(async () => {
  const [, port] = await beside(process.execPath, script(era), `${era}-http`, '--http', '0').until(/PORT (\d+)/);
  return { url: `http://127.0.0.1:${port}/mcp`, type: 'http' };
})]));
const server = (era, over) => over === 'stdio' ? stdioServer(era) : httpServers[era]();

let nthConfig = 0;
function config(mcpServers) {
  const path = join(folder, `config-${++nthConfig}.json`);
  writeFileSync(path, JSON.stringify({ mcpServers, mcptools: PATIENT }));
  return path;
}
async function serveHttp(mcpServers) {
  const it = beside(BINARY, 'serve', '--http', '127.0.0.1:0', '--config', config(mcpServers));
  const [, url] = await it.until(/serves (http:\S+)/);
  for (const end = Date.now() + PATIENCE_MS; !(await fetch(new URL('/readyz', url))).ok;) {
    if (Date.now() > end) throw new Error(`the gateway never became ready:\n${it.text()}`);
    await new Promise((r) => setTimeout(r, 20));
  }
  return { url, it };
}
const KINDS = ['legacy', 'stateless'].flatMap((era) => ['stdio', 'http'].map((over) => ({ era, over, name: `${era}-${over}` })));
const allServers = async (more) => Object.fromEntries(await Promise.all(KINDS.map(async ({ era, over, name }) => [name, { ...await server(era, over), ...more }])));
const shared = lazily(async () => serveHttp(await allServers()));

// ---- the columns ----

const SHORT = { '2025-06-18': 'L06', '2025-11-25': 'L', '2026-07-28': 'N', legacy: 'L', stateless: 'N' };
function column(client, clientOver, era, serverOver, direct) {
  const it = { client, clientOver, server: era, serverOver, direct,
    place: `matrix://${era}-${serverOver}`, prefix: !direct && clientOver === 'http' ? `${era}-${serverOver}__` : '',
    name: direct ? `${SHORT[client]}-${clientOver} direct` : `${SHORT[client]}-${clientOver}>${SHORT[era]}-${serverOver}` };
  // Columns of one server process run one after the other.
  it.lane = direct || clientOver === 'stdio' ? it.name : `gateway ${era}-${serverOver}`;
  const target = async () => {
    if (direct) return server(era, clientOver);
    if (clientOver === 'http') return { url: (await shared()).url }; // all servers there, and their names with a prefix
    return { command: BINARY, args: ['serve', '--stdio', '--config', config({ matrix: await server(era, serverOver) })] };
  };
  const open = async (plain) => {
    const c = await connect({ revision: client, target: { ...await target(), env, cwd: folder }, who: it.name.replace('>', '-'), plain });
    return c.tools().then(() => c, (e) => c.close().then(() => { throw e; })); // calls do not wait for servers that are starting, lists do
  };
  it.plain = () => open(true);
  it.open = () => open(false);
  return it;
}
const through = ['2025-06-18', '2025-11-25', '2026-07-28'].flatMap((client) => ['stdio', 'http'].flatMap((over) =>
  KINDS.map((kind) => column(client, over, kind.era, kind.over, false))));
const direct = through.filter((c) => c.clientOver === c.serverOver && (c.client === '2026-07-28') === (c.server === 'stateless'))
  .map((c) => column(c.client, c.clientOver, c.server, c.serverOver, true));
const columns = [...direct, ...through];

// ---- running them ----

const wanted = new RegExp(options.only);
const cellsOf = (its, rows) => rows.map((feature) => ({ column: its, feature, name: `${its.name} ${feature.name}`, why: feature.none?.(its) || null }));
const isolation = isolationColumns(KINDS, { server, allServers, serveHttp });
const cells = [...columns.flatMap((c) => cellsOf(c, FEATURES)), ...isolation.flatMap((c) => cellsOf(c, ISOLATION))];
const chosen = cells.filter((cell) => !cell.why && wanted.test(cell.name));
const endings = ['no process is left', ...options.only ? [] : ['docs/BRIDGE.md tells these results']];
console.log(`1..${chosen.length + endings.length}`);

let done = 0, failed = 0;
function tell(name, error) {
  failed += error ? 1 : 0;
  console.log(`${error ? 'not ok' : 'ok'} ${++done} - ${name}${error ? `\n# ${String(error.stack ?? error).replaceAll('\n', '\n# ')}` : ''}`);
}
const within = (promise) => {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('nothing more happened')), 2 * PATIENCE_MS); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
};

// A client stays for all cells of its column; after a failure the next cell gets a new one.
async function run(column_, mine) {
  let c;
  const leave = async () => { await c?.close().catch(() => {}); c = null; };
  for (const cell of mine) {
    try {
      c ??= await within(column_.open());
      for (const past of [c.heard, c.sent, c.asked()]) past.length = 0;
      await within(cell.feature.run(c, column_));
      cell.ok = true;
    } catch (e) {
      cell.error = e;
      await leave();
    }
    tell(cell.name, cell.error);
  }
  await leave();
}
const lanes = Object.values(Object.groupBy([...isolation, ...columns], (c) => c.lane));
const next = async () => {
  for (let lane; (lane = lanes.shift());) for (const c of lane) await run(c, chosen.filter((cell) => cell.column === c));
};
await Promise.all(Array.from({ length: LANES }, next));
await stopAll();

// ---- what is left of them ----

async function noProcessIsLeft() {
  const left = () => readdirSync('/proc').filter((p) => /^\d+$/.test(p)).map((p) => {
    try {
      return readFileSync(`/proc/${p}/environ`, 'utf8').split('\0').includes(`HOME=${folder}`) && readFileSync(`/proc/${p}/cmdline`, 'utf8').replaceAll('\0', ' ');
    } catch { return ''; }
  }).filter(Boolean);
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end && left().length;) await new Promise((r) => setTimeout(r, 50));
  if (left().length) throw new Error(left().join('\n'));
}
function told() {
  const text = tables({ columns: direct.concat(through), features: FEATURES, isolation, isolationFeatures: ISOLATION, cells });
  const path = options.markdown ?? BRIDGE;
  const before = existsSync(path) ? readFileSync(path, 'utf8') : EMPTY;
  const after = between(before, text);
  if (options.markdown) writeFileSync(path, after);
  else if (before !== after) throw new Error(`the tables differ: run this with --markdown docs/BRIDGE.md\n${text}`);
}
for (const [i, check] of [noProcessIsLeft, told].slice(0, endings.length).entries()) {
  try {
    await check();
    tell(endings[i]);
  } catch (e) {
    tell(endings[i], e);
  }
}
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
