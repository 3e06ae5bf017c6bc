// Forms that are made from a JSON schema, and results of calls.
import { clean, duration, el, put } from './view.js';

let fields = 0;

const typesOf = (schema) => [schema?.type].flat().filter((t) => t && t !== 'null');

function jsonField(value, hint) {
  return el(
    'textarea',
    { rows: 2, placeholder: hint, spellcheck: 'false' },
    value === undefined ? '' : JSON.stringify(value),
  );
}

function readJson(text) {
  return text.trim() ? JSON.parse(text) : undefined;
}

function choices(values, preset, required) {
  const select = el('select', {});
  if (!required || preset === undefined)
    select.append(el('option', { value: '', text: required ? 'choose' : 'not given' }));
  values.forEach((value, i) =>
    select.append(el('option', { value: String(i), text: String(value), selected: value === preset })),
  );
  return { input: select, read: () => (select.value === '' ? undefined : values[Number(select.value)]) };
}

function number(schema, whole) {
  const input = el('input', {
    type: 'number',
    step: whole ? '1' : 'any',
    min: schema.minimum,
    max: schema.maximum,
    value: schema.default,
  });
  return { input, read: () => (input.value === '' ? undefined : Number(input.value)) };
}

function text(schema) {
  const input = el(
    'textarea',
    { rows: 1, spellcheck: 'false', placeholder: schema.format ?? '' },
    schema.default ?? '',
  );
  let touched = schema.default !== undefined;
  input.addEventListener('input', () => {
    touched = true;
  });
  return {
    input,
    read: (required) =>
      touched && (input.value !== '' || required) ? input.value : required ? input.value : undefined,
  };
}

// Returns an input for one property, and the function that reads it.
function fieldOf(schema, required) {
  const [type, ...others] = typesOf(schema);
  const preset = schema?.default;
  if (Array.isArray(schema?.enum)) return choices(schema.enum, preset, required);
  if (schema && 'const' in schema) return choices([schema.const], schema.const, required);
  if (type === 'boolean' && !others.length) return choices([true, false], preset, required);
  if ((type === 'integer' || type === 'number') && !others.length) return number(schema, type === 'integer');
  if (type === 'string' && !others.length) return text(schema);
  const hint =
    type === 'array'
      ? 'JSON, for example ["a", "b"]'
      : type === 'object'
        ? 'JSON, for example {"key": "value"}'
        : 'JSON';
  const input = jsonField(preset, hint);
  return { input, read: () => readJson(input.value) };
}

function labelled(name, schema, required) {
  const field = fieldOf(schema, required);
  const id = `field-${++fields}`;
  field.input.id = id;
  field.input.setAttribute('aria-required', String(required));
  const about = clean(schema?.description ?? schema?.title ?? '', 2000);
  const types = typesOf(schema).join(' or ');
  const hint = el('p', { class: 'hint text', id: `${id}-hint`, text: [types, about].filter(Boolean).join(' · ') });
  field.input.setAttribute('aria-describedby', hint.id);
  const wrong = el('p', { class: 'error', role: 'alert' });
  const row = el(
    'div',
    {},
    el('label', { for: id, text: name }),
    required && el('span', { class: 'required', title: 'required', text: ' * required' }),
    hint,
    field.input,
    wrong,
  );
  return { name, required, row, wrong, read: field.read, input: field.input };
}

// Returns the elements of a form for arguments, and `read()`, which returns them or throws after it has marked what is
// wrong.
export function fieldsOf(schema) {
  const properties = Object.entries(schema?.properties ?? {});
  const required = new Set(schema?.required ?? []);
  if (!properties.length) {
    const input = jsonField({}, '{}');
    input.setAttribute('aria-label', 'Arguments as JSON');
    const empty =
      schema?.additionalProperties === false ||
      !schema ||
      Object.keys(schema).every((k) => ['type', 'properties', '$schema', 'additionalProperties', 'title'].includes(k));
    const row = empty
      ? el('p', { class: 'dim', text: 'No arguments.' })
      : el('div', {}, el('p', { class: 'hint', text: 'Arguments as JSON' }), input);
    return { rows: [row], read: () => (empty ? {} : (readJson(input.value) ?? {})) };
  }
  const parts = properties
    .sort(([a], [b]) => required.has(b) - required.has(a))
    .map(([name, of]) => labelled(name, of, required.has(name)));
  const read = () => {
    const values = {};
    let first;
    for (const part of parts) {
      put(part.wrong);
      try {
        const value = part.read(part.required);
        if (value !== undefined) values[part.name] = value;
        else if (part.required) throw new Error('needs a value');
      } catch (error) {
        part.wrong.textContent = `${part.name}: ${error.message}`;
        first ??= part;
      }
    }
    if (!first) return values;
    first.input.focus();
    throw new Error('not complete');
  };
  return { rows: parts.map((part) => part.row), read };
}

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const size = (base64) => `${Math.round((String(base64 ?? '').length * 3) / 4).toLocaleString('en')} bytes`;
const pre = (value) => el('pre', { tabindex: 0, text: value });
const json = (value) => pre(JSON.stringify(value, null, 2));

function image(type, data) {
  const known = IMAGES.includes(type) && /^[A-Za-z0-9+/=\s]*$/.test(data ?? '-');
  return known
    ? el('img', { src: `data:${type};base64,${data}`, alt: 'image of the result' })
    : el('p', { text: `${type}, ${size(data)}` });
}

function contents(resource) {
  const head = el(
    'p',
    {},
    el('code', { text: resource.uri }),
    ' ',
    el('span', { class: 'dim', text: resource.mimeType ?? '' }),
  );
  return [head, resource.text !== undefined ? pre(resource.text) : image(resource.mimeType ?? 'binary', resource.blob)];
}

function block(content) {
  switch (content?.type) {
    case 'text':
      return [pre(content.text)];
    case 'image':
      return [image(content.mimeType, content.data)];
    case 'audio':
      return [el('p', { text: `audio, ${content.mimeType}, ${size(content.data)}` })];
    case 'resource':
      return contents(content.resource ?? {});
    case 'resource_link':
      return [
        el('p', {}, 'Resource ', el('code', { text: content.uri }), ' ', el('span', { text: content.name ?? '' })),
      ];
    default:
      return [json(content)];
  }
}

// Returns the elements that show a result of tools/call, resources/read or prompts/get.
export function resultOf(result, ms) {
  const raw = el('details', {}, el('summary', { text: 'as JSON' }));
  raw.addEventListener('toggle', () => raw.children.length < 2 && raw.append(json(result)));
  const took = el(
    'p',
    {},
    result.isError ? el('span', { class: 'error', text: 'The tool reported an error. ' }) : null,
    el('span', { class: 'dim', text: duration(ms) }),
  );
  return [
    took,
    ...(result.content ?? []).flatMap(block),
    ...(result.contents ?? []).flatMap(contents),
    ...(result.messages ?? []).flatMap((m) => [el('p', { class: 'dim', text: m.role }), ...block(m.content)]),
    result.structuredContent !== undefined &&
      el('div', {}, el('p', { class: 'dim', text: 'structured content' }), json(result.structuredContent)),
    raw,
  ];
}
