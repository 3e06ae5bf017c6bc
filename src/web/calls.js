// The sections about calls and clients.
import { byId, clock, duration, el, plural, put, setText } from './view.js';

const SHOWN = 100;

function callRow(call) {
  const good = call.outcome === 'ok';
  return el(
    'tr',
    {},
    el('td', {}, el('time', { text: clock(call.time), title: new Date(call.time).toISOString() })),
    el('td', { text: call.server }),
    el(
      'td',
      {},
      el('span', { text: call.tool ?? '' }),
      call.method !== 'tools/call' && el('span', { class: 'dim', text: ` ${call.method}` }),
    ),
    el('td', { text: call.client ?? call.principal ?? '' }),
    el('td', { class: 'number', text: duration(call.ms) }),
    el('td', { 'data-outcome': good ? 'good' : 'bad', text: call.outcome.replaceAll('_', ' ') }),
  );
}

export function totalsOf(calls) {
  if (!calls?.total && !calls?.running) return 'no calls';
  const parts = [plural(calls.total, 'call')];
  if (calls.failed) parts.push(`${calls.failed.toLocaleString('en')} failed`);
  if (calls.running) parts.push(`${calls.running} running`);
  if (calls.p50Ms !== undefined)
    parts.push(
      `half within ${duration(calls.p50Ms)}, 90 % within ${duration(calls.p90Ms)}, 99 % within ${duration(calls.p99Ms)}`,
    );
  return parts.join(', ');
}

// Shows the totals, and adds the new calls on top; `whole`: they replace the old ones.
export function showCalls(calls, recent, whole) {
  const list = byId('call-list');
  if (whole) list.replaceChildren();
  list.prepend(...recent.map(callRow));
  while (list.children.length > SHOWN) list.lastChild.remove();
  byId('call-none').hidden = list.children.length > 0;
  list.closest('table').hidden = !list.children.length;
  setText(byId('call-totals'), totalsOf(calls));
  setText(byId('n-calls'), calls.total.toLocaleString('en'));
}

const clients = new Map();

const names = { 'streamable-http': 'HTTP', stdio: 'stdio', sse: 'HTTP+SSE' };

function clientCells(client) {
  const since =
    client.begun !== undefined
      ? duration(Date.now() - client.begun)
      : client.lastMs
        ? `last call ${clock(client.lastMs)}`
        : '';
  return [
    el(
      'td',
      {},
      el('span', { text: client.name ?? 'unknown' }),
      ' ',
      el('span', { class: 'dim', text: client.version ?? '' }),
    ),
    el('td', { text: client.principal ?? '' }),
    el('td', {
      text: [client.protocolVersion, names[client.transport] ?? client.transport].filter(Boolean).join(', '),
    }),
    el('td', { text: since }),
    el('td', { class: 'number', text: client.calls.toLocaleString('en') }),
  ];
}

// Shows clients: those that have changed, or all.
export function showClients(changed, nSessions, whole) {
  const list = byId('client-list');
  if (whole) {
    const here = new Set(changed.map((c) => c.id));
    for (const [id, { row }] of clients) {
      if (here.has(id)) continue;
      row.remove();
      clients.delete(id);
    }
  }
  for (const client of changed) {
    if (client.connectedMs !== undefined) client.begun = Date.now() - client.connectedMs;
    const row = clients.get(client.id)?.row ?? el('tr', {});
    put(row, clientCells(client));
    if (!clients.has(client.id)) list.prepend(row);
    clients.set(client.id, { client, row });
  }
  byId('client-none').hidden = clients.size > 0;
  list.closest('table').hidden = !clients.size;
  const sessions = [...clients.values()].filter(({ client }) => client.id.startsWith('s')).length;
  setText(byId('n-clients'), (clients.size + Math.max(0, nSessions - sessions)).toLocaleString('en'));
  setText(
    byId('client-more'),
    nSessions > sessions ? `The newest ${sessions} of ${nSessions.toLocaleString('en')} sessions.` : '',
  );
}

// Brings the times up to date.
export function refreshClients() {
  for (const { client, row } of clients.values()) {
    if (client.begun !== undefined) setText(row.children[3], duration(Date.now() - client.begun));
  }
}
