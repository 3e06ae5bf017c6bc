// The process of one plugin: loads it, and runs its tools and handlers when the host asks (process.mjs).
// Whatever the plugin does to its process, it does to nobody else's.
import { AsyncLocalStorage } from 'node:async_hooks';
import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Handlers } from './handlers.mjs';
import { readOptions } from './options.mjs';
import { registerPlugin } from './register.mjs';
import { install } from './resolve.mjs';
import { bounded, messageOf, resultOf, updateText } from './result.mjs';
import { makeTools } from './toolset.mjs';
import { within } from './within.mjs';

const MAX_UNSENT = 1000; // messages that the host has not taken: updates beyond them are dropped

const exit = process.exit.bind(process);
const write = process.send.bind(process);
const asked = new AsyncLocalStorage(); // number of the request something is done for
const running = new Map(); // number of a request → AbortController
let unsent = 0;

function send(message) {
  unsent++;
  write(message, undefined, undefined, () => unsent--);
}

const log = (level, text) => send({ log: [level, text], of: asked.getStore() });

// What a plugin does outside of calls, and what belongs to the host.
function guard() {
  const tell = (error) => log('error', `uncaught: ${messageOf(error)}`);
  process.on('uncaughtException', tell);
  process.on('unhandledRejection', tell);
  process.exit = () => {
    throw new Error('a plugin cannot end the host');
  };
  process.send = undefined;
  const warn = process.emitWarning;
  process.emitWarning = (text, ...rest) =>
    /ExperimentalWarning/.test([rest[0]?.type, rest[0]]) || warn.call(process, text, ...rest);
  try {
    writeFileSync('/proc/self/oom_score_adj', '900'); // where memory ends, this process goes first
  } catch {} // there is none but on Linux
}

let plugin, host, tools;

// Imports and registers, then calls the factories, all within one time: → what the host is to know of it.
async function load({ argv, config, about, version }) {
  const options = readOptions(argv, config);
  plugin = { ...about, optionalTools: new Set(about.optionalTools), tools: [], ignored: new Set(), needs: new Set() };
  host = { options, log, version, handlers: new Handlers((list) => send({ hooks: list })) };
  const until = performance.now() + options.limits.loadMs;
  globalThis.require ??= createRequire(plugin.entry); // what esbuild's __require looks for
  await within(options.limits.loadMs, 'loading', registerPlugin(plugin, host));
  send({ registered: true });
  const made = await makeTools(plugin, host, until);
  tools = made.tools;
  return {
    registrations: made.shown,
    hooks: host.handlers.open(),
    ignored: [...plugin.ignored],
    needs: [...plugin.needs],
  };
}

async function execute({ tool: key, id, params }, signal, number) {
  const { tool, name } = tools[key];
  const prepared = typeof tool.prepareArguments === 'function' ? tool.prepareArguments(params) : params;
  const onUpdate = (update) => {
    if (running.has(number) && unsent < MAX_UNSENT) send({ update: updateText(update), of: number });
  };
  return bounded(resultOf(await tool.execute(id, prepared, signal, onUpdate)), name, host.options.limits.resultBytes);
}

const methods = {
  load,
  execute,
  hook: (params) => host.handlers.run(params),
  resolve: ({ approval, decision }) => host.handlers.resolve(approval, decision),
};

async function answer(number, method, params) {
  const stop = new AbortController();
  running.set(number, stop);
  send({ begun: number });
  try {
    const value = await asked.run(number, () => methods[method](params, stop.signal, number));
    running.delete(number);
    send({ answer: number, value: value ?? null });
  } catch (error) {
    running.delete(number);
    send({ answer: number, error: messageOf(error) });
  }
}

function take(message) {
  if (message.ping) send({ pong: true });
  else if (message.stop) running.get(message.stop)?.abort();
  else answer(message.ask, message.method, message.params);
}

guard();
install();
process.on('message', take);
process.on('disconnect', () => exit(0));
process.on('SIGINT', () => {}); // of a terminal: the host decides
send({ ready: true });
