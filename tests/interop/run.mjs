// Real clients and real servers, with the gateway between them. TAP on stdout.
// usage: node run.mjs MCPTOOLS_BINARY [NAME...]
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url));
const MODULES = join(HERE, 'node_modules');
const NODE = process.execPath;
const [BINARY, ...WANTED] = process.argv.slice(2);
const PATIENCE_MS = 120000;

const folder = mkdtempSync(join(tmpdir(), 'mcptools-interop-'));
writeFileSync(join(folder, 'note.txt'), 'a note of the interop test\n');
const everything = [join(MODULES, '@modelcontextprotocol/server-everything/dist/index.js'), 'stdio'];
const servers = {
  everything: { command: NODE, args: everything },
  files: { command: NODE, args: [join(MODULES, '@modelcontextprotocol/server-filesystem/dist/index.js'), folder] },
  memory: { command: NODE, args: [join(MODULES, '@modelcontextprotocol/server-memory/dist/index.js')],
    env: { MEMORY_FILE_PATH: join(folder, 'memory.json') } },
  modern: { command: NODE, args: [join(HERE, 'modern-server.mjs')] },
};
function config(name, names) {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ mcpServers: Object.fromEntries(names.map((n) => [n, servers[n]])) }));
  return path;
}
const all = config('all.json', Object.keys(servers));
const three = config('three.json', ['everything', 'files', 'memory']);
const alone = config('alone.json', ['everything']);
writeFileSync(join(folder, 'mcporter.json'), '{"mcpServers":{},"imports":[]}');

// A home of its own, so that no tool reads or writes that of the person who runs this.
const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' };

function run(command, args, { status = 0, input } = {}) {
  const done = spawnSync(command, args, { cwd: folder, env, input, encoding: 'utf8', timeout: PATIENCE_MS, maxBuffer: 1 << 28 });
  if (done.status !== status)
    throw new Error(`${command} ${args.join(' ')}\nstatus ${done.status}, wanted ${status}\n${done.stdout}\n${done.stderr}`);
  return done.stdout;
}
const node = (script, ...args) => JSON.parse(run(NODE, [join(HERE, script), ...args]));
const mcptools = (...args) => run(BINARY, args);
const gatewayArgs = (file) => ['--stdio', BINARY, 'serve', '--stdio', '--config', file];

function same(got, wanted, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what} differs:\n  got    ${a?.slice(0, 2000)}\n  wanted ${b?.slice(0, 2000)}`);
}

// ---- the gateway over HTTP, one for all tests that want one ----

let gateway;
function startGateway(file) {
  const child = spawn(BINARY, ['serve', '--http', '127.0.0.1:0', '--config', file], { cwd: folder, env, stdio: ['ignore', 'ignore', 'pipe'] });
  return new Promise((resolve, reject) => {
    let text = '';
    child.stderr.on('data', (d) => {
      text += d;
      const url = /serves (http:\S+)/.exec(text)?.[1];
      if (url) resolve({ child, url });
    });
    child.on('exit', () => reject(new Error(`serve ended: ${text}`)));
  });
}
async function ready(url) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
    if ((await fetch(new URL('/readyz', url))).ok) return;
    await new Promise((r) => setTimeout(r, 50));
  }
  throw new Error('the gateway never became ready');
}
async function stopGateway({ child }) {
  const gone = new Promise((r) => child.on('exit', r));
  child.removeAllListeners('exit');
  child.on('exit', () => {});
  const exited = new Promise((r) => child.once('close', r));
  child.kill('SIGTERM');
  await Promise.race([exited, gone]);
}

// ---- what a client sees through the gateway, compared with what it sees directly ----

// The gateway knows which names exist, so it says so itself; the rest must be the same. `execution` and
// `$schema` are dropped by SDK 2.x in its 2026-07-28 typing, so the modern run is compared without them.
const OWN_WORDS = ['unknownTool', 'unknownResource', 'unknownPrompt', 'capabilities', 'updates', 'era', 'version', 'listening', 'ping', 'logLevel', 'logToggle', 'logSeen'];
function comparable(result, own, { modern = false } = {}) {
  const out = Object.fromEntries(Object.entries(result).filter(([k]) => !OWN_WORDS.includes(k)));
  out.resources = out.resources.filter((r) => r.uri.startsWith(own));
  out.templates = out.templates.filter((t) => t.uriTemplate.startsWith(own));
  if (modern) out.tools = out.tools.map(({ execution, ...tool }) => sorted(tool, ['$schema']));
  return out;
}
// Members in one order, without some: the SDKs rebuild what they receive in the order of their own types.
function sorted(value, without = []) {
  if (Array.isArray(value)) return value.map((v) => sorted(v, without));
  if (!value || typeof value !== 'object') return value;
  return Object.fromEntries(Object.keys(value).filter((k) => !without.includes(k)).sort().map((k) => [k, sorted(value[k], without)]));
}
const directRuns = {};
const direct = (script, ...options) => directRuns[[script, ...options]] ??= node(script, ...options, '--stdio', NODE, ...everything);

function throughEverything(script, options, result, modern = false) {
  const [a, b] = [result, direct(script, ...options)].map((r) => comparable(r, 'demo://', { modern }));
  for (const key of Object.keys(b)) same(a[key], b[key], key);
  if (result.unknownTool.code !== -32602 || !result.unknownTool.message.includes('unknown tool'))
    throw new Error(`unknown tool: ${JSON.stringify(result.unknownTool)}`);
  if (!modern && result.logSeen !== true) throw new Error('no log message arrived');
}

const tests = {
  async sdk1_stdio() {
    throughEverything('sdk1.mjs', [], node('sdk1.mjs', '--prefix', 'everything__', ...gatewayArgs(all)));
  },
  async sdk1_http() {
    throughEverything('sdk1.mjs', [], node('sdk1.mjs', '--prefix', 'everything__', '--url', gateway.url));
  },
  async sdk1_one_server_alone() {
    throughEverything('sdk1.mjs', [], node('sdk1.mjs', ...gatewayArgs(alone)));
    throughEverything('sdk1.mjs', [], node('sdk1.mjs', '--url', `${gateway.url}/everything`));
  },
  async sdk2_legacy_stdio() {
    throughEverything('sdk2.mjs', ['--era', 'legacy'], node('sdk2.mjs', '--era', 'legacy', '--prefix', 'everything__', ...gatewayArgs(all)));
  },
  async sdk2_legacy_http() {
    throughEverything('sdk2.mjs', ['--era', 'legacy'], node('sdk2.mjs', '--era', 'legacy', '--prefix', 'everything__', '--url', gateway.url));
  },
  async sdk2_modern_stdio() {
    throughEverything('sdk2.mjs', ['--era', 'legacy'], node('sdk2.mjs', '--era', 'modern', '--prefix', 'everything__', ...gatewayArgs(all)), true);
  },
  async sdk2_modern_http() {
    throughEverything('sdk2.mjs', ['--era', 'legacy'], node('sdk2.mjs', '--era', 'modern', '--prefix', 'everything__', '--url', gateway.url), true);
  },
  async modern_server_from_both_eras() {
    const wanted = comparable(node('sdk2.mjs', '--era', 'modern', '--server', 'modern', '--stdio', NODE, join(HERE, 'modern-server.mjs')), 'modern://', { modern: true });
    for (const [script, ...options] of [['sdk1.mjs'], ['sdk2.mjs', '--era', 'legacy'], ['sdk2.mjs', '--era', 'modern']]) {
      const got = comparable(node(script, ...options, '--server', 'modern', '--prefix', 'modern__', ...gatewayArgs(all)), 'modern://', { modern: true });
      const itsOwnWords = script === 'sdk1.mjs' ? ['cancelled', 'badArguments'] : []; // SDK 1.x puts "MCP error" in front
      for (const key of Object.keys(wanted).filter((k) => !itsOwnWords.includes(k))) same(got[key], wanted[key], `${script} ${options}: ${key}`);
    }
  },
  async modern_server_over_http_announces_its_changes() {
    const got = node('sdk2.mjs', '--era', 'modern', '--server', 'modern', '--prefix', 'modern__', '--url', gateway.url);
    same([got.toolsChanged, got.added, got.callAdded], [true, true, true], 'a tool added at run time');
  },
  async auto_negotiation_finds_the_newest_era() {
    same(node('sdk2.mjs', '--era', 'auto', '--prefix', 'everything__', ...gatewayArgs(all)).version, '2026-07-28', 'version');
  },

  async command_line_gives_what_the_servers_give() {
    const wanted = direct('sdk1.mjs');
    const listed = JSON.parse(mcptools('list', 'everything', '--config', three, '-o', 'json')).tools;
    same(listed.map((t) => t.name), wanted.tools.map((t) => t.name), 'tools');
    same(sorted(listed), sorted(wanted.tools), 'tools');
    same(mcptools('call', 'everything.echo', 'message=hello ✓', '--config', three), 'Echo: hello ✓\n', 'echo');
    const structured = JSON.parse(mcptools('call', 'everything.get-structured-content', 'location=Chicago', '--config', three, '-o', 'json'));
    same(structured.structuredContent, wanted.structured.structuredContent, 'structured content');
    same(mcptools('call', 'files.read_text_file', `path=${join(folder, 'note.txt')}`, '--config', three, '-o', 'raw'), 'a note of the interop test\n', 'a file');
    const text = mcptools('read', wanted.resources[0].uri, '--config', three);
    if (text.length < 100) throw new Error(`resource: ${text}`);
    same(mcptools('prompt', 'everything.args-prompt', 'city=Wien', 'state=AT', '--config', three, '-o', 'raw').trim(), wanted.promptArgs[0].content.text, 'prompt');
    mcptools('call', 'memory.create_entities', 'entities:=[{"name":"Ada","entityType":"person","observations":["first"]}]', '--config', three);
    if (!mcptools('call', 'memory.read_graph', '--config', three).includes('Ada')) throw new Error('memory lost Ada');
    const summary = JSON.parse(mcptools('list', '--config', three, '-o', 'json')).servers;
    same(summary.map((s) => [s.name, s.state]), [['everything', 'connected'], ['files', 'connected'], ['memory', 'connected']], 'servers');
  },

  async inspector_over_stdio_and_http() {
    const inspector = (...args) => JSON.parse(run(NODE, [join(MODULES, '@modelcontextprotocol/inspector/clients/launcher/build/index.js'),
      '--cli', '--format', 'json', '-q', ...args])).result;
    const targets = [[BINARY, 'serve', '--stdio', '--config', three], [gateway.url, '--transport', 'http']];
    for (const target of targets) {
      const at = (...options) => target[0] === BINARY ? inspector(...options, '--', ...target) : inspector(...target, ...options);
      const names = at('--method', 'tools/list').tools.map((t) => t.name);
      for (const name of ['everything__echo', 'files__read_text_file', 'memory__read_graph'])
        if (!names.includes(name)) throw new Error(`${name} is missing in ${names}`);
      same(at('--method', 'tools/call', '--tool-name', 'everything__echo', '--tool-arg', 'message=hi').content, [{ type: 'text', text: 'Echo: hi' }], 'echo');
      const read = at('--method', 'resources/read', '--uri', 'demo://resource/dynamic/text/1');
      if (!read.contents[0].text.includes('Resource 1')) throw new Error(JSON.stringify(read));
      const prompt = at('--method', 'prompts/get', '--prompt-name', 'everything__args-prompt', '--prompt-args', 'city=Wien');
      if (!prompt.messages[0].content.text.includes('Wien')) throw new Error(JSON.stringify(prompt));
    }
  },

  async mcporter_over_stdio_and_http() {
    const porter = (...args) => run(NODE, [join(MODULES, 'mcporter/dist/cli.js'), '--config', join(folder, 'mcporter.json'), ...args]);
    for (const target of [['--stdio', `${BINARY} serve --stdio --config ${three}`], ['--http-url', gateway.url, '--allow-http']]) {
      const listed = porter('list', ...target, '--name', 'gw', '--json');
      if (!listed.includes('everything__echo') || !listed.includes('memory__read_graph')) throw new Error(listed.slice(0, 1000));
      const echoed = porter('call', ...target, '--name', 'gw', '--tool', 'everything__echo', '--args', '{"message":"hi"}');
      if (!echoed.includes('Echo: hi')) throw new Error(echoed);
    }
  },

  async no_process_is_left() {
    await stopGateway(gateway);
    const left = () => readdirSync('/proc').filter((p) => /^\d+$/.test(p)).map((p) => {
      try { return readFileSync(`/proc/${p}/cmdline`, 'utf8').replaceAll('\0', ' '); } catch { return ''; }
    }).filter((c) => c.includes(folder) && !c.includes('run.mjs'));
    for (const end = Date.now() + 10000; Date.now() < end && left().length;) await new Promise((r) => setTimeout(r, 50));
    same(left(), [], 'processes');
  },
};

const chosen = Object.keys(tests).filter((name) => !WANTED.length || WANTED.includes(name));
console.log(`1..${chosen.length}`);
let failed = 0;
gateway = await startGateway(all);
await ready(gateway.url);
for (const [i, name] of chosen.entries()) {
  try {
    await tests[name]();
    console.log(`ok ${i + 1} - ${name}`);
  } catch (e) {
    failed++;
    console.log(`not ok ${i + 1} - ${name}\n# ${String(e.stack ?? e).replaceAll('\n', '\n# ')}`);
  }
}
gateway.child.kill('SIGTERM');
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
