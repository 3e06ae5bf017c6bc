// The official conformance suite's server scenarios, at both revisions: against the fixtures alone, and against the gateway
// in front of fixtures of every era, once with its stdio front behind an adapter (cells `front`). The fixtures are our own and, named `sdk`, one of both eras that is built on the published
// TypeScript SDK. Each scenario has a line, the ones that are not required included: it passes, or it is known why it does
// not. TAP on stdout, a table at its end.
// Of these, `library` is a program that uses the public headers of the library alone (tests/api/served.c), and `example` is
// examples/notes.c, which runs the scenarios that ask for no tool, resource or prompt of a certain name.
// usage: node run_server.mjs MCPTOOLS FIXTURE LIBRARY EXAMPLE [--record] [CELL…], where a cell is as the table names it;
// --record writes docs/CONFORMANCE.md
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { background, stopAll } from '../interop/background.mjs';
import { Record } from './page.mjs';

const SUITE = join(dirname(fileURLToPath(import.meta.url)), '../interop/node_modules/@modelcontextprotocol/conformance');
const [MCPTOOLS, FIXTURE, LIBRARY, EXAMPLE, ...MORE] = process.argv.slice(2);
const ONLY = MORE.filter((word) => word !== '--record');
const PATIENCE_MS = 600000; // of a run that hangs: on a busy machine forty sessions with two processes each take minutes
const LIST_WAIT_S = 300;
const CHANCES = 3; // of one run; what fails more often is not the clock
const OLDER = '2025-06-18', LEGACY = '2025-11-25', MODERN = '2026-07-28';

const INTEROP = join(dirname(fileURLToPath(import.meta.url)), '../interop');
const TASKS_FIXTURE = join(INTEROP, 'tasks-server.mjs');
const SDK_FIXTURE = join(INTEROP, 'dual-server.mjs'), ADAPTER = join(INTEROP, 'stdio-adapter.mjs');

// How many scenarios each revision requires, so that a suite that asks for less is noticed.
const REQUIRED = { [LEGACY]: 30, [MODERN]: 37 };

// What cannot pass. A row that matches nothing that fails any more is an error.
const EXPECTED = [
  { cell: / legacy /, revision: MODERN, scenario: 'input-required-result-basic-elicitation',
    why: 'a server of the old era gives its questions no keys, and the scenario wants a certain one' },
  { cell: /^library$/, revision: MODERN, scenario: 'input-required-result-basic-elicitation',
    why: 'the library gives its questions keys of its own, and the scenario wants a certain one' },
  { cell: / legacy /, revision: MODERN, scenario: 'input-required-result-capability-check',
    why: 'a tool of the old era sees the capabilities of its session, not those of the request' },
  { cell: / prefixed$/, scenario: 'json-schema-2020-12', why: 'the scenario looks for the bare name in the list' },
  { cell: /^front /, scenario: /^http-/, why: 'it is about headers, which the adapter speaks and not the front' },
  { cell: /^(?!.*tasks)/, scenario: /^tasks-/, why: 'the fixture does not have the extension of tasks, which is not required' },
];

// The scenarios that suit every server that has tools, resource templates and prompts.
const UNNAMED = {
  [LEGACY]: ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'logging-set-level', 'server-sse-multiple-streams',
    'server-session-lifecycle', 'dns-rebinding-protection'],
  [MODERN]: ['tools-list', 'resources-list', 'prompts-list', 'caching', 'http-header-validation', 'sep-2164-resource-not-found',
    'dns-rebinding-protection'],
};

const CELLS = [
  { name: 'fixture', era: 'both', older: true },
  { name: 'library', program: LIBRARY },
  { name: 'example', program: EXAMPLE, scenarios: UNNAMED },
  ...['push', 'return'].flatMap((asks) => [{ name: `sdk ${asks}`, asks },
    ...['http', 'stdio'].map((upstream) => ({ name: `gateway sdk ${asks} ${upstream}`, asks, upstream }))]),
  ...[false, true].flatMap((prefixed) => ['http', 'stdio'].flatMap((upstream) => ['legacy', '2026', 'both'].map((era) =>
    ({ name: `gateway ${era} ${upstream}${prefixed ? ' prefixed' : ''}`, era, upstream, prefixed, older: !prefixed })))),
  { name: 'tasks', tasks: true },
  ...['http', 'stdio'].map((upstream) => ({ name: `gateway tasks ${upstream}`, tasks: true, upstream })),
  { name: 'front stdio', era: 'both', upstream: 'stdio', front: 'stdio' },
  { name: 'front stdio sdk push', asks: 'push', upstream: 'stdio', front: 'stdio' },
].filter((cell) => !ONLY.length || ONLY.includes(cell.name));

const top = mkdtempSync(join(tmpdir(), 'mcptools-conformance-'));

// The scenarios of the extension of tasks, which are in no list of requirements, and the number of their checks. The last
// one checks nothing in this version of the suite.
const TASKS = { 'tasks-lifecycle': 9, 'tasks-capability-negotiation': 5, 'tasks-wire-fields': 4, 'tasks-request-state-removal': 3,
  'tasks-mrtr-input': 4, 'tasks-request-headers': 5, 'tasks-dispatch-and-envelope': 9, 'tasks-required-task-error': 3,
  'tasks-mrtr-composition': 2, 'tasks-status-notifications': 0 };

// ---- servers ----

const fixture = async (era) => {
  const it = background(FIXTURE, ['--http', '127.0.0.1:0', '--era', era]);
  return { it, url: (await it.until(/^(http:\S+)$/m))[1] };
};

const foreign = async (...args) => {
  const it = background(process.execPath, [...args, '--http', '0']);
  it.isForeign = true; // it does not end in order when it is told to
  return { it, url: `http://127.0.0.1:${(await it.until(/^PORT (\d+)$/m))[1]}/mcp` };
};

const library = async (cell) => {
  const it = background(cell.program, ['127.0.0.1:0']);
  return { it, url: (await it.until(/^(http:\S+)$/m))[1] };
};

const overHttp = (cell) => cell.program ? library(cell) : cell.asks ? foreign(SDK_FIXTURE, cell.asks)
  : cell.tasks ? foreign(TASKS_FIXTURE) : fixture(cell.era);
const overStdio = (cell) => cell.asks ? { command: process.execPath, args: [SDK_FIXTURE, cell.asks] }
  : cell.tasks ? { command: process.execPath, args: [TASKS_FIXTURE] } : { command: FIXTURE, args: ['--stdio', '--era', cell.era] };

async function ready(url) {
  while ((await fetch(new URL('/readyz', url))).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 10));
}

// The gateway in a home of its own, so that it remembers nothing of other servers. Behind the adapter each session starts a
// gateway, which starts the server, and nothing tells when that is up: lists and calls wait for it as long as it takes. With
// the three seconds of the preset they end without the server's items if the machine is busy.
async function gateway(cell, folder) {
  const server = cell.upstream === 'http' ? await overHttp(cell) : undefined;
  const servers = { fixture: server ? { type: 'http', url: server.url } : overStdio(cell) };
  if (cell.prefixed)
    servers.demo = { command: MCPTOOLS, args: ['serve', '--stdio'] };
  const home = join(folder, 'home'), config = join(folder, 'cell.json');
  mkdirSync(home, { recursive: true });
  writeFileSync(config, JSON.stringify({ mcpServers: servers, mcptools: { limits: { list_wait_s: LIST_WAIT_S } } }));
  const env = { PATH: process.env.PATH, HOME: home };
  if (cell.front === 'stdio') {
    const it = background(process.execPath, [ADAPTER, MCPTOOLS, 'serve', '--stdio', '--config', config], { cwd: home, env });
    return { url: `http://127.0.0.1:${(await it.until(/^PORT (\d+)$/m))[1]}/mcp`, programs: [it] };
  }
  const it = background(MCPTOOLS, ['serve', '--config', config, '--http', '127.0.0.1:0'], { cwd: home, env });
  const url = (await it.until(/serves (http:\S+)/))[1];
  await ready(url);
  return { url, programs: server ? [it, server.it] : [it] };
}

async function serve(cell, folder) {
  if (cell.upstream)
    return gateway(cell, folder);
  const { it, url } = await overHttp(cell);
  return { url, programs: [it] };
}

// Told to stop, they end with 0; sanitizers that have something to say see to it that they do not.
async function stop(name, programs) {
  for (const it of programs) {
    const { status, signal } = await it.stop();
    if (it.isForeign)
      continue;
    tell(`${name} ends in order`, { failures: status === 0 ? [] : [`status ${status ?? signal}: ${it.text().slice(-2000)}`] });
  }
}

// ---- the suite ----

// The scenarios of a revision that has no requirements.
function listed(revision) {
  const { stdout } = spawnSync(process.execPath, [join(SUITE, 'dist/index.js'), 'list', '--server', '--spec-version', revision], { encoding: 'utf8' });
  return { scored: [], unscored: [...stdout.matchAll(/^ *- (\S+)/gm)].map((m) => m[1]) };
}

// What a server must pass: the names below `server:`; and what else the suite runs against one, below `not_scored:`.
function requirements(revision) {
  if (!REQUIRED[revision])
    return listed(revision);
  const text = readFileSync(join(SUITE, 'requirements', `${revision}.yaml`), 'utf8');
  const scored = [...text.match(/^server:\n((?: {2}- .*\n)+)/m)[1].matchAll(/- (\S+)/g)].map((m) => m[1]);
  return { scored, unscored: [...text.matchAll(/- scenario: (\S+)\n {4}leg: server\n/g)].map((m) => m[1]) };
}

const suite = (url, folder, ...args) => new Promise((resolve) => {
  const child = spawn(process.execPath, [join(SUITE, 'dist/index.js'), 'server', '--url', url, '-o', folder, ...args],
    { stdio: 'ignore', timeout: PATIENCE_MS, env: { ...process.env, HOME: top } });
  child.on('close', resolve);
});

function checks(folder, scenario) {
  const stem = new RegExp(`^server-${scenario}-\\d{4}-\\d\\d-\\d\\dT`);
  const files = existsSync(folder) ? readdirSync(folder).filter((name) => stem.test(name)).sort().map((name) => join(folder, name, 'checks.json')) : [];
  const found = files.filter((file) => existsSync(file)).at(-1);
  return found ? JSON.parse(readFileSync(found, 'utf8')) : [];
}

const told = (c) => `${c.status} ${c.id}: ${c.errorMessage ?? c.description}`.slice(0, 400);

// `skipped`: no check of it could have failed, which is no pass of something that is required.
function verdict(list, counts) {
  const failures = list.filter((c) => c.status === 'FAILURE').map(told), warnings = list.filter((c) => c.status === 'WARNING').map(told);
  const empty = !list.some((c) => c.status === 'SUCCESS' || c.status === 'WARNING') && !failures.length;
  const why = list.length ? `nothing was checked: only ${[...new Set(list.map((c) => c.status))].join(' and ')}` : 'no check was made';
  return { failures: empty && (counts || !list.length) ? [why] : failures, warnings, skipped: empty && list.length ? why : undefined };
}

// ---- what is told ----

let n = 0, failed = 0;
const table = [], used = new Set(), record = new Record();

function tell(name, { failures, warnings = [], skipped }, expected) {
  const bad = failures.length > 0, note = bad && expected ? ` # TODO ${expected.why}` : !bad && skipped ? ` # SKIP ${skipped}` : '';
  failed += bad && !expected;
  console.log(`${bad ? 'not ok' : 'ok'} ${++n} - ${name}${note}`);
  for (const line of [...failures, ...warnings])
    console.log(`# ${line.replaceAll('\n', '\n# ')}`);
}

const isOf = (e, scenario) => typeof e.scenario === 'string' ? e.scenario === scenario : e.scenario.test(scenario);
const expectation = (cell, revision, scenario) =>
  EXPECTED.find((e) => isOf(e, scenario) && (e.revision ?? revision) === revision && e.cell.test(cell.name));

async function runRevision(cell, revision, url, folder) {
  const whole = requirements(revision), runs = (name) => cell.scenarios?.[revision].includes(name) ?? true;
  const scored = whole.scored.filter(runs), unscored = whole.unscored.filter(runs);
  const together = join(folder, revision);
  const row = { cell: cell.name, revision, passed: 0, of: scored.length, lost: [], unscored: [], again: [] };
  await suite(url, together, ...REQUIRED[revision] ? ['--requirements', revision] : ['--suite', 'all', '--spec-version', revision]);
  let chances = CHANCES;
  for (const scenario of [...scored, ...unscored]) {
    const expected = expectation(cell, revision, scenario), counts = scored.includes(scenario);
    let v = verdict(checks(together, scenario), counts);
    if (v.failures.length && !expected && chances-- > 0) { // once more: some scenarios look at a clock, and the machine may be busy
      const alone = join(folder, `${revision}-alone`);
      await suite(url, alone, '--scenario', scenario, '--spec-version', revision);
      row.again.push(scenario);
      v = verdict(checks(alone, scenario), counts);
    }
    const bad = v.failures.length > 0;
    if (bad && expected)
      used.add(expected);
    tell(`${cell.name} ${revision} ${scenario}`, v, expected);
    if (!scenario.startsWith('tasks-')) // cells of their own run these
      record.add(cell.name, revision, scenario, counts, bad ? v.failures : v.skipped ? [v.skipped] : [], bad ? expected?.why : undefined);
    row.passed += counts && !bad;
    if (bad || v.skipped)
      (counts ? row.lost : row.unscored).push(bad ? scenario : `${scenario}: nothing checked`);
  }
  tell(`${cell.name} ${revision} requires as much as it did`,
    { failures: whole.scored.length === (REQUIRED[revision] ?? 0) && whole.unscored.length ? [] : [`${whole.scored.length} scenarios, not ${REQUIRED[revision] ?? 'none, and others that are listed'}`] });
  table.push(row);
}

// Runs the scenarios of tasks at an endpoint; each must make as many checks as it does.
async function runTasks(name, url, folder) {
  const passes = (list) => list.filter((c) => c.status === 'SUCCESS').length;
  for (const [scenario, n] of Object.entries(TASKS)) {
    let list = [];
    for (let chance = 0; chance < CHANCES && (!list.length || passes(list) < n); chance++) {
      await suite(url, folder, '--scenario', scenario, '--spec-version', MODERN, '--force');
      list = checks(folder, scenario);
    }
    const { failures, warnings } = verdict(list, n > 0);
    const few = passes(list) === n ? [] : [`${passes(list)} checks have passed, not ${n}`];
    tell(`${name} ${scenario}`, { failures: [...failures, ...few], warnings });
    if (n)
      record.add(name, MODERN, scenario, false, [...failures, ...few]);
  }
}

// ---- beside the suite ----

const envelope = { 'io.modelcontextprotocol/protocolVersion': MODERN, 'io.modelcontextprotocol/clientCapabilities': {} };
const discover = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: { _meta: envelope } };
const initialize = { jsonrpc: '2.0', id: 1, method: 'initialize',
  params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'suite', version: '1' } } };

const post = (url, message, headers = {}) => fetch(url, { method: 'POST', body: JSON.stringify(message),
  headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers } });
const modern = (url, message) => post(url, message, { 'MCP-Protocol-Version': MODERN, 'Mcp-Method': message.method });

// What the fixture says to one message on stdio.
const asked = (era, message) => JSON.parse(spawnSync(FIXTURE, ['--stdio', '--era', era],
  { input: `${JSON.stringify(message)}\n`, encoding: 'utf8', timeout: PATIENCE_MS }).stdout);

const same = (got, wanted) => ({ failures: JSON.stringify(got) === JSON.stringify(wanted) ? [] : [`${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`] });

// A fixture of one era refuses the other as servers do that do not know it.
async function eras() {
  const old = await fixture('legacy'), young = await fixture('2026');
  const refused = await modern(old.url, discover), initialized = await post(old.url, initialize);
  tell('fixture legacy http refuses 2026-07-28', same([refused.status, (await refused.json()).error.code, initialized.status], [400, -32000, 200]));
  tell('fixture legacy stdio knows no server/discover', same(asked('legacy', discover).error.code, -32601));
  const named = await post(young.url, initialize), error = (await named.json()).error;
  tell('fixture 2026 http names its versions', same([named.status, error.code, error.data.supported], [400, -32022, [MODERN]]));
  tell('fixture 2026 stdio names its versions', same(asked('2026', initialize).error.data, { supported: [MODERN], requested: LEGACY }));
  for (const method of ['GET', 'DELETE'])
    tell(`fixture 2026 http knows no ${method}`, same((await fetch(young.url, { method, headers: { Accept: 'text/event-stream' } })).status, 405));
  tell('fixture 2026 http answers server/discover', same((await modern(young.url, discover)).status, 200));
  await stop('fixture of one era', [old.it, young.it]);
}

async function prefixes(cell, url) {
  const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: envelope } };
  const names = (await (await modern(url, list)).json()).result.tools.map((t) => t.name);
  tell(`${cell.name} has names with prefixes`, same([names.length > 20, names.filter((name) => !/^(fixture|demo)__/.test(name))], [true, []]));
}

// ---- all of it ----

async function runCell(cell) {
  const folder = join(top, cell.name.replaceAll(' ', '-'));
  const server = await serve(cell, folder);
  if (cell.tasks) {
    await runTasks(cell.name, server.url, join(folder, 'merged'));
    if (cell.upstream)
      await runTasks(`${cell.name} alone`, `${server.url}/fixture`, join(folder, 'alone'));
    await stop(cell.name, server.programs);
    return;
  }
  for (const revision of cell.older ? [OLDER, LEGACY, MODERN] : [LEGACY, MODERN])
    await runRevision(cell, revision, server.url, folder);
  if (cell.prefixed)
    await prefixes(cell, server.url);
  await stop(cell.name, server.programs);
}

function putTable() {
  const width = Math.max(...table.map((r) => r.cell.length));
  const tasks = (names) => { // one word for all of them
    const rest = names.filter((name) => !name.startsWith('tasks-')), n = names.length - rest.length;
    return n ? [...rest, `${n} tasks-*`] : rest;
  };
  console.log(`#\n# ${'server'.padEnd(width)}  revision    required  not passed; in brackets: not required; run twice`);
  for (const r of table) {
    const again = r.again.length ? `; twice: ${r.again.join(', ')}` : '';
    console.log(`# ${r.cell.padEnd(width)}  ${r.revision}  ${`${r.passed}/${r.of}`.padEnd(8)}  ${[...r.lost, ...tasks(r.unscored).map((s) => `(${s})`)].join(', ')}${again}`);
  }
}

try {
  await eras();
  for (const cell of CELLS)
    await runCell(cell);
  for (const e of EXPECTED.filter((e) => CELLS.some((cell) => e.cell.test(cell.name))))
    tell(`expected: ${e.scenario} in ${e.cell}`, { failures: used.has(e) ? [] : ['passes everywhere: the expectation is stale'] });
} finally {
  await stopAll();
  rmSync(top, { recursive: true, force: true });
}
console.log(`1..${n}`);
putTable();
if (MORE.includes('--record'))
  record.save('server');
process.exit(failed ? 1 : 0);
