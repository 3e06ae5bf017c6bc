// A server of protocol revision 2026-07-28 with the extension io.modelcontextprotocol/tasks, written from its description
// without an SDK: none serves it. Has the tools that the conformance suite's tasks scenarios call.
// usage: tasks-server.mjs [--http PORT]   --http prints "PORT n" on stderr; otherwise it serves stdio.
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';

const TASKS = 'io.modelcontextprotocol/tasks', REVISION = '2026-07-28';
const KEY = { version: 'io.modelcontextprotocol/protocolVersion', capabilities: 'io.modelcontextprotocol/clientCapabilities',
  info: 'io.modelcontextprotocol/serverInfo' };
const TTL_MS = 60000, POLL_MS = 100;
const tasks = new Map();
let n = 0;

class Refusal extends Error {
  constructor(code, message, data) {
    super(message);
    Object.assign(this, { code, data });
  }
}
const text = (what, more) => ({ content: [{ type: 'text', text: what }], ...more });
const declares = (params) => params._meta?.[KEY.capabilities]?.extensions?.[TASKS] !== undefined;
const mustDeclare = (params) => {
  if (!declares(params))
    throw new Refusal(-32021, 'the extension of tasks is required', { requiredCapabilities: { extensions: { [TASKS]: {} } } });
};

// ---- tasks ----

function change(task, status, more) {
  if (['completed', 'failed', 'cancelled'].includes(task.status))
    return;
  Object.assign(task, { status, lastUpdatedAt: new Date().toISOString() }, more);
}

const shown = ({ timer, open, ended, ...task }) => task;

// `run` gets the task and ends it some time with change().
function create(run) {
  const now = new Date().toISOString();
  const task = { taskId: `task-${++n}-${Math.random().toString(36).slice(2)}`, status: 'working', statusMessage: 'begun',
    createdAt: now, lastUpdatedAt: now, ttlMs: TTL_MS, pollIntervalMs: POLL_MS };
  tasks.set(task.taskId, task);
  setTimeout(() => tasks.delete(task.taskId), TTL_MS).unref();
  const created = { resultType: 'task', ...shown(task) };
  run(task);
  return created;
}

const later = (task, ms, fn) => { task.timer = setTimeout(fn, ms); };
const complete = (task, result) => change(task, 'completed', { result });

// The elicitations are open until each has an answer; `then` gets all of them.
function ask(task, questions, then) {
  task.open = { ...questions };
  task.answers = {};
  task.ended = then;
  change(task, 'input_required', { inputRequests: task.open });
}

function answer(task, responses) {
  for (const [key, value] of Object.entries(responses ?? {})) {
    if (!task.open?.[key])
      continue;
    delete task.open[key];
    task.answers[key] = value;
  }
  if (task.open && !Object.keys(task.open).length) {
    const { answers, ended } = task;
    for (const key of ['open', 'answers', 'ended', 'inputRequests'])
      delete task[key];
    change(task, 'working');
    ended(answers);
  }
}

const form = (message, name, type) => ({ method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { [name]: { type } }, required: [name] } } });

const found = (params) => {
  mustDeclare(params);
  const task = tasks.get(params.taskId);
  if (!task)
    throw new Refusal(-32602, `no task ${params.taskId}`);
  return task;
};

// ---- tools ----

const tools = {
  greet: { properties: { name: { type: 'string' } }, annotations: { readOnlyHint: true },
    call: ({ arguments: a }) => text(`Hello, ${a?.name ?? 'nobody'}!`) },
  slow_compute: { properties: { seconds: { type: 'number' }, label: { type: 'string' } },
    call(params) {
      const { seconds = 1, label = 'it' } = params.arguments ?? {}, done = text(`computed ${label}`);
      return declares(params) ? create((task) => later(task, seconds * 1000, () => complete(task, done))) : done;
    } },
  failing_job: { call(params) {
    mustDeclare(params);
    return create((task) => later(task, 1000, () => complete(task, text('the job failed', { isError: true }))));
  } },
  protocol_error_job: { call(params) {
    mustDeclare(params);
    return create((task) => later(task, 300, () => change(task, 'failed', { error: { code: -32603, message: 'it broke' } })));
  } },
  confirm_delete: { properties: { filename: { type: 'string' } }, call(params) {
    mustDeclare(params);
    const file = params.arguments?.filename ?? 'a file';
    return create((task) => later(task, 100, () => ask(task, { confirm: form(`Delete ${file}?`, 'confirm', 'boolean') },
      ({ confirm }) => complete(task, text(confirm.action === 'accept' && confirm.content?.confirm ? `deleted ${file}` : 'kept')))));
  } },
  multi_input: { call(params) {
    mustDeclare(params);
    return create((task) => later(task, 100, () => ask(task, { first: form('First?', 'value', 'string'),
      second: form('Second?', 'value', 'string') },
    (all) => complete(task, text(`${all.first.content?.value} ${all.second.content?.value}`)))));
  } },
  test_tool_with_task: { call(params) {
    const name = params.inputResponses?.user_name?.content?.name;
    if (params.requestState !== 'asked' || !name)
      return { resultType: 'input_required', inputRequests: { user_name: form('Who?', 'name', 'string') }, requestState: 'asked' };
    mustDeclare(params);
    return create((task) => later(task, 200, () => complete(task, text(`Hello, ${name}!`))));
  } },
};

// ---- methods ----

const methods = {
  'server/discover': () => ({ supportedVersions: [REVISION], capabilities: { tools: {}, extensions: { [TASKS]: {} } },
    ttlMs: 0, cacheScope: 'private' }),
  'tools/list': () => ({ ttlMs: 0, cacheScope: 'private', tools: Object.entries(tools).map(([name, { properties = {}, annotations }]) =>
    ({ name, description: name, inputSchema: { type: 'object', properties }, annotations })) }),
  'tools/call'(params) {
    const tool = tools[params.name];
    if (!tool)
      throw new Refusal(-32602, `no tool ${params.name}`);
    return tool.call(params);
  },
  'tasks/get': (params) => shown(found(params)),
  'tasks/update'(params) {
    answer(found(params), params.inputResponses);
    return {};
  },
  'tasks/cancel'(params) {
    const task = found(params);
    clearTimeout(task.timer);
    for (const key of ['open', 'answers', 'ended', 'inputRequests'])
      delete task[key];
    change(task, 'cancelled');
    return {};
  },
};

function handle({ id, method, params = {} }) {
  try {
    const fn = methods[method];
    if (!fn)
      throw new Refusal(-32601, `method not found: ${method}`);
    if (params._meta?.[KEY.version] !== REVISION)
      throw new Refusal(-32022, 'unsupported version', { supported: [REVISION], requested: String(params._meta?.[KEY.version]) });
    return { jsonrpc: '2.0', id, result: { resultType: 'complete', ...fn(params),
      _meta: { [KEY.info]: { name: 'tasks-server', version: '1.0.0' } } } };
  } catch (e) {
    return { jsonrpc: '2.0', id, error: { code: e.code ?? -32603, message: e.message, data: e.data } };
  }
}

// ---- transports ----

const STATUS = { [-32601]: 404, [-32021]: 400, [-32022]: 400, [-32020]: 400 };
const NAMES = { 'tools/call': 'name', 'tasks/get': 'taskId', 'tasks/update': 'taskId', 'tasks/cancel': 'taskId' };

function mismatch({ method, params }, headers) {
  const named = NAMES[method];
  const wrong = headers['mcp-method'] !== method ? 'Mcp-Method' : named && methods[method] && headers['mcp-name'] !== params?.[named] ? 'Mcp-Name' : null;
  return wrong && { code: -32020, message: `the header ${wrong} differs from the body` };
}

function overHttp(port) {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (d) => { body += d; }).on('end', () => {
      const reply = (status, answer) => response.writeHead(status, { 'Content-Type': 'application/json' }).end(answer && JSON.stringify(answer));
      if (request.method !== 'POST')
        return reply(405);
      const message = JSON.parse(body);
      if (message.id === undefined)
        return reply(202);
      const undeclared = message.method.startsWith('tasks/') && methods[message.method] && !declares(message.params ?? {});
      const error = undeclared ? null : mismatch(message, request.headers);
      const answer = error ? { jsonrpc: '2.0', id: message.id, error } : handle(message);
      reply(STATUS[answer.error?.code] ?? 200, answer);
    });
  });
  server.listen(port, '127.0.0.1', () => console.error(`PORT ${server.address().port}`));
}

const httpAt = process.argv.indexOf('--http');
if (httpAt > 0)
  overHttp(Number(process.argv[httpAt + 1]));
else
  createInterface({ input: process.stdin }).on('line', (line) => {
    const message = JSON.parse(line);
    if (message.id !== undefined)
      process.stdout.write(`${JSON.stringify(handle(message))}\n`);
  }).on('close', () => process.exit(0));
