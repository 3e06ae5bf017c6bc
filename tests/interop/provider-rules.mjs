// The published rules of model providers for tools, checked independently of the program. No rule here is taken from
// src/: each has its source beside it, as the provider's reference or its error message words it.
import Ajv2020 from 'ajv/dist/2020.js';

const plain = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
const WORD = /^[a-zA-Z0-9_-]{1,64}$/;

// Keywords that contain schemas: one, a list, or a map.
const ONE = ['items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else', 'unevaluatedItems',
  'unevaluatedProperties', 'additionalItems', 'contentSchema'];
const LISTS = ['prefixItems', 'anyOf', 'oneOf', 'allOf', 'items'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions'];

// Calls visit(schema, path, depth of objects) for the schema and each one in it.
function walk(schema, visit, path = '', depth = 0) {
  visit(schema, path, depth);
  if (!plain(schema)) return;
  const deeper = depth + (plain(schema.properties) ? 1 : 0);
  for (const key of ONE) if (key in schema && !Array.isArray(schema[key])) walk(schema[key], visit, `${path}.${key}`, deeper);
  for (const key of LISTS)
    if (Array.isArray(schema[key])) schema[key].forEach((part, i) => walk(part, visit, `${path}.${key}[${i}]`, deeper));
  for (const key of MAPS)
    if (plain(schema[key])) for (const [name, part] of Object.entries(schema[key])) walk(part, visit, `${path}.${key}.${name}`, deeper);
}

// Anthropic: "JSON schema is invalid. It must match JSON Schema draft 2020-12". OpenAI: "Invalid schema for function 'f':
// True is not of type 'number'".
const metaschema = new Ajv2020({ strict: false, allErrors: true });
const isModern = metaschema.getSchema('https://json-schema.org/draft/2020-12/schema');
function modern(schema, say) {
  if (!isModern(schema)) say(metaschema.errorsText(isModern.errors).slice(0, 300));
}

// OpenAI: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level".
// Anthropic: "input_schema does not support oneOf, allOf, or anyOf at the top level"; "input_schema.type: Field required".
function objectRoot(schema, refused, say) {
  if (!plain(schema) || schema.type !== 'object') say('the root is not of type "object"');
  for (const key of refused) if (plain(schema) && key in schema) say(`"${key}" at the root`);
}

function resolves(root, ref) {
  if (ref === '#') return true;
  if (!ref.startsWith('#/')) return false;
  let at = root;
  for (const step of ref.slice(2).split('/')) at = at?.[decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')];
  return at !== undefined;
}

function references(schema, say) {
  walk(schema, (part, path) => {
    if (plain(part) && typeof part.$ref === 'string' && !resolves(schema, part.$ref)) say(`${path}: reference ${part.$ref} has no target`);
  });
}

// OpenAI: "In context=('properties', 'a'), array schema missing items"; "array schema items is not an object"; "enum value 1
// does not validate against {'type': 'string'}"; "[] is too short" for an enum.
function openaiSchema(schema, say) {
  objectRoot(schema, ['oneOf', 'anyOf', 'allOf', 'enum', 'not'], say);
  modern(schema, say);
  references(schema, say);
  walk(schema, (part, path) => {
    if (!plain(part)) return;
    if ([part.type].flat().includes('array') && !('items' in part)) say(`${path}: array schema missing items`);
    if ('items' in part && !plain(part.items)) say(`${path}: array schema items is not an object`);
    if ('enum' in part && !part.enum.length) say(`${path}: empty enum`);
    if (part.enum && part.type !== undefined)
      for (const value of part.enum)
        if (!metaschema.validate({ type: part.type }, value)) say(`${path}: enum value ${JSON.stringify(value)} is not of the type`);
  });
}

// Guide "Structured outputs", "Supported schemas": what "strict": true allows. Other keywords are "not permitted".
const STRICT = ['type', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'const', 'anyOf', 'description', 'title',
  '$ref', '$defs', 'definitions', 'pattern', 'format', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum',
  'minItems', 'maxItems'];
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid'];
function strictSchema(schema, say) {
  let [n, values, characters] = [0, 0, 0];
  walk(schema, (part, path, depth) => {
    if (!plain(part)) return path.endsWith('.additionalProperties') || say(`${path}: not a schema object`);
    for (const key of Object.keys(part)) if (!STRICT.includes(key)) say(`${path}: '${key}' is not permitted`);
    if (!['type', 'anyOf', '$ref', 'enum', 'const'].some((key) => key in part)) say(`${path}: schema must have a 'type' key`);
    if (part.format && !FORMATS.includes(part.format)) say(`${path}: '${part.format}' is not a valid format`);
    if (depth > 10) say(`${path}: more than 10 levels of nesting`);
    values += part.enum?.length ?? 0;
    for (const value of part.enum ?? []) characters += String(value).length;
    if (part.type !== 'object') return;
    const names = Object.keys(part.properties ?? {});
    n += names.length;
    characters += names.join('').length;
    if (part.additionalProperties !== false) say(`${path}: 'additionalProperties' is required to be supplied and to be false`);
    for (const name of names) if (!part.required?.includes(name)) say(`${path}: 'required' must include every key, but not '${name}'`);
  });
  if (n > 5000 || values > 1000 || characters > 120000) say('too many properties, enum values or characters');
}

// "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'".
function anthropicSchema(schema, say) {
  objectRoot(schema, ['oneOf', 'anyOf', 'allOf'], say);
  modern(schema, say);
  references(schema, say);
  walk(schema, (part, path) => {
    for (const key of Object.keys(plain(part?.properties) ? part.properties : {}))
      if (!/^[a-zA-Z0-9_.-]{1,64}$/.test(key)) say(`${path}.properties: key ${JSON.stringify(key)}`);
  });
}

// Gemini API reference, responseJsonSchema (parametersJsonSchema takes the same): the properties that are supported.
// Vertex AI reference, FunctionDeclaration: "Parameter names must start with a letter or an underscore and must only
// contain chars a-z, A-Z, 0-9, or underscores with a maximum length of 64". Errors: "enum: only allowed for STRING type",
// "items: missing field", "Proto field is not repeating, cannot start list" (a list of types), "property is not defined"
// (required).
const GEMINI = ['$id', '$defs', '$ref', '$anchor', 'type', 'format', 'title', 'description', 'enum', 'items', 'prefixItems', 'minItems',
  'maxItems', 'minimum', 'maximum', 'anyOf', 'oneOf', 'properties', 'additionalProperties', 'required', 'propertyOrdering', 'nullable',
  'default'];
function geminiSchema(schema, say) {
  objectRoot(schema, [], say);
  modern(schema, say);
  references(schema, say);
  walk(schema, (part, path) => {
    if (!plain(part)) return path.endsWith('additionalProperties') || say(`${path}: not a schema object`);
    for (const key of Object.keys(part)) if (!GEMINI.includes(key)) say(`${path}: unknown name "${key}"`);
    if (Array.isArray(part.type)) say(`${path}: a list of types`);
    if (part.enum && (part.type !== 'string' || !part.enum.every((value) => typeof value === 'string')))
      say(`${path}: enum: only allowed for STRING type`);
    if (part.type === 'array' && !('items' in part)) say(`${path}: items: missing field`);
    for (const key of Object.keys(part.properties ?? {}))
      if (!/^[a-zA-Z_][a-zA-Z0-9_]{0,63}$/.test(key)) say(`${path}.properties: parameter name ${JSON.stringify(key)}`);
    for (const name of part.required ?? []) if (!part.properties || !(name in part.properties)) say(`${path}.required: ${name} is not defined`);
  });
}

// For each provider: the function of an entry, the pattern of names, the longest description (in characters, as the
// provider counts them), the most tools, and the rules of schemas.
// Names: OpenAI "a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum length of 64"; Anthropic
// ^[a-zA-Z0-9_-]{1,128}$; Gemini "Must start with a letter or an underscore. Must be a-z, A-Z, 0-9, or contain underscores
// (_), dots (.), colons (:), or dashes (-), with a maximum length of 64". Descriptions: OpenAI "string too long. Expected a
// string with maximum length 1024". Tools: OpenAI "Expected an array with maximum length 128"; Vertex AI "Maximum 512
// function declarations can be provided".
export const RULES = {
  openai: { entry: (t) => [t.function, t.function.parameters], outer: ['type', 'function'], inner: ['name', 'description', 'parameters', 'strict'],
    name: WORD, description: 1024, tools: 128, schema: openaiSchema },
  'openai-responses': { entry: (t) => [t, t.parameters], outer: ['type', 'name', 'description', 'parameters', 'strict'],
    name: WORD, description: 1024, tools: 128, schema: openaiSchema, strictGiven: true },
  anthropic: { entry: (t) => [t, t.input_schema], outer: ['name', 'description', 'input_schema'],
    name: /^[a-zA-Z0-9_-]{1,128}$/, schema: anthropicSchema },
  gemini: { entry: (t) => [t, t.parametersJsonSchema], outer: ['name', 'description', 'parametersJsonSchema'],
    name: /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, tools: 512, schema: geminiSchema },
};
RULES['openai-strict'] = RULES.openai;

// Returns the tools of an array.
export const toolsOf = (provider, array) => provider === 'gemini' ? array.flatMap((part) => part.functionDeclarations) : array;

export const describedAs = (provider, tool) => RULES[provider].entry(tool)[0].description;

// Returns what the provider would refuse in the array, a line each.
export function problems(provider, array) {
  const rules = RULES[provider];
  const found = [];
  const names = new Set();
  for (const tool of toolsOf(provider, array)) {
    const [inner, schema] = rules.entry(tool);
    const say = (what) => found.push(`${inner.name}: ${what}`);
    for (const key of Object.keys(tool)) if (!rules.outer.includes(key)) say(`unknown member ${key}`);
    for (const key of Object.keys(rules.inner ? inner : {})) if (!rules.inner.includes(key)) say(`unknown member ${key}`);
    if (!rules.name.test(inner.name)) say('its name');
    if (names.has(inner.name)) say('the name is there twice'); // Anthropic: "Tool names must be unique"
    names.add(inner.name);
    if (typeof inner.description !== 'string' || !inner.description) say('no description');
    if (rules.description && inner.description.length > rules.description) say(`description of ${inner.description.length}`);
    if (rules.strictGiven && inner.strict !== false && inner.strict !== true) say('no "strict"');
    rules.schema(schema, say);
    if (inner.strict) strictSchema(schema, say);
  }
  return found;
}

// Returns the descriptions that differ from what the server said without a note that says so. `pairs`: [said, sent].
export function unnoted(pairs) {
  const NOTE = /(?:\n\[mcptools: \d+ invisible characters removed\])?(?:\n\[mcptools: cut; the whole text has \d+ characters\])?$/;
  return pairs.filter(([said, sent]) => {
    if (said === sent) return false;
    const note = sent.match(NOTE)[0];
    const body = sent.slice(0, sent.length - note.length);
    if (!note) return true;
    if (note.includes('invisible')) return false;
    return !said.startsWith(body) || !/^\s|^$/.test(said.slice(body.length, body.length + 1)) && /\s/.test(body.slice(-200));
  });
}
