// Every message of the host against the official JSON Schema of each revision.
import assert from 'node:assert/strict';
import { connected, host, plugin, registering, test, tool, validator } from './support.mjs';

const MODERN = '2026-07-28';
const META = 'io.modelcontextprotocol/';
const RESULTS = {
  initialize: 'InitializeResult',
  'server/discover': 'DiscoverResult',
  ping: 'EmptyResult',
  'logging/setLevel': 'EmptyResult',
  'tools/list': 'ListToolsResult',
  'tools/call': 'CallToolResult',
};
const NOTIFICATIONS = {
  'notifications/progress': 'ProgressNotification',
  'notifications/message': 'LoggingMessageNotification',
};

const dirs = () => [
  plugin(
    'all',
    registering(
      tool(
        't',
        'onUpdate("x"); api.logger.warn("w"); return { content: [], details: { a: 1 } };',
        'label: "T", ownerOnly: true,',
      ),
      tool('bad', 'throw new Error("x");'),
    ),
  ),
  plugin('out', 'export default 7;'),
];

function check(revision, message, method) {
  const valid = validator(revision);
  if (message.method) return valid(NOTIFICATIONS[message.method], message);
  if (message.error) return valid(revision < '2025-11-25' ? 'JSONRPCError' : 'JSONRPCErrorResponse', message);
  valid(revision < '2025-11-25' ? 'JSONRPCResponse' : 'JSONRPCResultResponse', message);
  return valid(RESULTS[method], message.result);
}

for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', MODERN])
  test(`what is said at ${revision}`, async () => {
    const client = host(dirs());
    const modern = revision === MODERN;
    const first = await client.shake(revision);
    if (!modern) assert.equal(first.protocolVersion, revision);
    const asked = { 1: modern ? 'server/discover' : 'initialize' };
    const calls = [
      ['tools/list'],
      ['tools/call', { name: 't', _meta: { progressToken: 1 } }],
      ['tools/call', { name: 'bad' }],
      ['tools/call', { name: 'none' }],
      ...(modern ? [] : [['ping'], ['logging/setLevel', { level: 'debug' }]]),
    ];
    for (const [method, params] of calls) {
      const { id } = await client.ask(method, params);
      asked[id] = method;
    }
    for (const message of client.messages) check(revision, message, asked[message.id]);
    const kinds = new Set(client.messages.map((m) => m.method ?? `${asked[m.id]} ${m.error ? 'error' : 'result'}`));
    assert.equal(kinds.size, modern ? 6 : 8, [...kinds].join());
    assert.deepEqual(
      client.messages.filter((m) => m.method === 'notifications/message').map((m) => m.params.level),
      ['error', 'warning'],
    );
  });

test('an unknown revision of the handshake gets the newest, a stateless one the list', async () => {
  const client = host(dirs());
  const answer = await client.ask('tools/list', {
    _meta: { [`${META}protocolVersion`]: '2027-01-01', [`${META}clientCapabilities`]: {} },
  });
  assert.deepEqual(answer.error.data, { requested: '2027-01-01', supported: [MODERN] });
  check(MODERN, answer);
  assert.equal((await client.ask('tools/list', { _meta: { [`${META}protocolVersion`]: MODERN } })).error.code, -32602);
  assert.equal((await client.shake('2027-01-01')).protocolVersion, '2025-11-25');
});

test('methods of the other era are unknown', async () => {
  const modern = await connected(dirs(), {}, MODERN);
  for (const method of ['ping', 'initialize', 'logging/setLevel'])
    assert.equal((await modern.ask(method, {})).error.code, -32601);
  const old = await connected(dirs());
  assert.equal((await old.ask('server/discover')).error.code, -32601);
});

test('log messages of a stateless request come only when it asks for them', async () => {
  const client = host(dirs());
  const meta = { [`${META}protocolVersion`]: MODERN, [`${META}clientCapabilities`]: {} };
  await client.result('tools/call', { name: 't', _meta: meta });
  assert.equal(client.messages.length, 1);
  await client.result('tools/call', { name: 't', _meta: { ...meta, [`${META}logLevel`]: 'warning' } });
  assert.deepEqual(client.messages.map((m) => m.params?.data).filter(Boolean), [
    'plugin out is left out: exports no register function',
    'w',
  ]);
});

test('batches at 2025-03-26', async () => {
  const client = await connected(dirs(), {}, '2025-03-26');
  client.write(
    `${JSON.stringify([
      { jsonrpc: '2.0', id: 'a', method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 'b', method: 'none' },
    ])}\n`,
  );
  const batch = await client.until(() => client.messages.find(Array.isArray));
  assert.deepEqual(
    batch.map((m) => [m.id, m.error?.code]),
    [
      ['a', undefined],
      ['b', -32601],
    ],
  );
});
