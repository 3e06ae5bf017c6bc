// Small helpers of openclaw/plugin-sdk that need nothing of OpenClaw, for plugins loaded without it.
// Every other name a plugin imports is a stand-in that says what is missing when it is used.
import { tmpdir } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { lacking } from './needs.mjs';
import { Type } from './typebox.mjs';

const text = (t) => ({ type: 'text', text: t });
const jsonResult = (details) => ({ content: [text(JSON.stringify(details, null, 2) ?? 'null')], details });
const textResult = (t, details) => ({ content: [text(t)], details });

class ToolInputError extends Error {
  constructor(message, options) {
    super(message, options);
    this.name = 'ToolInputError';
    this.status = 400;
  }
}

class ToolAuthorizationError extends ToolInputError {
  constructor(message, options) {
    super(message, options);
    this.name = 'ToolAuthorizationError';
    this.status = 403;
  }
}

function missing(key, { required, label } = {}) {
  if (required) throw new ToolInputError(`${label ?? key} required`);
  return undefined;
}

function readStringParam(params, key, options = {}) {
  const raw = params?.[key];
  const value = typeof raw === 'string' && options.trim !== false ? raw.trim() : raw;
  return typeof value === 'string' && (value || options.allowEmpty) ? value : missing(key, options);
}

function readNumberParam(params, key, options = {}) {
  const raw = params?.[key];
  const value = typeof raw === 'string' && raw.trim() ? Number(raw) : raw;
  if (typeof value !== 'number' || !Number.isFinite(value)) return missing(key, options);
  return options.integer ? Math.trunc(value) : value;
}

function readStringArrayParam(params, key, options = {}) {
  const raw = params?.[key];
  const list = (Array.isArray(raw) ? raw : [raw])
    .filter((v) => typeof v === 'string')
    .map((v) => v.trim())
    .filter(Boolean);
  return list.length ? list : missing(key, options);
}

const emptyPluginConfigSchema = () => ({
  safeParse: (value) =>
    value === undefined || (value && typeof value === 'object' && !Object.keys(value).length)
      ? { success: true, data: value }
      : { success: false, error: { issues: [{ path: [], message: 'config must be empty' }] } },
  jsonSchema: { type: 'object', additionalProperties: false, properties: {} },
});

// A tool of defineToolPlugin takes (parameters, configuration, context) and may return any value.
function toolOf(spec, api, config) {
  const { execute, factory, ...tool } = spec;
  return {
    ...tool,
    execute: async (toolCallId, params, signal, onUpdate) => {
      const value = await execute(params, config, { api, signal, toolCallId, onUpdate });
      return typeof value === 'string' ? textResult(value, value) : jsonResult(value);
    },
  };
}

function defineToolPlugin({ tools, ...definition }) {
  const specs = tools((spec) => spec);
  return {
    ...definition,
    register(api) {
      const config = api.pluginConfig ?? {};
      for (const spec of specs) {
        const options = { name: spec.name, optional: spec.optional === true };
        api.registerTool(
          spec.factory ? (toolContext) => spec.factory({ api, config, toolContext }) : toolOf(spec, api, config),
          options,
        );
      }
    },
  };
}

const known = {
  'plugin-sdk': {
    emptyPluginConfigSchema,
    defineToolPlugin,
    jsonResult,
    textResult,
    ToolInputError,
    ToolAuthorizationError,
    readStringParam,
    readNumberParam,
    readStringArrayParam,
    definePluginEntry: (definition) => definition,
    stringEnum: (values, options) => Type.Unsafe({ type: 'string', enum: [...values], ...options }),
    optionalStringEnum: (values, options) =>
      Type.Optional(Type.Unsafe({ type: 'string', enum: [...values], ...options })),
    stripAnsi: stripVTControlCharacters,
    formatErrorMessage: (error) => (error instanceof Error ? error.message || error.name : String(error)),
    isRecord: (value) => value !== null && typeof value === 'object' && !Array.isArray(value),
    buildChannelConfigSchema: () => ({ schema: {} }), // channels are not run here
    DEFAULT_ACCOUNT_ID: 'default',
    normalizeAccountId: (id) => id?.trim().toLowerCase() || 'default',
    resolvePreferredOpenClawTmpDir: tmpdir,
  },
  typebox: { Type, default: Type },
};

const tableOf = (specifier) => known[/typebox/.test(specifier) ? 'typebox' : 'plugin-sdk'];

export const knownNames = (specifier) => Object.keys(tableOf(specifier)).filter((name) => name !== 'default');

export function member(specifier, name) {
  const table = tableOf(specifier);
  return Object.hasOwn(table, name) ? table[name] : lacking(name, { of: ` of ${specifier}` });
}
