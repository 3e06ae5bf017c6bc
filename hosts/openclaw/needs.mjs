// What plugins ask for and only OpenClaw has: it may be passed about, and says so when it is used.

// The message begins with this word, which is what is left of an error from another thread.
const PREFIX = 'needs ';

export function need(what) {
  return Object.assign(new Error(PREFIX + what), { name: 'NeedsOpenClaw', code: 'ERR_MODULE_NOT_FOUND' });
}

export const isNeed = (error) => typeof error?.message === 'string' && error.message.startsWith(PREFIX);

// Symbols that are asked for without using the value: by await, by inspection, by instanceof.
const QUIET = new Set([Symbol.toStringTag, Symbol.hasInstance, Symbol.for('nodejs.util.inspect.custom')]);

// A stand-in for `path`: its members are stand-ins too; calling it, or making it a text, throws.
export function lacking(path, { given = {}, of = '' } = {}) {
  const use = () => {
    throw need(`${path}${of}, which only OpenClaw has`);
  };
  return new Proxy(function () {}, {
    get(target, key) {
      if (Object.hasOwn(given, key)) return given[key];
      if (key === 'prototype') return target.prototype;
      if (key === 'then' || key === 'toJSON' || QUIET.has(key)) return undefined;
      return typeof key === 'symbol' ? use() : lacking(`${path}.${key}`, { of });
    },
    set: () => true,
    apply: use,
    construct: use,
  });
}
