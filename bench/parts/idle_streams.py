"""Sessions with an idle event stream, up to 10,000: memory of each, and what they cost a call of another client."""

import resource
import socket
import urllib.parse

import clients
import growth
import load
import processes
import targets
from report import Figure

SIZES = (100, 1000, 10000)
SHORT_SIZES = (100, 1000)
WANTED_KIB = ("≤", 1.5)
HEADERS = "Host: 127.0.0.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in clients.COMMON.items())
INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'


def exchange(connection, method, more="", body=""):
    """Sends one request. Returns the head of the answer and what followed at once."""
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    connection.sendall(f"{method} /mcp HTTP/1.1\r\n{HEADERS}{more}{length}\r\n{body}".encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        chunk = connection.recv(65536)
        if not chunk:
            raise RuntimeError(f"closed after {answer!r}")
        answer += chunk
    return answer.decode()


def open_stream(port):
    """A session with its event stream, all on one connection."""
    connection = socket.create_connection((targets.LOCAL, port), timeout=load.LIMIT_S)
    answer = exchange(connection, "POST", body=clients.message(clients.SESSION, "initialize", clients.INFO, 1))
    session = next(line for line in answer.split("\r\n") if line.lower().startswith("mcp-session-id:")) + "\r\n"
    exchange(connection, "POST", session, INITIALIZED)
    if " 200 " not in exchange(connection, "GET", session):
        raise RuntimeError("no stream")
    return connection


def gateway(world, name):
    url, pid = targets.gateway(world, name, {"s": {"command": world.echo, "args": ["--tools", "10"]}})
    return load.target_of(name, url, pid, clients.SESSION, "tool1")


def run(world, options):
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    chosen = {name: gateway(world, name) for name in ("quiet", "crowded")}
    crowded = chosen["crowded"]
    load.interleaved_on_one_core(world, chosen, options)  # both have worked
    memory, calls = growth.Curve("memory of all streams", "KiB"), growth.Curve("CPU time of a call beside them", "µs")
    streams, before = [], processes.memory_kib(crowded.pid)["Rss"]
    for size in SHORT_SIZES if options.short else SIZES:
        streams += [open_stream(urllib.parse.urlsplit(crowded.url).port) for _ in range(size - len(streams))]
        memory.add(size, max(processes.memory_kib(crowded.pid)["Rss"] - before, 1))
        found = load.interleaved_on_one_core(world, chosen, options)
        calls.add(size, found["crowded"]["cpu_us"])
    for stream in streams:
        stream.close()
    size, kib = memory.points[-1]
    return growth.result(options, "streams", "idle event streams", [memory, calls], [
        Figure(f"memory of an idle event stream, {size} of them", kib / size, "KiB", WANTED_KIB),
        Figure("CPU time of a call beside them, without them = 1", found["crowded"]["cpu_us"] / found["quiet"]["cpu_us"], "×"),
        Figure("p50 of a call beside them, without them = 1", found["crowded"]["p50_us"] / found["quiet"]["p50_us"], "×")])
