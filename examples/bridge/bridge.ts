// Reads MCP resources of all servers behind a mcptools gateway, with the tools of the dialect "bridge".
//
//   mcptools serve                                 in another terminal
//   npm install @modelcontextprotocol/client
//   node bridge.ts [URL] [RESOURCE-NAME]           Node 24; prints the block for a system prompt, the resources, and one of them
//
// A host that runs a model passes `instructions` to it as a part of the system prompt, the tools as they are listed, and
// the text of each result as the answer to the model's call.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

type Resource = { name: string; uri: string; description: string | null; mimeType: string | null };
type Listed = { resources: Resource[]; count: number; message: string };
type Read = { contents?: { uri: string; text?: string; blob?: string }[]; error?: string };

const url = process.argv[2] ?? 'http://127.0.0.1:8931/mcp?dialect=bridge&mode=router';
const client = new Client({ name: 'bridge-example', version: '1' });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));

// The text that a model would get.
async function call<T>(name: string, args: Record<string, unknown> = {}): Promise<T> {
  const result = await client.callTool({ name, arguments: args });
  const text = result.content.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
  return JSON.parse(text) as T;
}

console.log(client.getInstructions() ?? '(no resources are known yet)');
const listed = await call<Listed>('mcp_list_resources');
for (const resource of listed.resources) console.log(`${resource.name}\t${resource.uri}`);
console.log(listed.message);
const name = process.argv[3] ?? listed.resources[0]?.name;
if (name !== undefined) {
  const read = await call<Read>('mcp_read_resource', { resourceName: name });
  console.log(read.error ?? read.contents?.[0]?.text ?? '(binary)');
}
await client.close();
