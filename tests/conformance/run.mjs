// The official conformance suite's client scenarios, at all revisions. Each has a line, the ones that are not required
// included: it passes, or it is known why it does not. A scenario runs in a suite of its own, whose verdict counts too:
// all scenarios in one do not look at the client's exit status. TAP on stdout, a table at its end.
// usage: node run.mjs CLIENT_DRIVER [--record], which writes docs/CONFORMANCE.md
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Record } from './page.mjs';

const SUITE = join(dirname(fileURLToPath(import.meta.url)), '../interop/node_modules/@modelcontextprotocol/conformance/dist/index.js');
const [DRIVER, RECORD] = process.argv.slice(2);
const PATIENCE_MS = 240000;

// How many scenarios each revision requires, so that a suite that asks for less is noticed.
const REQUIRED = { '2025-11-25': 18, '2026-07-28': 32 };

// Revisions before the suite had requirements: what only the first one has, and what the second one lists.
const OLDER = {
  '2025-03-26': ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'],
  '2025-06-18': ['initialize', 'tools_call', ...['basic', 'post', 'none'].map((how) => `auth/token-endpoint-auth-${how}`)],
};

// What cannot pass yet. A row that matches nothing that fails any more is an error.
const EXPECTED = [];

const out = mkdtempSync(join(tmpdir(), 'mcptools-conformance-'));
const env = { ...process.env, HOME: out, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };

// Runs one scenario. What keeps it from counting as passed.
function run(folder, revision, name, ...options) {
  const child = spawn(process.execPath, [SUITE, 'client', '--command', DRIVER, '-o', folder, '--scenario', name, '--spec-version', revision, ...options],
    { env, timeout: PATIENCE_MS, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (d) => { text += d; });
  return new Promise((resolve) => child.on('close', (status) => {
    const verdict = status === 0 && text.includes('OVERALL: PASSED') ? [] : [`the suite ends with ${status}: ${text.slice(text.lastIndexOf('Test Results')).slice(0, 600)}`];
    resolve([...problems(checks(folder, name)), ...verdict]);
  }));
}

function checks(folder, scenario) {
  const here = join(folder, dirname(scenario)); // auth/… has a folder of its own
  const names = existsSync(here) ? readdirSync(here) : [];
  const found = names.filter((name) => name.startsWith(`${basename(scenario)}-20`)).sort().at(-1);
  return found ? JSON.parse(readFileSync(join(here, found, 'checks.json'), 'utf8')) : [];
}

// 2026-07-28 has no handshake whose headers could be exercised.
const NOT_APPLICABLE = /did not send a (initialize|notifications\/initialized) request/;

// What keeps a scenario from counting as passed: failures, warnings, and checks that were never exercised.
function problems(list) {
  const scored = list.filter((c) => c.status !== 'INFO');
  const bad = scored.filter((c) => c.status !== 'SUCCESS' && !(c.status === 'SKIPPED' && NOT_APPLICABLE.test(`${c.errorMessage} ${c.description}`)));
  return scored.length ? bad.map((c) => `${c.status} ${c.id}: ${c.errorMessage ?? c.description} ${JSON.stringify(c.details ?? '')}`.slice(0, 600)) : ['no check was made'];
}

// What a client must pass: the names below `client:`; and what else the suite runs with one, below `not_scored:`.
function requirements(revision) {
  const text = readFileSync(join(SUITE, '../../requirements', `${revision}.yaml`), 'utf8');
  const scored = [...text.match(/^client:\n((?: {2}- .*\n)+)/m)[1].matchAll(/- (\S+)/g)].map((m) => m[1]);
  return { scored, unscored: [...text.matchAll(/- scenario: (\S+)\n {4}leg: client\n/g)].map((m) => m[1]) };
}

let n = 0, failed = 0;
const table = [], used = new Set(), record = new Record();

function tell(name, wrong, expected) {
  failed += wrong.length > 0 && !expected;
  console.log(`${wrong.length ? 'not ok' : 'ok'} ${++n} - ${name}${wrong.length && expected ? ` # TODO ${expected.why}` : ''}`);
  for (const w of wrong) console.log(`# ${w.replaceAll('\n', '\n# ')}`);
}

// Runs scenarios, some at a time; those that fail once more, alone: some look at a clock, which a busy machine upsets.
async function runAll(revision, scored, unscored) {
  const row = { revision, passed: 0, of: scored.length, lost: [], unscored: [], again: [] };
  const names = [...scored, ...unscored], found = new Map(), waiting = [...names];
  const one = (kind, name) => run(join(out, `${revision}-${kind}`), revision, name, ...unscored.includes(name) ? ['--force'] : []);
  await Promise.all(Array.from({ length: availableParallelism() + 1 }, async () => {
    for (let name; (name = waiting.shift());) found.set(name, await one('together', name));
  }));
  for (const name of names) {
    const expected = EXPECTED.find((e) => e.scenario.test(name));
    let wrong = found.get(name);
    if (wrong.length && !expected) {
      row.again.push(name);
      wrong = await one('alone', name);
    }
    if (wrong.length && expected) used.add(expected);
    tell(`${revision} ${name}`, wrong, expected);
    record.add('client', revision, name, scored.includes(name), wrong, expected?.why);
    row.passed += scored.includes(name) && !wrong.length;
    if (wrong.length) (scored.includes(name) ? row.lost : row.unscored).push(name);
  }
  table.push(row);
}

for (const [revision, names] of Object.entries(OLDER)) await runAll(revision, [], names);
for (const revision of Object.keys(REQUIRED)) {
  const { scored, unscored } = requirements(revision);
  await runAll(revision, scored, unscored);
  tell(`${revision} requires as much as it did`, scored.length === REQUIRED[revision] ? [] : [`${scored.length} scenarios, not ${REQUIRED[revision]}`]);
}
for (const e of EXPECTED) tell(`expected: ${e.scenario}`, used.has(e) ? [] : ['passes everywhere: the expectation is stale']);
console.log(`1..${n}\n#\n# revision    required  not passed; in brackets: not required; run twice`);
for (const r of table)
  console.log(`# ${r.revision}  ${`${r.passed}/${r.of}`.padEnd(8)}  ${[...r.lost, ...r.unscored.map((name) => `(${name})`)].join(', ')}${r.again.length ? `; twice: ${r.again.join(', ')}` : ''}`);
rmSync(out, { recursive: true, force: true });
if (RECORD === '--record')
  record.save('client');
process.exit(failed ? 1 : 0);
