"""The two kinds of client that the benchmark plays: with a session (2025-11-25), and stateless (2026-07-28)."""

import http.client
import json
import urllib.parse

TEXT = "about as long as a small real call is, which is some three hundred bytes in all. " * 2
COMMON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
SESSION, STATELESS = "session", "stateless"
REVISIONS = {SESSION: "2025-11-25", STATELESS: "2026-07-28"}
META = {"io.modelcontextprotocol/protocolVersion": REVISIONS[STATELESS], "io.modelcontextprotocol/clientCapabilities": {}}
INFO = {"protocolVersion": REVISIONS[SESSION], "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
ID = "@ID@"
LIMIT_S = 300


def text_of(value):
    """JSON in which the load generators replace ID by a number."""
    return json.dumps(value, separators=(",", ":")).replace(f'"{ID}"', ID)


def message(kind, method, params, id=ID):
    """Text of a request."""
    if kind == STATELESS:
        params = {**params, "_meta": META}
    return text_of({"jsonrpc": "2.0", "id": id, "method": method, "params": params})


def headers(kind, method, name=None):
    more = {"MCP-Protocol-Version": REVISIONS[kind]}
    if kind == STATELESS:
        more["Mcp-Method"] = method
        if name:
            more["Mcp-Name"] = name
    return {**COMMON, **more}


class Client:
    """One connection to an endpoint, with a session if its kind has them."""

    def __init__(self, url, kind=SESSION):
        self.kind, self.parts = kind, urllib.parse.urlsplit(url)
        self.connection = http.client.HTTPConnection(self.parts.hostname, self.parts.port, timeout=LIMIT_S)
        self.session = {}
        if kind == SESSION:
            answer, _ = self.post(message(kind, "initialize", INFO, 0), COMMON)
            self.session = {"Mcp-Session-Id": answer["Mcp-Session-Id"]} if answer["Mcp-Session-Id"] else {}
            self.post('{"jsonrpc":"2.0","method":"notifications/initialized"}', headers(kind, None))

    def post(self, body, more):
        self.connection.request("POST", self.parts.path, body, {**more, **self.session})
        answer = self.connection.getresponse()
        return answer.headers, answer.read()

    def request(self, method, params=None, name=None):
        """Returns the bytes of the answer: JSON, or the data of one event."""
        _, body = self.post(message(self.kind, method, params or {}, 1), headers(self.kind, method, name))
        return body

    def result(self, method, params=None, name=None):
        body = self.request(method, params, name)
        answer = json.loads(body if body[:1] == b"{" else body[body.index(b"data: {") + 6:].split(b"\n")[0])
        if "result" not in answer:
            raise RuntimeError(f"{self.parts.geturl()}: {body[:500]}")
        return answer["result"]

    def close(self):
        self.connection.close()
