// One agent run over everything that can be in the array: a tool in C, a C plugin's, an OpenClaw plugin's, and those of two
// MCP servers; with progress, a cancellation, a refusal by policy and a change by a hook. First by a program of libmcptools
// (tests/api/agent_run.c) in its own loop; then the same by a client of the TypeScript SDK, of what that program serves and of
// `mcptools serve --http`. TAP on stdout.
// usage: node agent.mjs MCPTOOLS AGENT_RUN PLUGIN
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { background, PATIENT, stopAll } from './background.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const NODE = process.execPath;
const [MCPTOOLS, AGENT_RUN, PLUGIN] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'mcptools-agent-'));
const env = { PATH: `${dirname(NODE)}${delimiter}${process.env.PATH}`, HOME: folder, LANG: 'C.UTF-8' };
const module = (name) => join(HERE, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');
const weather = join(HERE, '../../hosts/openclaw/test/plugins/weather');

const mcpServers = {
  every: { command: NODE, args: [module('server-everything'), 'stdio'] },
  files: { command: NODE, args: [module('server-filesystem'), folder] },
  claw: { type: 'openclaw', plugins: [weather], workingDir: folder, config: { tools: { allow: ['weather_make'] } } },
  mine: { type: 'plugin', path: PLUGIN },
};
const policy = { deny: ['files__write_file'] };
function write(name, more) {
  writeFileSync(join(folder, name), JSON.stringify({ mcpServers, mcptools: { ...PATIENT, policy, ...more } }));
  return join(folder, name);
}
const LONG = 'every__trigger-long-running-operation';

let failed = 0, number = 0;
function check(what, good, remark) {
  failed += good ? 0 : 1;
  console.log(`${good ? 'ok' : 'not ok'} ${++number} - ${what}`);
  if (!good) console.log(`# ${JSON.stringify(remark)}`);
}

// ---- the program ----

const script = join(folder, 'script');
writeFileSync(script, [
  'count_down {}',
  'mine__wait {"seconds":1.5}',
  'claw__weather_now {"place":"here"}',
  'every__echo {"message":"hello"}',
  `!${LONG} {"duration":600,"steps":600}`,
  'files__list_allowed_directories {}',
  'claw__weather_make {"to":"sun"}',
  'files__write_file {"path":"x","content":"y"}',
].join('\n') + '\n');

const program = spawn(AGENT_RUN, [write('run.json'), script], { cwd: folder, env, stdio: ['pipe', 'pipe', 'inherit'] });
program.stdout.setEncoding('utf8');
let out = '';
const served = new Promise((resolve, reject) => {
  program.on('close', (status) => reject(new Error(`agent_run ended with ${status}:\n${out}`)));
  program.stdout.on('data', (text) => {
    out += text;
    const url = /^http:\S+/m.exec(out);
    if (url) resolve(url[0]);
  });
});
const url = await served;
const [tools, ...lines] = out.trim().split('\n').slice(0, -1).map((line) => JSON.parse(line));
const told = Object.fromEntries(lines.map((line) => [line.tool, line]));

check('one array', ['count_down', 'mine__wait', 'claw__weather_now', 'every__echo', 'files__read_file'].every((t) => tools.includes(t)), tools);
check('what is denied or the owner\'s alone is not in it', !tools.includes('files__write_file') && !tools.includes('claw__weather_make'), tools);
check('a tool in C, with progress', told.count_down?.text === 'counted in C' && told.count_down.progress === 3, told.count_down);
check('a tool of a C plugin, with progress', told.mine__wait?.text === 'the time is over' && told.mine__wait.progress === 2, told.mine__wait);
check('a tool of an OpenClaw plugin, with progress; its own hook moved the place', /Bern/.test(told.claw__weather_now?.text ?? '') &&
  told.claw__weather_now.message === 'looking out at Bern', told.claw__weather_now);
check('a server\'s tool, changed by a hook', told.every__echo?.text === 'Echo: changed by a hook', told.every__echo);
check('another server\'s tool', told.files__list_allowed_directories?.text.includes(folder), told.files__list_allowed_directories);
check('one cancelled', told[LONG]?.error === 'cancelled' && told[LONG].progress === 1, told[LONG]);
check('one refused', told.claw__weather_make?.isError && told.claw__weather_make.text === 'Tool restricted to owner senders.', told.claw__weather_make);
check('one that is not there for it', told.files__write_file?.error === 'unknown tool: files__write_file', told.files__write_file);

// ---- clients of the SDK ----

async function use(where, address, { own, changed, owner }) {
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(address)));
  const call = async (name, args, options) => {
    const progress = [];
    const result = await client.callTool({ name, arguments: args }, undefined, { onprogress: (p) => progress.push(p), ...options });
    return { text: result.content[0].text, isError: result.isError === true, progress };
  };
  const names = (await client.listTools()).tools.map((t) => t.name);
  check(`${where}: the same array`, names.includes('mine__wait') && names.includes('count_down') === own && !names.includes('files__write_file'), names);
  if (own) {
    const counted = await call('count_down', {});
    check(`${where}: the tool in C`, counted.text === 'counted in C' && counted.progress.length === 3, counted);
  }
  const [waited, said, echoed, listed] = await Promise.all([
    call('mine__wait', { seconds: 1.5 }), call('claw__weather_now', { place: 'here' }), call('every__echo', { message: 'hello' }),
    call('files__list_allowed_directories', {}),
  ]);
  check(`${where}: the C plugin's`, waited.text === 'the time is over' && waited.progress[0]?.message === 'waiting', waited);
  check(`${where}: the OpenClaw plugin's`, /Bern/.test(said.text) && said.progress[0]?.message === 'looking out at Bern', said);
  check(`${where}: a server's, changed by a hook`, echoed.text === `Echo: ${changed}`, echoed);
  check(`${where}: another server's`, listed.text.includes(folder), listed);
  const stop = new AbortController();
  const given = await call(LONG, { duration: 600, steps: 600 }, { signal: stop.signal, onprogress: () => stop.abort('enough') }).catch((e) => e);
  check(`${where}: one cancelled`, given instanceof Error || given === 'enough', given);
  const made = await call('claw__weather_make', { to: 'sun' });
  check(`${where}: the owner's alone`, owner ? !made.isError : made.isError && made.text === 'Tool restricted to owner senders.', made);
  const refused = await call('files__write_file', { path: 'x', content: 'y' }).catch((e) => e);
  check(`${where}: what is denied`, refused instanceof Error && /unknown tool/i.test(refused.message), refused);
  await client.close();
}

await use('libmcptools', url, { own: true, changed: 'changed by a hook', owner: false });
program.removeAllListeners('close');
const ended = new Promise((resolve) => program.on('close', (status, signal) => resolve({ status, signal })));
program.stdin.end();
const end = await ended;
check('the program ends by itself', end.status === 0, end);

const hook = { on: 'before', tools: ['every__echo'], command: NODE,
  args: ['-e', 'console.log(JSON.stringify({ params: { message: "changed by a command" } }))'] };
const gateway = background(MCPTOOLS, ['serve', '--http', '127.0.0.1:0', '--config', write('serve.json', { hooks: [hook] })], { cwd: folder, env });
const [, endpoint] = await gateway.until(/serves (http:\S+)/);
await use('mcptools serve', endpoint, { own: false, changed: 'changed by a command', owner: true });
await gateway.stop();

await stopAll();
rmSync(folder, { recursive: true, force: true });
console.log(`1..${number}`);
process.exit(failed ? 1 : 0);
