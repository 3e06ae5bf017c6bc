// Programs that run beside the tests: servers, gateways, `watch`.
import { spawn } from 'node:child_process';

// Settings of a gateway whose lists and calls wait for its servers: on a busy machine these start slowly.
export const PATIENT = { limits: { list_wait_s: 60 } };

const PATIENCE_MS = 120000;
const running = new Set();

// until(pattern) waits for text on stdout or stderr, from the beginning on; stop() waits for the end.
export function background(command, args, options) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let text = '', waiting = [];
  const look = () => { waiting = waiting.filter((w) => !w()); };
  const gone = new Promise((resolve) => child.on('close', (status, signal) => {
    running.delete(it);
    it.ended = { status, signal };
    look();
    resolve(it.ended);
  }));
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (d) => { text += d; look(); });
  child.on('error', (e) => { text += e.message; });

  const it = {
    ended: null,
    text: () => text,
    until: (pattern) => new Promise((resolve, reject) => {
      const what = () => new Error(`${command} ${args.join(' ')}\nno ${pattern} in:\n${text}`);
      const timer = setTimeout(() => reject(what()), PATIENCE_MS);
      const try_ = () => {
        const match = pattern.exec(text);
        if (!match && !it.ended) return false;
        clearTimeout(timer);
        match ? resolve(match) : reject(what());
        return true;
      };
      if (!try_()) waiting.push(try_);
    }),
    stop(signal = 'SIGTERM') {
      if (!it.ended) child.kill(signal);
      return gone;
    },
    gone,
  };
  running.add(it);
  return it;
}

export const stopAll = () => Promise.all([...running].map((it) => it.stop()));

// Started when first asked for, and once.
export function lazily(start) {
  let started;
  return () => started ??= start();
}
