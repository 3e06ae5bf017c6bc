"""Servers with a URL: both kinds of client, servers of both eras; nginx and HAProxy in front of the same server."""

import clients
import compare
import load
import targets
from report import Result

WANTED = {False: ("≥", 0.9), True: ("≥", 0.8)}
WANTED_P50 = ("≤", 15)
ERAS = {"2025-11-25": [], "2026-07-28": ["--stateless"]}
KIND_OF = {"2025-11-25": clients.SESSION, "2026-07-28": clients.STATELESS}
TOOL = "tool1"


def proxies(world, era, port, authority):
    """nginx and HAProxy get the requests of the kind of client that the server knows."""
    kind = KIND_OF[era]
    for name, proxy in (("nginx", targets.nginx_proxy), ("haproxy", targets.haproxy)):
        url, pid = proxy(world, f"{name}-{era}", port, authority)
        yield load.target_of(f"{name} → {era}", url, pid, kind, TOOL)


def gateways(world, era, port, authority):
    scheme, environment = ("https", {"SSL_CERT_FILE": str(authority)}) if authority else ("http", {})
    url, pid = targets.gateway(world, f"gateway-{era}", {"s": {"url": f"{scheme}://{targets.LOCAL}:{port}/mcp", "type": "http"}},
                               environment=environment)
    for kind in (clients.SESSION, clients.STATELESS):
        yield load.target_of(f"{kind} client → {era}", url, pid, kind, TOOL)


def all_targets(world, tls):
    """nginx with a constant, and for each era of server: nginx, HAProxy, and the gateway with both kinds of client."""
    authority = targets.certificates(world.new_folder("ca")) if tls else None
    url, pid = targets.nginx(world, "constant")
    yield load.target_of(compare.CONSTANT, url, pid, clients.SESSION, TOOL, session=False)
    for era, options in ERAS.items():
        port = targets.http_server(world, f"server-{era}", *options)
        if tls:
            port = targets.tls_in_front(world, f"tls-{era}", port, authority)
        yield from proxies(world, era, port, authority)
        yield from gateways(world, era, port, authority)


def figures_of(comparison, era, tls):
    for kind in (clients.SESSION, clients.STATELESS):
        name = f"{kind} client → {era}"
        yield comparison.ratio_figure(name, WANTED[tls])
        if not tls:
            yield comparison.p50_figure(name, f"nginx → {era}", WANTED_P50)


def run(world, options, tls=False):
    chosen = list(all_targets(world, tls))
    proxies = {t.name: f"nginx → {era}" for era in ERAS for t in chosen if t.name.endswith(f" → {era}")}
    comparison = compare.Comparison(world, chosen, proxies, options)
    return Result([figure for era in ERAS for figure in figures_of(comparison, era, tls)], [comparison.table()])


def run_tls(world, options):
    return run(world, options, tls=True)
