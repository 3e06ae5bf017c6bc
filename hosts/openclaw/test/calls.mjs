// Calls: results, errors, progress, cancellation, limits, and plugins that misbehave.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { connected, folder, host, plugin, registering, test, tool } from './support.mjs';

const one = (execute, more) => plugin('one', registering(tool('t', execute, more)));
const errorText = (tool, error) => JSON.stringify({ status: 'error', tool, error }, null, 2);

const RESULTS = [
  [
    'content and details',
    'return { content: [{ type: "text", text: "a" }], details: { n: 1 } };',
    { content: [{ type: 'text', text: 'a' }], structuredContent: { n: 1 } },
  ],
  [
    'an image',
    'return { content: [{ type: "image", data: "AA==", mimeType: "image/png" }] };',
    { content: [{ type: 'image', data: 'AA==', mimeType: 'image/png' }] },
  ],
  ['details that are no object', 'return { content: [], details: [1] };', { content: [] }],
  [
    'an error told in details',
    'return { content: [], details: { status: "error" } };',
    { content: [], structuredContent: { status: 'error' }, isError: true },
  ],
  ['nothing', '', { content: [] }],
  ['a text', 'return "x";', { content: [{ type: 'text', text: 'x' }] }],
  ['any value', 'return { a: 1 };', { content: [{ type: 'text', text: '{\n  "a": 1\n}' }] }],
  [
    'details alone',
    'return { details: { a: 1 } };',
    { content: [{ type: 'text', text: '{\n  "a": 1\n}' }], structuredContent: { a: 1 } },
  ],
  [
    'a block that is none',
    'return { content: [{ type: "text" }, null] };',
    {
      content: [
        { type: 'text', text: '{\n  "type": "text"\n}' },
        { type: 'text', text: 'null' },
      ],
    },
  ],
  [
    'a thrown error',
    'throw new Error("no");',
    {
      content: [{ type: 'text', text: errorText('t', 'no') }],
      structuredContent: { status: 'error', tool: 't', error: 'no' },
      isError: true,
    },
  ],
  [
    'something else thrown',
    'throw "no";',
    {
      content: [{ type: 'text', text: errorText('t', 'no') }],
      structuredContent: { status: 'error', tool: 't', error: 'no' },
      isError: true,
    },
  ],
];
for (const [what, execute, expected] of RESULTS)
  test(`a tool gives ${what}`, async () => {
    assert.deepEqual(await (await connected(one(execute))).call('t', {}), expected);
  });

test('schemas that are none, and what is not plain JSON', async () => {
  const client = await connected(
    plugin(
      's',
      registering(
        ...[
          '7',
          'undefined',
          '[]',
          '{ type: "string" }',
          '{ anyOf: [] }',
          '{ type: "object", x: () => 1, y: Symbol.iterator, a: 2 }',
        ].map((p, i) => `api.registerTool({ name: "t${i}", parameters: ${p}, execute() {} });`),
      ),
    ),
  );
  assert.deepEqual(
    (await client.tools()).map((t) => t.inputSchema),
    [
      { type: 'object' },
      { type: 'object' },
      { type: 'object' },
      { type: 'object' },
      { anyOf: [], type: 'object' },
      { type: 'object', a: 2 },
    ],
  );
});

test('execute gets an id, the arguments, a signal and onUpdate; prepareArguments comes first', async () => {
  const client = await connected(
    one(
      'return { details: { id: typeof id, params, signal: signal instanceof AbortSignal, onUpdate: typeof onUpdate } };',
      'prepareArguments: (a) => ({ ...a, prepared: true }),',
    ),
  );
  assert.deepEqual((await client.call('t', { a: 1 })).structuredContent, {
    id: 'string',
    params: { a: 1, prepared: true },
    signal: true,
    onUpdate: 'function',
  });
});

test('updates are progress that increases, and only where it is asked for', async () => {
  const client = await connected(
    one(
      'for (const x of ["a", "b"]) onUpdate({ content: [{ type: "text", text: x }], details: {} }); globalThis.late = onUpdate; return "end";',
    ),
  );
  await client.call('t', {});
  await client.call('t', {}, { progressToken: 7 });
  assert.deepEqual(
    client.messages.filter((m) => m.method === 'notifications/progress').map((m) => m.params),
    [
      { progressToken: 7, progress: 1, message: 'a' },
      { progressToken: 7, progress: 2, message: 'b' },
    ],
  );
});

const SLOW = `onUpdate({ content: [{ type: 'text', text: 'begun' }] });
  await new Promise((resolve) => signal.addEventListener('abort', resolve)); console.error('ABORTED'); signal.throwIfAborted();`;

test('a cancelled call is aborted and not answered', async () => {
  const client = await connected(one(SLOW));
  const id = client.begin('tools/call', { name: 't', arguments: {}, _meta: { progressToken: 'p' } });
  await client.until(() => client.messages.find((m) => m.method === 'notifications/progress'));
  client.send({ method: 'notifications/cancelled', params: { requestId: id } });
  await client.told('ABORTED');
  await client.result('ping');
  assert.equal(
    client.messages.find((m) => m.id === id),
    undefined,
  );
});

test('a client that leaves aborts its calls and ends the host', async () => {
  const client = await connected(one(SLOW));
  client.begin('tools/call', { name: 't', arguments: {}, _meta: { progressToken: 'p' } });
  await client.until(() => client.messages.find((m) => m.method === 'notifications/progress'));
  assert.equal(await client.close(), 0);
  assert.ok(client.stderr.includes('ABORTED'));
});

test('calls run beside each other', async () => {
  const client = await connected(
    one(
      'globalThis.all ??= []; const done = new Promise((r) => all.push(r)); if (params.last) all.forEach((r) => r()); await done; return params.n;',
    ),
  );
  const first = client.begin('tools/call', { name: 't', arguments: { n: '1' } });
  assert.equal((await client.call('t', { n: '2', last: true })).content[0].text, '2');
  assert.equal((await client.answer(first)).result.content[0].text, '1');
});

test('unknown tools, wrong arguments, wrong requests', async () => {
  const client = await connected(one('return "x";'), { limits: { argumentBytes: 100 } });
  const code = async (method, params) => (await client.ask(method, params)).error.code;
  assert.equal(await code('tools/call', { name: 'none' }), -32602);
  assert.equal(await code('tools/call', { name: 't', arguments: [] }), -32602);
  assert.equal(await code('tools/call', { name: 't', arguments: { a: 'x'.repeat(101) } }), -32602);
  assert.equal(await code('tools/list', { cursor: 'x' }), -32602);
  assert.equal(await code('resources/list'), -32601);
  assert.equal(await code('constructor'), -32601);
  assert.equal(await code('ping', []), -32602);
});

test('a request before the handshake, one twice, a line that is none', async () => {
  const client = host(one(SLOW), { limits: { messageBytes: 2000 } });
  assert.equal((await client.ask('tools/list')).error.code, -32600);
  await client.shake();
  for (const line of ['{"jsonrpc', '[]', '7', '{"jsonrpc":"2.0","id":{},"method":"ping"}', 'x'.repeat(3000)])
    client.write(`${line}\n`);
  await client.until(() =>
    client.messages.filter((m) => m.error && m.id === undefined).length === 5 ? true : undefined,
  );
  const id = client.begin('tools/call', { name: 't' });
  client.send({ id, method: 'ping' });
  assert.equal((await client.answer(id)).error.code, -32600);
});

test('a result that is too large, or no JSON, is an error', async () => {
  const client = await connected(
    plugin(
      'big',
      registering(
        tool('big', 'return "x".repeat(5000);'),
        tool('knot', 'const a = {}; a.a = a; return { content: [], details: a };'),
        tool('fine', 'return "fine";'),
      ),
    ),
    { limits: { resultBytes: 1000 } },
  );
  assert.match((await client.call('big')).structuredContent.error, /the result has \d+ bytes, more than 1000/);
  assert.equal((await client.call('knot')).isError, true);
  assert.equal((await client.call('fine')).isError, undefined);
});

test('no more calls at once than allowed', async () => {
  const client = await connected(one(SLOW), { limits: { calls: 1 } });
  client.begin('tools/call', { name: 't' });
  assert.equal((await client.ask('tools/call', { name: 't' })).error.code, -32000);
});

test('what plugins print does not reach the protocol, and their errors do not end the host', async () => {
  const client = await connected(
    plugin(
      'wild',
      `console.log('PRINTED'); process.stdout.write('WRITTEN\\n');\n${registering(
        tool(
          'later',
          'setTimeout(() => { throw new Error("LATE"); }); Promise.reject(new Error("LOST")); return "ok";',
        ),
        tool('quit', 'process.exit(3);'),
      )}`,
    ),
  );
  await client.told('PRINTED');
  await client.told('WRITTEN');
  assert.equal((await client.call('later')).content[0].text, 'ok');
  await client.told('openclaw/wild: error: uncaught: LATE');
  await client.told('openclaw/wild: error: uncaught: LOST');
  assert.match((await client.call('quit')).structuredContent.error, /a plugin cannot end the host/);
  await client.result('ping');
});

test('what is missing at a call is told by name, once', async () => {
  const client = await connected(
    plugin(
      'late',
      registering(
        tool('t', 'return api.runtime.media.loadWebMedia(params.url);'),
        tool('u', 'await import("../../../src/agents/inner.js");'),
      ),
    ),
  );
  for (let i = 0; i < 2; i++)
    assert.match(
      (await client.call('t')).structuredContent.error,
      /^needs api\.runtime\.media\.loadWebMedia, which only OpenClaw has$/,
    );
  assert.match(
    (await client.call('u')).structuredContent.error,
    /^needs "..\/..\/..\/src\/agents\/inner.js", a part of OpenClaw itself$/,
  );
  assert.equal(client.messages.filter((m) => m.method === 'notifications/message').length, 2);
});

test('levels of log messages', async () => {
  const client = await connected(one('for (const l of ["debug", "info", "warn", "error"]) api.logger[l](l);'));
  await client.call('t');
  await client.result('logging/setLevel', { level: 'warning' });
  await client.call('t');
  assert.deepEqual(
    client.messages.filter((m) => m.method === 'notifications/message').map((m) => m.params.data),
    ['info', 'warn', 'error', 'warn', 'error'],
  );
  assert.equal((await client.ask('logging/setLevel', { level: 'loud' })).error.code, -32602);
});

test('the configuration is not left to the programs plugins start', async () => {
  const file = join(folder(), 'seen');
  const client = host(
    one(
      `const { execFileSync } = await import('node:child_process'); execFileSync('sh', ['-c', 'test -z "$MCPTOOLS_OPENCLAW_CONFIG" && touch ${file}']);`,
    ),
    null,
    { env: { MCPTOOLS_OPENCLAW_CONFIG: '{"secret":1}' } },
  );
  await client.shake();
  await client.call('t');
  assert.ok(existsSync(file));
});
