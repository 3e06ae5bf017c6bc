// Two clients of one gateway, with the same ids and progress tokens: each hears and gets what is its own.
import { lazily } from './background.mjs';
import * as offer from './matrix-offer.mjs';
import { PATIENCE_MS, accepted } from './matrix-clients.mjs';
import { rawClient } from './matrix-raw.mjs';
import { same } from './matrix-features.mjs';

const REVISIONS = { L: '2025-11-25', N: '2026-07-28' };
const PAIRS = ['LL', 'NN', 'LN'];
const both = ({ a, b }, run) => Promise.all([a, b].map(run));
const params = (c, method) => c.heard.filter((m) => m.method === method).map((m) => m.params);
const texts = (c, word, n) => Array.from({ length: n }, (_, i) => `${c.who} ${word} ${i + 1}`);

async function progress(pair, { prefix }) {
  const steps = 20;
  await both(pair, async (c) => {
    for (const [token, text] of [['token', `${c.who} one`], [7, `${c.who} two`]]) {
      c.heard.length = 0;
      same(await c.call(`${prefix}slow_progress`, { text, steps }, { token }), text, 'result');
      const wanted = Array.from({ length: steps }, (_, i) => ({ progressToken: token, progress: i + 1, total: steps, message: `${text} ${i + 1}` }));
      same(params(c, 'notifications/progress'), wanted, `progress of ${text}`);
    }
  });
}

async function questions(pair, { prefix }) {
  await both(pair, async (c) => {
    const mine = texts(c, 'asks', 3);
    const got = await Promise.all(mine.map((text) => c.call(`${prefix}ask_form`, { text })));
    same(got, mine.map(accepted), `what ${c.who} got`);
    same(c.asked.splice(0).sort(), mine, `what ${c.who} was asked`);
  });
}

async function asksMeanwhile({ a, b }, { prefix }) {
  const [text, steps] = [`${b.who} works`, 40];
  const working = b.call(`${prefix}slow_progress`, { text, steps }, { token: 'token' });
  working.catch(() => {}); // told below, if what comes before it succeeds
  same(await a.call(`${prefix}ask_twice`, { text: a.who }), [accepted(a.who), accepted(offer.second(a.who, accepted(a.who).content.answer))], 'answers');
  same(await working, text, 'the other call');
  same(b.asked, [], 'what the other one was asked');
}

async function logging(pair, { prefix, serverOver }) {
  await both(pair, async (c) => {
    const text = `${c.who} log`;
    await c.logLevel('debug');
    same(await c.call(`${prefix}noisy`, { text }, { level: 'debug' }), text, 'result');
    const own = params(c, 'notifications/message').map((p) => p.data.text);
    if (!c.stateless) return; // sessions of a shared server receive what it logs
    // over stdio a message does not say whose it is: while both call, neither hears it
    same([...new Set(own)], own.length || serverOver !== 'stdio' ? [text] : [], `messages for ${c.who}`);
  });
}

async function subscriptions(pair, { prefix, place }) {
  const uri = (c) => `${place}/item/${c.who.replaceAll(' ', '-')}`;
  await both(pair, (c) => c.watch(uri(c)));
  await pair.a.call(`${prefix}touch`, { uri: uri(pair.b) });
  await pair.b.call(`${prefix}touch`, { uri: uri(pair.a) });
  await both(pair, async (c) => {
    await c.until((m) => m.method === 'notifications/resources/updated' && m.params.uri === uri(c), 'change');
    same(params(c, 'notifications/resources/updated').filter((p) => p.uri !== uri(c)), [], 'changes others watch');
  });
}

async function cancellation(pair, { prefix }) {
  const stops = new Map(), ends = new Map();
  await both(pair, async (c) => {
    const stop = new AbortController();
    stops.set(c, { stop, id: c.nextId() });
    ends.set(c, c.call(`${prefix}slow`, { text: c.who }, { token: 'token', signal: stop.signal }).catch((e) => e));
    await c.until((m) => m.method === 'notifications/progress' && m.params.message === c.who, 'sign that it runs');
  });
  const end = async (c) => {
    const { stop, id } = stops.get(c);
    await c.cancel(id);
    if (c.stateless) stop.abort();
    same(await c.call(`${prefix}was_cancelled`, { text: c.who }), true, `${c.who} cancelled`);
    stop.abort();
    await ends.get(c);
  };
  await end(pair.a);
  same(await pair.b.call(`${prefix}is_cancelled`, { text: pair.b.who }), false, 'the other one is cancelled');
  await end(pair.b);
}

async function oneProcess(pair, { prefix }) {
  const [x, y] = await both(pair, (c) => c.call(`${prefix}pid`, {}));
  same(x, y, 'processes');
}

async function until(what, test) {
  for (const end = Date.now() + PATIENCE_MS; !await test();) {
    if (Date.now() > end) throw new Error(`${what} is still there`);
    await new Promise((r) => setTimeout(r, 20));
  }
}
const lives = (pid) => {
  try {
    return process.kill(pid, 0);
  } catch { return false; }
};
// "isolation": "session": a process each, or where the server is a URL a session each, until the client goes.
async function apart(_, at) {
  const pair = await at.open('session');
  const { a, b } = pair;
  try {
    if (at.serverOver === 'stdio') {
      const [x, y] = await both(pair, (c) => c.call(`${at.prefix}pid`, {}));
      if (x === y) throw new Error('one process for both');
      await a.close();
      await until(`process ${x}`, () => !lives(x));
      return same(await b.call(`${at.prefix}pid`, {}), y, 'the process of the other one');
    }
    const [x, y] = await both(pair, (c) => c.call(`${at.prefix}sessions`, {}));
    if (x.own === y.own) throw new Error('one session for both');
    await a.close();
    await until(`session ${x.own}`, async () => !(await b.call(`${at.prefix}sessions`, {})).all.includes(x.own));
    same((await b.call(`${at.prefix}sessions`, {})).own, y.own, 'the session of the other one');
  } finally {
    await pair.close();
  }
}

const stdioOnly = ({ serverOver }) => serverOver === 'http' && 'the gateway starts no process';
const gatewayOnly = ({ direct }) => direct && 'there is no gateway';
export const ISOLATION = [
  { name: 'equal ids and progress tokens', run: progress },
  { name: 'interleaved questions', run: questions },
  { name: 'question while the other works', run: asksMeanwhile },
  { name: 'log messages', run: logging, none: ({ pair }) => pair === 'LL' && 'sessions of a shared server receive what it logs' },
  { name: 'subscriptions', run: subscriptions },
  { name: 'one of two cancelled', run: cancellation },
  { name: 'shared: one process', run: oneProcess, none: (at) => gatewayOnly(at) || stdioOnly(at) },
  { name: 'session: one each, gone with its client', run: apart,
    none: ({ direct, pair, server, serverOver }) => gatewayOnly({ direct }) || pair === 'NN' && 'clients of 2026-07-28 have no sessions' ||
      server === 'stateless' && serverOver === 'http' && 'neither process nor session' },
];

const short = (pair, era, over) => `${[...pair].join('+')}>${era === 'legacy' ? 'L' : 'N'}-${over}`;
let nth = 0;
async function openPair(pair, url) {
  const [a, b] = await Promise.all([...pair].map((letter) => rawClient({ url, revision: REVISIONS[letter], who: `${letter} ${++nth}` })));
  return { a, b, heard: a.heard, sent: b.heard, asked: () => [a, b].flatMap((c) => c.asked.splice(0)), close: () => both({ a, b }, (c) => c.close()) };
}

// One column for each pair of clients and each server; without a gateway, where the server speaks HTTP and their revision.
export function isolationColumns(kinds, { server, allServers, serveHttp }) {
  const gateway = (isolation) => lazily(async () => serveHttp(await allServers({ isolation })));
  const gateways = { shared: gateway('shared'), session: gateway('session') };
  const through = (pair, { era, over, name }) => ({
    name: short(pair, era, over), lane: `isolation ${name}`, direct: false, pair, server: era, serverOver: over,
    prefix: `${name}__`, place: `matrix://${name}`,
    open: async (isolation = 'shared') => openPair(pair, (await gateways[isolation]()).url),
  });
  const direct = (pair, era) => ({
    name: `${short(pair, era, 'http')} direct`, lane: `isolation ${era} direct`, direct: true, pair, server: era, serverOver: 'http',
    prefix: '', place: `matrix://${era}-http`,
    open: async () => openPair(pair, (await server(era, 'http')).url),
  });
  return [direct('LL', 'legacy'), direct('NN', 'stateless'), ...PAIRS.flatMap((pair) => kinds.map((kind) => through(pair, kind)))];
}
