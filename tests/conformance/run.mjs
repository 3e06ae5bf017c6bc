// The official conformance suite's client scenarios, at both revisions. TAP on stdout.
// usage: node run.mjs CLIENT_DRIVER
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SUITE = join(dirname(fileURLToPath(import.meta.url)), '../interop/node_modules/@modelcontextprotocol/conformance/dist/index.js');
const [DRIVER] = process.argv.slice(2);
const PATIENCE_MS = 240000;

// The scenarios that must pass, with the checks without which a pass would say nothing. Those named auth/…
// belong to the work on authorization.
const REQUIRED = {
  '2025-11-25': ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry', 'json-schema-2020-12-preservation'],
  '2026-07-28': ['tools_call', 'request-metadata', 'sep-2322-client-request-state', 'http-standard-headers', 'http-custom-headers',
    'http-invalid-tool-headers', 'json-schema-ref-no-deref', 'json-schema-2020-12-preservation'],
};

const out = mkdtempSync(join(tmpdir(), 'mcptools-conformance-'));
const env = { ...process.env, HOME: out, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };

function run(folder, ...args) {
  spawnSync(process.execPath, [SUITE, 'client', '--command', DRIVER, '-o', folder, ...args],
    { env, encoding: 'utf8', timeout: PATIENCE_MS, maxBuffer: 1 << 28 });
}

function checks(folder, scenario) {
  const found = readdirSync(folder).filter((name) => name.startsWith(`${scenario}-20`)).sort().at(-1);
  return found ? JSON.parse(readFileSync(join(folder, found, 'checks.json'), 'utf8')) : [];
}

// 2026-07-28 has no handshake whose headers could be exercised.
const NOT_APPLICABLE = /did not send a (initialize|notifications\/initialized) request/;

// What keeps a scenario from counting as passed: failures, warnings, and checks that were never exercised.
function problems(list) {
  const scored = list.filter((c) => c.status !== 'INFO');
  const bad = scored.filter((c) => c.status !== 'SUCCESS' && !(c.status === 'SKIPPED' && NOT_APPLICABLE.test(`${c.errorMessage} ${c.description}`)));
  return scored.length ? bad.map((c) => `${c.status} ${c.id}: ${c.errorMessage ?? c.description} ${JSON.stringify(c.details ?? '')}`.slice(0, 600)) : ['no check was made'];
}

const all = Object.entries(REQUIRED).flatMap(([revision, names]) => names.map((name) => [revision, name]));
console.log(`1..${all.length}`);
let n = 0, failed = 0;
for (const [revision, names] of Object.entries(REQUIRED)) {
  const together = join(out, revision);
  run(together, '--requirements', revision);
  for (const name of names) {
    let wrong = problems(checks(together, name));
    if (wrong.length) { // forty processes at once on a small machine upset the scenarios that look at a clock
      const alone = join(out, `${revision}-alone`);
      run(alone, '--scenario', name, '--spec-version', revision);
      wrong = problems(checks(alone, name));
    }
    failed += wrong.length > 0;
    console.log(`${wrong.length ? 'not ok' : 'ok'} ${++n} - ${revision} ${name}${wrong.map((w) => `\n# ${w.replaceAll('\n', '\n# ')}`).join('')}`);
  }
}
rmSync(out, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
