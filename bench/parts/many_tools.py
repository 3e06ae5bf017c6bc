"""One server with 1 to 100,000 tools: cost of a call, list from the cache, memory."""

import clients
import growth
import lists
import load
import processes
import targets
from report import Figure

SIZES = (1, 10, 100, 1000, 10000, 100000)
WANTED_CALL = ("≤", 1.1)
LIMITS = {"limits": {"list_wait_s": 600, "page_items": 1000000}}


def start(world, n):
    return targets.gateway(world, f"gateway-{n}", {"s": {"command": world.server, "args": ["--tools", str(n)]}}, LIMITS)


def cost_of_calls(world, options, gateways):
    """{size: CPU µs for a call}, interleaved: the ratio of the first to the last counts."""
    chosen = {n: load.target_of(f"{n} tools", url, pid, clients.SESSION, f"tool{n - 1}") for n, (url, pid) in gateways.items()}
    return {n: found["cpu_us"] for n, found in load.interleaved_on_one_core(world, chosen, options).items()}


def run(world, options):
    gateways = {n: start(world, n) for n in SIZES}
    calls = cost_of_calls(world, options, gateways)
    curves = [growth.Curve(*row) for row in (("CPU time of a call", "µs"), ("list from the cache", "MB/s"),
                                             ("list per CPU second of the gateway", "MB/s"), ("resident memory", "MB"))]
    for n, (url, pid) in gateways.items():
        read = lists.measure(url, pid, options.rounds)
        for curve, value in zip(curves, (calls[n], read["per_s"] / 1e6, read["per_cpu_s"] / 1e6, processes.resident_mb(pid))):
            curve.add(n, value)
    last = SIZES[-1]
    ratio = Figure(f"CPU time of a call with {last} tools, with one tool = 1", calls[last] / calls[1], "×", WANTED_CALL)
    return growth.result(options, "tools", "tools", curves, [ratio])
