// The official conformance suite's scenarios of skills (SEP-2640), which are in no list of requirements: with the command
// line as the client, and against a server with skills alone, at its own endpoint of the gateway, at the endpoint of
// several servers, and against a folder that mcptools serves. Each must make as many checks as it does, so that
// one that skips does not pass. TAP on stdout.
// usage: node run_skills.mjs MCPTOOLS [--record], where --record writes docs/CONFORMANCE.md
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { background, stopAll } from '../interop/background.mjs';
import { Record } from './page.mjs';

const HERE = dirname(fileURLToPath(import.meta.url)), INTEROP = join(HERE, '../interop');
const SUITE = join(INTEROP, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const SERVER = join(HERE, '../program/skills_server.py'), ADAPTER = join(INTEROP, 'stdio-adapter.mjs'), CLIENT = join(HERE, 'skills_client.mjs');
const [MCPTOOLS, RECORD] = process.argv.slice(2);
const PATIENCE_MS = 120000, LEGACY = '2025-11-25', MODERN = '2026-07-28';

// How many checks pass: cache hints are no part of the handshake revisions.
const CLIENT_CHECKS = { 'no-prefetch': 1, 'verify-digest': 1, 'verify-size': 1, 'verify-frontmatter': 1 };
const SERVER_CHECKS = { enumeration: { [LEGACY]: 30, [MODERN]: 32 }, manifest: { [LEGACY]: 6, [MODERN]: 6 }, directory: { [LEGACY]: 7, [MODERN]: 7 } };

const top = mkdtempSync(join(tmpdir(), 'mcptools-conformance-'));
const env = { ...process.env, HOME: top, PATH: `${dirname(process.execPath)}:${process.env.PATH}` };
const record = new Record();
let n = 0, failed = 0;

function tell(name, wrong) {
  failed += wrong.length > 0;
  console.log(`${wrong.length ? 'not ok' : 'ok'} ${++n} - ${name}`);
  for (const w of wrong)
    console.log(`# ${w.replaceAll('\n', '\n# ')}`);
}

function checks(folder) {
  const found = (existsSync(folder) ? readdirSync(folder, { recursive: true }) : []).filter((name) => name.endsWith('checks.json'));
  return found.length ? JSON.parse(readFileSync(join(folder, found[0]), 'utf8')) : [];
}

async function run(name, leg, scenario, revision, wanted, ...options) {
  const folder = join(top, `run-${n}`);
  const child = spawn(process.execPath, [SUITE, leg, ...options, '-o', folder, '--scenario', scenario, '--spec-version', revision, '--force'],
    { env, timeout: PATIENCE_MS, stdio: 'ignore' });
  await new Promise((resolve) => child.on('close', resolve));
  const list = checks(folder), passed = list.filter((c) => c.status === 'SUCCESS').length;
  const bad = list.filter((c) => ['FAILURE', 'WARNING'].includes(c.status)).map((c) => `${c.status} ${c.id}: ${c.errorMessage ?? c.description}`);
  const wrong = passed === wanted ? bad : [...bad, `${passed} checks have passed, not ${wanted}`];
  record.add(name, revision, scenario, false, wrong);
  tell(`${name} ${revision} ${scenario}`, wrong);
}

async function runServer(name, url, revisions = [LEGACY, MODERN]) {
  for (const [scenario, wanted] of Object.entries(SERVER_CHECKS))
    for (const revision of revisions)
      await run(name, 'server', `sep-2640-skills-${scenario}`, revision, wanted[revision], '--url', url);
}

const server = (era, skills) => ({ command: 'python3', args: [SERVER, era, JSON.stringify({ skills })] });

async function gateway(servers) {
  const config = join(top, `config-${n}.json`);
  writeFileSync(config, JSON.stringify({ mcpServers: servers }));
  const it = background(MCPTOOLS, ['serve', '--config', config, '--http', '127.0.0.1:0'], { cwd: top, env });
  const url = (await it.until(/serves (http:\S+)/))[1];
  while ((await fetch(new URL('/readyz', url))).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 10));
  return { it, url };
}

try {
  for (const [scenario, wanted] of Object.entries(CLIENT_CHECKS))
    for (const revision of [LEGACY, MODERN])
      await run('command line', 'client', `sep-2640-client-${scenario}`, revision, wanted, '--command', `${process.execPath} ${CLIENT} ${MCPTOOLS}`);
  for (const era of ['legacy', MODERN]) {
    const { command, args } = server(era, { 'git-workflow': 'Git', pdf: 'PDF' });
    const alone = background(process.execPath, [ADAPTER, command, ...args], { env });
    await runServer(`server ${era}`, `http://127.0.0.1:${(await alone.until(/^PORT (\d+)$/m))[1]}/mcp`, [era === 'legacy' ? LEGACY : era]);
    const merged = await gateway({ docs: server(era, { 'git-workflow': 'Git', pdf: 'PDF' }), other: server('legacy', { tables: 'Tables' }) });
    await runServer(`gateway ${era} alone`, `${merged.url}/docs`);
    await runServer(`gateway ${era} merged`, merged.url);
    await merged.it.stop();
  }
  mkdirSync(join(top, 'skills/git-workflow/references'), { recursive: true });
  writeFileSync(join(top, 'skills/git-workflow/SKILL.md'), '---\nname: git-workflow\ndescription: Git\nversion: 1.0\n---\n# Git\n');
  writeFileSync(join(top, 'skills/git-workflow/references/FORMS.md'), '# Forms\n');
  const own = await gateway({ own: { type: 'skills', path: './skills' } });
  await runServer('folder', own.url);
  await own.it.stop();
} finally {
  await stopAll();
  rmSync(top, { recursive: true, force: true });
}
if (RECORD === '--record')
  record.save('skills');
console.log(`1..${n}`);
process.exit(failed ? 1 : 0);
