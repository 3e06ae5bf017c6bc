// What sdk1.mjs and sdk2.mjs have in common: the command line, and the calls
// made to server-everything (directly, or through the gateway with --prefix).
import { createHash } from 'node:crypto';

export function parseArgs(argv, usage) {
  const o = { prefix: '', url: null, stdio: null, era: 'legacy', server: 'everything', reverse: false, capable: false, headers: {} };
  for (let i = 0; i < argv.length; i++) {
    const a = argv[i];
    if (a === '--url') o.url = argv[++i];
    else if (a === '--prefix') o.prefix = argv[++i];
    else if (a === '--era') o.era = argv[++i];
    else if (a === '--server') o.server = argv[++i];
    else if (a === '--reverse') o.reverse = true;
    else if (a === '--capable') o.capable = true; // declares what --reverse does, and answers nothing
    else if (a === '--header') { const [k, v] = argv[++i].split(/:\s*/); o.headers[k] = v; }
    else if (a === '--stdio') { o.stdio = argv.slice(i + 1); break; }
    else { console.error(usage); process.exit(2); }
  }
  if (!o.url === !o.stdio?.length) { console.error(usage); process.exit(2); }
  return o;
}

// What the client answers when the server asks it something (--reverse).
export const CLIENT_CAPABILITIES = { roots: { listChanged: true }, sampling: {}, elicitation: { form: {} } };
export const EVERY_CAPABILITY = { roots: {}, sampling: { context: {}, tools: {} }, elicitation: { form: {}, url: {} } };
export const ROOTS = { roots: [{ uri: 'file:///srv/interop', name: 'interop' }] };
export const SAMPLE = { model: 'fixed-model', role: 'assistant', stopReason: 'endTurn', content: { type: 'text', text: 'a fixed answer' } };
export const ELICITED = { action: 'accept', content: { name: 'Ada', check: true } };

const sha = (s) => createHash('sha256').update(s).digest('hex').slice(0, 16);
const sleep = (ms) => new Promise((r) => setTimeout(r, ms));

// Only what belongs to this prefix, without it: the same output as without gateway.
function own(list, prefix) {
  return list.filter((x) => x.name.startsWith(prefix)).map((x) => ({ ...x, name: x.name.slice(prefix.length) }));
}

// Long texts as a hash, and without the time of day that server-everything puts in.
function content(c) {
  const out = { ...c };
  delete out._meta;
  if (out.blob) out.blob = Buffer.from(out.blob, 'base64').toString();
  for (const k of ['text', 'blob', 'data']) {
    if (typeof out[k] !== 'string') continue;
    out[k] = out[k].replace(/created at .*/, 'created at TIME');
    if (out[k].length > 200) out[k] = `${out[k].length} characters, sha256 ${sha(out[k])}`;
  }
  if (out.resource) out.resource = content(out.resource);
  return out;
}

function toolResult(r) {
  const { content: c, structuredContent, isError } = r;
  return { content: c?.map(content), structuredContent, isError };
}

async function failure(promise) {
  try {
    return { result: toolResult(await promise) };
  } catch (e) {
    return { code: e.code, message: e.message };
  }
}

// A call that is cancelled after its first progress notification.
async function cancelled(c, name, args) {
  const stop = new AbortController();
  let stopped = 0;
  const error = await c.call(name, args, {
    signal: stop.signal,
    onprogress: () => { stopped ||= Date.now(); stop.abort('enough'); },
  }).then(() => null, (e) => e);
  if (!error) throw new Error('the cancelled call came to an end');
  if (!stopped || Date.now() - stopped > 1000) throw new Error(`the cancelled call rejected late: ${error.message}`);
  return { message: error.message };
}

// `c` is the client with one face for both SDKs (see the two scripts):
// tools() resources() templates() prompts() call(name, args, opts) read(uri)
// prompt(name, args) complete(ref, argument, context) ping() logLevel(l)
// subscribe(uri) unsubscribe(uri) toolChanges(), and the arrays logs and updates
export async function exerciseEverything(c, { prefix: P, legacy, reverse }) {
  const out = {};
  if (legacy) out.ping = await c.ping();
  const tools = await c.tools();
  out.tools = own(tools, P);
  const resources = await c.resources();
  out.resources = resources;
  out.templates = await c.templates();
  out.prompts = own(await c.prompts(), P);

  out.echo = toolResult(await c.call(P + 'echo', { message: 'hello ✓' }));
  out.sum = toolResult(await c.call(P + 'get-sum', { a: 2, b: 40 }));
  out.structured = toolResult(await c.call(P + 'get-structured-content', { location: 'Chicago' }));
  out.image = toolResult(await c.call(P + 'get-tiny-image', {}));
  out.links = toolResult(await c.call(P + 'get-resource-links', { count: 2 }));
  out.embedded = toolResult(await c.call(P + 'get-resource-reference', { resourceType: 'Text', resourceId: 1 }));
  out.annotated = toolResult(await c.call(P + 'get-annotated-message', { messageType: 'error', includeImage: false }));

  // Not the last one: the result follows at once, and when both arrive in one
  // chunk the SDKs settle the call first and drop that notification.
  const progress = [];
  out.long = toolResult(await c.call(P + 'trigger-long-running-operation', { duration: 1, steps: 4 },
    { onprogress: (p) => progress.push({ progress: p.progress, total: p.total }) }));
  out.progress = progress.filter((p) => p.progress < p.total);

  out.cancelled = await cancelled(c, P + 'trigger-long-running-operation', { duration: 6, steps: 12 });
  out.afterCancel = toolResult(await c.call(P + 'echo', { message: 'still there' }));

  out.unknownTool = await failure(c.call(P + 'no-such-tool', {}));
  out.badArguments = await failure(c.call(P + 'get-sum', { a: 'two' }));
  out.unknownResource = await failure(c.read('demo://resource/none'));

  out.readStatic = (await c.read(resources[0].uri)).contents.map(content);
  out.readText = (await c.read('demo://resource/dynamic/text/1')).contents.map(content);
  out.readBlob = (await c.read('demo://resource/dynamic/blob/2')).contents.map(content);

  const messages = (r) => r.messages.map((m) => ({ role: m.role, content: content(m.content) }));
  out.promptSimple = messages(await c.prompt(P + 'simple-prompt'));
  out.promptArgs = messages(await c.prompt(P + 'args-prompt', { city: 'Wien', state: 'AT' }));
  out.promptResource = messages(await c.prompt(P + 'resource-prompt', { resourceType: 'Text', resourceId: '3' }));
  out.unknownPrompt = await failure(c.prompt(P + 'no-such-prompt'));

  const prompt = { type: 'ref/prompt', name: P + 'completable-prompt' };
  out.completePrompt = (await c.complete(prompt, { name: 'department', value: 'S' })).completion;
  out.completeContext = (await c.complete(prompt, { name: 'name', value: '' }, { arguments: { department: 'Sales' } })).completion;
  out.completeTemplate = (await c.complete({ type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' },
    { name: 'resourceId', value: '7' })).completion;

  if (legacy) {
    out.logLevel = await c.logLevel('debug');
    // The tool sends one log message at once, of a random level, then one each 5 s.
    out.logToggle = toolResult(await c.call(P + 'toggle-simulated-logging', {})).isError ?? false;
    for (let i = 0; i < 20 && !c.logs.length; i++) await sleep(100);
    await c.call(P + 'toggle-simulated-logging', {});
    out.logSeen = c.logs.some((l) => /level.message/i.test(l.data));
  }

  // In the modern era a subscriptions/listen stream instead of resources/subscribe.
  if (c.canSubscribe()) {
    await c.subscribe('demo://resource/dynamic/text/1');
    await c.call(P + 'toggle-subscriber-updates', {});
    for (let i = 0; i < 20 && !c.updates.length; i++) await sleep(100);
    await c.call(P + 'toggle-subscriber-updates', {});
    await c.unsubscribe('demo://resource/dynamic/text/1');
    out.updates = [...new Set(c.updates)];
  }

  if (reverse) {
    out.roots = toolResult(await c.call(P + 'get-roots-list', {}));
    out.sampling = toolResult(await c.call(P + 'trigger-sampling-request', { prompt: 'say', maxTokens: 5 }));
    out.elicitation = toolResult(await c.call(P + 'trigger-elicitation-request', {}));
  }
  return out;
}

// The same for modern-server.mjs.
export async function exerciseModern(c, { prefix: P, listen }) {
  const out = {};
  out.tools = own(await c.tools(), P);
  out.resources = await c.resources();
  out.templates = await c.templates();
  out.prompts = own(await c.prompts(), P);
  out.structured = toolResult(await c.call(P + 'measure', { text: 'twelve chars' }));
  const progress = [];
  out.slow = toolResult(await c.call(P + 'measure', { text: 'slow', steps: 3 }, { onprogress: (p) => progress.push(p.progress) }));
  out.progress = progress.filter((p) => p < 3); // see above
  out.cancelled = await cancelled(c, P + 'measure', { text: 'slow', steps: 50 });
  out.unknownTool = await failure(c.call(P + 'no-such-tool', {}));
  out.badArguments = await failure(c.call(P + 'measure', { text: 1 }));
  out.unknownResource = await failure(c.read('modern://none'));
  out.unknownPrompt = await failure(c.prompt(P + 'no-such-prompt'));
  out.resource = (await c.read('modern://note')).contents.map(content);
  out.fromTemplate = (await c.read('modern://square/12')).contents.map(content);
  out.prompt = (await c.prompt(P + 'greet', { name: 'Ada' })).messages;
  out.complete = (await c.complete({ type: 'ref/prompt', name: P + 'greet' }, { name: 'name', value: 'A' })).completion;
  const before = c.toolChanges();
  const name = 'extra_' + process.pid;
  out.add = toolResult(await c.call(P + 'add_tool', { name })).isError ?? false;
  if (listen) {
    for (let i = 0; i < 30 && c.toolChanges() === before; i++) await sleep(100);
    out.toolsChanged = c.toolChanges() > before;
  }
  out.added = own(await c.tools(), P).some((t) => t.name === name);
  out.callAdded = toolResult(await c.call(P + name, {})).content[0].text === `I am ${name}`;
  return out;
}
