// The lists of one server: its tools, resources and prompts, each with a form.
import { fieldsOf, resultOf } from './form.js';
import { getJson, me } from './mcp.js';
import { clean, duration, el, folding, limited, plural, put, setText } from './view.js';

export const KINDS = [
  {
    key: 'tools',
    title: 'Tools',
    method: 'tools/list',
    field: 'tools',
    kind: 'tool',
    id: (i) => i.name,
    open: toolPanel,
  },
  {
    key: 'resources',
    title: 'Resources',
    method: 'resources/list',
    field: 'resources',
    kind: 'resource',
    id: (i) => i.uri,
    open: resourcePanel,
  },
  {
    key: 'resourceTemplates',
    title: 'Resource templates',
    method: 'resources/templates/list',
    field: 'resourceTemplates',
    kind: 'template',
    id: (i) => i.uriTemplate,
    open: templatePanel,
  },
  {
    key: 'prompts',
    title: 'Prompts',
    method: 'prompts/list',
    field: 'prompts',
    kind: 'prompt',
    id: (i) => i.name,
    open: promptPanel,
  },
];

// A form with a button that sends a request and shows the result below.
function runner(server, label, fields, request) {
  const out = el('div', { class: 'result', 'aria-live': 'polite' });
  const run = el('button', { type: 'submit', class: 'main', text: label });
  const stop = el('button', { type: 'button', text: 'Cancel', hidden: true });
  const form = el('form', { class: 'call', novalidate: true }, fields.rows, el('div', { class: 'tools' }, run, stop));
  form.addEventListener(
    'keydown',
    (event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && form.requestSubmit(),
  );
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
    const onProgress = (p) =>
      setText(waiting, `${p.total ? `${p.progress} of ${p.total}` : p.progress} ${p.message ?? ''}`);
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
  const schema = el(
    'details',
    {},
    el('summary', { text: 'input schema' }),
    el('pre', { tabindex: 0, text: JSON.stringify(tool.inputSchema, null, 2) }),
  );
  put(
    panel,
    about(tool),
    runner(server, 'Call', fieldsOf(tool.inputSchema), (args) => ({
      method: 'tools/call',
      params: { name: tool.name, arguments: args },
    })),
    schema,
  );
}

function resourcePanel(panel, server, resource) {
  put(
    panel,
    about(resource),
    runner(server, 'Read', { rows: [], read: () => ({}) }, () => ({
      method: 'resources/read',
      params: { uri: resource.uri },
    })),
  );
}

function templatePanel(panel, server, template) {
  const fields = fieldsOf({
    properties: {
      URI: { type: 'string', default: template.uriTemplate, description: 'replace the parts in braces' },
    },
    required: ['URI'],
  });
  put(
    panel,
    about(template),
    runner(server, 'Read', fields, ({ URI }) => ({ method: 'resources/read', params: { uri: URI } })),
  );
}

function promptPanel(panel, server, prompt) {
  const names = prompt.arguments ?? [];
  const schema = {
    properties: Object.fromEntries(names.map((a) => [a.name, { type: 'string', description: a.description }])),
    required: names.filter((a) => a.required).map((a) => a.name),
    additionalProperties: false,
  };
  put(
    panel,
    about(prompt),
    runner(server, 'Get', fieldsOf(schema), (args) => ({
      method: 'prompts/get',
      params: { name: prompt.name, arguments: args },
    })),
  );
}

function badges(item, stats) {
  const hints = item.annotations ?? {};
  return [
    hints.readOnlyHint && el('span', { class: 'badge', text: 'read-only' }),
    hints.destructiveHint && !hints.readOnlyHint && el('span', { class: 'badge bad', text: 'destructive' }),
    stats &&
      el('span', {
        class: 'dim',
        text: `${plural(stats.calls, 'call')}${stats.failed ? `, ${stats.failed} failed` : ''}, ${duration(stats.meanMs)} on average`,
      }),
  ];
}

function itemRow(server, kind, item, stats) {
  const id = kind.id(item);
  const first = clean(item.description ?? '', 300).split('\n')[0];
  const name = clean(item.title ?? item.annotations?.title ?? (kind.kind === 'resource' ? item.name : '') ?? '', 200);
  const fold = folding(
    [
      el('span', { class: 'name', text: clean(id, 300) }),
      name && name !== id && el('span', { text: name }),
      el('span', { class: 'sum dim text', text: first.length > 120 ? `${first.slice(0, 120)}…` : first }),
      badges(item, stats),
    ],
    (panel) => kind.open(panel, server, item),
  );
  const row = el('li', {}, fold.button, fold.panel);
  server.items.set(`${kind.kind} ${id}`, { row, open: fold.open });
  return row;
}

async function showKind(server, kind, place, stats) {
  const n = server.data[kind.key];
  if (!n) return;
  const list = el('ul', { class: 'items' });
  const more = el('p', {});
  const title = el('h2', { text: `${kind.title} (${n.toLocaleString('en')})` });
  const filter =
    n > 20 &&
    el('input', {
      type: 'search',
      placeholder: `Filter ${kind.title.toLowerCase()}`,
      'aria-label': `Filter ${kind.title.toLowerCase()}`,
    });
  place.append(title, ...(filter ? [filter] : []), list, more);
  put(more, el('span', { class: 'dim', text: 'loading' }));
  try {
    const items = await server.mcp.list(kind.method, kind.field);
    setText(title, `${kind.title} (${items.length.toLocaleString('en')})`);
    const show = (words) =>
      limited(
        list,
        more,
        items.filter((i) =>
          words.every((w) =>
            JSON.stringify([kind.id(i), i.title, i.name, i.description])
              .toLowerCase()
              .includes(w),
          ),
        ),
        (i) => itemRow(server, kind, i, stats.get(kind.kind === 'tool' && i.name)),
      );
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

export async function showItems(server) {
  const place = el('div', {});
  const listed = server.data.listed;
  server.items = new Map();
  server.reveal = {};
  server.listed = listed;
  put(server.lists, place);
  if (!['connected', 'idle'].includes(server.data.state)) return;
  const stats = new Map();
  if (me.owner && server.data.calls?.total) {
    const { tools } = await getJson(`/page/calls?server=${encodeURIComponent(server.data.name)}`).catch(() => ({
      tools: [],
    }));
    tools.forEach((t) => stats.set(t.name, t));
  }
  for (const kind of KINDS) await showKind(server, kind, place, stats);
}
