// The object a plugin registers with. What OpenClaw's has beyond tools and tool hooks does nothing here,
// and is noted by name.
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { lacking } from './needs.mjs';

const MAX_IGNORED = 100;

function ignored(plugin, path) {
  return new Proxy(function () {}, {
    get: (target, key) =>
      typeof key === 'symbol' || key === 'then'
        ? undefined
        : key === 'prototype'
          ? target.prototype
          : ignored(plugin, `${path}.${key}`),
    apply() {
      if (plugin.ignored.size < MAX_IGNORED) plugin.ignored.add(path);
    },
  });
}

function loggerOf(log) {
  const at =
    (level) =>
    (...parts) =>
      log(level, parts.map((p) => (p instanceof Error ? p.message : String(p))).join(' '));
  return { debug: at('debug'), trace: at('debug'), info: at('info'), warn: at('warning'), error: at('error') };
}

function runtimeOf(logger, options, version) {
  const config = { current: () => options.config, loadConfig: () => options.config };
  const logging = { shouldLogVerbose: () => false, getChildLogger: () => logger };
  return lacking('api.runtime', {
    given: {
      version,
      config: lacking('api.runtime.config', { given: config }),
      logging: lacking('api.runtime.logging', { given: logging }),
    },
  });
}

export function createApi(plugin, { options, log, handlers, version }) {
  const logger = loggerOf(log);
  const known = {
    ...plugin.about,
    id: plugin.id,
    source: plugin.entry,
    runtimeSource: plugin.entry,
    rootDir: plugin.dir,
    registrationMode: 'full',
    config: options.config,
    pluginConfig: options.pluginConfig(plugin.id),
    logger,
    runtime: runtimeOf(logger, options, version),
    registerTool(tool, opts) {
      plugin.tools.push({ tool, opts: opts ?? {} });
    },
    on(name, handler, opts) {
      if (!handlers.add(name, handler, opts)) plugin.ignored.add(`on(${name})`);
    },
    resolvePath: (path) =>
      /^~(?:\/|$)/.test(path) ? join(homedir(), path.slice(1)) : resolve(options.workingDir, path),
  };
  return new Proxy(known, {
    get: (target, key) =>
      Object.hasOwn(target, key) || typeof key === 'symbol' || key === 'then' ? target[key] : ignored(plugin, key),
  });
}
