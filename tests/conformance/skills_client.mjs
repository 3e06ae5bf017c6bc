// The client of the scenarios of skills: the command line. Lists the skills of a server, and unless the scenario is about
// listing only, loads one and then its other files. It fails like the command that fails.
// usage: node skills_client.mjs MCPTOOLS URL, with the scenario in MCP_CONFORMANCE_SCENARIO
import { spawnSync } from 'node:child_process';

const [MCPTOOLS, URL] = process.argv.slice(2);

function skills(...words) {
  const { status, stdout, stderr } = spawnSync(MCPTOOLS, ['skills', ...words], { encoding: 'utf8' });
  process.stderr.write(stderr);
  if (status !== 0)
    process.exit(status ?? 1);
  return stdout;
}

const [skill] = JSON.parse(skills('list', URL, '-o', 'json')).skills;
if (!process.env.MCP_CONFORMANCE_SCENARIO.endsWith('no-prefetch')) {
  skills('load', URL, skill.uri);
  for (const { uri } of skill.resources.filter((file) => file.uri !== skill.uri))
    skills('read', URL, uri);
}
