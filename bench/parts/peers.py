"""Gateways from npm in front of the same server over stdio: CPU time per call, and memory, as multiples of ours."""

import contextlib
import functools
import time
import urllib.error
import urllib.request

import clients
import load
import processes
import rounds
import targets
from report import Figure, Result, Table

FOLDER = targets.CONF.parent / "peers"
OURS = "mcptools"
WANTED = ("≥", 40)
ARGUMENTS = ["--tools", "10"]
COLUMNS = ["gateway", "CPU µs per call", "calls/s, 64 connections", "p50 µs, one connection", "MB resident at the start",
           "after the load", "MB unshared after the load"]
NOTE = "`mcp-hub` answers calls through its own API, not as MCP."
ONE = load.Shape(1, 0, 2)
MANY = load.Shape(64, 0, 3)


def by_session(name, url, pid):
    return load.target_of(name, url, pid, clients.SESSION, "tool1")


def node():
    """The Node that npm brought; else that of the system."""
    return next(FOLDER.glob("node_modules/node-linux-*/bin/node"), "node")


def start(world, name, url, *arguments):
    command = [node(), FOLDER / "node_modules/.bin" / name, *arguments]
    log = world.folder / f"{name}.log"
    process = processes.start(world.stack, command, log)
    processes.wait_until_up(process, url, log)
    return process.pid


def ours(world):
    return by_session(OURS, *targets.gateway(world, "gateway", {"s": {"command": world.echo, "args": ARGUMENTS}}))


def supergateway(world):
    port = str(processes.free_ports(1)[0])
    url = f"http://{targets.LOCAL}:{port}/mcp"
    return by_session("supergateway", url, start(
        world, "supergateway", url, "--stdio", " ".join([world.echo, *ARGUMENTS]), "--outputTransport", "streamableHttp",
        "--stateful", "--logLevel", "none", "--port", port))


def mcp_proxy(world):
    port = str(processes.free_ports(1)[0])
    url = f"http://{targets.LOCAL}:{port}/mcp"
    return by_session("mcp-proxy", url, start(
        world, "mcp-proxy", url, "--host", targets.LOCAL, "--port", port, "--server", "stream", "--", world.echo, *ARGUMENTS))


def mcp_hub(world):
    """Its endpoint for MCP answers on another connection, so its own API is asked for the same call."""
    port = str(processes.free_ports(1)[0])
    config = targets.write_config(world, "mcp-hub", {"s": {"command": world.echo, "args": ARGUMENTS}})
    url = f"http://{targets.LOCAL}:{port}/api/servers/tools"
    pid = start(world, "mcp-hub", url, "--port", port, "--config", config)
    body = clients.text_of({"server_name": "s", "tool": "tool1", "arguments": {"text": clients.TEXT, "n": clients.ID}})
    target = load.Target("mcp-hub", url, pid, clients.COMMON, body)
    while b"structuredContent" not in post(target):  # the hub answers before its server is connected
        time.sleep(0.1)
    return target


def post(target):
    request = urllib.request.Request(target.url, target.body.replace("@ID@", "1").encode(), target.headers)
    with contextlib.suppress(urllib.error.HTTPError), urllib.request.urlopen(request, timeout=load.LIMIT_S) as answer:
        return answer.read()
    return b""


ALL = [ours, supergateway, mcp_proxy, mcp_hub]


def installed():
    if not (FOLDER / "node_modules").is_dir():
        raise RuntimeError(f"{FOLDER / 'node_modules'} is missing: tools/setup bench installs it")


def unshared(kib):
    return kib["Private_Clean"] + kib["Private_Dirty"]


def figures_of(name, many, memory):
    yield Figure(f"{name}: CPU time per call, {OURS} = 1", many[name]["cpu_us"] / many[OURS]["cpu_us"], "×", WANTED)
    yield Figure(f"{name}: resident memory, {OURS} = 1", memory[name]["Rss"] / memory[OURS]["Rss"], "×", WANTED)
    yield Figure(f"{name}: unshared memory, {OURS} = 1", unshared(memory[name]) / unshared(memory[OURS]), "×")


def run(world, options):
    installed()
    chosen = [start_target(world) for start_target in ALL]
    def measure(shape):
        actions = {t.name: functools.partial(load.measure, world, t, shape, "wrk") for t in chosen}
        return {name: rounds.medians(samples) for name, samples in rounds.interleaved(options.rounds, actions).items()}

    started = {t.name: processes.memory_kib(t.pid) for t in chosen}
    many = measure(MANY)
    with processes.on_one_core():
        one = measure(ONE)
    later = {t.name: processes.memory_kib(t.pid) for t in chosen}
    rows = [[n, f"{many[n]['cpu_us']:.1f}", f"{many[n]['rps']:.0f}", f"{one[n]['p50_us']:.0f}",
             *(f"{kib * 1024 / 1e6:.1f}" for kib in (started[n]["Rss"], later[n]["Rss"], unshared(later[n])))] for n in many]
    figures = [figure for name in many if name != OURS for figure in figures_of(name, many, later)]
    return Result(figures, [Table(COLUMNS, rows)], notes=[NOTE])
