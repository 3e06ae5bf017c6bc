// A host of MCP Apps in a page, bundled by apps.mjs: connects to `url`, calls each tool of `apps`, reads its page and shows
// that in a sandbox of another origin. Then the sandbox of each clicks in the page and tells what it shows.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, PostMessageTransport, getToolUiResourceUri } from '@modelcontextprotocol/ext-apps/app-bridge';

const ASKED = new URLSearchParams(location.search);
const UI = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };

async function show(client, tool, sandbox) {
  const uri = getToolUiResourceUri(tool), result = await client.callTool({ name: tool.name, arguments: {} });
  const [page] = (await client.readResource({ uri })).contents;
  const frame = document.body.appendChild(document.createElement('iframe'));
  const ready = new Promise((go) => { addEventListener('message', (e) => { if (e.source === frame.contentWindow && e.data?.method?.endsWith('sandbox-proxy-ready')) go(); }); });
  frame.src = sandbox;
  await ready;
  const bridge = new AppBridge(client, { name: 'host', version: '1' }, { serverTools: {}, serverResources: {}, openLinks: {}, logging: {} });
  const initialized = new Promise((go) => { bridge.oninitialized = go; });
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await bridge.sendSandboxResourceReady({ html: page.text, csp: page._meta?.ui?.csp });
  await initialized;
  await bridge.sendToolInput({ arguments: {} });
  await bridge.sendToolResult(result);
  return { frame, uri, bytes: page.text.length, contents: page.uri };
}

// Asks the sandbox to click the button with that text (if any), and to answer when the page shows a text like `until`.
function use(frame, order) {
  return new Promise((go) => {
    addEventListener('message', function heard(e) {
      if (e.source !== frame.contentWindow || e.data?.test !== 'seen') return;
      removeEventListener('message', heard);
      go(e.data.text);
    });
    frame.contentWindow.postMessage({ test: 'use', ...order }, '*');
  });
}

async function run() {
  const { url, era, declares, apps, sandbox } = JSON.parse(ASKED.get('plan'));
  const client = new Client({ name: 'host', version: '1' }, { capabilities: declares ? { extensions: UI } : {},
    versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { tools } = await client.listTools(), out = { tools: tools.map((t) => t.name), apps: [], extensions: client.getServerCapabilities()?.extensions };
  const shown = [];
  for (const { tool } of apps) {
    const found = tools.find((t) => t.name === tool);
    if (!found) throw new Error(`no tool ${tool} among ${out.tools}`);
    shown.push(await show(client, found, sandbox));
  }
  for (const [i, { frame, ...page }] of shown.entries())
    out.apps.push({ ...page, text: await use(frame, apps[i]) });
  await client.close();
  return out;
}

const report = await run().catch((e) => ({ error: String(e.stack ?? e) }));
await fetch('/report', { method: 'POST', body: JSON.stringify(report) });
