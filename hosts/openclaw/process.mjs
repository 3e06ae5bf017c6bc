// The process of a plugin, as the host sees it: it is started, asked, watched, ended, and started again.
import { AsyncLocalStorage } from 'node:async_hooks';
import { fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const WORKER = fileURLToPath(new URL('worker.mjs', import.meta.url));
const BOOT_MS = 20000; // for Node itself to start
const GRACE_MS = 1000; // for what the process says of its own lateness
const FIRST_PAUSE_MS = 1000;
const PATIENCE_MS = 4000; // of a request: it waits for a start that comes within this time
const MAX_PAUSE_MS = 60000; // also: what has run for so long starts with no pause again
const TICK_MS = 1000; // between two looks at most
const PAGE_BYTES = 4096;

// A process that is not there: its tools and handlers fail with the reason.
export class Down extends Error {
  // `begun`: what was asked had begun when the process ended.
  constructor(id, reason, begun = false) {
    super(`plugin ${id} is not there: ${reason}`);
    Object.assign(this, { reason, begun });
  }
}

// Ends a process with all that it has started, also what has left its group: those have its mark in their environment.
function killAll(pid, mark) {
  const kill = (id) => {
    try {
      process.kill(id, 'SIGKILL');
    } catch {} // it is gone
  };
  kill(-pid);
  let all = [];
  try {
    all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {} // there is none but on Linux
  for (const id of all)
    try {
      if (readFileSync(`/proc/${id}/environ`).includes(mark)) kill(Number(id));
    } catch {} // not ours, or gone
}

function residentBytes(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;
  } catch {
    return 0;
  }
}

// → how long a process has run, and has waited for a processor, in milliseconds.
function schedule(pid) {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
    return { ran: ran / 1e6, waited: waited / 1e6 };
  } catch {
    return { ran: 0, waited: 0 };
  }
}

export class PluginProcess {
  #host;
  #events; // log(level, text), hooks(list), lost(), loaded(report)
  #about;
  #child = null;
  #mark;
  #n = 0;
  #asked = new Map(); // number → { resolve, reject, update, run }
  #why = null; // Down: it is not there
  #ready = null; // while it loads: a promise
  #soon = null; // while it is not there, and will be started soon: a promise
  #phase = 'loading';
  #since = 0;
  #pause = 0;
  #timers = {};
  #pinged = 0;
  #looked = 0;
  #then = null; // schedule() at the ping
  #stopped = false;

  constructor(host, about, events) {
    this.#host = host;
    this.#about = about;
    this.#events = events;
  }

  get isDown() {
    return this.#why !== null;
  }
  get reason() {
    return this.#why?.reason;
  }

  // ---- its life ----

  // → what it reports when it is loaded. Rejects with the reason why it is not.
  start() {
    const { limits } = this.#host.options;
    this.#mark = `MCPTOOLS_OPENCLAW_PLUGIN=${randomUUID()}`;
    const [name, value] = this.#mark.split('=');
    const child = fork(WORKER, [], {
      detached: true, // a group of its own, which ends with it
      env: { ...process.env, [name]: value },
      execArgv: [...process.execArgv, `--max-old-space-size=${limits.memoryMiB}`],
      stdio: ['ignore', 2, 2, 'ipc'], // whatever is written to its stdout is no part of the protocol
    });
    this.#child = child;
    this.#phase = 'loading';
    this.#since = performance.now();
    child.on('message', (message) => this.#take(message));
    child.on('exit', (status, signal) => this.#lose(child, this.#ended(status, signal)));
    child.on('error', (error) => this.#lose(child, `cannot be started: ${error.message}`));
    this.#timers.boot = setTimeout(() => this.#lose(child, 'Node did not start'), BOOT_MS);
    const loaded = this.#ask('load', { ...this.#host.given, about: this.#about }, {}).then(
      (report) => {
        clearTimeout(this.#timers.load);
        this.#why = this.#soon = null;
        return report;
      },
      (error) => {
        this.#end(child);
        throw error;
      },
    );
    this.#ready = loaded.then(
      () => (this.#ready = null),
      () => (this.#ready = null),
    );
    return loaded;
  }

  #ended(status, signal) {
    const how = signal ? `was ended by ${signal}` : `exited with status ${status}`;
    const memory = signal === 'SIGABRT' ? `; limits.memoryMiB is ${this.#host.options.limits.memoryMiB}` : '';
    return `its process ${how}${memory}`;
  }

  // Ends the process and what it has started; nothing of it is heard any more.
  #end(child) {
    if (this.#child !== child) return false;
    this.#child = null;
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
    child.removeAllListeners('message').removeAllListeners('exit');
    if (child.pid) killAll(child.pid, this.#mark);
    return true;
  }

  #lose(child, reason) {
    const wasLoading = this.#ready !== null;
    if (!this.#end(child)) return;
    this.#why = new Down(this.#about.id, reason);
    for (const { reject, begun } of [...this.#asked.values()]) reject(new Down(this.#about.id, reason, begun));
    this.#asked.clear();
    if (this.#stopped || wasLoading) return; // start() has failed
    this.#host.log('error', `plugin ${this.#about.id}: ${reason}; it is started again`, this.#about.id);
    this.#again();
  }

  #again() {
    if (performance.now() - this.#since >= MAX_PAUSE_MS) this.#pause = 0;
    const restarted = new Promise((resolve) => {
      this.#timers.again = setTimeout(() => this.#restart().then(resolve), this.#pause);
    });
    this.#soon = this.#pause <= PATIENCE_MS ? restarted : null;
    this.#pause = Math.min(MAX_PAUSE_MS, this.#pause * 2 || FIRST_PAUSE_MS);
    this.#events.lost();
  }

  async #restart() {
    if (this.#stopped) return;
    try {
      const report = await this.start();
      this.#host.log('info', `plugin ${this.#about.id} is there again`, this.#about.id);
      this.#events.loaded(report);
    } catch (error) {
      const reason = error.reason ?? error.message;
      this.#why = new Down(this.#about.id, reason);
      this.#host.log('error', `plugin ${this.#about.id} could not be started again: ${reason}`, this.#about.id);
      if (!this.#stopped) this.#again();
    }
  }

  // Ends it for good.
  stop() {
    this.#stopped = true;
    clearTimeout(this.#timers.again);
    if (this.#child) this.#lose(this.#child, 'the host ends');
  }

  // ---- the watch ----

  #watch(child) {
    const { stallMs, loadMs, memoryMiB } = this.#host.options.limits;
    const mayStallMs = () => (this.#ready ? Math.max(stallMs, loadMs / 2) : stallMs); // imports may take their time
    const everyMs = Math.min(TICK_MS, Math.ceil(stallMs / 4));
    this.#pinged = 0;
    this.#looked = performance.now();
    const look = () => {
      const now = performance.now();
      if (now - this.#looked > everyMs + stallMs / 2) this.#pinged &&= now; // this process was late itself
      this.#looked = now;
      const bytes = residentBytes(child.pid);
      if (bytes > memoryMiB * 2 ** 20)
        this.#lose(child, `it used ${Math.round(bytes / 2 ** 20)} MiB, more than limits.memoryMiB (${memoryMiB})`);
      else if (this.#pinged && this.#isBlocked(child.pid, now - this.#pinged, mayStallMs()))
        this.#lose(child, `it blocked its process for more than ${mayStallMs()} ms`);
      else if (!this.#pinged) {
        this.#pinged = now;
        this.#then = schedule(child.pid);
        this.#send({ ping: true });
      }
    };
    this.#timers.watch = setInterval(look, everyMs);
  }

  // On a busy machine a process answers late without being blocked: time in which it waits for a processor does not
  // count, unless it has run for long enough to answer.
  #isBlocked(pid, silentMs, mayMs) {
    const { ran, waited } = schedule(pid);
    return silentMs > mayMs && (silentMs - (waited - this.#then.waited) > mayMs || ran - this.#then.ran > mayMs / 4);
  }

  #late(child) {
    const { loadMs } = this.#host.options.limits;
    this.#lose(child, `${this.#phase} took longer than ${loadMs} ms`);
  }

  // ---- messages ----

  #send(message) {
    if (this.#child?.connected) this.#child.send(message, undefined, undefined, () => {}); // its end is reported elsewhere
  }

  #take(message) {
    const child = this.#child;
    if (this.#timers.boot) {
      clearTimeout(this.#timers.boot);
      this.#timers.boot = null;
      this.#watch(child);
      this.#timers.load = setTimeout(() => this.#late(child), this.#host.options.limits.loadMs + GRACE_MS);
    }
    this.#pinged = 0; // whatever it says, it is alive
    const { of } = message;
    const open = this.#asked.get(message.answer ?? message.begun ?? of);
    if (message.begun) {
      if (open) open.begun = true;
    } else if (message.answer) {
      this.#asked.delete(message.answer);
      if (message.error === undefined) open?.resolve(message.value);
      else open?.reject(new Error(message.error));
    } else if (message.log) {
      const tell = () => this.#events.log(...message.log);
      if (open) open.run(tell);
      else tell();
    } else if (message.update !== undefined) open?.update?.(message.update);
    else if (message.hooks) this.#events.hooks(message.hooks);
    else if (message.registered) this.#phase = 'the factory';
  }

  #ask(method, params, { signal, update }) {
    const number = ++this.#n;
    return new Promise((resolve, reject) => {
      const stop = () => this.#send({ stop: number });
      const over =
        (settle) =>
        (value) => {
          signal?.removeEventListener('abort', stop);
          settle(value);
        };
      this.#asked.set(number, { resolve: over(resolve), reject: over(reject), update, run: AsyncLocalStorage.snapshot() });
      signal?.addEventListener('abort', stop);
      this.#send({ ask: number, method, params });
    });
  }

  async #there(signal) {
    if (this.#ready) await this.#ready;
    if (this.#why && this.#soon && !signal?.aborted) await this.#soon;
    if (this.#why) throw new Down(this.#about.id, this.reason);
  }

  // → what the process answers; waits while it is started again. What had not begun when the process ended is asked once
  // more. Rejects with a Down if the process is not there, or ends.
  async ask(method, params, options = {}) {
    await this.#there(options.signal);
    try {
      return await this.#ask(method, params, options);
    } catch (error) {
      if (!(error instanceof Down) || error.begun || this.#stopped) throw error;
    }
    await this.#there(options.signal);
    return this.#ask(method, params, options);
  }
}
