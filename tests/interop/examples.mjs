// The examples of a host in other languages, in front of the gateway. TAP on stdout.
// usage: node examples.mjs MCPTOOLS_BINARY
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { background, PATIENT, stopAll } from './background.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const EXAMPLES = join(HERE, '../../examples/bridge');
const [BINARY] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'mcptools-examples-'));
const paged = (n, page) => ({ command: process.execPath, args: [join(HERE, 'paged-server.mjs'), n, page] });

// Packages are found beside the file, so the example runs from a copy beside a link to them.
symlinkSync(join(HERE, 'node_modules'), join(folder, 'node_modules'));
copyFileSync(join(EXAMPLES, 'bridge.ts'), join(folder, 'bridge.ts'));
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
writeFileSync(join(folder, 'mcptools.json'), JSON.stringify({ mcpServers: { paged: paged('3', '2') }, mcptools: PATIENT }));
const programs = {
  python: ['python3', join(EXAMPLES, 'bridge.py')],
  typescript: [process.execPath, join(folder, 'bridge.ts')],
};

let n = 0, failed = 0;
function test(name, ok, why) {
  console.log(`${ok ? 'ok' : 'not ok'} ${++n} - ${name}`);
  if (!ok) failed++, console.log(why.replace(/^/gm, '# '));
}

const gateway = background(BINARY, ['serve', '--http', '127.0.0.1:0', '--config', join(folder, 'mcptools.json')], { cwd: folder });
const [, url] = await gateway.until(/(http:\/\/127\.0\.0\.1:\d+\/mcp)/);
for (const [language, [command, ...args]] of Object.entries(programs)) {
  for (const [what, more, wanted] of [
    ['the first resource', [], /Found 3 available resources\nthe text of paged:\/\/0\n/],
    ['one by its name', ['resource 2'], /Found 3 available resources\nthe text of paged:\/\/2\n/],
    ['a name that does not exist', ['nobody'], /Resource URI or valid resourceName is required/],
  ]) {
    const done = spawnSync(command, [...args, `${url}?dialect=bridge&mode=router`, ...more], { encoding: 'utf8', timeout: 60000 });
    const said = `${done.stdout}${done.stderr}`;
    const ok = done.status === 0 && said.startsWith('Resource Access Guidelines:') && said.includes('\tpaged://2\n') && wanted.test(said);
    test(`${language}: ${what}`, ok, `${done.status}\n${said}`);
  }
}
console.log(`1..${n}`);
await stopAll();
rmSync(folder, { recursive: true });
process.exit(failed ? 1 : 0);
