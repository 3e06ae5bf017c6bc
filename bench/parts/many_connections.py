"""1 to 1,000 connections of clients, and as many calls at a time on one server over stdio that takes 50 ms for each."""

import functools

import clients
import growth
import load
import rounds
import targets
from report import Figure

SIZES = (1, 10, 100, 1000)
DELAY_MS = 50
ROUNDS_OF_CALLS = 20  # of each connection


def measure(world, options, target, requests_of):
    """{size: medians}"""
    actions = {n: functools.partial(load.measure, world, target, load.Shape(n, requests_of(n), 1), "loadgen") for n in SIZES}
    return {n: rounds.medians(samples) for n, samples in rounds.interleaved(options.rounds, actions).items()}


def gateway(world, name, *more):
    url, pid = targets.gateway(world, name, {"s": {"command": world.echo, "args": ["--tools", "10", *more]}})
    return load.target_of(name, url, pid, clients.SESSION, "tool1")


def run(world, options):
    busy = measure(world, options, gateway(world, "busy"), lambda n: max(n, 4000 if options.short else 40000))
    slow = measure(world, options, gateway(world, "slow", "--delay", str(DELAY_MS)), lambda n: n * ROUNDS_OF_CALLS)
    curves = [growth.Curve(*row) for row in (("CPU time of a call", "µs"), ("calls", "1/s"), ("p50", "µs"), ("p99", "µs"),
                                             (f"CPU time of a call of {DELAY_MS} ms", "µs"), (f"p50 of a call of {DELAY_MS} ms", "ms"))]
    for n in SIZES:
        values = busy[n]["cpu_us"], busy[n]["rps"], busy[n]["p50_us"], busy[n]["p99_us"], slow[n]["cpu_us"], slow[n]["p50_us"] / 1000
        for curve, value in zip(curves, values):
            curve.add(n, value)
    ratio = slow[1000]["p50_us"] / slow[1]["p50_us"]
    return growth.result(options, "connections", "connections", curves, [
        Figure(f"p50 of a call of {DELAY_MS} ms, 1000 at a time on one server, one at a time = 1", ratio, "×")])
