"""A well-behaved client beside the faults, in a process of its own: calls healthy servers and notes how long it takes.

usage: probe.py PORT TOKEN RATE SERVER…; each line on stdin begins a phase of that name. At the end of stdin prints
{PHASE: {"calls", "failed": […], "p50", "p99", "max"}}, times in ms.
"""

import http.client
import json
import pathlib
import subprocess
import sys
import threading
import time

from oracle import quantile

IS_PROGRAM = __name__ == "__main__"
PORT, TOKEN, RATE, SERVERS = (int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[4:]) if IS_PROGRAM else (0, "", 1.0, [])
HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", "Authorization": f"Bearer {TOKEN}"}
phases, phase, over = {}, "start", threading.Event()


class Session:
    def __init__(self):
        self.connection, self.headers, self.n = http.client.HTTPConnection("127.0.0.1", PORT, timeout=120), dict(HEADERS), 0
        answer, _ = self.post("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "probe", "version": "1"}})
        self.headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]

    def post(self, method, params):
        self.n += 1
        self.connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": self.n, "method": method, "params": params}), self.headers)
        answer = self.connection.getresponse()
        return answer, answer.read()

    def call(self, server):
        """None, or what is wrong with the answer."""
        nonce = f"probe-{server}-{self.n}"
        answer, body = self.post("tools/call", {"name": f"{server}__echo", "arguments": {"nonce": nonce}})
        if answer.status != 200 or nonce.encode() not in body or b'"isError":true' in body:
            return f"{server}: {answer.status} {body[:200]!r}"
        return None


def work(server):
    session, turn = None, time.monotonic()
    while not over.is_set():
        told = phases.setdefault(phase, {"ms": [], "failed": []})
        begin = time.monotonic()
        try:
            session = session or Session()
            wrong = session.call(server)
        except (OSError, http.client.HTTPException) as error:
            session, wrong = None, f"{server}: {error!r}"
        told["ms"].append((time.monotonic() - begin) * 1000)
        if wrong:
            told["failed"].append(wrong)
        turn = max(turn + len(SERVERS) / RATE, time.monotonic())
        over.wait(max(0.0, turn - time.monotonic()))


def main():
    global phase  # pylint: disable=global-statement
    threads = [threading.Thread(target=work, args=(server,)) for server in SERVERS]
    for thread in threads:
        thread.start()
    for line in sys.stdin:
        phase = line.strip()
    over.set()
    for thread in threads:
        thread.join()
    print(json.dumps({name: {"calls": len(told["ms"]), "failed": told["failed"][:20], "n_failed": len(told["failed"]),
                             "p50": quantile(told["ms"], 0.5), "p99": quantile(told["ms"], 0.99), "max": max(told["ms"])}
                      for name, told in phases.items() if told["ms"]}))


class Probe:
    """The program above, as others see it."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([sys.executable, str(pathlib.Path(__file__)), *map(str, arguments)], text=True,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.told = None

    def phase(self, name):
        self.process.stdin.write(name + "\n")
        self.process.stdin.flush()

    def stop(self):
        if self.told is None:
            self.told = json.loads(self.process.communicate()[0] or "{}")
        return self.told


def start_probe(port, token, rate, servers):
    return Probe(port, token, rate, *servers)


if IS_PROGRAM:
    main()
