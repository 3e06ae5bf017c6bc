"""Servers over stdio, which speak a handshake revision: both kinds of client; nginx as the proxy of an nginx with a constant."""

import clients
import compare
import load
import targets
from report import Result

WANTED = {clients.SESSION: ("≥", 1.6), clients.STATELESS: ("≥", 1.4)}
WANTED_P50 = ("≤", 12)
PROXY = "nginx → nginx constant"


def all_targets(world):
    url, pid = targets.nginx(world, "constant")
    yield load.target_of(compare.CONSTANT, url, pid, clients.SESSION, "tool1", session=False)
    backend, _ = targets.nginx(world, "backend")
    url, pid = targets.nginx_proxy(world, "proxy", backend.split(":")[2].split("/")[0])
    yield load.target_of(PROXY, url, pid, clients.SESSION, "tool1", session=False)
    url, pid = targets.gateway(world, "gateway", {"s": {"command": world.echo, "args": ["--tools", "10"]}})
    for kind in WANTED:
        yield load.target_of(f"{kind} client → stdio", url, pid, kind, "tool1")


def run(world, options):
    chosen = list(all_targets(world))
    names = [t.name for t in chosen if t.name != compare.CONSTANT]
    comparison = compare.Comparison(world, chosen, dict.fromkeys(names, PROXY), options)
    figures = []
    for kind, wanted in WANTED.items():
        name = f"{kind} client → stdio"
        figures += [comparison.ratio_figure(name, wanted), comparison.p50_figure(name, compare.CONSTANT, WANTED_P50)]
    return Result(figures, [comparison.table()])
