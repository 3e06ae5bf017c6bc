// An MCP server over stdio whose tools are those of OpenClaw plugins: README.md. It runs no code of a plugin itself.
import { Hooks } from './hooks.mjs';
import { claimStdout } from './lines.mjs';
import { readOptions } from './options.mjs';
import { loadPlugin } from './plugin.mjs';
import { Server } from './server.mjs';
import { collectTools } from './toolset.mjs';

const VERSION = '0.1.0';
const GOODBYE_MS = 2000; // for tools that were aborted at the end

function leaveWith(server, host) {
  let leaving = false;
  return () => {
    if (leaving) return;
    leaving = true;
    const end = () => {
      for (const plugin of host.plugins) plugin.process?.stop();
      process.exit(0);
    };
    setTimeout(end, GOODBYE_MS);
    server.abortAll().then(end);
  };
}

async function main() {
  const { MCPTOOLS_OPENCLAW_CONFIG: config, MCPTOOLS_OPENCLAW_REFUSED: refused } = process.env;
  const argv = process.argv.slice(2);
  const options = readOptions(argv, config, refused);
  delete process.env.MCPTOOLS_OPENCLAW_CONFIG;
  delete process.env.MCPTOOLS_OPENCLAW_REFUSED;
  const server = new Server(claimStdout(), { name: 'mcptools-openclaw', version: VERSION });
  const log = server.log.bind(server);
  const host = {
    options,
    log,
    given: { argv, config, version: VERSION }, // what each process is told
    plugins: [],
    tools: new Map(),
    hooks: new Hooks(options, log),
    changed: (hooksChanged) => server.changed(hooksChanged),
  };
  const leave = leaveWith(server, host);
  process.stdin.on('end', leave).on('error', leave);
  process.on('SIGTERM', leave).on('SIGINT', leave);
  process.stdout.on('error', leave);
  await Promise.all(options.plugins.map((dir) => loadPlugin(dir, host)));
  collectTools(host);
  server.serve(host, process.stdin);
}

main().catch((error) => {
  process.stderr.write(`openclaw: ${error.message}\n`);
  process.exit(1);
});
