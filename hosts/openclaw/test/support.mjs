// TAP, plugins made of texts, and a client of the host.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const HERE = dirname(fileURLToPath(import.meta.url));
export const HOST = join(HERE, '..', 'host.mjs');
const TESTS = join(HERE, '..', '..', '..', 'tests');
const PATIENCE_MS = 120000;

// What the other tests have installed.
export const interop = createRequire(join(TESTS, 'interop', 'package.json'));
export const INTEROP = join(TESTS, 'interop', 'node_modules');

// ---- TAP ----

const tests = [];
const folders = [];

export const test = (name, body) => tests.push({ name, body });

export function folder() {
  folders.push(mkdtempSync(join(tmpdir(), 'mcptools-openclaw-')));
  return folders.at(-1);
}

export async function finish() {
  console.log(`1..${tests.length}`);
  for (const [i, { name, body }] of tests.entries()) {
    try {
      await body();
      console.log(`ok ${i + 1} ${name}`);
    } catch (error) {
      console.log(`not ok ${i + 1} ${name}\n# ${String(error.stack).split('\n').join('\n# ')}`);
    }
    for (const client of [...open]) await client.close();
    for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
  }
}

// ---- plugins ----

// A folder with a manifest and an entry, or with the files named.
export function plugin(id, source, { manifest = { id, configSchema: { type: 'object' } }, files = {} } = {}) {
  const dir = join(folder(), id);
  const all = {
    'openclaw.plugin.json': JSON.stringify(manifest),
    ...(source ? { 'index.mjs': source } : {}),
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return dir;
}

// The source of a plugin with one tool; `execute` is the text of its body.
export const tool = (name, execute, more = '') => `
  api.registerTool({ name: '${name}', description: '${name}', parameters: { type: 'object' }, ${more}
    async execute(id, params, signal, onUpdate) { ${execute} } });`;
export const registering = (...parts) => `export default function register(api) { ${parts.join('\n')} }`;

// ---- the client ----

const open = new Set();
const META = 'io.modelcontextprotocol/';

class Client {
  messages = [];
  stderr = '';
  #waiting = [];
  #next = 0;

  constructor(args, { env = {}, node = [] } = {}) {
    this.child = spawn(process.execPath, [...node, HOST, ...args], { stdio: 'pipe', env: { ...process.env, ...env } });
    this.ended = new Promise((resolve) =>
      this.child.on('close', (status, signal) => {
        this.gone = true;
        this.#look();
        resolve(status ?? signal);
      }),
    );
    let rest = '';
    this.child.stdout.setEncoding('utf8').on('data', (d) => {
      const lines = (rest + d).split('\n');
      rest = lines.pop();
      this.messages.push(...lines.map((l) => JSON.parse(l)));
      this.#look();
    });
    this.child.stderr.setEncoding('utf8').on('data', (d) => {
      this.stderr += d;
      this.#look();
    });
    this.child.stdin.on('error', () => {});
    open.add(this);
  }

  #look() {
    this.#waiting = this.#waiting.filter((look) => !look());
  }

  // What find() gives, once it gives something.
  until(find) {
    return new Promise((resolve, reject) => {
      const fail = (why) => reject(new Error(`${why}\n${JSON.stringify(this.messages, null, 1)}\n${this.stderr}`));
      const timer = setTimeout(() => fail('never came'), PATIENCE_MS);
      const look = () => {
        const found = find();
        if (found === undefined && !this.gone) return false;
        clearTimeout(timer);
        found === undefined ? fail('the host ended') : resolve(found);
        return true;
      };
      if (!look()) this.#waiting.push(look);
    });
  }

  write(text) {
    this.child.stdin.write(text);
  }
  send(message) {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
  told(text) {
    return this.until(() => (this.stderr.includes(text) ? true : undefined));
  }

  // Sends a request and gives its id at once.
  begin(method, params = {}) {
    const id = ++this.#next;
    const meta =
      this.revision === '2026-07-28'
        ? { [`${META}protocolVersion`]: this.revision, [`${META}clientCapabilities`]: {}, [`${META}logLevel`]: 'debug' }
        : undefined;
    this.send({
      id,
      method,
      params: meta || params._meta ? { ...params, _meta: { ...meta, ...params._meta } } : params,
    });
    return id;
  }

  answer(id) {
    return this.until(() => this.messages.find((m) => m.id === id));
  }
  ask(method, params) {
    return this.answer(this.begin(method, params));
  }

  async result(method, params) {
    const answer = await this.ask(method, params);
    if (answer.error) throw new Error(JSON.stringify(answer.error));
    return answer.result;
  }

  call(name, args, _meta) {
    return this.result('tools/call', { name, arguments: args, ...(_meta ? { _meta } : {}) });
  }
  async tools() {
    return (await this.result('tools/list')).tools;
  }

  async shake(revision = '2025-11-25') {
    this.revision = revision;
    if (revision === '2026-07-28') return this.result('server/discover');
    const result = await this.result('initialize', {
      protocolVersion: revision,
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    this.send({ method: 'notifications/initialized' });
    return result;
  }

  async plugins() {
    const { result, error } = await this.ask('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    });
    return Object.fromEntries((result?._meta ?? error.data)['openclaw/plugins'].map((p) => [p.id, p]));
  }

  close() {
    open.delete(this);
    this.child.stdin.end();
    return this.ended;
  }
}

export function host(dirs, config, options) {
  const args = [
    ...[dirs].flat().flatMap((d) => ['--plugin', d]),
    ...(config ? ['--config', JSON.stringify(config)] : []),
  ];
  return new Client([...args, ...(options?.args ?? [])], options);
}

// A connected client of a host with these plugins.
export async function connected(dirs, config, revision) {
  const client = host(dirs, config);
  await client.shake(revision);
  return client;
}

// ---- official schemas ----

export function validator(revision) {
  const schema = JSON.parse(readFileSync(join(TESTS, 'schema', `${revision}.json`), 'utf8'));
  const Ajv = interop(schema.$defs ? 'ajv/dist/2020.js' : 'ajv').default;
  const ajv = new Ajv({ strict: false, allErrors: true });
  interop('ajv-formats').default(ajv);
  ajv.addFormat('byte', true);
  ajv.addSchema(schema, 'mcp');
  return (type, value) => {
    const check = ajv.getSchema(`mcp#/${schema.$defs ? '$defs' : 'definitions'}/${type}`);
    if (!check) throw new Error(`${revision} has no ${type}`);
    if (!check(value))
      throw new Error(`${revision} ${type}: ${ajv.errorsText(check.errors)}\n${JSON.stringify(value)}`);
  };
}
