"""1 to 1,000 servers with ten tools each: start, memory, cost of a call; memory and merged list with 100,000 tools."""

import time

import clients
import growth
import lists
import load
import processes
import targets
from report import Figure

SIZES = (1, 10, 100, 1000)
SHORT_SIZES = (1, 10, 100)
TOOLS = 10
WANTED_MB = {100: ("≤", 10), 1000: ("≤", 64)}  # with 1,000 and 100,000 tools
WANTED_GB = ("≥", 1)
MORE_TOOLS = 100  # of each of 1,000 servers
LIMITS = {"limits": {"parallel_starts": 16, "list_wait_s": 600, "start_timeout_s": 600, "page_items": 1000000}}


def start(world, n_servers, n_tools):
    """Returns the URL and pid of a gateway whose tools are listed, and how many ms that took."""
    servers = {f"s{i:04}": {"command": world.server, "args": ["--tools", str(n_tools)]} for i in range(n_servers)}
    begin = time.perf_counter()
    url, pid = targets.gateway(world, f"gateway-{n_servers}-{n_tools}", servers, LIMITS)
    targets.wait_until_connected(url, n_servers)
    return url, pid, (time.perf_counter() - begin) * 1000


def run(world, options):
    curves = {name: growth.Curve(name, unit) for name, unit in (
        ("start until all are listed", "ms"), ("resident memory", "MB"), ("CPU time of a call", "µs"))}
    figures = []
    for n in SHORT_SIZES if options.short else SIZES:
        url, pid, start_ms = start(world, n, TOOLS)
        mb = processes.resident_mb(pid)
        tool = "tool1" if n == 1 else "s0000__tool1"
        call_us = load.call_us(world, load.target_of("gateway", url, pid, clients.SESSION, tool), options)
        for curve, value in zip(curves.values(), (start_ms, mb, call_us)):
            curve.add(n, value)
        if n == 100:
            figures.append(Figure(f"resident memory with {n} servers, {n * TOOLS} tools", mb, "MB", WANTED_MB[n]))
        processes.stop(pid)
    if not options.short:
        figures += with_all_tools(world, options)
    return growth.result(options, "servers", "servers", list(curves.values()), figures)


def with_all_tools(world, options):
    url, pid, _ = start(world, 1000, MORE_TOOLS)
    yield Figure("resident memory with 1000 servers, 100000 tools", processes.resident_mb(pid), "MB", WANTED_MB[1000])
    read = lists.measure(url, pid, options.rounds)
    name = f"merged list of 100000 tools ({read['length'] / 1e6:.1f} MB) from the cache"
    yield Figure(name, read["per_s"] / 1e9, "GB/s", WANTED_GB)
    yield Figure(f"{name}, per CPU second of the gateway", read["per_cpu_s"] / 1e9, "GB/s")
    yield Figure("resident memory after the lists", processes.resident_mb(pid), "MB")
