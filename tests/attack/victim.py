"""A well-behaved client: calls a healthy server all the time and checks each answer. victim.py PORT TOOL N

A line on stdin ends a phase; its figures are printed as JSON, and the next one begins. "enough" is printed when a phase has N calls.
"""

import http.client
import json
import select
import sys
import time

HEADERS = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
SHOWN = 300  # bytes of a wrong answer


class Client:
    def __init__(self, port, tool):
        self.tool, self.n, self.headers = tool, 0, dict(HEADERS)
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        answer, _ = self.post({"id": 0, "method": "initialize", "params": {
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "victim", "version": "1"}}})
        self.headers["Mcp-Session-Id"] = answer.headers["Mcp-Session-Id"]
        self.post({"method": "notifications/initialized"})

    def post(self, message):
        self.connection.request("POST", "/mcp", json.dumps({"jsonrpc": "2.0", **message}), self.headers)
        answer = self.connection.getresponse()
        return answer, answer.read()

    def call(self):
        """Empty, or what was wrong."""
        self.n += 1
        mark = f"victim {self.n}"
        answer, body = self.post({"id": self.n, "method": "tools/call", "params": {"name": self.tool, "arguments": {"mark": mark}}})
        try:
            text = body if body.startswith(b"{") else body.split(b"data: ")[-1]
            message = json.loads(text)
            got = message["result"]["structuredContent"]["arguments"]["mark"]
            right = (answer.status, message["id"], got) == (200, self.n, mark)
        except (ValueError, KeyError, TypeError):
            right = False
        return "" if right else f"call {self.n}: HTTP {answer.status} {body[:SHOWN]!r}"


def figures(times, wrong):
    ordered = sorted(times)
    at = lambda part: round(ordered[min(len(ordered) - 1, int(len(ordered) * part))] * 1000, 3) if ordered else 0
    return {"n": len(times), "p50_ms": at(0.5), "p99_ms": at(0.99), "max_ms": at(1), "wrong": len(wrong), "first_wrong": wrong[:1]}


def main():
    port, tool, enough = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    client, times, wrong = Client(port, tool), [], []
    while True:
        begin = time.perf_counter()
        problem = client.call()
        times.append(time.perf_counter() - begin)
        if problem:
            wrong.append(problem)
        if len(times) == enough:
            print("enough", flush=True)
        if select.select([sys.stdin], [], [], 0)[0]:
            line = sys.stdin.readline()
            print(json.dumps(figures(times, wrong)), flush=True)
            times, wrong = [], []
            if not line:
                return


if __name__ == "__main__":
    main()
