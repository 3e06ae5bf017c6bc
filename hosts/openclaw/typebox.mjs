// Type builders for plugins whose typebox is not installed: what they build is plain JSON Schema.
const OPTIONAL = Symbol('optional');

const clean = (o) => Object.fromEntries(Object.entries(o ?? {}).filter(([, v]) => v !== undefined));
const make = (schema, options) => ({ ...schema, ...clean(options) });
const simple = (type) => (options) => make({ type }, options);
const mark = (schema, optional) => {
  const copy = { ...schema };
  delete copy[OPTIONAL];
  return optional ? Object.defineProperty(copy, OPTIONAL, { value: true, configurable: true }) : copy;
};
const copyMark = (from, to) => mark(to, from?.[OPTIONAL]);

function object(properties = {}, options) {
  const required = Object.keys(properties).filter((k) => !properties[k]?.[OPTIONAL]);
  return make({ type: 'object', properties, ...(required.length ? { required } : {}) }, options);
}

function pick(schema, keep, options) {
  const { properties = {}, required, ...rest } = schema;
  const kept = Object.fromEntries(Object.entries(properties).filter(([k]) => keep(k)));
  return make({ ...rest, ...object(kept) }, options);
}

const each = (schema, optional, options) =>
  make(
    {
      ...schema,
      required: undefined,
      ...object(Object.fromEntries(Object.entries(schema.properties ?? {}).map(([k, v]) => [k, mark(v, optional)]))),
    },
    options,
  );

const names = (keys) => (Array.isArray(keys) ? keys : (keys?.anyOf ?? [keys]).map((k) => k.const ?? k));

export const Type = {
  String: simple('string'),
  Number: simple('number'),
  Integer: simple('integer'),
  Boolean: simple('boolean'),
  Null: simple('null'),
  Any: (o) => make({}, o),
  Unknown: (o) => make({}, o),
  Never: (o) => make({ not: {} }, o),
  Unsafe: (o) => make({}, o),
  Literal: (value, o) => make({ const: value, type: typeof value }, o),
  Array: (items, o) => make({ type: 'array', items }, o),
  Tuple: (items, o) =>
    make({ type: 'array', items, additionalItems: false, minItems: items.length, maxItems: items.length }, o),
  Object: object,
  Record: (key, value, o) =>
    make(
      key.pattern
        ? { type: 'object', patternProperties: { [key.pattern]: value } }
        : { type: 'object', additionalProperties: value },
      o,
    ),
  Union: (anyOf, o) => make({ anyOf }, o),
  Intersect: (allOf, o) => make({ allOf }, o),
  Composite: (all, o) => object(Object.assign({}, ...all.map((s) => s.properties)), o),
  Enum: (values, o) =>
    make(
      {
        enum: Array.isArray(values)
          ? values
          : Object.keys(values)
              .filter((k) => Number.isNaN(Number(k)))
              .map((k) => values[k]),
      },
      o,
    ),
  Optional: (schema) => mark(schema, true),
  Required: (schema, o) => each(schema, false, o),
  Partial: (schema, o) => each(schema, true, o),
  Pick: (schema, keys, o) => pick(schema, (k) => names(keys).includes(k), o),
  Omit: (schema, keys, o) => pick(schema, (k) => !names(keys).includes(k), o),
  Readonly: (schema) => schema,
  ReadonlyOptional: (schema) => mark(schema, true),
  Clone: (schema) => copyMark(schema, structuredClone(schema)),
};
