#!/usr/bin/env python3
"""What idle event-stream clients cost: memory of each, and what they do to a call of somebody else."""

import argparse
import contextlib
import json
import pathlib
import resource
import shlex
import socket
import statistics
import subprocess
import sys
import tempfile

import processes

HEADERS = "Host: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
INITIALIZE = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "idle", "version": "1"}}})
INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
BYTES_LIMIT = 2048


def exchange(sock, method, more="", body=""):
    """Send one request; return the head of the answer and what followed at once."""
    length = f"Content-Length: {len(body)}\r\n" if body else ""
    sock.sendall(f"{method} /mcp HTTP/1.1\r\n{HEADERS}{more}{length}\r\n{body}".encode())
    answer = b""
    while b"\r\n\r\n" not in answer:
        chunk = sock.recv(65536)
        if not chunk:
            raise RuntimeError(f"closed after {answer!r}")
        answer += chunk
    return answer.decode()


def open_client(port):
    """A session with its GET stream, all on one connection."""
    sock = socket.create_connection(("127.0.0.1", port), timeout=30)
    answer = exchange(sock, "POST", body=INITIALIZE)
    session = next(line for line in answer.split("\r\n") if line.lower().startswith("mcp-session-id:")) + "\r\n"
    exchange(sock, "POST", session, INITIALIZED)
    if " 200 " not in exchange(sock, "GET", session):
        raise RuntimeError("no stream")
    return sock


def resident_kib(pid):
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def start(stack, command, directory, name):
    port = processes.free_ports(1)[0]
    log = directory / f"{name}.log"
    process = processes.start(stack, shlex.split(command.replace("@PORT@", str(port))), log)
    url = f"http://127.0.0.1:{port}/mcp"
    processes.wait_until_up(process, url, log)
    return process, port, url


def load(arguments, process, url):
    command = [arguments.loadgen, "--url", url, "--clients", "1", "--requests", str(arguments.requests),
               "--warmup", "200", "--body", arguments.body, "--expect", '"result"', "--session", "--pid", str(process.pid)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=300)
    sample = json.loads(done.stdout)
    return sample["p50_us"], sample["p99_us"], sample["cpu_us_by_pid"][str(process.pid)]


def measure(arguments, stack, directory):
    quiet = start(stack, arguments.gateway, directory, "quiet")
    crowded = start(stack, arguments.gateway, directory, "crowded")
    for process, _, url in (quiet, crowded):
        load(arguments, process, url)
    before = resident_kib(crowded[0].pid)
    idle = [open_client(crowded[1]) for _ in range(arguments.clients)]
    after = resident_kib(crowded[0].pid)
    samples = {"quiet": [], "crowded": []}
    for _ in range(arguments.rounds):
        for name, (process, _, url) in (("quiet", quiet), ("crowded", crowded)):
            samples[name].append(load(arguments, process, url))
    later = resident_kib(crowded[0].pid)
    for sock in idle:
        sock.close()
    return before, after, later, samples


def report(arguments, before, after, later, samples):
    each = (after - before) * 1024 / arguments.clients
    print(f"{arguments.clients} idle clients with a stream: {each:.0f} bytes each (Rss {before} -> {after} KiB, "
          f"{later} KiB under load), limit {BYTES_LIMIT}")
    for column, what in enumerate(("p50", "p99", "CPU of the gateway per call")):
        quiet, crowded = (statistics.median(s[column] for s in samples[name]) for name in ("quiet", "crowded"))
        print(f"  {what}: {quiet:.1f} us alone, {crowded:.1f} us beside them, ratio {crowded / quiet:.2f}")
    return 0 if each < BYTES_LIMIT else 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gateway", required=True, metavar="COMMAND", help="@PORT@ stands for its port")
    parser.add_argument("--loadgen", required=True)
    parser.add_argument("--body", required=True, help="as for loadgen")
    parser.add_argument("--clients", type=int, default=5000)
    parser.add_argument("--requests", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with contextlib.ExitStack() as stack:
        directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        return report(arguments, *measure(arguments, stack, directory))


if __name__ == "__main__":
    sys.exit(main())
