// What both servers of the matrix offer: the words, the questions, and what is to be remembered between calls.
// Every tool takes a `text` that belongs to one test, and says it again, so that no test hears of another.
import { z } from 'zod';

export const NAMES = ['Ada', 'Alan', 'Grace'];
export const beginning = (value) => NAMES.filter((name) => name.startsWith(value));

export const form = (message) => ({ message, requestedSchema: { type: 'object', required: ['answer'],
  properties: { answer: { type: 'string', title: 'Answer', minLength: 1 } } } });
export const page = (text) => ({ message: `Open the page for ${text}`, url: `https://example.org/page?for=${encodeURIComponent(text)}` });
export const sampling = (text) => ({ maxTokens: 77, systemPrompt: 'Be brief.', temperature: 0.5,
  messages: [{ role: 'user', content: { type: 'text', text } }] });
export const second = (text, answer) => `${text}, and after ${answer}?`;

export const LEVELS = ['debug', 'info', 'warning', 'error'];
export const OBJECT = { text: 'x', list: [1, 2.5], nested: { yes: true } };
export const OBJECT_SCHEMA = z.object({ text: z.string(), list: z.array(z.number()), nested: z.object({ yes: z.boolean() }) });
export const LIST = [1, 'two', null];

export const TEXT = { text: z.string() };
export const STEPS = { text: z.string(), steps: z.number().int() };
export const said = (value) => ({ content: [{ type: 'text', text: JSON.stringify(value) }] });
export const prompted = (value) => ({ messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(value) } }] });
export const contents = (uri, value) => ({ contents: [{ uri: String(uri), mimeType: 'text/plain', text: JSON.stringify(value) }] });
export const turn = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Texts that something has happened to; `has` waits until it has, or until somebody would have lost patience.
export function remembered() {
  const texts = new Set(), waiting = new Set();
  return {
    add(text) {
      texts.add(text);
      for (const look of waiting) look();
    },
    knows: (text) => texts.has(text),
    has: (text) => new Promise((resolve) => {
      const done = (answer) => {
        clearTimeout(timer);
        waiting.delete(look);
        resolve(answer);
      };
      const look = () => texts.has(text) && done(true);
      const timer = setTimeout(done, 10000, false);
      waiting.add(look);
      look();
    }),
  };
}
