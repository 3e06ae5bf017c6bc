// An MCP server over stdio whose tools are those of OpenClaw plugins: README.md.
import { sep } from 'node:path';
import { Hooks } from './hooks.mjs';
import { claimStdout } from './lines.mjs';
import { readOptions } from './options.mjs';
import { loadPlugin } from './plugin.mjs';
import { install } from './resolve.mjs';
import { Server } from './server.mjs';
import { collectTools } from './toolset.mjs';

const VERSION = '0.1.0';
const GOODBYE_MS = 2000; // for tools that were aborted at the end

const exit = process.exit.bind(process);

// What plugins do outside of calls, and must not end the others.
function guard(host) {
  const owner = (error) => host.plugins.find((p) => String(error?.stack).includes(p.dir + sep));
  const tell = (error) => host.log('error', `uncaught: ${error?.message ?? error}`, owner(error)?.id);
  process.on('uncaughtException', tell);
  process.on('unhandledRejection', tell);
  process.exit = () => {
    throw new Error('a plugin cannot end the host');
  };
  const warn = process.emitWarning;
  process.emitWarning = (text, ...rest) =>
    /ExperimentalWarning/.test([rest[0]?.type, rest[0]]) || warn.call(process, text, ...rest);
}

function leaveWith(server) {
  let leaving = false;
  return () => {
    if (leaving) return;
    leaving = true;
    setTimeout(exit, GOODBYE_MS, 0);
    server.abortAll().then(() => exit(0));
  };
}

async function main() {
  const options = readOptions(process.argv.slice(2), process.env.MCPTOOLS_OPENCLAW_CONFIG);
  delete process.env.MCPTOOLS_OPENCLAW_CONFIG;
  const server = new Server(claimStdout(), { name: 'mcptools-openclaw', version: VERSION });
  const log = server.log.bind(server);
  const host = { options, log, plugins: [], tools: new Map(), hooks: new Hooks(options, log), version: VERSION };
  guard(host);
  install();
  const leave = leaveWith(server);
  process.stdin.on('end', leave).on('error', leave);
  process.on('SIGTERM', leave).on('SIGINT', leave);
  process.stdout.on('error', leave);
  await Promise.all(options.plugins.map((dir) => loadPlugin(dir, host)));
  await collectTools(host);
  server.serve(host, process.stdin);
}

main().catch((error) => {
  process.stderr.write(`openclaw: ${error.message}\n`);
  exit(1);
});
