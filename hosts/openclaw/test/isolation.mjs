// What one plugin does to its process costs that plugin only.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connected, folder, host, plugin, registering, test, tool } from './support.mjs';

const LIMITS = { stallMs: 1500, loadMs: 6000, hookMs: 9000 };
const good = (id = 'good') => plugin(id, registering(tool(id, 'return "fine";')));
const error = async (client, name) => (await client.call(name, {})).structuredContent.error;
const fine = async (client, name = 'good') => assert.equal((await client.call(name, {})).content[0].text, 'fine');
const state = async (client, id) => (await client.plugins())[id].state;

// Each: a tool that does its worst, and what its call says.
const TOOLS = [
  ['loops', 'for (;;) ;', /^plugin bad is not there: it blocked its process for more than 1500 ms$/],
  [
    'blocks in a system call',
    'const { execSync } = await import("node:child_process"); execSync("sleep 1000");',
    /blocked its process for more than 1500 ms/,
  ],
  ['loops in a promise', 'for (;;) await null;', /blocked its process/],
  ['aborts', 'process.abort();', /its process was ended by SIGABRT/],
  ['kills itself', 'process.kill(process.pid, "SIGKILL");', /its process was ended by SIGKILL/],
  ['leaves by the back door', 'process.reallyExit(3);', /its process exited with status 3/],
  [
    'takes all memory for objects',
    'const all = []; for (;;) all.push(Array.from({ length: 1e5 }, (_, i) => ({ i })));',
    /not there: (its process was ended by SIGABRT|it used \d+ MiB|it blocked)/,
  ],
  [
    'takes all memory for buffers',
    'const all = []; for (;;) { all.push(Buffer.alloc(1 << 24, 1)); await new Promise(setImmediate); }',
    /it used \d+ MiB, more than limits.memoryMiB \(200\)/,
  ],
];
for (const [what, execute, said] of TOOLS)
  test(`a tool that ${what} costs its plugin only, which is started again`, async () => {
    const bad = plugin('bad', registering(tool('bad', execute), tool('well', 'return "fine";')));
    const client = await connected([bad, good()], { limits: { ...LIMITS, memoryMiB: 200 } });
    const lost = error(client, 'bad');
    await fine(client);
    assert.match(await lost, said);
    await fine(client);
    await client.told('plugin bad is there again');
    await fine(client, 'well');
  });

test('process.exit in a tool is an error of that call', async () => {
  const client = await connected(plugin('bad', registering(tool('bad', 'process.exit(0);'), tool('well', 'return "fine";'))));
  assert.match(await error(client, 'bad'), /a plugin cannot end the host/);
  await fine(client, 'well');
});

// Each: a plugin that does not come up, and its reason.
const LOADS = [
  ['loops when it is imported', 'for (;;) ;', /blocked its process for more than 3000 ms/],
  ['loops in register', registering('for (;;) ;'), /blocked its process for more than 3000 ms/],
  ['loops in a factory', registering('api.registerTool(() => { for (;;) ; });'), /blocked its process/],
  ['aborts in register', registering('process.abort();'), /its process was ended by SIGABRT/],
  ['exits in register', registering('process.exit(0);'), /a plugin cannot end the host/],
  ['leaves in register', registering('process.reallyExit(7);'), /its process exited with status 7/],
  ['never ends to register', 'export default () => new Promise(() => {});', /loading took longer than 6000 ms/],
];
for (const [what, source, reason] of LOADS)
  test(`a plugin that ${what} is left out alone`, async () => {
    const client = host([plugin('bad', source), good()], { limits: LIMITS });
    const { bad } = await client.plugins();
    assert.equal(bad.state, 'left out');
    assert.match(bad.reason, reason);
    await fine(client);
  });

test('a timer that loops is found without a call', async () => {
  const bad = plugin('bad', registering('setTimeout(() => { for (;;) ; }, 300);', tool('well', 'return "fine";')));
  const client = await connected([bad, good()], { limits: LIMITS });
  await client.told('plugin bad: it blocked its process for more than 1500 ms; it is started again');
  await fine(client);
  await client.told('plugin bad is there again');
});

test('what is thrown later ends nothing, and is told with the name of the plugin', async () => {
  const bad = plugin(
    'bad',
    registering(
      'setTimeout(() => { throw new Error("TIMER"); }); setTimeout(() => Promise.reject(new Error("PROMISE")));',
      tool('well', 'return "fine";'),
    ),
  );
  const client = await connected([bad, good()], { limits: LIMITS });
  await client.told('openclaw/bad: error: uncaught: TIMER');
  await client.told('openclaw/bad: error: uncaught: PROMISE');
  await fine(client, 'well');
});

const HANDLERS = 'api.on("before_tool_call", (event) => { if (event.params.loop) for (;;) ; });';

test('a handler that loops blocks its call; others go on when its plugin is there again', async () => {
  const client = await connected([plugin('guard', registering(HANDLERS)), good()], { limits: LIMITS });
  const { error: said } = (await client.call('good', { loop: true })).structuredContent;
  assert.equal(said, 'Tool call blocked because before_tool_call hook failed');
  await fine(client); // waits for it
});

for (const mode of ['block', 'pass'])
  test(`while a plugin is not there, its hooks ${mode} calls of the others`, async () => {
    const once = join(folder(), 'once');
    const guard = plugin(
      'guard',
      `import { existsSync, writeFileSync } from 'node:fs';
      ${registering(
        `if (existsSync(${JSON.stringify(once)})) throw new Error("not twice");`,
        `writeFileSync(${JSON.stringify(once)}, '');`,
        HANDLERS,
        tool('die', 'process.abort();'),
      )}`,
    );
    const client = host([guard, good()], { limits: LIMITS }, { args: ['--hooks-if-down', mode] });
    await client.shake();
    await fine(client);
    await client.call('die', {});
    await client.told('plugin guard could not be started again: not twice');
    assert.equal(await state(client, 'guard'), 'down');
    if (mode === 'pass') await fine(client);
    else assert.match(await error(client, 'good'), /blocked because before_tool_call hook failed/);
    assert.match(await error(client, 'die'), /not there|failed/);
  });

test('a result that a lost handler was to change is withheld', async () => {
  const guard = plugin('guard', registering('api.on("tool_result_persist", () => { for (;;) ; });'));
  const client = await connected([guard, good()], { limits: LIMITS });
  assert.match(await error(client, 'good'), /withheld because tool_result_persist hook failed; the tool has run/);
});

test('hooks keep their ids when their plugin is started again, and the client is told', async () => {
  const guard = plugin('guard', registering(HANDLERS, tool('die', 'process.abort();')));
  const client = await connected([guard, good()], { limits: LIMITS });
  const list = async () => (await client.result('openclaw/hooks/list')).hooks;
  const before = await list();
  await client.call('die', {});
  await client.told('plugin guard is there again');
  assert.deepEqual(await list(), before);
  const said = () => client.messages.filter((m) => m.method === 'notifications/openclaw/plugins');
  await client.until(() => (said().length >= 2 ? true : undefined));
  assert.deepEqual(
    said().map((m) => m.params['openclaw/plugins'][0].state),
    ['down', 'loaded'],
  );
});

test('what a plugin or its programs write to stdout is no part of the protocol', async () => {
  const bad = plugin(
    'bad',
    `import { writeSync } from 'node:fs'; import { spawnSync } from 'node:child_process';
    ${registering(
      tool('bad', 'writeSync(1, "RAW\\n"); spawnSync("echo", ["CHILD"], { stdio: "inherit" }); return "fine";'),
    )}`,
  );
  const client = await connected([bad, good()]);
  await fine(client, 'bad');
  await client.told('RAW');
  await client.told('CHILD');
  await fine(client);
});

const STARTS = `const { spawn } = await import("node:child_process");
  const child = (detached) => spawn("sleep", ["1000"], { detached, stdio: "ignore" });
  const all = [child(false), child(true)]; for (const one of all) one.unref();
  return { content: [], details: { ids: all.map((c) => c.pid) } };`;
const lives = (id) => existsSync(`/proc/${id}`) && !readFileSync(`/proc/${id}/stat`, 'latin1').includes(') Z ');
const gone = async (ids) => {
  while (ids.some(lives)) await new Promise((go) => setTimeout(go, 10));
};

test('processes that a plugin leaves behind end with it', async () => {
  const bad = plugin('bad', registering(tool('start', STARTS), tool('die', 'process.abort();')));
  const client = await connected([bad, good()]);
  const { ids } = (await client.call('start', {})).structuredContent;
  assert.ok(ids.every(lives));
  await client.call('die', {});
  await gone(ids);
  await client.told('plugin bad is there again');
  const { ids: more } = (await client.call('start', {})).structuredContent;
  await client.close();
  await gone(more);
});

test('a host that is killed takes its plugins along', async () => {
  const client = await connected(plugin('one', registering(tool('id', 'return { content: [], details: { id: process.pid } };'))));
  const { id } = (await client.call('id', {})).structuredContent;
  client.child.kill('SIGKILL');
  await client.ended;
  await gone([id]);
});

test('a bundle of esbuild finds its require', async () => {
  const shim = `var __require = ((x) => typeof require !== 'undefined' ? require : typeof Proxy !== 'undefined' ? new Proxy(x, {
      get: (a, b) => (typeof require !== 'undefined' ? require : a)[b] }) : x)(function (x) {
    if (typeof require !== 'undefined') return require.apply(this, arguments);
    throw Error('Dynamic require of "' + x + '" is not supported');
  });
  const process2 = __require('process'); const helper = __require('./helper.cjs');`;
  const bundle = plugin('bundle', shim + registering(tool('bundle', 'return String(process2.pid === process.pid && helper);')), {
    files: { 'helper.cjs': 'module.exports = true;' },
  });
  const client = await connected(bundle);
  assert.equal((await client.call('bundle', {})).content[0].text, 'true');
});

test('a folder that is not there is told; with nothing else there is no server', async () => {
  const client = host(['/nonexistent/plugin', good()]);
  assert.equal((await client.plugins()).plugin.reason, 'there is no folder /nonexistent/plugin');
  await fine(client);
  const none = await host('/nonexistent/plugin').ask('initialize', { protocolVersion: '2025-11-25' });
  assert.equal(none.error.message, 'no plugin could be loaded: plugin: there is no folder /nonexistent/plugin');
});
