// Which plugins are loaded, which are left out, and what is said of them.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { connected, folder, HERE, host, plugin, registering, test, tool } from './support.mjs';

const WEATHER = join(HERE, 'plugins', 'weather');
const names = async (client) => (await client.tools()).map((t) => t.name);
const good = () => plugin('good', registering(tool('good', 'return { content: [] };')));

test('a plugin in TypeScript, with OpenClaw and typebox replaced', async () => {
  const client = await connected(WEATHER, {
    context: { agentId: 'main' },
    plugins: { entries: { weather: { config: { unit: 'F' } } } },
  });
  const tools = await client.tools();
  assert.deepEqual(
    tools.map((t) => t.name),
    ['weather_now', 'weather_here'],
  );
  assert.deepEqual(tools[0], {
    name: 'weather_now',
    title: 'Weather now',
    description: 'The weather at a place',
    inputSchema: {
      type: 'object',
      properties: { place: { type: 'string', minLength: 1 }, days: { type: 'integer', minimum: 1 } },
      required: ['place'],
    },
    _meta: { 'openclaw/plugin': 'weather' },
  });
  assert.deepEqual((await client.call('weather_now', { place: 'Rome' })).structuredContent, {
    place: 'Rome',
    temperature: 70,
    unit: 'F',
  });
  assert.equal((await client.call('weather_here')).structuredContent.agent, 'main');
});

test('--working-dir and the context reach factories; the configuration may stand in the environment', async () => {
  const dir = folder();
  const client = host(WEATHER, null, {
    args: ['--working-dir', dir],
    env: { MCPTOOLS_OPENCLAW_CONFIG: '{"context":{"agentId":"a"}}' },
  });
  await client.shake();
  assert.deepEqual((await client.call('weather_here')).structuredContent, {
    place: dir,
    temperature: 21,
    unit: 'C',
    agent: 'a',
  });
});

for (const [by, config] of [
  ['its name', ['weather_make']],
  ['its plugin', ['Weather']],
  ['the group', ['group:plugins']],
])
  test(`an optional tool is there when allowed by ${by}`, async () => {
    const client = await connected(WEATHER, { tools: { allow: config } });
    const made = (await client.tools()).find((t) => t.name === 'weather_make');
    assert.deepEqual(made._meta, { 'openclaw/plugin': 'weather', 'openclaw/ownerOnly': true });
  });

const FORMS = {
  'default-object': 'export default { id: "x", register(api) { this.add(api); }, add(api) { TOOL } }',
  activate: 'export default { activate(api) { TOOL } }',
  named: 'export function register(api) { TOOL }',
  waiting: 'export default async (api) => { await null; TOOL }',
};
for (const [form, text] of Object.entries(FORMS))
  test(`register as ${form}`, async () => {
    const client = await connected(plugin('form', text.replace('TOOL', tool('made', ''))));
    assert.deepEqual(await names(client), ['made']);
  });

const ENTRIES = {
  'extensions of package.json': {
    'package.json': '{"type":"module","openclaw":{"extensions":["./dist/main.js"]}}',
    'dist/main.js': registering(tool('made', '')),
  },
  'runtimeExtensions before extensions': {
    'package.json': '{"type":"module","openclaw":{"extensions":["./index.ts"],"runtimeExtensions":["./out.js"]}}',
    'index.ts': 'throw new Error("not this one")',
    'out.js': registering(tool('made', '')),
  },
  'src/index.mjs': { 'src/index.mjs': registering(tool('made', '')) },
  CommonJS: { 'index.js': `module.exports = function (api) { ${tool('made', '')} }` },
};
for (const [entry, files] of Object.entries(ENTRIES))
  test(`the entry is ${entry}`, async () => {
    assert.deepEqual(await names(await connected(plugin('entry', null, { files }))), ['made']);
  });

const BROKEN = [
  ['a folder without manifest', () => folder(), 'openclaw.plugin.json is missing'],
  [
    'a manifest that is no JSON',
    () => plugin('x', '', { files: { 'openclaw.plugin.json': '{' } }),
    'openclaw.plugin.json: ',
  ],
  ['a manifest without id', () => plugin('x', '', { manifest: {} }), '"id" is missing'],
  ['no entry', () => plugin('x'), 'has no index.ts'],
  [
    'an entry elsewhere',
    () =>
      plugin('x', null, {
        files: {
          'package.json': '{"openclaw":{"extensions":["../out.mjs"]}}',
          '../out.mjs': 'export default () => {};',
        },
      }),
    'its entry ../out.mjs is outside of its folder',
  ],
  ['an entry that is not JavaScript', () => plugin('x', 'export default {'), 'Unexpected'],
  ['nothing exported', () => plugin('x', 'export const a = 1;'), 'exports no register function'],
  ['a register that throws', () => plugin('x', registering(tool('gone', ''), 'throw new Error("no luck")')), 'no luck'],
  ['the same id again', () => plugin('good', registering(tool('other', ''))), 'another plugin has the same id'],
  [
    'api.runtime at register',
    () => plugin('x', registering('api.runtime.tools.createMemorySearchTool({});')),
    'needs api.runtime.tools.createMemorySearchTool, which only OpenClaw has',
  ],
  [
    'api.runtime in a factory',
    () => plugin('x', registering('api.registerTool((ctx) => api.runtime.tools.make(ctx));')),
    'needs api.runtime.tools.make, which only OpenClaw has',
  ],
  [
    'the SDK at import',
    () =>
      plugin(
        'x',
        'import { Exotic } from "openclaw/plugin-sdk"; export default class extends Exotic {}; new Exotic();',
      ),
    'needs Exotic of openclaw/plugin-sdk, which only OpenClaw has',
  ],
  [
    'internals of OpenClaw',
    () => plugin('x', 'import "../../src/agents/runner.js"; export default () => {};'),
    'needs "../../src/agents/runner.js", a part of OpenClaw itself',
  ],
  [
    'a package that is not installed',
    () => plugin('x', 'import "@scope/absent/sub"; export default () => {};'),
    'needs the npm package "@scope/absent", which is not installed beside the plugin',
  ],
];
for (const [what, make, reason] of BROKEN)
  test(`${what}: left out with the reason, others go on`, async () => {
    const client = host([good(), make()]);
    const about = (await client.shake())._meta['openclaw/plugins'];
    assert.equal(about[0].state, 'loaded');
    assert.equal(about[1].state, 'left out');
    assert.ok(about[1].reason.includes(reason), about[1].reason);
    assert.deepEqual(await names(client), ['good']);
    await client.until(() =>
      client.messages.find((m) => m.method === 'notifications/message' && m.params.data.includes(reason)),
    );
    await client.told(reason);
  });

test('a register that never ends', async () => {
  const client = host(plugin('x', 'export default () => new Promise(() => {});'), { limits: { loadMs: 1 } });
  assert.equal((await client.plugins()).x.reason, 'loading took longer than 1 ms');
});

test('a factory that never ends', async () => {
  const never = `export default (api) => {
    api.registerTool(() => new Promise(() => {}));
    api.registerTool({ name: 'there', execute: () => 'yes' });
  };`;
  assert.deepEqual(await names(await connected(plugin('x', never), { limits: { loadMs: 3000 } })), ['there']);
});

test('hooks of a plugin that was too slow do not come later', async () => {
  const late = `export default async (api) => {
    await new Promise((go) => setTimeout(go, 3100));
    api.on('before_tool_call', () => ({ block: true }));
  };`;
  const client = await connected([plugin('late', late), good()], { limits: { loadMs: 3000 } });
  assert.equal((await client.plugins()).late.reason, 'loading took longer than 3000 ms');
  assert.deepEqual((await client.call('good', {})).content, []);
});

test('a plugin that is disabled is not loaded', async () => {
  const about = await host(plugin('off', 'throw new Error("loaded")'), {
    plugins: { entries: { off: { enabled: false } } },
  }).plugins();
  assert.equal(about.off.reason, 'plugins.entries disables it');
});

test('conflicts have the words of OpenClaw', async () => {
  const dirs = [
    plugin('one', registering(tool('same', 'return "one"'), tool('same', ''), tool('read', ''))),
    plugin('two', registering(tool('same', 'return "two"'), tool('own', ''))),
    plugin('exec', registering(tool('hidden', ''))),
  ];
  const client = await connected(dirs, { coreTools: ['Read', 'bash'] });
  assert.deepEqual(await names(client), ['same', 'own']);
  assert.equal((await client.call('same')).content[0].text, 'one');
  for (const text of [
    'plugin tool name conflict (one): same',
    'plugin tool name conflict (one): read',
    'plugin tool name conflict (two): same',
    'plugin id conflicts with core tool name (exec)',
  ])
    await client.told(text);
});

// Each waits for the other, and the first is done last: in the order of the configuration they would never be.
const meet = (dir) => `
  import { existsSync, writeFileSync } from 'node:fs';
  const at = (name) => writeFileSync(${JSON.stringify(dir + '/')} + name, '');
  const met = async (name) => {
    while (!existsSync(${JSON.stringify(dir + '/')} + name)) await new Promise((go) => setTimeout(go, 5));
  };
`;

test('plugins load beside each other, and their order is that of the configuration', async () => {
  const hook = "api.on('tool_result_persist', () => {});";
  const MEET = meet(folder());
  const first = `${MEET} export default async (api) => {
    at('first');
    await met('second');
    ${hook} ${tool('same', 'return "first"')} ${tool('a', '')}
  };`;
  const second = `${MEET} export default async (api) => {
    await met('first');
    ${hook} ${tool('same', 'return "second"')} ${tool('b', '')}
    at('second');
  };`;
  const client = await connected([plugin('first', first), plugin('second', second)], { limits: { loadMs: 5000 } });
  assert.deepEqual(await names(client), ['same', 'a', 'b']);
  assert.equal((await client.call('same')).content[0].text, 'first');
  await client.told('plugin tool name conflict (second): same');
  const { hooks } = await client.result('openclaw/hooks/list');
  assert.deepEqual(
    hooks.map((h) => h.plugin),
    ['first', 'second'],
  );
});

test('factories of plugins run beside each other, and the first in the configuration gets the name', async () => {
  const MEET = meet(folder());
  const made = (own, other) => `${MEET} export default (api) => api.registerTool(async () => {
    at('${own}');
    await met('${other}');
    return { name: 'same', execute: () => '${own}' };
  });`;
  const dirs = [plugin('first', made('first', 'second')), plugin('second', made('second', 'first'))];
  const client = await connected(dirs, { limits: { loadMs: 5000 } });
  assert.equal((await client.call('same')).content[0].text, 'first');
  await client.told('plugin tool name conflict (second): same');
});

test('factories: none, several, failing, of the second generation', async () => {
  const client = await connected(
    plugin(
      'f',
      registering(
        'const t = (name) => ({ name, parameters: {}, execute: async () => name });',
        'api.registerTool(() => null); api.registerTool(() => { throw new Error("not today"); });',
        'api.registerTool(async () => [t("a"), undefined, t("b"), { name: "c" }], { names: ["a", "b"] });',
        'api.registerTool({ create: (ctx) => { ctx.assertInvocationCurrent(); return t(`v${ctx.contextVersion}`); } });',
      ),
    ),
  );
  assert.deepEqual(await names(client), ['a', 'b', 'v2']);
  await client.told('plugin tool failed (f): not today');
  await client.told('plugin tool is malformed (f): c');
});

test('the rest of the api does nothing and is noted', async () => {
  const about = await host(
    plugin(
      'much',
      registering(
        'api.registerChannel({}); api.session.state.registerExtension("x"); api.on("gateway_start", () => {});',
        'if (api.resolvePath("x") !== process.cwd() + "/x" || api.runtime.config.loadConfig() !== api.config) throw new Error("api");',
        tool('t', ''),
      ),
    ),
  ).plugins();
  assert.deepEqual(about.much.ignored, ['registerChannel', 'session.state.registerExtension', 'on(gateway_start)']);
});

test('OpenClaw and typebox that are installed beside the plugin are used', async () => {
  const client = await connected(
    plugin(
      'real',
      'import { jsonResult } from "openclaw/plugin-sdk"; import { Type } from "typebox";\n' +
        registering('api.registerTool({ name: "t", parameters: Type.Real(), execute: async () => jsonResult() });'),
      {
        files: {
          'node_modules/openclaw/package.json':
            '{"name":"openclaw","type":"module","exports":{"./plugin-sdk":"./sdk.js"}}',
          'node_modules/openclaw/sdk.js':
            'export const jsonResult = () => ({ content: [{ type: "text", text: "the real one" }] });',
          'node_modules/typebox/package.json': '{"name":"typebox","type":"module","main":"./index.js"}',
          'node_modules/typebox/index.js': 'export const Type = { Real: () => ({ type: "object", title: "real" }) };',
        },
      },
    ),
  );
  assert.equal((await client.tools())[0].inputSchema.title, 'real');
  assert.equal((await client.call('t')).content[0].text, 'the real one');
});

test('imports are found in the loader thread too, where Node has no other hooks', async () => {
  const older =
    'data:text/javascript,import m from "node:module"; m.registerHooks = undefined; m.syncBuiltinESMExports();';
  const dir = plugin(
    'old',
    'import { Type, Missing } from "@sinclair/typebox"; import { x } from "./lib.js"; import { jsonResult } from "openclaw/plugin-sdk";\n' +
      registering(
        'api.registerTool({ name: "t", parameters: Type.Object({ a: Type.String() }), execute: async () => jsonResult(x) });',
        'api.registerTool({ name: "u", parameters: {}, execute: async () => Missing.use() });',
      ),
    { files: { 'lib.ts': 'export const x: object = { y: 1 };' } },
  );
  const client = host(dir, null, { node: ['--import', older] });
  await client.shake();
  assert.deepEqual((await client.tools())[0].inputSchema.required, ['a']);
  assert.deepEqual((await client.call('t')).structuredContent, { y: 1 });
  assert.match((await client.call('u')).content[0].text, /needs Missing\.use of @sinclair\/typebox/);
});

test('wrong options are told', async () => {
  for (const [args, told] of [
    [[], 'usage:'],
    [['--plugin'], 'usage:'],
    [['--plug', 'x'], '--plug: no such option'],
    [['--plugin', 'x', '--config', '{'], '--config: not valid JSON'],
    [['--plugin', 'x', '--config', '{"compat":"1"}'], '"compat" must be'],
  ]) {
    const client = host([], null, { args });
    assert.equal(await client.ended, 1);
    assert.ok(client.stderr.includes(told), client.stderr);
  }
});
