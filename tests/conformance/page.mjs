// docs/CONFORMANCE.md, made of docs/conformance/*.json, which the runs of the official suite write with `--record`.
// usage: node page.mjs [--check]
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const HERE = dirname(fileURLToPath(import.meta.url)), DOCS = join(HERE, '../../docs');
const FOLDER = join(DOCS, 'conformance'), PAGE = join(DOCS, 'CONFORMANCE.md');
const SUITE = join(HERE, '../interop/node_modules/@modelcontextprotocol/conformance/package.json');

const HEAD = `# Conformance

The results of the official conformance suite (\`@modelcontextprotocol/conformance\`, npm): every scenario, required or not,
against mcptools as client and as server, and through the gateway in front of servers of every era. A scenario in which
nothing was checked does not count as passed. \`make conformance\` runs the suite and writes this page.
`;

const TITLES = {
  skills: ['Skills', `The scenarios of the extension of skills: the command line as the client; a server with skills alone, behind
its own endpoint of the gateway, and beside another one at the endpoint of several; a folder that mcptools serves.`],
  client: ['Clients', 'The client of the library, which the gateway and the command line use.'],
  server: ['Servers and the gateway', `\`fixture\`, \`library\` and \`example\` are servers that are built on the library; \`sdk\`
is a server on the published TypeScript SDK. \`gateway\` means that the suite talks to the gateway, with this server behind
it: its era (\`legacy\`: 2025-11-25, \`2026\`: 2026-07-28, \`both\`) and its transport. \`prefixed\`: two servers, so that names
have prefixes. \`front stdio\`: the gateway serves its client over stdio.`],
};

// What a run tells of each scenario, with the reasons for what does not pass.
export class Record {
  rows = [];

  // `wrong`: texts of what failed; `why`: the reason if that is known.
  add(subject, revision, scenario, required, wrong, why) {
    this.rows.push({ subject, revision, scenario, required, passed: !wrong.length, ...wrong.length && { why: why ?? wrong[0].split('\n')[0] } });
  }

  save(part) {
    const { version } = JSON.parse(readFileSync(SUITE, 'utf8'));
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(join(FOLDER, `${part}.json`),
      `{"suite":"${version}","date":"${new Date().toISOString().slice(0, 10)}","rows":[\n${this.rows.map((r) => JSON.stringify(r)).join(',\n')}\n]}\n`);
    writeFileSync(PAGE, page());
  }
}

const groups = (rows, key) => [...Map.groupBy(rows, key).entries()];
const share = (rows) => rows.length ? `${rows.filter((r) => r.passed).length}/${rows.length}` : '';

function subjects(rows) {
  const lines = ['|  | revision | required | not required |', '|---|---|---:|---:|'];
  for (const [name, of] of groups(rows, (r) => `${r.subject} | ${r.revision}`))
    lines.push(`| ${name} | ${share(of.filter((r) => r.required))} | ${share(of.filter((r) => !r.required))} |`);
  return lines;
}

function lost(rows) {
  const missing = rows.filter((r) => !r.passed);
  if (!missing.length)
    return ['Every scenario passes.'];
  const lines = ['What does not pass:', '', '| scenario | revision | where | why |', '|---|---|---|---|'];
  for (const [, of] of groups(missing, (r) => JSON.stringify([r.scenario, r.revision, r.why])))
    lines.push(`| ${of[0].scenario}${of[0].required ? '' : ' (not required)'} | ${of[0].revision} | ${of.map((r) => r.subject).join(', ')} | ${of[0].why.replaceAll('|', '\\|')} |`);
  return lines;
}

function scenarios(rows) {
  const revisions = [...new Set(rows.map((r) => r.revision))].sort();
  const lines = ['<details><summary>Each scenario: passed, of the rows above that run it</summary>', '',
    `| scenario | ${revisions.join(' | ')} |`, `|---|${revisions.map(() => '---:|').join('')}`];
  for (const [name, of] of groups(rows, (r) => r.scenario).sort())
    lines.push(`| ${name} | ${revisions.map((revision) => share(of.filter((r) => r.revision === revision))).join(' | ')} |`);
  return [...lines, '', '</details>'];
}

function page() {
  const parts = readdirSync(FOLDER).filter((name) => name.endsWith('.json')).sort().map((name) => {
    const { suite, date, rows } = JSON.parse(readFileSync(join(FOLDER, name), 'utf8'));
    const [title, text] = TITLES[name.slice(0, -'.json'.length)];
    return ['', `## ${title}`, '', `${text} Suite ${suite}, run on ${date}.`, '', ...subjects(rows), '', ...lost(rows), '', ...scenarios(rows), ''];
  });
  return HEAD + parts.flat().join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const current = process.argv[2] !== '--check' || readFileSync(PAGE, 'utf8') === page();
  if (process.argv[2] !== '--check')
    writeFileSync(PAGE, page());
  else
    console.log(`docs/CONFORMANCE.md is ${current ? 'current' : 'not what docs/conformance/*.json make of it: run tests/conformance/page.mjs'}`);
  process.exit(current ? 0 : 1);
}
