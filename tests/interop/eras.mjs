// Both official SDKs as clients, at once, of one gateway in front of a server of both eras: each is asked in its own era and
// hears what belongs to it, once. TAP on stdout.
// usage: node eras.mjs MCPTOOLS_BINARY
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { background, stopAll } from './background.mjs';
import { connect, sampled } from './matrix-clients.mjs';

const [BINARY] = process.argv.slice(2);
const SERVER = join(dirname(fileURLToPath(import.meta.url)), 'dual-server.mjs');
const top = mkdtempSync(join(tmpdir(), 'mcptools-eras-'));
const LEGACY = '2025-11-25', MODERN = '2026-07-28';
const CHANGED = 'notifications/tools/list_changed';

function same(got, wanted, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what}: ${a?.slice(0, 1000)}, not ${b}`);
}

let n = 0, failed = 0;
async function test(name, body) {
  try {
    await body();
    console.log(`ok ${++n} - ${name}`);
  } catch (e) {
    failed++;
    console.log(`not ok ${++n} - ${name}\n# ${(e.stack ?? String(e)).replaceAll('\n', '\n# ')}`);
  }
}

// ---- a gateway in front of one ----

async function target(asks, upstream) {
  if (upstream === 'stdio') return { command: process.execPath, args: [SERVER, asks] };
  const it = background(process.execPath, [SERVER, asks, '--http', '0']);
  return { url: `http://127.0.0.1:${(await it.until(/^PORT (\d+)$/m))[1]}/mcp` };
}

async function gateway(name, server) {
  const home = join(top, name.replaceAll(' ', '-')), config = join(home, 'config.json');
  mkdirSync(home);
  writeFileSync(config, JSON.stringify({ mcpServers: { dual: server } }));
  const it = background(BINARY, ['serve', '--config', config, '--http', '127.0.0.1:0'], { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
  const url = (await it.until(/serves (http:\S+)/))[1];
  while ((await fetch(new URL('/readyz', url))).status !== 200) await new Promise((resolve) => setTimeout(resolve, 10));
  const metrics = async () => (await fetch(new URL('/metrics', url))).text();
  return { it, url, connections: async () => Number((await metrics()).match(/^mcptools_server_connections\{server="dual"\} (\d+)$/m)[1]) };
}

const client = (g, revision, who, more) => connect({ revision, target: { url: g.url }, who, ...more });
const answerOf = async (call) => (await call).content[0].text;

// ---- what is tested ----

async function asking(name, g, asks) {
  const [old, young] = [await client(g, LEGACY, 'old'), await client(g, MODERN, 'young')];
  const prompt = (who) => `${who} ${name}`;
  await test(`${name}: a handshake client is asked`, async () => {
    same(JSON.parse(await answerOf(old.call('test_sampling', { prompt: prompt('old') }))).content.text, sampled(prompt('old')), 'answer');
    same(await answerOf(old.call('test_elicitation', { message: 'decline this' })), '{"action":"decline"}', 'answer');
  });
  await test(`${name}: both are asked at once, each in its era`, async () => {
    const [one, two] = await Promise.all([old, young].map((c) => answerOf(c.call('test_input_required_result_sampling', {}))));
    same([one, two].map((text) => JSON.parse(text).thought.content.text), [sampled('Think of a word'), sampled('Think of a word')], 'answers');
  });
  if (asks === 'return')
    await test(`${name}: a client of ${MODERN} is asked by the same tool`, async () =>
      same(JSON.parse(await answerOf(young.call('test_sampling', { prompt: prompt('young') }))).content.text, sampled(prompt('young')), 'answer'));
  await test(`${name}: nobody was asked what another should be`, async () => {
    const asked = (c) => c.asked().map(({ params: { message, messages } }) => message ?? messages[0].content.text).sort();
    same([asked(old), asked(young)], [['decline this', 'Think of a word', prompt('old')].sort(),
      ['Think of a word', ...asks === 'return' ? [prompt('young')] : []].sort()], 'questions');
  });
  await test(`${name}: two connections`, async () => same(await g.connections(), 2, 'connections'));
  return [old, young];
}

// A tool that comes in one era is told to its clients, once, and can be called.
async function changes(name, [old, young]) {
  await test(`${name}: a change in one era is told to its clients, once`, async () => {
    const before = old.notifications(CHANGED).length;
    await young.watch({});
    await old.call('test_trigger_tool_change', {});
    await old.until(() => old.notifications(CHANGED).length > before, CHANGED);
    same(await answerOf(old.call('test_dynamic_tool', {})), 'Still here', 'answer');
    same((await old.tools()).some((tool) => tool.name === 'test_dynamic_tool'), true, 'in the list');
    await young.tools(); // behind whatever was told
    same([old.notifications(CHANGED).length - before, young.notifications(CHANGED).length], [1, 0], 'told');
  });
}

async function single() {
  const g = await gateway('single', { ...await target('push', 'stdio'), protocol: 'single' });
  const old = await client(g, LEGACY, 'old');
  await test('single: one process, in which no request can be sent', async () => {
    same((await old.call('test_sampling', { prompt: 'x' })).isError, true, 'isError');
    same(await g.connections(), 1, 'connections');
  });
  await old.close();
}

try {
  for (const upstream of ['http', 'stdio'])
    for (const asks of ['push', 'return']) {
      const name = `${asks} ${upstream}`, g = await gateway(name, await target(asks, upstream));
      const clients = await asking(name, g, asks);
      await changes(name, clients);
      for (const c of clients) await c.close();
      const { status, signal } = await g.it.stop();
      await test(`${name}: the gateway ends in order`, async () => same(status ?? signal, 0, 'status'));
    }
  await single();
} finally {
  await stopAll();
  rmSync(top, { recursive: true, force: true });
}
console.log(`1..${n}`);
process.exit(failed ? 1 : 0);
