"""What rows need: a folder, a gateway with a healthy and a hostile server, the client that is measured, and the demands that every
attack must meet: others are answered right, descriptors and memory come back, the gateway ends, and no process is left."""

import contextlib
import http.client
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import threading
import time

from harness import PATIENCE_S, WRAPPER, Session, answer, gateway, metric, run, server, until, write_config

HERE = pathlib.Path(__file__).resolve().parent
MIB = 1 << 20
GROWTH = 256 * MIB   # of a gateway under attack, unless a row says otherwise
SPARE_FDS = 6        # connections that are kept for reuse, a server that was started again
LATE_S = PATIENCE_S  # by then a gateway that is not kept from its work has obeyed a signal
LOOKS = 20
SMALL = {"message_bytes": MIB, "drain_s": 1}


def left_of(folder):
    """Living processes that were started for this folder: it is in their command line or environment."""
    mark, found = str(folder).encode(), []
    for entry in pathlib.Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with contextlib.suppress(OSError, IndexError):
            if (entry / "stat").read_text().rsplit(")", 1)[1].split()[0] in "ZX":
                continue
            if mark in (entry / "cmdline").read_bytes() or mark in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


def n_fds(process):
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def resident(process):
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) << 10


def instrumented(process):
    """Under valgrind or a sanitizer, which keep what was freed."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return bool(WRAPPER) or int(re.search(r"VmSize:\s+(\d+)", status)[1]) > 1 << 30


class Victim:
    def __init__(self, folder, port, n):
        self.enough = threading.Event()
        self.process = subprocess.Popen([sys.executable, str(HERE / "victim.py"), str(port), "good__tool0", str(n), str(folder)],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.figures, self.came = [], threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with self.came:
                if line.startswith("{"):
                    self.figures.append(json.loads(line))
                else:
                    self.enough.set()
                self.came.notify_all()

    def wait_enough(self):
        assert self.enough.wait(PATIENCE_S), "the well-behaved client is not served"

    def next_phase(self):
        """The figures of the phase that ends."""
        n = len(self.figures)
        self.enough.clear()
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        with self.came:
            assert self.came.wait_for(lambda: len(self.figures) > n, PATIENCE_S), "a call of the well-behaved client is not answered"
        return self.figures[n]

    def end(self):
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


class Beside:
    """A gateway whose server "good" is called all the time, and whose server "bad" is about to attack."""

    def __init__(self, scene, g):
        self.scene, self.folder, self.g, self.n = scene, scene.folder, g, scene.n_calls
        self.victim = Victim(scene.folder, g.port, self.n)
        self._session = None

    def calm(self):
        """Before the attack."""
        self.victim.wait_enough()
        self.fds, self.resident = n_fds(self.g.process), resident(self.g.process)
        self.before = self.victim.next_phase()

    @property
    def session(self):
        self._session = self._session or Session(self.g)
        return self._session

    def new_session(self):
        return Session(self.g)

    def call(self, name="bad__do", arguments=None, session=None, **more):
        """The whole answer to a call of the hostile server."""
        status, _, body = (session or self.session).post("tools/call", {"name": name, "arguments": arguments or {}, **more}, 7)
        assert status == 200, (status, body[:1000])
        return answer(body)

    def error(self, *words, name="bad__do", **more):
        """The call fails with these words."""
        got = self.call(name, **more)
        text = json.dumps(got.get("error") or (got["result"] if got["result"].get("isError") else None))
        assert text != "null", f"the call succeeds: {json.dumps(got)[:500]}"
        for word in words:
            assert word in text, (word, text[:1000])

    def ends_late(self):
        """The call ends at its time-out. A client that reads slower than a flood of notifications comes is disconnected before."""
        try:
            self.error("no answer within")
        except http.client.IncompleteRead:
            assert metric(self.g, "http_slow_readers_dropped_total"), "the answer ends early, and not because the client reads too slowly"

    def unleash(self):
        """From now on the server attacks at other points than calls: its process is replaced by one that does."""
        (self.folder / "unleashed").touch()
        for pid in self.hostile_pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def hostile_pids(self):
        return [int(p) for p in (self.folder / "pids").read_text().split()] if (self.folder / "pids").exists() else []

    def attacked(self):
        return (self.folder / "attacked").exists()

    def until_attacked(self):
        until(self.attacked, "the attack has begun")

    def wait(self):
        """Until the well-behaved client has been measured under attack."""
        self.victim.wait_enough()

    def status_of(self, name="bad"):
        return next(s for s in json.loads(self.g.request("GET", "/readyz")[2])["servers"] if s["name"] == name)

    def storm(self):
        """After the attack: the demands on every row."""
        self.wait()
        grown = resident(self.g.process) - self.resident
        self.during = self.victim.next_phase()
        self.victim.end()
        for phase in (self.before, self.during):
            assert not phase["wrong"], phase
        assert self.g.request("GET", "/healthz")[0] == 200
        assert instrumented(self.g.process) or grown < self.scene.growth, f"{grown >> 20} MiB grown"
        until(lambda: n_fds(self.g.process) <= self.fds + SPARE_FDS + self.scene.more_fds,
              f"descriptors come back to {self.fds}, now {n_fds(self.g.process)}")
        self.scene.figures.append({"before": self.before, "during": self.during, "grown_bytes": grown})


class Scene:
    def __init__(self, folder, long=False):
        self.folder, self.long = folder, long
        self.n_calls = 2000 if long else 60
        self.growth, self.more_fds = GROWTH, 0
        self.figures = []

    def scaled(self, short, long):
        return long if self.long else short

    def stdio(self, mode, *arguments, **more):
        """The entry of a hostile server over stdio."""
        return {"command": sys.executable, "args": [str(HERE / "hostile_stdio.py"), str(self.folder), mode, *map(str, arguments)],
                "protocol": "legacy", "timeout": 2, **more}

    @contextlib.contextmanager
    def beside(self, bad=None, settings=None, arguments=(), env=None, **servers):
        """Measures the client before; inside, the row attacks; afterwards the demands are checked."""
        entries = {"good": server("--tools", 1), **servers, **({"bad": bad} if bad else {})}
        limits = {**SMALL, **(settings or {}).get("limits", {})}
        config = write_config(self.folder, entries, {**(settings or {}), "limits": limits})
        with self.serving("--config", config, *arguments, env=env) as g:
            b = Beside(self, g.wait_ready())
            try:
                b.calm()
                yield b
                b.storm()
            except AssertionError as why:
                why.add_note("the gateway said: " + g.text()[-1500:])
                raise
            finally:
                b.victim.end()

    @contextlib.contextmanager
    def serving(self, *arguments, env=None):
        """A gateway that must end when it is told to, whatever its servers do."""
        with gateway(self.folder, *arguments, env={"MALLOC_PERTURB_": "0", **(env or {})}) as g:
            yield g
            begin = time.monotonic()
            if g.process.poll() is None:
                g.process.terminate()
                g.process.wait(LATE_S)
            assert time.monotonic() - begin < LATE_S

    def run(self, *arguments, **more):
        """A command of the program."""
        return run(self.folder, *arguments, **more)


def nothing_left(folder):
    """Looks many times: what goes on forking and exiting is seen in some of the looks only."""
    until(lambda: not any(left_of(folder) for _ in range(LOOKS)), f"all processes have ended: {[describe(p) for p in left_of(folder)]}")


def describe(pid):
    with contextlib.suppress(OSError):
        return f"{pid} " + pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200]
    return str(pid)
