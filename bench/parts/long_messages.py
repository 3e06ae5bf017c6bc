"""Results of 100 bytes to 100 MB: through the gateway, and through two pipes with cat between them."""

import contextlib
import functools
import os
import statistics
import subprocess
import time

import clients
import growth
import rounds
import targets
from report import Figure

SIZES = (100, 1000, 10**4, 10**5, 10**6, 10**7, 10**8)
LAST_SIZE_OF_SHORT = 10**7
WANTED = ("≥", 0.5)
LIMITS = {"limits": {"message_bytes": 256 << 20, "memory_bytes": 4 << 30}}
BUFFER = 1 << 20
AT_LEAST_S = 0.1  # calls of one sample
CALL = {"name": "tool1", "arguments": {}}


class Pipes:
    """A client of MCP on the pipes of a process."""

    def __init__(self, stack, command, stdin, stdout):
        self.process = subprocess.Popen(command, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL)
        stack.callback(self.process.wait)
        stack.callback(self.process.terminate)

    def use(self, to, source):
        self.to, self.source, self.buffer = to, source, memoryview(bytearray(BUFFER))
        self.send(clients.message(clients.SESSION, "initialize", clients.INFO, 1))
        self.read_line()
        self.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        self.send(clients.message(clients.SESSION, "tools/list", {}, 1))
        self.read_line()
        return self

    def send(self, text):
        os.write(self.to, text.encode() + b"\n")

    def read_line(self):
        """Returns the length of the line, the only one under way."""
        total = 0
        while True:
            n = os.readv(self.source, [self.buffer])
            if not n:
                raise RuntimeError("the process has ended")
            total += n
            if self.buffer[n - 1] == 10:
                return total

    def call(self):
        self.send(clients.message(clients.SESSION, "tools/call", CALL, 1))
        return self.read_line()


def server_command(world, size):
    return [world.server, "--bytes", str(size)]


def by_cat(world, size):
    """Server, pipe, cat, pipe, client. The request goes to the server at once."""
    server = Pipes(world.stack, server_command(world, size), subprocess.PIPE, subprocess.PIPE)
    cat = Pipes(world.stack, ["cat"], server.process.stdout, subprocess.PIPE)
    return cat.use(server.process.stdin.fileno(), cat.process.stdout.fileno()).call


def config_for(world, name, size):
    return targets.write_config(world, name, {"s": {"command": world.server, "args": ["--bytes", str(size)]}}, LIMITS)


def by_gateway(world, size):
    command = [world.mcptools, "serve", "--stdio", "--config", config_for(world, f"stdio-{size}", size)]
    gateway = Pipes(world.stack, command, subprocess.PIPE, subprocess.PIPE)
    return gateway.use(gateway.process.stdin.fileno(), gateway.process.stdout.fileno()).call


def by_http(world, size):
    url, _ = targets.gateway(world, f"http-{size}", {"s": {"command": world.server, "args": ["--bytes", str(size)]}}, LIMITS)
    client, buffer = clients.Client(url), memoryview(bytearray(BUFFER))
    body = clients.message(clients.SESSION, "tools/call", CALL, 1)
    headers = {**clients.headers(clients.SESSION, None), **client.session}

    def call():
        client.connection.request("POST", client.parts.path, body, headers)
        answer, total = client.connection.getresponse(), 0
        while n := answer.readinto(buffer):
            total += n
        return total
    return call


WAYS = {"cat between two pipes": by_cat, "gateway, stdio": by_gateway, "gateway, HTTP": by_http}


def time_us(call, size):
    """Returns how many µs one call takes, mean of as many as fit into AT_LEAST_S."""
    begin, n = time.perf_counter(), 0
    while not n or time.perf_counter() - begin < AT_LEAST_S:
        if call() < size:
            raise RuntimeError("the result is short")
        n += 1
    return (time.perf_counter() - begin) * 1e6 / n


def run(world, options):
    curves = {way: growth.Curve(way, "µs", panel="time of a call") for way in WAYS}
    sizes = [size for size in SIZES if not options.short or size <= LAST_SIZE_OF_SHORT]
    for size in sizes:
        with contextlib.ExitStack() as stack:
            own = targets.sub_world(world, stack)
            actions = {way: functools.partial(time_us, start(own, size), size) for way, start in WAYS.items()}
            for way, samples in rounds.interleaved(options.rounds, actions).items():
                curves[way].add(size, statistics.median(samples))
    last = {way: dict(curve.points)[sizes[-1]] for way, curve in curves.items()}
    cat = last["cat between two pipes"]
    figures = [Figure(f"bytes per second of a result of {sizes[-1] / 1e6:.0f} MB, {way}, cat = 1", cat / last[way], "×",
                      WANTED if way == "gateway, stdio" else None) for way in WAYS if last[way] != cat]
    return growth.result(options, "payload", "bytes of a result", list(curves.values()), figures)
