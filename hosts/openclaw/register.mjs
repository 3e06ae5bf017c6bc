// In the process of a plugin: imports its entry and lets it register.
import { pathToFileURL } from 'node:url';
import { createApi } from './api.mjs';

// A default function, a default object, or a function of its own name; CommonJS has its exports in "default".
function findRegister(module) {
  for (const exported of [module.default, module.default?.default, module]) {
    if (typeof exported === 'function') return exported;
    const register = exported?.register ?? exported?.activate;
    if (typeof register === 'function') return register.bind(exported);
  }
  throw new Error('exports no register function');
}

export async function registerPlugin(plugin, host) {
  const register = findRegister(await import(pathToFileURL(plugin.entry).href));
  await register(createApi(plugin, host));
}

