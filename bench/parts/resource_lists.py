"""One list of the resources of 100 servers through a resource tool, against the slowest server asked directly.

Servers that announce changes are answered for from memory, the others are asked. Both gateways and the servers themselves
take turns."""

import json
import statistics
import subprocess
import time

import clients
import targets
from report import Figure, Result

SERVERS, RESOURCES = 100, 100
FACTOR, SLACK_MS = 2, 20  # a list may take FACTOR times the slowest server's own time, and SLACK_MS
TOOLS = {"ListMcpResources": {"max": 10000}, "list_mcp_resources": {}}
KINDS = {"from memory": ["--announce"], "asked live": []}


class Direct:
    """A server on our own pipes."""

    def __init__(self, world, number):
        command = [world.echo, *arguments_of(number)]
        self.process = world.stack.enter_context(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        world.stack.callback(self.process.stdin.close)
        self.ask("initialize", clients.INFO)

    def ask(self, method, params):
        self.process.stdin.write(clients.message(clients.SESSION, method, params, 1).encode() + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()

    def time_ms(self):
        begin = time.perf_counter()
        answer = self.ask("resources/list", {})
        return (time.perf_counter() - begin) * 1000, len(json.loads(answer)["result"]["resources"])


def arguments_of(number):
    return ["--tools", "0", "--resources", str(RESOURCES), "--name", f"s{number:03}"]


def gateway(world, name, more):
    servers = {f"s{i:03}": {"command": world.echo, "args": arguments_of(i) + more} for i in range(SERVERS)}
    url, _ = targets.gateway(world, name.replace(" ", "-"), servers, {"serve": {"dialects": ["nexo", "codex"]}})
    targets.wait_until_connected(url, SERVERS)
    return clients.Client(url)


def listed_ms(client, tool, arguments):
    begin = time.perf_counter()
    answer = client.request("tools/call", {"name": tool, "arguments": arguments})
    took = (time.perf_counter() - begin) * 1000
    return took, len(json.loads(json.loads(answer)["result"]["content"][0]["text"])["resources"])


def one_round(direct, gateways):
    """(ms of the slowest server, {(tool, kind): ms}); every list is whole."""
    times = [server.time_ms() for server in direct]
    whole = sum(n for _, n in times)
    took = {}
    for tool, arguments in TOOLS.items():
        for kind, client in gateways.items():
            took[tool, kind], n = listed_ms(client, tool, arguments)
            if n != whole:
                raise RuntimeError(f"{tool}, {kind}: {n} of {whole} resources came")
    return max(ms for ms, _ in times), took


def run(world, options):
    direct = [Direct(world, i) for i in range(SERVERS)]
    gateways = {kind: gateway(world, kind, more) for kind, more in KINDS.items()}
    one_round(direct, gateways)  # warms up
    found = [one_round(direct, gateways) for _ in range(4 * options.rounds)]
    slowest = statistics.median(slow for slow, _ in found)
    wanted = ("≤", FACTOR * slowest + SLACK_MS)
    figures = [Figure(f"{tool}, {kind}", statistics.median(took[tool, kind] for _, took in found), "ms", wanted)
               for tool, kind in found[0][1]]
    return Result([Figure("the slowest server, asked directly", slowest, "ms"), *figures],
                  notes=[f"{SERVERS} servers with {RESOURCES} resources each. A list may take {FACTOR} times the time of the slowest "
                         f"server and {SLACK_MS} ms."])
