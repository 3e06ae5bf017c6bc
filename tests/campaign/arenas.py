"""Faults that take a gateway of their own: it is killed, or the machine refuses it descriptors, space, memory or a steady clock.

An arena is a coroutine (seed, number of faults) that returns its row of the table and what went wrong.
"""

import asyncio
import contextlib
import json
import mmap
import os
import pathlib
import random
import resource
import signal
import struct
import subprocess
import time

import machine
from clients import Handshake, Lines, Stateless, wait_until
from oracle import CUT, ERROR, Oracle, REFUSED, RESULT
from place import MCPTOOLS, Peers, Place

PATIENCE_S = float(os.environ.get("ARENA_PATIENCE", "25"))  # for one call, whose time limit is much shorter
SETTINGS = {}  # what every gateway of the campaign has
SHIM = os.environ.get("FAULT_SHIM", str(pathlib.Path(MCPTOOLS).parent / "tests" / "campaign" / "fault-shim.so"))


def port_of(url):
    return int(url.split(":")[2].split("/")[0])


async def control(path, method, params=None):
    """One method of the control socket: its answer, {"error": …} also where there is none."""
    try:
        reader, writer = await asyncio.open_unix_connection(path, limit=1 << 24)
        writer.write(b'{"mcptools":1,"want":"control"}\n')
        greeting = json.loads(await reader.readline() or b'{"error":"closed"}')
        if "error" in greeting:
            writer.close()
            return greeting
        writer.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}).encode() + b"\n")
        answer = json.loads(await asyncio.wait_for(reader.readline(), 60) or b'{"error":"closed"}')
        writer.close()
        return answer
    except (OSError, TypeError, ValueError, asyncio.TimeoutError) as error:
        return {"error": repr(error)}


class Arena:
    """A small installation: two servers over stdio and one behind a URL; and what is checked of it in the end."""

    def __init__(self, name, seed, settings=None, env=None, kinds=("json",)):
        self.name, self.random, self.oracle, self.n_faults, self.problems = name, random.Random(f"{seed}/{name}"), Oracle(seed), 0, []
        self.peers = Peers({f"u{k}": kind for k, kind in enumerate(kinds)})
        self.p = Place(name, {}, {"serve": {"watch": False, **(settings or {}).pop("serve", {})},
                                  "limits": {"drain_s": 1, "call_timeout_s": 5}, **(settings or {}), **SETTINGS}, env=env)
        self.p.servers = {"s": self.p.stdio("s"), "t": self.p.stdio("t", "2026"),
                          **{name: {"url": url} for name, url in self.peers.urls.items()}}
        self.left, self.base = 0, None

    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        if self.p.process and self.p.process.poll() is None:
            self.p.process.kill()
            self.p.process.wait()
        self.peers.stop()
        self.p.remove()

    async def call(self, server="s", make=Stateless, **given):
        client = make(self.oracle, make.__name__, self.p.port)

        async def go():
            if make is Handshake and not await client.start():
                return None
            return await client.ask("tools/call", server, **given)
        try:
            return await asyncio.wait_for(go(), PATIENCE_S)
        except asyncio.TimeoutError:
            self.problems.append(f"no answer to a client after fault {self.n_faults}: {server} {make.__name__} {given}")
            return None
        finally:
            await client.leave("reset" if self.random.random() < 0.5 else "close")

    async def calls(self, n_calls=4, **given):
        servers = list(self.p.servers)
        return await asyncio.gather(*(self.call(self.random.choice(servers), self.random.choice((Stateless, Handshake)), **given) for _ in range(n_calls)))

    def alive(self):
        if self.p.process.poll() is not None:
            self.problems.append(f"the gateway has ended after fault {self.n_faults}: {self.p.process.returncode} "
                                 + self.p.log().read_text(errors="replace")[-1500:])
            return False
        return True

    async def recovers(self, patience=90):
        """Every server answers again; returns what the gateway holds."""
        for server in self.p.servers:
            begin = time.monotonic()
            while not (request := await self.call(server)) or request.outcome != RESULT:
                if time.monotonic() - begin > patience or not self.alive():
                    self.problems.append(f"after fault {self.n_faults}: {server} does not answer: {request and request.message}; "
                                         f"{self.p.get('/readyz')[-600:]} {self.p.log().read_text(errors='replace')[-1500:]}")
                    return
                await asyncio.sleep(0.2)

    async def rest(self):
        await self.recovers()
        if not self.alive():
            return
        begin = time.monotonic()
        while True:
            pid = self.p.process.pid
            now = machine.descriptors(pid) - machine.connections_to(pid, self.peers.ports()), len(self.p.left())
            if self.base is None and time.monotonic() - begin > 2:
                self.base = now
            if self.base and (all(a <= b for a, b in zip(now, self.base)) or time.monotonic() - begin > 30):
                break
            await asyncio.sleep(0.2)
        if any(a > b for a, b in zip(now, self.base)):
            self.left += 1
            self.problems.append(f"left behind: {self.base} -> {now} {machine.descriptor_targets(pid)}")

    def whole_state(self):
        """Every file of JSON that was left is whole."""
        for path in self.p.folder.rglob("*.json"):
            try:
                json.loads(path.read_bytes())
            except ValueError as error:
                self.problems.append(f"{path} is torn: {error}")

    def row(self, label):
        o = self.oracle
        o.give_up()
        for name in ("lost", "doubled", "misdirected"):
            self.problems += [f"{name}: {x}" for x in getattr(o, name)[:5]]
        return [label, self.n_faults, o.total(), o.total(RESULT), o.total(ERROR, REFUSED), o.total(CUT),
                f"{len(o.lost)}, {len(o.doubled)}, {len(o.misdirected)}", self.left], self.problems


# ---- the gateway is killed ----

async def kill_gateway(seed, n):
    async with Arena("kill", seed, {"serve": {"audit_log": "audit.log"}}) as a:
        a.p.servers["lazy"] = a.p.stdio("lazy", lifecycle="lazy")
        for k in range(n):
            await a.p.start()
            going = [asyncio.ensure_future(a.call(s, delay_ms=a.random.choice((0, 50, 3000)), fault=f)) for s, f in (
                ("s", "strays"), ("t", "stubborn"), ("u0", "none"), ("lazy", "strays"), ("s", "none"), ("s", "stop"))]
            if k % 3 == 0:
                a.p.servers["s"]["env"]["ROUND"] = str(k)
                a.p.write_config()
                a.p.process.send_signal(signal.SIGHUP)
            if k % 5 == 4:
                a.p.process.send_signal(signal.SIGTERM)
            await asyncio.sleep(a.random.random() * 0.3)
            if k % 4 == 3:
                a.p.process.send_signal(signal.SIGSTOP)
            a.n_faults += 1
            await a.p.stop(signal.SIGKILL)
            await asyncio.gather(*going)
            try:
                await a.p.none_left(30)
            except AssertionError as error:
                a.left += 1
                a.problems.append(str(error))
                for pid in a.p.left():
                    with contextlib.suppress(OSError):
                        os.kill(pid, signal.SIGKILL)
            a.whole_state()
        await a.p.start()
        await a.recovers()
        if await a.p.stop() != 0:
            a.problems.append("the last one did not end well")
        await a.p.none_left(30)
        return a.row("gateway: SIGKILL in calls, reloads and while it stops; started again")


# ---- descriptors ----

async def emfile(seed, n):
    async with Arena("emfile", seed, kinds=("json", "stateless-stream", "sse")) as a:
        a.p.servers["u2"]["type"] = "sse"
        await a.p.start()
        await a.rest()
        pid = a.p.process.pid
        soft, hard = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        for k in range(n):
            limit = machine.descriptors(pid) + a.random.randrange(0, 8)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (limit, hard))
            a.n_faults += 1
            if k % 3 == 0:
                for one in a.p.processes_of("s"):
                    os.kill(one, signal.SIGKILL)
            going = [asyncio.ensure_future(one) for one in (a.calls(a.random.randrange(1, 12)), control(a.p.socket_path(), "status"))]
            await asyncio.wait(going, timeout=0.3)
            resource.prlimit(pid, resource.RLIMIT_NOFILE, (soft, hard))
            await asyncio.gather(*going)
            if not a.alive():
                break
            if k % 20 == 19:
                await a.rest()
        await a.rest()
        return a.row("no descriptors (EMFILE)")


# ---- space ----

def fill(folder):
    with contextlib.suppress(OSError), open(folder / "filler", "wb", 0) as f:
        while f.write(b"x" * 4096):
            pass


async def enospc(seed, n):
    """A full file system where it may be mounted; a limit on the size of files; /dev/full."""
    async with Arena("enospc", seed, {"serve": {"audit_log": "logs/audit.log", "access_log": "logs/access.log"}}) as a:
        logs = a.p.folder / "logs"
        logs.mkdir()
        cache = a.p.folder / ".cache"
        cache.mkdir()
        mounted = [path for path in (logs, cache) if not subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", path],
                                                                       check=False, capture_output=True).returncode]
        a.p.servers["lazy"] = a.p.stdio("lazy", lifecycle="lazy", idle_timeout=1)
        try:
            await a.p.start()
            await a.rest()
            pid = a.p.process.pid
            for k in range(n):
                a.n_faults += 1
                kind = k % 3 if mounted else 1
                if kind != 1:
                    for path in mounted[:1] if kind == 0 else mounted:
                        fill(path)
                else:
                    size = (logs / "audit.log").stat().st_size
                    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size + a.random.randrange(300), resource.RLIM_INFINITY))
                if k % 7 == 0:
                    await control(a.p.socket_path(), "restart", {"server": "lazy"})
                for request in await a.calls(6):
                    if request is None or request.outcome != RESULT:
                        a.problems.append(f"a call failed with a full disk: {request and request.message}")
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
                for path in mounted:
                    (path / "filler").unlink(missing_ok=True)
                    if sum(f.stat().st_size for f in path.rglob("*") if f.is_file()) > 90000:
                        for f in path.glob("*.log"):
                            f.unlink()
                        a.p.process.send_signal(signal.SIGUSR1)
                if not a.alive():
                    break
            a.whole_state()
            await a.rest()
            lines = [line for path in logs.glob("*.log") for line in path.read_bytes().splitlines()]
            torn = [line for line in lines if not whole(line)]
            if len(torn) > a.n_faults * 2:
                a.problems.append(f"{len(torn)} of {len(lines)} lines of the logs are torn: {torn[:2]}")
            await a.p.stop()
        finally:
            for path in mounted:
                subprocess.run(["umount", "-l", path], check=False)
        return a.row("no space (ENOSPC, EFBIG) for logs and stored lists")


def whole(line):
    try:
        json.loads(line)
        return True
    except ValueError:
        return False


# ---- memory and clock: the shim has a page that is written here ----

class Page:
    """See tests/support/fault_shim.c."""

    def __init__(self, folder):
        self.path = folder / "page"
        self.path.write_bytes(b"\0" * 4096)
        self.file = open(self.path, "r+b")
        self.map = mmap.mmap(self.file.fileno(), 4096)

    def wall(self, seconds):
        self.map[0:8] = struct.pack("<q", seconds)

    def fail(self, skip, number):
        self.map[8:16] = struct.pack("<Q", skip)
        self.map[16:24] = struct.pack("<Q", number)

    def failed(self):
        return struct.unpack("<Q", self.map[24:32])[0]


def shimmed(a):
    page = Page(a.p.folder)
    a.p.more_env.update(LD_PRELOAD=SHIM, FAULT_PAGE=str(page.path))
    return page


async def enomem(seed, n):
    async with Arena("enomem", seed, kinds=("json", "stateless-stream")) as a:
        page = shimmed(a)
        await a.p.start()
        await a.rest()
        pid = a.p.process.pid
        soft, hard = resource.prlimit(pid, resource.RLIMIT_AS)
        for k in range(n):
            before = page.failed()
            if k % 10 == 9:  # no room for anything big
                size = int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[0]) * resource.getpagesize()
                resource.prlimit(pid, resource.RLIMIT_AS, (size + a.random.randrange(1 << 20), hard))
                await a.calls(2, size=a.random.choice((1 << 20, 8 << 20)), pad="x" * a.random.choice((0, 1 << 20)))
                resource.prlimit(pid, resource.RLIMIT_AS, (soft, hard))
            else:
                page.fail(a.random.choice((0, a.random.randrange(20), a.random.randrange(400))), a.random.choice((1, 1, 2, 5, 30)))
                if k % 25 == 24:
                    for one in a.p.processes_of("s"):
                        os.kill(one, signal.SIGKILL)
                if k % 40 == 39:
                    a.p.servers["t"]["env"]["ROUND"] = str(k)
                    a.p.write_config()
                    a.p.process.send_signal(signal.SIGHUP)
                await a.calls(a.random.randrange(1, 4), fault=a.random.choice(("none", "none", "storm", "garbage", "logs")), n=3)
            page.fail(0, 0)
            a.n_faults += max(1, page.failed() - before)
            if not a.alive():
                break
            if k % 50 == 49:
                await a.rest()
        await a.rest()
        if a.alive() and await a.p.stop() != 0:
            a.problems.append("it did not end well")
        return a.row("no memory (ENOMEM): single allocations, and an address space without room")


async def clock(seed, n):
    year = 365 * 86400
    async with Arena("clock", seed, kinds=("json", "stateless-stream")) as a:
        page = shimmed(a)
        await a.p.start()
        await a.rest()
        session = Handshake(a.oracle, "old session", a.p.port)
        await session.start()
        for _ in range(n):
            page.wall(a.random.choice((0, 1, -1, 60, -60, 3600, -3600, 86400, -86400, year, -year, 10 * year, -10 * year, -50 * year, 60 * year)))
            a.n_faults += 1
            going = asyncio.ensure_future(a.calls(3, delay_ms=a.random.choice((0, 30))))
            if a.random.random() < 0.3:
                page.wall(a.random.randrange(-20 * year, 20 * year))
            for request in [*await going, await session.ask("tools/call", "s")]:
                if request is None or request.outcome != RESULT:
                    a.problems.append(f"a call failed after a jump of the clock: {request and request.message}")
            if not a.alive():
                break
        page.wall(0)
        await session.leave("delete")
        await a.rest()
        if a.alive() and await a.p.stop() != 0:
            a.problems.append("it did not end well")
        return a.row("clock: jumps of seconds to decades")


# ---- pipes ----

async def full_stderr(seed, n):
    """Nobody reads the gateway's messages, nor its access log, which go to a pipe that is full."""
    async with Arena("pipe", seed, {"serve": {"access_log": "-", "audit_log": "-"}}) as a:
        await a.p.start()
        port, a.base = a.p.port, (1 << 20, 1 << 20)
        await a.p.stop()
        reader, writer = os.pipe()
        a.p.process = subprocess.Popen([MCPTOOLS, "serve", "--http", f"127.0.0.1:{port}", "--config", str(a.p.config)], cwd=a.p.folder,
                                       env=a.p.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writer)
        os.close(writer)
        await wait_until(lambda: b"HTTP/1.1 200" in a.p.get("/readyz"), "it is ready")
        for k in range(n):
            a.n_faults += 1
            for request in await a.calls(8, fault=("logs", "stderr", "none", "none")[k % 4], n=20 if k % 4 != 1 else 20000):
                if request is None or request.outcome != RESULT:
                    a.problems.append(f"a call failed with a full pipe: {request and request.message}")
        await a.recovers()
        os.close(reader)  # and now nobody ever will: EPIPE
        await a.calls(8)
        await a.recovers()
        if await a.p.stop() != 0:
            a.problems.append("it did not end well")
        await a.p.none_left(30)
        return a.row("gateway's stderr: a full pipe, then a closed one")


# ---- the stdio front ----

STDIO_FAULTS = ("none", "twice", "unknown-ids", "garbage", "storm", "pings", "half", "both", "neither", "utf8", "deep", "die", "answer-die", "half-die")


async def stdio_front(seed, n):
    async with Arena("front", seed) as a:
        a.p.write_config()
        for _ in range(max(1, n // 40)):
            eras = a.random.choice(("legacy", "2026"))
            client = Lines(a.oracle, f"stdio {eras}", eras)
            await client.spawn([MCPTOOLS, "serve", "--stdio", "--config", str(a.p.config)], a.p.folder, a.p.environment())
            for _ in range(40):
                a.n_faults += 1
                going = [asyncio.ensure_future(client.ask(kind, server, **({"fault": verb} if kind == "tools/call" else {}))) for kind, server, verb in (
                    ("tools/call", a.random.choice(("s", "t", "u0")), a.random.choice(STDIO_FAULTS)), ("tools/call", "u0", "none"),
                    (a.random.choice(("resources/read", "prompts/get", "completion/complete")), a.random.choice(("s", "t", "u0")), ""))]
                if a.random.random() < 0.3:
                    client.writer.write(a.random.choice((b"{\n", b"\xff\n", b"\0\0\n", b"[1,2]\n", b"[]\n", b"x" * 3000 + b"\n", b'{"jsonrpc":"2.0","id":null,"result":{}}\n')))
                await asyncio.gather(*going)
            how = a.random.choice(("close", "close", "reset", "kill"))
            if how == "kill":
                client.process.kill()
            status = await client.leave(how if how != "kill" else "close")
            if status not in (0, -signal.SIGKILL):
                a.problems.append(f"serve --stdio ended with {status}")
            try:
                await a.p.none_left(30)
            except AssertionError as error:
                a.left += 1
                a.problems.append(str(error))
        return a.row("stdio front: faulty servers and garbage on stdin; it ends, is cut off or killed")


ARENAS = {"kill": (kill_gateway, 0.004), "emfile": (emfile, 0.02), "enospc": (enospc, 0.01), "enomem": (enomem, 0.03), "clock": (clock, 0.02),
          "pipe": (full_stderr, 0.005), "front": (stdio_front, 0.02)}
SHORT = ("kill", "emfile", "enospc", "clock", "pipe", "front")  # in CI
