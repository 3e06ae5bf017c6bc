// The status page: servers and what they have, live.
import { fieldsOf, resultOf } from './form.js';
import { refreshClients, showCalls, showClients, totalsOf } from './calls.js';
import { getJson, hasToken, Mcp, readEvents, restart, send, setToken } from './mcp.js';
import { byId, clean, clock, duration, el, folding, limited, plural, put, setText } from './view.js';

const ROWS = 200;
const SILENT_MS = 40000;
const PAUSES_S = [1, 2, 3, 5, 10];

const servers = new Map(); // by name: { data, row, ... }, in the order of the configuration
let me = { owner: false, tokens: false };
let begun = 0;
let endpoint = '';
let head = '';

// ---- items of a server ----

const KINDS = [
  { key: 'tools', title: 'Tools', method: 'tools/list', field: 'tools', kind: 'tool', id: (i) => i.name, open: toolPanel },
  { key: 'resources', title: 'Resources', method: 'resources/list', field: 'resources', kind: 'resource', id: (i) => i.uri, open: resourcePanel },
  { key: 'resourceTemplates', title: 'Resource templates', method: 'resources/templates/list', field: 'resourceTemplates', kind: 'template', id: (i) => i.uriTemplate, open: templatePanel },
  { key: 'prompts', title: 'Prompts', method: 'prompts/list', field: 'prompts', kind: 'prompt', id: (i) => i.name, open: promptPanel },
];

// A form with a button that sends a request and shows the result below.
function runner(server, label, fields, request) {
  const out = el('div', { class: 'result', 'aria-live': 'polite' });
  const run = el('button', { type: 'submit', class: 'main', text: label });
  const stop = el('button', { type: 'button', text: 'Cancel', hidden: true });
  const form = el('form', { class: 'call', novalidate: true }, fields.rows, el('div', { class: 'tools' }, run, stop));
  form.addEventListener('keydown', (event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && form.requestSubmit());
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    let params;
    try {
      params = fields.read();
    } catch (error) {
      put(out, error.message !== 'not complete' && el('p', { class: 'error', text: error.message }));
      return;
    }
    const abort = new AbortController();
    const from = performance.now();
    stop.onclick = () => abort.abort();
    run.disabled = true;
    stop.hidden = false;
    const waiting = el('p', { class: 'dim', text: 'waiting for the answer' });
    put(out, waiting);
    const onProgress = (p) => setText(waiting, `${p.total ? `${p.progress} of ${p.total}` : p.progress} ${p.message ?? ''}`);
    try {
      const { method, params: sent } = request(params);
      const result = await server.mcp.request(method, sent, { signal: abort.signal, onProgress });
      put(out, resultOf(result, performance.now() - from));
    } catch (error) {
      put(out, el('p', { class: 'error', text: abort.signal.aborted ? 'Cancelled.' : error.message }));
    }
    run.disabled = false;
    stop.hidden = true;
  });
  return [form, out];
}

const about = (item) => item.description && el('p', { class: 'text', text: item.description });

function toolPanel(panel, server, tool) {
  const schema = el('details', {}, el('summary', { text: 'input schema' }), el('pre', { tabindex: 0, text: JSON.stringify(tool.inputSchema, null, 2) }));
  put(panel, about(tool), runner(server, 'Call', fieldsOf(tool.inputSchema), (args) => ({ method: 'tools/call', params: { name: tool.name, arguments: args } })), schema);
}

function resourcePanel(panel, server, resource) {
  put(panel, about(resource), runner(server, 'Read', { rows: [], read: () => ({}) }, () => ({ method: 'resources/read', params: { uri: resource.uri } })));
}

function templatePanel(panel, server, template) {
  const fields = fieldsOf({ properties: { URI: { type: 'string', default: template.uriTemplate, description: 'replace the parts in braces' } }, required: ['URI'] });
  put(panel, about(template), runner(server, 'Read', fields, ({ URI }) => ({ method: 'resources/read', params: { uri: URI } })));
}

function promptPanel(panel, server, prompt) {
  const names = prompt.arguments ?? [];
  const schema = { properties: Object.fromEntries(names.map((a) => [a.name, { type: 'string', description: a.description }])), required: names.filter((a) => a.required).map((a) => a.name), additionalProperties: false };
  put(panel, about(prompt), runner(server, 'Get', fieldsOf(schema), (args) => ({ method: 'prompts/get', params: { name: prompt.name, arguments: args } })));
}

function badges(item, stats) {
  const hints = item.annotations ?? {};
  return [
    hints.readOnlyHint && el('span', { class: 'badge', text: 'read-only' }),
    hints.destructiveHint && !hints.readOnlyHint && el('span', { class: 'badge bad', text: 'destructive' }),
    stats && el('span', { class: 'dim', text: `${plural(stats.calls, 'call')}${stats.failed ? `, ${stats.failed} failed` : ''}, ${duration(stats.meanMs)} on average` }),
  ];
}

function itemRow(server, kind, item, stats) {
  const id = kind.id(item);
  const first = clean(item.description ?? '', 300).split('\n')[0];
  const name = clean(item.title ?? item.annotations?.title ?? (kind.kind === 'resource' ? item.name : '') ?? '', 200);
  const fold = folding([el('span', { class: 'name', text: clean(id, 300) }), name && name !== id && el('span', { text: name }), el('span', { class: 'sum dim text', text: first.length > 120 ? `${first.slice(0, 120)}…` : first }), badges(item, stats)],
    (panel) => kind.open(panel, server, item));
  const row = el('li', {}, fold.button, fold.panel);
  server.items.set(`${kind.kind} ${id}`, { row, open: fold.open });
  return row;
}

async function showKind(server, kind, place, stats) {
  const n = server.data[kind.key];
  if (!n) return;
  const list = el('ul', { class: 'items' });
  const more = el('p', {});
  const title = el('h3', { text: `${kind.title} (${n.toLocaleString('en')})` });
  const filter = n > 20 && el('input', { type: 'search', placeholder: `Filter ${kind.title.toLowerCase()}`, 'aria-label': `Filter ${kind.title.toLowerCase()}` });
  place.append(title, ...(filter ? [filter] : []), list, more);
  put(more, el('span', { class: 'dim', text: 'loading' }));
  try {
    const items = await server.mcp.list(kind.method, kind.field);
    setText(title, `${kind.title} (${items.length.toLocaleString('en')})`);
    const show = (words) => limited(list, more, items.filter((i) => words.every((w) => JSON.stringify([kind.id(i), i.title, i.name, i.description]).toLowerCase().includes(w))), (i) => itemRow(server, kind, i, stats.get(kind.kind === 'tool' && i.name)));
    show([]);
    filter?.addEventListener?.('input', () => show(filter.value.toLowerCase().split(/\s+/).filter(Boolean)));
    server.reveal[kind.kind] = (id) => {
      if (!server.items.has(`${kind.kind} ${id}`)) {
        const item = items.find((i) => kind.id(i) === id);
        if (item) list.prepend(itemRow(server, kind, item));
      }
      return server.items.get(`${kind.kind} ${id}`);
    };
  } catch (error) {
    put(more, el('span', { class: 'error', text: error.message }));
  }
}

async function showItems(server) {
  const place = el('div', {});
  const listed = server.data.listed;
  server.items = new Map();
  server.reveal = {};
  server.listed = listed;
  put(server.lists, place);
  if (server.data.state !== 'connected') return;
  const stats = new Map();
  if (me.owner && server.data.calls?.total) {
    const { tools } = await getJson(`/page/calls?server=${encodeURIComponent(server.data.name)}`).catch(() => ({ tools: [] }));
    tools.forEach((t) => stats.set(t.name, t));
  }
  for (const kind of KINDS) await showKind(server, kind, place, stats);
}

// ---- the log of a server ----

function logLine(line) {
  return el('span', { class: line.by }, el('time', { text: clock(line.time) }), ` ${clean(line.text, 4000)}\n`);
}

async function followLog(server, pre, abort) {
  const add = (name, data) => {
    if (name !== 'lines') return;
    const low = pre.scrollHeight - pre.scrollTop - pre.clientHeight < 40;
    pre.append(...JSON.parse(data).map(logLine));
    while (pre.children.length > 500) pre.firstChild.remove();
    if (low) pre.scrollTop = pre.scrollHeight;
  };
  while (!abort.signal.aborted) {
    try {
      const response = await send(`/page/log?server=${encodeURIComponent(server.data.name)}`, { signal: abort.signal });
      pre.replaceChildren();
      await readEvents(response, add);
    } catch (error) {
      if (error.status) pre.textContent = error.message;
    }
    await new Promise((over) => { setTimeout(over, 3000); });
  }
}

function logFold(server) {
  const pre = el('pre', { class: 'log', tabindex: 0, 'aria-label': `Log of ${clean(server.data.name)}` });
  const details = el('details', {}, el('summary', { text: 'Log' }), pre);
  details.addEventListener('toggle', () => {
    server.log?.abort();
    server.log = null;
    if (!details.open) return;
    server.log = new AbortController();
    followLog(server, pre, server.log);
  });
  return details;
}

// ---- servers ----

const hasProblem = (data) => data.state === 'error' || data.login?.state === 'needed' || (data.listErrors?.length ?? 0) > 0 || (data.state === 'disconnected' && Boolean(data.error));

function summaryOf(data) {
  const counts = KINDS.filter((k) => data[k.key]).map((k) => plural(data[k.key], k.title.toLowerCase().replace(/s$/, '')));
  const error = data.state !== 'connected' && data.error ? [data.error.message.split('\n')[0]] : [];
  return [...error, ...counts, ...(data.calls?.total ? [`${plural(data.calls.total, 'call')}${data.calls.failed ? ` (${data.calls.failed} failed)` : ''}`] : [])].join(' · ');
}

// What a person can do about a server that is not there.
function adviceOf(data) {
  if (data.login?.command) return ['Log in at a terminal: ', el('code', { text: data.login.command })];
  if (data.state === 'connecting') return ['It is starting. A start that takes long may install something; ', el('code', { text: 'start_timeout' }), ' sets its limit.'];
  if (data.state !== 'error') return null;
  if (data.reason === 'auth') return ['It wants credentials: set ', el('code', { text: 'auth' }), ' or ', el('code', { text: 'headers' }), ' of this server, or log in: ', el('code', { text: `mcptools login ${data.name}` })];
  return [me.owner && 'Its log below may tell why. ', el('code', { text: `mcptools logs ${data.name}` }), ' shows it at a terminal, and ', el('code', { text: 'mcptools config check' }), ' checks the configuration.'];
}

function tickRetry(server) {
  const left = server.retryAt ? Math.max(0, server.retryAt - Date.now()) : 0;
  setText(server.retry, server.data.state === 'connected' || !left ? '' : `Next attempt in ${duration(left)}.`);
}

function fillDetails(server) {
  const { data } = server;
  const advice = adviceOf(data);
  const facts = [data.transport, data.protocolVersion, data.reason && data.state !== 'connected' ? data.reason.replaceAll('_', ' ') : null].filter(Boolean).join(' · ');
  put(server.details,
    facts && el('p', { class: 'dim', text: facts }),
    data.error && data.state !== 'connected' && el('p', { class: 'error text', text: data.error.message }),
    (data.listErrors ?? []).map((e) => el('p', { class: 'error text', text: `${e.list}: ${e.message}` })),
    advice && el('p', {}, advice),
    server.retry,
    data.stderr && el('pre', { tabindex: 0, text: data.stderr }),
    data.calls?.total ? el('p', { class: 'dim', text: totalsOf(data.calls) }) : null);
  tickRetry(server);
}

function fillPanel(server, panel) {
  server.details = el('div', {});
  server.lists = el('div', {});
  server.retry = el('p', { class: 'dim' });
  server.changed = el('p', { role: 'status' });
  server.mcp = new Mcp(server.data.name);
  const note = el('span', { role: 'status', class: 'dim' });
  const again = el('button', { type: 'button', text: 'Restart' });
  again.addEventListener('click', async () => {
    again.disabled = true;
    setText(note, 'restarting');
    await restart(server.data.name).then(() => setText(note, ''), (error) => setText(note, error.message));
    again.disabled = false;
  });
  panel.append(server.details, el('div', { class: 'tools' }, me.owner && again, note), me.owner ? logFold(server) : '', server.changed, server.lists);
  server.open = true;
  fillDetails(server);
  server.ready = showItems(server);
}

// Lists are read again when they have changed, but not under the hands of somebody who fills in a form.
function followLists(server) {
  if (!server.open || server.listed === server.data.listed) return;
  if (!server.lists.querySelector('.panel:not([hidden])')) {
    server.ready = showItems(server);
    return;
  }
  put(server.changed, 'The lists have changed. ', el('button', { type: 'button', text: 'Reload', onclick: () => { put(server.changed); showItems(server); } }));
}

function serverRow(data) {
  const server = { data };
  server.dot = el('span', { class: 'dot' });
  server.state = el('span', { class: 'state' });
  server.sum = el('span', { class: 'sum dim' });
  server.fold = folding([server.dot, el('span', { class: 'name', text: clean(data.name, 200) }), server.state, server.sum], (panel) => fillPanel(server, panel));
  server.row = el('li', {}, server.fold.button, server.fold.panel);
  return server;
}

function updateServer(server, data) {
  server.data = data;
  const login = data.login?.state === 'needed';
  const state = login ? 'error' : data.state;
  server.dot.dataset.state = server.state.dataset.state = state;
  setText(server.state, login ? 'login needed' : data.state);
  setText(server.sum, summaryOf(data));
  server.retryAt = data.nextTryMs ? Date.now() + data.nextTryMs : 0;
  server.row.classList.toggle('problem', hasProblem(data));
  if (!server.open) return;
  fillDetails(server);
  followLists(server);
}

// ---- the list of servers ----

let shownRows = ROWS;

function matches(server) {
  const words = byId('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const filter = byId('filter').value;
  const { data } = server;
  if (filter === 'problems' && !hasProblem(data)) return false;
  if (filter === 'connected' && data.state !== 'connected') return false;
  return words.every((w) => data.name.toLowerCase().includes(w));
}

function showServers() {
  const all = [...servers.values()].filter(matches);
  const rows = all.slice(0, shownRows).map((s) => s.row);
  const list = byId('server-list');
  if (rows.length !== list.children.length || rows.some((row, i) => list.children[i] !== row)) list.replaceChildren(...rows);
  const left = all.length - rows.length;
  put(byId('server-more'),
    left > 0 && el('button', { type: 'button', text: `Show ${Math.min(ROWS, left)} more of ${left.toLocaleString('en')}`, onclick: () => { shownRows += ROWS; showServers(); } }),
    !all.length && el('span', { class: 'dim', text: servers.size ? 'No server has such a name.' : 'No servers are configured.' }));
}

let counting = 0;

function showCounts() {
  counting = 0;
  const all = [...servers.values()];
  const bad = all.filter((s) => hasProblem(s.data)).length;
  const starting = all.filter((s) => s.data.state === 'connecting').length;
  setText(byId('n-servers'), String(all.length));
  const parts = [plural(all.length, 'server')];
  if (bad) parts.push(`${bad.toLocaleString('en')} with problems`);
  if (starting) parts.push(`${starting.toLocaleString('en')} starting`);
  document.title = bad ? `(${bad}) mcptools` : 'mcptools';
  head = parts.join(', ');
  showFacts();
  showServers();
}

function showFacts() {
  setText(byId('facts'), [endpoint, head, begun && `up ${duration(Date.now() - begun)}`].filter(Boolean).join(' · '));
}

function takeServers(rows, whole) {
  if (whole) {
    const here = new Set(rows.map((r) => r.name));
    [...servers.keys()].filter((name) => !here.has(name)).forEach((name) => dropServer(name));
  }
  for (const data of rows) {
    if (data.gone) {
      dropServer(data.name);
      continue;
    }
    if (!servers.has(data.name)) servers.set(data.name, serverRow(data));
    updateServer(servers.get(data.name), data);
  }
  if (rows.length && !counting) counting = requestAnimationFrame(showCounts);
  if (whole && !rows.length) showCounts();
}

function dropServer(name) {
  const server = servers.get(name);
  server?.log?.abort();
  server?.mcp?.end();
  server?.row.remove();
  servers.delete(name);
}

// ---- search ----

let searching = 0;

async function openItem(found) {
  const server = servers.get(found.server);
  if (!server) return;
  byId('search').value = '';
  byId('filter').value = 'all';
  put(byId('found'));
  if (!server.row.isConnected) shownRows = Infinity;
  showServers();
  server.fold.open(true);
  await server.ready;
  const item = server.reveal?.[found.kind]?.(found.id);
  item?.open(true);
  (item?.row ?? server.row).scrollIntoView({ block: 'start' });
  item?.row.querySelector('button')?.focus();
}

async function find() {
  const words = byId('search').value.trim();
  const place = byId('found');
  shownRows = ROWS;
  showServers();
  if (words.length < 2) {
    put(place);
    return;
  }
  try {
    const { items, more } = await getJson(`/page/find?words=${encodeURIComponent(words)}`);
    if (byId('search').value.trim() !== words) return;
    const rows = items.map((i) => el('li', {}, el('button', { type: 'button', class: 'row', onclick: () => openItem(i) },
      el('span', { class: 'badge', text: i.kind }), el('span', { class: 'name', text: clean(i.id, 300) }), el('span', { class: 'dim', text: clean(i.server, 200) }))));
    put(place, items.length > 0 && el('h2', { text: 'Tools, resources and prompts' }), items.length > 0 && el('ul', { class: 'rows' }, rows), more && el('p', { class: 'dim', text: 'The first 100. More words find less.' }));
  } catch (error) {
    put(place, el('p', { class: 'error', text: error.message }));
  }
}

// ---- the stream ----

function setLive(state, text) {
  const [dot, words] = byId('live').children;
  dot.dataset.state = state;
  setText(words, text);
}

function showLogin(message) {
  byId('status').hidden = true;
  byId('login').hidden = false;
  byId('banner').hidden = true;
  byId('logout').hidden = true;
  setText(byId('login-error'), message);
  setLive('disconnected', 'not logged in');
  byId('token').focus();
}

function onEvent(name, text) {
  const data = JSON.parse(text);
  if (name === 'hello') {
    me = data;
    byId('login').hidden = true;
    byId('status').hidden = false;
    byId('banner').hidden = true;
    byId('logout').hidden = !me.tokens;
    byId('member').hidden = me.owner;
    setLive('connected', me.tokens ? `live, as ${clean(me.principal, 100)}` : 'live');
    return;
  }
  const whole = name === 'overview';
  if (whole) {
    begun = Date.now() - data.uptimeMs;
    endpoint = data.endpoint ?? '';
    setText(byId('version'), data.version);
  }
  takeServers(data.servers, whole);
  showCalls(data.calls, data.recent, whole);
  showClients(data.clients, data.nSessions, data.whole);
}

async function follow() {
  const abort = new AbortController();
  let watchdog;
  const alive = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => abort.abort(), SILENT_MS);
  };
  try {
    alive();
    const response = await send('/page/events', { signal: abort.signal });
    follow.failures = 0;
    await readEvents(response, onEvent, alive);
  } finally {
    clearTimeout(watchdog);
  }
}
follow.failures = 0;

async function wait(seconds, why) {
  const end = Date.now() + seconds * 1000;
  byId('banner').hidden = false;
  begun = 0;
  setLive('error', 'gone');
  for (let left = seconds; left > 0; left = Math.ceil((end - Date.now()) / 1000)) {
    setText(byId('banner'), `${why} Trying again in ${left} s.`);
    await new Promise((over) => { setTimeout(over, 500); });
  }
  setText(byId('banner'), `${why} Trying again.`);
}

// Follows the gateway for ever; ends where a person has to log in.
async function live() {
  for (;;) {
    let why = 'The gateway is gone: what you see is old.';
    try {
      await follow();
    } catch (error) {
      if (error.status === 401) {
        const had = hasToken();
        setToken(null);
        showLogin(had ? 'The gateway does not know this token.' : '');
        return;
      }
      if (error.status === 403) {
        byId('banner').hidden = false;
        setText(byId('banner'), error.message);
        setLive('error', 'refused');
        return;
      }
      if (error.status) why = `The gateway answers: ${error.message}.`;
    }
    const pause = PAUSES_S[Math.min(follow.failures++, PAUSES_S.length - 1)];
    await wait(pause, why);
  }
}

// ---- the page ----

function showSection(name) {
  for (const button of document.querySelectorAll('nav button')) {
    const chosen = button.dataset.section === name;
    button.setAttribute('aria-pressed', String(chosen));
    byId(button.dataset.section).hidden = !chosen;
  }
}

document.querySelectorAll('nav button').forEach((b) => b.addEventListener('click', () => showSection(b.dataset.section)));
byId('search').addEventListener('input', () => {
  clearTimeout(searching);
  searching = setTimeout(find, 200);
});
byId('filter').addEventListener('change', () => { shownRows = ROWS; showServers(); });
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
  event.preventDefault();
  showSection('servers');
  byId('search').focus();
});
byId('login-form').addEventListener('submit', (event) => {
  event.preventDefault();
  setToken(byId('token').value.trim());
  byId('token').value = '';
  live();
});
byId('logout').addEventListener('click', () => {
  setToken(null);
  location.reload();
});
addEventListener('pagehide', () => servers.forEach((s) => s.mcp?.end()));
setInterval(() => {
  showFacts();
  refreshClients();
  servers.forEach((s) => s.open && tickRetry(s));
}, 1000);
live();
