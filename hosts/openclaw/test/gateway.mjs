// The host behind mcptools: a server entry of the type "openclaw".
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { folder, HERE, HOST, interop, plugin, registering, test, tool } from './support.mjs';

const [BINARY] = process.argv.slice(2);
const PATIENCE_MS = 120000;
const WEATHER = join(HERE, 'plugins', 'weather');
const { Client } = await import(pathToFileURL(interop.resolve('@modelcontextprotocol/sdk/client/index.js')));
const { StreamableHTTPClientTransport } = await import(
  pathToFileURL(interop.resolve('@modelcontextprotocol/sdk/client/streamableHttp.js'))
);

export const environment = (dir, more) => ({
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  HOME: dir,
  ...more,
});

export function configured(servers) {
  const dir = folder();
  const waits = { limits: { list_wait_s: 60 } }; // on a busy machine, hosts start slowly
  writeFileSync(join(dir, 'mcptools.json'), JSON.stringify({ mcpServers: servers, mcptools: waits }));
  return dir;
}

export function mcptools(dir, args, more) {
  return spawnSync(BINARY, ['--config', join(dir, 'mcptools.json'), ...args], {
    cwd: HERE,
    env: environment(dir, more),
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });
}

export const openclaw = (plugins, more) => ({ type: 'openclaw', plugins, ...more });

test('mcptools call: folders count from the configuration file, variables expand', () => {
  const dir = configured({
    oc: openclaw(['plugins/show', WEATHER], {
      workingDir: 'work',
      config: {
        context: { agentId: '${AGENT:-a1}' },
        plugins: { entries: { show: { config: { key: ['${SHOWN}'] } } } },
      },
    }),
  });
  mkdirSync(join(dir, 'plugins', 'show'), { recursive: true });
  mkdirSync(join(dir, 'work'));
  writeFileSync(join(dir, 'plugins', 'show', 'openclaw.plugin.json'), '{"id":"show"}');
  writeFileSync(
    join(dir, 'plugins', 'show', 'index.mjs'),
    registering(tool('show', 'return { content: [], details: { key: api.pluginConfig.key, cwd: process.cwd() } };')),
  );
  const call = (name, ...args) => {
    const done = mcptools(dir, ['call', `oc.${name}`, ...args, '-o', 'json'], { SHOWN: 'quo"ted\\' });
    return done.stdout ? JSON.parse(done.stdout) : done;
  };
  assert.deepEqual(call('show').structuredContent, { key: ['quo"ted\\'], cwd: join(dir, 'work') });
  assert.deepEqual(call('weather_here').structuredContent, {
    place: join(dir, 'work'),
    temperature: 21,
    unit: 'C',
    agent: 'a1',
  });
  assert.equal(call('weather_now', 'place=here').structuredContent.place, 'Bern');
  assert.equal(call('weather_now', 'place=Atlantis').structuredContent.error, 'Atlantis has sunk.');
});

test('without Node, without the host, without a variable: an error that says so, and the others go on', () => {
  const other = { command: process.execPath, args: [HOST, '--plugin', WEATHER] };
  const dir = configured({ oc: openclaw([WEATHER], { config: { a: { b: ['${UNSET_VARIABLE}'] } } }), other });
  const status = (more) => JSON.parse(mcptools(dir, ['status', '-o', 'json'], more).stdout).servers;
  const reason = (servers) => JSON.stringify(servers.find((s) => s.name === 'oc'));
  for (const [more, text] of [
    [{ PATH: '/nonexistent' }, "OpenClaw plugins need Node, and there is no 'node' in PATH"],
    [{ MCPTOOLS_OPENCLAW_HOST: '/nonexistent' }, 'the program that runs OpenClaw plugins (host.mjs) is missing: /nonexistent'],
    [{}, 'config: a: b: [0]: the environment variable UNSET_VARIABLE is not set'],
  ]) {
    const servers = status(more);
    assert.ok(reason(servers).includes(text), reason(servers));
    assert.equal(servers.find((s) => s.name === 'other').state, 'connected');
  }
});

test('the host has the version of the program', () => {
  const dir = configured({ oc: openclaw([WEATHER]) });
  const version = mcptools(dir, ['--version']).stdout.trim().split(' ').at(-1);
  assert.ok(mcptools(dir, ['status']).stdout.includes(`mcptools-openclaw ${version}\n`));
});

export async function served(dir, body) {
  const gateway = spawn(BINARY, ['serve', '--http', '127.0.0.1:0', '--config', join(dir, 'mcptools.json')], {
    cwd: dir,
    env: environment(dir),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const client = new Client({ name: 'test', version: '1' });
  try {
    const url = await new Promise((resolve, reject) => {
      let text = '';
      const look = (d) => {
        text += d;
        const found = /serves (http:\S+)/.exec(text);
        if (found) resolve(found[1]);
      };
      for (const stream of [gateway.stdout, gateway.stderr]) stream.setEncoding('utf8').on('data', look);
      gateway.on('exit', () => reject(new Error(text)));
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    await body(client, url);
  } finally {
    await client.close();
    gateway.kill();
    await new Promise((resolve) => {
      gateway.on('close', resolve);
    });
  }
}

test('serve --http: title, progress, owner, error and cancellation reach a client of the TypeScript SDK', async () => {
  const slow = plugin(
    'slow',
    registering(
      'let seen; const aborted = new Promise((r) => { seen = r; });',
      tool(
        'wait',
        'onUpdate({ content: [{ type: "text", text: "begun" }] }); signal.addEventListener("abort", seen); await aborted;',
      ),
      tool('aborted', 'await aborted; return "it was";'),
    ),
  );
  const dir = configured({ oc: openclaw([WEATHER, slow], { config: { tools: { allow: ['weather'] } } }) });
  await served(dir, async (client) => {
    const { tools } = await client.listTools();
    const of = (name) => tools.find((t) => t.name === name);
    assert.equal(of('weather_now').title, 'Weather now');
    assert.deepEqual(of('weather_make')._meta, { 'openclaw/plugin': 'weather', 'openclaw/ownerOnly': true });
    const seen = [];
    const result = await client.callTool({ name: 'weather_now', arguments: { place: 'Rome' } }, undefined, {
      onprogress: (p) => seen.push(p),
    });
    assert.equal(result.structuredContent.temperature, 21);
    assert.deepEqual(seen, [{ progress: 1, message: 'looking out at Rome' }]);
    const refused = await client.callTool({ name: 'weather_now', arguments: { place: 'Atlantis' } });
    assert.equal(refused.isError, true);
    const stop = new AbortController();
    await assert.rejects(
      client.callTool({ name: 'wait', arguments: {} }, undefined, {
        signal: stop.signal,
        onprogress: () => stop.abort(),
      }),
    );
    assert.equal((await client.callTool({ name: 'aborted', arguments: {} })).content[0].text, 'it was');
  });
});

const GUARD = registering(
  tool('own', 'return { content: [], details: { ran: globalThis.ran } };'),
  `api.on("before_tool_call", (event) => {
    globalThis.ran = (globalThis.ran ?? 0) + 1;
    if (event.params.place === "Rome") return { block: true, blockReason: event.toolName + " is not for Rome" };
    if (event.params.place === "Bern") return { params: { place: "Oslo" } };
    if (event.params.place === "Paris") throw new Error("no idea");
    if (event.params.place === "Kyiv") return { requireApproval: { title: "Kyiv?", onResolution: (d) => { globalThis.heard = d; } } };
  });
  api.on("tool_result_persist", (event) => event.toolName.endsWith("weather_now")
    ? { message: { ...event.message, details: { ...event.message.details, heard: globalThis.heard ?? null } } } : undefined);`,
);
// The same tools by another server, which is a stranger to that plugin.
const stranger = () => ({ command: process.execPath, args: [HOST, '--plugin', WEATHER] });

test('hooks of plugins apply to tools of other servers, once, and to their own as ever', async () => {
  const dir = configured({ oc: openclaw([plugin('guard', GUARD)]), other: stranger() });
  const call = (name, place, ...more) => {
    const done = mcptools(dir, ['call', name, `place=${place}`, '-o', 'json', ...more]);
    return [done.status, done.stdout ? JSON.parse(done.stdout) : done.stderr];
  };
  const [status, blocked] = call('other.weather_now', 'Rome');
  assert.deepEqual([status, blocked.isError, blocked.content[0].text], [7, true, 'other__weather_now is not for Rome']);
  assert.equal(call('other.weather_now', 'Bern')[1].structuredContent.place, 'Oslo');
  const [failed, { content }] = call('other.weather_now', 'Paris');
  assert.deepEqual([failed, content[0].text], [7, 'Tool call blocked because before_tool_call hook failed']);
  assert.equal(call('other.weather_now', 'Kyiv')[0], 7);
  const approved = call('other.weather_now', 'Kyiv', '--elicit', '{"decision":"allow-once"}');
  assert.deepEqual([approved[0], approved[1].structuredContent.heard], [0, 'allow-once']);
  assert.equal(call('oc.own', 'here')[1].structuredContent.ran, 1);
  await served(dir, async (client) => {
    const result = await client.callTool({ name: 'other__weather_now', arguments: { place: 'Rome' } });
    assert.deepEqual([result.isError, result.content[0].text], [true, 'other__weather_now is not for Rome']);
    const own = await client.callTool({ name: 'oc__own', arguments: {} });
    assert.equal(own.structuredContent.ran, 2);
  });
});
