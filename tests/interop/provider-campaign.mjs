// The arrays of tools of real servers from npm, against the published rules of the providers. Needs a network to npm's
// registry; `make provider-campaign` runs it.
// usage: node provider-campaign.mjs MCPTOOLS_BINARY FOLDER [NAME...]    FOLDER keeps the packages between runs
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { arraysOf, PROVIDERS } from './provider-arrays.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const [BINARY, FOLDER, ...WANTED] = process.argv.slice(2);
const servers = JSON.parse(readFileSync(join(HERE, 'provider-servers.json'), 'utf8'));
const home = join(FOLDER, 'home');
mkdirSync(home, { recursive: true });

// Installs one package, without its scripts. Returns the path of its program; null if it cannot be installed.
function installed(name, { version, bin }) {
  const folder = join(FOLDER, name.replaceAll(/[@/]/g, '_'));
  const place = join(folder, 'node_modules', name);
  if (!existsSync(join(folder, 'done'))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', `${name}@${version}`];
    if (spawnSync('npm', words, { cwd: folder, timeout: 400000, stdio: 'ignore' }).status !== 0) return null;
    writeFileSync(join(folder, 'done'), '');
  }
  const programs = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')).bin;
  const wanted = bin ?? name.split('/').at(-1);
  return join(place, typeof programs === 'string' ? programs : programs[wanted] ?? Object.values(programs)[0]);
}

const total = Object.fromEntries(PROVIDERS.map((p) => [p, { entries: 0, refused: 0, unnoted: 0, leftOut: 0, noted: 0 }]));
let [n, nTools] = [0, 0];
for (const [name, entry] of Object.entries(servers)) {
  if (WANTED.length && !WANTED.includes(name)) continue;
  const program = installed(name, entry);
  const made = program ? arraysOf(BINARY, join(FOLDER, name.replaceAll(/[@/]/g, '_')),
    { command: process.execPath, args: [program, ...entry.args ?? []], env: { ...entry.env, HOME: home }, cwd: home },
    { PATH: process.env.PATH, HOME: home }) : { why: 'npm could not install it' };
  if (made.why) {
    console.log(`-  ${name}: ${made.why.trim().slice(0, 120)}`);
    continue;
  }
  n++;
  nTools += made.tools;
  for (const row of made.rows) {
    const sum = total[row.provider];
    sum.entries += row.n;
    sum.refused += row.refused.length;
    sum.unnoted += row.unnoted.length;
    sum.leftOut += row.leftOut.length;
    sum.noted += row.noted;
    for (const what of row.refused) console.log(`   ${name}, ${row.provider}: ${what}`);
    for (const [said, sent] of row.unnoted) console.log(`   ${name}, ${row.provider}: description ${JSON.stringify(said)} became ${JSON.stringify(sent)}`);
    for (const tool of row.leftOut) console.log(`   ${name}, ${row.provider}: ${tool} is left out`);
  }
  console.log(`ok ${name}: ${made.tools} tools`);
}
console.log(`\n${n} servers, ${nTools} tools`);
console.table(total);
const bad = Object.values(total).some((sum) => sum.refused || sum.unnoted);
process.exit(bad || !n ? 1 : 0);
