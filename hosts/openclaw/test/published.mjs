// Plugins that ship in the published package "openclaw", beside npm packages they use but without OpenClaw.
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { folder, HERE, host, INTEROP, test } from './support.mjs';

const EXTENSIONS = join(HERE, 'node_modules', 'openclaw', 'extensions');
// Where nothing decides, what is not installed is not tried.
const trial =
  existsSync(EXTENSIONS) || process.env.CI
    ? test
    : (name) => test(`${name} # SKIP tools/setup test installs it`, () => {});
const ALLOW = { tools: { allow: ['group:plugins'] } };

// The plugin alone: in its package it would find an OpenClaw that lacks its own dependencies.
function published(id) {
  const dir = join(folder(), id),
    from = join(EXTENSIONS, id),
    own = join(from, 'node_modules');
  cpSync(from, dir, { recursive: true, filter: (path) => path !== own });
  mkdirSync(join(dir, 'node_modules'));
  for (const name of ['zod', 'ajv']) symlinkSync(join(INTEROP, name), join(dir, 'node_modules', name));
  if (existsSync(join(own, 'openai'))) symlinkSync(join(own, 'openai'), join(dir, 'node_modules', 'openai'));
  return dir;
}

// A program of that name in a folder for PATH.
function program(name, text) {
  const dir = folder(),
    path = join(dir, name);
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return { env: { PATH: `${dir}${delimiter}${process.env.PATH}` } };
}

const names = async (client) => (await client.tools()).map((t) => t.name);

trial('published: lobster runs its program', async () => {
  const client = host(
    published('lobster'),
    ALLOW,
    program(
      'lobster',
      'echo "{\\"ok\\":true,\\"status\\":\\"ok\\",\\"output\\":[\\"$4\\"],\\"requiresApproval\\":null}"',
    ),
  );
  await client.shake();
  const result = await client.call('lobster', { action: 'run', pipeline: 'gog.gmail.search | email.triage' });
  assert.deepEqual(result.structuredContent, {
    ok: true,
    status: 'ok',
    output: ['gog.gmail.search | email.triage'],
    requiresApproval: null,
  });
  assert.match((await client.call('lobster', { action: 'run' })).structuredContent.error, /pipeline required/);
});

trial('published: lobster is optional', async () => {
  const client = host(published('lobster'));
  await client.shake();
  assert.deepEqual(await names(client), []);
  await client.told('optional tools of lobster are off: lobster');
});

trial('published: zalouser runs its program; its channel does nothing', async () => {
  const client = host(published('zalouser'), null, program('zca', `echo '[{"userId":"1","displayName":"A"}]'`));
  const about = await client.plugins();
  assert.deepEqual(about.zalouser.ignored, ['registerChannel']);
  const [shown] = await client.tools();
  assert.equal(shown.title, 'Zalo Personal');
  assert.ok(shown.inputSchema.properties.action.enum.includes('friends'));
  assert.deepEqual((await client.call('zalouser', { action: 'friends' })).structuredContent, undefined);
  assert.match((await client.call('zalouser', { action: 'friends' })).content[0].text, /"displayName": "A"/);
});

trial('published: memory-lancedb offers its tools, with its configuration', async () => {
  const dir = published('memory-lancedb');
  const client = host(dir, {
    plugins: { entries: { 'memory-lancedb': { config: { embedding: { apiKey: 'k' }, dbPath: join(dir, 'db') } } } },
  });
  await client.shake();
  assert.deepEqual(await names(client), ['memory_recall', 'memory_store', 'memory_forget']);
  const about = await host(published('memory-lancedb')).plugins();
  assert.match(about['memory-lancedb'].reason, /config required/);
});

trial('published: llm-task is there and says what a call needs', async () => {
  const client = host(published('llm-task'), {
    ...ALLOW,
    plugins: { entries: { 'llm-task': { config: { defaultProvider: 'p', defaultModel: 'm' } } } },
  });
  await client.shake();
  assert.deepEqual(await names(client), ['llm-task']);
  assert.match(
    (await client.call('llm-task', { prompt: 'x' })).structuredContent.error,
    /needs "[^"]*pi-embedded-runner.js", a part of OpenClaw itself/,
  );
});

for (const [id, reason] of [
  ['memory-core', 'needs api.runtime.tools.createMemorySearchTool, which only OpenClaw has'],
  ['voice-call', 'needs the npm package "ws"'],
  ['feishu', 'needs the npm package "@larksuiteoapi/node-sdk"'],
])
  trial(`published: ${id} is left out with the reason`, async () => {
    const client = host([published(id), published('lobster')], ALLOW);
    const about = await client.plugins();
    assert.equal(about[id].state, 'left out');
    assert.ok(about[id].reason.includes(reason), about[id].reason);
    assert.deepEqual(await names(client), ['lobster']);
  });
