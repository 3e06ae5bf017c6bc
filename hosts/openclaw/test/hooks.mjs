// Hooks of plugins around calls, and for tools of others: both generations of their rules.
import assert from 'node:assert/strict';
import { connected, plugin, registering, test, tool } from './support.mjs';

const on = (name, body, options = '') => `api.on("${name}", (event, context) => { ${body} }, { ${options} });`;
const before = (body, options) => on('before_tool_call', body, options);
const echo = tool('Echo', 'return { content: [], details: { ...params } };');
const hooked = (config, ...hooks) => connected(plugin('h', registering(echo, ...hooks)), config);
const OLD = { compat: '2026.2' };

// Each: what the handlers do, then what becomes of Echo({a: 1}) by the rules of 2026.9 and of 2026.2.
const CASES = [
  [
    'params are merged over the original ones',
    [before('return { params: { b: 2 } };')],
    { a: 1, b: 2 },
    { a: 1, b: 2 },
  ],
  [
    'the last params win',
    [before('return { params: { b: 1 } };', 'priority: 2'), before('return { params: { c: 1 } };', 'priority: 1')],
    { a: 1, c: 1 },
    { a: 1, c: 1 },
  ],
  [
    'the highest priority comes first',
    [
      before('return { params: { x: "low" } };', 'priority: -1'),
      before('return { params: { x: "high" } };', 'priority: 5'),
    ],
    { a: 1, x: 'low' },
    { a: 1, x: 'low' },
  ],
  ['a block has its reason', [before('return { block: true, blockReason: "not now" };')], 'not now', 'not now'],
  [
    'a block without reason',
    [before('return { block: true };')],
    'Tool call blocked by plugin hook',
    'Tool call blocked by plugin hook',
  ],
  [
    'block: false after block: true',
    [before('return { block: true };', 'priority: 1'), before('return { block: false };')],
    'Tool call blocked by plugin hook',
    { a: 1 },
  ],
  [
    'a handler that throws',
    [before('throw new Error("x");')],
    'Tool call blocked because before_tool_call hook failed',
    { a: 1 },
  ],
  [
    'a decision of which nothing is known',
    [before('return { blok: true };')],
    'Tool call blocked because before_tool_call hook failed',
    { a: 1 },
  ],
  [
    'a handler that is late',
    [before('return new Promise(() => {});')],
    'Tool call blocked because before_tool_call hook failed',
    { a: 1 },
  ],
  ['events are copies', [before('event.params.a = 9; event.toolName = "x";')], { a: 1 }, { a: 1 }],
  [
    'names are normal',
    [before('return { params: { event: event.toolName, context: context.toolName } };')],
    { a: 1, event: 'echo', context: 'echo' },
    { a: 1, event: 'echo', context: 'echo' },
  ],
  ['a matcher that fits not', [before('return { block: true };', 'matcher: ["other"]')], { a: 1 }, { a: 1 }],
  ['a matcher that fits', [before('return { block: true, blockReason: "m" };', 'matcher: ["echo"]')], 'm', 'm'],
  [
    'an approval nobody can give',
    [
      before(
        'return { requireApproval: { title: "Sure?", description: "d", onResolution: (d) => console.error("RESOLVED", d) } };',
      ),
    ],
    'Plugin approval required: Sure?. Nobody is there to give it.',
    { a: 1 },
  ],
];
for (const [what, hooks, ...expected] of CASES)
  for (const [i, config] of [{}, OLD].entries())
    test(`${what} (${i ? '2026.2' : '2026.9'})`, async () => {
      const client = await hooked({ ...config, limits: { hookMs: 200 } }, ...hooks);
      const result = await client.call('Echo', { a: 1 });
      assert.deepEqual(
        typeof expected[i] === 'string' ? result.structuredContent.error : result.structuredContent,
        expected[i],
      );
      assert.equal(result.isError ?? false, typeof expected[i] === 'string');
      if (what.startsWith('an approval') && !i) await client.told('RESOLVED deny');
    });

test('after_tool_call sees what happened and changes nothing', async () => {
  const client = await hooked(
    {},
    before('return { params: { b: 2 } };'),
    on(
      'after_tool_call',
      'console.error("AFTER", JSON.stringify([event.toolName, event.params, event.result ?? event.error, typeof event.durationMs])); event.params.b = 3; throw new Error("late");',
    ),
  );
  assert.deepEqual((await client.call('Echo', {})).structuredContent, { b: 2 });
  await client.told('AFTER ["echo",{"b":2},{"content":[],"details":{"b":2}},"number"]');
  await client.told('after_tool_call hook of h failed: late');
});

test('tool_result_persist may change what is answered, one after the other, and does not wait', async () => {
  const client = await hooked(
    {},
    on(
      'tool_result_persist',
      'return { message: { ...event.message, content: [{ type: "text", text: event.message.role }] } };',
      'priority: 2',
    ),
    on(
      'tool_result_persist',
      'return { message: { ...event.message, content: [...event.message.content, { type: "text", text: context.toolName }] } };',
      'priority: 1',
    ),
    'api.on("tool_result_persist", async () => ({ message: {} }));',
  );
  assert.deepEqual(await client.call('Echo', { a: 1 }), {
    content: [
      { type: 'text', text: 'toolResult' },
      { type: 'text', text: 'Echo' },
    ],
    structuredContent: { a: 1 },
  });
  await client.told('returned a promise, which is ignored');
});

test('hooks of a plugin that is left out are gone, and the gateway is told', async () => {
  const dirs = [
    plugin('a', registering(echo)),
    plugin('b', registering(before('return { block: true };'), 'throw new Error("no");')),
    plugin('c', registering(before('return { block: true };'))),
  ];
  const client = await connected(dirs, { plugins: { entries: { c: { enabled: false } } } });
  assert.deepEqual((await client.call('Echo', { a: 1 })).structuredContent, { a: 1 });
  assert.deepEqual((await client.result('openclaw/hooks/list')).leftOut, [{ plugin: 'b', reason: 'no' }]);
});

test('openclaw/hooks: for tools of others', async () => {
  const client = await hooked(
    {},
    before('if (event.params.bad) return { block: true, blockReason: "bad" };', 'priority: 3, matcher: ["exec"]'),
    before(
      'if (event.params.ask) return { params: { asked: true }, requireApproval: { title: "T", description: "D", severity: "warning", onResolution: (d) => console.error("RESOLVED", d) } };',
    ),
    on('tool_result_persist', 'return { message: { ...event.message, seen: true } };'),
    on('after_tool_call', 'console.error("AFTER", event.toolName);'),
  );
  assert.deepEqual((await client.result('openclaw/hooks/list')).hooks, [
    { id: '1', hook: 'before_tool_call', plugin: 'h', priority: 3, matcher: ['exec'] },
    { id: '2', hook: 'before_tool_call', plugin: 'h', priority: 0 },
    { id: '3', hook: 'tool_result_persist', plugin: 'h', priority: 0 },
    { id: '4', hook: 'after_tool_call', plugin: 'h', priority: 0 },
  ]);
  const run = (hook, event) => client.result('openclaw/hooks/run', { hook, event: { toolName: 'bash', ...event } });
  assert.deepEqual(await run('before_tool_call', { params: { bad: 1 } }), { block: true, blockReason: 'bad' });
  assert.deepEqual(await run('before_tool_call', { params: { x: 1 } }), { params: { x: 1 } });
  const {
    params,
    requireApproval: { id, ...approval },
  } = await run('before_tool_call', { params: { ask: 1 } });
  assert.deepEqual(
    [params, approval],
    [
      { ask: 1, asked: true },
      { title: 'T', description: 'D', severity: 'warning', pluginId: 'h' },
    ],
  );
  assert.deepEqual(await client.result('openclaw/hooks/resolve', { id, decision: 'allow-once' }), {});
  await client.told('RESOLVED allow-once');
  assert.equal((await client.ask('openclaw/hooks/resolve', { id, decision: 'deny' })).error.code, -32602);
  assert.deepEqual(await run('tool_result_persist', { message: { role: 'toolResult' } }), {
    message: { role: 'toolResult', seen: true },
  });
  await run('after_tool_call', { params: {} });
  await client.told('AFTER exec');
  assert.equal((await client.ask('openclaw/hooks/run', { hook: 'constructor', event: {} })).error.code, -32602);
});

test('one hook at a time, with the events and decisions of the gateway', async () => {
  const client = await hooked(
    { context: { agentId: 'a1' } },
    before('if (event.params.bad) throw new Error("broken"); return { params: { by: [context.agentId, context.principal] } };'),
    before('return { block: true, blockReason: "no", requireApproval: { title: "T", onResolution: () => {} } };', 'priority: 9'),
    before('return { block: true };', 'matcher: ["exec"]'),
    on('tool_result_persist', 'return event.message.isError ? undefined : { message: { ...event.message, content: [{ type: "text", text: "short" }], details: { n: event.message.details.n + 1 }, isError: true } };'),
    on('after_tool_call', 'console.error("AFTER", event.toolName, event.error ?? event.result.details.n, event.durationMs);'),
    on('tool_result_persist', 'return { message: event.message };', 'priority: -1'),
    before('return { blok: true };', 'priority: -1'),
  );
  const run = (id, hook, event) =>
    client.ask('openclaw/hooks/run', {
      id,
      hook,
      event: { toolName: 'git__push', toolCallId: 'call-1', context: { principal: 'ann' }, params: {}, ...event },
    });
  const decision = async (...args) => (await run(...args)).result.decision;
  assert.deepEqual(await decision('1', 'before_tool_call', {}), { params: { by: ['a1', 'ann'] } });
  assert.match((await run('1', 'before_tool_call', { params: { bad: 1 } })).error.message, /broken/);
  const { requireApproval, ...blocked } = await decision('2', 'before_tool_call', {});
  assert.deepEqual([blocked, requireApproval.title], [{ block: true, blockReason: 'no' }, 'T']);
  assert.deepEqual(await client.result('openclaw/hooks/resolve', { id: requireApproval.id, decision: 'cancelled' }), {});
  // the gateway has held the matcher against all names that the tool has, of which the event says one
  assert.deepEqual(await decision('3', 'before_tool_call', {}), { block: true });
  const result = { content: [], structuredContent: { n: 1 } };
  assert.deepEqual(await decision('4', 'tool_result_persist', { result }), {
    result: { content: [{ type: 'text', text: 'short' }], structuredContent: { n: 2 }, isError: true },
  });
  assert.deepEqual(await decision('4', 'tool_result_persist', { result: { ...result, isError: true } }), {});
  const meta = { content: [], structuredContent: { n: 1, status: 'error' }, _meta: { 'x/y': 1 } };
  assert.deepEqual((await decision('6', 'tool_result_persist', { result: meta })).result, meta);
  assert.match((await run('7', 'before_tool_call', {})).error.message, /"blok" means nothing/);
  assert.deepEqual(await decision('5', 'after_tool_call', { result, durationMs: 3 }), {});
  await client.told('AFTER git__push 1 3');
  assert.deepEqual(await decision('5', 'after_tool_call', { error: 'gone', durationMs: 4 }), {});
  await client.told('AFTER git__push gone 4');
  assert.equal((await run('99', 'before_tool_call', {})).error.code, -32602);
  assert.equal((await run('1', 'after_tool_call', {})).error.code, -32602);
});
