// Real clients and real servers, with the gateway between them. TAP on stdout.
// usage: node run.mjs MCPTOOLS_BINARY [NAME...]
import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { background, lazily, PATIENT, stopAll } from './background.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const MODULES = join(HERE, 'node_modules');
const NODE = process.execPath;
const [BINARY, ...WANTED] = process.argv.slice(2);
const PATIENCE_MS = 120000;

const folder = mkdtempSync(join(tmpdir(), 'mcptools-interop-'));
writeFileSync(join(folder, 'note.txt'), 'a note of the interop test\n');
class Skip extends Error {}
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
  writeFileSync(path, JSON.stringify({ mcpServers: Object.fromEntries(names.map((n) => [n, servers[n]])), mcptools: PATIENT }));
  return path;
}
const all = config('all.json', Object.keys(servers));
const three = config('three.json', ['everything', 'files', 'memory']);
const alone = config('alone.json', ['everything']);
writeFileSync(join(folder, 'mcporter.json'), '{"mcpServers":{},"imports":[]}');

// A home of its own, so that no tool reads or writes that of the person who runs this.
const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' };
const beside = (command, ...args) => background(command, args, { cwd: folder, env });

function run(command, args, { status = 0, input } = {}) {
  const done = spawnSync(command, args, { cwd: folder, env, input, encoding: 'utf8', timeout: PATIENCE_MS, maxBuffer: 1 << 28 });
  if (done.status !== status)
    throw new Error(`${command} ${args.join(' ')}\nstatus ${done.status}, wanted ${status}\n${done.stdout}\n${done.stderr}`);
  return done.stdout;
}
const node = (script, ...args) => JSON.parse(run(NODE, [join(HERE, script), ...args]));
const mcptools = (...args) => run(BINARY, args);
// The same without waiting for it.
const nodeBeside = (script, ...args) => new Promise((resolve, reject) =>
  execFile(NODE, [join(HERE, script), ...args], { cwd: folder, env, timeout: PATIENCE_MS, maxBuffer: 1 << 28 },
    (e, stdout, stderr) => e ? reject(new Error(`${script} ${args.join(' ')}\n${e.message}\n${stderr}`)) : resolve(JSON.parse(stdout))));
const gatewayArgs = (file) => ['--stdio', BINARY, 'serve', '--stdio', '--config', file];

function same(got, wanted, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what} differs:\n  got    ${a?.slice(0, 2000)}\n  wanted ${b?.slice(0, 2000)}`);
}

// ---- the gateway over HTTP, one for all tests that want one ----

let gateway;
async function startGateway(file) {
  const it = beside(BINARY, 'serve', '--http', '127.0.0.1:0', '--config', file);
  const [, url] = await it.until(/serves (http:\S+)/);
  await ready(url);
  return { url, it };
}
async function ready(url) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end;) {
    if ((await fetch(new URL('/readyz', url))).ok) return;
    await new Promise((r) => setTimeout(r, 50));
  }
  throw new Error('the gateway never became ready');
}

// ---- what a client sees through the gateway, compared with what it sees directly ----

// The gateway knows which names exist, so it says so itself; the rest must be the same. `execution` and
// `$schema` are dropped by SDK 2.x in its 2026-07-28 typing, so the modern run is compared without them. A tool that can be
// a task of 2025-11-25 says so only to the gateway, which offers none.
const OWN_WORDS = ['unknownTool', 'unknownResource', 'unknownPrompt', 'capabilities', 'updates', 'era', 'version', 'listening', 'ping', 'logLevel', 'logToggle', 'logSeen'];
function comparable(result, own, { modern = false } = {}) {
  const out = Object.fromEntries(Object.entries(result).filter(([k]) => !OWN_WORDS.includes(k)));
  out.resources = out.resources.filter((r) => r.uri.startsWith(own));
  out.templates = out.templates.filter((t) => t.uriTemplate.startsWith(own));
  out.tools = out.tools.map(({ execution, ...tool }) => execution && !['optional', 'required'].includes(execution.taskSupport)
    ? { ...tool, execution } : tool);
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
  // the gateway declares every capability, and this server offers more to who has them
  const [a, b] = [result, direct(script, ...options, '--capable')].map((r) => comparable(r, 'demo://', { modern }));
  for (const key of Object.keys(b)) same(a[key], b[key], key);
  if (result.unknownTool.code !== -32602 || !result.unknownTool.message.includes('unknown tool'))
    throw new Error(`unknown tool: ${JSON.stringify(result.unknownTool)}`);
  if (!modern && result.logSeen !== true) throw new Error('no log message arrived');
}

// ---- servers with URLs, each started when a test first wants it ----

const listening = (...args) => lazily(async () => {
  const it = beside(NODE, ...args, folder); // the folder as a last word nobody reads: it tells in `ps` whose it is
  const port = (await it.until(/PORT (\d+)/))[1];
  return { it, at: (path) => `http://127.0.0.1:${port}${path}` };
});
const loopback = ['--import', join(HERE, 'loopback.mjs')];
const everythingOver = (mode) => listening(...loopback, everything[0], mode);
const upstreams = {
  http: everythingOver('streamableHttp'),
  sse: everythingOver('sse'),
  modern: listening(join(HERE, 'modern-server.mjs'), '--http', '0'),
  both: listening(join(HERE, 'modern-server.mjs'), '--legacy-too', '--http', '0'),
};
const upstreamUrl = async (name) => (await upstreams[name]()).at(name === 'sse' ? '/sse' : '/mcp');

const urlServers = lazily(async () => {
  const [http, sse, modern, both] = await Promise.all(['http', 'sse', 'modern', 'both'].map(upstreamUrl));
  const legacyToo = { command: NODE, args: [join(HERE, 'modern-server.mjs'), '--legacy-too'] };
  return {
    'http-found': { url: http }, 'http-told': { url: http, type: 'streamable-http' }, 'http-short': { url: http, type: 'http' },
    'sse-found': { url: sse }, 'sse-told': { url: sse, type: 'sse' },
    'modern-found': { url: modern }, 'modern-told': { url: modern, type: 'http', protocol: '2026-07-28' },
    'both-found': { url: both }, 'both-legacy': { url: both, protocol: 'legacy' },
    'stdio-both': legacyToo, 'stdio-legacy': { ...legacyToo, protocol: 'legacy' },
  };
});
async function urlsConfig(...names) {
  const some = await urlServers();
  const path = join(folder, `urls-${names.join('-')}.json`);
  writeFileSync(path, JSON.stringify({ mcpServers: Object.fromEntries(Object.entries(some).filter(([k]) => !names.length || names.includes(k))), mcptools: PATIENT }));
  return path;
}
const urlsGateway = lazily(async () => startGateway(await urlsConfig()));

const CLIENTS = [['sdk1.mjs'], ['sdk2.mjs', '--era', 'legacy'], ['sdk2.mjs', '--era', 'modern']];
const isModern = (options) => options.includes('modern');

// One client after the other, of several servers at once: no two clients in one session of the toggling server.
async function everythingThrough(names, target) {
  await urlsConfig();
  for (const [script, ...options] of CLIENTS) {
    const base = isModern(options) ? ['--era', 'legacy'] : options;
    direct(script, ...base);
    await Promise.all(names.map(async (name) => {
      const result = await nodeBeside(script, ...options, ...await target(name));
      try {
        throughEverything(script, base, result, isModern(options));
      } catch (e) {
        throw new Error(`${script} ${options.join(' ')} and ${name}: ${e.message}`);
      }
    }));
  }
}
const overStdio = async (name) => ['--prefix', `${name}__`, '--stdio', BINARY, 'serve', '--stdio', '--config',
  await urlsConfig(name, /^(http|sse)/.test(name) ? 'modern-found' : 'http-short')];
const overHttp = async (name) => ['--url', `${(await urlsGateway()).url}/${name}`];

// What others have added meanwhile is nobody's answer.
const withoutAdded = (tools) => tools.filter((t) => !t.name.startsWith('extra_'));
const directModern = lazily(() => comparable(node('sdk2.mjs', '--era', 'modern', '--server', 'modern', '--stdio', NODE, join(HERE, 'modern-server.mjs')), 'modern://', { modern: true }));
async function modernThrough(names, target) {
  await urlsConfig();
  const wanted = directModern();
  for (const [script, ...options] of CLIENTS) {
    const itsOwnWords = script === 'sdk1.mjs' ? ['cancelled', 'badArguments'] : []; // SDK 1.x puts "MCP error" in front
    await Promise.all(names.map(async (name) => {
      const got = comparable(await nodeBeside(script, ...options, '--server', 'modern', ...await target(name)), 'modern://', { modern: true });
      for (const key of Object.keys(wanted).filter((k) => !itsOwnWords.includes(k))) {
        const [a, b] = key === 'tools' ? [withoutAdded(got.tools), withoutAdded(wanted.tools)] : [got[key], wanted[key]];
        same(a, b, `${script} ${options.join(' ')} and ${name}: ${key}`);
      }
    }));
  }
}

// ---- what the command line answers ----

const SAMPLE_TEXT = 'a scripted answer';
const samplingCommand = lazily(() => {
  const path = join(folder, 'sample.sh');
  writeFileSync(path, `#!/bin/sh\ncat > ${folder}/params.$$ && mv ${folder}/params.$$ ${folder}/params.json\n` +
    `echo '{"model":"script","role":"assistant","stopReason":"endTurn","content":{"type":"text","text":"${SAMPLE_TEXT}"}}'\n`);
  chmodSync(path, 0o755);
  return path;
});
const adHoc = async (name) => ['http', 'sse', 'modern', 'both'].includes(name) ? ['--url', await upstreamUrl(name)]
  : ['--stdio', [NODE, ...{ 'stdio': everything, 'stdio-modern': [join(HERE, 'modern-server.mjs')] }[name]].join(' ')];
// What the tool `ask` returned. A prompt of which a part came after the echo of the answer may stand before it.
const lastRounds = (screen) => JSON.parse(screen.slice(screen.lastIndexOf('[{')));
const rawResult = (text) => JSON.parse(/Raw result: (.*)/s.exec(text)[1]);

async function everythingAsks(name) {
  const at = await adHoc(name);
  const elicit = (how, status = 0) => run(BINARY, ['call', 'trigger-elicitation-request', ...at, '--elicit', how], { status });
  same(rawResult(elicit('decline')), { action: 'decline' }, `${name}: decline`);
  const defaults = { firstLine: 'It was a dark and stormy night.', integer: 42, number: 3.14, untitledSingleSelectEnum: 'Monica',
    untitledMultipleSelectEnum: ['Guitar'], titledSingleSelectEnum: 'hero-1', titledMultipleSelectEnum: ['fish-1'], legacyTitledEnum: 'pet-1' };
  same(sorted(rawResult(elicit('{"name":"Ada","check":true,"integer":7}'))),
    sorted({ action: 'accept', content: { ...defaults, name: 'Ada', check: true, integer: 7 } }), `${name}: answers`);
  if (!elicit('accept-defaults', 5).includes('lacks the required member "name"')) throw new Error('defaults do not suffice here');
  if (!elicit('{"name":"Ada","integer":1000}', 5).includes('/integer must be at most 100')) throw new Error('1000 is too much');

  const sampled = mcptools('call', 'trigger-sampling-request', 'prompt=say', 'maxTokens=5', ...at, '--sampling-command', samplingCommand());
  same(JSON.parse(sampled.slice(sampled.indexOf('{'))).content, { type: 'text', text: SAMPLE_TEXT }, `${name}: sampling`);
  const params = JSON.parse(readFileSync(join(folder, 'params.json'), 'utf8'));
  same([params.maxTokens, params.messages[0].content.text], [5, 'Resource trigger-sampling-request context: say'], `${name}: what is sampled`);
  const text = mcptools('call', 'trigger-sampling-request', 'prompt=say', ...at, '--sampling-command', "sh -c 'cat > /dev/null; echo just text'");
  same(JSON.parse(text.slice(text.indexOf('{'))).content, { type: 'text', text: 'just text' }, `${name}: sampling with a text`);
  if (!run(BINARY, ['call', 'trigger-sampling-request', 'prompt=say', ...at, '--sampling-command', 'false'], { status: 5 }).includes('false failed'))
    throw new Error('a command that fails');

  const roots = mcptools('call', 'get-roots-list', ...at, '--root', folder, '--root', '/');
  if (!roots.includes('2 total') || !roots.includes(`URI: file://${folder}\n`) || !roots.includes('URI: file:///\n')) throw new Error(roots);
  same(rawResult(mcptools('call', 'trigger-url-elicitation', 'url=https://example.org/', ...at, '--elicit', 'decline')), { action: 'decline' }, `${name}: a page`);

  // Who cannot answer is not asked.
  const offered = (...options) => JSON.parse(mcptools('list', name.startsWith('stdio') ? 'stdio' : 'url', ...at, '-o', 'json', ...options)).tools.map((t) => t.name)
    .filter((n) => /^(trigger-(elicitation|url|sampling)|get-roots)/.test(n) && !n.endsWith('-async'));
  same(offered(), [], `${name}: tools that ask, for nobody`);
  same(offered('--elicit', 'decline', '--sampling-command', 'false', '--root', '/'),
    ['get-roots-list', 'trigger-elicitation-request', 'trigger-url-elicitation', 'trigger-sampling-request'], `${name}: tools that ask`);
}

const ADA = { action: 'accept', content: { name: 'Ada', age: 36 } };
function modernAsks(what, at) {
  const ask = (rounds, ...options) => JSON.parse(mcptools('call', ...at('ask'), `rounds:=${JSON.stringify(rounds)}`, ...options));
  const sampling = ['--sampling-command', samplingCommand()], ada = ['--elicit', '{"name":"Ada"}'];
  const sample = { model: 'script', role: 'assistant', stopReason: 'endTurn', content: { type: 'text', text: SAMPLE_TEXT } };
  const roots = { roots: [{ uri: 'file:///usr', name: 'usr' }] };
  const sorts = (answers) => sorted(answers);
  same(ask(['form'], '--elicit', 'decline'), [{ form: { action: 'decline' } }], `${what}: decline`);
  same(ask(['form'], ...ada), [{ form: ADA }], `${what}: answers`);
  same(ask(['url'], '--elicit', 'decline'), [{ url: { action: 'decline' } }], `${what}: a page`);
  same(sorts(ask(['form+sample+roots'], ...ada, ...sampling, '--root', '/usr')), sorts([{ form: ADA, sample, roots }]), `${what}: three at once`);
  same(sorts(ask(['form', 'sample', '', 'roots+form'], ...ada, ...sampling, '--root', '/usr')),
    sorts([{ form: ADA }, { sample }, null, { roots, form: ADA }]), `${what}: four rounds`);
  const failed = (status, words, ...options) => {
    const done = spawnSync(BINARY, ['call', ...at('ask'), 'rounds:=["sample","form"]', ...options], { cwd: folder, env, encoding: 'utf8', timeout: PATIENCE_MS });
    if (done.status !== status || !(done.stdout + done.stderr).includes(words)) throw new Error(`${what}: ${options}: ${done.status}\n${done.stdout}\n${done.stderr}`);
  };
  failed(5, 'false failed', ...ada, '--sampling-command', 'false');
  failed(5, 'sampling', ...ada);
}

// ---- a person ----

function atTerminal(steps, args, status = 0) {
  if (spawnSync('python3', ['--version']).status !== 0) {
    if (process.env.CI) throw new Error('python3 is missing: it makes the pseudo-terminal');
    throw new Skip('python3 is missing: it makes the pseudo-terminal');
  }
  return run('python3', [join(HERE, 'terminal.py'), JSON.stringify(steps), BINARY, ...args], { status });
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

  async urls_of_either_transport_through_the_gateway_over_stdio() {
    await everythingThrough(['http-found', 'sse-told'], overStdio);
  },
  async urls_of_either_transport_through_the_gateway_over_http() {
    await everythingThrough(['http-found', 'http-told', 'sse-found', 'sse-told'], overHttp);
  },
  async modern_urls_through_the_gateway_over_stdio() {
    await modernThrough(['modern-found', 'both-found', 'stdio-legacy'], overStdio);
  },
  async modern_urls_through_the_gateway_over_http() {
    await modernThrough(['modern-told', 'both-found', 'stdio-both'], overHttp);
  },
  async url_of_a_server_without_sessions_in_the_handshake_era() {
    const [at, wanted] = [['--config', await urlsConfig()], directModern()];
    same(JSON.parse(mcptools('status', 'both-legacy', ...at, '-o', 'json')).servers[0].protocolVersion, '2025-11-25', 'version');
    const listed = JSON.parse(mcptools('list', 'both-legacy', ...at, '-o', 'json')).tools;
    same(withoutAdded(listed).map((t) => t.name), withoutAdded(wanted.tools).map((t) => t.name), 'tools');
    same(JSON.parse(mcptools('call', 'both-legacy.measure', 'text=twelve chars', ...at, '-o', 'json')).structuredContent, wanted.structured.structuredContent, 'call');
    same(mcptools('read', 'both-legacy', 'modern://note', ...at), 'a fixed note', 'resource');
    same(mcptools('prompt', 'both-legacy.greet', 'name=Ada', ...at, '-o', 'raw').trim(), 'Greet Ada!', 'prompt');
  },

  async command_line_takes_urls() {
    const wanted = direct('sdk1.mjs');
    for (const name of ['http', 'sse']) {
      const url = await upstreamUrl(name);
      for (const words of [['list', url], ['list', 'url', '--url', url]])
        same(sorted(JSON.parse(mcptools(...words, '-o', 'json')).tools), sorted(wanted.tools), words.join(' '));
      for (const words of [[url, 'echo'], [`${url}.echo`], ['echo', '--url', url], ['--url', url, 'url.echo']])
        same(mcptools('call', ...words, 'message=hello ✓'), 'Echo: hello ✓\n', words.join(' '));
      same(JSON.parse(mcptools('call', url, 'get-sum', 'a=2', 'b=40', '-o', 'json')).content, wanted.sum.content, 'a call in JSON');
      for (const words of [[url, 'demo://resource/dynamic/text/1'], ['demo://resource/dynamic/text/1', '--url', url]])
        if (!mcptools('read', ...words).startsWith('Resource 1: This is a plaintext resource')) throw new Error(words.join(' '));
      for (const words of [[url, 'args-prompt'], [`${url}.args-prompt`], ['args-prompt', '--url', url]])
        same(mcptools('prompt', ...words, 'city=Wien', 'state=AT', '-o', 'raw').trim(), wanted.promptArgs[0].content.text, words.join(' '));
    }
    const [modern, both] = [await upstreamUrl('modern'), await upstreamUrl('both')];
    for (const url of [modern, both]) {
      same(JSON.parse(mcptools('call', `${url}.measure`, 'text=twelve chars')), directModern().structured.structuredContent, 'measure');
      same(mcptools('read', url, 'modern://square/12'), '144', 'template');
    }
  },
  async status_tells_protocol_and_transport_of_urls() {
    for (const [name, version, transport] of [['http', '2025-11-25', 'streamable-http'], ['sse', '2025-11-25', 'sse'],
      ['modern', '2026-07-28', 'streamable-http'], ['both', '2026-07-28', 'streamable-http']]) {
      const url = await upstreamUrl(name);
      for (const words of [[url], ['--url', url]]) {
        const [status, ...others] = JSON.parse(mcptools('status', ...words, '-o', 'json')).servers;
        same([status.state, status.protocolVersion, status.transport, others.length], ['connected', version, transport, 0], `status ${words.join(' ')}`);
      }
    }
  },
  async command_line_tells_what_a_url_is_not() {
    const url = await upstreamUrl('http');
    const said = (status, ...args) => {
      const done = spawnSync(BINARY, args, { cwd: folder, env, encoding: 'utf8', timeout: PATIENCE_MS });
      same(done.status, status, `${args.join(' ')}\n${done.stdout}${done.stderr}`);
      return done.stdout + done.stderr;
    };
    if (!/404/.test(said(4, 'list', url.replace('/mcp', '/nothing')))) throw new Error('the status is not told');
    if (!/connect/.test(said(4, 'call', 'http://127.0.0.1:1/mcp', 'echo'))) throw new Error('the reason is not told');
    said(5, 'call', url, 'no-such-tool');
    said(1, 'call', url);
    said(5, 'read', url, 'demo://resource/none');
  },

  async servers_ask_and_the_command_line_answers_stdio() { await everythingAsks('stdio'); },
  async servers_ask_and_the_command_line_answers_http() { await everythingAsks('http'); },
  async servers_ask_and_the_command_line_answers_sse() { await everythingAsks('sse'); },
  async input_required_is_answered_over_stdio_and_http() {
    for (const name of ['stdio-modern', 'modern']) {
      const at = await adHoc(name);
      modernAsks(name, (tool) => [tool, ...at]);
    }
    const config = await urlsConfig(); // the same tool asked the old way
    modernAsks('stdio-legacy', (tool) => [`stdio-legacy.${tool}`, '--config', config]);
  },

  async watch_tells_of_tools_added_at_a_url() {
    for (const name of ['modern', 'both']) {
      const [url, extra] = [await upstreamUrl(name), `extra_watched_${name}`];
      const through = `${(await urlsGateway()).url}/${name}-found`;
      const watching = [beside(BINARY, 'watch', url, '-o', 'json'), beside(BINARY, 'watch', through), beside(BINARY, 'watch', 'url', '--url', url)];
      // Nothing tells that watch has begun to listen: tools are added until each has told of one.
      const told = watching.map((w) => w.until(/list_changed/));
      let all = false;
      const done = Promise.all(told).then(() => { all = true; });
      for (let i = 0; !all && i < 100; i++) {
        mcptools('call', `${url}.add_tool`, `name=${extra}_${i}`);
        await Promise.race([done, new Promise((r) => setTimeout(r, 500))]);
      }
      await done;
      const [line] = watching[0].text().split('\n').map((l) => l && JSON.parse(l)).filter((l) => l.event === 'list_changed');
      same([line.server, Object.keys(line.params)], ['url', ['tools']], 'the line');
      for (const w of watching.slice(1)) if (!/^url list_changed \{"tools":\d+\}$/m.test(w.text())) throw new Error(w.text());
      const ends = await Promise.all(watching.map((w, i) => w.stop(['SIGINT', 'SIGTERM', 'SIGINT'][i])));
      same(ends.map((e) => e.signal), [null, null, null], 'it ended in order');
    }
  },
  async watch_tells_of_resources_that_change_at_a_url() {
    const uri = 'demo://resource/dynamic/text/1';
    // The server simulates changes per session, so another client speaks in the session of the one that watches.
    const toggle = { jsonrpc: '2.0', id: 'of another client', method: 'tools/call', params: { name: 'toggle-subscriber-updates', arguments: {} } };
    for (const [name, session, place] of [['http', /Session initialized with ID: (\S+)/, () => '/mcp'], ['sse', /Client Connected: +(\S+)/, (id) => `/message?sessionId=${id}`]]) {
      const upstream = await upstreams[name]();
      const before = upstream.it.text().length;
      const watch = beside(BINARY, 'watch', await upstreamUrl(name), '--subscribe', uri);
      await watch.until(/Received Subscribe Resource request/); // the server says so in a log message, which watch prints
      const id = session.exec(upstream.it.text().slice(before))[1];
      const answer = await fetch(upstream.at(place(id)), { method: 'POST', body: JSON.stringify(toggle),
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-session-id': id } });
      if (!answer.ok) throw new Error(`${name}: toggle: ${answer.status} ${await answer.text()}`);
      await answer.text();
      await watch.until(/^url resource_updated \{"uri":"demo:\/\/resource\/dynamic\/text\/1"\}$/m);
      same((await watch.stop()).signal, null, 'it ended in order');
    }
  },

  async a_person_answers_at_the_terminal() {
    const url = await upstreamUrl('http');
    const fields = [['full, legal', 'Ada Löve\n'], ['Agree', 'maybe\n'], ['a boolean', 'y\n'], ['first line', '\n'], ['email address', 'ada@example.org\n'],
      ['website', '\n'], ['birth', '\n'], ['favorite integer', '1000\n'], ['at most 100', '7\n'], ['Favorite number', '2.50\n'], ['friend', '2\n'],
      ['instruments', '1, Drums\n'], ['hero', 'hero-3\n'], ['fish', '2,3\n'], ['pet', '\n']];
    const screen = atTerminal([['answer?', 'y\n'], ...fields], ['call', url, 'trigger-elicitation-request', '-o', 'text']);
    const content = { name: 'Ada Löve', check: true, firstLine: 'It was a dark and stormy night.', email: 'ada@example.org', integer: 7, number: 2.5,
      untitledSingleSelectEnum: 'Rachel', untitledMultipleSelectEnum: ['Guitar', 'Drums'], titledSingleSelectEnum: 'hero-3',
      titledMultipleSelectEnum: ['fish-2', 'fish-3'], legacyTitledEnum: 'pet-1' };
    same(rawResult(screen), { action: 'accept', content }, screen);
    for (const [typed, action] of [['n\n', 'decline'], ['c\n', 'cancel'], ['\x04', 'cancel'], ['what\n', 'decline']])
      same(rawResult(atTerminal([['answer?', typed], ...typed === 'what\n' ? [['y, n or c', 'N\n']] : []], ['call', url, 'trigger-elicitation-request'])), { action }, typed);
    same(rawResult(atTerminal([['example.org', ''], ['?', '\n'], ['y, n or c', 'y\n']], ['call', url, 'trigger-url-elicitation', 'url=https://example.org/'])), { action: 'accept' }, 'a page');
    atTerminal([['answer?', 'y\n'], ['full, legal', '\x03']], ['call', url, 'trigger-elicitation-request'], 130);
  },
  async a_person_answers_input_required_at_the_terminal() {
    for (const name of ['stdio-modern', 'modern']) {
      const screen = atTerminal([['Who are you?', ''], ['answer?', 'y\n'], ['Name', 'Ada\n'], ['age', '-3\n'], ['at least 0', '36\n'], ['sign-in', ''], ['[c]ancel', 'y\n'],
        ['Who are you?', ''], ['answer?', 'n\n']], ['call', 'ask', 'rounds:=["form+url","form"]', ...await adHoc(name), '-o', 'raw']);
      same(lastRounds(screen), [{ form: ADA, url: { action: 'accept' } }, { form: { action: 'decline' } }], screen);
    }
  },
  async a_person_cannot_leave_out_what_is_required() {
    const screen = atTerminal([['answer?', 'y\n'], ['Name', '\n'], ['Name', 'Ada\n'], ['age', '\n']],
      ['call', 'ask', 'rounds:=["form"]', ...await adHoc('modern'), '-o', 'raw']);
    same(lastRounds(screen), [{ form: ADA }], screen);
  },

  async no_process_is_left() {
    await stopAll();
    const left = () => readdirSync('/proc').filter((p) => /^\d+$/.test(p)).map((p) => {
      try { // all of them have the folder as their home
        return readFileSync(`/proc/${p}/environ`, 'utf8').split('\0').includes(`HOME=${folder}`) && readFileSync(`/proc/${p}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch { return ''; }
    }).filter(Boolean);
    for (const end = Date.now() + 10000; Date.now() < end && left().length;) await new Promise((r) => setTimeout(r, 50));
    same(left(), [], 'processes');
  },
};

const chosen = Object.keys(tests).filter((name) => !WANTED.length || WANTED.includes(name));
console.log(`1..${chosen.length}`);
let failed = 0;
gateway = await startGateway(all);
for (const [i, name] of chosen.entries()) {
  try {
    await tests[name]();
    console.log(`ok ${i + 1} - ${name}`);
  } catch (e) {
    if (e instanceof Skip) {
      console.log(`ok ${i + 1} - ${name} # SKIP ${e.message}`);
      continue;
    }
    failed++;
    console.log(`not ok ${i + 1} - ${name}\n# ${String(e.stack ?? e).replaceAll('\n', '\n# ')}`);
  }
}
await stopAll();
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
