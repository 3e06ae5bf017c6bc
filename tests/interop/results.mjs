// Results over a budget, with the official SDKs as clients: a tool with an output schema whose structured content was left
// out does not make them fail, and the link and the tool of the gateway lead to the rest. TAP on stdout.
// usage: node results.mjs MCPTOOLS_BINARY
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client as Client2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';

const ROWS = 3000;
const SELF = fileURLToPath(import.meta.url);

function serve() {
  const schema = { type: 'object', properties: { rows: { type: 'array', items: { type: 'string' } } }, required: ['rows'] };
  const rows = Array.from({ length: ROWS }, (_, i) => `row ${i}`);
  const results = {
    initialize: ({ protocolVersion }) => ({ protocolVersion, serverInfo: { name: 's', version: '1' }, capabilities: { tools: {} } }),
    'tools/list': () => ({ tools: [{ name: 'table', inputSchema: { type: 'object' }, outputSchema: schema }] }),
    'tools/call': () => ({ content: [{ type: 'text', text: rows.join('\n') }], structuredContent: { rows } }),
  };
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method, params } = JSON.parse(line);
    if (id === undefined) return;
    const result = results[method];
    const said = result ? { result: result(params) } : { error: { code: -32601, message: 'unknown method' } };
    console.log(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
  });
}

async function check(name, Client, Transport, binary, config, home) {
  const client = new Client({ name: 't', version: '1' });
  const env = { PATH: process.env.PATH, HOME: home };
  await client.connect(new Transport({ command: binary, args: ['serve', '--stdio', '--config', config], env, stderr: 'ignore' }));
  try {
    let table; // a list does not wait long for a server that starts slowly
    while (!(table = (await client.listTools()).tools.find((t) => t.name === 'table'))) await new Promise((go) => setTimeout(go, 50));
    if (table.outputSchema) throw new Error('the output schema is still listed');
    const result = await client.callTool({ name: 'table', arguments: {} });
    const link = result.content.find((b) => b.type === 'resource_link');
    if (result.structuredContent || !link) throw new Error(`not cut: ${JSON.stringify(result).slice(0, 500)}`);
    const { contents } = await client.readResource({ uri: `${link.uri}?line=2999` });
    if (contents[0].text !== 'row 2998\nrow 2999') throw new Error(`read: ${JSON.stringify(contents)}`);
    const part = await client.callTool({ name: 'read_result', arguments: { result: link.uri, path: '/rows/1234' } });
    if (part.content[0].text !== 'row 1234') throw new Error(`read_result: ${JSON.stringify(part)}`);
    const { resourceTemplates } = await client.listResourceTemplates();
    if (!resourceTemplates.some((t) => t.uriTemplate.startsWith('mcptools://result/'))) throw new Error('no template');
  } finally {
    await client.close();
  }
  return name;
}

async function main(binary) {
  const home = mkdtempSync(join(tmpdir(), 'mcptools-results-')), config = join(home, 'mcptools.json');
  writeFileSync(config, JSON.stringify({
    mcpServers: { s: { command: process.execPath, args: [SELF, '--serve'] } }, mcptools: { results: { budget: '1k tokens' } },
  }), { mode: 0o600 });
  const clients = [['SDK 1', Client1, Stdio1], ['SDK 2', Client2, Stdio2]];
  let failed = 0;
  console.log(`1..${clients.length}`);
  for (const [i, [name, Client, Transport]] of clients.entries()) {
    try {
      await check(name, Client, Transport, binary, config, home);
      console.log(`ok ${i + 1} - ${name}`);
    } catch (e) {
      failed++;
      console.log(`not ok ${i + 1} - ${name}\n# ${(e.stack ?? String(e)).replaceAll('\n', '\n# ')}`);
    }
  }
  rmSync(home, { recursive: true });
  process.exitCode = failed ? 1 : 0;
}

if (process.argv[2] === '--serve') serve();
else await main(process.argv[2]);
