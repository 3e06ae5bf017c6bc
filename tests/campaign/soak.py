#!/usr/bin/env python3
"""The soak: mixed load on one gateway for a long time; memory, descriptors and processes must not grow.

usage: soak.py [--minutes N] [--rate REQUESTS_PER_SECOND] [--seed S] [--write] [--short]

Clients of both eras come and go over HTTP, stdio and the control socket; servers of every kind are called, killed, and
replaced by reloads. Every answer is checked (oracle.py). Each second the gateway's memory, descriptors, children and
threads are read. At the end everybody leaves, and the gateway must be where it was after the warm-up.

The verdict on memory is about the slope of the floors (lowest values) of 30 slices of the second half. It is "flat" if the
upper end of the slope's 95 % confidence is at most ALLOWANCE_KIB_H. At 100 requests a second that is less than a byte
for every third request: an allocation of the smallest size that is lost once in 100 requests would be seen.
`--short` (two minutes in CI, else a quarter) is too short for a slope: it asserts descriptors and processes, and a bound on
memory. `--write` stores figures and a plot in docs/reliability/.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import random
import signal
import sys
import time

import fit
import machine
from clients import Handshake, Lines, Stateless
from oracle import CUT, ERROR, Oracle, RESULT, quantile
from place import MCPTOOLS, Peers, Place
import report

ALLOWANCE_KIB_H = 128
SHORT_ALLOWANCE_KIB = 4096
TOKENS = ("anna", "bert")
HEALTHY = ("one", "both", "new", "own", "json", "stream", "modern", "modstream", "old")
SHAKEN = ("fragile", "changing", "lazy")  # killed, replaced and stopped: their calls may fail
UNCLEAR = ("one", "both", "own", "old")  # ask without naming the call; a question that may be of another client is refused
KINDS = {"json": "json", "stream": "stream", "modern": "stateless", "modstream": "stateless-stream", "old": "sse"}
REQUESTS = ["tools/call"] * 10 + ["resources/read", "prompts/get", "completion/complete"] * 2 + [
    "tools/list", "resources/list", "prompts/list", "resources/templates/list", "ping"]
NEW_REQUESTS = [kind for kind in REQUESTS if kind != "ping"]


def place(peers):
    p = Place("soak", {}, {
        "serve": {"tokens": [{"token": t, "name": t} for t in TOKENS], "watch": False},
        "limits": {"sessions": 64, "drain_s": 2, "call_timeout_s": 60}})
    p.servers = {
        "one": p.stdio("one"), "both": p.stdio("both", "both"), "new": p.stdio("new", "2026"),
        "own": p.stdio("own", isolation="principal"), "fragile": p.stdio("fragile"), "changing": p.stdio("changing"),
        "lazy": p.stdio("lazy", lifecycle="lazy", idle_timeout=3), **{name: {"url": url} for name, url in peers.urls.items()}}
    p.servers["old"]["type"] = "sse"
    return p


class Pace:
    """So many requests a second, for all clients together; none is made up for after a delay."""

    def __init__(self, rate):
        self.every, self.next = 1 / rate, time.monotonic()

    async def turn(self):
        now = time.monotonic()
        self.next = max(self.next + self.every, now)
        await asyncio.sleep(self.next - now)


class Soak:
    def __init__(self, arguments, p, ports):
        self.ports = ports
        self.p, self.random, self.oracle = p, random.Random(arguments.seed), Oracle(arguments.seed)
        self.pace, self.over, self.shaken = Pace(arguments.rate), asyncio.Event(), collections.Counter()
        self.unexpected, self.notices, self.questions = [], 0, 0
        self.oracle.on_settled = self._settled
        self.cancelled = set()

    def _settled(self, request):
        request.message = None
        if request.outcome in (RESULT, CUT) or request.server in SHAKEN:
            return
        if request.outcome == ERROR and request.slow and request.server in UNCLEAR:
            self.shaken["questions refused"] += 1
            return
        self.unexpected.append((request.client, request.server, request.kind, request.outcome))

    # ---- one client's life ----

    def given(self, kind, server, asks):
        """Arguments of a call, and whether it is cancelled. `asks`: the client can be asked."""
        r, more = self.random.random(), {}
        if kind != "tools/call":
            return more
        if r < 0.10:
            more["size"] = self.random.choice((1 << 12, 1 << 16, 1 << 20))
        elif r < 0.14:
            more["pad"] = "x" * self.random.choice((1 << 12, 1 << 16, 1 << 19))
        elif r < 0.20:
            more["progress"] = 3
        elif r < 0.26 and asks:
            more["tool"] = "ask"
        elif r < 0.30:
            more.update(delay_ms=self.random.randrange(20, 300))
        elif r < 0.34:
            more.update(delay_ms=3000, cancel_ms=self.random.randrange(1, 100))
        elif r < 0.37 and server in ("one", "both", "new"):
            more["touch"] = f"{server}://one"
        elif r < 0.38 and server in ("one", "both", "new"):
            more.update(fault=self.random.choice(("storm", "pings", "logs", "stderr", "garbage")), n=5)
        return more

    async def work(self, client, kinds, n, servers=HEALTHY + SHAKEN):
        for _ in range(n):
            await self.pace.turn()
            if self.over.is_set():
                break
            kind, server = self.random.choice(kinds), self.random.choice(servers)
            if kind == "completion/complete" and server in KINDS and KINDS[server] == "sse":
                server = "one"
            given = self.given(kind, server, getattr(client, "revision", "") != "2025-03-26")
            if client.__class__ is Lines:
                given.pop("cancel_ms", None)
                given["delay_ms"] = min(given.get("delay_ms", 0), 300)
            request = await client.ask(kind, server, **given)
            if request.outcome == CUT and "cancel_ms" not in given and server not in SHAKEN:
                self.unexpected.append((client.label, server, kind, "cut"))
        self.notices += client.n_notices
        self.questions += client.n_questions

    async def handshake(self, number):
        client = Handshake(self.oracle, f"session{number}", self.p.port, self.random.choice(TOKENS),
                           self.random.choice(("2025-11-25", "2025-06-18", "2025-03-26")))
        if not await client.start():
            self.unexpected.append((client.label, "", "initialize", "no session"))
            return
        if self.random.random() < 0.6:
            client.listen()
        if self.random.random() < 0.5:
            await client.ask("resources/subscribe", self.random.choice(("one", "both", "new")))
        await self.work(client, REQUESTS, self.random.randrange(1, 60))
        await client.leave(self.random.choice(("delete", "delete", "close", "reset")))

    async def stateless(self, number):
        client = Stateless(self.oracle, f"stateless{number}", self.p.port, self.random.choice(TOKENS))
        await client.start()
        subscribed = None
        if self.random.random() < 0.4:
            uris = [f"{s}://one" for s in self.random.sample(("one", "both", "new"), 2)]
            subscribed = asyncio.ensure_future(client.subscribe(uris, self.random.randrange(1, 15)))
        await self.work(client, NEW_REQUESTS, self.random.randrange(1, 60))
        if subscribed:
            await subscribed
        await client.leave(self.random.choice(("close", "reset")))

    async def attached(self, number):
        server = self.random.choice(("one", "both", "own", "json", "stream"))
        client = Lines(self.oracle, f"attached{number}", server=server)
        path = self.p.socket_path()
        if path and await client.attach(path):
            await self.work(client, ["tools/call"] * 4 + ["resources/read", "prompts/get", "tools/list"], self.random.randrange(1, 30), (server,))
            await client.leave(self.random.choice(("close", "reset")))

    async def command(self):
        """The real command line, which finds the gateway."""
        self.shaken["commands"] += 1
        process = await asyncio.create_subprocess_exec(MCPTOOLS, "call", "one.echo", "nonce=command", "size=16", "-o", "json", "--config", str(self.p.config), cwd=self.p.folder,
                                                       env=self.p.environment(), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE)
        out, errors = await process.communicate()
        if process.returncode or b"command" not in out:
            self.unexpected.append(("command", "one", process.returncode, (out[-200:], errors[-200:])))

    async def lives(self, kind, slot):
        number = 0
        while not self.over.is_set():
            number += 1
            await kind(f"{slot}.{number}")

    # ---- what happens meanwhile ----

    async def shake(self, seconds):
        """Servers are killed and replaced; command lines come by."""
        n = 0
        while not self.over.is_set():
            n += 1
            try:
                await asyncio.wait_for(self.over.wait(), seconds)
            except asyncio.TimeoutError:
                pass
            if n % 4 == 0:
                self.p.servers["changing"]["env"]["ROUND"] = str(n)
                self.p.write_config()
                self.p.process.send_signal(signal.SIGHUP)
                self.shaken["reloads"] += 1
            elif n % 4 == 2:
                for pid in self.p.processes_of("fragile"):
                    os.kill(pid, signal.SIGKILL)
                    self.shaken["kills"] += 1
            else:
                await self.command()

    # ---- the run ----

    async def rest(self, base=None, patience=90):
        """Every kind of client calls every server, and then nobody does. Returns (descriptors, children) once they stand still, or
        are at most the base: connections that are kept for a principal are there before and after."""
        for kind in (Handshake, Stateless):
            for token in TOKENS:
                client = kind(self.oracle, "rest", self.p.port, token)
                await client.start()
                for server in HEALTHY + SHAKEN:
                    await self.until_up(client, server)
                await client.leave("delete")
        client = Lines(self.oracle, "rest", server="own")
        if await client.attach(self.p.socket_path()):
            await client.ask("tools/call", "own")
            await client.leave()
        begin, last, since = time.monotonic(), None, time.monotonic()
        while time.monotonic() - begin < patience:
            await asyncio.sleep(0.5)
            # idle connections to servers are kept for the next call, some more or less
            kept = machine.connections_to(self.p.process.pid, self.ports)
            now = machine.descriptors(self.p.process.pid) - kept, len(machine.descendants(self.p.process.pid))
            if now != last:
                last, since = now, time.monotonic()
            still = time.monotonic() - since > (10 if base is None else 4)  # the lazy server stops meanwhile
            if still and (base is None or all(a <= b for a, b in zip(now, base))):
                break
        return last

    async def until_up(self, client, server, patience=180):
        """A server that was killed often comes back after a pause."""
        begin = time.monotonic()
        while (await client.ask("tools/call", server)).outcome != RESULT and time.monotonic() - begin < patience:
            await asyncio.sleep(1)

    async def run(self, seconds, clients, shake_s):
        self.over.clear()
        kinds = [self.handshake, self.stateless, self.handshake, self.stateless, self.handshake, self.attached]
        running = [asyncio.ensure_future(self.lives(kinds[k % len(kinds)], k)) for k in range(clients)]
        running.append(asyncio.ensure_future(self.shake(shake_s)))
        series, begin = [], time.monotonic()
        while time.monotonic() - begin < seconds:
            await asyncio.sleep(1 - (time.monotonic() - begin) % 1)
            if self.p.process.poll() is not None:
                raise AssertionError("the gateway has ended: " + self.p.log().read_text(errors="replace")[-2000:])
            series.append((time.monotonic() - begin, machine.sample(self.p.process.pid)))
            for done in [one for one in running if one.done()]:
                done.result()
        self.over.set()
        await asyncio.wait_for(asyncio.gather(*running), 200)
        return series


def verdict(series, minutes):
    # pages of files come and go as the kernel and other programs want: what the program holds is the rest
    half = [(t / 3600, s["own"]) for t, s in series if t >= minutes * 30]
    floors = fit.floors(half, 30) if len(half) >= 60 else []
    slope, band = fit.line(floors)
    return {"floors_kib": [value for _, value in floors], "slope_kib_h": round(slope, 1), "confidence_kib_h": round(band, 1) if band < 1e9 else None, "allowance_kib_h": ALLOWANCE_KIB_H,
            "verdict": "flat" if slope + band <= ALLOWANCE_KIB_H else "not flat" if slope - band > ALLOWANCE_KIB_H else "not shown"}


def figures(arguments, soak, series, rests, cpu):
    oracle, values = soak.oracle, [s for _, s in series]
    out = {"load": f"{os.getloadavg()[1]:.1f}", "minutes": arguments.minutes, "rate": arguments.rate, "seed": arguments.seed, "requests": oracle.total(),
           "results": oracle.total(RESULT), "errors": oracle.total(ERROR), "cut": oracle.total(CUT), "questions": soak.questions,
           "notifications": soak.notices, **soak.shaken,
           "lost": len(oracle.lost), "doubled": len(oracle.doubled), "misdirected": len(oracle.misdirected), "unexpected": len(soak.unexpected),
           "rss_kib": {"first": values[0]["rss"], "last": values[-1]["rss"], "max": max(v["rss"] for v in values)},
           "own_kib": {"first": values[0]["own"], "last": values[-1]["own"], "max": max(v["own"] for v in values)},
           "fds": {"max": max(v["fds"] for v in values), "rest_before": rests[0][0], "rest_after": rests[1][0]},
           "children": {"max": max(v["children"] for v in values), "rest_before": rests[0][1], "rest_after": rests[1][1]},
           "threads": {"max": max(v["threads"] for v in values)}, "gateway_cpu_s": round(cpu, 1),
           "p50_ms": round(quantile([x for s in HEALTHY for x in oracle.latencies[s]], 0.5), 2),
           "p99_ms": round(quantile([x for s in HEALTHY for x in oracle.latencies[s]], 0.99), 2)}
    out.update(verdict(series, arguments.minutes))
    return out


def problems(arguments, soak, told, left, status):
    for name in ("lost", "doubled", "misdirected"):
        if told[name]:
            yield f"{told[name]} {name}: {getattr(soak.oracle, name)[:3]}"
    if soak.unexpected:
        yield f"{len(soak.unexpected)} calls to healthy servers failed: {soak.unexpected[:5]} {soak.oracle.errors.most_common(5)}"
    for name in ("fds", "children"):
        if told[name]["rest_after"] > told[name]["rest_before"]:
            yield f"{name} grew: {told[name]}"
    if left:
        yield f"processes are left: {left}"
    if status != 0:
        yield f"the gateway ended with {status}"
    growth = told["own_kib"]["last"] - told["own_kib"]["first"]
    if arguments.short and growth > SHORT_ALLOWANCE_KIB:
        yield f"memory grew by {growth} KiB"
    if not arguments.short and told["verdict"] == "not flat":
        yield f"memory grows: {told['slope_kib_h']} +- {told['confidence_kib_h']} KiB/h"


ROWS = [("requests", "requests"), ("answered", "results"), ("errors of servers that were killed, replaced or unsure whom to ask", "errors"),
        ("cancelled by the client", "cut"), ("questions answered", "questions"), ("notifications", "notifications"), ("servers killed", "kills"),
        ("reloads", "reloads"), ("command lines", "commands"), ("lost answers", "lost"), ("doubled answers", "doubled"),
        ("misdirected answers", "misdirected"), ("failed calls to healthy servers", "unexpected")]


def write(arguments, told, series):
    minutes = [(t / 60, s) for t, s in series]
    rows = [(label, told.get(key, 0)) for label, key in ROWS]
    rows += [(f"{label} at rest, before and after", f"{told[key]['rest_before']}, {told[key]['rest_after']}")
             for label, key in (("descriptors", "fds"), ("processes", "children"))]
    rows += [("descriptors, highest", told["fds"]["max"]), ("threads, highest", told["threads"]["max"]),
             ("resident memory, highest", f"{told['rss_kib']['max']:,} KiB"),
             ("memory of its own (anonymous pages), first, last and highest",
              ", ".join(f"{told['own_kib'][k]:,}" for k in ("first", "last", "max")) + " KiB"),
             ("its slope in the second half", f"{told['slope_kib_h']} ± {told['confidence_kib_h']} KiB/h"),
             ("verdict", told["verdict"])]
    text = [f"Clients of both eras come and go over HTTP, stdio and the control socket, {arguments.rate:g} requests a second in all. Servers over "
            "stdio, Streamable HTTP and HTTP+SSE are called, cancelled, asked and subscribed to; one is killed again and again, one is replaced by "
            "reloads, one stops when idle. Each answer is compared with the nonce of its request.",
            f"Memory of its own (anonymous pages, not those of files) is *flat* if the upper end of the 95 % confidence of the slope is at most {ALLOWANCE_KIB_H} KiB/h. The slope is the median of "
            "those between all pairs of the lowest values of 30 slices of the second half (Theil and Sen), because a dip of a second while "
            "the allocator gives memory back must not hide growth. At this rate that is about a third of a byte for each request."]
    report.put("soak", title="Soak", order=20, command=f"make soak MINUTES={arguments.minutes:g}", machine=machine.described(),
               date=time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()) + f", load of the machine {told['load']}", text=text,
               columns=["", "value"], rows=rows, image="soak.svg", figures=told)
    fit.plot([(label, unit, [(t, s[key] / by) for t, s in minutes]) for label, unit, key, by in (
        ("resident memory", "MiB", "rss", 1024), ("memory of its own", "MiB", "own", 1024), ("descriptors", "", "fds", 1),
        ("processes below the gateway", "", "children", 1), ("threads", "", "threads", 1))], report.FOLDER / "soak.svg",
        f"mcptools serve, {told['requests']:,} requests in {arguments.minutes:g} minutes: {told['slope_kib_h']} ± {told['confidence_kib_h']} KiB/h")


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--clients", type=int, default=24)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--warm-up", type=float, default=None, help="seconds in front of the run (60; --short: 10)")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    arguments.minutes = arguments.minutes or (60 if not arguments.short else 2 if os.environ.get("CI") else 0.25)
    shake_s = 2 if arguments.short else 5
    peers = Peers(KINDS)
    p = place(peers)
    soak = None
    try:
        await p.start()
        soak = Soak(arguments, p, peers.ports())
        await soak.run(arguments.warm_up or (10 if arguments.short else 60), arguments.clients, 2)
        before = await soak.rest()
        cpu = machine.cpu_s(p.process.pid)
        print(f"soak: {arguments.minutes:g} minutes, seed {arguments.seed}; at rest {before[0]} descriptors, {before[1]} processes", flush=True)
        series = await soak.run(arguments.minutes * 60, arguments.clients, shake_s)
        cpu = machine.cpu_s(p.process.pid) - cpu
        after = await soak.rest(before)
        kinds = machine.descriptor_targets(p.process.pid)
        told = figures(arguments, soak, series, (before, after), cpu)
        status = await p.stop()
        with contextlib.suppress(AssertionError):
            await p.none_left(20)
        left = p.left()
        bad = list(problems(arguments, soak, told, left, status))
        told["failures"] = bad
        print(json.dumps(told, indent=1))
        if arguments.write:
            write(arguments, told, series)
        if bad:
            print("FAILED\n  " + "\n  ".join(bad), kinds, p.log().read_text(errors="replace")[-3000:], sep="\n")
            return 1
        print("ok")
        return 0
    finally:
        if p.process and p.process.poll() is None:
            p.process.kill()
            print(p.log().read_text(errors="replace")[-3000:])
        peers.stop()
        p.remove()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
