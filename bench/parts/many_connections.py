"""1 to 1,000 connections of clients, and as many calls at a time on one server over stdio that takes 50 ms for each."""

import functools

import clients
import growth
import load
import processes
import rounds
import targets
from report import Figure

SIZES = (1, 10, 100, 1000)
DELAY_MS = 50
ROUNDS_OF_CALLS = 20  # of each connection


def measure(world, options, target, requests_of):
    """{size: medians}"""
    shapes = {n: load.Shape(n, requests_of(n), 1) for n in SIZES}
    actions = {n: functools.partial(load.measure, world, target, shape, "loadgen") for n, shape in shapes.items()}
    with processes.on_one_core():  # as with one connection, so that what grows is due to the connections
        return {n: rounds.medians(samples) for n, samples in rounds.interleaved(options.rounds, actions).items()}


def gateway(world, name, *more):
    url, pid = targets.gateway(world, name, {"s": {"command": world.echo, "args": ["--tools", "10", *more]}})
    return load.target_of(name, url, pid, clients.SESSION, "tool1")


def run(world, options):
    busy = measure(world, options, gateway(world, "busy"), lambda n: max(n, 4000 if options.short else 40000))
    slow = measure(world, options, gateway(world, "slow", "--delay", str(DELAY_MS)), lambda n: n * ROUNDS_OF_CALLS)
    values = {
        ("CPU time of a call", "µs"): [busy[n]["cpu_us"] for n in SIZES],
        ("calls", "1/s"): [busy[n]["rps"] for n in SIZES],
        ("p50", "µs"): [busy[n]["p50_us"] for n in SIZES],
        ("p99", "µs"): [busy[n]["p99_us"] for n in SIZES],
        (f"CPU time of a call of {DELAY_MS} ms", "µs"): [slow[n]["cpu_us"] for n in SIZES],
        (f"p50 of a call of {DELAY_MS} ms", "ms"): [slow[n]["p50_us"] / 1000 for n in SIZES],
    }
    curves = [growth.Curve(name, unit, list(zip(SIZES, column))) for (name, unit), column in values.items()]
    ratio = slow[1000]["p50_us"] / slow[1]["p50_us"]
    return growth.result(options, "connections", "connections", curves, [
        Figure(f"p50 of a call of {DELAY_MS} ms, 1000 at a time on one server, one at a time = 1", ratio, "×")])
