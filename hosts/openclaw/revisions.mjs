// What the revisions of MCP differ in for a server that has tools only.

export const HANDSHAKE = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
export const STATELESS = ['2026-07-28'];
export const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

const META = 'io.modelcontextprotocol/';

export class RpcError extends Error {
  constructor(code, message, data) {
    super(message);
    Object.assign(this, { code, data });
  }
}

export const invalid = (message) => new RpcError(-32602, message);

// null: a request of the handshake revisions; otherwise what a stateless one says of itself.
export function statelessMeta(params) {
  const meta = params?._meta;
  const revision = meta?.[`${META}protocolVersion`];
  if (revision === undefined) return null;
  if (!STATELESS.includes(revision))
    throw new RpcError(-32022, 'Unsupported protocol version', { requested: String(revision), supported: STATELESS });
  const capabilities = meta[`${META}clientCapabilities`];
  if (capabilities === null || typeof capabilities !== 'object')
    throw invalid(`_meta: "${META}clientCapabilities" is missing`);
  const level = meta[`${META}logLevel`];
  if (level !== undefined && !LEVELS.includes(level)) throw invalid(`_meta: "${META}logLevel" is none`);
  return { level };
}

const cached = { ttlMs: 0, cacheScope: 'private' };

export const shapes = {
  handshake: { result: (value) => value, listed: (value) => value },
  stateless: {
    result: (value) => ({ ...value, resultType: 'complete' }),
    listed: (value) => ({ ...value, ...cached, resultType: 'complete' }),
  },
};

export const serverInfoMeta = (info) => ({ [`${META}serverInfo`]: info });
