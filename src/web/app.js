// The status page: follows the gateway and shows what comes.
import { refreshClients, showCalls, showClients } from './calls.js';
import { hasToken, me, readEvents, send, setToken } from './mcp.js';
import { endSessions, findItems, showFiltered, takeServers, tickServers } from './servers.js';
import { byId, clean, duration, setText } from './view.js';

const SILENT_MS = 40000;
const PAUSES_S = [1, 2, 3, 5, 10];

let begun = 0;
let endpoint = '';
let counts = '';

function showFacts() {
  setText(byId('facts'), [endpoint, counts, begun && `up ${duration(Date.now() - begun)}`].filter(Boolean).join(' · '));
}

function onCounts(text, nBad) {
  counts = text;
  document.title = nBad ? `(${nBad}) mcptools` : 'mcptools';
  showFacts();
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
    Object.assign(me, data);
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
  takeServers(data.servers, whole, onCounts);
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
    await new Promise((over) => {
      setTimeout(over, 500);
    });
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

let searching = 0;

function showSection(name) {
  for (const button of document.querySelectorAll('nav button')) {
    const chosen = button.dataset.section === name;
    button.setAttribute('aria-pressed', String(chosen));
    byId(button.dataset.section).hidden = !chosen;
  }
}

document
  .querySelectorAll('nav button')
  .forEach((b) => b.addEventListener('click', () => showSection(b.dataset.section)));
byId('search').addEventListener('input', () => {
  clearTimeout(searching);
  searching = setTimeout(findItems, 200);
});
byId('filter').addEventListener('change', showFiltered);
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
addEventListener('pagehide', endSessions);
setInterval(() => {
  showFacts();
  refreshClients();
  tickServers();
}, 1000);
live();
