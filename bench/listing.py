#!/usr/bin/env python3
"""One list of all servers' resources through a resource tool, against the slowest server asked directly.

The servers that announce changes are answered for from memory, the others are asked; both gateways and the servers
themselves run side by side, and take turns. Wanted: at most twice the slowest server's own time and 20 ms more.
"""

import argparse
import contextlib
import http.client
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import processes

HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
FACTOR, SLACK_MS = 2, 20


def request(method, params, id):
    return json.dumps({"jsonrpc": "2.0", "id": id, "method": method, "params": params})


class Direct:
    """A server on our own pipes."""

    def __init__(self, stack, command):
        self.process = stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        stack.callback(self.process.stdin.close)
        self.ask("initialize", CLIENT)

    def ask(self, method, params):
        self.process.stdin.write(request(method, params, 1).encode() + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def time_ms(self):
        begin = time.perf_counter()
        answer = self.ask("resources/list", {})
        took = (time.perf_counter() - begin) * 1000
        return took, len(json.loads(answer)["result"]["resources"])


class Gateway:
    """All servers behind one endpoint."""

    def __init__(self, stack, name, arguments, more, directory):
        port = processes.free_ports(1)[0]
        config = directory / f"{name}.json"
        entries = {f"s{i:03}": {"command": arguments.server, "args": server_options(arguments, i) + more}
                   for i in range(arguments.servers)}
        config.write_text(json.dumps({"mcpServers": entries, "mcptools": {"serve": {"dialects": ["nexo", "codex"]}}}))
        log = directory / f"{name}.log"
        self.process = processes.start(stack, [arguments.mcptools, "serve", "--http", f"127.0.0.1:{port}", "--config",
                                             str(config)], log)
        processes.wait_until_up(self.process, f"http://127.0.0.1:{port}/mcp", log)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        stack.callback(self.connection.close)
        self.headers = dict(HEADERS)
        self.headers["Mcp-Session-Id"] = self.post(request("initialize", CLIENT, 1))[0]["Mcp-Session-Id"]
        self.post('{"jsonrpc":"2.0","method":"notifications/initialized"}')
        while self.get("/readyz") != 200:
            time.sleep(0.05)

    def get(self, path):
        self.connection.request("GET", path)
        answer = self.connection.getresponse()
        answer.read()
        return answer.status

    def post(self, body):
        self.connection.request("POST", "/mcp", body, self.headers)
        answer = self.connection.getresponse()
        return answer.headers, answer.read()

    def time_ms(self, tool, arguments):
        body = request("tools/call", {"name": tool, "arguments": arguments}, 1)
        begin = time.perf_counter()
        answer = self.post(body)[1]
        took = (time.perf_counter() - begin) * 1000
        text = json.loads(json.loads(answer)["result"]["content"][0]["text"])
        return took, len(text["resources"])


def server_options(arguments, i):
    return ["--tools", "0", "--resources", str(arguments.resources), "--name", f"s{i:03}", "--list-delay", str(arguments.delay)]


def measure(arguments, stack, directory):
    """Rounds of (slowest server, {(gateway, tool): ms}); every answer is whole, or this fails."""
    direct = [Direct(stack, [arguments.server, *server_options(arguments, i)]) for i in range(arguments.servers)]
    gateways = {name: Gateway(stack, name, arguments, more, directory)
                for name, more in (("from memory", ["--announce"]), ("asked live", []))}
    tools = {"ListMcpResources": {"max": 10000}, "list_mcp_resources": {}}
    rounds = []
    for n in range(arguments.rounds + 1):
        times = [d.time_ms() for d in direct]
        sample = {(g, tool): gateways[g].time_ms(tool, args) for tool, args in tools.items() for g in gateways}
        counts = [count for _, count in times] + [0]
        whole = min(sum(counts), 10000)
        wrong = {k: count for k, (_, count) in sample.items() if count != whole}
        if wrong:
            raise RuntimeError(f"{wrong} of {whole} resources came")
        if n: # the first warms up
            rounds.append((max(ms for ms, _ in times), {k: ms for k, (ms, _) in sample.items()}))
    return rounds


def report(arguments, rounds):
    slowest = statistics.median(slow for slow, _ in rounds)
    limit = FACTOR * slowest + SLACK_MS
    print(f"{arguments.servers} servers x {arguments.resources} resources, median of {len(rounds)}: the slowest server alone "
          f"{slowest:.2f} ms, so that a list of all may take {limit:.1f} ms")
    over = 0
    for key in rounds[0][1]:
        took = statistics.median(sample[key] for _, sample in rounds)
        over += took > limit
        print(f"  {key[1]}, {key[0]}: {took:.1f} ms, {took / limit:.2f} of that")
    return 1 if over else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--mcptools", required=True)
    parser.add_argument("--server", required=True, help="the test server")
    parser.add_argument("--servers", type=int, default=100)
    parser.add_argument("--resources", type=int, default=100)
    parser.add_argument("--delay", type=int, default=0, help="ms each server takes for its list")
    parser.add_argument("--rounds", type=int, default=21)
    arguments = parser.parse_args()
    with contextlib.ExitStack() as stack:
        directory = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-")))
        return report(arguments, measure(arguments, stack, directory))


if __name__ == "__main__":
    sys.exit(main())
