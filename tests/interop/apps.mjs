// MCP Apps in a browser: the published examples behind the gateway, shown by a small host that is built on the official
// packages. Two of them have the same tool and the same page URI. TAP on stdout.
// usage: node apps.mjs MCPTOOLS_BINARY
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { background, stopAll } from './background.mjs';

const BINARY = process.argv[2], HERE = dirname(fileURLToPath(import.meta.url));
const PATIENCE_MS = 120_000;

function chromium() {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    try {
      return execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim();
    } catch { /* the next one */ }
  }
  return null;
}

const BROWSER = chromium();
if (!BROWSER) {
  console.log(process.env.CI ? 'Bail out! chromium is missing: tools/setup test installs it' : '1..0 # SKIP chromium is missing: tools/setup test installs it');
  process.exit(process.env.CI ? 1 : 0);
}

// ---- the host page, and the sandbox of another origin ----

// The proxy of the extension: gives the page to a frame inside, passes messages on, and (for the test) clicks and reads.
const SANDBOX = `<!doctype html><body><script>
const inner = document.body.appendChild(document.createElement('iframe'));
inner.sandbox = 'allow-scripts allow-same-origin';
const seen = ({ click, until }) => {
  const page = inner.contentDocument, text = page?.body?.innerText ?? '';
  const button = click && [...(page?.querySelectorAll('button') ?? [])].find((b) => b.textContent.includes(click));
  if (button && !button.clicked) { button.clicked = true; button.click(); }
  if ((!click || button) && new RegExp(until).test(text)) parent.postMessage({ test: 'seen', text }, '*');
  else setTimeout(seen, 50, { click, until });
};
addEventListener('message', (e) => {
  if (e.source === inner.contentWindow) parent.postMessage(e.data, '*');
  else if (e.data?.test === 'use') seen(e.data);
  else if (e.data?.method === 'ui/notifications/sandbox-resource-ready') inner.srcdoc = e.data.params.html;
  else inner.contentWindow.postMessage(e.data, '*');
});
parent.postMessage({ jsonrpc: '2.0', method: 'ui/notifications/sandbox-proxy-ready', params: {} }, '*');
</script></body>`;

async function bundle() {
  const built = await rolldown({ input: join(HERE, 'apps-host.mjs'), platform: 'browser', logLevel: 'silent' });
  const { output } = await built.generate({ format: 'esm' });
  return output[0].code;
}

const folder = mkdtempSync(join(tmpdir(), 'mcptools-apps-'));
const script = await bundle();
let reported; // called with what the host page tells
const web = createServer((request, response) => {
  const path = new URL(request.url, 'http://x').pathname;
  if (path === '/report') {
    let body = '';
    request.on('data', (chunk) => { body += chunk; }).on('end', () => { response.end(); reported(JSON.parse(body)); });
    return;
  }
  const page = { '/': '<!doctype html><body><script type="module" src="/host.js"></script></body>', '/host.js': script, '/sandbox': SANDBOX }[path];
  response.writeHead(page ? 200 : 404, { 'content-type': path === '/host.js' ? 'text/javascript' : 'text/html' }).end(page ?? '');
}).listen(0, '127.0.0.1');
await new Promise((go) => { web.once('listening', go); });
const port = web.address().port, ORIGIN = `http://127.0.0.1:${port}`, SANDBOXED = `http://localhost:${port}/sandbox`;

// ---- the gateway ----

const example = (name) => ({ command: process.execPath, args: [join(HERE, `node_modules/@modelcontextprotocol/${name}/dist/index.js`), '--stdio'] });
const SERVERS = { basic: example('server-basic-vanillajs'), react: example('server-basic-react'), monitor: example('server-system-monitor') };

async function start(name, apps) {
  const home = join(folder, name), config = join(home, 'mcptools.json');
  mkdirSync(home);
  writeFileSync(config, JSON.stringify({ mcpServers: SERVERS, mcptools: { serve: { origins: [ORIGIN], apps } } }));
  const it = background(BINARY, ['serve', '--config', config, '--http', '127.0.0.1:0'], { cwd: home, env: { PATH: process.env.PATH, HOME: home } });
  const url = (await it.until(/serves (http:\S+)/))[1];
  await it.until(/ready: 3 of 3 servers/);
  return { url, calls: () => calls(url), stop: () => it.stop() };
}

// Requests to each server that have ended, as /metrics counts them.
async function calls(url) {
  const text = await (await fetch(new URL('/metrics', url))).text(), n = { basic: 0, react: 0, monitor: 0 };
  for (const [, server, count] of text.matchAll(/^mcptools_calls_total\{server="(\w+)"[^}]*\} (\d+)/gm)) n[server] += Number(count);
  return n;
}

// ---- the browser ----

async function browse(plan) {
  const profile = mkdtempSync(join(folder, 'profile-'));
  const told = new Promise((go, fail) => {
    reported = go;
    setTimeout(fail, PATIENCE_MS, new Error('the page says nothing')).unref();
  });
  const at = `${ORIGIN}/?plan=${encodeURIComponent(JSON.stringify({ declares: true, sandbox: SANDBOXED, ...plan }))}`;
  const browser = spawn(BROWSER, ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-sync', '--disable-background-networking',
    '--disable-component-update', '--disable-dev-shm-usage', `--user-data-dir=${profile}`, '--remote-debugging-port=0', at],
  { detached: true, stdio: 'ignore', env: { ...process.env, HOME: profile } });
  try {
    const report = await told;
    if (report.error) throw new Error(report.error);
    return report;
  } finally {
    process.kill(-browser.pid, 'SIGKILL');
  }
}

// ---- tests ----

let n = 0, failed = 0;
async function test(name, run) {
  try {
    await run();
    console.log(`ok ${++n} - ${name}`);
  } catch (e) {
    failed++;
    console.log(`not ok ${++n} - ${name}\n# ${String(e.stack).replaceAll('\n', '\n# ')}`);
  }
}
function check(condition, what, seen) {
  if (!condition) throw new Error(`${what}: ${JSON.stringify(seen).slice(0, 2000)}`);
}

const TIME = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z', CLICK = { click: 'Get Server Time', until: TIME };
const PAGES = { basic: 217931, react: 413599 };

const other = { basic: 'react', react: 'basic' };

// An app of the server is shown alone: three requests go there (tool, page, the call of the app), none to the other one.
async function alone(gateway, era, server) {
  const before = await gateway.calls();
  const { apps: [app], extensions } = await browse({ url: gateway.url, era, apps: [{ tool: `${server}__get-time`, ...CLICK }] });
  const after = await gateway.calls();
  check(app.uri === `ui://${server}/get-time/mcp-app.html` && app.contents === app.uri, 'the URI', app);
  check(app.bytes === PAGES[server], 'the page', app);
  check(extensions?.['io.modelcontextprotocol/ui'], 'the extension is not advertised', extensions);
  check(after[server] - before[server] === 3 && after[other[server]] === before[other[server]], 'requests', { before, after });
}

const plain = await start('plain', {});
for (const server of ['basic', 'react'])
  await test(`/mcp, with a session: the page of ${server} is its own, and calls its own server`, () => alone(plain, 'legacy', server));
await test('/mcp, without a session: the page of basic is its own, and calls its own server', () => alone(plain, 'modern', 'basic'));
await test('/mcp, without a session: with apps of both servers in use, a name of both is refused', async () => {
  const before = await plain.calls();
  const { apps: [app] } = await browse({ url: plain.url, era: 'modern', apps: [{ tool: 'react__get-time', click: CLICK.click, until: 'ERROR|ambiguous' }] });
  const after = await plain.calls();
  check(app.bytes === PAGES.react && after.react === before.react + 2 && after.basic === before.basic, 'requests', { before, after, app });
});

await test('/mcp: a tool that is for apps only is listed for hosts with apps only', async () => {
  for (const declares of [true, false]) {
    const { tools } = await browse({ url: plain.url, era: 'modern', declares, apps: [] });
    check(tools.includes('monitor__poll-system-stats') === declares, `declared: ${declares}`, tools);
  }
});

for (const mode of ['full', 'search', 'router'])
  await test(`mode ${mode}: an app polls a tool that is for apps only`, async () => {
    const before = await plain.calls();
    const { apps: [app] } = await browse({ url: `${plain.url}?mode=${mode}`, era: 'legacy', apps: [{ tool: 'monitor__get-system-info', until: '[1-9]\\d*(\\.\\d+)? ?%' }] });
    check((await plain.calls()).monitor > before.monitor + 1, 'requests', { before, after: await plain.calls(), app });
  });

for (const era of ['legacy', 'modern'])
  await test(`/mcp/react, ${era}: everything as the server says it`, async () => {
    const { apps: [app] } = await browse({ url: `${plain.url}/react`, era, apps: [{ tool: 'get-time', ...CLICK }] });
    check(app.uri === 'ui://get-time/mcp-app.html' && app.bytes === PAGES.react, 'the page', app);
  });
await plain.stop();

const injects = await start('injects', { names: 'inject' });
for (const era of ['legacy', 'modern'])
  await test(`/mcp, names injected, ${era}: apps of both servers side by side, each calls its own server`, async () => {
    const before = await injects.calls();
    const { apps } = await browse({ url: injects.url, era, apps: ['basic', 'react'].map((s) => ({ tool: `${s}__get-time`, ...CLICK })) });
    const after = await injects.calls();
    for (const [i, server] of ['basic', 'react'].entries()) {
      check(apps[i].bytes > PAGES[server] && apps[i].bytes < PAGES[server] + 2000, 'the page', apps[i]);
      check(after[server] - before[server] === 3, 'requests', { before, after });
    }
  });
await injects.stop();

console.log(`1..${n}`);
await stopAll();
web.close();
rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
process.exit(failed ? 1 : 0);
