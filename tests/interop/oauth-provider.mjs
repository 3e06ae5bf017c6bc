// Authorization servers from npm, on loopback: oidc-provider with everything that MCP uses, and oauth2-mock-server.
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { OAuth2Server } from 'oauth2-mock-server';
import { Provider } from 'oidc-provider';

// It warns of settings that are meant for tests.
for (const level of ['info', 'warn']) {
  const write = console[level];
  console[level] = (text, ...more) => /^oidc-provider (NOTICE|WARNING)/.test(text) || write(text, ...more);
}

const SCOPES = ['mcp:read', 'mcp:write'];
export const listen = (handler) => new Promise((resolve) => {
  const server = createServer(handler).listen(0, '127.0.0.1', () => resolve(server));
});
export const close = (server) => new Promise((resolve) => { server.close(resolve); server.closeAllConnections(); });

// The person says yes to everything.
async function agree(provider, req, res) {
  const { prompt: { name, details }, params, session, grantId } = await provider.interactionDetails(req, res);
  if (name === 'login')
    return provider.interactionFinished(req, res, { login: { accountId: 'ada' } }, { mergeWithLastSubmission: false });
  const grant = await (grantId && provider.Grant.find(grantId)) ?? new provider.Grant({ accountId: session.accountId, clientId: params.client_id });
  if (details.missingOIDCScope) grant.addOIDCScope(details.missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(details.missingResourceScopes ?? {})) grant.addResourceScope(resource, scopes.join(' '));
  return provider.interactionFinished(req, res, { consent: { grantId: await grant.save() } }, { mergeWithLastSubmission: true });
}

// counts: what was asked for: "register", "authorize", "revoke", and each grant_type; "… failed" the same in vain.
// schemes: of the Authorization headers of token requests.
// hold(): token requests wait until the returned release() is called; held() waits for one, and returns a promise that
// its client has gone.
// lose(): token requests are carried out, and their answers never arrive.
export async function oidcProvider({ clients = [], methods = ['none'], dpop = false, nonces = false } = {}) {
  const it = { counts: {}, issued: [], seconds: 3600, clientIds: new Set(), schemes: new Set() };
  const count = (what) => { it.counts[what] = (it.counts[what] ?? 0) + 1; };
  let gate = null, lost = false, provider, wakers = [];
  const server = await listen(async (req, res) => {
    const path = new URL(req.url, 'http://x').pathname;
    try {
      if (path.startsWith('/interaction/')) return await agree(provider, req, res);
      if (path === '/auth') count('authorize');
      if (path === '/token') it.schemes.add(/^\w*/.exec(req.headers.authorization ?? '')[0]);
      if (path === '/token' && (gate || lost)) {
        if (lost) res.end = () => res.destroy();
        wakers.splice(0).forEach((wake) => wake({ gone: new Promise((resolve) => res.on('close', resolve)) }));
        await gate;
        if (req.destroyed || req.socket.destroyed) return undefined;
      }
      return await provider.callback()(req, res);
    } catch (e) {
      return res.writeHead(500).end(String(e.stack));
    }
  });
  const issuer = `http://127.0.0.1:${server.address().port}`;
  provider = new Provider(issuer, {
    clients,
    clientAuthMethods: methods, // it would take client_secret_basic of a client of client_secret_post
    clockTolerance: 0,
    cookies: { keys: ['of a test'] },
    scopes: ['openid', 'offline_access', ...SCOPES],
    features: {
      clientCredentials: { enabled: true },
      deviceFlow: { enabled: true },
      devInteractions: { enabled: false },
      dPoP: { enabled: dpop, nonceSecret: Buffer.alloc(32, 7), requireNonce: () => nonces },
      introspection: { enabled: true },
      registration: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (ctx, resource) => ({ scope: SCOPES.join(' '), audience: resource, accessTokenTTL: it.seconds, accessTokenFormat: 'opaque' }),
      },
      revocation: { enabled: true },
    },
    interactions: { url: (ctx, interaction) => `/interaction/${interaction.uid}` },
    pkce: { required: () => true },
    rotateRefreshToken: () => true,
    ttl: { AccessToken: (ctx, token) => token.resourceServer?.accessTokenTTL ?? 3600, ClientCredentials: () => it.seconds },
  });
  provider.on('registration_create.success', () => count('register'));
  provider.on('grant.revoked', () => count('revoke'));
  provider.on('grant.success', (ctx) => {
    count(ctx.oidc.params.grant_type);
    it.clientIds.add(ctx.oidc.client.clientId);
    it.issued.push(ctx.body);
  });
  provider.on('grant.error', (ctx, e) => { if (!/pending|nonce/.test(e.message)) count(`${ctx.oidc.params?.grant_type} failed`); });
  provider.on('server_error', (ctx, e) => console.log(`# oidc-provider: ${e.stack.replaceAll('\n', '\n# ')}`));

  Object.assign(it, {
    issuer, provider, dpop,
    held: () => new Promise((resolve) => wakers.push(resolve)),
    hold() {
      let release;
      gate = new Promise((resolve) => { release = resolve; });
      return () => { gate = null; release(); };
    },
    lose(yes) { lost = yes; },
    async find(text) {
      const token = await provider.AccessToken.find(text) ?? await provider.ClientCredentials.find(text);
      return token && { clientId: token.clientId, scopes: [...token.scopes], expiresAt: token.exp, resource: token.aud, jkt: token.jkt };
    },
    knowsRefreshToken: async (text) => !!(await provider.RefreshToken.find(text)),
    stop: () => close(server),
  });
  return it;
}

// An authorization server without registration, of which clients know the client id; its tokens are JWTs.
export async function mockServer() {
  const server = new OAuth2Server(), counts = {};
  await server.issuer.keys.generate('RS256', { kid: 'first' });
  await server.start(0, '127.0.0.1');
  server.service.on('beforeTokenSigning', (token, req) => {
    token.payload.aud = req.body.resource ?? token.payload.aud;
    Object.assign(token.payload, { scope: 'mcp:read', jti: randomUUID() });
  });
  server.service.on('beforeResponse', (answer, req) => {
    answer.body.scope = 'mcp:read';
    counts[req.body.grant_type] = (counts[req.body.grant_type] ?? 0) + 1;
  });
  return { issuer: server.issuer.url, counts, server, stop: () => server.stop() };
}
