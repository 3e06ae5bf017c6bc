// The list of servers, with the log of each, and the search.
import { totalsOf } from './calls.js';
import { KINDS, showItems } from './items.js';
import { getJson, Mcp, me, readEvents, restart, send } from './mcp.js';
import { byId, clean, clock, duration, el, folding, plural, put, setText } from './view.js';

const ROWS = 200;

const servers = new Map(); // by name: { data, row, ... }, in the order of the configuration

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
      const response = await send(`/page/log?server=${encodeURIComponent(server.data.name)}`, {
        signal: abort.signal,
      });
      pre.replaceChildren();
      await readEvents(response, add);
    } catch (error) {
      if (error.status) pre.textContent = error.message;
    }
    await new Promise((over) => {
      setTimeout(over, 3000);
    });
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

const hasProblem = (data) =>
  data.state === 'error' ||
  data.login?.state === 'needed' ||
  (data.listErrors?.length ?? 0) > 0 ||
  (data.state === 'disconnected' && Boolean(data.error));

function summaryOf(data) {
  const counts = KINDS.filter((k) => data[k.key]).map((k) =>
    plural(data[k.key], k.title.toLowerCase().replace(/s$/, '')),
  );
  const error = data.state !== 'connected' && data.error ? [data.error.message.split('\n')[0]] : [];
  return [
    ...error,
    ...counts,
    ...(data.calls?.total
      ? [`${plural(data.calls.total, 'call')}${data.calls.failed ? ` (${data.calls.failed} failed)` : ''}`]
      : []),
  ].join(' · ');
}

// What a person can do about a server that is not there.
function adviceOf(data) {
  if (data.login?.command) return ['Log in at a terminal: ', el('code', { text: data.login.command })];
  if (data.state === 'connecting')
    return [
      'It is starting. A start that takes long may install something; ',
      el('code', { text: 'start_timeout' }),
      ' sets its limit.',
    ];
  if (data.state === 'idle') return ['It starts when it is used. Its lists are those of its last run.'];
  if (data.state !== 'error') return null;
  if (data.reason === 'needs_auth')
    return [
      'It wants credentials: set ',
      el('code', { text: 'auth' }),
      ' or ',
      el('code', { text: 'headers' }),
      ' of this server, or log in: ',
      el('code', { text: `mcptools login ${data.name}` }),
    ];
  return [
    me.owner && 'Its log below may tell why. ',
    el('code', { text: `mcptools logs ${data.name}` }),
    ' shows it at a terminal, and ',
    el('code', { text: 'mcptools config check' }),
    ' checks the configuration.',
  ];
}

function tickRetry(server) {
  const left = server.retryAt ? Math.max(0, server.retryAt - Date.now()) : 0;
  setText(server.retry, server.data.state === 'connected' || !left ? '' : `Next attempt in ${duration(left)}.`);
}

function fillDetails(server) {
  const { data } = server;
  const advice = adviceOf(data);
  const facts = [
    data.transport,
    data.protocolVersion,
    data.reason && data.state !== 'connected' ? data.reason.replaceAll('_', ' ') : null,
  ]
    .filter(Boolean)
    .join(' · ');
  put(
    server.details,
    facts && el('p', { class: 'dim', text: facts }),
    data.error && data.state !== 'connected' && el('p', { class: 'error text', text: data.error.message }),
    (data.listErrors ?? []).map((e) => el('p', { class: 'error text', text: `${e.list}: ${e.message}` })),
    advice && el('p', {}, advice),
    server.retry,
    data.stderr && el('pre', { tabindex: 0, text: data.stderr }),
    data.calls?.total ? el('p', { class: 'dim', text: totalsOf(data.calls) }) : null,
  );
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
    await restart(server.data.name).then(
      () => setText(note, ''),
      (error) => setText(note, error.message),
    );
    again.disabled = false;
  });
  panel.append(
    server.details,
    el('div', { class: 'tools' }, me.owner && again, note),
    me.owner ? logFold(server) : '',
    server.changed,
    server.lists,
  );
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
  put(
    server.changed,
    'The lists have changed. ',
    el('button', {
      type: 'button',
      text: 'Reload',
      onclick: () => {
        put(server.changed);
        showItems(server);
      },
    }),
  );
}

function serverRow(data) {
  const server = { data };
  server.dot = el('span', { class: 'dot' });
  server.state = el('span', { class: 'state' });
  server.sum = el('span', { class: 'sum dim' });
  server.fold = folding(
    [server.dot, el('span', { class: 'name', text: clean(data.name, 200) }), server.state, server.sum],
    (panel) => fillPanel(server, panel),
  );
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
  if (rows.length !== list.children.length || rows.some((row, i) => list.children[i] !== row))
    list.replaceChildren(...rows);
  const left = all.length - rows.length;
  put(
    byId('server-more'),
    left > 0 &&
      el('button', {
        type: 'button',
        text: `Show ${Math.min(ROWS, left)} more of ${left.toLocaleString('en')}`,
        onclick: () => {
          shownRows += ROWS;
          showServers();
        },
      }),
    !all.length &&
      el('span', {
        class: 'dim',
        text: servers.size ? 'No server has such a name.' : 'No servers are configured.',
      }),
  );
}

let counting = 0;

function showCounts(onCounts) {
  counting = 0;
  const all = [...servers.values()];
  const bad = all.filter((s) => hasProblem(s.data)).length;
  const starting = all.filter((s) => s.data.state === 'connecting').length;
  setText(byId('n-servers'), String(all.length));
  const parts = [plural(all.length, 'server')];
  if (bad) parts.push(`${bad.toLocaleString('en')} with problems`);
  if (starting) parts.push(`${starting.toLocaleString('en')} starting`);
  onCounts(parts.join(', '), bad);
  showServers();
}

// Takes rows that have changed, or all; `onCounts` gets a summary.
export function takeServers(rows, whole, onCounts) {
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
  if (rows.length && !counting) counting = requestAnimationFrame(() => showCounts(onCounts));
  if (whole && !rows.length) showCounts(onCounts);
}

function dropServer(name) {
  const server = servers.get(name);
  server?.log?.abort();
  server?.mcp?.end();
  server?.row.remove();
  servers.delete(name);
}

// ---- search ----

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

export async function findItems() {
  const words = byId('search').value.trim();
  const place = byId('found');
  showFiltered();
  if (words.length < 2) {
    put(place);
    return;
  }
  try {
    const { items, more } = await getJson(`/page/find?words=${encodeURIComponent(words)}`);
    if (byId('search').value.trim() !== words) return;
    const rows = items.map((i) =>
      el(
        'li',
        {},
        el(
          'button',
          { type: 'button', class: 'row', onclick: () => openItem(i) },
          el('span', { class: 'badge', text: i.kind }),
          el('span', { class: 'name', text: clean(i.id, 300) }),
          el('span', { class: 'dim', text: clean(i.server, 200) }),
        ),
      ),
    );
    put(
      place,
      items.length > 0 && el('h2', { text: 'Tools, resources and prompts' }),
      items.length > 0 && el('ul', { class: 'rows' }, rows),
      !items.length && el('p', { class: 'dim', text: 'No tool, resource or prompt has these words.' }),
      more && el('p', { class: 'dim', text: 'The first 100. More words find less.' }),
    );
  } catch (error) {
    put(place, el('p', { class: 'error', text: error.message }));
  }
}

// Shows the list again, from the top: the filter has changed.
export function showFiltered() {
  shownRows = ROWS;
  showServers();
}

// Brings the times up to date.
export function tickServers() {
  servers.forEach((s) => s.open && tickRetry(s));
}

export function endSessions() {
  servers.forEach((s) => s.mcp?.end());
}
