// What tools return, as results of tools/call.

const MESSAGE_CHARS = 65536; // of one progress notification
const isObject = (v) => v !== null && typeof v === 'object' && !Array.isArray(v);
const isText = (v) => typeof v === 'string';
const text = (t) => ({ type: 'text', text: t });
const json = (v) => JSON.stringify(v, null, 2) ?? 'null';

// What each kind of block must hold to be one; others are shown as their JSON.
const BLOCKS = {
  text: (b) => isText(b.text),
  image: (b) => isText(b.data) && isText(b.mimeType),
  audio: (b) => isText(b.data) && isText(b.mimeType),
  resource_link: (b) => isText(b.uri) && isText(b.name),
  resource: (b) => isText(b.resource?.uri) && (isText(b.resource.text) || isText(b.resource.blob)),
};

const blockOf = (b) =>
  isObject(b) && Object.hasOwn(BLOCKS, b.type) && BLOCKS[b.type](b) ? b : text(isText(b) ? b : json(b));

function contentOf(value) {
  if (Array.isArray(value?.content)) return value.content.map(blockOf);
  if (value === undefined || value === null) return [];
  if (isText(value)) return [text(value)];
  return [text(json(value.details ?? value))];
}

export function resultOf(value) {
  const details = isObject(value?.details) ? value.details : undefined;
  const failed = value?.isError === true || details?.status === 'error';
  return {
    content: contentOf(value),
    ...(details ? { structuredContent: details } : {}),
    ...(failed ? { isError: true } : {}),
  };
}

export const messageOf = (error) => (error instanceof Error ? error.message || error.name : String(error));

export function errorOf(tool, error) {
  const value = { status: 'error', tool, error: messageOf(error) };
  return { content: [text(json(value))], structuredContent: value, isError: true };
}

// The result as plain JSON; one that is too large, or is none, becomes an error.
export function bounded(result, tool, maxBytes) {
  try {
    const written = JSON.stringify(result);
    const bytes = Buffer.byteLength(written);
    return bytes <= maxBytes
      ? JSON.parse(written)
      : errorOf(tool, `the result has ${bytes} bytes, more than ${maxBytes}`);
  } catch (error) {
    return errorOf(tool, error);
  }
}

export function updateText(update) {
  const parts = contentOf(update)
    .filter((b) => b.type === 'text')
    .map((b) => b.text);
  return parts.join('\n').slice(0, MESSAGE_CHARS);
}
