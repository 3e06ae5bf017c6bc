// The official conformance suite's client scenarios, at both revisions. Each has a line, the ones that are not required
// included: it passes, or it is known why it does not. TAP on stdout, a table at its end.
// usage: node run.mjs CLIENT_DRIVER
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SUITE = join(dirname(fileURLToPath(import.meta.url)), '../interop/node_modules/@modelcontextprotocol/conformance/dist/index.js');
const [DRIVER] = process.argv.slice(2);
const PATIENCE_MS = 240000;

// How many scenarios each revision requires, so that a suite that asks for less is noticed.
const REQUIRED = { '2025-11-25': 18, '2026-07-28': 32 };

// What cannot pass yet. A row that matches nothing that fails any more is an error.
const EXPECTED = [{ scenario: /^auth\//, why: 'the client has no OAuth yet' }];

const out = mkdtempSync(join(tmpdir(), 'mcptools-conformance-'));
const env = { ...process.env, HOME: out, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };

function run(folder, ...args) {
  spawnSync(process.execPath, [SUITE, 'client', '--command', DRIVER, '-o', folder, ...args],
    { env, encoding: 'utf8', timeout: PATIENCE_MS, maxBuffer: 1 << 28 });
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
const table = [], used = new Set();

function tell(name, wrong, expected) {
  failed += wrong.length > 0 && !expected;
  console.log(`${wrong.length ? 'not ok' : 'ok'} ${++n} - ${name}${wrong.length && expected ? ` # TODO ${expected.why}` : ''}`);
  for (const w of wrong) console.log(`# ${w.replaceAll('\n', '\n# ')}`);
}

for (const revision of Object.keys(REQUIRED)) {
  const { scored, unscored } = requirements(revision);
  const together = join(out, revision), row = { revision, passed: 0, of: scored.length, lost: [], unscored: [], again: [] };
  run(together, '--requirements', revision);
  for (const name of [...scored, ...unscored]) {
    const expected = EXPECTED.find((e) => e.scenario.test(name));
    let wrong = problems(checks(together, name));
    if (wrong.length && !expected) { // forty processes at once on a small machine upset the scenarios that look at a clock
      const alone = join(out, `${revision}-alone`);
      run(alone, '--scenario', name, '--spec-version', revision);
      row.again.push(name);
      wrong = problems(checks(alone, name));
    }
    if (wrong.length && expected) used.add(expected);
    tell(`${revision} ${name}`, wrong, expected);
    row.passed += scored.includes(name) && !wrong.length;
    if (wrong.length) (scored.includes(name) ? row.lost : row.unscored).push(name);
  }
  tell(`${revision} requires as much as it did`, scored.length === REQUIRED[revision] ? [] : [`${scored.length} scenarios, not ${REQUIRED[revision]}`]);
  table.push(row);
}
for (const e of EXPECTED) tell(`expected: ${e.scenario}`, used.has(e) ? [] : ['passes everywhere: the expectation is stale']);
console.log(`1..${n}\n#\n# revision    required  not passed; in brackets: not required; run twice`);
const short = (names) => { // one word for all of auth/…
  const rest = names.filter((name) => !name.startsWith('auth/')), n = names.length - rest.length;
  return n ? [...rest, `${n} auth/*`] : rest;
};
for (const r of table)
  console.log(`# ${r.revision}  ${`${r.passed}/${r.of}`.padEnd(8)}  ${[...short(r.lost), ...short(r.unscored).map((name) => `(${name})`)].join(', ')}${r.again.length ? `; twice: ${r.again.join(', ')}` : ''}`);
rmSync(out, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
