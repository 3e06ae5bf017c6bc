// The rows of the matrix: what a client does, and what it has to see. One function of (client, column) each;
// `none` tells why a cell cannot be. A column is { client, server, clientOver, serverOver, direct, prefix, place, plain() }:
// `prefix` stands before the server's names, `place` before its URIs.
import * as offer from './matrix-offer.mjs';
import { PATIENCE_MS, accepted, rootsOf, sampled } from './matrix-clients.mjs';

let nth = 0;
const fresh = (word = 'test') => `${word} ${++nth}`;
const json = (result) => {
  if (result.isError) throw new Error(`the tool says no: ${JSON.stringify(result.content)}`);
  return JSON.parse(result.content[0].text);
};
const sorted = (value) => Array.isArray(value) ? value.map(sorted) : !value || typeof value !== 'object' ? value
  : Object.fromEntries(Object.keys(value).sort().map((k) => [k, sorted(value[k])]));
export function same(got, wanted, what) {
  const [a, b] = [JSON.stringify(sorted(got)), JSON.stringify(sorted(wanted))];
  if (a !== b) throw new Error(`${what}:\n  got    ${a?.slice(0, 1500)}\n  wanted ${b?.slice(0, 1500)}`);
}
const failure = (promise) => promise.then((r) => { throw new Error(`no error: ${JSON.stringify(r)}`); }, (e) => e);
const isStateless = (revision) => revision === '2026-07-28';
const methods = (asked) => asked.map((a) => a.method).sort();
const inputRequired = (c) => c.heard.filter((m) => m.result?.resultType === 'input_required').map((m) => m.result);
const call = (c, { prefix }, name, args, options) => c.call(prefix + name, args, { timeout: PATIENCE_MS, ...options });
const pick = (object, wanted) => Object.fromEntries(Object.keys(wanted).map((k) => [k, object[k]]));

async function sampling(c, at) {
  const text = fresh();
  same(json(await call(c, at, 'ask_sampling', { text })), sampled(text), 'what the server got');
  const asked = c.asked();
  same(methods(asked), ['sampling/createMessage'], 'questions');
  const wanted = offer.sampling(text);
  same(pick(asked[0].params, wanted), wanted, 'parameters');
}

async function samplingRefused(c, at) {
  await refused(call(c, at, 'ask_sampling', { text: fresh('refuse') }), /reject/, c, { asked: ['sampling/createMessage'] });
}

async function form(c, at, name = 'ask_form') {
  const text = fresh();
  same(json(await call(c, at, name, { text })), accepted(text), 'what the server got');
  const asked = c.asked();
  same(methods(asked), ['elicitation/create'], 'questions');
  same(pick(asked[0].params, offer.form(text)), offer.form(text), 'parameters');
}

async function declined(c, at) {
  same(json(await call(c, at, 'ask_form', { text: fresh('decline') })), { action: 'decline' }, 'what the server got');
}

async function url(c, at) {
  const text = fresh();
  if (c.revision === '2025-06-18') return refused(call(c, at, 'ask_url', { text }), /url|elicitation/i, c);
  same(json(await call(c, at, 'ask_url', { text })), { action: 'accept' }, 'what the server got');
  seenPage(c, text);
}
function seenPage(c, text) {
  const asked = c.asked();
  same(methods(asked), ['elicitation/create'], 'questions');
  const [{ params }] = asked;
  same(pick(params, { mode: 1, message: 1, url: 1 }), { mode: 'url', ...offer.page(text) }, 'parameters');
  same(typeof params.elicitationId, isStateless(c.revision) ? 'undefined' : 'string', 'elicitationId');
}
// A capability is missing: a result the model can read, or for 2026-07-28 the error that names the capability.
async function refused(promise, words, c, { code, asked = [] } = {}) {
  const result = await promise.catch((e) => e);
  const text = JSON.stringify([result.message, result.data, result.content]);
  const clear = result instanceof Error ? isStateless(c.revision) && result.code === -32021 && result.data?.requiredCapabilities
    : result.isError && !code;
  if (!clear) throw new Error(`not a clear error: ${result.code} ${text}`);
  if (!words.test(text)) throw new Error(`the error does not say what is missing: ${text}`);
  same(methods(c.asked()), asked, 'questions');
}

async function urlRequired(c, at) {
  const text = fresh();
  if (c.revision === '2025-06-18') return refused(call(c, at, 'ask_url_required', { text }), /https:\/\/example.org\/page/, c);
  if (isStateless(c.revision)) {
    same(json(await call(c, at, 'ask_url_required', { text })), 'visited', 'result');
    seenPage(c, text);
    return same(c.notifications('notifications/elicitation/complete'), [], 'notices this revision does not know');
  }
  const error = await failure(call(c, at, 'ask_url_required', { text }));
  same(error.code, -32042, 'code');
  const [{ elicitationId, ...page }] = error.data.elicitations;
  same(page, { mode: 'url', ...offer.page(text) }, 'what is to be visited');
  same(json(await call(c, at, 'ask_url_required', { text })), 'visited', 'the second call');
  await c.until((m) => m.method === 'notifications/elicitation/complete' && m.params.elicitationId === elicitationId, 'notice that the page was visited');
}

async function roots(c, at) {
  same(json(await call(c, at, 'ask_roots', { text: fresh() })), rootsOf(c.who).roots, 'what the server got');
  same(methods(c.asked()), ['roots/list'], 'questions');
}

async function three(c, at) {
  const text = fresh();
  same(json(await call(c, at, 'ask_three', { text })), [sampled(text), accepted(text), rootsOf(c.who).roots], 'what the server got');
  same(methods(c.asked()), ['elicitation/create', 'roots/list', 'sampling/createMessage'], 'questions');
  if (isStateless(c.revision)) same(inputRequired(c).map((r) => Object.keys(r.inputRequests).length), [3], 'questions of each round');
}

async function twice(c, at) {
  const text = fresh();
  const first = accepted(text), next = offer.second(text, first.content.answer);
  same(json(await call(c, at, 'ask_twice', { text })), [first, accepted(next)], 'what the server got');
  same(c.asked().map((a) => a.params.message), [text, next], 'questions');
  const states = inputRequired(c).map((r) => r.requestState);
  if (isStateless(c.revision) && (states.length !== 2 || states[0] === states[1])) throw new Error(`states ${JSON.stringify(states)}`);
}

async function prompt(c, { prefix }) {
  const text = fresh();
  const { messages } = await c.prompt(`${prefix}asking`, { text });
  same(JSON.parse(messages[0].content.text), accepted(text), 'the prompt');
  same(c.asked().map((a) => a.params.message), [text], 'questions');
}

async function resource(c, { place }) {
  const uri = `${place}/asking`;
  const { contents } = await c.read(uri);
  same(JSON.parse(contents[0].text), accepted(uri), 'the resource');
  same(c.asked().map((a) => a.params.message), [uri], 'questions');
}

async function subscription(c, at) {
  const uris = [1, 2].map(() => `${at.place}/item/${fresh('watched').replace(' ', '-')}`);
  const updated = (uri) => (m) => m.method === 'notifications/resources/updated' && m.params.uri === uri;
  const watches = await Promise.all(uris.map((uri) => c.watch({ uri })));
  for (const uri of uris) await call(c, at, 'touch', { uri });
  for (const uri of uris) await c.until(updated(uri), `change of ${uri}`);
  await watches[0].stop();
  c.heard.length = 0;
  for (const uri of uris) await call(c, at, 'touch', { uri });
  await c.until(updated(uris[1]), 'change of what is still watched');
  if (c.heard.some(updated(uris[0]))) throw new Error('told of a change nobody watches any more');
  await watches[1].stop();
}

async function listChanged(c, at) {
  const name = fresh('added').replace(' ', '_');
  const lists = [['tools', (x) => x.name === at.prefix + name], ['prompts', (x) => x.name === at.prefix + name], ['resources', (x) => x.uri === `${at.place}/${name}`]];
  for (const [what] of lists) await c[what](); // a list nobody has seen need not be told of
  const watch = await c.watch({});
  await call(c, at, 'add_tool', { text: name });
  for (const [what, it] of lists) {
    for (let told = 0; ;) { // another column may have added something, too
      const news = (m) => m.method === `notifications/${what}/list_changed`;
      await c.until(() => c.heard.filter(news).length > told, `changed ${what} with ${name}`);
      told = c.heard.filter(news).length;
      if ((await c[what]()).some(it)) break;
    }
  }
  same(json(await call(c, at, name, {})), name, 'the new tool');
  await watch.stop();
}

async function progress(c, at) {
  const [text, steps, told] = [fresh(), 5, []];
  same(json(await call(c, at, 'slow_progress', { text, steps }, { onprogress: (p) => told.push(p.progress) })), text, 'result');
  const { progressToken } = c.sent.find((m) => m.params?.arguments?.text === text).params._meta;
  same(c.notifications('notifications/progress'), [1, 2, 3, 4, 5].map((i) => ({ progressToken, progress: i, total: steps, message: `${text} ${i}` })), 'progress');
  same(told, [1, 2, 3, 4, 5].slice(0, told.length), 'what the SDK passed on');
}

async function cancellation(c, at) {
  const [text, stop] = [fresh(), new AbortController()];
  const error = await failure(call(c, at, 'slow', { text }, { signal: stop.signal, onprogress: () => stop.abort('enough') }));
  if (!stop.signal.aborted) throw error;
  same(json(await call(c, at, 'was_cancelled', { text })), true, 'the server knows');
  const { id } = c.sent.find((m) => m.params?.arguments?.text === text);
  same(c.heard.filter((m) => m.id === id), [], 'answers to the cancelled call');
}

const logged = (c, text) => c.notifications('notifications/message').filter((p) => p.data.text === text);
// Over stdio a message names no call. While another client has a call at the same server, a message may be given to no
// 2026-07-28 client, so that nobody hears what is not theirs: the call is made again. Such a client has all messages before the answer.
const GOES = 10;
async function noise(c, at, name, wanted) {
  const mayMiss = isStateless(c.revision) && at.clientOver === 'http' && at.serverOver === 'stdio';
  for (let left = mayMiss ? GOES : 1; left; left--) {
    const text = fresh();
    await call(c, at, name, { text });
    if (left > 1 && logged(c, text).length < wanted.length) continue;
    if (wanted.length) await c.until((m) => m.method === 'notifications/message' && m.params.data.text === text && m.params.level === wanted.at(-1), `message of ${name}`);
    const got = logged(c, text);
    same(got.map((p) => [p.level, p.data.level]), wanted.map((l) => [l, l]), `levels of ${name}`);
    for (const { logger } of got) if (!/(^|\W|_)matrix$/.test(logger)) throw new Error(`logger ${logger}`);
    return text;
  }
}
// Messages outside of calls come on a stream of their own, which SDKs open after the handshake, in their own time.
async function streaming(c, at) {
  const text = fresh();
  for (let n = 0; !logged(c, text).length; n++) {
    if (n === 100) throw new Error('no message outside of a call is heard');
    await call(c, at, 'noisy_aside', { text });
    await new Promise((go) => setTimeout(go, 50));
  }
}
async function logging(c, at) {
  const silent = isStateless(c.revision) && await noise(c, at, 'noisy', []);
  for (const from of [2, 0]) {
    await c.logLevel(offer.LEVELS[from]);
    await noise(c, at, 'noisy', offer.LEVELS.slice(from));
  }
  if (silent) same(logged(c, silent), [], 'messages nobody asked for');
  if (isStateless(c.revision) || at.server !== 'legacy') return;
  await streaming(c, at);
  await noise(c, at, 'noisy_aside', offer.LEVELS);
}

async function completion(c, { prefix, place }) {
  const values = async (ref, argument) => (await c.complete(ref, argument)).completion.values;
  same(await values({ type: 'ref/prompt', name: `${prefix}greet` }, { name: 'name', value: 'A' }), ['Ada', 'Alan'], 'of a prompt');
  same(await values({ type: 'ref/resource', uri: `${place}/item/{name}` }, { name: 'name', value: 'G' }), ['Grace'], 'of a template');
}

async function structured(c, at, name = 'structured', wanted = offer.OBJECT) {
  const tool = (await c.tools()).find((t) => t.name === at.prefix + name);
  if (!tool?.outputSchema) throw new Error(`no schema: ${JSON.stringify(tool)}`);
  same((await call(c, at, name, {})).structuredContent, wanted, 'structured content');
  return tool.outputSchema;
}
async function structuredAny(c, at) {
  const wrapped = !isStateless(c.revision);
  const schema = await structured(c, at, 'structured_list', wrapped ? { result: offer.LIST } : offer.LIST);
  same(wrapped ? [schema.type, schema.properties?.result?.type, schema.required] : schema.type, wrapped ? ['object', 'array', ['result']] : 'array', 'schema');
}

async function notFound(c, at) {
  const uri = `${at.place}/item/nobody`;
  const error = await failure(c.read(uri));
  same(error.data?.uri, uri, 'data.uri');
  const codes = isStateless(c.revision) ? [-32602] : at.server === 'legacy' ? [-32002] : [-32002, -32602];
  if (!codes.includes(error.code)) throw new Error(`code ${error.code}`);
}

async function incapable(_, at) {
  const c = await at.plain();
  try {
    const stateless = isStateless(c.revision) && at.server === 'stateless';
    for (const [name, words] of [['ask_form', /elicitation/i], ['ask_sampling', /sampling/i], ['ask_roots', /roots/i]])
      await refused(call(c, at, name, { text: fresh() }), words, c, { code: stateless });
  } finally {
    await c.close();
  }
}

export const FEATURES = [
  { name: 'sampling', run: sampling },
  { name: 'sampling refused', run: samplingRefused,
    none: ({ client }) => isStateless(client) && 'in 2026-07-28 a client that refuses does not send the call again' },
  { name: 'form', run: form },
  { name: 'form declined', run: declined },
  { name: 'form asked beside the call', run: (c, at) => form(c, at, 'ask_form_aside'),
    none: ({ server, serverOver }) => server === 'stateless' ? 'servers of 2026-07-28 ask questions in results only'
      : serverOver === 'stdio' && 'stdio has one stream: this is the row "form"' },
  { name: 'url', run: url },
  { name: 'url required', run: urlRequired,
    none: ({ client, server, direct }) => server === 'stateless' ? '2026-07-28 has no error -32042: this is the row "url"'
      : direct && client === '2025-06-18' && 'the server answers -32042 without looking at the revision' },
  { name: 'roots', run: roots },
  { name: 'three at once', run: three },
  { name: 'two rounds', run: twice },
  { name: 'prompt asks', run: prompt },
  { name: 'resource asks', run: resource },
  { name: 'subscription', run: subscription },
  { name: 'list changed', run: listChanged },
  { name: 'progress', run: progress },
  { name: 'cancellation', run: cancellation },
  { name: 'logging', run: logging },
  { name: 'completion', run: completion },
  { name: 'structured content', run: structured },
  { name: 'structured content, not an object', run: structuredAny,
    none: ({ server }) => server === 'legacy' && 'structured content is an object up to 2025-11-25' },
  { name: 'not found', run: notFound },
  { name: 'client without the capability', run: incapable },
];
