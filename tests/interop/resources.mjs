// Resource tools over real servers at once, some of them in a bad way: counts, order, truncation, and who is told to have
// failed. Nothing here is about time: what hangs is bounded by the gateway's own limits, and asserted by what comes. TAP on stdout.
// usage: node resources.mjs MCPTOOLS_BINARY [NAME...]
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { background, stopAll } from './background.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const NODE = process.execPath;
const [BINARY, ...WANTED] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'mcptools-resources-'));
const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' };
const module = (name) => join(HERE, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
const script = (...args) => ({ command: NODE, args: [join(HERE, 'paged-server.mjs'), ...args] });

const mcpServers = { // not in the order of their names, in which they are listed
  stuck: script('9', '3', 'stuck'),
  paged: script('300', '75'),
  told: script('5', '2', 'announce'),
  everything: { command: NODE, args: [module('server-everything'), 'stdio'] },
  files: { command: NODE, args: [module('server-filesystem'), folder] },
  dead: { command: NODE, args: ['-e', 'process.exit(3)'] },
  mute: { command: NODE, args: ['-e', 'process.stdin.resume()'] },
};
const FAILED = ['dead', 'mute', 'stuck'];
function write(name, servers, graceS) { // how long servers that say nothing are waited for after the latest answer
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ mcpServers: servers, mcptools: { mcp: { list_timeout_s: 50, list_grace_s: graceS }, limits: { list_wait_s: 1 } } }));
  return path;
}
const config = write('all.json', mcpServers, 4);

function same(got, wanted, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what} differs:\n  got    ${a?.slice(0, 2000)}\n  wanted ${b?.slice(0, 2000)}`);
}

async function connect(transport) {
  const client = new Client({ name: 'interop-resources', version: '1' });
  await client.connect(transport);
  return client;
}

// ---- what the servers have, asked directly ----

const direct = await connect(new StdioClientTransport({ command: NODE, args: mcpServers.everything.args, env }));
const [ofEverything, templates] = [(await direct.listResources()).resources, (await direct.listResourceTemplates()).resourceTemplates];
const page = (await direct.readResource({ uri: ofEverything[0].uri })).contents;
await direct.close();
const numbered = (n) => Array.from({ length: n }, (_, i) => `paged://${i}`);
const WHOLE = [...ofEverything.map((r) => ['everything', r.uri]), ...numbered(300).map((u) => ['paged', u]), ...numbered(5).map((u) => ['told', u])];
const CONFIGURED = Object.keys(mcpServers).flatMap((name) => WHOLE.filter(([server]) => server === name)); // the order of bridge and claude

// ---- through the gateway ----

const gateway = background(BINARY, ['serve', '--http', '127.0.0.1:0', '--config', config, '--dialect', 'nexo,codex,servers'], { cwd: folder, env });
const [, url] = await gateway.until(/serves (http:\S+)/);
for (const up of ['everything', 'files', 'paged', 'told']) // the others never will be
  while (!JSON.stringify(await (await fetch(new URL('/readyz', url))).json()).includes(`"${up}","state":"connected"`))
    await new Promise((r) => setTimeout(r, 50));
const client = await connect(new StreamableHTTPClientTransport(new URL(url)));

async function use(name, args = {}, by = client) {
  const result = await by.callTool({ name, arguments: args });
  const told = result.content[1]?.text ?? 'server "stuck" (it is still starting'; // claude: who is missing
  if (result.content.length > 2 || !told.includes('server "stuck" (it is still starting')) throw new Error(JSON.stringify(result).slice(-2000));
  return { text: result.content[0].text, isError: result.isError === true };
}
async function useJson(name, args, by) {
  const { text, isError } = await use(name, args, by);
  if (isError) throw new Error(`${name}: ${text}`);
  return JSON.parse(text);
}
async function as(dialect, then) { // a client of its own, whose address says what it expects
  const other = await connect(new StreamableHTTPClientTransport(new URL(`?dialect=${dialect}`, url)));
  try {
    await then(other);
  } finally {
    await other.close();
  }
}
const entries = (resources) => resources.map((r) => [r.server, r.uri]);
function checkNexo(list, resources, truncated, failed) {
  same(entries(list.resources), resources, 'entries');
  same([list.truncated, list.count], [truncated, resources.length], 'truncated, count');
  same(list.errors.map((e) => e.server), failed, 'errors');
}

const tests = {
  async nexo_lists_what_there_is_and_who_has_failed() {
    checkNexo(await useJson('ListMcpResources', { max: 1000 }), WHOLE, false, FAILED);
  },
  async nexo_stops_at_its_cap() {
    checkNexo(await useJson('ListMcpResources'), WHOLE.slice(0, 200), true, FAILED);
    checkNexo(await useJson('ListMcpResources', { max: WHOLE.length }), WHOLE, false, FAILED);
    checkNexo(await useJson('ListMcpResources', { max: WHOLE.length - 1 }), WHOLE.slice(0, -1), true, FAILED);
  },
  async nexo_lists_one_server() {
    checkNexo(await useJson('ListMcpResources', { server: 'paged' }), WHOLE.filter(([s]) => s === 'paged').slice(0, 200), true, []);
    checkNexo(await useJson('ListMcpResources', { server: 'paged', max: 300 }), WHOLE.filter(([s]) => s === 'paged'), false, []);
    checkNexo(await useJson('ListMcpResources', { server: 'dead' }), [], false, ['dead']);
    checkNexo(await useJson('ListMcpResources', { server: 'files' }), [], false, ['files']);
  },
  async nexo_reads() {
    const [{ text }] = (await useJson('ReadMcpResource', { server: 'paged', uri: 'paged://299' })).contents;
    same(text, 'the text of paged://299', 'text');
    const read = await useJson('ReadMcpResource', { server: 'everything', uri: ofEverything[0].uri });
    same(read.contents.map((c) => [c.uri, c.mime_type, c.text]), page.map((c) => [c.uri, c.mimeType, c.text]), 'contents');
    const { text: why, isError } = await use('ReadMcpResource', { server: 'dead', uri: 'x://1' });
    if (!isError || !why.startsWith('ReadMcpResource: ')) throw new Error(why);
  },
  async the_agent_knows_why_a_real_server_refuses() {
    const one = write('everything.json', { everything: mcpServers.everything }, 30);
    for (const [uri, type, status] of [['demo://resource/dynamic/text/abc', 'ResourceNotFound', 5], ['demo://nothing', 'ResourceNotFound', 5], ['nonsense', 'InvalidURI', 1]]) {
      const done = spawnSync(BINARY, ['agent', 'read', '--config', one, '--', uri], { cwd: folder, env, encoding: 'utf8' });
      same([done.stdout.split(':')[0], done.status], [`❌ mcp ${type}`, status], uri);
    }
  },
  async codex_lists_all_servers() {
    const all = await useJson('list_mcp_resources');
    same(entries(all.resources), WHOLE, 'entries');
    same([all.server, all.nextCursor], [undefined, undefined], 'server, nextCursor');
    same(all.resources.filter((r) => r.server === 'everything').map(({ server, ...r }) => Object.entries(r).sort()), ofEverything.map((r) => Object.entries(r).sort()), 'members');
    const found = (await useJson('list_mcp_resource_templates')).resourceTemplates
      .filter((t) => t.server !== 'stuck'); // it answers these, as soon as the gateway has given up its resources
    same(found.map((t) => [t.server, t.uriTemplate]), [...templates.map((t) => ['everything', t.uriTemplate]), ['paged', 'paged://{n}'], ['told', 'paged://{n}']], 'templates');
  },
  async codex_goes_through_the_pages_of_one() {
    for (const [server, size, n] of [['paged', 75, 300], ['told', 2, 5]]) {
      const uris = [], sizes = [];
      for (let cursor; ;) {
        const one = await useJson('list_mcp_resources', { server, ...cursor ? { cursor } : {} });
        uris.push(...one.resources.map((r) => r.uri));
        sizes.push(one.resources.length);
        if (!(cursor = one.nextCursor)) break;
      }
      same(uris, numbered(n), server);
      same(sizes, Array.from({ length: Math.ceil(n / size) }, (_, i) => Math.min(size, n - i * size)), 'pages');
    }
    const { text, isError } = await use('list_mcp_resources', { server: 'dead' });
    if (!isError || !text.startsWith('resources/list failed: ')) throw new Error(text);
  },
  async codex_reads() {
    same((await useJson('read_mcp_resource', { server: 'everything', uri: ofEverything[0].uri })).contents, page, 'contents');
  },
  async bridge_lists_and_reads_without_a_server() {
    await as('bridge', async (by) => {
      const list = await useJson('mcp_list_resources', {}, by);
      same(list.resources.map((r) => r.uri), CONFIGURED.map(([, uri]) => uri), 'entries');
      same([list.count, list.message], [WHOLE.length, `Found ${WHOLE.length} available resources`], 'count, message');
      same((await useJson('mcp_read_resource', { uri: 'paged://299' }, by)).contents.map((c) => c.text), ['the text of paged://299'], 'by URI');
      const [named] = (await useJson('mcp_read_resource', { resourceName: ofEverything[0].name }, by)).contents;
      same([named.uri, named.text], [page[0].uri, page[0].text], 'by name');
      const { availableResources, omitted } = await useJson('mcp_read_resource', {}, by);
      same([availableResources.length, omitted], [200, WHOLE.length - 200], 'available');
    });
  },
  async claude_lists_and_reads() {
    await as('claude', async (by) => {
      same(entries(await useJson('ListMcpResourcesTool', {}, by)), CONFIGURED, 'entries');
      same(entries(await useJson('ListMcpResourcesTool', { server: 'told' }, by)), WHOLE.filter(([s]) => s === 'told'), 'told');
      same((await useJson('ReadMcpResourceTool', { server: 'paged', uri: 'paged://7' }, by)).contents.map((c) => c.text), ['the text of paged://7'], 'text');
    });
  },
  async servers_have_tools_of_their_own() {
    const names = (await client.listTools()).tools.map((t) => t.name).filter((n) => n.endsWith('_resource') || n.includes('__list_resource'));
    const wanted = ['paged', 'told', 'everything'].flatMap((s) => ['list_resources', 'list_resource_templates', 'read_resource'].map((t) => `${s}__${t}`));
    same(names.filter((n) => n.includes('__') && !n.startsWith('stuck__')), wanted, 'tools');
    same((await useJson('paged__list_resources')).map((r) => r.uri), numbered(300), 'paged');
    same((await useJson('told__list_resources')).map((r) => r.uri), numbered(5), 'told');
    same((await use('paged__read_resource', { uri: 'paged://7' })).text, 'the text of paged://7', 'text');
  },
  async the_command_line_does_the_same() {
    const { stuck, mute, ...others } = mcpServers; // it begins with all of them: what hangs would be a matter of time
    const done = spawnSync(BINARY, ['call', 'ListMcpResources', '--config', write('some.json', others, 0), '--dialect', 'nexo', '-o', 'raw', 'max:=1000'], { cwd: folder, env, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(done.stdout + done.stderr);
    checkNexo(JSON.parse(done.stdout), WHOLE, false, ['dead']);
  },
};

const chosen = Object.keys(tests).filter((name) => !WANTED.length || WANTED.includes(name));
console.log(`1..${chosen.length}`);
let failed = 0;
for (const [i, name] of chosen.entries()) {
  try {
    await tests[name]();
    console.log(`ok ${i + 1} - ${name}`);
  } catch (e) {
    failed++;
    console.log(`not ok ${i + 1} - ${name}\n# ${String(e.stack ?? e).replaceAll('\n', '\n# ')}`);
  }
}
await client.close();
await stopAll();
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
