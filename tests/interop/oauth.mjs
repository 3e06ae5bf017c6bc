// Logins at real authorization servers, in front of a real protected server. TAP on stdout.
// usage: node oauth.mjs MCPTOOLS_BINARY [NAME...]
import { execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { background, stopAll } from './background.mjs';
import { browse } from './oauth-browser.mjs';
import { mockServer, oidcProvider } from './oauth-provider.mjs';
import { jwtVerifier, protectedServer } from './oauth-resource.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const [BINARY, ...WANTED] = process.argv.slice(2);
const PATIENCE_MS = 60000;
const CODE = 'authorization_code', REFRESH = 'refresh_token', MACHINE = 'client_credentials', DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

const folder = mkdtempSync(join(tmpdir(), 'mcptools-oauth-'));
const browser = join(folder, 'browser');
writeFileSync(browser, `#!/bin/sh\nexec ${process.execPath} ${join(HERE, 'oauth-browser.mjs')} "$1"\n`);
chmodSync(browser, 0o755);

function same(got, wanted, what) {
  const [a, b] = [JSON.stringify(got), JSON.stringify(wanted)];
  if (a !== b) throw new Error(`${what} differs:\n  got    ${a?.slice(0, 2000)}\n  wanted ${b?.slice(0, 2000)}`);
}
function matches(text, pattern, what) {
  if (!pattern.test(text)) throw new Error(`${what}: no ${pattern} in:\n${text}`);
}

// ---- a scene: servers, and a home with a configuration ----

let scenes = 0;
async function scene({ as, auth, server = {} }) {
  const home = join(folder, `home${++scenes}`), config = join(home, 'mcp.json');
  mkdirSync(home);
  const at = await protectedServer(as, server);
  writeFileSync(config, JSON.stringify({ mcpServers: { srv: { url: at.url, ...auth && { auth: { type: 'oauth', ...auth } } } } }));
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', BROWSER: browser };
  const opts = { cwd: home, env, timeout: PATIENCE_MS, maxBuffer: 1 << 26 };
  // Runs mcptools, and looks at the status.
  const run = (status, ...args) => new Promise((resolve, reject) => {
    const child = execFile(BINARY, [...args, '--config', config], opts, (e, stdout, stderr) => {
      const ended = e ? e.code ?? e.signal : 0;
      if (ended === status) return resolve(stdout + stderr);
      return reject(new Error(`mcptools ${args.join(' ')}\nstatus ${ended}, wanted ${status}\n${stdout}\n${stderr}`));
    });
    child.stdin.end();
  });
  const it = {
    as, at, home, config, env, run,
    call: (tool = 'whoami', status = 0) => run(status, 'call', `srv.${tool}`),
    login: (...args) => run(0, 'login', 'srv', ...args),
    facts: async () => JSON.parse(await run(0, 'auth', 'status', 'srv', '-o', 'json')).logins[0],
    start: (...args) => spawn(BINARY, [...args, '--config', config], { cwd: home, env, stdio: 'ignore' }),
    serve: () => background(BINARY, ['serve', '--http', '127.0.0.1:0', '--config', config], { cwd: home, env }),
    stop: () => Promise.all([at.stop(), it.as.stop()]),
  };
  return it;
}
const oidc = async (auth, provider) => scene({ as: await oidcProvider(provider), auth });
const counts = (s, ...what) => Object.fromEntries(what.map((w) => [w, s.as.counts[w] ?? 0]));
const exits = (child) => new Promise((resolve) => child.on('close', (status, signal) => resolve(signal ?? status)));

// Files below a folder.
const files = (at) => readdirSync(at, { withFileTypes: true, recursive: true }).filter((f) => f.isFile()).map((f) => join(f.parentPath, f.name));

// Exchanges the token for one with a short life, waits until that has expired, and counts anew; the next ones last.
async function expire(s) {
  s.as.seconds = 1;
  await s.run(0, 'auth', 'refresh', 'srv');
  s.as.seconds = 3600;
  const tokens = s.as.issued.at(-1);
  await until('the end of the token', async () => !(await s.as.find(tokens.access_token)));
  s.as.counts = {};
  return tokens;
}

async function gateway(s) {
  const it = s.serve();
  const [, url] = await it.until(/serves (http:\S+)/);
  const connect = async () => {
    const client = new Client({ name: 'oauth-test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    return client;
  };
  const client = await connect();
  return {
    it,
    call: async (tool) => (await client.callTool({ name: tool, arguments: {} })).content[0].text,
    async tools() { // a client of its own: what the gateway can do may have changed
      const other = await connect();
      const names = other.getServerCapabilities()?.tools ? (await other.listTools()).tools.map((t) => t.name) : [];
      await other.close();
      return names;
    },
    async stop() {
      await client.close();
      same(await it.stop(), { status: 0, signal: null }, 'the end of the gateway');
    },
  };
}
async function until(what, look) {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await new Promise((r) => setTimeout(r, 50)))
    if (await look()) return;
  throw new Error(`never: ${what}`);
}

// ---- the tests ----

const tests = {
  async a_login_lasts() {
    const s = await oidc();
    const refused = await s.call('whoami', 3);
    matches(refused, /mcptools login srv/, 'what to do');
    same(counts(s, 'register', 'authorize'), { register: 0, authorize: 0 }, 'nothing is asked for without a person');
    const told = await s.login();
    same(counts(s, 'register', 'authorize', CODE), { register: 1, authorize: 1, [CODE]: 1 }, 'one login');
    for (let i = 0; i < 2; i++) matches(await s.call(), /mcp:read/, 'the call');
    same(counts(s, 'register', 'authorize', CODE, REFRESH), { register: 1, authorize: 1, [CODE]: 1, [REFRESH]: 0 }, 'no further login');
    const facts = await s.facts();
    same([facts.issuer, facts.state], [s.as.issuer, 'ready'], 'status');
    const stored = files(join(s.home, '.local/state/mcptools/credentials'));
    for (const f of stored) same(statSync(f).mode & 0o077, 0, `${f} is private`);
    const [tokens] = s.as.issued, everything = refused + told + await s.run(0, 'auth', 'status') + JSON.stringify(facts);
    for (const secret of [tokens.access_token, tokens.refresh_token]) {
      if (everything.includes(secret)) throw new Error('a token is shown');
      if (!stored.some((f) => readFileSync(f, 'utf8').includes(secret))) throw new Error('a token is not stored');
    }
    same((await s.run(0, 'auth', 'token', 'srv')).trim(), tokens.access_token, 'auth token');
    return s;
  },

  async an_expired_token_is_renewed() {
    const s = await oidc();
    await s.login();
    for (let round = 0; round < 2; round++) { // the second time with the refresh token of the first
      const before = await expire(s);
      for (let i = 0; i < 2; i++) matches(await s.call(), /mcp:read/, 'the call');
      same(counts(s, 'authorize', REFRESH, `${REFRESH} failed`), { authorize: 0, [REFRESH]: 1, [`${REFRESH} failed`]: 0 }, 'one renewal');
      if (s.as.issued.at(-1).refresh_token === before.refresh_token) throw new Error('the server did not rotate');
    }
    return s;
  },

  async a_refused_token_is_renewed() {
    const s = await oidc();
    await s.login();
    s.at.revoke();
    matches(await s.call(), /mcp:read/, 'the call');
    same(counts(s, 'register', 'authorize', REFRESH), { register: 1, authorize: 1, [REFRESH]: 1 }, 'one renewal');
    return s;
  },

  async a_refresh_token_that_was_revoked_needs_a_login() {
    const s = await oidc();
    await s.login();
    const first = await expire(s);
    await (await s.as.provider.RefreshToken.find(first.refresh_token)).destroy();
    matches(await s.call('whoami', 3), /mcptools login srv/, 'what to do');
    await s.login();
    await s.call();
    same(counts(s, 'register', CODE), { register: 0, [CODE]: 1 }, 'the registration is used again');
    return s;
  },

  async twenty_processes_renew_an_expired_token_once() {
    const s = await oidc();
    await s.login();
    await expire(s);
    const texts = await Promise.all(Array.from({ length: 20 }, () => s.call()));
    for (const text of texts) matches(text, /mcp:read/, 'each call');
    same(counts(s, REFRESH, `${REFRESH} failed`), { [REFRESH]: 1, [`${REFRESH} failed`]: 0 }, 'one renewal');
    return s;
  },

  async twenty_processes_renew_a_refused_token_once() {
    const s = await oidc();
    await s.login();
    s.at.revoke();
    const texts = await Promise.all(Array.from({ length: 20 }, () => s.call()));
    for (const text of texts) matches(text, /mcp:read/, 'each call');
    same(counts(s, REFRESH, `${REFRESH} failed`), { [REFRESH]: 1, [`${REFRESH} failed`]: 0 }, 'one renewal');
    return s;
  },

  async kill_during_a_renewal_loses_nothing() {
    const s = await oidc();
    await s.login();
    await expire(s);
    const release = s.as.hold(), held = s.as.held();
    const victim = s.start('call', 'srv.whoami'), died = exits(victim);
    const { gone } = await held;
    const waiting = s.call(); // has to wait for the lock, or has not got that far
    victim.kill('SIGKILL');
    same(await died, 'SIGKILL', 'the end');
    await gone;
    release();
    matches(await waiting, /mcp:read/, 'the next process');
    same(counts(s, 'authorize', REFRESH, `${REFRESH} failed`), { authorize: 0, [REFRESH]: 1, [`${REFRESH} failed`]: 0 }, 'one renewal');
    return s;
  },

  // The authorization server has used the refresh token up, and nobody has got the new one.
  async an_answer_that_is_lost_needs_a_login_and_no_more() {
    const s = await oidc();
    await s.login();
    await expire(s);
    s.as.lose(true);
    await s.call('whoami', 3).catch((e) => { if (!/status 4,/.test(e.message)) throw e; }); // refused, or not reached
    s.as.lose(false);
    matches(await s.call('whoami', 3), /mcptools login srv/, 'what to do');
    await s.login();
    matches(await s.call(), /mcp:read/, 'the call');
    return s;
  },

  async a_store_that_was_cut_off_needs_a_login_and_no_more() {
    const s = await oidc();
    await s.login();
    const [stored] = files(join(s.home, '.local/state/mcptools/credentials')).filter((f) => readFileSync(f).length);
    writeFileSync(stored, readFileSync(stored, 'utf8').slice(0, -20));
    matches(await s.call('whoami', 3), /mcptools login srv/, 'what to do');
    await s.login();
    matches(await s.call(), /mcp:read/, 'the call');
    return s;
  },

  async logout_revokes_and_forgets() {
    const s = await oidc();
    await s.login();
    const [tokens] = s.as.issued;
    same(await s.as.knowsRefreshToken(tokens.refresh_token), true, 'before');
    await s.run(0, 'logout', 'srv');
    same([await s.as.knowsRefreshToken(tokens.refresh_token), await s.as.find(tokens.access_token) ?? null], [false, null], 'the tokens');
    for (const f of files(s.home).filter((f) => f !== s.config))
      if (Object.values(tokens).some((t) => typeof t === 'string' && t.length > 20 && readFileSync(f, 'utf8').includes(t))) throw new Error(`${f} has a token`);
    await s.call('whoami', 3);
    await s.run(0, 'logout', 'srv'); // again
    await s.login();
    await s.call();
    return s;
  },

  async a_call_that_needs_more_scopes_tells_which() {
    const s = await oidc();
    await s.login();
    const told = await s.call('write', 3);
    matches(told, /mcptools login srv .*--scope/, 'what to do');
    matches(told, /mcp:write/, 'the scope');
    matches(await s.call(), /mcp:read$/m, 'what was allowed before is allowed');
    const [, scopes] = /--scope ['"]([^'"]+)['"]/.exec(told) ?? /--scope (\S+)/.exec(told);
    await s.login('--scope', scopes);
    matches(await s.call('write'), /written/, 'the call');
    matches(await s.call(), /mcp:read.*mcp:write|mcp:write.*mcp:read/, 'both scopes');
    same(counts(s, 'register', CODE), { register: 2, [CODE]: 2 }, 'two logins: this server limits a registration to its scopes');
    return s;
  },

  async another_authorization_server_gets_a_registration_of_its_own() {
    const s = await oidc(), first = s.as;
    await s.login();
    await s.call();
    const second = await oidcProvider();
    Object.assign(s.at, { as: second, find: second.find });
    matches(await s.call('whoami', 3), /mcptools login srv/, 'what to do');
    same([second.counts.register ?? 0, first.counts[`${REFRESH} failed`] ?? 0], [0, 0], 'nobody was asked');
    await s.login();
    matches(await s.call(), /mcp:read/, 'the call');
    same([second.counts.register, second.counts[CODE]], [1, 1], 'the second one');
    if ([...first.clientIds].some((id) => second.clientIds.has(id))) throw new Error('a client id of the first one was used at the second one');
    same((await s.facts()).issuer, second.issuer, 'status');
    await second.stop();
    return s;
  },

  async the_device_flow_logs_in() {
    const s = await oidc();
    const login = background(BINARY, ['login', 'srv', '--device', '--config', s.config], { cwd: s.home, env: s.env });
    const [, page] = await login.until(/(http:\/\/127\.0\.0\.1:\d+\/device\S*)/);
    const [code] = await login.until(/\b[B-Z]{4}-[B-Z]{4}\b/);
    const at = new URL(page);
    at.searchParams.set('user_code', code);
    same((await browse(at.href)).status, 200, 'the page of the person');
    same((await login.gone).status, 0, login.text());
    matches(await s.call(), /mcp:read/, 'the call');
    same(counts(s, DEVICE, CODE), { [DEVICE]: 1, [CODE]: 0 }, 'the grant');
    return s;
  },

  async machines_get_tokens_with_each_kind_of_credentials() {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' });
    const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k', alg: 'ES256', use: 'sig' };
    const kinds = {
      client_secret_basic: [{ client_secret: 'a secret: +/%&' }, { client_secret: 'a secret: +/%&' }],
      client_secret_post: [{ client_secret: 'another=&+%' }, { client_secret: 'another=&+%' }],
      private_key_jwt: [{ jwks: { keys: [jwk] }, token_endpoint_auth_signing_alg: 'ES256' }, { private_key: pem, key_id: 'k', alg: 'ES256' }],
    };
    const machine = { grant_types: [MACHINE], redirect_uris: [], response_types: [], scope: 'mcp:read mcp:write' };
    let last;
    for (const [method, [registered, auth]] of Object.entries(kinds)) {
      const client = { client_id: `client of ${method}`, token_endpoint_auth_method: method, ...machine, ...registered };
      const s = await oidc({ grant: MACHINE, client_id: client.client_id, ...auth }, { clients: [client], methods: [method] });
      for (let i = 0; i < 2; i++) matches(await s.call(), /client of \w+ mcp:read$/m, method);
      same(counts(s, MACHINE, 'authorize', 'register'), { [MACHINE]: 1, authorize: 0, register: 0 }, `${method}: one token`);
      s.at.revoke();
      matches(await s.call(), /mcp:read/, `${method}: a token that is refused`);
      matches(await s.call('write'), /written/, `${method}: more scopes`);
      same(counts(s, MACHINE, `${MACHINE} failed`), { [MACHINE]: 3, [`${MACHINE} failed`]: 0 }, `${method}: three tokens`);
      same([...s.as.schemes], [method === 'client_secret_basic' ? 'Basic' : ''], `${method}: the Authorization header`);
      if (last) await last.stop();
      last = s;
    }
    return last;
  },

  async tokens_are_bound_to_a_key() {
    for (const nonces of [false, true]) {
      const s = await scene({ as: await oidcProvider({ dpop: true, nonces }) });
      Object.assign(s.at, { dpop: true, nonces });
      await s.login();
      for (let i = 0; i < 2; i++) matches(await s.call(), /mcp:read/, 'the call');
      same(s.as.issued.map((t) => t.token_type), ['DPoP'], 'the kind of token');
      s.at.revoke();
      matches(await s.call(), /mcp:read/, 'the call after a renewal');
      same(counts(s, CODE, REFRESH, `${REFRESH} failed`), { [CODE]: 1, [REFRESH]: 1, [`${REFRESH} failed`]: 0 }, 'one renewal');
      same([s.as.issued[1].token_type, (await s.as.find(s.as.issued[0].access_token)).jkt], ['DPoP', (await s.as.find(s.as.issued[1].access_token)).jkt], 'one key');
      if (nonces) return s;
      await s.stop();
    }
    throw new Error('unreachable');
  },

  async a_client_id_that_was_configured_is_used() {
    const as = await mockServer();
    const s = await scene({ as, auth: { client_id: 'by hand', issuer: as.issuer, scopes: ['mcp:read'] }, server: { find: jwtVerifier(as.issuer) } });
    await s.login();
    matches(await s.call(), /mcp:read/, 'the call');
    s.at.revoke();
    await as.server.issuer.keys.generate('ES256', { kid: 'second' }); // keys change, too
    await s.call();
    same([as.counts[CODE], as.counts[REFRESH] ?? 0], [1, 1], 'a login and a renewal');
    return s;
  },

  async an_authorization_server_that_is_not_the_configured_one_is_refused() {
    const s = await oidc({ client_id: 'x', issuer: 'https://as.example' });
    await s.run(3, 'login', 'srv');
    same(counts(s, 'register', 'authorize'), { register: 0, authorize: 0 }, 'requests');
    return s;
  },

  // ---- the gateway ----

  async the_gateway_keeps_a_login_fresh() {
    const s = await oidc();
    await s.login();
    await expire(s);
    const g = await gateway(s);
    for (const text of await Promise.all(Array.from({ length: 10 }, () => g.call('whoami')))) matches(text, /mcp:read/, 'each call');
    same(counts(s, REFRESH, `${REFRESH} failed`), { [REFRESH]: 1, [`${REFRESH} failed`]: 0 }, 'one renewal');
    s.at.revoke();
    for (const text of await Promise.all(Array.from({ length: 10 }, () => g.call('whoami')))) matches(text, /mcp:read/, 'each call');
    same(counts(s, CODE, REFRESH, `${REFRESH} failed`), { [CODE]: 0, [REFRESH]: 2, [`${REFRESH} failed`]: 0 }, 'another one');
    await g.stop();
    return s;
  },

  async the_gateway_finds_a_login_that_is_made_meanwhile() {
    const s = await oidc();
    const g = await gateway(s);
    await g.it.until(/mcptools login srv/);
    same(await g.tools(), [], 'tools without a login');
    same(counts(s, 'register', 'authorize'), { register: 0, authorize: 0 }, 'the gateway asks for none');
    await s.login();
    await until('the tools of the server', async () => (await g.tools()).includes('whoami'));
    matches(await g.call('whoami'), /mcp:read/, 'the call');
    await g.stop();
    return s;
  },

  async the_gateway_tells_the_scopes_that_a_call_needs() {
    const s = await oidc();
    await s.login();
    const g = await gateway(s);
    const told = await g.call('write').catch((e) => e.message);
    matches(told, /mcp:write/, 'the scope');
    matches(told, /mcptools login srv/, 'what to do');
    await s.login('--scope', 'mcp:read mcp:write');
    await until('the call', async () => /written/.test(await g.call('write').catch((e) => e.message)));
    await g.stop();
    return s;
  },

  async the_gateway_and_a_command_renew_once() {
    const s = await oidc();
    await s.login();
    const g = await gateway(s);
    await g.call('whoami');
    s.at.revoke();
    const all = [...Array.from({ length: 5 }, () => s.call()), ...Array.from({ length: 5 }, () => g.call('whoami'))];
    for (const text of await Promise.all(all)) matches(text, /mcp:read/, 'each call');
    same(counts(s, REFRESH, `${REFRESH} failed`), { [REFRESH]: 1, [`${REFRESH} failed`]: 0 }, 'one renewal');
    await g.stop();
    return s;
  },

  async no_process_is_left() {
    await stopAll();
    const left = () => readdirSync('/proc').filter((p) => /^\d+$/.test(p)).filter((p) => {
      try {
        return existsSync(`/proc/${p}/exe`) && readFileSync(`/proc/${p}/environ`, 'utf8').includes(`HOME=${folder}/`);
      } catch { return false; }
    });
    await until('no process', () => !left().length);
  },
};

const chosen = Object.keys(tests).filter((name) => !WANTED.length || WANTED.includes(name));
console.log(`1..${chosen.length}`);
let failed = 0;
for (const [i, name] of chosen.entries()) {
  try {
    await (await tests[name]())?.stop();
    console.log(`ok ${i + 1} - ${name}`);
  } catch (e) {
    failed++;
    console.log(`not ok ${i + 1} - ${name}\n# ${String(e.stack ?? e).replaceAll('\n', '\n# ')}`);
  }
}
await stopAll();
rmSync(folder, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
