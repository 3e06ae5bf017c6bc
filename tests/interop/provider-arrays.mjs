// What 'tools --for' makes of servers, held against the published rules of the providers (provider-rules.mjs).
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describedAs, problems, RULES, toolsOf, unnoted } from './provider-rules.mjs';

export const PROVIDERS = Object.keys(RULES);

// Returns what the program prints with -o json; null if that is no JSON.
function printed(binary, config, provider, env) {
  const done = spawnSync(binary, ['tools', '--for', provider, '-o', 'json', '--config', config, '--timeout', '60'],
    { env, encoding: 'utf8', timeout: 200000, maxBuffer: 1 << 28 });
  try { return { ...JSON.parse(done.stdout), stderr: done.stderr }; } catch { return null; }
}

// Makes the arrays of one server. Returns { tools: number of its tools, rows: {provider, n, refused, unnoted, leftOut,
// noted, renamed} }, or { why } if it has no tools to show.
export function arraysOf(binary, folder, server, env) {
  const config = join(folder, 'mcptools.json');
  mkdirSync(folder, { recursive: true });
  writeFileSync(config, JSON.stringify({ mcpServers: { s: server } }));
  chmodSync(config, 0o600);
  const said = printed(binary, config, 'mcp', env);
  if (!said?.tools?.length) return { why: said?.errors?.[0]?.message ?? said?.stderr ?? 'no output' };
  return { tools: said.tools.length, said: said.tools, rows: PROVIDERS.map((provider) => row(binary, config, provider, env, said.tools)) };
}

function row(binary, config, provider, env, said) {
  const made = printed(binary, config, provider, env);
  const leftOut = (made.left_out ?? []).map((t) => t.name);
  const errors = (made.errors ?? []).filter((e) => e.tool).map((e) => e.tool);
  const kept = said.filter((t) => !leftOut.includes(t.name));
  const sent = toolsOf(provider, made.tools);
  const refused = problems(provider, made.tools);
  if (sent.length !== kept.length) refused.push(`${sent.length} tools of ${kept.length}`);
  if (errors.join() !== leftOut.join()) refused.push(`left out ${leftOut}, but errors name ${errors}`);
  if (RULES[provider].tools && sent.length > RULES[provider].tools && !(made.errors ?? []).some((e) => e.kind === 'limit'))
    refused.push(`${sent.length} tools, and no error says so`);
  const pairs = kept.map((t, i) => [t.description?.trim() ? t.description : t.title ?? t.name, describedAs(provider, sent[i])]);
  return { provider, n: sent.length, refused, unnoted: unnoted(pairs), leftOut, noted: pairs.filter(([a, b]) => a !== b).length };
}
