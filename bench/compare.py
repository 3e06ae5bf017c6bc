"""Load with one connection and with many on several targets in one run: medians, and comparisons with a proxy."""

import contextlib
import functools

import load
import processes
import rounds
from report import Figure, Table

MANY, ONE = 64, 1
FULL = (load.Shape(MANY, 40000, 2), load.Shape(ONE, 10000, 2))
SHORT = (load.Shape(MANY, 4000, 1), load.Shape(ONE, 2000, 1))
CONSTANT = "nginx constant"
COLUMNS = ["target", "requests per CPU second, wrk", "loadgen", "× proxy, wrk", "loadgen", "p50 µs, one connection, loadgen", "wrk",
           "p50 over nginx constant", "requests/s, 64 connections, wrk"]


class Comparison:
    """Medians of all targets. `proxies` names the proxy that each target is compared with."""

    def __init__(self, world, targets, proxies, options):
        self.targets, self.proxies, self.found = targets, proxies, {}
        for shape in SHORT if options.short else FULL:
            actions = {(t.name, generator, shape.connections): functools.partial(load.measure, world, t, shape, generator)
                       for t in targets for generator in load.GENERATORS}
            with processes.on_one_core() if shape.connections == ONE else contextlib.nullcontext():
                samples = rounds.interleaved(options.rounds, actions)
            self.found.update({key: rounds.medians(one) for key, one in samples.items()})

    def cpu_us(self, name, generator="wrk"):
        return self.found[name, generator, MANY]["cpu_us"]

    def ratio(self, name, generator="wrk"):
        """How many times the requests per CPU second of its proxy the target handles."""
        return self.cpu_us(self.proxies[name], generator) / self.cpu_us(name, generator)

    def p50_us(self, name, generator="loadgen"):
        return self.found[name, generator, ONE]["p50_us"]

    def ratio_figure(self, name, wanted):
        return Figure(f"{name}: requests per CPU second, {self.proxies[name]} = 1", self.ratio(name), "×", wanted)

    def p50_figure(self, name, other, wanted):
        return Figure(f"{name}: p50 with one connection, more than {other}", self.p50_us(name) - self.p50_us(other), "µs", wanted)

    def row(self, name):
        ratios = [f"{self.ratio(name, g):.2f}" if name in self.proxies else "" for g in load.GENERATORS]
        return [name, *(f"{1e6 / self.cpu_us(name, g):.0f}" for g in load.GENERATORS), *ratios,
                f"{self.p50_us(name):.1f}", f"{self.p50_us(name, 'wrk'):.0f}", f"{self.p50_us(name) - self.p50_us(CONSTANT):+.1f}",
                f"{self.found[name, 'wrk', MANY]['rps']:.0f}"]

    def table(self):
        return Table(COLUMNS, [self.row(t.name) for t in self.targets])
