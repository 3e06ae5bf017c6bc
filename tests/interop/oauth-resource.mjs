// A protected MCP server, made with TypeScript SDK 2.x and its bearer middleware; both eras over Streamable HTTP.
import { createHash } from 'node:crypto';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, OAuthError, OAuthErrorCode, buildOAuthProtectedResourceMetadata, createMcpHandler, getOAuthProtectedResourceMetadataUrl,
  requireBearerAuth, requireScopes } from '@modelcontextprotocol/server';
import { EmbeddedJWK, calculateJwkThumbprint, createRemoteJWKSet, jwtVerify } from 'jose';
import { z } from 'zod';
import { close, listen } from './oauth-provider.mjs';

const NONCE = 'nonce-of-the-server';

function build() {
  const server = new McpServer({ name: 'protected', version: '1.0.0' });
  const text = (t) => ({ content: [{ type: 'text', text: t }] });
  server.registerTool('whoami', { description: 'Tells the client id and the scopes', inputSchema: z.object({}) },
    async (_, ctx) => text(`${ctx.http.authInfo.clientId} ${ctx.http.authInfo.scopes.join(' ')}`));
  server.registerTool('write', { description: 'Needs a scope of its own', inputSchema: z.object({}), scopeChallenge: requireScopes('mcp:read', 'mcp:write') },
    async () => text('written'));
  return server;
}

// The token that a verifier of JWTs knows.
export function jwtVerifier(issuer) {
  const keys = createRemoteJWKSet(new URL(`${issuer}/jwks`), { cooldownDuration: 0 });
  return async (token) => {
    const { payload } = await jwtVerify(token, keys, { issuer });
    return { clientId: payload.client_id ?? payload.sub ?? 'somebody', scopes: payload.scope.split(' '), expiresAt: payload.exp, resource: payload.aud };
  };
}

// it.as: the authorization server of now; its find() tells what a token is. revoke(): tokens issued until now are
// refused, although they have not expired. it.counts: answers by status.
export async function protectedServer(as, { find = as.find } = {}) {
  const it = { as, find, counts: {}, calls: [], dpop: false, nonces: false };
  let refused = new Set();
  const seen = new Set();
  const invalid = (why) => new OAuthError(OAuthErrorCode.InvalidToken, why);
  const verifier = {
    async verifyAccessToken(token) {
      const found = refused.has(token) ? null : await it.find(token).catch(() => null);
      if (!found) throw invalid('unknown token');
      seen.add(token);
      return { token, clientId: found.clientId, scopes: found.scopes, expiresAt: found.expiresAt, resource: new URL(found.resource) };
    },
  };

  // RFC 9449: what the SDK's middleware does not know. Returns why the proof is wrong.
  async function proofFault(request, token) {
    const { jkt } = await it.find(token).catch(() => null) ?? {};
    const { payload, protectedHeader } = await jwtVerify(request.headers.get('dpop') ?? '', EmbeddedJWK, { typ: 'dpop+jwt', maxTokenAge: 60 });
    if (it.nonces && payload.nonce !== NONCE) return 'use_dpop_nonce';
    const wanted = { htm: request.method, htu: it.url, ath: createHash('sha256').update(token).digest('base64url') };
    const differs = Object.keys(wanted).find((k) => payload[k] !== wanted[k]);
    if (differs) return `${differs} differs`;
    if (it.calls.includes(payload.jti)) return 'the proof was used before';
    it.calls.push(payload.jti);
    return jkt === await calculateJwkThumbprint(protectedHeader.jwk) ? null : 'another key';
  }
  async function checkProof(request) {
    const [, token] = /^DPoP (\S+)$/.exec(request.headers.get('authorization') ?? '') ?? [];
    const why = token ? await proofFault(request, token).catch((e) => e.message) : 'no proof';
    if (!why) return new Request(request, { headers: { ...Object.fromEntries(request.headers), authorization: `Bearer ${token}` } });
    const error = !token ? '' : `error="${why === 'use_dpop_nonce' ? why : 'invalid_token'}", error_description="${why}", `;
    const headers = new Headers({ 'WWW-Authenticate': 'Basic realm="x", charset="UTF-8"', ...it.nonces && { 'DPoP-Nonce': NONCE } });
    headers.append('WWW-Authenticate', `DPoP ${error}algs="ES256", resource_metadata="${metadataUrl}"`);
    return new Response('{"error":"invalid_token"}', { status: 401, headers });
  }

  let metadataUrl;
  const handler = createMcpHandler(build, { legacy: 'stateless' });
  async function answer(request) {
    const { pathname } = new URL(request.url);
    if (pathname === new URL(metadataUrl).pathname) {
      const document = buildOAuthProtectedResourceMetadata({ resourceServerUrl: new URL(it.url), scopesSupported: ['mcp:read'], resourceName: 'protected',
        oauthMetadata: { issuer: it.as.issuer, authorization_endpoint: '', token_endpoint: '', response_types_supported: [] } });
      if (it.dpop) Object.assign(document, { dpop_signing_alg_values_supported: ['ES256'], dpop_bound_access_tokens_required: true });
      document.authorization_servers = [it.as.issuer]; // as it is written
      return Response.json(document);
    }
    if (pathname !== '/mcp') return new Response('', { status: 404 });
    const proven = it.dpop ? await checkProof(request) : request;
    if (proven instanceof Response) return proven;
    const gate = requireBearerAuth({ verifier, requiredScopes: ['mcp:read'], resourceMetadataUrl: metadataUrl, expectedResource: new URL(it.url) });
    const authInfo = await gate(proven);
    return authInfo instanceof Response ? authInfo : handler.fetch(proven, { authInfo });
  }
  const server = await listen(toNodeHandler({
    async fetch(request) {
      const response = await answer(request);
      if (new URL(request.url).pathname === '/mcp') it.counts[response.status] = (it.counts[response.status] ?? 0) + 1;
      return response;
    },
  }));
  it.url = `http://127.0.0.1:${server.address().port}/mcp`;
  metadataUrl = getOAuthProtectedResourceMetadataUrl(new URL(it.url));
  return Object.assign(it, {
    revoke() { refused = new Set([...refused, ...seen, ...(it.as.issued ?? []).map((body) => body.access_token)]); },
    stop: () => close(server),
  });
}
