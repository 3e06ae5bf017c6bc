// Helpers for the page. Texts of servers and clients are foreign: they become text nodes, never HTML.

const LONGEST = 20000;
const ANSI = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

// Returns a text as a person may see it: without escape sequences of terminals, with characters that hide or reorder
// others made visible, and cut.
export function clean(text, longest = LONGEST) {
  const all = String(text ?? '');
  const shown = all
    .slice(0, longest)
    .replace(ANSI, '')
    .replace(/\r\n?/g, '\n')
    .replace(HIDDEN, (c) => `\u27e8U+${c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}\u27e9`);
  return all.length > longest ? `${shown}… (${all.length - longest} more characters)` : shown;
}

// Creates an element. `on…` properties are listeners, `text` is cleaned; null and false properties are left out.
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'text') element.textContent = clean(value);
    else if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

export function put(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
}

// Sets the text only if it differs, so that selections and screen readers are not disturbed.
export function setText(element, text) {
  const shown = clean(text);
  if (element.textContent !== shown) element.textContent = shown;
}

export function duration(ms) {
  if (ms === undefined || ms === null) return '';
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const s = ms / 1000;
  if (s < 60) return `${s < 10 ? s.toFixed(1) : Math.round(s)} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}

export const plural = (n, word) => `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`;

export const clock = (ms) => new Date(ms).toLocaleTimeString('en-GB');

// A list that shows its first elements, and more at the press of a button.
export function limited(list, more, items, make, step = 100) {
  let shown = 0;
  const next = () => {
    list.append(...items.slice(shown, shown + step).map(make));
    shown = Math.min(items.length, shown + step);
    const left = items.length - shown;
    put(
      more,
      left > 0 &&
        el('button', {
          type: 'button',
          onclick: next,
          text: `Show ${Math.min(step, left)} more of ${left.toLocaleString('en')}`,
        }),
    );
  };
  list.replaceChildren();
  next();
}

// A button that opens and closes what is below it; `fill` makes that when it is opened for the first time.
export function folding(head, fill) {
  const panel = el('div', { class: 'panel', hidden: true });
  let filled = false;
  const button = el('button', { type: 'button', class: 'row', 'aria-expanded': 'false' }, head);
  const open = (yes) => {
    button.setAttribute('aria-expanded', String(yes));
    panel.hidden = !yes;
    if (yes && !filled) {
      filled = true;
      fill(panel);
    }
  };
  button.addEventListener('click', () => open(panel.hidden));
  return { button, panel, open };
}
