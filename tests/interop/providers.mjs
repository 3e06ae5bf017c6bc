// Arrays for model providers against their published rules: real servers that are installed here, and a server whose
// tools have what the servers of the campaign (provider-campaign.mjs) had. TAP on stdout.
// usage: node providers.mjs MCPTOOLS_BINARY
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { arraysOf, PROVIDERS } from './provider-arrays.mjs';
import { problems, RULES, toolsOf, unnoted } from './provider-rules.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const [BINARY] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'mcptools-providers-'));
const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' };
const node = (...args) => ({ command: process.execPath, args });
const npm = (path, ...args) => node(join(HERE, 'node_modules/@modelcontextprotocol', path), ...args);
const listed = (tools) => {
  const path = join(folder, 'tools.json');
  writeFileSync(path, JSON.stringify(tools));
  return node(join(HERE, 'listed-server.mjs'), path);
};
const handmade = JSON.parse(readFileSync(join(HERE, 'provider-tools.json'), 'utf8'));

let n = 0, failed = 0;
function test(name, run) {
  let why = '';
  try { run(); } catch (e) { why = `\n# ${String(e.message).replaceAll('\n', '\n# ')}`; failed++; }
  console.log(`${why ? 'not ok' : 'ok'} ${++n} - ${name}${why}`);
}
function check(is, what) {
  if (!is) throw new Error(what);
}

function accepted(name, server, leftOut = []) {
  const made = arraysOf(BINARY, join(folder, name), server, env);
  check(!made.why, made.why);
  for (const row of made.rows) {
    check(!row.refused.length, `${row.provider}: ${row.refused.join('\n')}`);
    check(!row.unnoted.length, `${row.provider}: ${JSON.stringify(row.unnoted)}`);
    check(row.leftOut.join() === leftOut.join(), `${row.provider}: left out ${row.leftOut}`);
  }
}

// The rules find what is wrong: each of these would be refused.
test('the rules are not blind', () => {
  const entry = (provider, name, description, schema) => ({
    openai: [{ type: 'function', function: { name, description, parameters: schema } }],
    anthropic: [{ name, description, input_schema: schema }],
    gemini: [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }],
  })[provider];
  const good = { type: 'object', properties: { a: { type: 'string' } } };
  const inside = (a) => ({ type: 'object', properties: { a } });
  for (const [provider, name, description, schema] of [
    ['openai', 'a.b', 'd', good], ['openai', 'a', 'd'.repeat(1025), good], ['openai', 'a', 'd', { ...good, not: {} }],
    ['openai', 'a', 'd', inside({ type: 'array' })], ['openai', 'a', 'd', inside({ type: 'array', items: true })],
    ['openai', 'a', 'd', inside({ exclusiveMinimum: true })], ['openai', 'a', 'd', inside({ type: 'string', enum: [1] })],
    ['openai', 'a', 'd', inside({ $ref: '#/$defs/x' })], ['openai', 'a', '', good],
    ['anthropic', 'a', 'd', inside({ properties: { 'x<': {} } })], ['anthropic', 'a', 'd', { type: 'object', allOf: [good] }],
    ['anthropic', 'a', 'd', inside({ type: 'array', items: [{}] })], ['anthropic', 'a', 'd', { type: 'string' }],
    ['gemini', '9', 'd', good], ['gemini', 'a', 'd', inside({ type: 'integer', enum: ['1'] })],
    ['gemini', 'a', 'd', inside({ type: ['string', 'null'] })], ['gemini', 'a', 'd', inside({ type: 'array' })],
    ['gemini', 'a', 'd', inside({ const: 1 })], ['gemini', 'a', 'd', { type: 'object', properties: { 'a-b': {} } }],
    ['gemini', 'a', 'd', { type: 'object', properties: {}, required: ['a'] }],
  ]) check(problems(provider, entry(provider, name, description, schema)).length, `${provider} ${name} ${JSON.stringify(schema)}`);
  for (const provider of ['openai', 'anthropic', 'gemini'])
    check(!problems(provider, entry(provider, 'a', 'd', good)).length, `${provider}: ${problems(provider, entry(provider, 'a', 'd', good))}`);
  const words = 'some words that are cut';
  check(unnoted([['a\nb', 'a b'], [words, 'some words'], [words, 'some wor\n[mcptools: cut; the whole text has 23 characters]']]).length === 3, 'unnoted');
  check(!unnoted([['a', 'a'], [words, 'some words\n[mcptools: cut; the whole text has 23 characters]']]).length, 'noted');
});

test('server-everything', () => accepted('everything', npm('server-everything/dist/index.js', 'stdio')));
test('server-filesystem', () => accepted('files', npm('server-filesystem/dist/index.js', folder)));
test('server-memory', () => accepted('memory', npm('server-memory/dist/index.js')));
test('what the servers of the campaign have', () => accepted('handmade', listed(handmade), ['nobody_takes_it']));
test('descriptions of every length', () => {
  const words = 'A description that goes on and on. '.repeat(200);
  accepted('long', listed([900, 1023, 1024, 1025, 2000, 6900].flatMap((length, i) => [
    { name: `words${i}`, description: words.slice(0, length - 1) + '.', inputSchema: { type: 'object' } },
    { name: `emoji${i}`, description: '\u{1f600} '.repeat(length / 3), inputSchema: { type: 'object' } },
    { name: `one${i}`, description: 'x'.repeat(length), inputSchema: { type: 'object' } }])));
});

// Arguments that a model writes for the array reach the tool under its own names.
test('arguments come back', () => {
  const config = join(folder, 'handmade', 'mcptools.json');
  writeFileSync(config, JSON.stringify({ mcpServers: { s: listed(handmade) } }));
  const mcptools = (words, input) => spawnSync(BINARY, [...words, '-o', 'json', '--config', config], { env, input, encoding: 'utf8' }).stdout;
  for (const provider of PROVIDERS) {
    const array = JSON.parse(mcptools(['tools', '--for', provider])).tools;
    const find = (start) => toolsOf(provider, array).map((t) => RULES[provider].entry(t)).find(([inner]) => inner.name.startsWith(start));
    const key = (schema, title) => Object.keys(schema.properties).find((name) => name === title || schema.properties[name].title === title);
    const [inner, schema] = find('fetch_calls');
    const list = key(schema, 'filter[id]');
    const given = { [key(schema, 'StartTime<')]: 'x', StartTime: 'y', [list]: [{ [key(schema.properties[list].items, '$top')]: 5 }] };
    const call = {
      anthropic: { type: 'tool_use', id: 'i', name: inner.name, input: given },
      gemini: { functionCall: { id: 'i', name: inner.name, args: given } },
      'openai-responses': { type: 'function_call', call_id: 'i', name: inner.name, arguments: JSON.stringify(given) },
    }[provider] ?? { id: 'i', type: 'function', function: { name: inner.name, arguments: JSON.stringify(given) } };
    const said = JSON.parse(mcptools(['call', '--for', provider, '-'], JSON.stringify(call)));
    const text = said.content?.[0]?.text ?? said.content ?? said.output ?? said.functionResponse.response.output;
    check(text === JSON.stringify({ 'StartTime<': 'x', StartTime: 'y', 'filter[id]': [{ $top: 5 }] }), `${provider}: ${text}`);
  }
});

console.log(`1..${n}`);
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
