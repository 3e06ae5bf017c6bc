#!/usr/bin/env python3
"""The fault campaign: thousands of faults on running gateways, and what must hold all the same.

usage: fault.py [--faults N] [--seed S] [--only K[-K]] [--arena NAME]… [--write]

SEED determines the schedule: which faults, in which order, at which server, with which parameters. What the machine decides
is not determined: how the faults that are under way at the same time interleave, and where a signal meets a process. Fault
number K has a generator of its own, so that `--only K` makes the same fault alone.

Invariants, checked by unique nonces (oracle.py): each request has exactly one outcome; no answer has another's nonce or comes
from another principal's server; after each batch descriptors, children and processes are where they were; memory after a
second round of the same schedule is that of the first one; calls to healthy servers never fail (probe.py).
"""

import argparse
import asyncio
import collections
import contextlib
import json
import random
import sys
import time

import arenas
import faults
import machine
import report
from clients import Handshake, Lines, Stateless
from oracle import CUT, ERROR, Oracle, REFUSED, RESULT
from place import Peers, Place
from proxy import Proxy
from probe import start_probe

TOKENS = ("anna", "bert")
STDIO = [f"v{k}" for k in range(12)]
ERAS = ("legacy", "both", "2026")
KINDS = {"json": "json", "stream": "stream", "modern": "stateless", "modstream": "stateless-stream", "old": "sse"}
GROWTH_KIB = 2048  # of memory from the first round to the second
SIDE_BY_SIDE = 24
PATIENCE_S = 150   # of one fault


def configuration(peers, proxies):
    p = Place("fault", {}, {"serve": {"tokens": [{"token": t, "name": t} for t in TOKENS], "watch": False},
                            "limits": {"sessions": 100, "breaker_failures": 0, "drain_s": 2, "call_timeout_s": 2, "start_timeout_s": 20}, **arenas.SETTINGS})
    p.servers = {"good": p.stdio("good", timeout=60), "good26": p.stdio("good26", "2026", timeout=60),
                 "fine": {"url": peers.urls["fine"], "timeout": 60}, "changing": p.stdio("changing"), "own": p.stdio("own", isolation="principal")}
    for k, name in enumerate(STDIO):
        p.servers[name] = p.stdio(name, ERAS[k % 3], **({"isolation": "principal"} if k % 4 == 3 else {}))
    for name, proxy in proxies.items():
        p.servers[name] = {"url": f"http://127.0.0.1:{proxy.port}/{'sse' if name == 'old' else 'mcp'}", **({"type": "sse"} if name == "old" else {})}
    return p


class Campaign:
    def __init__(self, p, proxies, seed):
        self.p, self.proxies, self.seed = p, proxies, seed
        self.oracle, self.armed, self.wrong = Oracle(seed), True, []
        self.locks = {name: asyncio.Lock() for name in STDIO}
        self.pool, self.front, self.rows = {}, None, collections.defaultdict(collections.Counter)
        self.slowest, self.late = {}, 0
        self.paused = {}  # server: when it asked for a pause
        self.rests, self.base, self.left = [], None, []

    # ---- what faults use ----

    def token(self, r):
        return r.choice(TOKENS)

    async def client(self, r, victim, kind=None, through_proxy=False):
        """A client for one fault. Sessions are shared; attached ones and those behind a proxy live as long as the fault."""
        kind = kind or r.choice(("session", "stateless", "attached"))
        token = self.token(r)
        if kind == "attached" and not through_proxy:
            client = Lines(self.oracle, "attached", server=victim)
            client.arm = self._arm
            if await client.attach(self.p.socket_path()):
                r.leaving.append(client)
                return client
            kind = "session"
        make = Stateless if kind == "stateless" else Handshake
        if through_proxy:
            client = make(self.oracle, f"{kind}:{token}", self.front.port, token)
            client.arm, client.behind_proxy = self._arm_front, True
            await client.start()
            return client
        which = (make, token, r.randrange(3))
        if which not in self.pool:
            self.pool[which] = asyncio.ensure_future(self._made(make, token))
        return await self.pool[which]

    async def _made(self, make, token):
        client = make(self.oracle, f"{make.__name__}:{token}", self.p.port, token)
        client.arm = self._arm
        await client.start()
        return client

    def _arm(self, request, server, plan):
        if self.armed:
            self.proxies[server].plans[request.nonce] = plan

    def _arm_front(self, request, server, plan):
        del server
        if self.armed:
            self.front.plans[request.nonce] = plan

    async def new_session(self, r):
        client = Handshake(self.oracle, "short session", self.p.port, self.token(r))
        await client.start()
        return client

    async def call_beside(self, r, victim):
        """Somebody else's call to the same server; it may fail, and must have one outcome."""
        client = await self.client(r, victim, kind=r.choice(("session", "stateless")))
        await client.ask(r.choice(("tools/call", "resources/read", "prompts/get")), victim)

    def signal(self, victim, number):
        pids = self.p.processes_of(victim)
        for pid in pids:
            with contextlib.suppress(OSError):
                faults.os.kill(pid, number)
        return pids

    def order(self, victim, verb):
        for pid in self.p.processes_of(victim):
            self.p.order(pid, victim, verb)

    async def repair(self, victim, patience=40):
        """Starts the server again, as `mcptools` does over the control socket."""
        begin = time.monotonic()
        while time.monotonic() - begin < patience:
            told = await arenas.control(self.p.socket_path(), "restart", {"server": victim})
            if "result" in told:
                return
            await asyncio.sleep(0.3)
        self.wrong.append(("repair", victim, "the server does not come back", str(told)[:200]))

    # ---- the run ----

    def schedule(self, n):
        """[(name, victim)] and nothing else comes from the one generator."""
        r, names = random.Random(self.seed), list(faults.TABLE)
        weights = [faults.TABLE[name][1] for name in names]
        places = {"stdio": STDIO, "http": list(KINDS), "proxied": list(KINDS), "any": STDIO + list(KINDS), None: [""]}
        chosen = r.choices(names, weights, k=n)
        return [(name, r.choice(places[faults.TABLE[name][2]])) for name in chosen]

    async def make(self, number, name, victim):
        r = random.Random(f"{self.seed}/{number}")
        r.leaving = []
        function, _, needs = faults.TABLE[name]
        lock = self.locks.get(victim) if needs == "stdio" else None
        async with lock or contextlib.AsyncExitStack():
            try:
                if self.armed:
                    await asyncio.wait_for(function(self, r, victim), PATIENCE_S)
                else:
                    client = await self.client(r, victim or "good")
                    await client.ask("tools/call", victim or "good")
            except asyncio.TimeoutError:
                self.wrong.append((name, number, "the fault never ended", ""))
            except (OSError, ConnectionError) as error:
                self.wrong.append((name, number, "no connection", repr(error)))
            for client in r.leaving:
                await client.leave("close")

    async def batch(self, items):
        gate = asyncio.Semaphore(SIDE_BY_SIDE)

        async def one(number, name, victim):
            async with gate:
                begin = time.monotonic()
                await self.make(number, name, victim)
                self.slowest[name] = max(self.slowest.get(name, 0), time.monotonic() - begin)
                self.rows[name.split(":")[0]]["faults"] += 1
                if self.p.process.poll() is not None:
                    raise AssertionError(f"the gateway has ended at fault {number} ({name}): " + self.p.log().read_text(errors="replace")[-3000:])
        await asyncio.gather(*(one(*item) for item in items))

    async def rest(self, first=False):
        """Everybody leaves; what remains must be the base."""
        for made in self.pool.values():
            client = await made
            await client.leave("delete" if isinstance(client, Handshake) else "close")
        self.pool.clear()
        self.oracle.give_up()
        await self.touch()
        begin, last, since = time.monotonic(), None, time.monotonic()
        while time.monotonic() - begin < 60:
            await asyncio.sleep(0.25)
            now = self.now()
            if now != last:
                last, since = now, time.monotonic()
            if time.monotonic() - since > (3 if first else 0.5) and (first or all(a <= b for a, b in zip(now, self.base))):
                break
        if first:
            self.base = last
        elif any(a > b for a, b in zip(last, self.base)):
            self.left.append((self.base, last, machine.descriptor_targets(self.p.process.pid)))
        self.rests.append(machine.rollup_kib(self.p.process.pid)["Rss"])

    def now(self):
        """(descriptors but for kept connections to servers, processes below the gateway, processes with the mark)"""
        pid = self.p.process.pid
        kept = machine.connections_to(pid, {proxy.port for proxy in self.proxies.values()} | self.ports)
        return machine.descriptors(pid) - kept, len(machine.descendants(pid)), len(self.p.left())

    async def touch(self):
        """Every kind of client calls every server once, so that all connections are there that are kept for a while."""
        self.p.servers.pop("coming", None)
        self.p.write_config()
        self.p.process.send_signal(faults.signal.SIGHUP)
        await asyncio.sleep(0.3)
        for victim in STDIO:
            if not self.p.processes_of(victim):
                await self.repair(victim)
        for kind in (Handshake, Stateless):
            for token in TOKENS:
                client = kind(self.oracle, "rest", self.p.port, token)
                await client.start()
                await asyncio.gather(*(client.ask("tools/call", server) for server in self.p.servers))
                await client.leave("delete")
        for server in [name for name, entry in self.p.servers.items() if entry.get("isolation")]:
            client = Lines(self.oracle, "rest", server=server)
            if await client.attach(self.p.socket_path()):
                await client.ask("tools/call", server)
                await client.leave()


async def main_arena(arguments, n):
    peers = Peers({**KINDS, "fine": "json"})
    proxies = {name: await Proxy(arenas.port_of(peers.urls[name])).open() for name in KINDS}
    p = configuration(peers, proxies)
    c = Campaign(p, proxies, arguments.seed)
    c.ports = peers.ports()
    probe = None
    try:
        await p.start()
        c.front = await Proxy(p.port).open()
        probe = start_probe(p.port, TOKENS[0], 40, ["good", "good26", "fine"])
        await asyncio.sleep(2)
        await c.rest(first=True)
        items = [(k, *item) for k, item in enumerate(c.schedule(n), 1)]
        if arguments.only:
            first, _, last = arguments.only.partition("-")
            items = items[int(first) - 1:int(last or first)]
            for item in items:
                print("fault", *item)
        probe.phase("alone")
        await asyncio.sleep(3)
        c.armed = False
        probe.phase("same load without faults")
        for k in range(0, min(len(items), 120 if arguments.short else 600), 200):
            await c.batch(items[k:k + 200][:120 if arguments.short else None])
        await c.rest()
        c.armed, rounds, begin = True, [], time.monotonic()
        c.oracle.counts.clear()
        c.rows.clear()
        probe.phase("faults")
        for number in range(2 if len(items) > 1000 else 1):
            for k in range(0, len(items), 400):
                probe.phase("faults")
                await c.batch(items[k:k + 400])
                probe.phase("rest")
                await c.rest()
                print(f"  round {number + 1}: {min(k + 400, len(items))} faults, {time.monotonic() - begin:.0f} s, {c.rests[-1]} KiB, "
                      f"{len(c.oracle.doubled) + len(c.oracle.misdirected) + len(c.oracle.lost)} bad, {len(c.wrong)} wrong", flush=True)
            rounds.append(c.rests[-1])
        print("  slowest:", sorted(((round(s, 1), name) for name, s in c.slowest.items()), reverse=True)[:6])
        print(f"  {c.late} right answers came too late for the time limit of their call, or waited in a pause that the server asked for")
        told = probe.stop()
        status = await p.stop()
        return c, rounds, told, status
    finally:
        if p.process and p.process.poll() is None:
            p.process.kill()
        if probe:
            probe.stop()
        for proxy in proxies.values():
            proxy.close()
        peers.stop()
        p.remove()


def group_rows(c):
    """Rows of the table: for each group of faults its numbers; requests are counted for the arena as a whole."""
    return {name: told["faults"] for name, told in c.rows.items()}


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--faults", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--only")
    parser.add_argument("--arena", action="append")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    if arguments.seed is None:
        arguments.seed = random.SystemRandom().randrange(1, 1 << 31)
    n = 240 if arguments.short else arguments.faults
    print(f"fault campaign: {n} faults, SEED={arguments.seed}", flush=True)
    rows, bad, begin, text = [], [], time.monotonic(), []
    wanted = arguments.arena or (["main"] if arguments.only else ["main", *(name for name in arenas.ARENAS if not arguments.short or name in arenas.SHORT)])
    if "main" in wanted:
        c, rounds, told, status = await main_arena(arguments, n * 9 // 20 if n > 1000 and not arguments.only else n * 3 // 4 if not arguments.only else n)
        o = c.oracle
        for name, number in sorted(group_rows(c).items()):
            rows.append([name, number, "", "", "", "", "", ""])
        rows.append(["all of these, side by side", sum(group_rows(c).values()), o.total(), o.total(RESULT), o.total(ERROR, REFUSED), o.total(CUT),
                     f"{len(o.lost)}, {len(o.doubled)}, {len(o.misdirected)}", len(c.left)])
        bad += [f"lost: {x}" for x in o.lost[:5]] + [f"doubled: {x}" for x in o.doubled[:5]] + [f"misdirected: {x}" for x in o.misdirected[:5]]
        bad += [f"wrong: {x}" for x in c.wrong[:15]] + [f"left: {x}" for x in c.left[:3]]
        bad += [f"the gateway ended with {status}"] if status else []
        if len(rounds) == 2 and rounds[1] - rounds[0] > GROWTH_KIB:
            bad.append(f"memory grew from {rounds[0]} to {rounds[1]} KiB in a second round of the same faults")
        calm, hot, alone = told.get("same load without faults"), told["faults"], told["alone"]
        bad += [f"healthy: {x}" for phase in told.values() for x in phase["failed"][:5]]
        ratio = hot["p99"] / calm["p99"] if calm else 0
        text = [f"Seed {arguments.seed}. Calls of a well-behaved client to healthy servers meanwhile: {hot['calls']:,}, {hot['n_failed']} failed; p99 "
                f"{hot['p99']:.1f} ms, {ratio:.2f} times that of the same load without faults ({calm['p99']:.1f} ms; alone {alone['p99']:.1f} ms)."]
        if len(rounds) == 2:
            text.append(f"Memory at rest after the schedule {rounds[0]:,} KiB, after a second round of it {rounds[1]:,} KiB (at most {GROWTH_KIB} more).")
        print(text[0], flush=True)
    for name in wanted:
        if name == "main":
            continue
        share = arenas.ARENAS[name][1]
        row, problems = await arenas.ARENAS[name][0](arguments.seed, max(2, int(n * share)))
        rows.append(row)
        bad += [f"{name}: {x}" for x in problems]
        print("  ", *row, flush=True)
    if arguments.write and arguments.arena and "main" not in wanted:  # the rest of the table stays
        told_before = json.loads((report.FOLDER / "fault.json").read_text())
        kept, text = [row for row in told_before["rows"] if row[0] not in [r[0] for r in rows]], told_before["text"][1:]
        rows = kept + rows
        text = [told_before["figures"]["text"], *text]
    total = sum(row[1] for row in rows if row[0] != "all of these, side by side")
    columns = ["fault", "faults", "requests", "answered", "error", "connection cut", "lost, doubled, misdirected", "left behind"]
    if arguments.write:
        report.put("fault", title="Faults", order=10, command=f"make fault FAULTS={n} SEED={arguments.seed}", machine=machine.described(),
                   date=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()) + f", {time.monotonic() - begin:.0f} s", columns=columns, rows=rows,
                   figures={"text": text[0] if text else "", "failures": bad},
                   text=[f"{total:,} faults in one run. " + (text[0] if text else ""), *text[1:]])
    for row in rows:
        print(*row, sep=" | ")
    print(f"{total} faults in {time.monotonic() - begin:.0f} s; SEED={arguments.seed}")
    if bad:
        print("FAILED", *bad, sep="\n  ")
        return 1
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
