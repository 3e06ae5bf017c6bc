// What one plugin does costs that plugin only, in all ways in: the command line, the gateway over HTTP and over stdio,
// and a program with the library. What is not there is told.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { configured, environment, mcptools, openclaw, served } from './gateway.mjs';
import { HOST, interop, plugin, registering, test, tool } from './support.mjs';

const [BINARY, EXAMPLE] = process.argv.slice(2);
const { Client } = await import(pathToFileURL(interop.resolve('@modelcontextprotocol/sdk/client/index.js')));
const { StdioClientTransport } = await import(
  pathToFileURL(interop.resolve('@modelcontextprotocol/sdk/client/stdio.js'))
);

const LIMITS = { config: { limits: { stallMs: 1500 } } };
const GUARD = 'api.on("before_tool_call", (event) => { if (event.params.loop) for (;;) ; });';
// While there is a file "held" in its folder, it does not come back. It says in a file when its tool begins to loop.
const bad = () =>
  plugin(
    'bad',
    `import { existsSync, writeFileSync } from 'node:fs';
    if (existsSync(new URL('held', import.meta.url))) throw new Error('held');
    ${registering(GUARD, tool('bad', 'writeFileSync(new URL("looping", import.meta.url), ""); for (;;) ;'), tool('well', 'return "fine";'))}`,
  );
const good = (id = 'good', more = '') => plugin(id, registering(tool(id, 'return "fine";'), more));
const other = (dir) => ({ command: process.execPath, args: [HOST, '--plugin', dir] });
const two = (more, first = bad()) =>
  configured({ oc: openclaw([first, good()], { ...LIMITS, ...more }), other: other(good('theirs')) });
const pause = () => new Promise((go) => setTimeout(go, 50));

test('while(true) in a tool, on the command line: an error of that call', () => {
  const dir = two();
  const call = (name) => mcptools(dir, ['call', name]);
  const lost = call('oc.bad');
  assert.match(lost.stdout, /plugin bad is not there: it blocked its process for more than 1500 ms/);
  assert.equal(lost.status, 5);
  assert.equal(call('oc.good').stdout, 'fine\n');
  assert.equal(call('other.theirs').stdout, 'fine\n');
});

async function checkCalls(client, dir) {
  const call = (name, args = {}) => client.callTool({ name, arguments: args });
  const fine = async (name) => assert.equal((await call(name)).content[0].text, 'fine');
  const lost = call('oc__bad');
  while (!existsSync(join(dir, 'looping'))) await pause(); // a handler that had begun would be lost
  await fine('oc__good'); // its handlers are asked again when their process is back
  assert.match((await lost).content[0].text, /plugin bad is not there: it blocked its process/);
  for (const name of ['oc__good', 'other__theirs', 'oc__well']) await fine(name);
  const guarded = await call('other__theirs', { loop: true });
  assert.equal(guarded.content[0].text, 'Tool call blocked because before_tool_call hook failed');
  return fine;
}

test('while(true) in a tool or handler, over HTTP; /readyz says so, and is ready again', async () => {
  const dir = bad();
  await served(two({}, dir), async (client, url) => {
    const readyz = async () => {
      const answer = await fetch(new URL('/readyz', url));
      const { ready, servers } = await answer.json();
      return [answer.status, ready, servers[0]._meta['openclaw/plugins'][0].state];
    };
    assert.deepEqual(await readyz(), [200, true, 'loaded']);
    const fine = await checkCalls(client, dir);
    writeFileSync(join(dir, 'held'), '');
    await client.callTool({ name: 'oc__bad', arguments: {} });
    assert.deepEqual(await readyz(), [503, false, 'down']);
    assert.match((await client.callTool({ name: 'other__theirs', arguments: {} })).content[0].text, /hook failed/);
    rmSync(join(dir, 'held'));
    let now;
    while ((now = await readyz())[0] !== 200) await pause();
    assert.deepEqual(now, [200, true, 'loaded']);
    await fine('other__theirs');
  });
});

test('"hooks_if_down": "pass": calls of others are not blocked, and the gateway is ready', async () => {
  const dir = bad();
  await served(two({ hooks_if_down: 'pass' }, dir), async (client, url) => {
    const fine = await checkCalls(client, dir);
    writeFileSync(join(dir, 'held'), '');
    await client.callTool({ name: 'oc__bad', arguments: {} });
    assert.equal((await fetch(new URL('/readyz', url))).status, 200);
    await fine('other__theirs');
  });
});

test('while(true) in a tool or handler, over stdio', async () => {
  const first = bad();
  const dir = two({}, first);
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StdioClientTransport({
      command: BINARY,
      args: ['serve', '--stdio', '--config', `${dir}/mcptools.json`],
      env: environment(dir),
      stderr: 'ignore',
    }),
  );
  try {
    await checkCalls(client, first);
  } finally {
    await client.close();
  }
});

test('while(true) in a tool, in a program with the library', () => {
  const dir = two();
  const call = (name) =>
    spawnSync(EXAMPLE, [`${dir}/mcptools.json`, name, '{}'], { env: environment(dir), encoding: 'utf8' });
  const lost = call('oc__bad');
  assert.match(lost.stdout + lost.stderr, /plugin bad is not there: it blocked its process/);
  assert.match(call('oc__good').stdout, /fine/);
});

test('a server of 2026-07-28 that answers nothing is replaced when it is pinged', async () => {
  const dir = configured({
    oc: openclaw([good()], { ping: 1 }),
    stuck: { ...other(plugin('stuck', registering(tool('pid', 'return String(process.ppid);')))), ping: 1 },
  });
  await served(dir, async (client) => {
    const pid = async () => Number((await client.callTool({ name: 'stuck__pid', arguments: {} })).content[0].text);
    const first = await pid();
    process.kill(first, 'SIGSTOP');
    let again = first;
    while (!again || again === first) {
      await pause();
      again = await pid().catch(() => first);
    }
    assert.equal((await client.callTool({ name: 'oc__good', arguments: {} })).content[0].text, 'fine');
  });
});

test('what is left out, off or ignored is told where people look', async () => {
  const optional = 'api.registerTool({ name: "maybe", execute() {} }, { optional: true }); api.registerChannel({});';
  const strict = plugin('strict', registering(tool('strict', 'return "fine";')), {
    manifest: { id: 'strict', configSchema: { type: 'object', properties: { unit: { enum: ['C', 'F'] } } } },
  });
  const config = { plugins: { entries: { strict: { config: { unit: 'K' } } } } };
  const dir = configured({ oc: openclaw([good('good', optional), strict, '/nonexistent/gone'], { config }) });
  const GONE = "plugin 'gone' is left out: there is no folder /nonexistent/gone";
  const STRICT = `plugin 'strict' is left out: config.plugins.entries.strict.config/unit: must be one of ["C","F"]`;
  const OFF = "plugin 'good' has optional tools that are off: maybe; to turn them on, put their names or good into";
  for (const args of [['list'], ['list', 'oc'], ['tools'], ['tools', '--for', 'openai'], ['status']]) {
    const { status, stdout, stderr } = mcptools(dir, args);
    assert.equal(status, 8, `${args}: ${stderr}`);
    for (const text of [GONE, STRICT, OFF]) assert.ok((stdout + stderr).includes(text), `${args}: ${stdout}${stderr}`);
  }
  assert.ok(mcptools(dir, ['status']).stdout.includes("note:     plugin 'good' uses functions that have no effect here: registerChannel"));
  for (const args of [['list'], ['tools']]) {
    const { status, stdout } = mcptools(dir, [...args, '-o', 'json']);
    const told = JSON.parse(stdout).errors.map((e) => [e.server, e.kind, e.message]);
    assert.deepEqual([status, told], [8, [['oc', 'partial', STRICT], ['oc', 'partial', GONE]]]);
  }
  const [server] = JSON.parse(mcptools(dir, ['status', '-o', 'json']).stdout).servers;
  assert.deepEqual(
    server._meta['openclaw/plugins'].map((p) => [p.id, p.state, p.off, p.ignored]),
    [
      ['good', 'loaded', ['maybe'], ['registerChannel']],
      ['strict', 'left out', undefined, undefined],
      ['gone', 'left out', undefined, undefined],
    ],
  );
  const check = mcptools(dir, ['config', 'check']);
  assert.equal(check.status, 2);
  assert.match(check.stdout, /mcpServers\.oc\.config\.plugins\.entries\.strict\.config\/unit: must be one of/);
  assert.match(check.stdout, /mcpServers\.oc\.plugins\[2\]: \/nonexistent\/gone\/openclaw\.plugin\.json: No such file/);
});

test('a folder that is not there, and nothing else: the server has an error', () => {
  const dir = configured({ oc: openclaw(['gone']) });
  const [server] = JSON.parse(mcptools(dir, ['status', '-o', 'json']).stdout).servers;
  assert.equal(server.state, 'error');
  assert.match(server.error.message, /no plugin could be loaded: gone: there is no folder/);
});

test('300 hooked calls at once all run', async () => {
  const slow = plugin('slow', registering('api.on("before_tool_call", () => new Promise((go) => setTimeout(go, 50)));'));
  const dir = configured({ oc: openclaw([slow]), other: other(good('theirs')) });
  await served(dir, async (client) => {
    const calls = Array.from({ length: 300 }, () => client.callTool({ name: 'other__theirs', arguments: {} }));
    const texts = (await Promise.all(calls)).map((r) => r.content[0].text);
    assert.equal(texts.filter((t) => t === 'fine').length, 300, [...new Set(texts)].join());
  });
});
