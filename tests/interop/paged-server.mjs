// A server of many resources, over stdio with the SDK: COUNT of them in pages of SIZE. With "stuck" it never lists any; with
// "announce" it says that it tells when the list changes.
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { ListResourceTemplatesRequestSchema, ListResourcesRequestSchema, ReadResourceRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const [count, size, ...words] = process.argv.slice(2);
const all = Array.from({ length: Number(count) }, (_, i) => ({ uri: `paged://${i}`, name: `resource ${i}`, title: `No. ${i}`, mimeType: 'text/plain', size: i }));
const resources = words.includes('announce') ? { listChanged: true } : {};
const server = new Server({ name: 'paged', version: '1' }, { capabilities: { resources } });
server.setRequestHandler(ListResourcesRequestSchema, ({ params }) => {
  if (words.includes('stuck')) return new Promise(() => {});
  const from = Number(params?.cursor ?? 0), to = from + Number(size);
  return { resources: all.slice(from, to), ...to < all.length ? { nextCursor: String(to) } : {} };
});
server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({ resourceTemplates: [{ uriTemplate: 'paged://{n}', name: 'any' }] }));
server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => ({ contents: [{ uri: params.uri, mimeType: 'text/plain', text: `the text of ${params.uri}` }] }));
await server.connect(new StdioServerTransport());
